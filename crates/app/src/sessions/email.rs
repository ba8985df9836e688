//! The address that somebody signs in with becomes another: what every way to it has in common.

use domain::ids::{ActorId, OwnerId, SessionId};
use domain::language::Language;
use domain::mail::{Letter, TRIED_FOR};
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use domain::time::Timestamp;
use store::locators::Located;
use store::mails::NewMail;
use store::tx::Tx;
use store::{Meter, Store, audit, email_changes, employees, mails, password_resets, sessions};

use crate::changes::{SignsInWith, changed};
use crate::mails::draft;
use crate::outcome::Outcome;
use crate::people::Account;
use crate::{App, Error, emails};

/// Outcome of the wish for an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// It is over.
    Ends,
    /// It came true, and stays until its link is over: who opens that again is answered alike.
    CameTrue,
}

/// Another address for somebody, as one transaction writes it.
#[derive(Clone)]
pub(crate) struct NewEmail {
    pub(crate) email: EmailAddress,
    /// The session that goes on.
    pub(crate) session: Option<SessionId>,
    /// What happens to a wish that the person had.
    pub(crate) wish: Wish,
    /// The mail to the former address.
    pub(crate) mail: Option<NewMail>,
    pub(crate) entry: audit::Entry,
    pub(crate) now: Timestamp,
}

/// Claims the address for somebody: before the row that has it is written.
///
/// # Errors
/// A conflict where somebody else signs in with it, or a failure of the store.
pub(crate) async fn claim(
    app: &App,
    meter: &Meter,
    account: &Account,
    email: &EmailAddress,
) -> Result<(), Error> {
    let (owner, wanted) = (account.owner_id, email.clone());
    let is_invited = move |tx: &mut Tx<'_>| employees::find_by_email(tx, owner, wanted.as_str());
    let invited = app.store.look_up(meter, is_invited).await?;
    // A person invited by it within the same merchant has not claimed it yet, and must be able to.
    if invited.is_some_and(|invited| Some(invited.id) != account.employee()) {
        return Err(Refusal::EmailTaken.into());
    }
    let to = Located { owner, subject: account.actor().to_bytes() };
    let claimed = emails::claim(&app.store, meter, email, to).await?;
    if claimed == to { Ok(()) } else { Err(Refusal::EmailTaken.into()) }
}

/// The mail to the former address.
pub(crate) fn to_former_address(
    app: &App,
    account: &Account,
    language: Language,
    now: Timestamp,
) -> Option<NewMail> {
    let written = (&Letter::EmailChanged, language);
    let whose = (account.owner_id, account.actor());
    draft(app, whose, account.email(), written, (now, now.plus(TRIED_FOR)))
}

/// Settles whose the claims are once the write of a change has ended, in any way, which answers the address that it
/// has replaced, if any.
///
/// # Errors
/// The write's own.
pub(crate) async fn settled(
    store: &Store,
    meter: &Meter,
    whose: (OwnerId, ActorId),
    (present, new): (&str, &EmailAddress),
    written: Result<Option<String>, Error>,
) -> Result<(), Error> {
    let former = written.as_ref().ok().and_then(|former| former.as_deref()).unwrap_or(present);
    let mut addresses = vec![new.clone()];
    addresses.extend(EmailAddress::parse(former));
    emails::settle(store, meter, whose, &addresses).await;
    written.map(drop)
}

impl NewEmail {
    /// Writes it: the person's other sessions end, and links that went to the former address open nothing. Answers
    /// that one.
    ///
    /// # Errors
    /// A conflict where somebody else has the address by now, that its claim was let go of, or a fault of the store.
    pub(crate) fn write(&self, tx: &mut Tx<'_>, account: &Account) -> Outcome<String> {
        let Self { email, session, wish, mail, entry, now } = self;
        let (owner, employee) = (account.owner_id, account.employee());
        // Invited meanwhile.
        let invited = employees::find_by_email(tx, owner, email.as_str())?;
        if invited.is_some_and(|invited| Some(invited.id) != employee) {
            return Err(Refusal::EmailTaken.into());
        }
        let to = Located { owner, subject: account.actor().to_bytes() };
        emails::check_claim(tx, email, to)?;
        account.set_email(tx, email, *now)?;
        if *wish == Wish::Ends {
            email_changes::remove(tx, (owner, account.actor()))?;
        }
        password_resets::remove(tx, (owner, account.actor()))?;
        match session {
            Some(session) => sessions::end_others(tx, (owner, employee), *session, *now)?,
            None => sessions::end_of_person(tx, (owner, employee), *now)?,
        }
        if let Some(mail) = mail {
            mails::insert(tx, owner, mail)?;
        }
        let change = changed(&SignsInWith(account.email()), &SignsInWith(email.as_str()));
        audit::insert_change(tx, owner, entry, &change, *now)?;
        Ok(account.email().to_owned())
    }
}
