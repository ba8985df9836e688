//! The connector: a payment is looked for in the account's extract, day by day.

use std::iter::successors;
use std::sync::Arc;

use bank::{
    Access, Asking, Bank, Capabilities, Checking, DayReading, DayRows, Notice, Push, PushOutcome,
    Question, ReadingDay, Statements, Unkept,
};
use domain::ids::IdentityId;
use domain::matching::{Query, SameBankNotice, Sighting};
use domain::payer::Document;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::{Answer, Failure};
use egress::BankClient;

use super::extract::BdvExtract;
use super::{API_KEY, BANK_CODE, CAPABILITIES, Settings, push};
use crate::clock::Clock;
use crate::listing::{Ask, Extract, Listing, Unread};

/// The connector.
#[derive(Debug)]
pub(super) struct Bdv {
    client: Arc<BankClient>,
    settings: Settings,
    listing: Listing,
}

impl Bdv {
    /// A connector that asks the bank by `client`.
    #[must_use]
    pub(super) fn new(client: BankClient, settings: Settings, clock: Clock) -> Self {
        let listing = Listing::new(clock, settings.interval);
        Self { client: Arc::new(client), settings, listing }
    }

    async fn answer(&self, question: Question<'_>) -> Answer {
        let extract = match self.extract(question.access) {
            Ok(extract) => extract,
            Err(failure) => return Answer::Failed(failure),
        };
        let (query, notices) = (question.query, question.notices);
        let others = |row: &Sighting| may_mean(query, notices, row);
        let ask = Ask {
            identity: question.identity,
            extract: Arc::new(extract),
            query: question.query,
            is_strangers: question.is_strangers,
            may_mean: Some(&others),
        };
        // By the day on which the caller asked, as the code that judges the answer does.
        let asked_on = CaracasDate::of(question.asked_at);
        let window = question.query.window(asked_on, CAPABILITIES.days_back);
        let (first, last) = window.into_inner();
        let days = successors(Some(last), |day| (*day > first).then(|| day.plus_days(-1)));
        self.listing.ask(&ask, days).await
    }

    /// The extract of an account, as this one is reached. An account that was linked without a key is one whose key
    /// is wrong.
    fn extract(&self, access: Option<Access<'_>>) -> Result<BdvExtract, Failure> {
        let access = access.ok_or(Failure::RejectedCredentials)?;
        let key = access.credentials.get(API_KEY).ok_or(Failure::RejectedCredentials)?;
        Ok(BdvExtract {
            client: Arc::clone(&self.client),
            settings: self.settings,
            account: access.account.clone(),
            key: key.clone(),
        })
    }
}

impl Bank for Bdv {
    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        Box::pin(self.answer(question))
    }

    /// By a page of today, past every day statement: what was read by another secret says nothing here.
    fn check_access<'a>(&'a self, access: Access<'a>, now: Timestamp) -> Checking<'a> {
        let extract = self.extract(Some(access));
        let today = CaracasDate::of(now);
        Box::pin(async move { extract?.page(today, None).await.map(drop).map_err(Unread::failure) })
    }

    fn push(&self) -> Option<&dyn Push> {
        Some(self)
    }

    fn statements(&self) -> Option<&dyn Statements> {
        Some(self)
    }
}

impl Statements for Bdv {
    fn read_day<'a>(&'a self, reading: DayReading<'a>) -> ReadingDay<'a> {
        let extract = self.extract(reading.access);
        Box::pin(async move {
            self.listing.read_day(reading.identity, Arc::new(extract?), reading.day).await
        })
    }

    fn rows_of(&self, identity: IdentityId, day: CaracasDate) -> DayRows {
        self.listing.rows_of(identity, day)
    }

    fn unkept(&self, identity: IdentityId, limit: usize) -> Unkept {
        self.listing.unkept(identity, limit)
    }

    fn note_kept(&self, identity: IdentityId, kept: &Unkept) {
        self.listing.note_kept(identity, kept);
    }
}

impl Push for Bdv {
    fn secret_headers(&self) -> &'static [&'static str] {
        &push::SECRET_HEADERS
    }

    fn read(&self, body: &[u8]) -> Option<Notice> {
        push::read(body)
    }

    fn answer(&self, outcome: PushOutcome) -> &'static str {
        push::answer(outcome)
    }
}

/// Tells whether the question may mean this movement between two customers of the bank, or needs it to decide which
/// movement it means. Its reference is not the one on the receipt, so the payer and the amount distinguish it. Other
/// code makes the decision.
fn may_mean(query: &Query, notices: &[SameBankNotice], row: &Sighting) -> bool {
    let is_alike = |notice: &SameBankNotice| notice.is_alike(&row.payer, row.amount);
    row.payer.is_same_bank(BANK_CODE) && (notices.iter().any(is_alike) || is_paid_by(query, row))
}

/// Tells whether the movement has the amount and the payer that the query names.
fn is_paid_by(query: &Query, row: &Sighting) -> bool {
    let same_person = |document: &Document| {
        row.payer.document.as_ref().is_some_and(|payer| payer.is_same_person(document))
    };
    query.amount == Some(row.amount) && query.document.as_ref().is_some_and(same_person)
}
