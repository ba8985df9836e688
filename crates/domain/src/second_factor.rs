//! The second factor of a person: the codes of an authenticator (TOTP, RFC 6238), recovery codes for a person who has
//! lost it, and the proof that a session gives by either.

use std::fmt;
use std::time::Duration;

use data_encoding::BASE32_NOPAD;
use totp_rs::Builder;

use crate::backoff::Backoff;
use crate::ids::IdSource;
use crate::refusal::Problem;
use crate::secret::SecretText;
use crate::secret_hash::secret_hash;
use crate::text::EmailAddress;
use crate::time::Timestamp;
use crate::typed::{is_separator, is_unseen};
use crate::url::encoded;

/// How long a proof opens what asks for one.
pub const PROOF_LIFETIME: Duration = Duration::from_secs(10 * 60);

/// How long a second factor that was begun waits for its first code.
pub const SETUP_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// How many recovery codes a person gets.
pub const RECOVERY_CODES: usize = 10;

/// How the next code of an authenticator waits after wrong ones, of one person on all nodes. Three of a million codes
/// are good at a time: four guesses a day, once the wait is the longest, take two centuries on average.
const WRONG_CODES: Backoff =
    Backoff { slips: 5, first: Duration::from_secs(60), most: Duration::from_secs(6 * 60 * 60) };

/// Name of the service that an authenticator shows.
const ISSUER: &str = "Cotejo";

/// How many bytes the secret has, as RFC 4226 recommends.
const SECRET_LEN: usize = 20;

const DIGITS: usize = 6;

/// Seconds for which a code is shown.
const STEP_SECONDS: i64 = 30;

/// Steps on either side in which a first code is looked for: an hour.
const SEARCHED_STEPS: i64 = 120;

/// How many characters a recovery code has: 80 bits, so that its hash needs no salt and no work.
const RECOVERY_LEN: usize = 16;
const RECOVERY_GROUP: usize = 4;

/// Crockford's base32: none of its characters is taken for another.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Proof that the person of a session is there, as it was last shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The person has no second factor, and its session goes on by tokens: no proof is asked for.
    NotAsked,
    /// None, since it was opened before there was a second factor.
    Missing,
    /// A code, at that instant.
    Given(Timestamp),
    /// The password, at that instant: all that a person without a second factor has. It is asked for in a browser, whose
    /// session lasts for weeks.
    Password(Timestamp),
}

impl Proof {
    /// Tells whether the proof is enough for an operation that asks for one.
    #[must_use]
    pub fn is_fresh(self, now: Timestamp) -> bool {
        match self {
            Self::NotAsked => true,
            Self::Missing => false,
            // Another node's clock may be a little ahead; one that was far ahead makes no proof last longer.
            Self::Given(at) | Self::Password(at) => {
                now < at.plus(PROOF_LIFETIME) && at < now.plus(PROOF_LIFETIME)
            }
        }
    }
}

/// Distance of an authenticator's clock from ours, in steps of half a minute: ahead where it is positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockSkew(i64);

impl ClockSkew {
    /// None, or no more than a step, which every code may be off.
    pub const NONE: Self = Self(0);

    /// The most that is borne: five minutes.
    pub const STEPS_MAX: i64 = 10;

    /// Reads a kept number of steps; more than is borne is none.
    #[must_use]
    pub fn from_steps(steps: i64) -> Self {
        let skew = Self(steps);
        if skew.is_bearable() { skew } else { Self::NONE }
    }

    /// Number of steps.
    #[must_use]
    pub const fn steps(self) -> i64 {
        self.0
    }

    /// Says whether codes are accepted from a clock that is off by so much.
    #[must_use]
    pub const fn is_bearable(self) -> bool {
        self.0.unsigned_abs() <= Self::STEPS_MAX.unsigned_abs()
    }

    /// Problem of a code from a clock that is off by more.
    #[must_use]
    pub fn problem(self) -> Problem {
        let minutes = self.0.unsigned_abs().div_ceil(2);
        let (es, en) = if self.0 > 0 { ("adelantado", "fast") } else { ("atrasado", "slow") };
        Problem::made(
            format!(
                "es de otra hora: el reloj del teléfono está unos {minutes} minutos {es}; active la hora automática del \
                 teléfono y escriba el código que salga después"
            ),
            format!(
                "is of another time: the phone's clock is about {minutes} minutes {en}; have the phone set its time \
                 automatically and type the code that it shows then"
            ),
        )
    }
}

/// The instant so many steps later, or earlier where they are negative.
fn shifted(now: Timestamp, steps: i64) -> Timestamp {
    let time = Duration::from_secs(steps.saturating_mul(STEP_SECONDS).unsigned_abs());
    if steps < 0 { now.minus(time) } else { now.plus(time) }
}

/// Secret that an authenticator and the service share.
#[derive(Clone)]
pub struct TotpSecret(zeroize::Zeroizing<[u8; SECRET_LEN]>);

impl TotpSecret {
    /// A new one from the randomness of `source`.
    #[must_use]
    pub fn generate(source: &dyn IdSource) -> Self {
        let mut bytes = zeroize::Zeroizing::new([0; SECRET_LEN]);
        source.fill(&mut *bytes);
        Self(bytes)
    }

    /// The one of these bytes, if they are as many as one has.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(zeroize::Zeroizing::new(bytes.try_into().ok()?)))
    }

    /// Its bytes, to be sealed.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &*self.0
    }

    /// Returns the secret as a person types it into an authenticator.
    #[must_use]
    pub fn shown(&self) -> SecretText {
        SecretText::new(BASE32_NOPAD.encode(&*self.0))
    }

    /// The address that an authenticator reads as a picture, for the person who signs in with that e-mail address.
    #[must_use]
    pub fn address(&self, email: &EmailAddress) -> SecretText {
        let (secret, account) = (self.shown(), encoded(email.as_str()));
        SecretText::new(format!(
            "otpauth://totp/{ISSUER}:{account}?secret={}&issuer={ISSUER}&algorithm=SHA1&digits={DIGITS}&period=30",
            secret.expose()
        ))
    }

    /// The step whose code that is, where the clock of the authenticator is off by so much, and by how much it is off:
    /// a clock that was set right since is known by a code that is good by our own.
    #[must_use]
    pub fn step_by(
        &self,
        code: &TotpCode,
        now: Timestamp,
        skew: ClockSkew,
    ) -> Option<(i64, ClockSkew)> {
        // The clock that is known comes first: near the edge a code of it is good by ours, too, and the next is not.
        let by_its_clock = self.step_of(code, shifted(now, skew.0)).map(|step| (step, skew));
        by_its_clock.or_else(|| self.step_of(code, now).map(|step| (step, ClockSkew::NONE)))
    }

    /// The step whose code that is within an hour of `now`, and by how much the authenticator's clock is off then. Only
    /// for a first code, which nobody guesses: it was shown the secret just now.
    #[must_use]
    pub fn first_step(&self, code: &TotpCode, now: Timestamp) -> Option<(i64, ClockSkew)> {
        // Each look sees three steps.
        let distances = (0..=SEARCHED_STEPS).step_by(3);
        let mut places = distances.flat_map(|steps| [steps, -steps]);
        let step = places.find_map(|steps| self.step_of(code, shifted(now, steps)))?;
        let skew = step - now.as_seconds().div_euclid(STEP_SECONDS);
        Some((step, if skew.abs() <= 1 { ClockSkew::NONE } else { ClockSkew(skew) }))
    }

    /// The step of half a minute whose code that is: the present one, the one before or the one after.
    #[must_use]
    pub fn step_of(&self, code: &TotpCode, now: Timestamp) -> Option<i64> {
        let seconds = u64::try_from(now.as_seconds()).ok()?;
        let totp = Builder::new().with_secret(*self.0).build().ok()?;
        totp.check(&code.0, seconds).and_then(|step| i64::try_from(step).ok())
    }
}

impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpSecret(…)")
    }
}

/// A code as somebody shows it.
#[derive(Clone, Debug)]
pub enum ShownCode {
    /// One of an authenticator.
    Totp(TotpCode),
    /// A recovery code.
    Recovery(RecoveryHash),
}

/// Six digits.
#[derive(Clone)]
pub struct TotpCode(String);

impl fmt::Debug for TotpCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpCode(…)")
    }
}

impl ShownCode {
    /// Reads what a person typed, with or without spaces, dots and hyphens, if it has the form of one.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        let is_dropped = |one: char| is_unseen(one) || is_separator(one);
        let plain = typed.chars().filter(|one| !is_dropped(*one)).take(RECOVERY_LEN + 1);
        let plain = zeroize::Zeroizing::new(plain.collect::<String>());
        if plain.len() == DIGITS && plain.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::Totp(TotpCode(plain.to_string())));
        }
        let read = |c: char| match c.to_ascii_lowercase() {
            'o' => Some('0'),
            'i' | 'l' => Some('1'),
            c => ALPHABET.iter().any(|known| char::from(*known) == c).then_some(c),
        };
        let code = SecretText::new(plain.chars().map(read).collect::<Option<String>>()?);
        (code.expose().len() == RECOVERY_LEN).then(|| Self::Recovery(RecoveryHash::of(&code)))
    }
}

/// A recovery code. It exists while it is handed out, and is kept nowhere.
#[derive(Clone, Debug)]
pub struct RecoveryCode(SecretText);

impl RecoveryCode {
    /// Generates as many new codes as a person gets.
    #[must_use]
    pub fn generate_all(source: &dyn IdSource) -> Vec<Self> {
        (0..RECOVERY_CODES).map(|_| Self::generate(source)).collect()
    }

    fn generate(source: &dyn IdSource) -> Self {
        let mut random = zeroize::Zeroizing::new([0; RECOVERY_LEN]);
        source.fill(&mut *random);
        // A byte has eight times as many values as the alphabet: none comes more often.
        let code = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
        Self(SecretText::new(code.collect()))
    }

    /// All that a store keeps of it.
    #[must_use]
    pub fn hash(&self) -> RecoveryHash {
        RecoveryHash::of(&self.0)
    }

    /// Returns the code as it is shown once, in groups.
    #[must_use]
    pub fn shown(&self) -> SecretText {
        let mut text = String::with_capacity(RECOVERY_LEN + RECOVERY_LEN / RECOVERY_GROUP);
        for (place, c) in self.0.expose().chars().enumerate() {
            if place > 0 && place % RECOVERY_GROUP == 0 {
                text.push('-');
            }
            text.push(c);
        }
        SecretText::new(text)
    }
}

secret_hash! {
    /// The SHA-256 of a recovery code.
    RecoveryHash
}

/// The wrong codes of an authenticator since the last right one: how many, and when the last was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongCodes {
    /// How many.
    pub count: i64,
    /// When the last one was.
    pub last_at: Timestamp,
}

impl WrongCodes {
    /// Checks that one more code may be tried. Wrong codes that were counted by a clock ahead are taken for wrong just
    /// now. They are not waited for where they lie further ahead than anybody waits: nobody knows for how long that
    /// would be.
    ///
    /// # Errors
    /// After how long it is.
    pub fn check(self, now: Timestamp) -> Result<(), Duration> {
        if self.last_at.is_beyond(now, WRONG_CODES.most) {
            return Ok(());
        }
        let left = self.last_at.min(now).plus(WRONG_CODES.wait(self.count)).since(now);
        if left.is_zero() { Ok(()) } else { Err(left) }
    }
}

#[cfg(test)]
mod tests;
