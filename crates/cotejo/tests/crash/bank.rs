//! Banco de Venezuela as a process, controlled by its operator's routes alone.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use domain::time::{CaracasDate, Timestamp};
use serde_json::{Value, json};
use testkit::bank_process::BankProcess;

use crate::cast::ok;
use crate::http::ask;
use crate::program::PROGRAM;
use crate::shop::AMOUNT;

/// A port that the machine chooses.
const ANYWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The key to every account of the bank. Made up.
pub(crate) const KEY: &str = "made-up-key-of-the-bank";

/// Phone that every payment comes from, and that payers give for themselves.
pub(crate) const PAYER_PHONE: &str = "04140000002";

/// The bank.
pub(crate) struct Bank {
    process: BankProcess,
}

impl Bank {
    /// A bank whose clock stands until it is made to [go on](Self::let_pass).
    pub(crate) fn open() -> Self {
        Self::open_at(ANYWHERE)
    }

    /// The same, where another one was before.
    pub(crate) fn open_at(address: SocketAddr) -> Self {
        Self { process: BankProcess::start(PROGRAM, address, &["--manual-clock"]) }
    }

    /// The settings of servers that find the bank and the shop on this machine, and all payers too,
    /// who would be taken for one that tries references out.
    pub(crate) fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("COTEJO_BANKS_BDV_URL", format!("http://{}", self.address())),
            ("COTEJO_WEBHOOKS_ALLOW_PRIVATE", "true".to_owned()),
            ("COTEJO_HTTP_ATTEMPTS_PER_MINUTE", "0".to_owned()),
        ]
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.process.address()
    }

    /// Opens an account, or gives one that is there another key.
    pub(crate) fn open_account(&self, number: &str, key: &str) {
        let account = json!({
            "account": number, "api_key": key, "phone": "04120000001", "rif": "J-12345678-4",
        });
        self.call(("POST", "/admin/accounts"), &account);
    }

    /// A pago móvil from another bank, which the extract shows after `delay`, with its commission
    /// beside it and twice, as the bank does now and then.
    pub(crate) fn pay(&self, account: &str, reference: &str, amount: &str, delay: Duration) {
        self.pay_from(PAYER_PHONE, account, reference, amount, delay);
    }

    /// The same from another phone.
    pub(crate) fn pay_from(
        &self,
        phone: &str,
        account: &str,
        reference: &str,
        amount: &str,
        delay: Duration,
    ) {
        let payment = json!({
            "account": account, "reference": reference, "amount": amount, "payer_bank": "0134",
            "phone": phone, "document": "V12345678", "delay_seconds": delay.as_secs(),
            "commission": true, "repeated": true,
        });
        self.call(("POST", "/admin/payments"), &payment);
    }

    /// A pago móvil from the same bank, which the extract shows at once under a reference of its own. Answers its day.
    pub(crate) fn pay_same_bank(&self, account: &str, reference: &str, document: &str) -> String {
        let payment = json!({
            "account": account, "reference": reference, "amount": AMOUNT, "payer_bank": "0102",
            "phone": PAYER_PHONE, "document": document,
        });
        self.call(("POST", "/admin/payments"), &payment);
        CaracasDate::of(self.now()).to_string()
    }

    /// Makes every call about an account fail in this way; `none` ends it.
    pub(crate) fn fail(&self, account: &str, kind: &str) {
        self.call(("PUT", "/admin/faults"), &json!({ "account": account, "kind": kind }));
    }

    /// Lets time pass at the bank.
    pub(crate) fn let_pass(&self, time: Duration) {
        // It is shown without what is less than a millisecond.
        let then = self.now().plus(time + Duration::from_millis(1));
        self.call(("PUT", "/admin/clock"), &json!({ "now": then.to_string() }));
    }

    fn now(&self) -> Timestamp {
        let clock = ok(ask(self.address(), ("GET", "/admin/clock"), "", None));
        Timestamp::parse(clock["now"].as_str().unwrap()).unwrap()
    }

    fn call(&self, target: (&str, &str), what: &Value) {
        ok(ask(self.address(), target, "", Some(what)));
    }
}
