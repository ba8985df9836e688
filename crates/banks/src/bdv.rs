//! Banco de Venezuela (0102).
//!
//! A payment is looked for in the account's extract (`movimientos`), which changes nothing at the
//! bank. The bank also has a question about one payment (`getMovement`), which marks it as
//! conciliated and so cannot be asked twice: it is not asked (decision 0014). What it would answer is
//! understood by [`get_movement`], for whoever has such answers.
//!
//! From the bank's manual of its conciliation interface, version 6 of 17 November 2025, and from
//! what others who use it have published. What the manual does not say is said where it is assumed.

pub mod get_movement;

mod amount;
mod extract;
mod message;
mod notice;
mod observation;
mod reply;
#[cfg(test)]
mod tests;

use std::iter::successors;
use std::sync::Arc;
use std::time::Duration;

use bank::{
    Access, AccountFact, Asking, Bank, Capabilities, Checking, Heard, Notice, PayerFact, Push,
    Question, Requirement,
};
use domain::matching::{MovementKind, Query, Rule, SameBankNotice, Sighting};
use domain::payer::Document;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::{Answer, Failure};
use egress::BankClient;

use self::extract::BdvExtract;
use crate::clock::Clock;
use crate::listing::{Ask, Extract, Listing, Unread};

/// The digits that accounts of the bank begin with.
const BANK_CODE: &str = "0102";

/// How long one look at a day must be behind before the next begins. The bank publishes no limit.
const LIST_INTERVAL: Duration = Duration::from_secs(2);

/// How long a search may take: many pages of a bank that takes half a minute for one.
const DEADLINE: Duration = Duration::from_secs(110);

/// Which of the bank's two systems it is: their paths differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Environment {
    /// Where the money is.
    #[default]
    Production,
    /// Where the bank lets its customers try: paths end in `/v2`.
    Quality,
}

/// The connector.
#[derive(Debug)]
pub struct Bdv {
    capabilities: Capabilities,
    client: Arc<BankClient>,
    environment: Environment,
    listing: Listing,
}

impl Bdv {
    /// The provider's name on the wire.
    pub const PROVIDER: &'static str = "BDV";

    /// A connector that asks the bank by `client`.
    #[must_use]
    pub fn new(client: BankClient, environment: Environment, clock: Clock) -> Self {
        let capabilities = Capabilities {
            provider: Self::PROVIDER,
            platform: "Banco de Venezuela",
            bank_code: Some(BANK_CODE),
            livemode: true,
            rule: Rule::Suffix { min_digits: 6 },
            questions: &[
                &[Requirement::ReferenceNumber],
                &[Requirement::ReferenceNumber, Requirement::Amount, Requirement::PaymentDate],
            ],
            // The column `observacion`: of a pago móvil from another bank the phone, since the switch
            // between banks passes no document on; of one from the same bank, and of a transfer from
            // another, the document.
            tells_of_payers: &[PayerFact::Phone, PayerFact::Document],
            days_back: 2,
            deadline: DEADLINE,
            account: &[AccountFact::Number, AccountFact::Secret],
            has_same_bank_references: true,
            verifies: &[MovementKind::Generic, MovementKind::MovilPay, MovementKind::Transfer],
        };
        let listing = Listing::new(clock, LIST_INTERVAL);
        Self { capabilities, client: Arc::new(client), environment, listing }
    }

    async fn answer(&self, question: Question<'_>) -> Answer {
        // An account that was linked without a key is one whose key is wrong.
        let Some(access) = question.access else {
            return Answer::Failed(Failure::RejectedCredentials);
        };
        let (query, notices) = (question.query, question.notices);
        let others = |row: &Sighting| may_mean(query, notices, row);
        let ask = Ask {
            identity: question.identity,
            extract: Arc::new(self.extract(access)),
            query: question.query,
            is_strangers: question.is_strangers,
            may_mean: Some(&others),
        };
        // By the day on which the caller asked, as whoever judges the answer does.
        let asked_on = CaracasDate::of(question.asked_at);
        let window = question.query.window(asked_on, self.capabilities.days_back);
        let (first, last) = window.into_inner();
        let days = successors(Some(last), |day| (*day > first).then(|| day.plus_days(-1)));
        self.listing.ask(&ask, days).await
    }

    /// The extract of an account, as this one is reached.
    fn extract(&self, access: Access<'_>) -> BdvExtract {
        BdvExtract {
            client: Arc::clone(&self.client),
            environment: self.environment,
            account: access.account.clone(),
            secret: access.secret.clone(),
        }
    }
}

impl Bank for Bdv {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        Box::pin(self.answer(question))
    }

    /// By a page of today, past every book: what was read by another secret says nothing here.
    fn check_access<'a>(&'a self, access: Access<'a>, now: Timestamp) -> Checking<'a> {
        let extract = self.extract(access);
        let today = CaracasDate::of(now);
        Box::pin(async move { extract.page(today, None).await.map(drop).map_err(Unread::failure) })
    }

    fn push(&self) -> Option<&dyn Push> {
        Some(self)
    }
}

impl Push for Bdv {
    fn secret_headers(&self) -> &'static [&'static str] {
        &notice::SECRET_HEADERS
    }

    fn read(&self, body: &[u8]) -> Option<Notice> {
        notice::read(body)
    }

    fn answer(&self, heard: Heard) -> &'static str {
        notice::answer(heard)
    }
}

/// Whether a movement between two customers of the bank may be meant, or must be known to tell which is: its
/// reference is not the one on the receipt, so that it is told by who paid and how much. Which of them is meant is
/// decided elsewhere.
fn may_mean(query: &Query, notices: &[SameBankNotice], row: &Sighting) -> bool {
    let is_alike = |notice: &SameBankNotice| notice.is_alike(&row.payer, row.amount);
    row.payer.is_same_bank(BANK_CODE) && (notices.iter().any(is_alike) || is_paid_by(query, row))
}

/// Whether the movement is of the amount and of the payer that the query tells.
fn is_paid_by(query: &Query, row: &Sighting) -> bool {
    let same_person = |document: &Document| {
        row.payer.document.as_ref().is_some_and(|payer| payer.is_same_person(document))
    };
    query.amount == Some(row.amount) && query.document.as_ref().is_some_and(same_person)
}
