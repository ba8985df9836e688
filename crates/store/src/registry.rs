//! Every statement of the program, by module. The engines prepare them when they open, so that one
//! that the schema does not know is found at the start; tests hold them to the rules.

use crate::sql::Sql;
use crate::{due, locators};

/// A module's name and its statements, each with its own name.
pub(crate) type Module = (&'static str, &'static [(&'static str, &'static Sql)]);

/// Every module that has statements.
pub(crate) fn all() -> Vec<Module> {
    vec![("due", due::STATEMENTS), ("locators", locators::STATEMENTS)]
}

#[cfg(test)]
mod tests;
