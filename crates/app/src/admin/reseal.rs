//! Sealing anew under the current master key what a former one sealed.
//!
//! Kept answers are left as they are: in a day they are forgotten, and until then a former key on the ring opens them.

use domain::ids::OwnerId;
use store::fault::{Fault, FaultKind};
use store::webhook_secrets::{self, Sealed};
use store::{
    Lane, Meter, bank_access, client_webhook_secrets, installation, mails, owners, second_factors,
};

use super::Operator;
use super::installation::{CHECK, FORMER_KEY, SIGNING_KEY, internal, place};
use crate::accounts;
use crate::client_webhook_secrets::place as place_of_client;
use crate::error::Error;
use crate::second_factor;
use crate::vault::{Place, Vault};
use crate::webhook_secrets::{current_place, of_previous};

/// How many owners are looked up at once.
const PAGE: i64 = 1000;

/// Counts of a resealing: the owners, and the secrets sealed anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resealed {
    /// How many owners there are.
    pub owners: u64,
    /// How many secrets were under a former key.
    pub secrets: u64,
}

/// Seals anew under the vault's current key what a former one sealed, owner by owner, and reports to `progress` after
/// each page. Done again it finds nothing, so one that was cut short is done again. No server may run meanwhile: it
/// may not know the key.
///
/// # Errors
/// A fault of the store, also where something was changed meanwhile; a secret that the vault does not open.
pub async fn reseal(
    operator: &Operator<'_>,
    vault: &Vault,
    mut progress: impl FnMut(Resealed),
) -> Result<Resealed, Error> {
    let mut done = Resealed::default();
    for name in [CHECK, SIGNING_KEY, FORMER_KEY] {
        done.secrets += reseal_own(operator, vault, name).await?;
    }
    let meter = Meter::default();
    let mut after = OwnerId::from_bytes([0; 16]);
    loop {
        let page = operator.store.look_up(&meter, move |tx| owners::page(tx, after, PAGE)).await?;
        let Some(last) = page.last() else { return Ok(done) };
        after = *last;
        for owner in page {
            done.secrets += reseal_accounts(operator, vault, owner).await?;
            done.secrets += reseal_webhooks(operator, vault, owner).await?;
            done.secrets += reseal_client_webhooks(operator, vault, owner).await?;
            done.secrets += reseal_second_factors(operator, vault, owner).await?;
            done.secrets += reseal_mails(operator, vault, owner).await?;
            done.owners += 1;
        }
        progress(done);
    }
}

/// Reseals the secret that the installation itself keeps under `name`, if there is one. Returns how many were resealed.
async fn reseal_own(
    operator: &Operator<'_>,
    vault: &Vault,
    name: &'static str,
) -> Result<u64, Error> {
    let meter = Meter::default();
    let kept = operator.store.look_up(&meter, move |tx| installation::find(tx, name)).await?;
    let Some(kept) = kept else { return Ok(0) };
    let Some(sealed) = anew(operator, vault, place(name), &kept)? else { return Ok(0) };
    let write = operator.store.write_shared(&meter, move |tx| {
        if installation::replace(tx, name, &kept, &sealed)? { Ok(1) } else { Err(changed()) }
    });
    Ok(write.await?)
}

/// Reseals the bank credentials of the owner's accounts, and the metadata that the accounts were linked with. Returns
/// how many secrets were resealed.
async fn reseal_accounts(
    operator: &Operator<'_>,
    vault: &Vault,
    owner: OwnerId,
) -> Result<u64, Error> {
    let meter = Meter::default();
    let kept = operator.store.look_up(&meter, move |tx| bank_access::sealed(tx, owner)).await?;
    let (mut credentials, mut metadata) = (Vec::new(), Vec::new());
    for bank_access::Sealed { bank, credentials: kept, metadata: sent } in kept {
        let row = bank.to_bytes();
        let sealed = anew(operator, vault, accounts::place(owner, &row), &kept)?;
        credentials.extend(sealed.map(|sealed| (bank, sealed, kept)));
        let Some(sent) = sent else { continue };
        let sealed = anew(operator, vault, accounts::metadata_place(owner, &row), &sent)?;
        metadata.extend(sealed.map(|sealed| (bank, sealed, sent)));
    }
    if credentials.is_empty() && metadata.is_empty() {
        return Ok(0);
    }
    let now = operator.now;
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        for (bank, sealed, former) in &credentials {
            if !bank_access::change_credentials(tx, owner, *bank, sealed, former, now)? {
                return Err(changed());
            }
        }
        for (bank, sealed, former) in &metadata {
            if !bank_access::change_metadata(tx, owner, *bank, sealed, former, now)? {
                return Err(changed());
            }
        }
        Ok((credentials.len() + metadata.len()) as u64)
    });
    Ok(write.await?)
}

/// Reseals the owner's webhook signing secrets. Returns how many were resealed.
async fn reseal_webhooks(
    operator: &Operator<'_>,
    vault: &Vault,
    owner: OwnerId,
) -> Result<u64, Error> {
    let meter = Meter::default();
    let kept = operator.store.look_up(&meter, move |tx| webhook_secrets::find(tx, owner)).await?;
    let Some(kept) = kept else { return Ok(0) };
    let (sealed, count) = both_anew(operator, vault, current_place(owner), &kept)?;
    if count == 0 {
        return Ok(0);
    }
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        if webhook_secrets::lock(tx, owner)?.as_ref() != Some(&kept) {
            return Err(changed());
        }
        webhook_secrets::reseal(tx, owner, &sealed)?;
        Ok(count)
    });
    Ok(write.await?)
}

/// Reseals the secrets that sign webhooks for the owner's clients. Returns how many were resealed.
async fn reseal_client_webhooks(
    operator: &Operator<'_>,
    vault: &Vault,
    owner: OwnerId,
) -> Result<u64, Error> {
    let meter = Meter::default();
    let find =
        operator.store.look_up(&meter, move |tx| client_webhook_secrets::of_owner(tx, owner));
    let (mut changes, mut resealed) = (Vec::new(), 0);
    for (client, kept) in find.await? {
        let row = client.to_bytes();
        let (sealed, count) = both_anew(operator, vault, place_of_client(owner, &row), &kept)?;
        if count > 0 {
            changes.push((client, sealed, kept));
            resealed += count;
        }
    }
    if changes.is_empty() {
        return Ok(0);
    }
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        for (client, sealed, kept) in &changes {
            if client_webhook_secrets::lock(tx, owner, *client)?.as_ref() != Some(kept) {
                return Err(changed());
            }
            client_webhook_secrets::reseal(tx, owner, *client, sealed)?;
        }
        Ok(resealed)
    });
    Ok(write.await?)
}

/// Seals a signing secret anew, and the one of before. Returns them with how many were under a former key.
fn both_anew(
    operator: &Operator<'_>,
    vault: &Vault,
    place: Place<'_>,
    kept: &Sealed,
) -> Result<(Sealed, u64), Error> {
    let current = anew(operator, vault, place, &kept.current)?;
    let mut count = u64::from(current.is_some());
    let mut sealed =
        Sealed { current: current.unwrap_or_else(|| kept.current.clone()), ..kept.clone() };
    if let Some((previous, _)) = &mut sealed.previous
        && let Some(resealed) = anew(operator, vault, of_previous(place), previous)?
    {
        *previous = resealed;
        count += 1;
    }
    Ok((sealed, count))
}

/// Reseals the authenticator secrets of the owner's people. Returns how many were resealed.
async fn reseal_second_factors(
    operator: &Operator<'_>,
    vault: &Vault,
    owner: OwnerId,
) -> Result<u64, Error> {
    let meter = Meter::default();
    let kept = operator.store.look_up(&meter, move |tx| second_factors::sealed(tx, owner)).await?;
    let mut changes = Vec::new();
    for (person, former) in kept {
        let sealed =
            anew(operator, vault, second_factor::place(owner, &person.to_bytes()), &former)?;
        changes.extend(sealed.map(|sealed| (person, sealed, former)));
    }
    if changes.is_empty() {
        return Ok(0);
    }
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        for (person, sealed, former) in &changes {
            if !second_factors::reseal(tx, (owner, *person), sealed, former)? {
                return Err(changed());
            }
        }
        Ok(changes.len() as u64)
    });
    Ok(write.await?)
}

/// The content of the owner's mails that wait.
async fn reseal_mails(
    operator: &Operator<'_>,
    vault: &Vault,
    owner: OwnerId,
) -> Result<u64, Error> {
    let meter = Meter::default();
    let kept = operator.store.look_up(&meter, move |tx| mails::sealed(tx, owner)).await?;
    let mut changes = Vec::new();
    for (id, former) in kept {
        let sealed = anew(operator, vault, crate::mails::place(owner, &id.to_bytes()), &former)?;
        changes.extend(sealed.map(|sealed| (id, sealed, former)));
    }
    if changes.is_empty() {
        return Ok(0);
    }
    let write = operator.store.write(&meter, Lane::Admission, owner, move |tx| {
        for (id, sealed, former) in &changes {
            if !mails::reseal(tx, owner, *id, sealed, former)? {
                return Err(changed());
            }
        }
        Ok(changes.len() as u64)
    });
    Ok(write.await?)
}

fn anew(
    operator: &Operator<'_>,
    vault: &Vault,
    place: Place<'_>,
    sealed: &[u8],
) -> Result<Option<Vec<u8>>, Error> {
    vault.reseal(operator.ids, place, sealed).map_err(|error| {
        let owner = place.owner.map_or_else(|| "the installation".to_owned(), |id| id.to_string());
        let Place { table, column, .. } = place;
        tracing::error!(%owner, table, column, %error, "a secret could not be resealed");
        internal(error)
    })
}

fn changed() -> Fault {
    Fault::new(FaultKind::Conflict, "a secret was changed concurrently: is a server running?")
}
