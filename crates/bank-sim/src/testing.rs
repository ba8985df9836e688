//! What the tests of the pure cores stand on.

use std::sync::Arc;
use std::time::Duration;

use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::text::Text;
use domain::time::{CaracasDate, Timestamp};

use crate::bdv::Ledger;
use crate::payment::{Account, Kind, NAMELESS, NewPayment, Oddities, Payer, Payment};

pub(crate) const ACCOUNT: &str = "01020000890000000001";
pub(crate) const KEY: &str = "clave";
pub(crate) const PHONE: &str = "04120000001";
pub(crate) const PAYER: &str = "04140000002";
pub(crate) const RECEIPT: &str = "000079912345";

pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

pub(crate) fn day(text: &str) -> CaracasDate {
    CaracasDate::parse(text).unwrap()
}

pub(crate) fn number() -> AccountNumber {
    AccountNumber::parse(ACCOUNT).unwrap()
}

pub(crate) fn account() -> Account {
    Account {
        number: number(),
        api_key: KEY.into(),
        phone: Phone::parse(PHONE).unwrap(),
        rif: Document::parse("J-12345678-4").unwrap(),
        push: None,
    }
}

/// A plain pago móvil from another bank, made and posted at that instant, without oddities.
pub(crate) fn payment(paid_at: Timestamp) -> NewPayment {
    NewPayment {
        account: number(),
        reference: TypedReference::parse(RECEIPT).unwrap(),
        amount: Bolivars::from_hundredths(15_075),
        payer: Payer {
            bank: BankCode::parse("0134").unwrap(),
            phone: Phone::parse(PAYER).unwrap(),
            document: Document::parse("V12345678").unwrap(),
            name: Text::parse(NAMELESS).unwrap(),
        },
        kind: Kind::PagoMovil,
        at: Some(paid_at),
        delay: Duration::ZERO,
        oddities: Oddities {
            commission: Some(false),
            repeated: Some(false),
            ..Oddities::default()
        },
    }
}

/// A ledger with these payments, numbered from 1.
pub(crate) fn ledger(payments: impl IntoIterator<Item = NewPayment>) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.open(&account());
    for (number, new) in (1..).zip(payments) {
        ledger.take(&Arc::new(Payment::make(number, new, Timestamp::from_micros(0))));
    }
    ledger
}
