//! Passwords: Argon2id, at most one at a time for each core.
//!
//! A hash takes tens of milliseconds and megabytes on purpose, so it runs beside the threads that
//! answer requests, and no more of them run at once than there are cores: a flood of logins waits
//! in line instead of taking the machine, and the line has an end.
//!
//! Hashes are kept at the cost that held when they were made, and renewed at the next sign-in. Until
//! then several costs are kept side by side, and how long an answer takes shows which one was paid. So
//! an address that nobody has pays one of them, too: the same every time, and each cost as often as
//! accounts have it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use domain::ids::IdSource;
use domain::refusal::Refusal;
use domain::secret::SecretText;
use store::fault::Fault;
use store::tx::Tx;
use store::{Meter, Store, employees, owners};
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

/// How many may wait in line for each core, besides the one being served: about a second's worth.
const WAITING_MAX_PER_CORE: usize = 32;

/// How many bytes of the end of a hash are its salt and the hash itself, with a dollar before each.
const SALT_AND_HASH_LEN: usize = 2 + NO_SALT.len() + NO_HASH.len();

/// Why a password was neither hashed nor checked.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The parameters or the kept hash make no sense.
    #[error("a password cannot be hashed: {0}")]
    Argon2(String),
    /// The thread that hashed ended without an answer.
    #[error("password hashing was interrupted")]
    Cut,
    /// Too many wait in line.
    #[error("too many wait for a password to be hashed")]
    Crowded,
}

impl From<PasswordError> for Error {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Crowded => Refusal::ServiceUnavailable.into(),
            error => Self::Internal(Box::new(error)),
        }
    }
}

/// Checks that a password which somebody chooses can be one.
///
/// # Errors
/// That the field of that name is too short or too long.
pub fn check_new(field: &str, password: &SecretText) -> Result<(), Refusal> {
    if (PASSWORD_LEN_MIN..=PASSWORD_LEN_MAX).contains(&password.expose().len()) {
        return Ok(());
    }
    let problem = (
        "debe tener entre 12 y 1024 bytes: doce letras o más",
        "must have 12 to 1024 bytes: twelve letters or more",
    );
    Err(Refusal::invalid(field, problem))
}

/// Hashes passwords and checks them.
pub struct Passwords {
    cost: PasswordCost,
    /// One permit for each core.
    places: Arc<Semaphore>,
    /// One permit for each who is being served or waits.
    line: Semaphore,
    line_max: usize,
    /// How many hashes are kept at each cost, by what their text begins with.
    kept: Mutex<BTreeMap<String, u64>>,
    /// Whether that was read.
    is_kept_read: AtomicBool,
}

/// Result of checking a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is another one, or there is no account.
    Wrong,
    /// It is the one.
    Right,
    /// It is the one, and its hash was made at a cost that no longer holds.
    RightAtFormerCost,
}

impl Passwords {
    /// Hashes at that cost.
    #[must_use]
    pub fn new(cost: PasswordCost) -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        let line_max = cores * (1 + WAITING_MAX_PER_CORE);
        Self {
            cost,
            places: Arc::new(Semaphore::new(cores)),
            line: Semaphore::new(line_max),
            line_max,
            kept: Mutex::default(),
            is_kept_read: AtomicBool::new(false),
        }
    }

    /// Reads how many hashes are kept at each cost, unless that was done. Until then an address that nobody has costs as
    /// much as a password of today.
    ///
    /// # Errors
    /// A fault of the store: not every owner can be reached.
    pub async fn read_kept(&self, store: &Store) -> Result<(), Fault> {
        if self.is_kept_read.load(Ordering::Relaxed) {
            return Ok(());
        }
        let costs = |tx: &mut Tx<'_>| {
            let (owners, employees) = (owners::password_costs(tx)?, employees::password_costs(tx)?);
            Ok(owners.into_iter().chain(employees))
        };
        self.note_kept(store.look_up(&Meter::default(), costs).await?);
        self.is_kept_read.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Takes note of how many hashes are kept at each cost, by what their text begins with.
    fn note_kept(&self, costs: impl IntoIterator<Item = (String, u64)>) {
        let mut kept = BTreeMap::new();
        for (prefix, count) in costs.into_iter().filter(|(prefix, _)| is_cost(prefix)) {
            let sum: &mut u64 = kept.entry(prefix).or_default();
            *sum = sum.saturating_add(count);
        }
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }

    /// Takes note that a hash was renewed.
    pub(crate) fn note_renewed(&self, former: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = cost_of(former).and_then(|cost| kept.get_mut(cost)) {
            *count = count.saturating_sub(1);
        }
        *kept.entry(prefix(self.cost)).or_default() += 1;
    }

    /// Tells whether at most half of the places in line are taken.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.line.available_permits() >= self.line_max / 2
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

    /// Checks whether the password is the one that was hashed. Without a hash the answer is no, but only after as much
    /// work as somebody else's hash takes. `lot` chooses whose: a number that nobody else can compute, and that stays
    /// the same for the same account.
    ///
    /// # Errors
    /// [`PasswordError`] where the hash makes no sense, or too many wait.
    pub async fn verify(
        &self,
        password: SecretText,
        hash: Option<String>,
        lot: u64,
    ) -> Result<Verdict, PasswordError> {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| self.dummy(lot));
        let is_current = cost_of(&hash) == Some(prefix(self.cost).as_str());
        let right = self.beside(move || verify_now(&password, &hash)).await?;
        Ok(match (right && known, is_current) {
            (false, _) => Verdict::Wrong,
            (true, true) => Verdict::Right,
            (true, false) => Verdict::RightAtFormerCost,
        })
    }

    /// A hash of the right form that no known password has, at the cost of one that is kept.
    fn dummy(&self, lot: u64) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let all: u64 = kept.values().sum();
        // The lot as a part of the whole, so that where counts change few accounts change their cost.
        let place = (u128::from(lot) * u128::from(all)) >> u64::BITS;
        let mut before = 0;
        let found = kept.iter().find(|(_, count)| {
            before += u128::from(**count);
            place < before
        });
        let cost = found.map_or_else(|| prefix(self.cost), |(cost, _)| cost.clone());
        format!("{cost}${NO_SALT}${NO_HASH}")
    }

    /// Runs `work` on a thread that may block, once one of the places is free. It keeps its place until it is over,
    /// also where nobody waits for it any more, since it keeps its thread and its memory for as long.
    async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PasswordError> + Send + 'static,
    ) -> Result<T, PasswordError> {
        // Given up with the wait: a caller who hangs up does not stand in line.
        let _waiting = self.line.try_acquire().map_err(|_| PasswordError::Crowded)?;
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

/// Returns the beginning of every hash of that cost.
fn prefix(PasswordCost { memory_kib, passes }: PasswordCost) -> String {
    format!("$argon2id$v=19$m={memory_kib},t={passes},p=1")
}

/// Returns the beginning of a hash that shows its cost.
fn cost_of(hash: &str) -> Option<&str> {
    hash.len().checked_sub(SALT_AND_HASH_LEN).and_then(|end| hash.get(..end))
}

/// Tells whether a text is the beginning of a hash, so that a hash can be made of it.
fn is_cost(prefix: &str) -> bool {
    PasswordHash::new(&format!("{prefix}${NO_SALT}${NO_HASH}")).is_ok()
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
        let right = passwords.verify(password(), Some(hash.clone()), 0).await.unwrap();
        assert_eq!(right, Verdict::Right);
        let wrong = passwords.verify("wrong".into(), Some(hash), 0).await.unwrap();
        assert_eq!(wrong, Verdict::Wrong);
    }

    #[tokio::test]
    async fn no_account_is_a_wrong_password() {
        let passwords = Passwords::new(CHEAP);
        for text in ["another", "\0", ""] {
            let verdict = passwords.verify(text.into(), None, 0).await.unwrap();
            assert_eq!(verdict, Verdict::Wrong);
        }
    }

    #[tokio::test]
    async fn a_hash_of_another_cost_is_to_be_renewed() {
        let former = Passwords::new(PasswordCost { memory_kib: 16, passes: 2 });
        let hash = former.hash(password(), Arc::new(Sevens)).await.unwrap();
        let passwords = Passwords::new(CHEAP);
        let right = passwords.verify(password(), Some(hash.clone()), 0).await.unwrap();
        assert_eq!(right, Verdict::RightAtFormerCost);
        let wrong = passwords.verify("wrong".into(), Some(hash), 0).await.unwrap();
        assert_eq!(wrong, Verdict::Wrong);
    }

    #[test]
    fn who_has_no_account_pays_what_accounts_pay() {
        let passwords = Passwords::new(CHEAP);
        assert!(passwords.dummy(7).starts_with("$argon2id$v=19$m=8,t=1,p=1$"));
        let (dear, cheap) = ("$argon2id$v=19$m=16,t=2,p=1", "$argon2id$v=19$m=8,t=1,p=1");
        // Owners and employees are counted apart.
        let kept = [(dear, 2), (dear, 1), (cheap, 1), ("none", 9)];
        passwords.note_kept(kept.map(|(prefix, count)| (prefix.to_owned(), count)));
        let pays = |lot| cost_of(&passwords.dummy(lot)).unwrap().to_owned();
        let quarter = u64::MAX / 4;
        assert_eq!(pays(0), dear);
        assert_eq!(pays(2 * quarter), dear);
        assert_eq!(pays(u64::MAX), cheap);
        for _ in 0..3 {
            passwords.note_renewed(&format!("{dear}${NO_SALT}${NO_HASH}"));
        }
        for lot in [0, quarter, u64::MAX] {
            assert_eq!(pays(lot), cheap);
        }
    }

    #[tokio::test]
    async fn the_line_has_an_end_and_who_hangs_up_leaves_it() {
        let passwords = Passwords::new(CHEAP);
        let all = passwords.places.available_permits();
        let held = passwords.places.acquire_many(u32::try_from(all).unwrap()).await.unwrap();
        let verify = || Box::pin(passwords.verify(password(), None, 0));
        let mut waiting: Vec<_> = (0..passwords.line_max).map(|_| verify()).collect();
        for one in &mut waiting {
            assert!(one.now_or_never().is_none());
        }
        assert!(!passwords.has_room());
        let crowded = verify().await.unwrap_err();
        assert!(matches!(crowded, PasswordError::Crowded));
        drop(waiting.pop());
        let mut last = verify();
        assert!((&mut last).now_or_never().is_none());
        drop((held, waiting));
        assert_eq!(last.await.unwrap(), Verdict::Wrong);
        assert!(passwords.has_room());
    }

    #[tokio::test]
    async fn a_broken_hash_is_a_fault_and_not_a_wrong_password() {
        let passwords = Passwords::new(CHEAP);
        assert!(passwords.verify(password(), Some("plain".to_owned()), 0).await.is_err());
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
