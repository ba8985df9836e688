//! The fingerprint of a question: by it, the same question asked again is known.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::ids::{ActorId, IdentityId, MovementId};
use crate::matching::{PaidWithin, Query, Rule};

/// Prefix of the bytes of every fingerprint, so that another encoding never makes an equal one.
const VERSION: &[u8] = b"verification 1";

/// The beginning of the fingerprint of an acceptance.
const ACCEPTANCE: &[u8] = b"acceptance 1";

/// SHA-256 over who asked, on which account, for which digits that count and with which facts.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of `query`, asked by `actor`, which is a key's id or, for a session, the
    /// owner's. Every fact counts in its normal form, so that spellings make no difference.
    #[must_use]
    pub fn of(actor: [u8; 16], identity: IdentityId, rule: Rule, query: &Query) -> Self {
        let mut fields = Fields::of(VERSION);
        fields.add(Some(&actor));
        fields.add(Some(&identity.to_bytes()));
        match rule {
            Rule::Exact => fields.add(None),
            Rule::Suffix { min_digits } => fields.add(Some(&min_digits.to_be_bytes())),
        }
        // Where references are compared whole, zeros in front never count.
        let digits = match rule {
            Rule::Exact => query.reference.digits(),
            Rule::Suffix { .. } => query.reference.typed(),
        };
        fields.add(Some(digits.as_bytes()));
        fields.number(query.amount.map(crate::money::Bolivars::hundredths));
        fields.text(query.phone.as_ref());
        fields.text(query.document.as_ref());
        fields.text(query.bank_origin.as_ref());
        fields.text(query.account.as_ref());
        fields.number(query.paid_on.map(crate::time::CaracasDate::days));
        fields.add(Some(query.kind.as_str().as_bytes()));
        for (from, until) in query.paid_within.iter().flat_map(PaidWithin::times) {
            fields.number(Some(from.as_micros()));
            fields.number(Some(until.as_micros()));
        }
        Self(fields.digest())
    }

    /// The fingerprint of a person's acceptance of a movement. `acceptor` is who gets the first report; without one, the
    /// report is left to the next caller who asks for the movement.
    #[must_use]
    pub fn of_acceptance(movement: MovementId, acceptor: Option<ActorId>) -> Self {
        let mut fields = Fields::of(ACCEPTANCE);
        fields.add(Some(&movement.to_bytes()));
        fields.add(acceptor.map(ActorId::to_bytes).as_ref().map(<[u8; 16]>::as_slice));
        Self(fields.digest())
    }

    /// The fingerprint that a store keeps as these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes that a store keeps.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }
}

impl fmt::Debug for Fingerprint {
    /// The first bytes, enough to distinguish two in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}…", data_encoding::HEXLOWER.encode(&self.0[..4]))
    }
}

/// Fields one after another, each with its length in front, so that no two lists of fields are the
/// same bytes. A field that is absent differs from one that is empty.
pub(crate) struct Fields(Sha256);

impl Fields {
    /// Begins with the version, so that another encoding never makes equal bytes.
    pub(crate) fn of(version: &[u8]) -> Self {
        let mut fields = Self(Sha256::new());
        fields.add(Some(version));
        fields
    }

    /// The digest of all of them.
    pub(crate) fn digest(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    pub(crate) fn add(&mut self, field: Option<&[u8]>) {
        match field {
            Some(bytes) => {
                self.0.update([1]);
                self.0.update((bytes.len() as u64).to_be_bytes());
                self.0.update(bytes);
            }
            None => self.0.update([0]),
        }
    }

    fn text(&mut self, field: Option<&impl fmt::Display>) {
        let text = field.map(ToString::to_string);
        self.add(text.as_deref().map(str::as_bytes));
    }

    pub(crate) fn number(&mut self, field: Option<i64>) {
        self.add(field.map(i64::to_be_bytes).as_ref().map(<[u8; 8]>::as_slice));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::ids::OwnerId;
    use crate::matching::MovementKind;
    use crate::money::Bolivars;
    use crate::payer::{AccountNumber, BankCode, Document, Phone};
    use crate::reference::TypedReference;
    use crate::time::CaracasDate;

    const ACTOR: [u8; 16] = [1; 16];
    const ACCOUNT: IdentityId = IdentityId::from_bytes([2; 16]);
    const RULE: Rule = Rule::Suffix { min_digits: 6 };

    fn query(reference: &str) -> Query {
        Query::new(TypedReference::parse(reference).unwrap())
    }

    fn of(query: &Query) -> Fingerprint {
        Fingerprint::of(ACTOR, ACCOUNT, RULE, query)
    }

    #[test]
    fn spellings_make_no_difference() {
        let phone = |text| Query { phone: Phone::parse(text).ok(), ..query("123456") };
        assert_eq!(of(&phone("0414-1234567")), of(&phone("+584141234567")));
        let document = |text| Query { document: Document::parse(text).ok(), ..query("123456") };
        assert_eq!(of(&document("V012345678")), of(&document("v-12345678")));
        assert_eq!(of(&query("000-123.456")), of(&query("123456")));
    }

    #[test]
    fn every_fact_makes_a_difference() {
        let plain = query("123456");
        let date = CaracasDate::parse("2026-11-20").ok();
        let questions = [
            plain.clone(),
            query("0123457"),
            // Zeros in front of so few are digits.
            query("00123456"),
            Query { amount: Some(Bolivars::from_hundredths(1)), ..plain.clone() },
            Query { amount: Some(Bolivars::from_hundredths(2)), ..plain.clone() },
            Query { phone: Phone::parse("04141234567").ok(), ..plain.clone() },
            Query { document: Document::parse("V12345678").ok(), ..plain.clone() },
            Query { bank_origin: BankCode::parse("0102").ok(), ..plain.clone() },
            Query { account: AccountNumber::parse("01020000890000000001").ok(), ..plain.clone() },
            Query { paid_on: date, ..plain.clone() },
            Query { kind: MovementKind::C2p, ..plain.clone() },
        ];
        let mut seen: HashSet<_> = questions.iter().map(of).collect();
        seen.insert(Fingerprint::of([9; 16], ACCOUNT, RULE, &plain));
        seen.insert(Fingerprint::of(ACTOR, IdentityId::from_bytes([9; 16]), RULE, &plain));
        seen.insert(Fingerprint::of(ACTOR, ACCOUNT, Rule::Exact, &plain));
        seen.insert(Fingerprint::of(ACTOR, ACCOUNT, Rule::Suffix { min_digits: 4 }, &plain));
        assert_eq!(seen.len(), questions.len() + 4);
    }

    #[test]
    fn an_acceptance_is_known_by_its_movement_and_by_who_gets_the_first_report() {
        let movement = |byte| MovementId::from_bytes([byte; 16]);
        let actor = |byte| Some(ActorId::from(OwnerId::from_bytes([byte; 16])));
        let one = Fingerprint::of_acceptance(movement(1), actor(2));
        assert_eq!(Fingerprint::of_acceptance(movement(1), actor(2)), one);
        for other in [(movement(1), None), (movement(1), actor(3)), (movement(3), actor(2))] {
            assert_ne!(Fingerprint::of_acceptance(other.0, other.1), one);
        }
    }

    #[test]
    fn it_reads_back_from_its_bytes_and_shows_little() {
        let fingerprint = of(&query("123456"));
        assert_eq!(Fingerprint::from_bytes(fingerprint.to_bytes()), fingerprint);
        assert_eq!(format!("{fingerprint:?}").chars().count(), 9);
    }
}
