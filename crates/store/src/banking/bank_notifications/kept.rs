//! A notice as it is kept, with its seal.

use domain::ids::{MovementId, OwnerId};
use domain::payer::{BankCode, Phone};
use domain::seals::{Seal, SealedNotification};
use domain::secret::PersonalText;
use domain::time::Timestamp;

use super::notification::{BankNotification, payer};
use crate::fault::Fault;
use crate::movements::reversed_suffix;
use crate::value::Row;

/// The bank's word of every notice that is kept.
pub(super) const STATUS: &str = "CONFIRMED";

/// A notice that is kept.
#[derive(Clone, Debug)]
pub struct KeptNotice {
    /// What the bank reported.
    pub notice: BankNotification,
    /// The movement that it is of, where that is certain.
    pub movement: Option<MovementId>,
    /// Whether it was reported again with another payer.
    pub is_contested: bool,
    /// When it came.
    pub created_at: Timestamp,
}

impl KeptNotice {
    /// Reads what is kept of a notice of the same account, reference, day and amount as `again`.
    pub(super) fn read(row: &Row, again: &BankNotification) -> Result<Self, Fault> {
        let notice = BankNotification {
            id: row.get("id")?,
            bank: row.get("bank_id")?,
            paid_at: row.get("paid_at")?,
            payer: payer(row)?,
            is_same_bank: row.get::<Option<String>>("receipt_tail")?.is_some(),
            message: PersonalText::new(row.get("message")?),
            raw: PersonalText::new(row.get("raw")?),
            ..again.clone()
        };
        Ok(Self {
            notice,
            movement: row.get("movement_id")?,
            is_contested: row.get("is_contested")?,
            created_at: row.get("created_at")?,
        })
    }

    /// The same, with what a notice that came again reports of the payer and the hour and the first one left open.
    #[must_use]
    pub fn completed_by(&self, again: &BankNotification) -> Self {
        let mut completed = self.clone();
        let notice = &mut completed.notice;
        notice.paid_at = notice.paid_at.or(again.paid_at);
        notice.payer.learn(&again.payer);
        notice.is_same_bank |= again.is_same_bank;
        completed
    }

    /// The same, contested for good: it came again with another payer, and is paired with nothing any more.
    #[must_use]
    pub fn contested(&self) -> Self {
        Self { is_contested: true, ..self.clone() }
    }

    /// The seal over what is kept of it.
    pub(super) fn seal(&self, owner: OwnerId) -> Seal {
        seal(owner, &self.notice, self.is_contested, self.created_at)
    }
}

/// The seal over a notice that came at `created_at`.
pub(super) fn seal(
    owner: OwnerId,
    notice: &BankNotification,
    is_contested: bool,
    created_at: Timestamp,
) -> Seal {
    let document = notice.payer.document.as_ref().map(ToString::to_string);
    let tail = notice.is_same_bank.then(|| reversed_suffix(notice.reference.digits()));
    SealedNotification {
        ids: [
            &owner.to_bytes(),
            &notice.id.to_bytes(),
            &notice.identity.to_bytes(),
            &notice.bank.to_bytes(),
        ],
        status: STATUS,
        reference: notice.reference.digits(),
        amount: notice.amount.hundredths(),
        paid_on: notice.paid_on.days(),
        paid_at: notice.paid_at.map(Timestamp::as_micros),
        payer: [
            notice.payer.bank.as_ref().map(BankCode::as_str),
            notice.payer.phone.as_ref().map(Phone::as_str),
            document.as_deref(),
        ],
        is_contested,
        receipt_tail: tail.as_deref(),
        texts: [notice.message.as_str(), notice.raw.as_str()],
        created_at: created_at.as_micros(),
    }
    .seal()
}
