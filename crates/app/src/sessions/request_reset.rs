//! The operation: `POST /auth/password/reset`.

use std::sync::Arc;

use domain::access::{Caller, Operation};
use domain::ids::{ActorId, AuditId, OwnerId};
use domain::language::Language;
use domain::mail::Letter;
use domain::refusal::Refusal;
use domain::reset::{RESET_LIFETIME, RESETS_MAX, ResetToken};
use domain::secret::SecretText;
use domain::text::EmailAddress;
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, Meter, audit, mails, password_resets};

use crate::audit_entry::caller_id;
use crate::mails::draft;
use crate::people::Account;
use crate::{Act, App, Error};

/// Name of the action in the audit trail, by whichever way the request came.
const ACTION: &str = "RequestPasswordReset";

/// Address that a request came from, with its language and its meter.
struct Origin {
    language: Language,
    address: Option<String>,
    meter: Arc<Meter>,
}

/// Sends a link for another password to the person who signs in with that address. It is looked up after the answer,
/// so that neither the answer nor the time that it takes shows whether anybody does. What the store is asked then,
/// and waited for, is the same for nobody, so that what others wait for meanwhile does not show it either.
///
/// # Errors
/// A refusal where the service sends no mail.
pub fn request_reset<O: Operation>(
    app: &Arc<App>,
    act: &Act<O>,
    email: EmailAddress,
) -> Result<(), Error> {
    if app.mail.is_none() {
        return Err(Refusal::MailNotConfigured.into());
    }
    let origin = Origin {
        language: act.request.language,
        address: act.request.address_shown(),
        meter: Arc::clone(&act.request.meter),
    };
    let begun = Arc::clone(app);
    app.tasks.spawn(Box::pin(async move {
        if let Err(error) = send(&begun, &email, origin).await {
            tracing::warn!(?error, "a link for another password could not be written");
        }
    }));
    Ok(())
}

async fn send(app: &App, email: &EmailAddress, origin: Origin) -> Result<(), Error> {
    let Origin { language, address, meter } = origin;
    let wanted = email.clone();
    let find = move |tx: &mut Tx<'_>| Account::by_email(tx, &wanted);
    let found = app.store.look_up(&meter, find).await?;
    let found = found.filter(|account| account.check_active().is_ok());
    let (now, nobody) = (app.clock.now(), OwnerId::from_bytes([0; 16]));
    let owner = found.as_ref().map_or(nobody, |account| account.owner_id);
    let employee = found.as_ref().and_then(Account::employee);
    let person: ActorId = employee.map_or_else(|| owner.into(), Into::into);
    let expires_at = now.plus(RESET_LIFETIME);
    let token = ResetToken::generate(&*app.ids, owner, person);
    let letter = Letter::PasswordReset { token: SecretText::from(token.expose()) };
    let mail = draft(app, (owner, person), email.as_str(), (&letter, language), (now, expires_at));
    let Some(mail) = mail else { return Ok(()) };
    let entry = audit::Entry {
        id: AuditId::new(&*app.ids, now),
        // The person who asked has not signed in.
        actor: caller_id(&Caller::Nobody),
        employee: None,
        action: ACTION,
        subject: person.known_as(owner),
        address,
    };
    let (email, hash) = (email.clone(), token.hash());
    let write = move |tx: &mut Tx<'_>| -> Result<(), Fault> {
        // Who was removed, or signs in with another address by now, gets none.
        let present = Account::find(tx, owner, employee)?;
        let is_there = present.is_some_and(|it| it.check_active().is_ok() && it.has_email(&email));
        let is_too_many = password_resets::count(tx, (owner, person), now)? >= RESETS_MAX;
        if !is_there || is_too_many {
            return Ok(());
        }
        password_resets::insert(tx, (owner, person), &hash, now, expires_at)?;
        mails::insert(tx, owner, &mail)?;
        audit::insert(tx, owner, &entry, now)
    };
    app.store.write(&meter, Lane::Admission, owner, write).await?;
    Ok(())
}
