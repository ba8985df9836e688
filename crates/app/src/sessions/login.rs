//! The operation: `POST /auth/login`, and the sign-in of a browser, which gets a cookie instead of tokens.

use std::sync::Arc;

use domain::access::Login;
use domain::ids::{AuditId, SessionId};
use domain::refusal::{Refusal, SecondFactorRefusal};
use domain::secret::SecretText;
use domain::session::Session;
use domain::session_cookie::SessionCookie;
use domain::text::EmailAddress;
use sha2::{Digest, Sha256};
use store::fault::Fault;
use store::people::Asked;
use store::tx::Tx;
use store::{Lane, audit, sessions, sign_in_networks};

use super::{Opened, opened};
use crate::audit_entry::caller_id;
use crate::outcome::{Outcome, as_answer};
use crate::passwords::{PASSWORD_LEN_MAX, PasswordError, Verdict};
use crate::people::{Account, email_hash};
use crate::refusals::{NOT_ACTIVE, WRONG_CODE, WRONG_PASSWORD};
use crate::second_factor::{Check, Checked, Of};
use crate::sign_in_failures::{self, Target};
use crate::{Act, App, Error};

/// How often a password is checked that is changed while it is.
const TRIES_MAX: usize = 3;

/// Credentials of somebody who signs in.
#[derive(Clone, Debug)]
pub struct Credentials {
    /// The e-mail address, as it was typed.
    pub email: String,
    /// The password.
    pub password: SecretText,
    /// A code of the second factor, if it was sent.
    pub code: Option<SecretText>,
}

/// Opens a session that tokens go on with. Neither the answer nor the time it takes shows whether the account exists;
/// whether it has a second factor shows once the password is right.
///
/// # Errors
/// A refusal, the same for an unknown account and a wrong password; or a failure of the store.
pub async fn login(
    app: &App,
    act: &Act<Login>,
    credentials: &Credentials,
) -> Result<Opened, Error> {
    let NewSession { account, id, session, .. } = begin(app, act, credentials, By::Tokens).await?;
    opened(app, account, id, &session, act.now)
}

/// Opens a session that a browser goes on with, and answers its cookie, which is nowhere else. No token opens it.
///
/// # Errors
/// Those of [`login`].
pub async fn sign_in(
    app: &App,
    act: &Act<Login>,
    credentials: &Credentials,
) -> Result<SessionCookie, Error> {
    let begun = begin(app, act, credentials, By::Cookie).await?;
    begun.cookie.ok_or_else(|| Fault::broken("a browser's session has no cookie").into())
}

/// Means by which a session goes on: tokens, or a cookie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Tokens,
    Cookie,
}

/// A session that was opened.
struct NewSession {
    account: Account,
    id: SessionId,
    session: Session,
    cookie: Option<SessionCookie>,
}

async fn begin(
    app: &App,
    act: &Act<Login>,
    credentials: &Credentials,
    by: By,
) -> Result<NewSession, Error> {
    for _ in 0..TRIES_MAX {
        if let Some(begun) = try_once(app, act, credentials, by).await? {
            return Ok(begun);
        }
    }
    Err(Refusal::LoginFailed.into())
}

/// Answers nothing where the password or the second factor was changed while it was checked.
async fn try_once(
    app: &App,
    act: &Act<Login>,
    credentials: &Credentials,
    by: By,
) -> Result<Option<NewSession>, Error> {
    let email = &credentials.email;
    let target = Target::of(&app.vault, email, act.request.address);
    let asking = app.sign_in_failures.ask(&target);
    let asked = ask(app, act, email, &target).await?;
    let trial = asking.begin(&asked, app.clock.now());
    let trial = trial.map_err(|retry_after| Refusal::TooManyRequests { retry_after })?;
    let parsed = EmailAddress::parse(email).ok();
    let found = parsed.and_then(|email| Account::asked(asked, &email));
    let result = check_and_open(app, act, credentials, (found, &target), by).await;
    if matches!(&result, Err(Error::Refused(refusal)) if is_wrong(refusal)) {
        trial.was_wrong(app.clock.now());
        if let Err(error) = sign_in_failures::write(app, act.meter()).await {
            tracing::warn!(?error, "wrong passwords could not be counted in the store");
        }
    }
    result
}

/// Tells whether a refusal says that a password or a code was wrong.
#[must_use]
pub fn is_wrong(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::LoginFailed | Refusal::SecondFactor(SecondFactorRefusal::CodeWrong))
}

/// Whom the address leads to, and what was wrong before: the same statements for everybody and nobody.
async fn ask(app: &App, act: &Act<Login>, email: &str, target: &Target) -> Result<Asked, Error> {
    // What is no address leads nowhere by its hash either.
    let parsed = EmailAddress::parse(email);
    let hash = parsed.map_or_else(|_| Sha256::digest(email).into(), |email| email_hash(&email));
    let target = target.clone();
    Ok(app.store.look_up(act.meter(), move |tx| target.ask(tx, &hash)).await?)
}

async fn check_and_open(
    app: &App,
    act: &Act<Login>,
    Credentials { email, password, code }: &Credentials,
    (found, target): (Option<Account>, &Target),
    by: By,
) -> Result<Option<NewSession>, Error> {
    let hash = found.as_ref().and_then(Account::password_hash).map(ToOwned::to_owned);
    let fits = password.expose().len() <= PASSWORD_LEN_MAX;
    let password = if fits { password.clone() } else { SecretText::from("") };
    let verdict = app.passwords.verify(password.clone(), hash, lot(app, email)).await?;
    let Some(account) = found else { return Err(Refusal::LoginFailed.into()) };
    if verdict == Verdict::Wrong || !fits {
        let entry = refused(app, act, &account, WRONG_PASSWORD);
        app.refusals.note(account.owner_id, entry, act.now);
        return Err(Refusal::LoginFailed.into());
    }
    if let Err(refusal) = account.check_active() {
        // Who knows the password of somebody who was shut out, and goes on trying.
        app.refusals.note(account.owner_id, refused(app, act, &account, NOT_ACTIVE), act.now);
        return Err(refusal.into());
    }
    let whose = (account.owner_id, account.actor());
    let wrong = refused(app, act, &account, WRONG_CODE);
    let check = Check::of(app, act.meter(), whose, (Of::SignIns, code.as_ref()), wrong).await?;
    let renewed = match verdict {
        Verdict::RightAtFormerCost => renew(app, password).await?,
        Verdict::Right | Verdict::Wrong => None,
    };
    open(app, act, (account, target, by), check, renewed).await
}

/// Returns the audit entry for a sign-in that was refused.
fn refused(app: &App, act: &Act<Login>, account: &Account, action: &'static str) -> audit::Entry {
    audit::Entry {
        id: AuditId::new(&*app.ids, act.now),
        actor: caller_id(act.caller()),
        employee: None,
        action,
        subject: account.name(),
        address: act.request.address_shown(),
    }
}

/// By what an address is given one of the costs that are kept, if nobody has it. Keyed, since a person who
/// could compute it would know accounts by not fitting.
fn lot(app: &App, email: &str) -> u64 {
    let hash = app.vault.keyed_hash(EmailAddress::spelling(email).as_bytes());
    let (number, _) = hash.split_first_chunk().expect("a hash has 32 bytes");
    u64::from_be_bytes(*number)
}

/// The password's hash at the cost that holds now. Where too many wait, the next sign-in renews it.
async fn renew(app: &App, password: SecretText) -> Result<Option<String>, Error> {
    match app.passwords.hash(password, Arc::clone(&app.ids)).await {
        Ok(hash) => Ok(Some(hash)),
        Err(PasswordError::Crowded) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn open(
    app: &App,
    act: &Act<Login>,
    (account, target, by): (Account, &Target, By),
    check: Check,
    renewed: Option<String>,
) -> Result<Option<NewSession>, Error> {
    let (now, owner, employee) = (act.now, account.owner_id, account.employee());
    let checked_at = app.clock.now();
    let session_id = SessionId::new(&*app.ids, now);
    let session = Session::begin(now);
    let (person, network) = (account.actor(), target.network().map(ToOwned::to_owned));
    let former = account.password_hash().unwrap_or_default().to_owned();
    let noted = renewed.is_some().then(|| former.clone());
    let entry = audit::Entry {
        id: AuditId::new(&*app.ids, now),
        actor: session_id.to_string(),
        employee,
        action: "Login",
        subject: account.name(),
        address: act.request.address_shown(),
    };
    let cookie = (by == By::Cookie).then(|| SessionCookie::generate(owner, session_id, &*app.ids));
    let cookie_hash = cookie.as_ref().map(SessionCookie::hash);
    let write = move |tx: &mut Tx<'_>| -> Outcome<bool> {
        let Some(present) = Account::find(tx, owner, employee)? else { return Ok(false) };
        if present.password_hash() != Some(&former) {
            return Ok(false);
        }
        // Switched off while the password was checked, it gets no session that would outlast that.
        present.check_active()?;
        let is_proved = match check.take(tx, Of::SignIns, checked_at)? {
            Checked::NotAsked => false,
            Checked::Right => true,
            Checked::Refused(refusal) => return Err(refusal.into()),
            Checked::Changed => return Ok(false),
        };
        if let Some(hash) = &renewed {
            present.replace_password_hash(tx, &former, hash, now)?;
        }
        let address = entry.address.as_deref();
        sessions::insert(tx, (owner, employee), session_id, (&session, is_proved), address)?;
        if let Some(hash) = cookie_hash {
            sessions::set_cookie(tx, owner, session_id, hash)?;
        }
        if let Some(network) = &network {
            sign_in_networks::note(tx, (owner, person), network, now)?;
        }
        audit::insert(tx, owner, &entry, now)?;
        Ok(true)
    };
    let write = move |tx: &mut Tx<'_>| as_answer(write(tx));
    if !app.store.write(act.meter(), Lane::Admission, owner, write).await?? {
        return Ok(None);
    }
    if let Some(former) = noted {
        app.passwords.note_renewed(&former);
    }
    Ok(Some(NewSession { account, id: session_id, session, cookie }))
}
