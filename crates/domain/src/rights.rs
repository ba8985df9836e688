//! What an employee may do, as its owner chose it: read or write, area by area.

use std::fmt;

/// A part of an owner's affairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Area {
    /// Keys, limits and webhooks.
    Integrations,
    /// Verifications, movements and the bank's notices.
    Payments,
    /// Payment links.
    PaymentLinks,
    /// Subscriptions.
    Subscriptions,
    /// Linked bank accounts.
    BankAccounts,
    /// Clients.
    Clients,
    /// Sums over all payments.
    Statistics,
    /// Employees.
    Team,
    /// Credits.
    Billing,
}

impl Area {
    /// Every area, in the order of the bits that a store keeps. Only ever append.
    pub const ALL: [Self; 9] = [
        Self::Integrations,
        Self::Payments,
        Self::PaymentLinks,
        Self::Subscriptions,
        Self::BankAccounts,
        Self::Clients,
        Self::Statistics,
        Self::Team,
        Self::Billing,
    ];

    /// The right to look at it.
    #[must_use]
    pub const fn read(self) -> Right {
        Right { area: self, writes: false }
    }

    /// The right to look at it and to change it.
    #[must_use]
    pub const fn write(self) -> Right {
        Right { area: self, writes: true }
    }
}

/// Right of an employee in one area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Right {
    area: Area,
    writes: bool,
}

/// A name that is not in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no right named {0}")]
pub struct UnknownRight(pub String);

impl Right {
    /// How many there are.
    pub const COUNT: usize = Area::ALL.len() * 2;

    /// Every right, area by area.
    pub fn all() -> impl Iterator<Item = Self> {
        Area::ALL.into_iter().flat_map(|area| [area.read(), area.write()])
    }

    /// Its name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match (self.area, self.writes) {
            (Area::Integrations, false) => "integrations:read",
            (Area::Integrations, true) => "integrations:write",
            (Area::Payments, false) => "payments:read",
            (Area::Payments, true) => "payments:write",
            (Area::PaymentLinks, false) => "payment_links:read",
            (Area::PaymentLinks, true) => "payment_links:write",
            (Area::Subscriptions, false) => "subscriptions:read",
            (Area::Subscriptions, true) => "subscriptions:write",
            (Area::BankAccounts, false) => "bank_accounts:read",
            (Area::BankAccounts, true) => "bank_accounts:write",
            (Area::Clients, false) => "clients:read",
            (Area::Clients, true) => "clients:write",
            (Area::Statistics, false) => "statistics:read",
            (Area::Statistics, true) => "statistics:write",
            (Area::Team, false) => "team:read",
            (Area::Team, true) => "team:write",
            (Area::Billing, false) => "billing:read",
            (Area::Billing, true) => "billing:write",
        }
    }

    /// Reads a name of the catalogue.
    ///
    /// # Errors
    ///
    /// [`UnknownRight`] for any other name.
    pub fn parse(name: &str) -> Result<Self, UnknownRight> {
        let known = Self::all().find(|right| right.as_str() == name);
        known.ok_or_else(|| UnknownRight(name.to_owned()))
    }

    const fn bit(self) -> i64 {
        1 << (self.area as u8 * 2 + self.writes as u8)
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of rights. A caller who may change an area may look at it: to write is to read, too.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Rights(i64);

impl Rights {
    /// No right.
    pub const NONE: Self = Self(0);

    /// Every right.
    pub const ALL: Self = Self((1 << Right::COUNT) - 1);

    /// The bits that a store keeps.
    #[must_use]
    pub const fn bits(self) -> i64 {
        self.0
    }

    /// The set that a store keeps as these bits, if every one has a meaning.
    #[must_use]
    pub const fn from_bits(bits: i64) -> Option<Self> {
        if bits & !Self::ALL.0 == 0 { Some(Self(bits)) } else { None }
    }

    /// Tells whether the right is among these.
    #[must_use]
    pub const fn contains(self, right: Right) -> bool {
        self.0 & right.bit() != 0
    }

    /// Adds a right, and to write the right to read.
    pub const fn insert(&mut self, right: Right) {
        self.0 |= right.bit() | right.area.read().bit();
    }

    /// Tells whether every one of these rights is among `others`.
    #[must_use]
    pub const fn is_subset_of(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// Each of them, area by area.
    pub fn iter(self) -> impl Iterator<Item = Right> {
        Right::all().filter(move |right| self.contains(*right))
    }
}

impl FromIterator<Right> for Rights {
    fn from_iter<I: IntoIterator<Item = Right>>(rights: I) -> Self {
        let mut set = Self::NONE;
        for right in rights {
            set.insert(right);
        }
        set
    }
}

impl fmt::Debug for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Right::as_str)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back_and_has_a_bit_of_its_own() {
        for (place, right) in Right::all().enumerate() {
            assert_eq!(Right::parse(right.as_str()), Ok(right));
            assert_eq!(right.bit(), 1 << place);
        }
        assert_eq!(Right::all().count(), Right::COUNT);
        for name in ["", "payments", "payments:", "Payments:read", "payments:read ", "api_keys"] {
            assert_eq!(Right::parse(name), Err(UnknownRight(name.to_owned())));
        }
    }

    #[test]
    fn who_may_write_may_read() {
        for area in Area::ALL {
            let writing: Rights = [area.write()].into_iter().collect();
            assert!(writing.contains(area.read()) && writing.contains(area.write()));
            let reading: Rights = [area.read()].into_iter().collect();
            assert!(!reading.contains(area.write()));
            assert!(reading.is_subset_of(writing) && !writing.is_subset_of(reading));
        }
    }

    #[test]
    fn sets_read_back_from_their_bits() {
        for right in Right::all() {
            let set: Rights = [right].into_iter().collect();
            assert_eq!(Rights::from_bits(set.bits()), Some(set));
            assert_eq!(set.iter().collect::<Rights>(), set);
            assert!(set.is_subset_of(Rights::ALL) && Rights::NONE.is_subset_of(set));
        }
        assert_eq!(Right::all().collect::<Rights>(), Rights::ALL);
        assert_eq!(Rights::from_bits(Rights::ALL.bits() + 1), None);
        assert_eq!(Rights::from_bits(-1), None);
    }
}
