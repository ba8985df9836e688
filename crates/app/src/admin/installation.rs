//! What ties a store to its master key: an id made with the store, and that id sealed under the
//! key. A key that does not open it is not this store's.

use domain::ids::StoreId;
use domain::secret::SecretBytes;
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{Meter, Store, installation};

use super::Operator;
use crate::error::Error;
use crate::session_tokens::SessionTokens;
use crate::vault::{Place, Vault, VaultError};

/// The store's id, in the clear.
pub const STORE_ID: &str = "store_id";

/// The store's id, sealed: what a master key is checked by.
pub const CHECK: &str = "master_key_check";

/// The signing key of session tokens, sealed.
pub(super) const SIGNING_KEY: &str = "session_signing_key";

/// The one before, sealed, after the instant at which it was rotated away in microseconds, big-endian.
pub(super) const FORMER_KEY: &str = "session_signing_key_former";

/// Kept once an owner was seen.
const HAS_OWNERS: &str = "has_owners";

/// How many bytes that instant takes.
const INSTANT_LEN: usize = size_of::<i64>();

/// A store that has been founded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// Its id.
    pub id: StoreId,
    check: Vec<u8>,
}

impl Installation {
    /// The installation of a copy that has these under [`STORE_ID`] and [`CHECK`]; nothing where the first is no id.
    #[must_use]
    pub fn of_copy(id: &[u8], check: Vec<u8>) -> Option<Self> {
        let id = id.try_into().ok()?;
        Some(Self { id: StoreId::from_bytes(id), check })
    }

    /// Checks that the vault's key is this store's.
    ///
    /// # Errors
    /// [`VaultError`] where it is another's.
    pub fn check(&self, vault: &Vault) -> Result<(), VaultError> {
        let opened = vault.open(place(CHECK), &self.check)?;
        if opened == self.id.to_bytes() { Ok(()) } else { Err(VaultError::Forged) }
    }
}

/// The store's installation, unless the store is new.
///
/// # Errors
/// A fault of the store.
pub async fn find(store: &Store) -> Result<Option<Installation>, Error> {
    Ok(store.look_up(&Meter::default(), read).await?)
}

/// Founds the installation of a new store under the vault's key. Where another process was faster,
/// its installation is answered: check it.
///
/// # Errors
/// A fault of the store.
pub async fn found(operator: &Operator<'_>, vault: &Vault) -> Result<Installation, Error> {
    let id = StoreId::new(operator.ids, operator.now);
    let check = vault.seal(operator.ids, place(CHECK), &id.to_bytes());
    let meter = Meter::default();
    let write = operator.store.write_shared(&meter, move |tx| {
        if installation::insert(tx, STORE_ID, &id.to_bytes())? {
            installation::insert(tx, CHECK, &check)?;
        }
        read(tx)?.ok_or_else(|| Fault::broken("the installation's row is missing after its insert"))
    });
    Ok(write.await?)
}

/// The installation's session tokens; their signing key is made at the first call.
///
/// # Errors
/// A fault of the store, or a signing key that the vault does not open.
pub async fn session_tokens(
    operator: &Operator<'_>,
    vault: &Vault,
) -> Result<SessionTokens, Error> {
    let meter = Meter::default();
    let kept = operator.store.look_up(&meter, |tx| installation::find(tx, SIGNING_KEY)).await?;
    let sealed = match kept {
        Some(sealed) => sealed,
        None => {
            let key = SessionTokens::generate().map_err(internal)?;
            let sealed = vault.seal(operator.ids, place(SIGNING_KEY), key.expose());
            let write = operator.store.write_shared(&meter, move |tx| {
                // Another node may have made one meanwhile: the first stays.
                installation::insert(tx, SIGNING_KEY, &sealed)?;
                let kept = installation::find(tx, SIGNING_KEY)?;
                kept.ok_or_else(|| Fault::broken("the signing key is missing after its insert"))
            });
            write.await?
        }
    };
    let key = SecretBytes::new(vault.open(place(SIGNING_KEY), &sealed).map_err(internal)?);
    let tokens = SessionTokens::from_pkcs8(&key).map_err(internal)?;
    let former = operator.store.look_up(&meter, |tx| installation::find(tx, FORMER_KEY)).await?;
    let Some(sealed) = former else { return Ok(tokens) };
    let opened = SecretBytes::new(vault.open(place(FORMER_KEY), &sealed).map_err(internal)?);
    let Some((retired_at, former)) = opened.expose().split_first_chunk::<INSTANT_LEN>() else {
        return Err(Fault::broken("the previous signing key is truncated").into());
    };
    let retired_at = Timestamp::from_micros(i64::from_be_bytes(*retired_at));
    tokens.with_former(&SecretBytes::new(former.to_vec()), retired_at).map_err(internal)
}

/// Tells whether the store has been seen to have an owner. They themselves may be on a server that is lost.
///
/// # Errors
/// A fault of the store.
pub async fn has_owners(store: &Store) -> Result<bool, Error> {
    let kept = store.look_up(&Meter::default(), |tx| installation::find(tx, HAS_OWNERS)).await?;
    Ok(kept.is_some())
}

/// Keeps that the store has an owner.
///
/// # Errors
/// A failure of the store.
pub async fn note_owners(store: &Store) -> Result<(), Error> {
    if has_owners(store).await? {
        return Ok(());
    }
    let note = |tx: &mut Tx<'_>| installation::insert(tx, HAS_OWNERS, &[]).map(drop);
    Ok(store.write_shared(&Meter::default(), note).await?)
}

fn read(tx: &mut Tx<'_>) -> Result<Option<Installation>, Fault> {
    let Some(id) = installation::find(tx, STORE_ID)? else { return Ok(None) };
    let id = id.try_into().map_err(|_| Fault::broken("the store's id is not sixteen bytes"))?;
    let check = installation::find(tx, CHECK)?;
    let check = check.ok_or_else(|| Fault::broken("the master key's check value is missing"))?;
    Ok(Some(Installation { id: StoreId::from_bytes(id), check }))
}

pub(super) fn place(name: &'static str) -> Place<'static> {
    Place { table: "installation", column: "value", owner: None, row: name.as_bytes() }
}

pub(super) fn internal(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Internal(Box::new(error))
}
