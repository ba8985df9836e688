//! How a bank's notices about an account find it: by a locator from the account's id, and the hash of
//! a secret in a row of the owner's that decides.

use bank::Bank;
use domain::ids::BankId;
use domain::push_secret::PushSecret;

use crate::App;

/// Secret and headers that an owner gives its bank so that the bank sends notices of payments: shown once.
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
