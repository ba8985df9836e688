//! Who sends a request, and whether the table lets it in: the only way to an [`Act`].
//!
//! Every request looks up its key or session. On SQLite the store may answer from a cache, which is invalidated
//! before a change of what was read can be seen. So a rotation, a revocation or the end of a session holds at once
//! on every node. The time at which a key or a session ends by itself is compared with the present in every request.
//! Here only the locations of keys are cached.

mod key_locations;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use domain::access::{
    Caller, ClientCaller, EmployeeCaller, Entry, Guarded, KeyCaller, KeyStanding, Operation,
    OwnerCaller, Permit, Rule, check_active,
};
use domain::ids::{KeyId, OwnerId, SessionId};
use domain::keys::{KeyHash, KeyText};
use domain::refusal::{BadCredentials, Detail, Refusal};
use domain::secret::{SecretText, same};
use domain::session::Session;
use domain::session_cookie::SessionCookie;
use domain::time::Timestamp;
use store::fault::Fault;
use store::key_uses::Use;
use store::keys::Standing;
use store::locators::{Kind, Located};
use store::tx::Tx;
use store::{Meter, keys, locators, sessions};

pub use self::key_locations::KeyLocationCache;
use crate::session_tokens::SessionClaim;
use crate::{Act, App, Error, RequestContext, refusals};

/// What a request offers to be let in with.
#[derive(Clone, Debug)]
pub enum Credential {
    /// Nothing.
    None,
    /// Something of another form than the two that are understood.
    Malformed,
    /// Two that differ.
    Conflicting,
    /// A key or a session token.
    Bearer(SecretText),
    /// A key.
    AppKey(SecretText),
    /// The cookie of a browser's session.
    Cookie(SessionCookie),
}

/// Lets a request in: finds out who sends it and whether they are active, as [`identify`] does, and whether the table
/// of operations has them, as [`permit`] does.
///
/// # Errors
/// The refusal that the caller is to be told, or a failure of the store.
pub async fn admit<O: Operation>(
    app: &App,
    credential: Credential,
    request: Arc<RequestContext>,
) -> Result<Act<O>, Error> {
    let caller = identify::<O>(app, &credential, &request).await?;
    Ok(permit(&caller, request)?)
}

/// Finds out who sends a request, and whether they are active. A public operation looks at no credential at all.
///
/// # Errors
/// The refusal that the caller is to be told, or a failure of the store.
pub async fn identify<O: Operation>(
    app: &App,
    credential: &Credential,
    request: &RequestContext,
) -> Result<Caller, Error> {
    match O::RULE {
        Rule::Public | Rule::Hook => Ok(Caller::Nobody),
        _ => {
            let at = Use { at: request.received, from: request.address };
            authenticate(app, credential, &request.meter, at).await
        }
    }
}

/// Lets a caller in whom the table of operations has.
///
/// # Errors
/// The refusal that the caller is to be told.
pub fn permit<O: Operation>(
    caller: &Caller,
    request: Arc<RequestContext>,
) -> Result<Act<O>, Refusal> {
    let permit = Permit::check(caller, request.received)?;
    Ok(Act { permit, now: request.received, request })
}

/// Who calls now, for a request that was let in by `entry` before all of it was here.
///
/// # Errors
/// As [`admit`]: what let it in may have been taken away meanwhile.
pub async fn admit_again(
    app: &App,
    credential: Credential,
    request: &RequestContext,
    entry: Entry,
) -> Result<Caller, Error> {
    let now = app.clock.now();
    let at = Use { at: now, from: request.address };
    let caller = authenticate(app, &credential, &request.meter, at).await?;
    entry.check(&caller, now)?;
    Ok(caller)
}

/// Who calls, and notes the use of a key.
async fn authenticate(
    app: &App,
    credential: &Credential,
    meter: &Meter,
    seen: Use,
) -> Result<Caller, Error> {
    let now = seen.at;
    let token = match credential {
        Credential::None => return Ok(Caller::Nobody),
        Credential::Malformed => return Err(unauthorized(BadCredentials::Malformed)),
        Credential::Conflicting => return Err(unauthorized(BadCredentials::Different)),
        Credential::Cookie(cookie) => return Ok(by_cookie(app, meter, cookie, now).await?.0),
        Credential::Bearer(text) | Credential::AppKey(text) => text.expose(),
    };
    if let Some(key) = KeyText::parse(token) {
        let caller = by_key(app, meter, key.hash(), seen).await?;
        app.key_uses.note(caller.owner, caller.key, seen);
        return Ok(Caller::Key(caller));
    }
    // Whatever is no key may be a session, which comes as a bearer only.
    let claim = match credential {
        // What says that it is a key is a wrong one, and no signature is worth the work.
        Credential::Bearer(_) if !KeyText::is_meant(token) => app.sessions.check(token, now),
        _ => None,
    };
    match claim {
        Some(claim) => by_session(app, meter, claim, now).await,
        None => Err(unauthorized(BadCredentials::Unknown)),
    }
}

/// The key that goes by the text of this hash.
async fn by_key(app: &App, meter: &Meter, hash: KeyHash, seen: Use) -> Result<KeyCaller, Error> {
    let decide = |location: Located, standing: Standing| {
        let decided = key_caller(location, standing, seen.at);
        if matches!(decided, Err(Refusal::Unauthorized(_))) {
            // It was revoked, or is over.
            refusals::note_former_key(app, location, seen);
        }
        Ok(decided?)
    };
    // Where the text led when it was last used, if it still leads there.
    if let Some(location) = app.key_locations.get(hash) {
        if let Some(standing) = standing_at(app, meter, location, hash).await? {
            return decide(location, standing);
        }
        app.key_locations.remove(hash);
    }
    let text = hash.to_bytes();
    let find = move |tx: &mut Tx<'_>| locators::find(tx, Kind::ApiKey, &text);
    let unknown = || unauthorized(BadCredentials::Unknown);
    let location = app.store.look_up(meter, find).await?.ok_or_else(unknown)?;
    let Some(standing) = standing_at(app, meter, location, hash).await? else {
        refusals::note_former_key(app, location, seen);
        return Err(unknown());
    };
    app.key_locations.insert(hash, location);
    decide(location, standing)
}

/// What the key's own row says, if there is one and the key goes by the text of this hash.
async fn standing_at(
    app: &App,
    meter: &Meter,
    location: Located,
    hash: KeyHash,
) -> Result<Option<Standing>, Fault> {
    let standing = keys::standing(location.owner, KeyId::from_bytes(location.subject));
    let standing = app.store.look_up_auth(meter, standing).await?;
    Ok(standing.filter(|standing| goes_by(standing, hash)))
}

/// Whether that is the text of the key now. Its location may be stale: the row decides.
fn goes_by(standing: &Standing, hash: KeyHash) -> bool {
    same(&standing.hash.to_bytes(), &hash.to_bytes())
}

/// Looks in a transaction at whether somebody who was let in by `entry` would be at `now`. What gives a way in for
/// longer than a call asks this, under the lock that a rotation takes.
pub(crate) fn still_admitted(
    tx: &mut Tx<'_>,
    caller: &Caller,
    entry: Entry,
    now: Timestamp,
) -> Result<Result<(), Refusal>, Fault> {
    Ok(present(tx, caller, now)?.and_then(|present| entry.check(&present, now)))
}

/// Looks at whether whoever acts would still be let in: what goes on after it was let in, such as a stream, asks now and
/// then.
///
/// # Errors
/// A failure of the store.
pub async fn is_still_admitted<O: Guarded>(app: &App, act: &Act<O>) -> Result<bool, Error> {
    let (caller, now) = (act.caller().clone(), app.clock.now());
    let look = move |tx: &mut Tx<'_>| still_admitted(tx, &caller, O::ENTRY, now);
    Ok(app.store.look_up(act.meter(), look).await?.is_ok())
}

/// Looks in a transaction at whether somebody who was let in by `entry` is still who was let in: what a call decided by
/// its caller's reach before it wrote holds then. One whose reach has changed is asked to come again.
///
/// # Errors
/// A fault of the store.
pub(crate) fn unchanged(
    tx: &mut Tx<'_>,
    caller: &Caller,
    entry: Entry,
    now: Timestamp,
) -> Result<Result<(), Refusal>, Fault> {
    Ok(present(tx, caller, now)?.and_then(|present| {
        entry.check(&present, now)?;
        if present.has_reach_of(caller) { Ok(()) } else { Err(changed()) }
    }))
}

/// What a caller is told whose reach has changed since it was let in.
#[must_use]
pub fn changed() -> Refusal {
    let problem = (
        "llegó tarde, y lo que usted puede hacer cambió; mande la solicitud otra vez",
        "arrived late, and what the caller may do has changed; send the request again",
    );
    Refusal::BadRequest(vec![Detail::new("body", problem)])
}

/// Who somebody is now who was let in before.
///
/// # Errors
/// A fault of the store.
pub(crate) fn present(
    tx: &mut Tx<'_>,
    caller: &Caller,
    now: Timestamp,
) -> Result<Result<Caller, Refusal>, Fault> {
    Ok(match caller {
        Caller::Nobody => Ok(Caller::Nobody),
        Caller::Owner(OwnerCaller { owner, session, .. })
        | Caller::Employee(EmployeeCaller { owner, session, .. })
        | Caller::Client(ClientCaller { owner, session, .. }) => {
            session_caller((*owner, *session), sessions::find(*owner, *session).run(tx)?, now)
        }
        Caller::Key(key) => {
            let way = Located { owner: key.owner, subject: key.key.to_bytes() };
            let standing = keys::standing(key.owner, key.key).run(tx)?;
            match standing.filter(|standing| goes_by(standing, key.hash)) {
                Some(standing) => key_caller(way, standing, now).map(Caller::Key),
                None => Err(Refusal::Unauthorized(BadCredentials::Unknown)),
            }
        }
    })
}

/// Whether a key that was let in would be let in alike by what its row, its owner's and its client's say now. What
/// limits it has is decided where they are counted.
pub(crate) fn same_key(was: &KeyCaller, standing: Standing, now: Timestamp) -> bool {
    if !goes_by(&standing, was.hash) {
        return false;
    }
    let way = Located { owner: was.owner, subject: was.key.to_bytes() };
    let is = key_caller(way, standing, now);
    is.is_ok_and(|is| KeyCaller { has_monthly_limit: was.has_monthly_limit, ..is } == *was)
}

/// Who calls by the cookie of a browser's session, and that session.
///
/// # Errors
/// The refusal that the caller is to be told, or a failure of the store.
pub async fn by_cookie(
    app: &App,
    meter: &Meter,
    cookie: &SessionCookie,
    now: Timestamp,
) -> Result<(Caller, Session), Error> {
    let (owner, session) = (cookie.owner, cookie.session);
    let found = app.store.look_up_auth(meter, sessions::find(owner, session)).await?;
    let is_its_own = |found: &sessions::Standing| found.cookie == Some(cookie.hash());
    let found = found.filter(is_its_own);
    let unknown = || unauthorized(BadCredentials::Unknown);
    let session_row = found.as_ref().map(|found| found.session).ok_or_else(unknown)?;
    if !session_row.is_open(now) {
        // It was somebody's: nobody guesses by a session that has ended.
        return Err(unauthorized(BadCredentials::Missing));
    }
    Ok((session_caller((owner, session), found, now)?, session_row))
}

async fn by_session(
    app: &App,
    meter: &Meter,
    claim: SessionClaim,
    now: Timestamp,
) -> Result<Caller, Error> {
    let SessionClaim { owner, session } = claim;
    let found = app.store.look_up_auth(meter, sessions::find(owner, session)).await?;
    // What a browser signed in for is let in by its cookie alone.
    let found = found.filter(|found| found.cookie.is_none());
    Ok(session_caller((owner, session), found, now)?)
}

/// Decides about a key that goes by the text that was shown.
pub(crate) fn key_caller(
    way: Located,
    standing: Standing,
    now: Timestamp,
) -> Result<KeyCaller, Refusal> {
    let activity = KeyStanding {
        is_active: standing.is_active,
        revoked_at: standing.revoked_at,
        expires_at: standing.expires_at,
        owner_is_active: standing.owner_is_active,
        client_is_active: standing.client_is_active,
    };
    check_active(&activity, now)?;
    let own_limit = standing.client.is_none() && standing.monthly_credit_limit.is_some();
    Ok(KeyCaller {
        owner: way.owner,
        key: KeyId::from_bytes(way.subject),
        hash: standing.hash,
        client: standing.client,
        payments_enabled: standing.client_payments_enabled,
        selection: standing.selection,
        permissions: standing.permissions,
        is_default: standing.is_default,
        has_monthly_limit: own_limit,
        expires_at: standing.expires_at,
    })
}

/// Decides about a session: whose it is, and whether the owner, the employee and its client are active. One that is unknown or over
/// is answered alike.
pub(crate) fn session_caller(
    (owner, id): (OwnerId, SessionId),
    found: Option<sessions::Standing>,
    now: Timestamp,
) -> Result<Caller, Refusal> {
    let open = found.filter(|found| found.session.is_open(now));
    let found = open.ok_or(Refusal::Unauthorized(BadCredentials::Unknown))?;
    if !found.owner_is_active {
        return Err(Refusal::OwnerNotActive);
    }
    let proof = found.proof;
    let Some(employee) = found.employee else {
        return Ok(Caller::Owner(OwnerCaller { owner, session: id, proof }));
    };
    if !employee.is_active {
        return Err(Refusal::EmployeeNotActive);
    }
    match employee.client {
        None => Ok(Caller::Employee(EmployeeCaller {
            owner,
            session: id,
            employee: employee.id,
            rights: employee.rights,
            proof,
        })),
        Some(client) if !client.is_active => Err(Refusal::ClientNotActive),
        Some(client) => Ok(Caller::Client(ClientCaller {
            owner,
            session: id,
            employee: employee.id,
            client: client.id,
            payments_enabled: client.payments_enabled,
            proof,
        })),
    }
}

/// Who a caller is in logs and in the audit trail: the id of its key or session.
#[must_use]
pub fn name_of(caller: &Caller) -> String {
    match caller {
        Caller::Nobody => "nobody".to_owned(),
        Caller::Owner(caller) => caller.session.to_string(),
        Caller::Employee(caller) => caller.session.to_string(),
        Caller::Client(caller) => caller.session.to_string(),
        Caller::Key(caller) => caller.key.to_string(),
    }
}

fn unauthorized(reason: BadCredentials) -> Error {
    Refusal::Unauthorized(reason).into()
}
