//! The operation: `POST /auth/login`.

use std::sync::Arc;

use domain::access::Login;
use domain::ids::{AuditId, SessionId};
use domain::refusal::Refusal;
use domain::secret::SecretText;
use domain::session::Session;
use domain::text::EmailAddress;
use store::tx::Tx;
use store::{Lane, audit, sessions};

use super::account::Account;
use super::{Opened, opened};
use crate::passwords::{PASSWORD_LEN_MAX, PasswordError, Verdict};
use crate::{Act, App, Error};

/// How often a password is checked that is changed while it is.
const TRIES_MAX: usize = 3;

/// Opens a session. Neither the answer nor the time it takes tells whether the account exists.
///
/// # Errors
/// A refusal, the same for an unknown account and a wrong password; or a failure of the store.
pub async fn login(
    app: &App,
    act: &Act<Login>,
    email: &str,
    password: SecretText,
) -> Result<Opened, Error> {
    for _ in 0..TRIES_MAX {
        if let Some(opened) = try_once(app, act, email, password.clone()).await? {
            return Ok(opened);
        }
    }
    Err(Refusal::LoginFailed.into())
}

/// Answers nothing where the password was changed while it was checked.
async fn try_once(
    app: &App,
    act: &Act<Login>,
    email: &str,
    password: SecretText,
) -> Result<Option<Opened>, Error> {
    let found = match EmailAddress::parse(email) {
        Ok(email) => find(app, act, &email).await?,
        Err(_) => None,
    };
    let hash = found.as_ref().and_then(Account::password_hash).map(ToOwned::to_owned);
    let fits = password.expose().len() <= PASSWORD_LEN_MAX;
    let password = if fits { password } else { SecretText::from("") };
    let verdict = app.passwords.verify(password.clone(), hash, lot(app, email)).await?;
    let is_right = verdict != Verdict::Wrong && fits;
    let Some(account) = found.filter(|_| is_right) else {
        return Err(Refusal::LoginFailed.into());
    };
    account.check_active()?;
    let renewed = match verdict {
        Verdict::RightAtFormerCost => renew(app, password).await?,
        Verdict::Right | Verdict::Wrong => None,
    };
    open(app, act, account, renewed).await
}

/// By what an address is given one of the costs that are kept, if nobody has it. Keyed, since whoever could
/// compute it would know accounts by not fitting.
fn lot(app: &App, email: &str) -> u64 {
    let hash = app.vault.keyed_hash(email.trim().to_ascii_lowercase().as_bytes());
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

async fn find(app: &App, act: &Act<Login>, email: &EmailAddress) -> Result<Option<Account>, Error> {
    let email = email.clone();
    let find = move |tx: &mut Tx<'_>| Account::by_email(tx, &email);
    Ok(app.store.look_up(act.meter(), find).await?)
}

async fn open(
    app: &App,
    act: &Act<Login>,
    account: Account,
    renewed: Option<String>,
) -> Result<Option<Opened>, Error> {
    let (now, owner, employee) = (act.now, account.owner_id, account.employee());
    let session_id = SessionId::new(&*app.ids, now);
    let session = Session::begin(now);
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
    let opened = opened(app, account, session_id, &session, now)?;
    let write = app.store.write(act.meter(), Lane::Admission, owner, move |tx| {
        let Some(present) = Account::find(tx, owner, employee)? else { return Ok(Ok(false)) };
        if present.password_hash() != Some(&former) {
            return Ok(Ok(false));
        }
        // Switched off while the password was checked, it gets no session that would outlast that.
        if let Err(refusal) = present.check_active() {
            return Ok(Err(refusal));
        }
        if let Some(hash) = &renewed {
            present.replace_password_hash(tx, &former, hash, now)?;
        }
        let address = entry.address.as_deref();
        sessions::insert(tx, (owner, employee), session_id, &session, address)?;
        audit::insert(tx, owner, &entry, now)?;
        Ok(Ok(true))
    });
    if !write.await?? {
        return Ok(None);
    }
    if let Some(former) = noted {
        app.passwords.note_renewed(&former);
    }
    Ok(Some(opened))
}
