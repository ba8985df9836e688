//! Locators of rows that somebody reaches by a text or an id: claimed before the row is written, so that every order of
//! failure leaves at worst one that leads to nothing.

use std::fmt;
use std::future::Future;

use domain::ids::{BankId, LinkId, OwnerId};
use domain::invitation::InvitationHash;
use domain::keys::KeyHash;
use domain::logo::LogoHash;
use domain::refusal::Refusal;
use sha2::{Digest, Sha256};
use store::fault::{Fault, FaultKind, WriteError};
use store::locators::{self, Kind, Located};
use store::tx::Tx;
use store::{Meter, Store};

use crate::{App, Error};

/// How many ids are drawn for a new link whose locator would be on a server that is lost.
const DRAWS_MAX: u32 = 3;

/// The start of the way to a row.
#[derive(Clone, Copy)]
pub(crate) struct Locator {
    kind: Kind,
    pub(crate) hash: [u8; 32],
}

impl Locator {
    /// Leads from the text of a key.
    pub(crate) fn of_key(hash: KeyHash) -> Self {
        Self { kind: Kind::ApiKey, hash: hash.to_bytes() }
    }

    /// Leads from the secret of an invitation.
    pub(crate) fn of_invitation(hash: InvitationHash) -> Self {
        Self { kind: Kind::Invitation, hash: hash.to_bytes() }
    }

    /// Leads from the address that a bank reports the payments of an account to. It stays for good: for an account in
    /// the trash it leads to nothing.
    pub(crate) fn of_push(bank: BankId) -> Self {
        Self { kind: Kind::BankPush, hash: hash(&bank.to_bytes()) }
    }

    /// Leads from the address of a payment link.
    pub(crate) fn of_link(link: LinkId) -> Self {
        Self { kind: Kind::PaymentLink, hash: hash(&link.to_bytes()) }
    }

    /// Leads from the address of a logo. It is never removed: a picture that is no logo any more may be sent again.
    /// There are no more of them than lines of the audit trail.
    pub(crate) fn of_logo(hash: LogoHash) -> Self {
        Self { kind: Kind::Logo, hash: *hash.as_bytes() }
    }

    /// Finds the row that it leads to, if any.
    ///
    /// # Errors
    /// A fault of the store.
    pub(crate) fn find(self, tx: &mut Tx<'_>) -> Result<Option<Located>, Fault> {
        locators::find(tx, self.kind, &self.hash)
    }

    /// Makes it lead to that row, if it leads nowhere yet.
    ///
    /// # Errors
    /// A failure of the store.
    pub(crate) async fn claim(
        self,
        store: &Store,
        meter: &Meter,
        (owner, subject): (OwnerId, [u8; 16]),
    ) -> Result<(), WriteError> {
        let Self { kind, hash } = self;
        let to = Located { owner, subject };
        let claim = move |tx: &mut Tx<'_>| locators::claim(tx, kind, &hash, to).map(drop);
        store.write_shared(meter, claim).await
    }

    /// Claims the locator of a new link of that id, and answers its id. Where the locator would be on a server that is lost
    /// another id is drawn, which is likely to lie on one that is not. Where nothing answers, no other id would be better.
    ///
    /// # Errors
    /// A failure of the store.
    pub(crate) async fn claim_link(
        app: &App,
        meter: &Meter,
        owner: OwnerId,
        first: LinkId,
    ) -> Result<LinkId, WriteError> {
        let (mut link, mut draws) = (first, 1);
        loop {
            let to = (owner, link.to_bytes());
            match Self::of_link(link).claim(&app.store, meter, to).await {
                Err(WriteError::Fault(fault))
                    if fault.kind() == FaultKind::LostServer && draws < DRAWS_MAX =>
                {
                    (link, draws) = (LinkId::new(&*app.ids), draws + 1);
                }
                claimed => return claimed.map(|()| link),
            }
        }
    }

    /// Removes it, since it leads to nothing any more. One that stays behind opens nothing, so that a failure is logged
    /// and no more.
    pub(crate) async fn remove(self, store: &Store, meter: &Meter) {
        let Self { kind, hash } = self;
        let remove = move |tx: &mut Tx<'_>| locators::remove(tx, kind, &hash);
        if let Err(error) = store.write_shared(meter, remove).await {
            tracing::warn!(?kind, ?error, "a locator that leads nowhere could not be deleted");
        }
    }

    /// Claims it, has its row written by `write`, and removes it where no row was written.
    ///
    /// # Errors
    /// The refusal of `write`, or a failure of the store. Where the result of a commit is unknown the row may be there,
    /// and the locator stays.
    pub(crate) async fn around<T>(
        self,
        store: &Store,
        meter: &Meter,
        to: (OwnerId, [u8; 16]),
        write: impl Future<Output = Result<Result<T, Refusal>, WriteError>>,
    ) -> Result<T, Error> {
        self.claim(store, meter, to).await?;
        let error = match write.await {
            Ok(Ok(written)) => return Ok(written),
            Err(WriteError::Unknown) => return Err(WriteError::Unknown.into()),
            Ok(Err(refusal)) => refusal.into(),
            Err(error) => error.into(),
        };
        self.remove(store, meter).await;
        Err(error)
    }
}

impl fmt::Debug for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Locator").field("kind", &self.kind).finish_non_exhaustive()
    }
}

fn hash(id: &[u8; 16]) -> [u8; 32] {
    Sha256::digest(id).into()
}
