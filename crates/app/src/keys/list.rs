//! The operation: `GET /me/api-keys`.

use domain::access::ListMyKeys;
use store::keys;

use super::KeyRecord;
use crate::{Act, App, Error};

/// Lists the keys that the caller sees, oldest first.
///
/// # Errors
/// A failure of the store.
pub async fn list(app: &App, act: &Act<ListMyKeys>) -> Result<Vec<KeyRecord>, Error> {
    let (owner, client) = (act.owner(), act.caller().client());
    let keys = app.store.look_up(act.meter(), move |tx| keys::list(tx, owner, client)).await?;
    let seen = keys.into_iter().filter(|key| act.caller().sees_key(key.id, key.client));
    Ok(seen.map(|key| KeyRecord::of(app, act, key)).collect())
}
