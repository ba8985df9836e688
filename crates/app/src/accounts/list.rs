//! The operation: `GET /me/usersbank`.

use std::collections::HashMap;

use domain::access::ListBankAccounts;
use store::{accounts, bank_access};

use super::Linked;
use crate::{Act, App, Error};

/// Lists the accounts that the caller reaches: real ones first, since programs take the first that fits, and of each
/// kind the oldest first.
///
/// # Errors
/// A failure of the store.
pub async fn list(app: &App, act: &Act<ListBankAccounts>) -> Result<Vec<Linked>, Error> {
    let owner = act.owner();
    let read = app.store.look_up(act.meter(), move |tx| {
        Ok((accounts::list(tx, owner)?, bank_access::facts(tx, owner)?))
    });
    let (accounts, facts) = read.await?;
    let mut facts: HashMap<_, _> = facts.into_iter().map(|facts| (facts.bank, facts)).collect();
    let reached =
        accounts.into_iter().filter(|account| act.caller().reaches(account.id, account.client));
    let linked = reached.map(|account| {
        let facts = facts.remove(&account.id);
        Linked::new(app, account, facts)
    });
    let mut linked: Vec<Linked> = linked.collect();
    linked.sort_by_key(|linked| linked.is_test);
    Ok(linked)
}
