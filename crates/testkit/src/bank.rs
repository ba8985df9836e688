//! Banco de Venezuela, simulated beside a service under test, in the service's own time.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use app::ports::Clock;
use bank_sim::books::Delivery;
use bank_sim::faults::Fault;
pub use bank_sim::faults::FaultKind;
pub use bank_sim::payment::Oddities;
use bank_sim::payment::{Account, Again, Kind, NewPayment, Payer, PushTarget, SecretHeader};
use bank_sim::runtime::{Notice, Posted, Posting, Work};
use bank_sim::{Poster, Reach, Running, Runtime, Tasks, Time};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::secret::SecretText;
use domain::text::Text;
use domain::time::Timestamp;
use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::clock::{START, VirtualClock};
use crate::http::exchange;

/// The merchant's account at the bank.
pub const ACCOUNT: &str = "01020000890000000001";

/// The key that the merchant made for the bank's interface. Made up.
pub const KEY: &str = "made-up-key-of-the-bank";

/// The phone of the payer, and its bank.
pub const PAYER: (&str, &str) = ("04140000002", "0134");

/// The bank, with one account.
#[derive(Debug)]
pub struct SimulatedBank {
    running: Running,
    clock: VirtualClock,
}

impl SimulatedBank {
    /// Opens the bank. Its time is the one that a service under test begins in, and stands still.
    ///
    /// # Panics
    /// Where it cannot be served.
    pub async fn open() -> Self {
        let clock = VirtualClock::at(START);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address");
        let runtime = Runtime {
            time: Time::Given(Arc::new(InTime(clock.clone()))),
            tasks: Arc::new(Here),
            poster: Arc::new(ByHttp),
        };
        let running = bank_sim::serve(listener, Reach::Loopback, runtime).expect("a bank");
        let bank = Self { running, clock };
        bank.set_key(KEY);
        bank
    }

    /// Returns the address where it answers.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.running.address()
    }

    pub(crate) fn clock(&self) -> &VirtualClock {
        &self.clock
    }

    /// Gives the merchant's account another key.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn set_key(&self, key: &str) {
        self.open_account(key, None);
    }

    /// Notifies the merchant of payments from here on: at that path of a service, with that secret.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn notify(&self, service: SocketAddr, push: &Value) {
        let text = |field: &str| push[field].as_str().expect("where to and with what");
        let url = format!("http://{service}{}", text("path"));
        let api_key = SecretText::from(text("secret"));
        self.open_account(KEY, Some(PushTarget { url, header: SecretHeader::ApiKey, api_key }));
    }

    /// Waits until every notice that is due has been sent and answered.
    pub async fn deliver_due(&self) {
        self.running.simulator().deliver_due().await;
    }

    /// Sends the notice of a payment once more, and answers the code that it is answered with.
    ///
    /// # Panics
    /// Where the answer is none of this bank.
    pub async fn push(&self, payment: u64) -> String {
        code(&self.running.simulator().push(payment).await.expect("a notice"))
    }

    /// The codes that the notices of a payment were answered with, the oldest first.
    ///
    /// # Panics
    /// Where there is no such payment, or an answer is none of this bank.
    #[must_use]
    pub fn push_codes(&self, payment: u64) -> Vec<String> {
        let (_, deliveries) = self.running.simulator().payment(payment).expect("a payment");
        deliveries.iter().map(code).collect()
    }

    /// How many pages of the account's extract the bank was asked for.
    #[must_use]
    pub fn pages_asked(&self) -> u64 {
        self.running.simulator().calls().get("movimientos").copied().unwrap_or(0)
    }

    fn open_account(&self, key: &str, push: Option<PushTarget>) {
        let account = Account {
            number: account(),
            api_key: key.into(),
            phone: Phone::parse("04120000001").expect("a phone"),
            rif: Document::parse("J-12345678-4").expect("a document"),
            push,
        };
        self.running.simulator().add_account(account).expect("an account");
    }

    /// A pago móvil from another bank with this reference on the receipt, shown after `delay`, with
    /// its commission beside it and twice, as the bank does now and then. The amount is in hundredths. Answers the
    /// payment's number.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn pay(&self, reference: &str, hundredths: i64, delay: Duration) -> u64 {
        self.take(NewPayment { delay, ..payment(reference, hundredths) })
    }

    /// A transfer from another bank by the holder of this document, shown at once. Answers the payment's number.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn transfer(&self, reference: &str, hundredths: i64, document: &str) -> u64 {
        let mut transfer = NewPayment { kind: Kind::Transfer, ..payment(reference, hundredths) };
        transfer.payer.document = Document::parse(document).expect("a document");
        self.take(transfer)
    }

    /// A pago móvil, or else a transfer, from another bank, which the bank shows once more so many days before, and as a
    /// payment from that bank if one is said.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn pay_contradicted(
        &self,
        reference: &str,
        hundredths: i64,
        is_pago_movil: bool,
        (days_before, bank): (u8, Option<&str>),
    ) -> u64 {
        let kind = if is_pago_movil { Kind::PagoMovil } else { Kind::Transfer };
        let mut payment = NewPayment { kind, ..payment(reference, hundredths) };
        let bank = bank.map(|code| BankCode::parse(code).expect("a bank"));
        payment.oddities.again = Some(Again { days_before, bank });
        self.take(payment)
    }

    /// Money that came in with this text beside it, shown at once. Answers the payment's number.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn credit(&self, reference: &str, hundredths: i64, remark: &str) -> u64 {
        let mut payment = NewPayment { kind: Kind::Transfer, ..payment(reference, hundredths) };
        payment.oddities.remark = Some(Text::parse(remark).expect("a text"));
        self.take(payment)
    }

    /// A pago móvil by the holder of this document, who is a customer of the same bank, posted after `delay`: the
    /// extract has it under a reference of its own. Answers the payment's number.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn pay_same_bank(
        &self,
        reference: &str,
        hundredths: i64,
        document: &str,
        delay: Duration,
    ) -> u64 {
        self.take(NewPayment { delay, ..same_bank(reference, hundredths, document) })
    }

    /// The same, shown at once, and once more three days before.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn pay_same_bank_twice(&self, reference: &str, hundredths: i64, document: &str) -> u64 {
        let mut payment = same_bank(reference, hundredths, document);
        payment.oddities.again = Some(Again { days_before: 3, bank: None });
        self.take(payment)
    }

    /// The same, shown at once in a row of which nobody can read the amount.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn pay_unreadably(&self, reference: &str, hundredths: i64, document: &str) -> u64 {
        let mut payment = same_bank(reference, hundredths, document);
        payment.oddities.unreadable = Some(true);
        self.take(payment)
    }

    /// A pago móvil from another bank, shown once and without a commission, in a row as these oddities have it.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn pay_oddly(
        &self,
        reference: &str,
        hundredths: i64,
        delay: Duration,
        oddities: Oddities,
    ) -> u64 {
        let oddities = Oddities { commission: Some(false), repeated: Some(false), ..oddities };
        self.take(NewPayment { delay, oddities, ..payment(reference, hundredths) })
    }

    fn take(&self, payment: NewPayment) -> u64 {
        self.running.simulator().add_payment(payment).expect("a payment").number
    }

    /// Makes every call fail in this way, or none.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn fail(&self, kind: Option<FaultKind>) {
        let fault = kind.map(|kind| Fault { kind, count: None, delay: None });
        self.running.simulator().set_fault(None, fault).expect("a fault");
    }

    /// Makes the address of exchange rates return these, right or wrong.
    ///
    /// # Panics
    /// Where they are too many.
    pub fn set_rates(&self, rates: Vec<Value>) {
        self.running.simulator().set_rates(Some(rates)).expect("rates");
    }

    /// Makes the address of exchange rates fail in this way, or not.
    pub fn fail_rates(&self, kind: Option<FaultKind>) {
        let fault = kind.map(|kind| Fault { kind, count: None, delay: None });
        self.running.simulator().set_rates_fault(fault);
    }

    /// How often the address of exchange rates was asked.
    #[must_use]
    pub fn rates_asked(&self) -> u64 {
        self.running.simulator().rates_asked()
    }

    /// How often the bank was asked each of its questions, by their names.
    #[must_use]
    pub fn calls(&self) -> BTreeMap<&'static str, u64> {
        self.running.simulator().calls()
    }

    /// Returns the body that links the merchant's account with this key.
    #[must_use]
    pub fn link(key: &str) -> Value {
        json!({
            "bank_provider": "BDV",
            "description": "Cuenta de la tienda",
            "password": key,
            "user_bank_phone": { "countryCode": "58", "number": "4120000001" },
            "user_bank_dni": { "dni_type": "J", "dni_number": "123456784" },
            "metadata": [{ "key_name": "account_number", "key_value": ACCOUNT }],
        })
    }
}

/// A payment with its commission beside it and shown twice. The amount is in hundredths.
fn payment(reference: &str, hundredths: i64) -> NewPayment {
    NewPayment {
        account: account(),
        reference: TypedReference::parse(reference).expect("a reference"),
        amount: Bolivars::from_hundredths(hundredths),
        payer: Payer {
            bank: BankCode::parse(PAYER.1).expect("a bank"),
            phone: Phone::parse(PAYER.0).expect("a phone"),
            document: Document::parse("V12345678").expect("a document"),
            name: Text::parse("PAGADOR DE PRUEBA").expect("a name"),
        },
        kind: Kind::PagoMovil,
        at: None,
        delay: Duration::ZERO,
        oddities: Oddities { commission: Some(true), repeated: Some(true), ..Oddities::default() },
    }
}

/// A payment by the holder of this document, who is a customer of the same bank.
fn same_bank(reference: &str, hundredths: i64, document: &str) -> NewPayment {
    let mut payment = payment(reference, hundredths);
    payment.payer.bank = BankCode::parse("0102").expect("a bank");
    payment.payer.document = Document::parse(document).expect("a document");
    payment
}

fn account() -> AccountNumber {
    AccountNumber::parse(ACCOUNT).expect("an account number")
}

/// The service's clock as the bank's.
struct InTime(VirtualClock);

impl bank_sim::Clock for InTime {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn sleep_until(&self, at: Timestamp) -> Work {
        self.0.sleep_until(at)
    }
}

/// Tasks on the test's own runtime.
struct Here;

impl Tasks for Here {
    #[expect(clippy::disallowed_methods, reason = "the bank runs beside the test")]
    fn spawn(&self, work: Work) {
        tokio::spawn(work);
    }
}

/// The code of an answer, which has status 200 whatever it says.
fn code(delivery: &Delivery) -> String {
    let Posted { status, body } = delivery.end.as_ref().expect("an answer");
    let body: Value = serde_json::from_str(body).expect("an answer of JSON");
    assert_eq!(*status, 200, "{body}");
    body["codigo"].as_str().expect("a code").to_owned()
}

/// Notices go out over real HTTP.
struct ByHttp;

impl Poster for ByHttp {
    fn post(&self, notice: Notice) -> Posting {
        Box::pin(async move {
            let rest = notice.url.strip_prefix("http://").ok_or("no address of HTTP")?;
            let (at, path) = rest.split_once('/').ok_or("no path")?;
            let request = Request::post(format!("/{path}"))
                .header("host", at)
                .header("content-type", "application/json")
                .header(notice.header, notice.secret.expose())
                .body(Full::new(notice.body.into()))
                .map_err(|error| error.to_string())?;
            let at = at.parse().map_err(|_| "no address")?;
            let answer = exchange(at, request).await;
            let body = String::from_utf8_lossy(&answer.body).into_owned();
            Ok(Posted { status: answer.status, body })
        })
    }
}
