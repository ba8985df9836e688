//! Banco de Venezuela, simulated beside a service under test, in the service's own time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use app::ports::Clock;
use bank_sim::faults::Fault;
pub use bank_sim::faults::FaultKind;
use bank_sim::outside::{Notice, Posting, Work};
use bank_sim::payment::{Account, Kind, NewPayment, Oddities, Payer};
use bank_sim::{Outside, Poster, Reach, Running, Tasks, Time};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::text::Text;
use domain::time::Timestamp;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::VirtualClock;
use crate::setup::START;

/// The merchant's account at the bank.
pub const ACCOUNT: &str = "01020000890000000001";

/// The key that the merchant made for the bank's interface. Made up.
pub const KEY: &str = "made-up-key-of-the-bank";

/// The phone of whoever pays, and its bank.
const PAYER: (&str, &str) = ("04140000002", "0134");

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
        let outside = Outside {
            time: Time::Given(Arc::new(InTime(clock.clone()))),
            tasks: Arc::new(Here),
            poster: Arc::new(Nobody),
        };
        let running = bank_sim::serve(listener, Reach::Loopback, outside).expect("a bank");
        let bank = Self { running, clock };
        bank.set_key(KEY);
        bank
    }

    /// Where it answers.
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
        let account = Account {
            number: account(),
            api_key: key.into(),
            phone: Phone::parse("04120000001").expect("a phone"),
            rif: Document::parse("J-12345678-4").expect("a document"),
            push: None,
        };
        self.running.simulator().add_account(account).expect("an account");
    }

    /// A pago móvil from another bank with this reference on the receipt, shown after `delay`, with
    /// its commission beside it and twice, as the bank does now and then. The amount is in hundredths.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn pay(&self, reference: &str, hundredths: i64, delay: Duration) {
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
            oddities: Oddities { commission: Some(true), repeated: Some(true), at_its_hour: None },
        };
        self.running.simulator().add_payment(payment).expect("a payment");
    }

    /// Makes every call fail in this way, or none.
    ///
    /// # Panics
    /// Where the bank refuses.
    pub fn fail(&self, kind: Option<FaultKind>) {
        let fault = kind.map(|kind| Fault { kind, count: None, delay: None });
        self.running.simulator().set_fault(None, fault).expect("a fault");
    }

    /// What links the merchant's account with this key.
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

/// No notice goes out.
struct Nobody;

impl Poster for Nobody {
    fn post(&self, _: Notice) -> Posting {
        Box::pin(std::future::ready(Err("nobody is told".to_owned())))
    }
}
