//! Statements: lower-case constants that both engines accept as they stand.

/// Which rows a statement may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// Rows of one owner, who is the first parameter.
    Tenant,
    /// Locator, reference and control tables: no owner in sight.
    Shared,
    /// Rows of many owners, in background work only, for the reason given.
    AcrossOwners(&'static str),
}

/// A statement. Its text is checked when the program is compiled: parameters first appear in the
/// order `$1`, `$2`, …, because rusqlite binds them by first appearance.
#[derive(Debug)]
pub struct Sql {
    text: &'static str,
    reach: Reach,
}

impl Sql {
    /// A statement on the rows of one owner: `$1` is the owner, in every table it names.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        check(text);
        Self { text, reach: Reach::Tenant }
    }

    /// A statement on locator, reference and control tables.
    #[must_use]
    pub const fn shared(text: &'static str) -> Self {
        check(text);
        Self { text, reach: Reach::Shared }
    }

    /// A statement over the rows of many owners, bounded, never on a request. `reason` says why.
    #[must_use]
    pub const fn across_owners(text: &'static str, reason: &'static str) -> Self {
        check(text);
        Self { text, reach: Reach::AcrossOwners(reason) }
    }

    /// The text as both engines get it.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }

    /// Whether `$1` must be the owner of the transaction.
    #[must_use]
    pub const fn is_tenant(&self) -> bool {
        matches!(self.reach, Reach::Tenant)
    }

    /// Why the statement may touch the rows of many owners, if it does.
    #[must_use]
    pub const fn reason(&self) -> Option<&'static str> {
        match self.reach {
            Reach::AcrossOwners(reason) => Some(reason),
            Reach::Tenant | Reach::Shared => None,
        }
    }
}

/// Refuses, while compiling, upper-case letters outside quotes and double quotes (`"C"`), and
/// parameters whose first appearances are not `$1`, `$2`, … in this order.
const fn check(text: &str) {
    let bytes = text.as_bytes();
    let mut seen = 0;
    let mut at = 0;
    let mut quoted = false;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte == b'\'' || byte == b'"' {
            quoted = !quoted;
        }
        assert!(quoted || !byte.is_ascii_uppercase(), "SQL is written in lower case");
        if byte == b'$' && !quoted {
            let mut number = 0;
            while at + 1 < bytes.len() && bytes[at + 1].is_ascii_digit() {
                at += 1;
                number = number * 10 + (bytes[at] - b'0') as usize;
            }
            assert!(number >= 1 && number <= seen + 1, "parameters first appear in ascending order");
            if number == seen + 1 {
                seen = number;
            }
        }
        at += 1;
    }
}

/// Declares the statements of a module and the list of them that the registry test prepares on
/// both engines.
#[macro_export]
macro_rules! statements {
    ($($(#[$meta:meta])* $name:ident = $sql:expr;)*) => {
        $($(#[$meta])* static $name: $crate::sql::Sql = $sql;)*

        /// Every statement of this module.
        pub(crate) static STATEMENTS: &[(&str, &$crate::sql::Sql)] =
            &[$((stringify!($name), &$name)),*];
    };
}
