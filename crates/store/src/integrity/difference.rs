//! What an audit finds, and the rules by which most of it is found: statements that return the rows that break them.

use std::fmt;

use domain::ids::OwnerId;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::Tx;
use crate::value::{Column, Row, Value};

/// How many findings of one kind are named for one owner; a broken ledger breaks in many places.
pub(crate) const NAMED_MAX: i64 = 100;

/// Something that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is about: a table, a column, and the row; and what is wrong, where that is no figure.
    pub what: String,
    /// The two figures that must be one, where it is about figures.
    pub figures: Option<Figures>,
}

/// Two figures that must be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// What is kept.
    pub kept: i64,
    /// What it should be by the rows that it stands for.
    pub computed: i64,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.figures {
            Some(Figures { kept, computed }) => {
                write!(f, "{}: kept {kept}, computed {computed}", self.what)
            }
            None => f.write_str(&self.what),
        }
    }
}

/// A rule about the rows of a table.
pub(crate) struct Rule {
    /// The table.
    pub(crate) table: &'static str,
    /// Answers of each row that breaks it the column that does, as `col`, and by what the row is named. `$1` is the
    /// owner, `$2` how many rows are wanted.
    pub(crate) sql: &'static Sql,
    /// Names the row.
    pub(crate) row: fn(OwnerId, &Row) -> Result<String, Fault>,
    /// What is wrong with the column.
    pub(crate) says: &'static str,
}

/// Names a difference, if there is one.
pub(crate) fn compare(
    found: &mut Vec<Difference>,
    kept: i64,
    computed: i64,
    what: impl FnOnce() -> String,
) {
    if kept != computed {
        found.push(Difference { what: what(), figures: Some(Figures { kept, computed }) });
    }
}

/// Names a row that breaks a rule.
pub(crate) fn name(found: &mut Vec<Difference>, column: &str, row: &str, says: &str) {
    found.push(Difference { what: format!("{column} of {row}: {says}"), figures: None });
}

/// Names the rows that break these rules, [`NAMED_MAX`] of each at most, with one wait for all of them. Beside a rule are
/// the parameters of its statement from `$3` on.
pub(crate) fn hold(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    rules: &[(&Rule, &[Value])],
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let params = rules.iter().map(|(_, more)| [&[owner.into(), NAMED_MAX.into()], *more].concat());
    let params: Vec<Vec<Value>> = params.collect();
    let statements = rules.iter().zip(&params);
    let statements: Vec<_> =
        statements.map(|((rule, _), params)| (rule.sql, params.as_slice())).collect();
    for ((rule, _), rows) in rules.iter().zip(tx.query_all(&statements)?) {
        for row in rows {
            let column: String = row.get("col")?;
            name(found, &format!("{}.{column}", rule.table), &(rule.row)(owner, &row)?, rule.says);
        }
    }
    Ok(())
}

/// The id in the answer of a [`Rule`].
pub(crate) fn id<I: Column + fmt::Display>(_: OwnerId, row: &Row) -> Result<String, Fault> {
    Ok(row.get::<I>("id")?.to_string())
}
