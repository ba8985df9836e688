//! Giving somebody another address to sign in with, and letting go of one that nobody signs in with.

use domain::ids::{ActorId, EmployeeId, MailId, OwnerId};
use domain::language::Language;
use domain::mail::{Letter, TRIED_FOR};
use domain::refusal::Refusal;
use domain::text::EmailAddress;
use store::fault::WriteError;
use store::locators::{self, Kind, Located};
use store::mails::NewMail;
use store::tx::Tx;
use store::{Lane, Meter, employees, people};

use super::{AdminError, Operator, OwnerName, audit_entry, locate};
use crate::Error;
use crate::emails;
use crate::mails::seal;
use crate::outcome::as_answer;
use crate::people::Account;
use crate::people::email_hash;
use crate::sessions::email::{NewEmail, Wish, settled};

/// Somebody who signs in with another address.
#[derive(Clone, Debug)]
pub struct EmailSet {
    /// Whose affairs it is about.
    pub owner: OwnerId,
    /// The employee, where it is not the owner.
    pub employee: Option<EmployeeId>,
    /// The address.
    pub email: EmailAddress,
}

/// Gives an owner, or one of its people or its clients', another address to sign in with: a person who has lost the
/// former one, or has one that is another's. Its sessions end, and links that went to the former address open
/// nothing. Where the service sends mail, the former address is notified, unless the command lacks the master key.
///
/// # Errors
/// [`AdminError::NoSuchOwner`], [`AdminError::NoSuchPerson`], [`AdminError::AddressTaken`], and what the store fails
/// with.
pub async fn set_email(
    operator: &Operator<'_>,
    (name, employee): (&OwnerName, Option<EmployeeId>),
    email: EmailAddress,
) -> Result<EmailSet, AdminError> {
    let (owner, now, meter) = (locate(operator, name).await?, operator.now, Meter::default());
    let no_such = || match employee {
        Some(employee) => AdminError::NoSuchPerson(employee),
        None => AdminError::NoSuchOwner(name.clone()),
    };
    let find = move |tx: &mut Tx<'_>| Account::find(tx, owner, employee);
    let account = operator.store.look_up(&meter, find).await?.ok_or_else(no_such)?;
    let set = EmailSet { owner, employee, email: email.clone() };
    if account.has_email(&email) {
        return Ok(set);
    }
    let wanted = email.clone();
    let is_invited = move |tx: &mut Tx<'_>| employees::find_by_email(tx, owner, wanted.as_str());
    let invited = operator.store.look_up(&meter, is_invited).await?;
    if invited.is_some_and(|invited| Some(invited.id) != employee) {
        return Err(AdminError::Invited(email));
    }
    let to = Located { owner, subject: account.actor().to_bytes() };
    let claimed = emails::claim(operator.store, &meter, &email, to).await?;
    if claimed != to {
        return Err(taken(&email, &claimed));
    }
    let new = NewEmail {
        email: email.clone(),
        session: None,
        wish: Wish::Ends,
        mail: mail_by(operator, (owner, account.actor()), account.email(), &Letter::EmailChanged),
        entry: audit_entry(operator, "ChangeEmail", &account.name()),
        now,
    };
    let write =
        operator.store.write(&meter, Lane::Admission, owner, move |tx| {
            match Account::find(tx, owner, employee)? {
                Some(account) => as_answer(new.write(tx, &account)).map(Some),
                None => Ok(None),
            }
        });
    let written = match write.await {
        Ok(Some(written)) => written.map(Some).map_err(Error::from),
        Ok(None) => Ok(None),
        Err(error) => Err(error.into()),
    };
    let is_there = !matches!(written, Ok(None));
    let (whose, present) = ((owner, account.actor()), account.email());
    match settled(operator.store, &meter, whose, (present, &email), written).await {
        Ok(()) if is_there => Ok(set),
        Ok(()) => Err(no_such()),
        Err(Error::Refused(Refusal::EmailTaken)) => {
            Err(taken_meanwhile(operator, to, email).await?)
        }
        Err(Error::Unavailable(WriteError::Unknown)) => Err(AdminError::Unknown),
        Err(error) => Err(AdminError::Failed(error)),
    }
}

/// The mail about the operator's act, where the service sends mail and the command has what that is sealed with.
pub(super) fn mail_by(
    operator: &Operator<'_>,
    whose: (OwnerId, ActorId),
    email: &str,
    letter: &Letter,
) -> Option<NewMail> {
    let vault = operator.vault.filter(|_| operator.sends_mail)?;
    let (written, now) = ((letter, Language::default()), operator.now);
    let id = MailId::new(operator.ids, now);
    let (made, until) = ((operator.ids, vault, id), now.plus(TRIED_FOR));
    Some(seal(made, whose, email, written, (now, until)))
}

/// Lets an address go that leads to somebody who signs in with another, or to nobody: what was cut short leaves such.
/// Answers whether there was one.
///
/// # Errors
/// [`AdminError::AddressTaken`] where somebody signs in with it, and what the store fails with.
pub async fn free_email(operator: &Operator<'_>, email: &EmailAddress) -> Result<bool, AdminError> {
    let (meter, hash) = (Meter::default(), email_hash(email));
    let find = move |tx: &mut Tx<'_>| {
        let Some(located) = locators::find(tx, Kind::Email, &hash)? else { return Ok(None) };
        let whose = (located.owner, ActorId::from_bytes(located.subject));
        Ok(Some((located, people::find(tx, whose, None)?)))
    };
    let Some((located, person)) = operator.store.look_up(&meter, find).await? else {
        return Ok(false);
    };
    let employee = (located.subject != located.owner.to_bytes())
        .then(|| EmployeeId::from_bytes(located.subject));
    let signs_in = person.as_ref().is_some_and(|person| {
        let is_there = employee.is_none()
            || person.employee.as_ref().is_some_and(|employee| employee.removed_at.is_none());
        is_there && person.email() == email.as_str()
    });
    if signs_in {
        return Err(taken(email, &located));
    }
    let owner = located.owner;
    // Where nobody is, nobody has an audit trail.
    let entry = person.is_some().then(|| {
        let subject = employee.map_or_else(|| owner.to_string(), |employee| employee.to_string());
        (audit_entry(operator, "FreeEmail", &subject), operator.now)
    });
    let whose = (owner, ActorId::from_bytes(located.subject));
    if !emails::release(operator.store, &meter, whose, email, entry).await? {
        return Err(taken(email, &located));
    }
    Ok(true)
}

/// By whom an address was taken before it was written: by the person who signs in with it, or by an invitation.
async fn taken_meanwhile(
    operator: &Operator<'_>,
    to: Located,
    email: EmailAddress,
) -> Result<AdminError, AdminError> {
    let hash = email_hash(&email);
    let find = move |tx: &mut Tx<'_>| locators::find(tx, Kind::Email, &hash);
    let located = operator.store.look_up(&Meter::default(), find).await?;
    Ok(match located.filter(|located| *located != to) {
        Some(located) => taken(&email, &located),
        None => AdminError::Invited(email),
    })
}

fn taken(email: &EmailAddress, located: &Located) -> AdminError {
    let employee = (located.subject != located.owner.to_bytes())
        .then(|| EmployeeId::from_bytes(located.subject));
    AdminError::AddressTaken { email: email.clone(), owner: located.owner, employee }
}
