//! The connector: a payment is looked for in what the payer's phone sent, or else in the list of the day.

use std::iter::successors;
use std::sync::Arc;
use std::time::Duration;

use bank::{
    Access, Asking, Bank, Capabilities, Checking, DayReading, DayRows, Notice, Push, PushAnswer,
    PushOutcome, Question, ReadingDay, SIGHTINGS_MAX, Statements, Tokens, Unkept,
};
use domain::ids::IdentityId;
use domain::matching::{Query, Sighting};
use domain::payer::{BankCode, Phone};
use domain::reference::BankReference;
use domain::secret::SecretText;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::{Answer, Failure};
use egress::BankClient;
use futures_util::future::try_join_all;

use super::requests::{self, DAY, FIND};
use super::rows::{self, Asked, Rows};
use super::session::{Line, Pair, Session};
use super::turns::Turns;
use super::wire::Missed;
use super::{BANK_CODE, CAPABILITIES, Settings, push};
use crate::breaker::Breakers;
use crate::clock::Clock;
use crate::listing::{Ask, Extract, Listing, Page, Unread};

/// How long one scan of a day must be behind before the next begins. How often the bank may be asked for a list is what
/// [`Turns`] are for.
const SCAN_INTERVAL: Duration = Duration::from_secs(2);

/// The connector.
#[derive(Debug)]
pub(super) struct Bancamiga {
    line: Line,
    listing: Listing,
    turns: Arc<Turns>,
    breakers: Breakers,
}

/// One account's list of a day.
struct DayList {
    session: Session,
    identity: IdentityId,
    receiver: Phone,
    turns: Arc<Turns>,
}

impl Extract for DayList {
    async fn page(&self, day: CaracasDate, _after: Option<&str>) -> Result<Page, Unread> {
        let now = self.session.line.clock.now();
        // Somebody else had the turn. That says nothing about the bank.
        let turn = self.turns.take(self.identity, now).ok_or(Unread::Busy)?;
        let body = requests::day(day)?;
        let listed = match self.session.ask(DAY, &body).await {
            Ok(listed) => listed,
            Err(unread) => {
                if is_unlisted(unread) {
                    turn.give_back();
                }
                return Err(unread);
            }
        };
        let asked = Asked { day, payer: None, receiver: &self.receiver };
        let Rows { shown, unreadable, count } = rows::read(listed, &asked)?;
        Ok(Page { rows: shown, unreadable, count, ..Page::default() })
    }

    fn secret(&self) -> &SecretText {
        self.session.linked.access()
    }
}

impl Bancamiga {
    /// A connector that asks the bank by `client`.
    pub(super) fn new(client: BankClient, settings: Settings, clock: Clock) -> Self {
        let listing = Listing::new(clock.clone(), SCAN_INTERVAL);
        let turns = Arc::new(Turns::new(settings.interval));
        let line = Line { client: Arc::new(client), timeout: settings.timeout, clock };
        Self { line, listing, turns, breakers: Breakers::default() }
    }

    async fn answer(&self, question: Question<'_>) -> Answer {
        let list = self.list(question.identity, question.access, question.tokens);
        let list = match list {
            Ok(list) => list,
            Err(failure) => return Answer::Failed(failure),
        };
        // By the day on which the caller asked, as the code that judges the answer does.
        let asked_on = CaracasDate::of(question.asked_at);
        let (first, last) = question.query.window(asked_on, CAPABILITIES.days_back).into_inner();
        let days = successors(Some(last), |day| (*day > first).then(|| day.plus_days(-1)));
        let days: Vec<CaracasDate> = days.collect();
        let query = question.query;
        match query.phone.as_ref().zip(query.bank_origin.as_ref()) {
            Some(payer) => self.by_payer(&list, query, payer, &days).await,
            None => self.by_list(list, &question, &days).await,
        }
    }

    /// Looks among what that phone sent from that bank, which the bank tells whenever it is asked.
    async fn by_payer(
        &self,
        list: &DayList,
        query: &Query,
        payer: (&Phone, &BankCode),
        days: &[CaracasDate],
    ) -> Answer {
        let Some(_pass) = self.breakers.admit(list.identity, self.line.clock.now()) else {
            return Answer::Failed(Failure::Unavailable);
        };
        let read = try_join_all(days.iter().map(|day| sent(list, payer, *day))).await;
        match &read {
            Ok(_) => self.note(list.identity, Ok(())),
            Err(Unread::Failed(failure)) => self.note(list.identity, Err(*failure)),
            Err(Unread::Busy) => {}
        }
        match read {
            Ok(days) => shown(query, days),
            Err(unread) => Answer::Failed(unread.failure()),
        }
    }

    fn note(&self, identity: IdentityId, went: Result<(), Failure>) {
        self.breakers.note(identity, &went, self.line.clock.now());
    }

    /// Looks in the lists of the days, the latest first, as far as the account's turns allow. What is on one and can be no
    /// other payment is the answer. What is not is *not found* only where all days were read since the question came, and
    /// else no answer.
    async fn by_list(
        &self,
        list: DayList,
        question: &Question<'_>,
        days: &[CaracasDate],
    ) -> Answer {
        let ask = Ask {
            identity: list.identity,
            extract: Arc::new(list),
            query: question.query,
            is_strangers: question.is_strangers,
            may_mean: None,
        };
        let (mut all, mut are_complete) = (Vec::new(), true);
        for day in days {
            if let Some(known) = self.listing.known(&ask, days.iter().copied()) {
                return known;
            }
            if !self.turns.is_open(ask.identity, self.line.clock.now()) {
                return Answer::Failed(Failure::Unavailable);
            }
            match self.listing.ask(&ask, std::iter::once(*day)).await {
                Answer::Shown { sightings, is_complete } => {
                    all.extend(sightings);
                    are_complete &= is_complete;
                }
                other => return other,
            }
        }
        all.truncate(SIGHTINGS_MAX);
        let known = self.listing.known(&ask, days.iter().copied());
        known.unwrap_or(Answer::Shown { sightings: all, is_complete: are_complete })
    }

    /// The list of an account, as this one is reached. An account that was linked without a token or a phone is one whose
    /// credentials are wrong.
    fn list(
        &self,
        identity: IdentityId,
        access: Option<Access<'_>>,
        tokens: &dyn Tokens,
    ) -> Result<DayList, Failure> {
        let access = access.ok_or(Failure::RejectedCredentials)?;
        let receiver = access.phone.ok_or(Failure::RejectedCredentials)?.clone();
        let linked = Pair::linked(access, self.line.clock.now())?;
        let session = Session { line: self.line.clone(), tokens: tokens.share(), linked };
        Ok(DayList { session, identity, receiver, turns: Arc::clone(&self.turns) })
    }
}

/// Answers whether the bank has listed nothing, as far as that shows it. What came too late or cannot be read may have been
/// a list.
fn is_unlisted(unread: Unread) -> bool {
    match unread {
        Unread::Busy => true,
        Unread::Failed(failure) => matches!(
            failure,
            Failure::Unavailable | Failure::Maintenance | Failure::RejectedCredentials
        ),
    }
}

/// Asks for what that phone sent on that day.
async fn sent(
    list: &DayList,
    payer: (&Phone, &BankCode),
    day: CaracasDate,
) -> Result<Rows, Unread> {
    let body = requests::find(payer.0, payer.1, day)?;
    let listed = list.session.ask(FIND, &body).await?;
    Ok(rows::read(listed, &Asked { day, payer: Some(payer), receiver: &list.receiver })?)
}

/// The movements of these days that the question may mean. Where that may be one that could not be read, there is no
/// answer.
fn shown(query: &Query, days: Vec<Rows>) -> Answer {
    let is_named = |reference: &BankReference| query.reference.matches(reference);
    let has_amount = |row: &Sighting| query.amount.is_none_or(|amount| amount == row.amount);
    let (mut sightings, mut has_nameless, mut is_complete) = (Vec::new(), false, true);
    for Rows { shown, unreadable, .. } in days {
        if unreadable.references.iter().any(is_named) {
            return Answer::Failed(Failure::BadResponse);
        }
        has_nameless |= unreadable.has_nameless;
        is_complete &= unreadable.references.is_empty() && !unreadable.has_nameless;
        sightings.extend(shown.into_iter().filter(|row| is_named(&row.reference)));
    }
    if has_nameless && !sightings.iter().any(has_amount) {
        return Answer::Failed(Failure::BadResponse);
    }
    is_complete &= sightings.len() <= SIGHTINGS_MAX;
    sightings.truncate(SIGHTINGS_MAX);
    Answer::Shown { sightings, is_complete }
}

impl Bank for Bancamiga {
    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn ask<'a>(&'a self, question: Question<'a>) -> Asking<'a> {
        Box::pin(self.answer(question))
    }

    /// By what the account's own phone sent today, which uses up no turn. The token is used as it is: to renew it would
    /// end the pair that is going to be kept.
    fn check_access<'a>(&'a self, access: Access<'a>, now: Timestamp) -> Checking<'a> {
        let today = CaracasDate::of(now);
        Box::pin(async move {
            let receiver = access.phone.ok_or(Failure::RejectedCredentials)?;
            let pair = Pair::linked(access, now)?;
            let bank = BankCode::parse(BANK_CODE).map_err(|_| Failure::InvalidInput)?;
            let body = requests::find(receiver, &bank, today)?;
            match self.line.ask(&pair, FIND, body).await {
                Ok(_) => Ok(()),
                Err(Missed::Token) => Err(Failure::RejectedCredentials),
                Err(Missed::Unread(unread)) => Err(unread.failure()),
            }
        })
    }

    fn push(&self) -> Option<&dyn Push> {
        Some(self)
    }

    fn statements(&self) -> Option<&dyn Statements> {
        Some(self)
    }
}

impl Statements for Bancamiga {
    fn read_day<'a>(&'a self, reading: DayReading<'a>) -> ReadingDay<'a> {
        let list = self.list(reading.identity, reading.access, reading.tokens);
        Box::pin(async move {
            self.listing.read_day(reading.identity, Arc::new(list?), reading.day).await
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

impl Push for Bancamiga {
    fn secret_headers(&self) -> &'static [&'static str] {
        &push::SECRET_HEADERS
    }

    fn read(&self, body: &[u8]) -> Option<Notice> {
        push::read(body)
    }

    fn answer(&self, outcome: PushOutcome, body: &[u8]) -> PushAnswer {
        push::answer(outcome, body)
    }
}
