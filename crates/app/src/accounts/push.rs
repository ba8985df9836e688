//! How a bank's notices about an account find it: by a locator from the account's id, and the hash of
//! a secret in a row of the owner's that decides.

use bank::Bank;
use domain::ids::{BankId, OwnerId};
use domain::push_secret::PushSecret;
use sha2::{Digest, Sha256};
use store::locators::{Kind, Located};
use store::{Meter, locators};

use crate::{App, Error};

/// What an owner gives its bank so that the bank sends notices of payments: shown once.
#[derive(Clone, Debug)]
pub struct PushAccess {
    provider: &'static str,
    account: BankId,
    /// The headers in one of which the bank shows the secret.
    pub headers: &'static [&'static str],
    /// The secret.
    pub secret: PushSecret,
}

impl PushAccess {
    /// The path of this service that notices go to.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/hooks/bank/{}/{}", self.provider.to_ascii_lowercase(), self.account)
    }

    /// A new secret for that account; none where its bank sends no notices of payments.
    pub(super) fn new(app: &App, bank: &dyn Bank, id: BankId) -> Option<Self> {
        let push = bank.push()?;
        Some(Self {
            provider: bank.capabilities().provider,
            account: id,
            headers: push.secret_headers(),
            secret: PushSecret::generate(&*app.ids),
        })
    }

    /// The same for the account as it turned out to be linked.
    pub(super) fn at(&self, account: BankId) -> Self {
        Self { account, ..self.clone() }
    }
}

/// What a locator leads from.
pub(crate) fn hash(bank: BankId) -> [u8; 32] {
    Sha256::digest(bank.to_bytes()).into()
}

/// Makes the account's id lead to its row. It stays for good: for an account in the trash it leads
/// to nothing.
pub(super) async fn claim_locator(
    app: &App,
    meter: &Meter,
    owner: OwnerId,
    bank: BankId,
) -> Result<(), Error> {
    let to = Located { owner, subject: bank.to_bytes() };
    let claim = app.store.write_shared(meter, move |tx| {
        locators::claim(tx, Kind::BankPush, &hash(bank), to).map(drop)
    });
    Ok(claim.await?)
}

/// Removes the locator of an account that was not linked. One that stays behind leads to nothing, so
/// that a failure is noted and no more.
pub(super) async fn remove_locator(app: &App, meter: &Meter, bank: BankId) {
    let remove =
        app.store.write_shared(meter, move |tx| locators::remove(tx, Kind::BankPush, &hash(bank)));
    if let Err(error) = remove.await {
        tracing::warn!(?error, "the locator of a missing account could not be deleted");
    }
}
