//! The operations `POST /auth/password/reset/confirm` and of the page `/password-reset/{token}`: another password by
//! a link.

use std::sync::Arc;

use domain::access::Operation;
use domain::ids::{AuditId, EmployeeId};
use domain::mail::{Letter, TRIED_FOR};
use domain::refusal::Refusal;
use domain::reset::ResetToken;
use domain::secret::SecretText;
use domain::time::Timestamp;
use store::lineage::Lineage;
use store::mails::NewMail;
use store::tx::Tx;
use store::{
    Lane, audit, email_changes, employees, mails, password_resets, sessions, sign_in_networks,
};

use crate::lineage::{IssuedList, Reader, lately};
use crate::mails::draft;
use crate::outcome::{Outcome, as_answer};
use crate::passwords::check_new;
use crate::people::Account;
use crate::{Act, App, Error};

/// Name of the action in the audit trail, by whichever way the request came.
const ACTION: &str = "ResetPassword";

/// Everything that one transaction needs to set a password by a link.
#[derive(Clone)]
struct Resetting {
    token: ResetToken,
    employee: Option<EmployeeId>,
    hash: String,
    /// Where the link was used, which is known from then on.
    network: Option<String>,
    mail: Option<NewMail>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Shows with which address somebody signs in who has a link that is good.
///
/// # Errors
/// One refusal for every link that is not, or a failure of the store.
pub async fn look_at_reset<O: Operation>(
    app: &App,
    act: &Act<O>,
    token: &ResetToken,
) -> Result<String, Error> {
    Ok(find(app, act, token).await?.email().to_owned())
}

/// Gives the person who has the link another password and ends all sessions of that person. A link works once: of two
/// calls at once, on whichever nodes, one is too late. A second factor stays as it is. What the person has issued lately
/// goes on and is listed.
///
/// # Errors
/// One refusal for every link that never was, was used or is over; a failure of the store.
pub async fn reset_password<O: Operation>(
    app: &App,
    act: &Act<O>,
    token: &ResetToken,
    password: SecretText,
) -> Result<IssuedList, Error> {
    check_new("password", &password)?;
    let account = find(app, act, token).await?;
    let hash = app.passwords.hash(password, Arc::clone(&app.ids)).await?;
    // The password took its time, and the link may be over by now.
    let (owner, now) = (token.owner(), app.clock.now());
    let former = account.password_hash().map(ToOwned::to_owned);
    let written = (&Letter::PasswordChanged, act.request.language);
    let whose = (owner, account.actor());
    let mail = draft(app, whose, account.email(), written, (now, now.plus(TRIED_FOR)));
    let resetting = Resetting {
        token: token.clone(),
        employee: account.employee(),
        hash,
        network: act.request.address.map(domain::sign_in::network),
        mail,
        entry: audit::Entry {
            id: AuditId::new(&*app.ids, now),
            actor: account.name(),
            employee: account.employee(),
            action: ACTION,
            subject: account.name(),
            address: act.request.address_shown(),
        },
        now,
    };
    let reader = Reader { owner, client: account.client() };
    let write = move |tx: &mut Tx<'_>| as_answer(write(tx, &resetting));
    let issued = app.store.write_again(act.meter(), Lane::Admission, owner, write).await??;
    // A person who guesses begins anew with the password that nobody knows yet; the account's own person can sign in
    // at once, from anywhere.
    if let Err(error) = app.sign_in_failures.forgive(app, act.meter(), account.email()).await {
        tracing::warn!(?error, "wrong passwords of before a reset still count");
    }
    if let Some(former) = former {
        app.passwords.note_renewed(&former);
    }
    Ok(IssuedList::of(issued, reader))
}

/// Answers what the person has issued lately.
fn write(tx: &mut Tx<'_>, resetting: &Resetting) -> Outcome<Lineage> {
    let Resetting { token, employee, hash, network, mail, entry, now } = resetting;
    let (owner, person) = (token.owner(), (token.owner(), token.person()));
    let account = Account::find(tx, owner, *employee)?.ok_or(Refusal::ResetInvalid)?;
    let issued = lately(tx, owner, person.1, *now)?;
    if account.password_hash() == Some(hash) {
        // The same write again: its answer was lost. No other has that salt.
        return Ok(issued);
    }
    let is_good = account.check_active().is_ok()
        && password_resets::is_good(tx, person, &token.hash(), *now)?;
    if !is_good {
        return Err(Refusal::ResetInvalid.into());
    }
    account.set_password_hash(tx, hash, *now)?;
    password_resets::remove(tx, person)?;
    email_changes::remove(tx, person)?;
    employees::end_invitations_of(tx, owner, *employee, *now)?;
    sessions::end_of_person(tx, (owner, *employee), *now)?;
    sign_in_networks::forget(tx, person)?;
    // The person who read the mail signs in there next, however long others go on guessing.
    if let Some(network) = network {
        sign_in_networks::note(tx, person, network, *now)?;
    }
    if let Some(mail) = mail {
        mails::insert(tx, owner, mail)?;
    }
    audit::insert(tx, owner, entry, *now)?;
    Ok(issued)
}

/// Finds the account whose password a link sets.
async fn find<O: Operation>(app: &App, act: &Act<O>, token: &ResetToken) -> Result<Account, Error> {
    let (owner, person, hash) = (token.owner(), token.person(), token.hash());
    let now = app.clock.now();
    let find = move |tx: &mut Tx<'_>| {
        if !password_resets::is_good(tx, (owner, person), &hash, now)? {
            return Ok(None);
        }
        Account::find(tx, owner, person.employee())
    };
    let found = app.store.look_up(act.meter(), find).await?;
    let found = found.filter(|account| account.check_active().is_ok());
    Ok(found.ok_or(Refusal::ResetInvalid)?)
}
