//! The operation: `GET /v1/verifications`, which answers why a reference was refused.

use std::sync::Arc;

use domain::access::{Caller, ListVerifications};
use domain::ids::{ActorId, BankId, ClientId, KeyId, LinkId, OwnerId, VerificationId};
use domain::money::Bolivars;
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::State;
use store::fault::Fault;
use store::scope::Scope;
use store::tx::Tx;
use store::verifications::Verification;
use store::{accounts, payment_pages, verification_pages};

use super::asked::Asked;
use super::show::shown_to;
use super::whole::{Around, Whole};
use crate::accounts::{Banks, scope, sees};
use crate::outcome::Outcome;
use crate::test_mode::TestAccounts;
use crate::{Act, App, Error};

/// Among how many verifications those that are wanted are looked for, for one page.
pub const LOOKED_MAX: usize = 2_000;

/// How far the clock of the node that made an id may be from the one by which it was asked, in days.
const APART_DAYS: i32 = 1;

/// Which verifications are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Those before this one; from the newest on, where none is said.
    pub after: Option<VerificationId>,
    /// The first and the last day on which they began.
    pub from: Option<CaracasDate>,
    /// The last such day.
    pub to: Option<CaracasDate>,
    /// Those alone about a reference that ends in these digits, or in which these end: people type any number.
    pub reference: Option<String>,
    /// Those alone that asked for exactly this amount.
    pub amount: Option<Bolivars>,
    /// Those of this account alone.
    pub bank: Option<BankId>,
    /// Those alone that callers of this client asked for, or that count against it.
    pub client: Option<ClientId>,
    /// Those alone that are charged to this key.
    pub key: Option<KeyId>,
    /// Those alone that are checks of this link.
    pub link: Option<LinkId>,
    /// Those alone that are so far.
    pub status: Option<State>,
    /// Those alone of accounts whose money exists, or of the test bank's.
    pub livemode: Option<bool>,
    /// How many at most.
    pub limit: usize,
}

/// A verification, and what was asked.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its row.
    pub row: Verification,
    /// What was asked.
    pub asked: Asked,
    /// The key that is charged, unless it is a session.
    pub key: Option<KeyId>,
    /// Whether money of its account exists.
    pub livemode: bool,
    /// The payment that it confirmed or found confirmed.
    pub payment: Option<Whole>,
}

/// A page of verifications.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The verifications, the newest first.
    pub verifications: Vec<Listed>,
    /// The place that was read up to; nothing where there is none.
    pub next: Option<VerificationId>,
    /// Whether there is more to ask for at once.
    pub has_more: bool,
}

/// Lists verifications, the newest first: of accounts that the caller reaches, and to a client's caller those that
/// callers of its client made.
///
/// # Errors
/// Not found where the caller does not reach the account that it names; or a failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListVerifications>,
    asked: Question,
) -> Result<Found, Error> {
    let (owner, caller) = (act.owner(), act.caller().clone());
    let (banks, base_url) = (Arc::clone(&app.banks), app.settings.base_url.clone());
    let read = act.read(app, move |tx| {
        let wanted = Wanted::of(tx, (owner, &caller), &asked, &banks)?;
        let mut found = page(tx, &wanted)?;
        add_payments(tx, &wanted, &mut found, &base_url)?;
        Ok(found)
    });
    read.await
}

/// Adds to each verification the payment that it confirmed or found confirmed, as the caller is shown it.
fn add_payments(
    tx: &mut Tx<'_>,
    wanted: &Wanted<'_>,
    found: &mut Found,
    base_url: &str,
) -> Result<(), Fault> {
    let Wanted { owner, caller, .. } = *wanted;
    let ids: Vec<_> = found.verifications.iter().filter_map(|one| one.row.payment).collect();
    let payments = payment_pages::find(tx, owner, &ids)?;
    let confirmed = found.verifications.iter_mut().filter(|one| one.row.payment.is_some());
    for (one, listed) in confirmed.zip(payments) {
        let around = Around { livemode: one.livemode, base_url };
        one.payment = Some(Whole::shown_to(caller, owner, listed.payment, around)?);
    }
    Ok(())
}

fn page(tx: &mut Tx<'_>, wanted: &Wanted<'_>) -> Result<Found, Fault> {
    let asked = wanted.asked;
    let looked = wanted.looked();
    // One more than is looked at, by which it is known that there are more.
    let limit = i64::try_from(looked + 1).unwrap_or(i64::MAX);
    let mut rows = verification_pages::look(tx, wanted.owner, asked.begin(), asked.link, limit)?;
    let mut found = Found { has_more: rows.len() > looked, next: asked.after, ..Found::default() };
    rows.truncate(looked);
    let mut rows = rows.into_iter().peekable();
    while let Some(mut row) = rows.next() {
        // What is older is not wanted either.
        if asked.end().is_some_and(|end| row.asked_at < end) {
            found.has_more = false;
            break;
        }
        found.next = Some(row.id);
        row.failed = shown_to(wanted.caller, row.failed);
        let listed = Listed {
            key: row.actor.key(wanted.owner),
            livemode: !wanted.tests.has(row.bank),
            payment: None,
            asked: Asked::from_json(row.query.as_str())?,
            row,
        };
        let Listed { row, asked: typed, .. } = &listed;
        let one = Candidate {
            actor: row.actor,
            caller_client: row.caller_client,
            client: row.client,
            bank: row.bank,
            asked_at: row.asked_at,
            status: Some(row.state),
            typed,
        };
        if wanted.is(&one) {
            found.verifications.push(listed);
            if found.verifications.len() == asked.limit {
                found.has_more = found.has_more || rows.peek().is_some();
                break;
            }
        }
    }
    Ok(found)
}

/// Question that somebody asked, whatever the result.
pub(super) struct Candidate<'a> {
    pub(super) actor: ActorId,
    pub(super) caller_client: Option<ClientId>,
    pub(super) client: Option<ClientId>,
    pub(super) bank: BankId,
    pub(super) asked_at: Timestamp,
    /// Nothing where it became no verification.
    pub(super) status: Option<State>,
    pub(super) typed: &'a Asked,
}

/// Filter of the questions that are looked at.
pub(super) struct Wanted<'a> {
    pub(super) asked: &'a Question,
    pub(super) owner: OwnerId,
    caller: &'a Caller,
    scope: Scope,
    pub(super) tests: TestAccounts,
}

impl<'a> Wanted<'a> {
    /// Makes the filter of what that caller wants and may see. Refuses a caller that names an account out of its reach.
    pub(super) fn of(
        tx: &mut Tx<'_>,
        (owner, caller): (OwnerId, &'a Caller),
        asked: &'a Question,
        banks: &Banks,
    ) -> Outcome<Self> {
        if let Some(bank) = asked.bank {
            let account = accounts::find(tx, owner, bank)?;
            if !account.is_some_and(|account| sees(&account, caller)) {
                return Err(Refusal::UserBankNotFound.into());
            }
        }
        let scope = scope(tx, owner, caller)?;
        let tests = TestAccounts::read(tx, owner, banks)?;
        Ok(Self { asked, owner, caller, scope, tests })
    }

    /// Among how many what is wanted is looked for.
    pub(super) fn looked(&self) -> usize {
        if self.is_all() { self.asked.limit } else { LOOKED_MAX }
    }

    /// Tells whether a key that is limited to some accounts may be shown what that actor asked: its own alone, since a
    /// reference that is not confirmed yet is all that is needed to claim its payment first.
    fn is_open_to_key(&self, actor: ActorId) -> bool {
        match self.caller {
            Caller::Key(key) if key.is_limited() => ActorId::from(key.key) == actor,
            _ => true,
        }
    }

    /// Tells whether every verification is wanted.
    fn is_all(&self) -> bool {
        let Question { after, limit, .. } = self.asked;
        let all = Question { after: *after, limit: *limit, ..Question::default() };
        *self.asked == all && self.scope.is_all()
    }

    pub(super) fn is(&self, one: &Candidate<'_>) -> bool {
        let (asked, typed) = (self.asked, one.typed);
        let day = CaracasDate::of(one.asked_at);
        let is_key = |key: KeyId| one.actor.key(self.owner) == Some(key);
        let is_client = |client| one.client == Some(client) || one.caller_client == Some(client);
        self.scope.has(one.bank)
            && self.tests.is_meant(one.bank, asked.livemode)
            && self.caller.sees_made_for(one.caller_client)
            && self.is_open_to_key(one.actor)
            && asked.bank.is_none_or(|bank| bank == one.bank)
            && asked.client.is_none_or(is_client)
            && asked.key.is_none_or(is_key)
            && asked.status.is_none_or(|status| one.status == Some(status))
            && asked.from.is_none_or(|from| from <= day)
            && asked.to.is_none_or(|to| day <= to)
            && asked.amount.is_none_or(|amount| typed.amount == Some(amount.hundredths()))
            && asked.reference.as_ref().is_none_or(|digits| is_about(&typed.reference, digits))
    }
}

/// Tells whether one of both texts may be the ending of the other. The separators that were typed do not matter.
fn is_about(typed: &str, digits: &str) -> bool {
    let typed: String = typed.chars().filter(char::is_ascii_digit).collect();
    typed.ends_with(digits) || (!typed.is_empty() && digits.ends_with(&typed))
}

impl Question {
    /// Before which id whatever is wanted lies.
    pub(super) fn begin(&self) -> VerificationId {
        let to = self.to.map(|day| VerificationId::last_of(day.plus_days(1 + APART_DAYS).start()));
        let bounds = [self.after, to].into_iter().flatten();
        bounds.min().unwrap_or(VerificationId::from_bytes([u8::MAX; 16]))
    }

    /// Before which instant nothing lies that is wanted.
    pub(super) fn end(&self) -> Option<Timestamp> {
        self.from.map(|day| day.plus_days(-APART_DAYS).start())
    }
}
