//! The validation of one pago móvil, `getMovement`: it says yes once, and changes what it looks at.

use std::time::Duration;

use domain::money::Bolivars;
use domain::payer::{BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};

use super::CODE;
use super::ledger::{Book, Entry, Ledger};
use crate::payment::{Kind, Payment};

/// How long after the first success the same question still succeeds (manual: "30 segundos después
/// de la primera").
pub const GRACE: Duration = Duration::from_secs(30);

/// How many digits at the end of two references must be the same where both have more.
const COMPARED_DIGITS: usize = 8;

/// The fewest digits that are enough to be compared by their end.
const COMPARED_DIGITS_MIN: usize = 6;

/// A question about a pago móvil.
#[derive(Clone, Debug)]
pub struct Question {
    /// Who is said to have paid. It is compared only where [`Question::compares_document`] says so.
    pub document: Document,
    /// The phone that is said to have paid.
    pub payer_phone: Phone,
    /// The merchant's own.
    pub phone: Phone,
    /// What the receipt shows, or the end of it.
    pub reference: TypedReference,
    /// The day of the payment.
    pub day: CaracasDate,
    /// How much.
    pub amount: Bolivars,
    /// The bank that it was sent from.
    pub bank: BankCode,
    /// Whether the document counts.
    pub compares_document: bool,
}

/// Result of a validation, as the bank states it.
#[derive(Clone, Debug)]
pub enum Validation {
    /// The key is nobody's.
    NotAffiliated,
    /// It is there with that amount, and is conciliated from now on.
    Matched(Found),
    /// It was conciliated before, whatever amount is asked for.
    Conciliated,
    /// It is there with another amount.
    OtherAmount(Found),
    /// There is none such.
    Unknown,
}

/// A payment that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which one.
    pub number: u64,
    /// Its amount.
    pub amount: Bolivars,
    /// The reference of the payer's receipt.
    pub reference: TypedReference,
}

impl Ledger {
    /// Answers the question at that instant. The first success conciliates the payment; [`GRACE`]
    /// later the bank only says that it was.
    pub fn validate(
        &mut self,
        api_key: &SecretText,
        question: &Question,
        now: Timestamp,
    ) -> Validation {
        if !self.is_affiliated(api_key) {
            return Validation::NotAffiliated;
        }
        let account = self.account_of(api_key, &question.phone).cloned();
        let entry = account.and_then(|number| self.book_mut(&number)?.find(question, now));
        let Some(entry) = entry else { return Validation::Unknown };
        let Payment { number, amount, ref reference, .. } = *entry.payment;
        let found = Found { number, amount, reference: reference.clone() };
        if entry.conciliated_at.is_some_and(|at| now.since(at) >= GRACE) {
            return Validation::Conciliated;
        }
        if amount != question.amount {
            return Validation::OtherAmount(found);
        }
        entry.conciliated_at.get_or_insert(now);
        Validation::Matched(found)
    }
}

impl Book {
    /// The payment that is meant. Among several, the one whose amount is right goes first.
    fn find(&mut self, question: &Question, now: Timestamp) -> Option<&mut Entry> {
        let of_day = self.payments.get(&question.day)?;
        let mut meant = of_day.iter().enumerate().filter(|(_, entry)| {
            entry.payment.posts_at <= now && is_meant(&entry.payment, question, &self.rif)
        });
        let first = meant.next()?;
        let has_amount = |entry: &Entry| entry.payment.amount == question.amount;
        let (place, _) = if has_amount(first.1) {
            first
        } else {
            meant.find(|(_, entry)| has_amount(entry)).unwrap_or(first)
        };
        self.payments.get_mut(&question.day)?.get_mut(place)
    }
}

fn is_meant(payment: &Payment, question: &Question, rif: &Document) -> bool {
    payment.kind == Kind::PagoMovil
        && payment.payer.phone == question.payer_phone
        && payment.payer.bank == question.bank
        && is_same_reference(payment.reference.digits(), question.reference.digits())
        && (!question.compares_document
            || known_document(payment, rif) == Some(question.document.clone()))
}

/// Returns the payer's document as the bank knows it. For payers of other banks it gets none, and fills the field with
/// the digits of the merchant's own tax number.
fn known_document(payment: &Payment, rif: &Document) -> Option<Document> {
    if payment.payer.bank.as_str() == CODE {
        return Some(payment.payer.document.clone());
    }
    Document::parse(&format!("V{}", rif.number())).ok()
}

/// Tells whether two references, without their leading zeros, are the same or end alike.
fn is_same_reference(a: &str, b: &str) -> bool {
    let compared = a.len().min(b.len()).min(COMPARED_DIGITS);
    let ending = |digits: &str| digits.split_at(digits.len() - compared).1.to_owned();
    a == b || (compared >= COMPARED_DIGITS_MIN && ending(a) == ending(b))
}

#[cfg(test)]
#[path = "validation/tests.rs"]
mod tests;
