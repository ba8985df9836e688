//! Passwords: Argon2id, at most one at a time for each core.
//!
//! A hash takes tens of milliseconds and megabytes on purpose, so it runs beside the threads that
//! answer requests, and no more of them run at once than there are cores: a flood of logins waits
//! in line instead of taking the machine.

use std::fmt;
use std::sync::Arc;
use std::thread::available_parallelism;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::ids::IdSource;
use domain::secret::SecretText;
use tokio::sync::Semaphore;

use crate::error::Error;
use crate::settings::PasswordCost;

/// The shortest new password, in bytes.
pub const PASSWORD_LEN_MIN: usize = 12;

/// The longest text that is hashed, in bytes.
pub const PASSWORD_LEN_MAX: usize = 1_024;

const SALT_LEN: usize = 16;

/// Sixteen and thirty-two bytes of zeros in base64.
const NO_SALT: &str = "AAAAAAAAAAAAAAAAAAAAAA";
const NO_HASH: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Why a password was neither hashed nor checked.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The parameters or the kept hash make no sense.
    #[error("a password cannot be hashed: {0}")]
    Argon2(String),
    /// The thread that hashed ended without an answer.
    #[error("the hashing of a password was cut short")]
    Cut,
}

impl From<PasswordError> for Error {
    fn from(error: PasswordError) -> Self {
        Self::Internal(Box::new(error))
    }
}

/// Hashes passwords and checks them.
pub struct Passwords {
    cost: PasswordCost,
    /// One permit for each core.
    places: Arc<Semaphore>,
    /// What a password is checked against where there is no account, so that the time taken does
    /// not tell.
    dummy: Arc<str>,
}

impl Passwords {
    /// Hashes at that cost.
    #[must_use]
    pub fn new(cost: PasswordCost) -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        // A hash of the right form that no known password has.
        let PasswordCost { memory_kib, passes } = cost;
        let dummy = format!("$argon2id$v=19$m={memory_kib},t={passes},p=1${NO_SALT}${NO_HASH}");
        Self { cost, places: Arc::new(Semaphore::new(cores)), dummy: dummy.into() }
    }

    /// The hash of a password, in PHC form.
    ///
    /// # Errors
    /// [`PasswordError`] where it cannot be computed.
    pub async fn hash(
        &self,
        password: SecretText,
        ids: Arc<dyn IdSource>,
    ) -> Result<String, PasswordError> {
        let cost = self.cost;
        self.beside(move || hash_now(&password, cost, &*ids)).await
    }

    /// Whether the password is the one that was hashed. Without a hash the answer is no, after the
    /// same work.
    ///
    /// # Errors
    /// [`PasswordError`] where the hash makes no sense.
    pub async fn verify(
        &self,
        password: SecretText,
        hash: Option<String>,
    ) -> Result<bool, PasswordError> {
        let known = hash.is_some();
        let hash = hash.map_or_else(|| Arc::clone(&self.dummy), Arc::from);
        let right = self.beside(move || verify_now(&password, &hash)).await?;
        Ok(right && known)
    }

    /// Runs `work` on a thread that may block, once one of the places is free. It keeps its place until it is over,
    /// also where nobody waits for it any more, since it keeps its thread and its memory for as long.
    async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PasswordError> + Send + 'static,
    ) -> Result<T, PasswordError> {
        let place =
            Arc::clone(&self.places).acquire_owned().await.map_err(|_| PasswordError::Cut)?;
        let work = move || {
            let _place = place;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| PasswordError::Cut)?
    }
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passwords").field("cost", &self.cost).finish_non_exhaustive()
    }
}

/// The hash of a password on the calling thread, for commands that do nothing else meanwhile.
///
/// # Errors
/// [`PasswordError`] where Argon2 does not accept the cost.
pub fn hash_now(
    password: &SecretText,
    cost: PasswordCost,
    ids: &dyn IdSource,
) -> Result<String, PasswordError> {
    let params =
        Params::new(cost.memory_kib, cost.passes, 1, None).map_err(|error| problem(&error))?;
    let mut salt = [0; SALT_LEN];
    ids.fill(&mut salt);
    let hash: PasswordHash = Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_with_salt(password.expose().as_bytes(), &salt)
        .map_err(|error| problem(&error))?;
    Ok(hash.to_string())
}

fn verify_now(password: &SecretText, hash: &str) -> Result<bool, PasswordError> {
    let hash = PasswordHash::new(hash).map_err(|error| problem(&error))?;
    // The parameters are those of the hash, not the defaults of this value.
    match Argon2::default().verify_password(password.expose().as_bytes(), &hash) {
        Ok(()) => Ok(true),
        Err(argon2::password_hash::Error::PasswordInvalid) => Ok(false),
        Err(error) => Err(problem(&error)),
    }
}

fn problem(error: &dyn fmt::Display) -> PasswordError {
    PasswordError::Argon2(error.to_string())
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// The least that Argon2 accepts: these tests are about right and wrong, not about time.
    const CHEAP: PasswordCost = PasswordCost { memory_kib: 8, passes: 1 };

    struct Sevens;

    impl IdSource for Sevens {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    fn password() -> SecretText {
        SecretText::from("correct horse battery staple")
    }

    #[tokio::test]
    async fn the_right_password_alone_is_right() {
        let passwords = Passwords::new(CHEAP);
        let hash = passwords.hash(password(), Arc::new(Sevens)).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{hash}");
        assert!(passwords.verify(password(), Some(hash.clone())).await.unwrap());
        assert!(!passwords.verify("wrong".into(), Some(hash)).await.unwrap());
    }

    #[tokio::test]
    async fn no_account_is_a_wrong_password() {
        let passwords = Passwords::new(CHEAP);
        for text in ["another", "\0", ""] {
            assert!(!passwords.verify(text.into(), None).await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_broken_hash_is_a_fault_and_not_a_wrong_password() {
        let passwords = Passwords::new(CHEAP);
        assert!(passwords.verify(password(), Some("plain".to_owned())).await.is_err());
    }

    #[tokio::test]
    async fn a_hash_that_nobody_waits_for_keeps_its_place_until_it_is_over() {
        let passwords = Passwords::new(CHEAP);
        let cores = passwords.places.available_permits();
        let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
        let work = move || goes_on.recv().map_err(|_| PasswordError::Cut);
        let mut hung_up = Box::pin(passwords.beside(work));
        assert!((&mut hung_up).now_or_never().is_none());
        drop(hung_up);
        assert_eq!(passwords.places.available_permits(), cores - 1);
        go_on.send(()).unwrap();
        let all = u32::try_from(cores).unwrap();
        drop(passwords.places.acquire_many(all).await.unwrap());
    }
}
