//! The operation: `GET /api-keys/{api_key_id}`.

use domain::access::ShowKey;
use domain::ids::KeyId;
use domain::refusal::Refusal;
use store::keys;

use super::KeyRecord;
use crate::{Act, App, Error};

/// Shows a key that the caller sees.
///
/// # Errors
/// Not found, also where the key is out of the caller's sight; or a failure of the store.
pub async fn show(app: &App, act: &Act<ShowKey>, id: KeyId) -> Result<KeyRecord, Error> {
    let owner = act.owner();
    let found = app.store.look_up(act.meter(), move |tx| keys::find(tx, owner, id)).await?;
    let seen = found.filter(|key| act.caller().sees_key(key.id, key.client));
    let key = seen.ok_or(Refusal::NotFound("api_key"))?;
    Ok(KeyRecord::of(app, act, key))
}
