//! What a bank reports of a payment.

use domain::ids::{BankId, IdentityId, NotificationId};
use domain::matching::PayerFacts;
use domain::money::Bolivars;
use domain::payer::{BankCode, Document, Phone};
use domain::reference::BankReference;
use domain::secret::PersonalText;
use domain::time::{CaracasDate, Timestamp};

use crate::fault::Fault;
use crate::value::Row;

/// Notice of a payment, as a bank reports it.
#[derive(Clone, Debug)]
pub struct BankNotification {
    /// Its id, of the instant at which it came.
    pub id: NotificationId,
    /// The real account.
    pub identity: IdentityId,
    /// The account as it is linked.
    pub bank: BankId,
    /// The bank's reference.
    pub reference: BankReference,
    /// What came in.
    pub amount: Bolivars,
    /// The bank's day of it.
    pub paid_on: CaracasDate,
    /// The bank's instant of it, where it reports the time.
    pub paid_at: Option<Timestamp>,
    /// What the bank reports of the payer.
    pub payer: PayerFacts,
    /// Whether it is of a payment between two customers of the bank, whose statement has another reference.
    pub is_same_bank: bool,
    /// The same for people.
    pub message: PersonalText,
    /// The notice as it came.
    pub raw: PersonalText,
}

/// The payer, by the columns that describe it.
pub(super) fn payer(row: &Row) -> Result<PayerFacts, Fault> {
    let broken = |what: &str| Fault::broken(format!("a notice with a broken {what}"));
    let bank: Option<String> = row.get("payer_bank")?;
    let phone: Option<String> = row.get("payer_phone")?;
    let document: Option<String> = row.get("payer_document")?;
    let bank = bank.map(|text| BankCode::parse(&text)).transpose().map_err(|_| broken("bank"))?;
    let phone = phone.map(|text| Phone::parse(&text)).transpose().map_err(|_| broken("phone"))?;
    let document = document.map(|text| Document::parse(&text)).transpose();
    let document = document.map_err(|_| broken("document"))?;
    Ok(PayerFacts { bank, phone, document, ..PayerFacts::default() })
}
