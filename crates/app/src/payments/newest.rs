//! The same payments, the latest first: for people, who ask what has just come.

use std::ops::Range;

use domain::access::ListPayments;
use domain::ids::{BankId, ClientId, OwnerId, PaymentCursor, PaymentId};
use domain::money::Bolivars;
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use store::fault::Fault;
use store::tx::Tx;
use store::{accounts, payment_pages};

use super::{AHEAD_MAX_US, ALL_LINES, Found, LOOKED_MAX, Question, Shown, Wanted};
use crate::accounts::{scope, sees};
use crate::test_mode::TestAccounts;
use crate::verification::Whole;
use crate::{Act, App, Error};

/// Which payments are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Newest {
    /// Before which place; from the latest on, where none is said.
    pub before: Option<PaymentCursor>,
    /// The first day on which they were claimed.
    pub from: Option<CaracasDate>,
    /// The last such day.
    pub to: Option<CaracasDate>,
    /// Those of this account alone.
    pub bank: Option<BankId>,
    /// Those alone that count against this client.
    pub client: Option<ClientId>,
    /// Those alone of exactly this amount.
    pub amount: Option<Bolivars>,
    /// Money that exists alone, or the test bank's.
    pub livemode: Option<bool>,
    /// How many at most.
    pub limit: usize,
}

impl Newest {
    /// The same without place and amount.
    fn question(&self) -> Question {
        let Self { from, to, bank, client, limit, .. } = *self;
        Question { from, to, bank, client, limit, ..Question::default() }
    }

    /// After which line, and before which, everything that is wanted lies.
    ///
    /// # Errors
    /// A fault of the store.
    fn lines(&self, tx: &mut Tx<'_>, owner: OwnerId, now: Timestamp) -> Result<Range<i64>, Fault> {
        let Range { start, .. } = self.question().lines(tx, owner, now)?;
        let end = self.before.map_or(ALL_LINES.end, PaymentCursor::line);
        let Some(last) = self.to else { return Ok(start..end) };
        // A payment has the instant at which it was claimed, or a little later one.
        let next = last.plus_days(1).start().as_micros().saturating_add(2 * AHEAD_MAX_US);
        let next = Timestamp::from_micros(next)..Timestamp::from_micros(i64::MAX);
        let (before, first) = payment_pages::lines_beside(tx, owner, next)?;
        let of_day = before.map_or(ALL_LINES.start, |line| line + 1);
        Ok(start..end.min(first.map_or(of_day, |first| of_day.max(first))))
    }
}

/// Lists payments as [`super::list`] does, the latest first.
///
/// # Errors
/// Not found where the caller does not reach the account that it names; or a failure of the store.
pub async fn newest(app: &App, act: &Act<ListPayments>, asked: Newest) -> Result<Found, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let shown = Shown::of(app);
    let read = act.read(app, move |tx| {
        if let Some(bank) = asked.bank {
            let account = accounts::find(tx, owner, bank)?;
            if !account.is_some_and(|account| sees(&account, &caller)) {
                return Err(Refusal::UserBankNotFound.into());
            }
        }
        let question = asked.question();
        let wanted = Wanted { asked: &question, owner, scope: scope(tx, owner, &caller)? };
        let tests = TestAccounts::meant(tx, owner, &shown.banks, asked.livemode)?;
        let looks_at_all = wanted.is_all() && asked.amount.is_none();
        let mut looked = if looks_at_all { asked.limit } else { LOOKED_MAX };
        let client = caller.client();
        let lines = asked.lines(tx, owner, now)?;
        let mut look = |looked: usize| {
            let limit = i64::try_from(looked + 1).unwrap_or(i64::MAX);
            payment_pages::look_back(tx, owner, lines.clone(), client, limit)
        };
        let mut entries = look(looked)?;
        // Mostly the latest are all of one kind.
        if entries.iter().any(|(entry, _)| !tests.is_meant(entry.bank, asked.livemode)) {
            looked = LOOKED_MAX;
            entries = look(looked)?;
        }
        let mut has_more = entries.len() > looked;
        entries.truncate(looked);
        let (mut ids, mut place) = (Vec::new(), None);
        for (at, (entry, amount)) in entries.iter().enumerate() {
            place = Some(entry.line);
            let is_amount = asked.amount.is_none_or(|asked| asked == *amount);
            if wanted.is(entry) && is_amount && tests.is_meant(entry.bank, asked.livemode) {
                ids.push(entry.id);
                if ids.len() == asked.limit {
                    has_more = has_more || at + 1 < entries.len();
                    break;
                }
            }
        }
        let payments = shown.read(tx, owner, &caller, &ids)?;
        Ok(Found { payments, next: place.map(PaymentCursor::behind), has_more })
    });
    read.await
}

/// Lists those of these payments that the caller sees, in this order.
///
/// # Errors
/// A failure of the store.
pub async fn some(
    app: &App,
    act: &Act<ListPayments>,
    ids: Vec<PaymentId>,
) -> Result<Vec<Whole>, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let shown = Shown::of(app);
    let read = app.store.read(act.meter(), move |tx| {
        let scope = scope(tx, owner, &caller)?;
        let is_seen =
            |one: &Whole| scope.has(one.payment.bank) && caller.sees_made_for(one.payment.client);
        let found = shown.read(tx, owner, &caller, &ids)?;
        Ok(found.into_iter().filter(is_seen).collect())
    });
    Ok(read.await?)
}
