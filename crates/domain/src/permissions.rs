//! What a key may do, as its owner chose it.

use std::fmt;

/// A permission that a normal key holds or lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// Verify payments, and see verifications.
    PaymentVerifications,
    /// Make and see payment links.
    PaymentLinks,
    /// Make and see subscriptions.
    Subscriptions,
    /// Link bank accounts, trash them and change their secrets.
    BankAccountsManage,
    /// See what the bank shows.
    Movements,
    /// See the bank's notices of payments.
    Notifications,
    /// See sums over all payments.
    Statistics,
    /// See keys and webhook settings.
    Integrations,
    /// Issue keys. Only an owner's session grants it.
    ApiKeys,
}

/// A name that is not in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no permission named {given}")]
pub struct UnknownPermission {
    /// The name that was given.
    pub given: String,
    /// The one that is meant, where an older name is known.
    pub right: Option<Permission>,
}

impl Permission {
    /// The catalogue, in the order of the bits that a store keeps. Only ever append.
    pub const ALL: [Self; 9] = [
        Self::PaymentVerifications,
        Self::PaymentLinks,
        Self::Subscriptions,
        Self::BankAccountsManage,
        Self::Movements,
        Self::Notifications,
        Self::Statistics,
        Self::Integrations,
        Self::ApiKeys,
    ];

    /// Its name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PaymentVerifications => "payment_verifications",
            Self::PaymentLinks => "payment_links",
            Self::Subscriptions => "subscriptions",
            Self::BankAccountsManage => "bank_accounts_manage",
            Self::Movements => "movements",
            Self::Notifications => "notifications",
            Self::Statistics => "statistics",
            Self::Integrations => "integrations",
            Self::ApiKeys => "api_keys",
        }
    }

    /// Reads a name of the catalogue.
    ///
    /// # Errors
    ///
    /// [`UnknownPermission`] for any other name, with the right one for those of older catalogues.
    pub fn parse(name: &str) -> Result<Self, UnknownPermission> {
        let known = Self::ALL.into_iter().find(|permission| permission.as_str() == name);
        known.ok_or_else(|| UnknownPermission {
            given: name.to_owned(),
            right: match name {
                "verify_payments" => Some(Self::PaymentVerifications),
                "generate_pay_link" => Some(Self::PaymentLinks),
                _ => None,
            },
        })
    }

    const fn bit(self) -> i64 {
        1 << self as u8
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of permissions.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Permissions(i64);

impl Permissions {
    /// No permission.
    pub const NONE: Self = Self(0);

    /// The whole catalogue.
    pub const ALL: Self = Self((1 << Permission::ALL.len()) - 1);

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

    /// Tells whether the permission is among these.
    #[must_use]
    pub const fn contains(self, permission: Permission) -> bool {
        self.0 & permission.bit() != 0
    }

    /// Adds a permission.
    pub const fn insert(&mut self, permission: Permission) {
        self.0 |= permission.bit();
    }

    /// Tells whether there are no permissions.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Tells whether every one of these permissions is among `others`.
    #[must_use]
    pub const fn is_subset_of(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// Each of them, in the order of the catalogue.
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL.into_iter().filter(move |permission| self.contains(*permission))
    }
}

impl FromIterator<Permission> for Permissions {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        let mut set = Self::NONE;
        for permission in permissions {
            set.insert(permission);
        }
        set
    }
}

impl fmt::Debug for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Permission::as_str)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for (place, permission) in Permission::ALL.into_iter().enumerate() {
            assert_eq!(Permission::parse(permission.as_str()), Ok(permission));
            assert_eq!(permission.bit(), 1 << place);
        }
    }

    #[test]
    fn an_older_name_leads_to_the_right_one() {
        for (name, right) in [
            ("verify_payments", Some(Permission::PaymentVerifications)),
            ("generate_pay_link", Some(Permission::PaymentLinks)),
            ("Payment_Links", None),
            ("", None),
        ] {
            let unknown = Permission::parse(name).unwrap_err();
            assert_eq!(unknown, UnknownPermission { given: name.to_owned(), right });
        }
    }

    #[test]
    fn sets_read_back_from_their_bits() {
        for bits in 0..=Permissions::ALL.bits() {
            let set = Permissions::from_bits(bits).unwrap();
            assert_eq!(set.iter().collect::<Permissions>(), set);
            assert!(set.is_subset_of(Permissions::ALL) && Permissions::NONE.is_subset_of(set));
        }
        assert_eq!(Permissions::from_bits(Permissions::ALL.bits() + 1), None);
        assert_eq!(Permissions::from_bits(-1), None);
        assert!(!Permissions::ALL.is_subset_of(Permissions::NONE));
    }
}
