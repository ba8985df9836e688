//! Statements: lower-case constants that both engines accept as they stand.

use crate::columns::Columns;
use crate::outer_joins;
use crate::row_locks::{self, Locks};

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

/// How many parameters a statement may have.
const PARAMS_MAX: usize = 40;

/// A statement. Its text is checked when the program is compiled: lower case, and parameters from
/// `$1` on without gaps, in whatever order they appear.
#[derive(Debug)]
pub struct Sql {
    text: &'static str,
    reach: Reach,
    params: Params,
    columns: Columns,
    is_multi_row_insert: bool,
    reads_only_auth_tables: bool,
    touches_auth_tables: bool,
    locks: Locks,
    /// A bit for the number of each parameter in the condition of an outer join.
    in_outer_joins: u64,
}

/// The numbers of a statement's parameters, in the order of their first appearance. SQLite takes
/// `$n` for a name and counts by appearance, so this is the order in which it binds them.
#[derive(Debug)]
struct Params {
    numbers: [u8; PARAMS_MAX],
    count: usize,
}

impl Sql {
    /// A statement on the rows of one owner: `$1` is the owner, in every table it names.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self::reaching(text, Reach::Tenant)
    }

    /// A statement on locator, reference and control tables.
    #[must_use]
    pub const fn shared(text: &'static str) -> Self {
        Self::reaching(text, Reach::Shared)
    }

    /// A statement over the rows of many owners, bounded, never on a request. `reason` says why.
    #[must_use]
    pub const fn across_owners(text: &'static str, reason: &'static str) -> Self {
        Self::reaching(text, Reach::AcrossOwners(reason))
    }

    const fn reaching(text: &'static str, reach: Reach) -> Self {
        Self {
            text,
            reach,
            params: check(text),
            columns: Columns::of(text),
            is_multi_row_insert: false,
            reads_only_auth_tables: false,
            touches_auth_tables: false,
            locks: row_locks::locks(text),
            in_outer_joins: outer_joins::params(text),
        }
    }

    /// Marks an `insert ... values (...)` that PostgreSQL runs for many rows at once where it is deferred several
    /// times in a row. How many rows each of them wrote is not known then, so that [`Expect`](crate::tx::Expect)
    /// must be `Any`.
    #[must_use]
    pub const fn multi_row_insert(self) -> Self {
        Self { is_multi_row_insert: true, ..self }
    }

    /// Tells whether the statement is run for several rows at once.
    pub(crate) const fn is_multi_row_insert(&self) -> bool {
        self.is_multi_row_insert
    }

    /// Says of a `select` that it reads tables of authentication and no other, so
    /// that its answers may be cached. A test of the schema holds it to that.
    #[must_use]
    pub const fn reads_auth(self) -> Self {
        Self { reads_only_auth_tables: true, ..self }
    }

    /// Tells whether the statement reads nothing but tables of authentication.
    #[must_use]
    pub const fn reads_only_auth_tables(&self) -> bool {
        self.reads_only_auth_tables
    }

    /// Says that it writes a table of authentication: a commit with it invalidates
    /// the cached answers. A test holds every statement that does to saying so, and no other.
    #[must_use]
    pub const fn writes_auth(self) -> Self {
        Self { touches_auth_tables: true, ..self }
    }

    /// Tells whether the statement writes a table of authentication.
    #[must_use]
    pub const fn touches_auth_tables(&self) -> bool {
        self.touches_auth_tables
    }

    /// Returns the table whose rows that are there the statement locks, if it locks any.
    #[must_use]
    pub const fn locks(&self) -> Locks {
        self.locks
    }

    /// The text as both engines get it.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }

    /// Tells whether the statement reads or returns rows.
    pub(crate) fn has_rows(&self) -> bool {
        let is_write =
            ["insert ", "update ", "delete "].iter().any(|word| self.text.starts_with(word));
        !is_write || self.text.contains(" returning ")
    }

    /// The numbers of its parameters in the order of their first appearance.
    pub(crate) fn params(&self) -> &[u8] {
        &self.params.numbers[..self.params.count]
    }

    /// The numbers of its parameters that stand in the condition of an outer join: none of them may be null.
    pub fn in_outer_joins(&self) -> impl Iterator<Item = usize> {
        let bits = self.in_outer_joins;
        (1..=PARAMS_MAX).filter(move |&number| (bits >> number) & 1 == 1)
    }

    /// Which of the columns that it answers has that name.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.place_of(name, self.text)
    }

    /// The names of the columns that it answers, in order; empty for one without a name.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.columns.names(self.text)
    }

    /// Tells whether `$1` must be the owner of the transaction.
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

/// Refuses, while compiling, upper-case letters outside quotes and double quotes (`"C"`), and gaps
/// among the parameters. Answers their order.
const fn check(text: &str) -> Params {
    let bytes = text.as_bytes();
    let mut params = Params { numbers: [0; PARAMS_MAX], count: 0 };
    let mut highest = 0;
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
                number = number * 10 + (bytes[at] - b'0');
            }
            assert!(number >= 1 && number as usize <= PARAMS_MAX, "parameters count from $1");
            if number > highest {
                highest = number;
            }
            if !params.contains(number) {
                params.numbers[params.count] = number;
                params.count += 1;
            }
        }
        at += 1;
    }
    assert!(highest as usize == params.count, "a parameter is missing");
    params
}

impl Params {
    const fn contains(&self, number: u8) -> bool {
        let mut at = 0;
        while at < self.count {
            if self.numbers[at] == number {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// Declares the statements of a module and the list of them that the registry test prepares on
/// both engines.
#[macro_export]
macro_rules! statements {
    ($($(#[$meta:meta])* $vis:vis $name:ident = $sql:expr;)*) => {
        $($(#[$meta])* $vis static $name: $crate::sql::Sql = $sql;)*

        /// Every statement of this module.
        pub(crate) static STATEMENTS: &[(&str, &$crate::sql::Sql)] =
            &[$((stringify!($name), &$name)),*];
    };
}
