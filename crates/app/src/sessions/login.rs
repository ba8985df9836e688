//! The operation: `POST /auth/login`.

use std::sync::Arc;

use domain::access::Login;
use domain::ids::{AuditId, OwnerId, SessionId};
use domain::refusal::Refusal;
use domain::secret::SecretText;
use domain::session::Session;
use domain::text::EmailAddress;
use sha2::{Digest, Sha256};
use store::locators::Kind;
use store::owners::Owner;
use store::{Lane, audit, locators, owners, sessions};

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
    let hash = found.as_ref().map(|(_, owner)| owner.password_hash.clone());
    let fits = password.expose().len() <= PASSWORD_LEN_MAX;
    let password = if fits { password } else { SecretText::from("") };
    let verdict = app.passwords.verify(password.clone(), hash, lot(app, email)).await?;
    let is_right = verdict != Verdict::Wrong && fits;
    let Some((id, owner)) = found.filter(|_| is_right) else {
        return Err(Refusal::LoginFailed.into());
    };
    if !owner.is_active {
        return Err(Refusal::OwnerNotActive.into());
    }
    let renewed = match verdict {
        Verdict::RightAtFormerCost => renew(app, password).await?,
        Verdict::Right | Verdict::Wrong => None,
    };
    open(app, act, id, owner, renewed).await
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

/// The hash by which an address leads to its owner.
fn email_hash(email: &EmailAddress) -> [u8; 32] {
    Sha256::digest(email.as_str()).into()
}

async fn find(
    app: &App,
    act: &Act<Login>,
    email: &EmailAddress,
) -> Result<Option<(OwnerId, Owner)>, Error> {
    let (hash, email) = (email_hash(email), email.clone());
    let found = app
        .store
        .look_up(act.meter(), move |tx| {
            let located = locators::find(tx, Kind::Email, &hash)?;
            let Some(located) = located else { return Ok(None) };
            let owner = owners::find(tx, located.owner)?;
            // A locator only routes; the owner's own row decides whose address it is.
            let owner = owner.filter(|owner| owner.email == email.as_str());
            Ok(owner.map(|owner| (located.owner, owner)))
        })
        .await?;
    Ok(found)
}

async fn open(
    app: &App,
    act: &Act<Login>,
    id: OwnerId,
    owner: Owner,
    renewed: Option<String>,
) -> Result<Option<Opened>, Error> {
    let now = act.now;
    let session_id = SessionId::new(&*app.ids, now);
    let session = Session::begin(now);
    let former = owner.password_hash.clone();
    let noted = renewed.is_some().then(|| former.clone());
    let opened = opened(app, id, owner, session_id, &session, now)?;
    let entry = audit::Entry {
        id: AuditId::new(&*app.ids, now),
        actor: session_id.to_string(),
        action: "Login",
        subject: id.to_string(),
        address: act.request.address_shown(),
    };
    let write = app.store.write(act.meter(), Lane::Admission, id, move |tx| {
        let present = owners::find(tx, id)?.map(|owner| owner.password_hash);
        if present.as_ref() != Some(&former) {
            return Ok(false);
        }
        if let Some(hash) = &renewed {
            owners::renew_password_hash(tx, id, &former, hash, now)?;
        }
        sessions::insert(tx, id, session_id, &session, entry.address.as_deref())?;
        audit::insert(tx, id, &entry, now)?;
        Ok(true)
    });
    if !write.await? {
        return Ok(None);
    }
    if let Some(former) = noted {
        app.passwords.note_renewed(&former);
    }
    Ok(Some(opened))
}
