//! Every statement of the program, prepared by the server.

use testkit::postgres::Database;

use super::link;
use crate::registry;

#[test]
fn every_statement_is_known_to_the_server_and_has_the_four_types_only() {
    let database = Database::migrated();
    let mut link = link(&database);
    let mut wire = link.wire().unwrap();
    for (module, statements) in registry::all() {
        for (name, sql) in statements {
            let ways = if sql.is_multi_row_insert() { &[false, true][..] } else { &[false] };
            for for_many in ways {
                wire.prepare_each(std::iter::once(*sql), *for_many)
                    .unwrap_or_else(|error| panic!("{module}::{name}: {error:?}"));
            }
        }
    }
}
