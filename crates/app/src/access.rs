//! Who sends a request, and whether the table lets it in: the only way to an [`Act`].
//!
//! The store is asked for keys and sessions in every request, and what it remembers of the answers on
//! SQLite is forgotten before a change of what it was read from can be seen. So a rotation, a revocation or the
//! end of a session holds at once on every node; here only the way to a key's row is remembered.

mod ways;

use std::sync::Arc;

use domain::access::{
    Caller, Guarded, KeyCaller, KeyStanding, Operation, OwnerCaller, Permit, Rule, check_active,
};
use domain::ids::{KeyId, OwnerId};
use domain::keys::{KeyHash, KeyText};
use domain::refusal::{BadCredentials, Refusal};
use domain::secret::{SecretText, same};
use domain::session::Session;
use domain::time::Timestamp;
use store::fault::Fault;
use store::keys::Standing;
use store::locators::{Kind, Located};
use store::question::{Both, Question};
use store::tx::Tx;
use store::{Meter, keys, locators, sessions};

pub use self::ways::Ways;
use crate::session_tokens::SessionClaim;
use crate::{Act, App, Error, RequestContext};

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
}

/// An operation that shows what one question about its caller's owner tells. It is asked together with
/// who calls.
pub trait Look: Guarded {
    /// What it finds.
    type Seen: Send + 'static;

    /// The question, which is asked whether or not the caller is let in.
    fn look(owner: OwnerId) -> Question<Self::Seen>;
}

/// What an operation asks about its caller's owner.
type Looking<T> = fn(OwnerId) -> Question<T>;

/// Lets a request in: finds out who sends it, whether they are active, and whether the table of
/// operations has them. A public operation looks at no credential at all.
///
/// # Errors
/// The refusal that the caller is to be told, or a failure of the store.
pub async fn admit<O: Operation>(
    app: &App,
    credential: Credential,
    request: Arc<RequestContext>,
) -> Result<Act<O>, Error> {
    let nothing: Looking<()> = |_| Question::nothing();
    let caller = match O::RULE {
        Rule::Public | Rule::Hook => Caller::Nobody,
        _ => authenticate(app, &credential, (&request.meter, request.received), nothing).await?.0,
    };
    let permit = Permit::check(&caller)?;
    Ok(Act { permit, now: request.received, request })
}

/// Who calls now, for a request that was let in by `rule` before all of it was here.
///
/// # Errors
/// As [`admit`]: what let it in may have been taken away meanwhile.
pub async fn admit_again(
    app: &App,
    credential: Credential,
    meter: &Meter,
    rule: Rule,
) -> Result<Caller, Error> {
    let nothing: Looking<()> = |_| Question::nothing();
    let (caller, _) = authenticate(app, &credential, (meter, app.clock.now()), nothing).await?;
    rule.check(&caller)?;
    Ok(caller)
}

/// Lets a request in as [`admit`] does, and answers what its operation looks at.
///
/// # Errors
/// As [`admit`].
pub async fn admit_to_look<O: Look>(
    app: &App,
    credential: Credential,
    request: Arc<RequestContext>,
) -> Result<(Act<O>, O::Seen), Error> {
    let at = (&*request.meter, request.received);
    let (caller, seen) = authenticate(app, &credential, at, O::look).await?;
    // Whoever may not is not told what was seen.
    let permit = Permit::check(&caller)?;
    let seen = seen.ok_or_else(|| Fault::broken("nobody was let in to look"))?;
    Ok((Act { permit, now: request.received, request }, seen))
}

/// Who calls, and what was seen of their owner; nothing where nobody in particular calls.
async fn authenticate<T: Send + 'static>(
    app: &App,
    credential: &Credential,
    (meter, now): (&Meter, Timestamp),
    look: Looking<T>,
) -> Result<(Caller, Option<T>), Error> {
    let token = match credential {
        Credential::None => return Ok((Caller::Nobody, None)),
        Credential::Malformed => return Err(unauthorized(BadCredentials::Malformed)),
        Credential::Conflicting => return Err(unauthorized(BadCredentials::Different)),
        Credential::Bearer(text) | Credential::AppKey(text) => text.expose(),
    };
    if let Some(key) = KeyText::parse(token) {
        let (caller, seen) = by_key(app, meter, Shown { hash: key.hash(), now, look }).await?;
        return Ok((Caller::Key(caller), Some(seen)));
    }
    // Whatever is no key may be a session, which comes as a bearer only.
    let claim = match credential {
        // What says that it is a key is a wrong one, and no signature is worth the work.
        Credential::Bearer(_) if !KeyText::is_meant(token) => app.sessions.check(token, now),
        _ => None,
    };
    match claim {
        Some(claim) => {
            let (caller, seen) = by_session(app, meter, claim, now, look).await?;
            Ok((Caller::Owner(caller), Some(seen)))
        }
        None => Err(unauthorized(BadCredentials::Unknown)),
    }
}

/// A key's text that somebody shows, by its hash, and what is to be looked at for it.
struct Shown<T> {
    hash: KeyHash,
    now: Timestamp,
    look: Looking<T>,
}

/// Who a text led to, with what was seen, or why they are not let in.
type Found<T> = Result<(KeyCaller, T), Refusal>;

async fn by_key<T: Send + 'static>(
    app: &App,
    meter: &Meter,
    shown: Shown<T>,
) -> Result<(KeyCaller, T), Error> {
    let found = match by_known_way(app, meter, &shown).await? {
        Some(found) => Some(found),
        None => by_locator(app, meter, &shown).await?,
    };
    Ok(found.ok_or_else(|| unauthorized(BadCredentials::Unknown))??)
}

/// The key that the text led to when it was last used, if it still does.
async fn by_known_way<T: Send + 'static>(
    app: &App,
    meter: &Meter,
    shown: &Shown<T>,
) -> Result<Option<Found<T>>, Error> {
    let Some(way) = app.ways.find(shown.hash) else { return Ok(None) };
    let both = at_the_end(way, shown.look);
    let (standing, seen) = app.store.ask(meter, both).await?;
    let found = shown.decide(way, standing, seen);
    if found.is_none() {
        app.ways.forget(shown.hash);
    }
    Ok(found)
}

/// The key that the text's locator leads to.
async fn by_locator<T: Send + 'static>(
    app: &App,
    meter: &Meter,
    shown: &Shown<T>,
) -> Result<Option<Found<T>>, Error> {
    let (hash, look) = (shown.hash.to_bytes(), shown.look);
    let find = move |tx: &mut Tx<'_>| match locators::find(tx, Kind::ApiKey, &hash)? {
        Some(way) => Ok(Some((way, at_the_end(way, look).ask(tx)?))),
        None => Ok(None),
    };
    let Some((way, (standing, seen))) = app.store.look_up(meter, find).await? else {
        return Ok(None);
    };
    let found = shown.decide(way, standing, seen);
    if found.is_some() {
        app.ways.keep(shown.hash, way);
    }
    Ok(found)
}

/// The questions for the key at the end of a way, and for what is looked at beside it.
fn at_the_end<T>(way: Located, look: Looking<T>) -> Both<Option<Standing>, T> {
    Both(keys::standing(way.owner, KeyId::from_bytes(way.subject)), look(way.owner))
}

impl<T> Shown<T> {
    /// What is found at the end of a way: nothing, unless the key there goes by that text.
    fn decide(&self, way: Located, standing: Option<Standing>, seen: T) -> Option<Found<T>> {
        let standing = standing.filter(|standing| goes_by(standing, self.hash))?;
        // Whoever is not let in is not told what was seen.
        Some(key_caller(way, standing, self.now).map(|caller| (caller, seen)))
    }
}

/// Whether that is the text of the key now. The way to it may be stale: the row decides.
fn goes_by(standing: &Standing, hash: KeyHash) -> bool {
    same(&standing.hash.to_bytes(), &hash.to_bytes())
}

/// Looks in a transaction at whether somebody who was let in by `rule` would be at `now`. What gives a way in for
/// longer than a call asks this, under the lock that a rotation takes.
pub(crate) fn still_admitted(
    tx: &mut Tx<'_>,
    caller: &Caller,
    rule: Rule,
    now: Timestamp,
) -> Result<Result<(), Refusal>, Fault> {
    Ok(present(tx, caller, now)?.and_then(|present| rule.check(&present)))
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
        Caller::Owner(OwnerCaller { owner, session }) => {
            let found = sessions::find(*owner, *session).ask(tx)?;
            check_session(found, now).map(|()| caller.clone())
        }
        Caller::Key(key) => {
            let way = Located { owner: key.owner, subject: key.key.to_bytes() };
            let standing = keys::standing(key.owner, key.key).ask(tx)?;
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

async fn by_session<T: Send + 'static>(
    app: &App,
    meter: &Meter,
    claim: SessionClaim,
    now: Timestamp,
    look: Looking<T>,
) -> Result<(OwnerCaller, T), Error> {
    let SessionClaim { owner, session } = claim;
    let both = Both(sessions::find(owner, session), look(owner));
    let (found, seen) = app.store.ask(meter, both).await?;
    check_session(found, now)?;
    Ok((OwnerCaller { owner, session }, seen))
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
    })
}

/// Decides about a session and its owner's activity. One that is unknown or over is answered alike.
pub(crate) fn check_session(found: Option<(Session, bool)>, now: Timestamp) -> Result<(), Refusal> {
    match found.filter(|(session, _)| session.is_open(now)) {
        None => Err(Refusal::Unauthorized(BadCredentials::Unknown)),
        Some((_, false)) => Err(Refusal::OwnerNotActive),
        Some((_, true)) => Ok(()),
    }
}

/// Who a caller is in logs and in the audit trail: the id of its key or session.
#[must_use]
pub fn name_of(caller: &Caller) -> String {
    match caller {
        Caller::Nobody => "nobody".to_owned(),
        Caller::Owner(caller) => caller.session.to_string(),
        Caller::Key(caller) => caller.key.to_string(),
    }
}

fn unauthorized(reason: BadCredentials) -> Error {
    Refusal::Unauthorized(reason).into()
}

#[cfg(test)]
mod tests {
    use domain::ids::ClientId;
    use domain::permissions::Permissions;

    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_000_000);
    const LATER: Timestamp = Timestamp::from_micros(1_000_001);
    const HASH: KeyHash = KeyHash::from_bytes([5; 32]);
    const UNKNOWN: Refusal = Refusal::Unauthorized(BadCredentials::Unknown);

    fn standing() -> Standing {
        Standing {
            hash: HASH,
            is_default: false,
            is_active: true,
            revoked_at: None,
            expires_at: None,
            client: None,
            selection: Vec::new(),
            permissions: Permissions::NONE,
            monthly_credit_limit: Some(0),
            owner_is_active: true,
            client_is_active: None,
            client_payments_enabled: false,
        }
    }

    fn decide(standing: Standing) -> Result<KeyCaller, Refusal> {
        key_caller(Located { owner: OwnerId::from_bytes([1; 16]), subject: [2; 16] }, standing, NOW)
    }

    #[test]
    fn a_stale_locator_never_admits() {
        assert!(goes_by(&standing(), HASH));
        assert!(!goes_by(&standing(), KeyHash::from_bytes([6; 32])));
    }

    #[test]
    fn a_key_that_ended_is_unknown_before_anything_else_is_told() {
        let mut ended = standing();
        ended.is_active = false;
        ended.revoked_at = Some(NOW);
        assert_eq!(decide(ended.clone()), Err(UNKNOWN));
        ended.revoked_at = None;
        assert_eq!(decide(ended), Err(Refusal::KeyNotActive));
    }

    #[test]
    fn a_limit_is_in_force_only_on_a_standalone_key() {
        assert!(decide(standing()).unwrap().has_monthly_limit);
        let mut bound = standing();
        bound.client = Some(ClientId::from_bytes([3; 16]));
        bound.client_is_active = Some(true);
        assert!(!decide(bound).unwrap().has_monthly_limit);
    }

    #[test]
    fn a_session_is_open_until_it_ends() {
        let open = Session { expires_at: LATER, ..Session::begin(NOW) };
        assert_eq!(check_session(Some((open, true)), NOW), Ok(()));
        assert_eq!(check_session(Some((open, true)), LATER), Err(UNKNOWN));
        assert_eq!(check_session(None, NOW), Err(UNKNOWN));
        let ended = Session { ended_at: Some(NOW), ..open };
        assert_eq!(check_session(Some((ended, true)), NOW), Err(UNKNOWN));
        assert_eq!(check_session(Some((open, false)), NOW), Err(Refusal::OwnerNotActive));
    }
}
