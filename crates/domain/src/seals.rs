//! Seals: digests over everything that a store keeps of a row whose facts stand nowhere else.
//!
//! By its seal an audit sees that a row is what was written. A seal is no secret: a person who writes a row anew on
//! purpose can seal it anew.

mod account;
mod first_report;
mod link;
mod movement;
mod notification;
mod payment;
mod rate_lock;
mod receipt;

pub use account::SealedAccount;
pub use first_report::SealedFirstReport;
pub use link::SealedLink;
pub use movement::SealedMovement;
pub use notification::SealedNotification;
pub use payment::SealedPayment;
pub use rate_lock::SealedRateLock;
pub use receipt::SealedReceipt;

use crate::fingerprint::Fields;

/// How many bytes of the SHA-256 are kept: enough for whatever is altered without a seal in mind.
pub const SEAL_LEN: usize = 16;

/// A seal, as a store keeps it.
pub type Seal = [u8; SEAL_LEN];

fn seal(fields: Fields) -> Seal {
    let mut seal = [0; SEAL_LEN];
    seal.copy_from_slice(&fields.digest()[..SEAL_LEN]);
    seal
}
