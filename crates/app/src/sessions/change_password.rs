//! The operation: `POST /auth/password`.

use std::sync::Arc;

use domain::access::ChangePassword;
use domain::ids::{EmployeeId, OwnerId, SessionId};
use domain::mail::Letter;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use domain::time::Timestamp;
use store::ended::{self, EndedThing};
use store::lineage::Lineage;
use store::mails::NewMail;
use store::tx::Tx;
use store::{audit, email_changes, employees, mails, password_resets, sessions, sign_in_networks};

use crate::audit_entry::audited;
use crate::lineage::{IssuedList, Reader, lately};
use crate::mails::to_caller;
use crate::outcome::Outcome;
use crate::passwords::check_new;
use crate::people::{Account, known_password};
use crate::{Act, App, Error};

/// Everything that one transaction needs to change a password.
#[derive(Clone)]
struct Changing {
    person: (OwnerId, Option<EmployeeId>),
    session: SessionId,
    /// Where it is called from, which stays known.
    network: Option<String>,
    former: String,
    hash: String,
    mail: Option<NewMail>,
    entry: audit::Entry,
    now: Timestamp,
}

/// Gives the caller another password, if it knows the present one, and ends all its other sessions: anybody else who
/// has one is out. What the caller has issued lately goes on and is listed: whoever knew the former password may have left
/// something behind.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn change_password(
    app: &App,
    act: &Act<ChangePassword>,
    current: SecretText,
    new: SecretText,
) -> Result<IssuedList, Error> {
    check_new("new_password", &new)?;
    // The table admits sessions and nobody else.
    let session = act.caller().session().ok_or(Refusal::OwnerSessionRequired)?;
    let person = (act.owner(), act.caller().employee());
    let shown = ("current_password", &current);
    let former = known_password(app, act, shown).await?.hash;
    if current == new {
        let problem =
            ("es la contraseña actual; elija otra", "is the present password; choose another");
        return Err(Refusal::invalid("new_password", problem).into());
    }
    let hash = app.passwords.hash(new, Arc::clone(&app.ids)).await?;
    let name = person.1.map_or_else(|| person.0.to_string(), |employee| employee.to_string());
    let network = act.request.address.map(domain::sign_in::network);
    let mail = to_caller(app, act, &Letter::PasswordReplaced).await?;
    let (entry, now) = (audited(app, act, name), act.now);
    let changing = Changing { person, session, network, former, hash, mail, entry, now };
    let noted = changing.former.clone();
    let write = move |tx: &mut Tx<'_>| write(tx, &changing);
    let issued = act.write_again(app, write).await?;
    app.passwords.note_renewed(&noted);
    Ok(IssuedList::of(issued, Reader::of(act)))
}

/// Answers what the person has issued lately.
fn write(tx: &mut Tx<'_>, changing: &Changing) -> Outcome<Lineage> {
    let Changing { person, session, network, former, hash, mail, entry, now } = changing;
    let whose = person.1.map_or_else(|| person.0.into(), Into::into);
    let issued = lately(tx, person.0, whose, *now)?;
    let found = Account::find(tx, person.0, person.1)?;
    if found.as_ref().and_then(Account::password_hash) == Some(hash) {
        // The same write again: its answer was lost. No other has that salt.
        return Ok(issued);
    }
    // Where somebody else has changed it meanwhile, what was checked is the present one no longer.
    let found = found.filter(|found| found.password_hash() == Some(former));
    let account = found.ok_or(Refusal::ReachChanged)?;
    account.replace_password_hash(tx, former, hash, *now)?;
    ended::note(tx, person.0, EndedThing::Password(person.1), *now);
    // A link that somebody has asked for before opens nothing afterwards.
    password_resets::remove(tx, (person.0, whose))?;
    email_changes::remove(tx, (person.0, whose))?;
    employees::end_invitations_of(tx, person.0, person.1, *now)?;
    sessions::end_others(tx, *person, *session, *now)?;
    sign_in_networks::forget(tx, (person.0, whose))?;
    if let Some(network) = network {
        sign_in_networks::note(tx, (person.0, whose), network, *now)?;
    }
    if let Some(mail) = mail {
        mails::insert(tx, person.0, mail)?;
    }
    audit::insert(tx, person.0, entry, *now)?;
    Ok(issued)
}
