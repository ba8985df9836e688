//! What a bank has shown under a reference that somebody has: did it come, and what happened to it?

use std::sync::Arc;

use domain::access::ListMovements;
use domain::ids::BankId;
use domain::matching::{Movement, Rule};
use domain::reference::TypedReference;
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use store::accounts::{self, Account};
use store::movement_pages::{is_recorded_since, recorded_at};
use store::movements::{self, ReferenceQuery};

use super::{sees, shown_since, unnamed_shown};
use crate::{Act, App, Error};

/// In how many accounts a reference is looked for, where none is named.
const ACCOUNTS_MAX: usize = 50;

/// How many movements are shown, the latest.
const MOVEMENTS_MAX: usize = 50;

/// How references are compared where the connector is closed here.
pub(crate) const USUAL_RULE: Rule = Rule::Suffix { min_digits: 6 };

/// A movement, and the account that it came to.
#[derive(Clone, Debug)]
pub struct FoundMovement {
    /// The account as it is linked.
    pub bank: BankId,
    /// The movement, claimed or not.
    pub movement: Movement,
    /// When it came here: when the bank first showed it, or sent a notice of it.
    pub recorded_at: Timestamp,
}

/// The movements of the accounts that the caller reaches, or of one, which a reference may name, the latest first: all, or
/// those alone of money that exists or does not.
///
/// # Errors
/// Not found where the caller does not reach the account that it names; a refusal where so many accounts would have
/// to be looked at that one has to be named; or a failure of the store.
pub async fn find_movements(
    app: &App,
    act: &Act<ListMovements>,
    reference: TypedReference,
    bank: Option<BankId>,
    livemode: Option<bool>,
) -> Result<Vec<FoundMovement>, Error> {
    let (owner, caller, settings) = (act.owner(), act.caller().clone(), app.settings.clone());
    let banks = Arc::clone(&app.banks);
    let capabilities: Vec<_> = app.banks.iter().map(|bank| bank.capabilities()).collect();
    let read = act.read(app, move |tx| {
        let mut linked: Vec<Account> = accounts::list(tx, owner)?;
        let is_meant = |account: &Account| {
            let is_test = banks.is_sandbox(&account.provider);
            livemode.is_none_or(|livemode| livemode != is_test)
        };
        linked.retain(|account| {
            let is_named = bank.is_none_or(|bank| bank == account.id);
            sees(account, &caller) && is_named && is_meant(account)
        });
        match linked.len() {
            0 if bank.is_some() => return Err(Refusal::UserBankNotFound.into()),
            len if len > ACCOUNTS_MAX => return Err(too_many().into()),
            _ => {}
        }
        let mut found: Vec<FoundMovement> = Vec::new();
        for account in linked {
            let bank = capabilities.iter().find(|bank| bank.provider == account.provider);
            let rule = bank.map_or(USUAL_RULE, |bank| bank.rule);
            let has_receipts = bank.is_some_and(|bank| bank.same_bank().is_some());
            let since = shown_since(&account, &caller);
            let unnamed = unnamed_shown(&settings, &account, &caller);
            for sought in ReferenceQuery::named(rule, &reference, has_receipts) {
                for movement in movements::find(tx, owner, account.identity, &sought)? {
                    let is_shown = is_recorded_since(&movement, since)
                        && unnamed.shows(&movement)
                        && since.is_none_or(|since| movement.paid_on >= CaracasDate::of(since));
                    let is_new = found.iter().all(|one| one.movement.id != movement.id);
                    if is_shown && is_new {
                        let recorded_at = recorded_at(&movement);
                        found.push(FoundMovement { bank: account.id, movement, recorded_at });
                    }
                }
            }
        }
        found.sort_unstable_by_key(|one| (one.movement.paid_on, one.movement.id));
        found.reverse();
        found.truncate(MOVEMENTS_MAX);
        Ok(found)
    });
    read.await
}

fn too_many() -> Refusal {
    let problem =
        ("elija una cuenta, porque tiene muchas", "choose an account, for there are many");
    Refusal::invalid("user_bank_id", problem)
}
