//! Identifiers: 16 bytes in the stores, a prefix and 26 base32 characters everywhere else.
//!
//! Each kind is a type of its own, so that a key's id cannot be handed where an owner's is asked
//! for. Their text is time-ordered like the UUIDv7 inside, and the prefix shows a person (and a
//! log line) what is meant. Ids are made by [`IdSource`], never taken from the air.

use std::fmt;
use std::str::FromStr;

use crate::time::Timestamp;

/// The alphabet of Crockford's base32 in lower case: no `i`, `l`, `o` or `u`, sorted like bytes.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// How many characters 16 bytes take in base32.
const ENCODED_LEN: usize = 26;

/// How many characters an id has at most: the longest prefix, the underscore and the digits.
const TEXT_LEN_MAX: usize = 5 + 1 + ENCODED_LEN;

/// Text that is not an id of the kind asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id of the form {prefix}_…")]
pub struct InvalidId {
    pub(crate) prefix: &'static str,
}

/// The byte of a UUID whose upper half is its version.
const VERSION_AT: usize = 6;

/// The version of employees' ids; all others that have a time have 7.
const EMPLOYEE_VERSION: u8 = 8;

/// How much randomness goes into an id that has a time.
pub const ID_RANDOM_LEN: usize = 10;

/// Source of ids: the time, and randomness from the part that owns it.
pub trait IdSource: Send + Sync {
    /// Fills `bytes` with randomness fit for secrets.
    fn fill(&self, bytes: &mut [u8]);

    /// Fills `bytes` with the randomness of one id. Such an id is no secret: what fills it may be
    /// got in advance.
    fn fill_id(&self, bytes: &mut [u8; ID_RANDOM_LEN]) {
        self.fill(bytes);
    }

    /// A new UUIDv7 of the instant `now`.
    fn uuid(&self, now: Timestamp) -> [u8; 16] {
        let mut random = [0; ID_RANDOM_LEN];
        self.fill_id(&mut random);
        let millis = u64::try_from(now.as_micros() / 1_000).unwrap_or(0);
        *uuid::Builder::from_unix_timestamp_millis(millis, &random).as_uuid().as_bytes()
    }
}

/// An id of the instant at which it is made.
macro_rules! id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        form!($(#[$meta])* $name, $prefix);

        impl $name {
            /// A new id of the instant `now`.
            #[must_use]
            pub fn new(source: &dyn IdSource, now: Timestamp) -> Self {
                Self(source.uuid(now))
            }
        }
    };
}

impl RateId {
    /// An id that is greater than `former`: this one, or where a clock says otherwise the next behind that.
    #[must_use]
    pub fn behind(self, former: Self) -> Self {
        let next = u128::from_be_bytes(former.0).saturating_add(1);
        self.max(Self(next.to_be_bytes()))
    }

    /// Instant at which it was made, to the millisecond.
    #[must_use]
    pub fn made_at(self) -> Timestamp {
        let [a, b, c, d, e, f, ..] = self.0;
        Timestamp::from_micros(i64::from_be_bytes([0, 0, a, b, c, d, e, f]).saturating_mul(1_000))
    }
}

impl VerificationId {
    /// The greatest id of the millisecond in which the instant lies, and so one that no id of before is above.
    #[must_use]
    pub fn last_of(instant: Timestamp) -> Self {
        let millis = u64::try_from(instant.as_micros() / 1_000).unwrap_or(0);
        let mut bytes = [u8::MAX; 16];
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        Self(bytes)
    }
}

impl FirstReportId {
    /// The instant for which it was made, to the millisecond: when the payment was reported.
    #[must_use]
    pub fn instant(self) -> Timestamp {
        let mut millis = [0; 8];
        millis[2..].copy_from_slice(&self.0[..6]);
        // Six bytes of milliseconds, in microseconds, are far within what an instant holds.
        Timestamp::from_micros(i64::from_be_bytes(millis).saturating_mul(1_000))
    }
}

/// What all ids have in common, however they are made.
macro_rules! form {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// Prefix of the text of every id of this type, before the underscore.
            pub const PREFIX: &'static str = {
                assert!($prefix.len() + 1 + ENCODED_LEN <= TEXT_LEN_MAX);
                $prefix
            };

            /// The id that a store keeps as these bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// The bytes that a store keeps.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; 16] {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_id(f, Self::PREFIX, self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_id(f, Self::PREFIX, self.0)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                parse_id(text, $prefix).map(Self).ok_or(InvalidId { prefix: $prefix })
            }
        }
    };
}

id!(/// An owner: a merchant account.
    OwnerId, "own");
id!(/// A client: a sub-customer of an owner.
    ClientId, "cli");
id!(/// An API key's record, kept when its text rotates.
    KeyId, "key");
id!(/// A session that a login opened.
    SessionId, "ses");
form!(/// An employee: a person of an owner. Its bytes say that they are one's, so that an actor is known for what it is.
    EmployeeId, "emp");
id!(/// A bank account as the owner linked it.
    BankId, "bank");
id!(/// The real account behind any number of links: bank and number.
    IdentityId, "acct");
id!(/// A movement: what the bank shows.
    MovementId, "mov");
id!(/// A bank payment: a movement verified and claimed.
    PaymentId, "pay");
id!(/// A verification: one attempt to find a movement.
    VerificationId, "ver");
form!(/// A payment link. All of it is random, since anybody who knows it may see the link's page.
    LinkId, "link");
form!(/// A receipt. All of it is random, since anybody who knows it may see the receipt's page.
    ReceiptId, "rcp");
id!(/// The first report of a payment, on its way to the one call that gets it.
    FirstReportId, "rep");
id!(/// A subscription.
    SubscriptionId, "sub");
form!(/// The payer's page of a subscription. All of it is random, since anybody who knows it may see the page.
    PayerPageId, "spg");
id!(/// An event that webhooks report: the same at every repeat.
    EventId, "evt");
form!(/// A place in the feed of an owner's events: behind the event of the same bytes.
    EventCursor, "cur");
form!(/// A place in the list of an owner's payments: behind the one that has that instant there.
    PaymentCursor, "pcur");
id!(/// Having deliveries begin again that have failed: a job with an end.
    RedeliveryId, "redo");
id!(/// A request, in logs and in error bodies.
    RequestId, "req");
id!(/// A line of the audit trail.
    AuditId, "aud");
id!(/// A notice of a payment that a bank sent by itself.
    NotificationId, "ntf");
id!(/// A notice to an owner of something that went wrong in its affairs.
    NoticeId, "ntc");
id!(/// An exchange rate, as it was published or corrected.
    RateId, "rate");
id!(/// A rate that is held for the payer of a link.
    RateLockId, "lock");
id!(/// A plan of the operator's, which owners have.
    PlanId, "plan");
id!(/// A mail, on its way to somebody.
    MailId, "mail");
id!(/// An installation's store, so that a master key of another one is recognised.
    StoreId, "store");

form!(/// The one whose work is counted and charged: a key, an employee, or an owner for all of its own sessions. The bytes
/// are those of the key, the employee or the owner, which no two of them share.
    ActorId, "act");

impl From<KeyId> for ActorId {
    fn from(key: KeyId) -> Self {
        Self(key.0)
    }
}

impl From<OwnerId> for ActorId {
    fn from(owner: OwnerId) -> Self {
        Self(owner.0)
    }
}

impl From<EmployeeId> for ActorId {
    fn from(employee: EmployeeId) -> Self {
        Self(employee.0)
    }
}

impl ActorId {
    /// The employee that this is, if it is one.
    #[must_use]
    pub fn employee(self) -> Option<EmployeeId> {
        (self.0[VERSION_AT] >> 4 == EMPLOYEE_VERSION).then_some(EmployeeId(self.0))
    }

    /// The key of an owner that this is, unless it is an employee or the owner.
    #[must_use]
    pub fn key(self, owner: OwnerId) -> Option<KeyId> {
        let is_key = self.0 != owner.0 && self.employee().is_none();
        is_key.then_some(KeyId(self.0))
    }

    /// The id by which people know it: that of a key or an employee of the owner, or the owner's.
    #[must_use]
    pub fn known_as(self, owner: OwnerId) -> String {
        match (self.employee(), self.key(owner)) {
            (Some(employee), _) => employee.to_string(),
            (None, Some(key)) => key.to_string(),
            (None, None) => owner.to_string(),
        }
    }
}

impl PaymentCursor {
    /// The place behind the payment that has that line of the ledger.
    #[must_use]
    pub fn behind(line: i64) -> Self {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&line.to_be_bytes());
        Self(bytes)
    }

    /// The line of the payment that it is behind.
    #[must_use]
    pub fn line(self) -> i64 {
        let [a, b, c, d, e, f, g, h, ..] = self.0;
        i64::from_be_bytes([a, b, c, d, e, f, g, h])
    }
}

impl EmployeeId {
    /// A new id of the instant `now`: a UUID of the version for own uses, otherwise made like a UUIDv7.
    #[must_use]
    pub fn new(source: &dyn IdSource, now: Timestamp) -> Self {
        let mut bytes = source.uuid(now);
        bytes[VERSION_AT] = bytes[VERSION_AT] & 0x0f | EMPLOYEE_VERSION << 4;
        Self(bytes)
    }
}

/// A new id of 16 random bytes, which nobody can guess.
macro_rules! unguessable {
    ($($name:ident),*) => {
        $(impl $name {
            /// A new id, which nobody can guess.
            #[must_use]
            pub fn new(source: &dyn IdSource) -> Self {
                let mut bytes = [0; 16];
                source.fill(&mut bytes);
                Self(bytes)
            }
        })*
    };
}

unguessable!(LinkId, PayerPageId, ReceiptId);

/// Writes the text in one piece: every request has an id, and its line in the log several.
fn write_id(f: &mut fmt::Formatter<'_>, prefix: &str, bytes: [u8; 16]) -> fmt::Result {
    let mut text = [b'_'; TEXT_LEN_MAX];
    let text = &mut text[..prefix.len() + 1 + ENCODED_LEN];
    text[..prefix.len()].copy_from_slice(prefix.as_bytes());
    let mut rest = u128::from_be_bytes(bytes);
    for slot in text[prefix.len() + 1..].iter_mut().rev() {
        *slot = ALPHABET[(rest & 31) as usize];
        rest >>= 5;
    }
    f.write_str(str::from_utf8(text).map_err(|_| fmt::Error)?)
}

fn parse_id(text: &str, prefix: &str) -> Option<[u8; 16]> {
    let digits = text.strip_prefix(prefix)?.strip_prefix('_')?.as_bytes();
    // The first of 26 characters holds three bits only, since 16 bytes are 128.
    if digits.len() != ENCODED_LEN || digits[0] > b'7' {
        return None;
    }
    let mut value: u128 = 0;
    for digit in digits {
        let bits = ALPHABET.iter().position(|known| known == digit)?;
        value = (value << 5) | bits as u128;
    }
    Some(value.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_reads_back_from_its_own_text() {
        for bytes in [[0; 16], [255; 16], *b"0123456789abcdef"] {
            let id = KeyId::from_bytes(bytes);
            let text = id.to_string();
            assert_eq!(text.len(), "key_".len() + ENCODED_LEN);
            assert_eq!(text.parse(), Ok(id));
        }
    }

    #[test]
    fn the_text_is_the_prefix_and_base32() {
        let id = StoreId::from_bytes(*b"0123456789abcdef");
        assert_eq!(id.to_string(), "store_1g64s36d1n6rvkgeb1c9hp8sb6");
        assert_eq!(format!("{:?}", KeyId::from_bytes([255; 16])), "key_7zzzzzzzzzzzzzzzzzzzzzzzzz");
    }

    #[test]
    fn an_actor_is_a_key_or_its_owner() {
        let (owner, key) = (OwnerId::from_bytes([1; 16]), KeyId::from_bytes([2; 16]));
        assert_eq!(ActorId::from(key).key(owner), Some(key));
        assert_eq!(ActorId::from(owner).key(owner), None);
        assert_eq!(ActorId::from(key).known_as(owner), key.to_string());
        assert_eq!(ActorId::from(owner).known_as(owner), owner.to_string());
        assert_eq!((ActorId::from(key).employee(), ActorId::from(owner).employee()), (None, None));
    }

    #[test]
    fn a_rate_that_comes_later_has_the_greater_id_whatever_clocks_say() {
        let of = |micros| RateId::new(&Fixed(7), Timestamp::from_micros(micros));
        let (earlier, later) = (of(1_795_176_000_000_000), of(1_795_176_000_001_000));
        assert_eq!(later.behind(earlier), later);
        assert!(earlier.behind(later) > later && later.behind(later) > later);
    }

    #[test]
    fn the_last_id_of_an_instant_lies_between_those_of_it_and_those_of_later() {
        let at = |micros: i64| Timestamp::from_micros(1_795_176_000_000_000 + micros);
        let last = VerificationId::last_of(at(0));
        assert!(VerificationId::new(&Fixed(0xff), at(999)) <= last);
        assert!(last < VerificationId::new(&Fixed(0xff), at(1_000)));
        assert!(last < VerificationId::last_of(at(1_000)));
    }

    #[test]
    fn a_place_among_payments_is_that_of_its_line() {
        let line = 1_763_640_000_000_007;
        assert_eq!(PaymentCursor::behind(line).line(), line);
        let text = PaymentCursor::behind(line).to_string();
        assert_eq!(text.parse::<PaymentCursor>().map(PaymentCursor::line), Ok(line));
        assert!(text.replace("pcur_", "cur_").parse::<PaymentCursor>().is_err());
    }

    struct Fixed(u8);

    impl IdSource for Fixed {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    #[test]
    fn an_employee_is_distinguished_from_a_key_by_its_bytes() {
        let (owner, now) =
            (OwnerId::from_bytes([1; 16]), Timestamp::from_micros(1_763_640_000_000_000));
        for random in [0, 0x7f, 0xff] {
            let (key, employee) =
                (KeyId::new(&Fixed(random), now), EmployeeId::new(&Fixed(random), now));
            assert_eq!(ActorId::from(key).key(owner), Some(key));
            assert_eq!(ActorId::from(key).employee(), None);
            let actor = ActorId::from(employee);
            assert_eq!((actor.employee(), actor.key(owner)), (Some(employee), None));
            assert_eq!(actor.known_as(owner), employee.to_string());
            // Otherwise it is the id that its instant makes, in the same order.
            assert_eq!(employee.to_bytes()[..VERSION_AT], key.to_bytes()[..VERSION_AT]);
        }
    }

    #[test]
    fn text_sorts_like_the_bytes() {
        let mut ids: Vec<_> = (0..=255u8).map(|n| KeyId::from_bytes([n; 16])).collect();
        ids.sort_by_key(ToString::to_string);
        assert!(ids.is_sorted());
    }

    #[test]
    fn other_kinds_and_other_text_are_refused() {
        let key = KeyId::from_bytes([7; 16]).to_string();
        assert!(key.parse::<OwnerId>().is_err());
        for text in
            ["", "key_", "key", "key_8zzzzzzzzzzzzzzzzzzzzzzzzz", "key_0000000000000000000000000u"]
        {
            assert!(text.parse::<KeyId>().is_err(), "{text}");
        }
        assert!(key.to_uppercase().parse::<KeyId>().is_err());
    }
}
