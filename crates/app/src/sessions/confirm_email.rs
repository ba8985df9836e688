//! The operations `POST /auth/email/confirm` and of the page `/email-change/{token}`: another address, by the reader
//! of its mail.

use domain::access::Operation;
use domain::email_change::EmailChangeToken;
use domain::ids::{ActorId, AuditId, OwnerId};
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::email_changes;
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, audit, sessions};

use super::email::{NewEmail, Wish, claim, settled, to_former_address};
use crate::outcome::{Outcome, as_answer};
use crate::people::Account;
use crate::{Act, App, Error};

/// Name of the action in the audit trail, by whichever way the request came.
const ACTION: &str = "ChangeEmail";

/// Facts that a link for another address shows to the person who has it.
#[derive(Clone, Debug)]
pub struct WantedEmail {
    /// The address that the person will sign in with.
    pub email: String,
    /// The merchant whose affairs the account is about; empty where it has no name.
    pub merchant: String,
}

/// Shows which address somebody will sign in with who has a link that is good.
///
/// # Errors
/// One refusal for every link that is not, or a failure of the store.
pub async fn look_at_email<O: Operation>(
    app: &App,
    act: &Act<O>,
    token: &EmailChangeToken,
) -> Result<WantedEmail, Error> {
    let (account, wanted) = find(app, act, token).await?;
    let email = wanted.email.as_str().to_owned();
    let merchant = app.store.look_up(act.meter(), move |tx| account.merchant(tx)).await?;
    Ok(WantedEmail { email, merchant })
}

/// Changes what a person signs in with, by the link that the new address got. A link works once; while it is the
/// person's address, the same link is answered alike. The person's other sessions end, and its former address is
/// notified.
///
/// # Errors
/// One refusal for every link that never was, was used or is over; a conflict where somebody signs in with the
/// address by now; a failure of the store.
pub async fn confirm_email<O: Operation>(
    app: &App,
    act: &Act<O>,
    token: &EmailChangeToken,
) -> Result<(), Error> {
    let (account, wanted) = find(app, act, token).await?;
    let email = EmailAddress::parse(wanted.email.as_str())
        .map_err(|_| Fault::broken("an address to sign in with is none"))?;
    if account.has_email(&email) {
        return Ok(());
    }
    claim(app, act.meter(), &account, &email).await?;
    let (whose, employee) = ((token.owner(), token.person()), account.employee());
    let (hash, now) = (token.hash(), app.clock.now());
    let present = account.email().to_owned();
    let new = NewEmail {
        email: email.clone(),
        session: Some(wanted.session),
        wish: Wish::CameTrue,
        mail: to_former_address(app, &account, act.request.language, now),
        entry: audit::Entry {
            id: AuditId::new(&*app.ids, now),
            actor: account.name(),
            employee,
            action: ACTION,
            subject: account.name(),
            address: act.request.address_shown(),
        },
        now,
    };
    let write = move |tx: &mut Tx<'_>| -> Outcome<Option<String>> {
        let account = Account::find(tx, whose.0, employee)?;
        let account = account.ok_or(Refusal::EmailChangeInvalid)?;
        let wanted = wish(tx, whose, &account, (&hash, now))?;
        let wanted = wanted.filter(|_| account.check_active().is_ok());
        let wanted = wanted.ok_or(Refusal::EmailChangeInvalid)?;
        // Another wish came in between, by the same link it cannot.
        if wanted.email.as_str() != new.email.as_str() {
            return Err(Refusal::EmailChangeInvalid.into());
        }
        // The same link at once: it came true.
        if account.has_email(&new.email) {
            return Ok(None);
        }
        Ok(Some(new.write(tx, &account)?))
    };
    let write = move |tx: &mut Tx<'_>| as_answer(write(tx));
    let written = app.store.write(act.meter(), Lane::Admission, whose.0, write).await;
    let written = written.map_err(Error::from).and_then(|written| Ok(written?));
    settled(&app.store, act.meter(), whose, (&present, &email), written).await
}

/// Finds the account whose address a link changes, and the change.
async fn find<O: Operation>(
    app: &App,
    act: &Act<O>,
    token: &EmailChangeToken,
) -> Result<(Account, email_changes::EmailChange), Error> {
    let (whose, hash, now) = ((token.owner(), token.person()), token.hash(), app.clock.now());
    let find = move |tx: &mut Tx<'_>| {
        let Some(account) = Account::find(tx, whose.0, whose.1.employee())? else {
            return Ok(None);
        };
        Ok(wish(tx, whose, &account, (&hash, now))?.map(|wanted| (account, wanted)))
    };
    let found = app.store.look_up(act.meter(), find).await?;
    let found = found.filter(|(account, _)| account.check_active().is_ok());
    Ok(found.ok_or(Refusal::EmailChangeInvalid)?)
}

/// Returns the change that the person wants by that link, while the session is open in which it was asked for. A person
/// who was signed out, or thrown out, gets no other address.
fn wish(
    tx: &mut Tx<'_>,
    whose: (OwnerId, ActorId),
    account: &Account,
    (hash, now): (&[u8; 32], Timestamp),
) -> Result<Option<email_changes::EmailChange>, Fault> {
    let Some(wanted) = email_changes::find(tx, whose, hash, now)? else { return Ok(None) };
    // It came true, and a person who opens the link again is answered so.
    if account.email() == wanted.email.as_str() {
        return Ok(Some(wanted));
    }
    let standing = sessions::find(whose.0, wanted.session).run(tx)?;
    let is_open = standing.is_some_and(|standing| standing.session.is_open(now));
    Ok(is_open.then_some(wanted))
}
