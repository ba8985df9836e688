//! Bancamiga, simulated beside a service under test, in the service's own time.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use bank_sim::faults::FaultKind;
use bank_sim::payment::{Account, Kind, NewPayment, Oddities, Payer, PushTarget, SecretHeader};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::secret::SecretText;
use domain::text::Text;
use serde_json::{Value, json};

use crate::bank::{PAYER, SimulatedBank};
use crate::clock::VirtualClock;

/// The merchant's account at the bank.
pub const ACCOUNT: &str = "01720000390000000001";

/// The access token that the bank gave the merchant. Made up.
pub const TOKEN: &str = "made-up-token-of-the-bank";

/// The bank, with one account.
#[derive(Debug)]
pub struct SimulatedBancamiga(SimulatedBank);

impl SimulatedBancamiga {
    /// Opens the bank. Its time is the one that a service under test begins in, and stands still.
    ///
    /// # Panics
    /// Where it cannot be served.
    pub async fn open() -> Self {
        let bank = Self(SimulatedBank::open().await);
        bank.open_account(None);
        bank
    }

    /// Returns the address where it answers.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.0.address()
    }

    pub(crate) fn clock(&self) -> &VirtualClock {
        self.0.clock()
    }

    /// Notifies the merchant of payments from here on: at that path of a service, with that secret.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn notify(&self, service: SocketAddr, push: &Value) {
        let text = |field: &str| push[field].as_str().expect("where to and with what");
        let url = format!("http://{service}{}", text("path"));
        let api_key = SecretText::from(text("secret"));
        self.open_account(Some(PushTarget { url, header: SecretHeader::ApiKey, api_key }));
    }

    fn open_account(&self, push: Option<PushTarget>) {
        let account = Account {
            number: account(),
            api_key: TOKEN.into(),
            phone: Phone::parse("04120000001").expect("a phone"),
            rif: Document::parse("J-12345678-4").expect("a document"),
            push,
        };
        self.0.running().simulator().add_account(account).expect("an account");
    }

    /// Waits until every notice that is due has been sent and answered.
    pub async fn deliver_due(&self) {
        self.0.deliver_due().await;
    }

    /// Sends the notice of a payment once more, and answers the status and the body that it is answered with.
    ///
    /// # Panics
    /// Where there is no such payment, or no answer.
    pub async fn push(&self, payment: u64) -> (u16, String) {
        let delivery = self.0.running().simulator().push(payment).await.expect("a notice");
        let posted = delivery.end.expect("an answer");
        (posted.status, posted.body)
    }

    /// A pago móvil from another bank with this reference on the receipt, shown after `delay`. The amount is in
    /// hundredths. Answers the payment's number.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn pay(&self, reference: &str, hundredths: i64, delay: Duration) -> u64 {
        let payment = NewPayment {
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
            delay,
            oddities: Oddities::default(),
        };
        self.0.running().simulator().add_payment(payment).expect("a payment").number
    }

    /// Ends the access tokens that the bank has given.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn end_tokens(&self) {
        self.0.running().simulator().end_tokens(&account()).expect("an account");
    }

    /// Makes every call fail in this way, or none.
    pub fn fail(&self, kind: Option<FaultKind>) {
        self.0.fail(kind);
    }

    /// How often the bank was asked each of its questions, by their names.
    #[must_use]
    pub fn calls(&self) -> BTreeMap<&'static str, u64> {
        self.0.calls()
    }

    /// Returns the body that links the merchant's account with this token.
    #[must_use]
    pub fn link(token: &str) -> Value {
        json!({
            "bank_provider": "BANCAMIGA_V1",
            "description": "Cuenta de la tienda",
            "username": ACCOUNT,
            "password": token,
            "user_bank_phone": "04120000001",
            "user_bank_dni": "J-12345678-4",
            "metadata": [{ "key_name": "REFRESH_TOKEN", "key_value": format!("renovar-{TOKEN}") }],
        })
    }
}

fn account() -> AccountNumber {
    AccountNumber::parse(ACCOUNT).expect("an account number")
}
