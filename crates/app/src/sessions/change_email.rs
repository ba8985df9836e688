//! The operation: `PUT /auth/email`.

use domain::access::ChangeEmail;
use domain::email_change::{CHANGE_LIFETIME, CHANGES_A_DAY, EmailChangeToken};
use domain::ids::SessionId;
use domain::mail::Letter;
use domain::refusal::Refusal;
use domain::secret::{PersonalText, SecretText};
use domain::text::EmailAddress;
use store::email_changes::{self, EmailChange};
use store::tx::Tx;
use store::{audit, mails};

use super::email::{NewEmail, Wish, claim, settled, to_former_address};
use crate::audit_entry::audited;
use crate::mails::{LIMIT_WAIT, draft};
use crate::people::{Account, KnownPassword, known_password};
use crate::{Act, App, Error};

/// The outcome of the wish for another address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wished {
    /// It signs in from now on.
    Changed,
    /// The person who reads its mail confirms it first.
    Waits,
}

/// Changes what the caller signs in with, if it knows the password. Where the service sends mail, the new address
/// gets a link and is the person's once that was opened and confirmed; otherwise it is at once. A taken address shows
/// where it would become the person's, so that with mail nobody learns of one whose mail it does not read.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn change_email(
    app: &App,
    act: &Act<ChangeEmail>,
    email: EmailAddress,
    password: &SecretText,
) -> Result<Wished, Error> {
    // The table admits sessions and nobody else.
    let session = act.caller().session().ok_or(Refusal::OwnerSessionRequired)?;
    let person = (act.owner(), act.caller().employee());
    let known = known_password(app, act, ("password", password)).await?;
    if known.email == email.as_str() {
        let problem = ("es el correo actual", "is the present address");
        return Err(Refusal::invalid("email", problem).into());
    }
    if app.mail.is_some() {
        ask(app, act, session, (email, known)).await?;
        return Ok(Wished::Waits);
    }
    let find = move |tx: &mut Tx<'_>| Account::find(tx, person.0, person.1);
    let account = app.store.look_up(act.meter(), find).await?.ok_or(Refusal::ReachChanged)?;
    claim(app, act.meter(), &account, &email).await?;
    let present = known.email.clone();
    let new = NewEmail {
        email: email.clone(),
        session: Some(session),
        wish: Wish::Ends,
        mail: to_former_address(app, &account, act.request.language, act.now),
        entry: audited(app, act, account.name()),
        now: act.now,
    };
    let write = act.write_again(app, move |tx: &mut Tx<'_>| {
        let found = Account::find(tx, person.0, person.1)?;
        let found = found.filter(|it| it.password_hash() == Some(&known.hash));
        let account = found.ok_or(Refusal::ReachChanged)?;
        // The same write again: its answer was lost.
        if account.has_email(&new.email) {
            return Ok(None);
        }
        Ok(Some(new.write(tx, &account)?))
    });
    let (whose, written) = ((act.owner(), act.actor()), write.await);
    settled(&app.store, act.meter(), whose, (&present, &email), written).await?;
    Ok(Wished::Changed)
}

/// Sends the link, and notifies the present address of it.
async fn ask(
    app: &App,
    act: &Act<ChangeEmail>,
    session: SessionId,
    (email, known): (EmailAddress, KnownPassword),
) -> Result<(), Error> {
    let (whose, now) = ((act.owner(), act.actor()), app.clock.now());
    let expires_at = now.plus(CHANGE_LIFETIME);
    let token = EmailChangeToken::generate(&*app.ids, whose.0, whose.1);
    let employee = act.caller().employee();
    let find = move |tx: &mut Tx<'_>| match Account::find(tx, whose.0, employee)? {
        Some(account) => account.merchant(tx),
        None => Ok(String::new()),
    };
    let merchant = app.store.look_up(act.meter(), find).await?;
    let secret = SecretText::from(token.expose());
    let letter = Letter::EmailChange { merchant: merchant.clone(), token: secret };
    let language = act.request.language;
    let mail = draft(app, whose, email.as_str(), (&letter, language), (now, expires_at));
    let asked = (&Letter::EmailChangeAsked { merchant }, language);
    let to_former = draft(app, whose, &known.email, asked, (now, expires_at));
    let change =
        EmailChange { email: PersonalText::new(email.as_str().to_owned()), session, expires_at };
    let entry = audit::Entry {
        action: "RequestEmailChange",
        ..audited(app, act, whose.1.known_as(whose.0))
    };
    let token = token.hash();
    let write = act.write(app, move |tx: &mut Tx<'_>| {
        let account = Account::find(tx, whose.0, employee)?;
        if account.as_ref().and_then(Account::password_hash) != Some(&known.hash) {
            return Err(Refusal::ReachChanged.into());
        }
        // Of this person alone: nobody uses up those of another.
        let (asked, since) = ((entry.action, &*entry.subject), now.minus(domain::mail::DAY));
        if audit::count_done(tx, whose.0, asked, since, CHANGES_A_DAY)? >= CHANGES_A_DAY {
            return Err(Refusal::MailLimit { retry_after: LIMIT_WAIT }.into());
        }
        email_changes::replace(tx, whose, &token, &change, now)?;
        for mail in mail.iter().chain(&to_former) {
            mails::insert(tx, whose.0, mail)?;
        }
        audit::insert(tx, whose.0, &entry, now)?;
        Ok(())
    });
    write.await
}
