//! Second factors: beginning and ending one, and the codes that people show; and the password that people without one show. See [`domain::second_factor`].

mod begin;
mod check;
mod confirm;
mod end;
mod password;
mod recovery;
mod step_up;

use domain::ids::{ActorId, OwnerId};
use domain::second_factor::{RecoveryCode, TotpSecret};
use store::fault::Fault;

use crate::App;
use crate::vault::Place;

pub use begin::{SecondFactorSetup, begin};
pub(crate) use check::{Check, Checked, Of};
pub use confirm::confirm;
pub use end::end;
pub use password::step_up_by_password;
pub use recovery::renew_codes;
pub use step_up::step_up;

/// Recovery codes, for the one answer that shows them.
pub type RecoveryCodes = Vec<RecoveryCode>;

/// Returns the place to which the secret of a person is sealed.
pub(crate) fn place(owner: OwnerId, person: &[u8; 16]) -> Place<'_> {
    Place { table: "second_factors", column: "secret", owner: Some(owner), row: person }
}

/// Opens what the store keeps of a secret.
///
/// # Errors
/// What does not open is a fault: the master key is not the one it was sealed under.
fn open(
    app: &App,
    (owner, person): (OwnerId, ActorId),
    sealed: &[u8],
) -> Result<TotpSecret, Fault> {
    let plain = app.vault.open(place(owner, &person.to_bytes()), sealed);
    let plain = plain.map_err(|error| Fault::broken(format!("a second factor: {error}")))?;
    let plain = domain::secret::SecretBytes::new(plain);
    TotpSecret::from_bytes(plain.expose())
        .ok_or_else(|| Fault::broken("a second factor: not of the length of a secret"))
}
