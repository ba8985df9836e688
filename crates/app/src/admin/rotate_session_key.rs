//! Rotating the key that signs session tokens.

use domain::secret::SecretBytes;
use domain::session::{IDLE_MAX, TOKEN_LIFETIME};
use domain::time::Timestamp;
use store::{Meter, installation};

use super::Operator;
use super::end_sessions::{EndedSessions, end_sessions};
use super::installation::{FORMER_KEY, SIGNING_KEY, internal, place, session_tokens};
use crate::error::Error;
use crate::session_tokens::SessionTokens;
use crate::vault::Vault;

/// Choice of what happens to the sessions that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sessions {
    /// They go on: what the former key signed is good for as long as it would have been.
    GoOn,
    /// They are over: nothing that the former key signed is good any more, and none goes on in the store.
    End,
}

/// A signing key that was rotated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RotatedKey {
    /// What tokens name the new key by.
    pub name: String,
    /// Until when session tokens and refresh tokens of the former one are good, where any are.
    pub former_until: Option<(Timestamp, Timestamp)>,
    /// What was ended, where it was to be.
    pub ended: Option<EndedSessions>,
}

/// Makes a new signing key. It signs from the next start of a process on. That is one transaction, and of two
/// rotations at once one is refused. Sessions that are to be over are ended after it, owner by owner: `progress`
/// receives how far that is. Where it is cut short, another rotation ends the rest.
///
/// # Errors
/// [`Error::Unavailable`] where another rotation was faster; a fault of the store, or a key that the vault does not
/// open.
pub async fn rotate_session_key(
    operator: &Operator<'_>,
    vault: &Vault,
    sessions: Sessions,
    mut progress: impl FnMut(EndedSessions),
) -> Result<RotatedKey, Error> {
    // A store that was never served has none yet.
    session_tokens(operator, vault).await?;
    let meter = Meter::default();
    let kept = operator.store.look_up(&meter, |tx| installation::find(tx, SIGNING_KEY)).await?;
    let kept = kept.ok_or_else(|| internal(InvalidKept))?;
    let key = SessionTokens::generate().map_err(internal)?;
    let name = SessionTokens::from_pkcs8(&key).map_err(internal)?.key_name().to_owned();
    let sealed = vault.seal(operator.ids, place(SIGNING_KEY), key.expose());
    let former = match sessions {
        Sessions::End => None,
        Sessions::GoOn => {
            let former = vault.open(place(SIGNING_KEY), &kept).map_err(internal)?;
            let dated = [&operator.now.as_micros().to_be_bytes()[..], &former].concat();
            let (former, dated) = (SecretBytes::new(former), SecretBytes::new(dated));
            drop(former);
            Some(vault.seal(operator.ids, place(FORMER_KEY), dated.expose()))
        }
    };
    let write = operator.store.write_shared(&meter, move |tx| {
        if !installation::replace(tx, SIGNING_KEY, &kept, &sealed)? {
            return Ok(false);
        }
        installation::remove(tx, FORMER_KEY)?;
        if let Some(former) = &former {
            installation::insert(tx, FORMER_KEY, former)?;
        }
        Ok(true)
    });
    if !write.await? {
        return Err(internal(RotatedMeanwhile));
    }
    let until = (operator.now.plus(TOKEN_LIFETIME), operator.now.plus(IDLE_MAX));
    let (former_until, ended) = match sessions {
        Sessions::GoOn => (Some(until), None),
        Sessions::End => (None, Some(end_sessions(operator, &mut progress).await?)),
    };
    Ok(RotatedKey { name, former_until, ended })
}

/// Another process has rotated the key at the same moment.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the key was rotated by another command at the same moment")]
struct RotatedMeanwhile;

/// The store keeps no key although one was made.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the signing key is missing")]
struct InvalidKept;
