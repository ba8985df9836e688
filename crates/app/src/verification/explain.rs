//! Why a verification ended as it did: what was typed, what the bank has shown, and what was decided.

use std::ops::RangeInclusive;
use std::sync::Arc;

use domain::access::{Caller, ShowVerification};
use domain::ids::{ActorId, ClientId, VerificationId};
use domain::matching::Movement;
use domain::refusal::Refusal;
use domain::time::CaracasDate;
use domain::verification::searched_from;
use store::movement_pages::is_recorded_since;
use store::movements::{self, ReferenceQuery};
use store::{accounts, verifications};

use super::asked::Asked;
use super::repeat::{is_accepted, is_left_to_callers};
use super::show::{Shown, shown_to};
use super::whole::{Around, whole};
use crate::accounts::{sees, shown_since, unnamed_shown};
use crate::{Act, App, Error};

/// How many movements are shown, the latest.
const MOVEMENTS_MAX: usize = 25;

/// A verification with all that is known about it.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Its row and its payment.
    pub shown: Shown,
    /// What was typed, where the caller may know.
    pub asked: Option<Asked>,
    /// Says whether a person accepted the movement as a payment, by this.
    pub is_accepted: bool,
    /// Says whether that person left its first report to the next caller.
    pub is_left_to_caller: bool,
    /// The days that were searched.
    pub days: RangeInclusive<CaracasDate>,
    /// What the account has by now that the reference may name, claimed or not, the latest first. Nothing where the
    /// caller may not know what was typed.
    pub movements: Vec<Movement>,
}

/// Shows a verification as [`super::show::show`] does, with what it was about.
///
/// # Errors
/// Not found, also where it is of an account out of reach; or a failure of the store.
pub async fn explain(
    app: &App,
    act: &Act<ShowVerification>,
    id: VerificationId,
) -> Result<Explained, Error> {
    let (owner, caller, now) = (act.owner(), act.caller().clone(), act.now);
    let settings = app.settings.clone();
    let capabilities: Vec<_> = app.banks.iter().map(|bank| bank.capabilities()).collect();
    let banks = Arc::clone(&app.banks);
    let read = app.store.read(act.meter(), move |tx| {
        let Some(mut row) = verifications::find(tx, owner, id)? else { return Ok(None) };
        row.failed = shown_to(&caller, row.failed);
        let account = accounts::find(tx, owner, row.bank)?;
        let account = account.filter(|account| sees(account, &caller));
        let Some(account) = account.filter(|_| caller.sees_made_for(row.caller_client)) else {
            return Ok(None);
        };
        let asked = Asked::from_json(row.query.as_str())?;
        let query = asked.query()?;
        let bank = capabilities.iter().find(|bank| bank.provider == account.provider);
        let asked_on = CaracasDate::of(searched_from(row.asked_at, now));
        let days = query.window(asked_on, bank.map_or(0, |bank| bank.days_back));
        let knows = may_know(&caller, row.actor, row.caller_client);
        let mut movements: Vec<Movement> = Vec::new();
        if let Some(bank) = bank.filter(|_| knows) {
            let since = shown_since(&account, &caller);
            let unnamed = unnamed_shown(&settings, &account, &caller);
            for sought in
                ReferenceQuery::named(bank.rule, &query.reference, bank.same_bank().is_some())
            {
                for movement in movements::find(tx, owner, account.identity, &sought)? {
                    let is_new = movements.iter().all(|one| one.id != movement.id);
                    let is_shown = is_recorded_since(&movement, since)
                        && unnamed.shows(&movement)
                        && since.is_none_or(|since| movement.paid_on >= CaracasDate::of(since));
                    if is_new && is_shown {
                        movements.push(movement);
                    }
                }
            }
            movements.sort_unstable_by_key(|one| (one.paid_on, one.id));
            movements.reverse();
            movements.truncate(MOVEMENTS_MAX);
        }
        let livemode = !banks.is_sandbox(&account.provider);
        let around = Around { livemode, base_url: &settings.base_url };
        let payment = match row.payment {
            Some(payment) => Some(whole(tx, owner, &caller, payment, around)?),
            None => None,
        };
        let asked = knows.then_some(asked);
        let claimed = payment.as_ref().map(|whole| &whole.payment);
        let own = claimed.filter(|payment| payment.verification == id);
        let is_accepted = own.is_some_and(is_accepted);
        let is_left_to_caller = own.is_some_and(is_left_to_callers);
        let shown = Shown { row, payment, livemode };
        let found = Explained { shown, asked, is_accepted, is_left_to_caller, days, movements };
        Ok(Some(found))
    });
    Ok(read.await?.ok_or(Refusal::NotFound("verification"))?)
}

/// True if the caller may know what was typed: it typed it, is one of the owner's people, or is of the same client.
pub(crate) fn may_know(caller: &Caller, actor: ActorId, client: Option<ClientId>) -> bool {
    let same_client = caller.client().is_some() && caller.client() == client;
    let is_own = caller.actor() == Some(actor);
    is_own || same_client || matches!(caller, Caller::Owner(_) | Caller::Employee(_))
}
