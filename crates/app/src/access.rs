//! Who sends a request, and whether the table admits it: the only way to an [`Act`].
//!
//! Every request looks up its key or session. On SQLite the store may answer from a cache, which is invalidated
//! before a change of what was read can be seen. So a rotation, a revocation or the end of a session holds at once
//! on every node. The time at which a key or a session ends by itself is compared with the present in every request.
//! Here only the locations of keys are cached.

mod key_locations;

use std::sync::Arc;

use domain::access::{Caller, Entry, Guarded, KeyCaller, Operation, Permit, Rule};
use domain::ids::KeyId;
use domain::keys::{KeyHash, KeyText};
use domain::refusal::{BadCredentials, Refusal};
use domain::secret::SecretText;
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
use crate::outcome::as_answer;
use crate::present::{goes_by, key_caller, session_caller, still_admitted};
use crate::session_tokens::SessionClaim;
use crate::{Act, App, Error, RequestContext, refusals};

/// Credential that a request offers for authentication.
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

/// Admits a request: finds out who sends it and whether they are active, as [`identify`] does, and whether the table
/// of operations has them, as [`permit`] does.
///
/// # Errors
/// The refusal that the caller is to receive, or a failure of the store.
pub async fn admit<O: Operation>(
    app: &App,
    credential: Credential,
    request: Arc<RequestContext>,
) -> Result<Act<O>, Error> {
    let caller = identify(app, O::RULE, &credential, &request).await?;
    Ok(permit(&caller, request)?)
}

/// Finds out who sends a request for an operation of that rule, and whether they are active. A public one looks at no
/// credential at all.
///
/// # Errors
/// The refusal that the caller is to receive, or a failure of the store.
pub async fn identify(
    app: &App,
    rule: Rule,
    credential: &Credential,
    request: &RequestContext,
) -> Result<Caller, Error> {
    match rule {
        Rule::Public | Rule::Hook => Ok(Caller::Nobody),
        _ => {
            let at = Use { at: request.received, from: request.address };
            authenticate(app, credential, &request.meter, at).await
        }
    }
}

/// Admits a caller whom the table of operations has.
///
/// # Errors
/// The refusal that the caller is to receive.
pub fn permit<O: Operation>(
    caller: &Caller,
    request: Arc<RequestContext>,
) -> Result<Act<O>, Refusal> {
    let permit = Permit::check(caller, request.received)?;
    Ok(Act { permit, now: request.received, request })
}

/// Admits a caller to the page of an operation's form, which asks for a proof only when it is sent.
///
/// # Errors
/// The refusal that the caller is to receive.
pub fn permit_view<O: Operation>(
    caller: &Caller,
    request: Arc<RequestContext>,
) -> Result<Act<O>, Refusal> {
    let permit = Permit::check_view(caller, request.received)?;
    Ok(Act { permit, now: request.received, request })
}

/// Admits anew a request that was admitted by `entry`, as that caller, before all of it was here: where the caller may
/// do something else by now, it goes on as the caller that it is now.
///
/// # Errors
/// As [`admit`]: what it was admitted by may have been taken away meanwhile.
pub async fn admit_again(
    app: &App,
    credential: Credential,
    request: &RequestContext,
    (was, entry): (&Caller, Entry),
) -> Result<(), Error> {
    let now = app.clock.now();
    let at = Use { at: now, from: request.address };
    let caller = authenticate(app, &credential, &request.meter, at).await?;
    entry.check(&caller, now)?;
    if !caller.has_reach_of(was) {
        // A request is read once, and so comes here once.
        let _ = request.readmitted.set(caller);
    }
    Ok(())
}

/// Identifies the caller, and notes the use of a key.
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
    // What is no key may be a session, which comes as a bearer only.
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

/// The key that has the text of this hash.
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

/// Reads the key's own row; `None` where there is none, or where the key's text has another hash.
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

/// Looks at whether the caller who acts would still be admitted: what goes on after it was admitted, such as a
/// stream, asks now and then.
///
/// # Errors
/// A failure of the store.
pub async fn is_still_admitted<O: Guarded>(app: &App, act: &Act<O>) -> Result<bool, Error> {
    let (caller, now) = (act.caller().clone(), app.clock.now());
    let look = move |tx: &mut Tx<'_>| as_answer(still_admitted(tx, &caller, O::ENTRY, now));
    Ok(app.store.look_up(act.meter(), look).await?.is_ok())
}

/// Identifies the caller by the cookie of a browser's session; returns it with that session.
///
/// # Errors
/// The refusal that the caller is to receive, or a failure of the store.
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
    // What a browser signed in for is admitted by its cookie alone.
    let found = found.filter(|found| found.cookie.is_none());
    Ok(session_caller((owner, session), found, now)?)
}

fn unauthorized(reason: BadCredentials) -> Error {
    Refusal::Unauthorized(reason).into()
}
