//! Every statement of the program, prepared by the server.

use testkit::postgres::Database;
use tokio_postgres::types::Type;

use super::link;
use crate::registry;

const TYPES: [Type; 4] = [Type::BOOL, Type::INT8, Type::TEXT, Type::BYTEA];

#[test]
fn every_statement_has_the_four_types_only() {
    let database = Database::migrated();
    let mut link = link(&database);
    let mut wire = link.wire().unwrap();
    for (module, statements) in registry::all() {
        for (name, sql) in statements {
            let what = format!("{module}::{name}");
            wire.prepare(std::iter::once(*sql))
                .unwrap_or_else(|failure| panic!("{what}: {failure:?}"));
            let statement = wire.prepared(sql).unwrap();
            for ty in statement.params() {
                assert!(TYPES.contains(ty), "{what} takes {ty}");
            }
            for column in statement.columns() {
                assert!(TYPES.contains(column.type_()), "{what} answers {}", column.type_());
            }
        }
    }
}
