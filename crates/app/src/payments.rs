//! The operation: `GET /v1/payments`.

mod newest;

use std::ops::Range;
use std::sync::Arc;

use domain::access::{Caller, ListPayments};
use domain::ids::{ActorId, BankId, ClientId, KeyId, LinkId, OwnerId, PaymentCursor, PaymentId};
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use store::accounts;
use store::fault::Fault;
use store::payment_pages::{self, Entry, Listed};
pub use store::payments::{PaidPrice, Payment};
use store::scope::Scope;
use store::tx::Tx;

use crate::accounts::{Banks, scope, sees};
use crate::test_mode::TestAccounts;
use crate::verification::{Around, Whole};
use crate::{Act, App, Error};

pub use self::newest::{Newest, newest, some};

/// Among how many payments those that are wanted are looked for, for one page.
pub const LOOKED_MAX: usize = 5_000;

/// Among how many of the latest payments those are looked for that a caller reaches.
const LATEST_LOOKED_MAX: usize = 500;

/// Between which lines of the ledger every payment lies.
const ALL_LINES: Range<i64> = 0..i64::MAX;

/// How far ahead an instant is that a right clock has given, in microseconds: the clocks of two ready nodes may be so far
/// apart.
const AHEAD_MAX_US: i64 = 4_000_000;

/// Which payments are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Behind which place; from the first payment on, where none is said.
    pub after: Option<PaymentCursor>,
    /// From which instant on, by what payments have as `updated_at`.
    pub updated_since: Option<Timestamp>,
    /// The first and the last day on which they were claimed.
    pub from: Option<CaracasDate>,
    /// The last such day.
    pub to: Option<CaracasDate>,
    /// Those of this account alone.
    pub bank: Option<BankId>,
    /// Those alone that count against this client.
    pub client: Option<ClientId>,
    /// Those alone that this key has claimed.
    pub key: Option<KeyId>,
    /// That alone that paid this link.
    pub link: Option<LinkId>,
    /// How many at most.
    pub limit: usize,
}

/// A page of payments.
#[derive(Clone, Debug)]
pub struct Found {
    /// The payments, those first that came first.
    pub payments: Vec<Whole>,
    /// The place that was read up to; nothing where there is none.
    pub next: Option<PaymentCursor>,
    /// Whether there is more to ask for at once.
    pub has_more: bool,
}

/// Lists payments in the order in which they came to be there, behind a place: of accounts that the caller reaches,
/// and to a client's caller those that callers of its client have claimed.
///
/// # Errors
/// Not found where the caller does not reach the account that it names; or a failure of the store.
pub async fn list(app: &App, act: &Act<ListPayments>, asked: Question) -> Result<Found, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let shown = Shown::of(app);
    let read = act.read(app, move |tx| {
        if let Some(bank) = asked.bank {
            let account = accounts::find(tx, owner, bank)?;
            if !account.is_some_and(|account| sees(&account, &caller)) {
                return Err(Refusal::UserBankNotFound.into());
            }
        }
        Ok(page(tx, (owner, now), &caller, &asked, &shown)?)
    });
    read.await
}

fn page(
    tx: &mut Tx<'_>,
    (owner, now): (OwnerId, Timestamp),
    caller: &Caller,
    asked: &Question,
    shown: &Shown,
) -> Result<Found, Fault> {
    let wanted = Wanted { asked, owner, scope: scope(tx, owner, caller)? };
    let looked = if wanted.is_all() { asked.limit } else { LOOKED_MAX };
    // One more than is looked at, by which it is known that there are more.
    let limit = i64::try_from(looked + 1).unwrap_or(i64::MAX);
    let (lines, client) = (asked.lines(tx, owner, now)?, caller.client());
    let mut entries = match asked.link {
        Some(link) => Vec::from_iter(payment_pages::look_of_link(tx, owner, lines, client, link)?),
        None => payment_pages::look(tx, owner, lines, client, limit)?,
    };
    let mut has_more = entries.len() > looked;
    entries.truncate(looked);
    let (mut ids, mut place) = (Vec::new(), None);
    for (at, entry) in entries.iter().enumerate() {
        place = Some(entry.line);
        if wanted.is(entry) {
            ids.push(entry.id);
            if ids.len() == asked.limit {
                has_more = has_more || at + 1 < entries.len();
                break;
            }
        }
    }
    let payments = shown.read(tx, owner, caller, &ids)?;
    let next = place.map(PaymentCursor::behind).or(asked.after);
    Ok(Found { payments, next, has_more })
}

/// Lists the latest payments, the last one first, of those that [`list`] lists: all, or those alone of money that exists
/// or does not.
///
/// # Errors
/// A failure of the store.
pub async fn latest(
    app: &App,
    act: &Act<ListPayments>,
    livemode: Option<bool>,
    limit: usize,
) -> Result<Vec<Whole>, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let shown = Shown::of(app);
    let read = app.store.read(act.meter(), move |tx| {
        let scope = scope(tx, owner, &caller)?;
        let looked = if scope.is_all() { limit } else { LATEST_LOOKED_MAX };
        let tests = TestAccounts::meant(tx, owner, &shown.banks, livemode)?;
        let looked = i64::try_from(looked).unwrap_or(i64::MAX);
        let client = caller.client();
        let mut entries = payment_pages::look_back(tx, owner, ALL_LINES, client, looked)?;
        // Mostly the latest are all of one kind.
        if entries.iter().any(|(entry, _)| !tests.is_meant(entry.bank, livemode)) {
            let looked = i64::try_from(LATEST_LOOKED_MAX).unwrap_or(i64::MAX);
            entries = payment_pages::look_back(tx, owner, ALL_LINES, client, looked)?;
        }
        let entries = entries.iter().map(|(entry, _)| entry);
        let is_seen =
            |entry: &&Entry| scope.has(entry.bank) && tests.is_meant(entry.bank, livemode);
        let ids: Vec<_> = entries.filter(is_seen).take(limit).map(|entry| entry.id).collect();
        shown.read(tx, owner, &caller, &ids)
    });
    Ok(read.await?)
}

/// Facts that payments are shown with, for a transaction that reads them.
struct Shown {
    banks: Arc<Banks>,
    base_url: String,
}

impl Shown {
    fn of(app: &App) -> Self {
        Self { banks: Arc::clone(&app.banks), base_url: app.settings.base_url.clone() }
    }

    /// Reads these payments as the caller sees them, in this order.
    fn read(
        &self,
        tx: &mut Tx<'_>,
        owner: OwnerId,
        caller: &Caller,
        ids: &[PaymentId],
    ) -> Result<Vec<Whole>, Fault> {
        let listed = payment_pages::find(tx, owner, ids)?.into_iter();
        let shown = |Listed { payment, provider }| {
            let livemode = !self.banks.is_sandbox(&provider);
            Whole::shown_to(caller, owner, payment, Around { livemode, base_url: &self.base_url })
        };
        listed.map(shown).collect()
    }
}

/// Filter of the payments that are looked at.
struct Wanted<'a> {
    asked: &'a Question,
    owner: OwnerId,
    scope: Scope,
}

impl Wanted<'_> {
    /// Tells whether every payment is wanted.
    fn is_all(&self) -> bool {
        let Question { from, to, bank, client, key, .. } = self.asked;
        let filters = bank.is_some() || client.is_some() || key.is_some();
        !filters && from.is_none() && to.is_none() && self.scope.is_all()
    }

    fn is(&self, entry: &Entry) -> bool {
        let Question { from, to, bank, client, key, .. } = self.asked;
        let day = CaracasDate::of(entry.created_at);
        let is_key =
            |key: KeyId| ActorId::from(key) == entry.actor && entry.actor.key(self.owner).is_some();
        self.scope.has(entry.bank)
            && bank.is_none_or(|bank| bank == entry.bank)
            && client.is_none_or(|client| Some(client) == entry.client)
            && key.is_none_or(is_key)
            && from.is_none_or(|from| from <= day)
            && to.is_none_or(|to| day <= to)
    }
}

impl Question {
    /// Behind which line, and before which one, everything that is wanted lies.
    ///
    /// # Errors
    /// A fault of the store.
    fn lines(&self, tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Result<Range<i64>, Fault> {
        let after = self.after.map_or(ALL_LINES.start, PaymentCursor::line);
        let since = [self.updated_since, self.from.map(CaracasDate::start)];
        let Some(since) = since.into_iter().flatten().max() else {
            return Ok(after..ALL_LINES.end);
        };
        // What lies further ahead is of a clock that was wrong once, and says nothing of what came since.
        let ahead = Timestamp::from_micros(now.as_micros().saturating_add(AHEAD_MAX_US));
        let (before, first) = payment_pages::lines_beside(tx, owner, since..ahead)?;
        let before = before.unwrap_or(ALL_LINES.start);
        let start = first.map_or(before, |first| before.min(first - 1));
        Ok(after.max(start)..ALL_LINES.end)
    }
}
