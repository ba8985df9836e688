//! How the tables are spread over the servers of a distributed PostgreSQL, as SQL for Citus.

use crate::manifest::{self, Kind};
use crate::schema::SCHEMA;

/// The tenant table that the others lie beside, so that all rows of an owner are on one server.
const OWNERS: &str = "owners";

/// The table that no migration makes, since it lists them.
const MIGRATIONS: &str = "migrations";

/// Comment before the statements.
const HEAD: &str = "\
-- Spreads the tables over the servers of a Citus cluster. Run it once, on the coordinator, in a database that
-- `cotejo migrate` has made and in which no service has run. The coordinator must have said its address before, by
-- citus_set_coordinator_host. A table comes after those that it refers to.
";

/// The tables as SQL, as the migrations make them.
#[must_use]
pub fn tables() -> String {
    SCHEMA.migrations.iter().map(|step| step.text).collect()
}

/// SQL that spreads them: a statement for each table, in the order in which they are made, which is one in which a
/// server takes it.
#[must_use]
pub fn spread() -> String {
    let all = std::iter::once(MIGRATIONS).chain(made());
    let statements = all.filter_map(|table| Some(statement(table, manifest::kind(table)?)));
    std::iter::once(HEAD.to_owned()).chain(statements).collect()
}

/// The names of the tables, in the order in which the migrations make them.
fn made() -> impl Iterator<Item = &'static str> {
    let lines = SCHEMA.migrations.iter().flat_map(|step| step.text.lines());
    lines.filter_map(|line| line.strip_prefix("create table ")?.split(' ').next())
}

fn statement(table: &str, kind: Kind) -> String {
    match kind {
        Kind::Tenant => {
            let beside = if table == OWNERS { "none" } else { OWNERS };
            distributed(table, "owner_id", beside)
        }
        Kind::Locator(column) => distributed(table, column, "none"),
        Kind::Reference => format!("select create_reference_table('{table}');\n"),
        // On one server, and known to all, by any of which a node may enter.
        Kind::Control => format!("select citus_add_local_table_to_metadata('{table}');\n"),
    }
}

fn distributed(table: &str, column: &str, beside: &str) -> String {
    format!(
        "select create_distributed_table('{table}', '{column}', colocate_with => '{beside}');\n"
    )
}

#[cfg(test)]
mod tests {
    use db::sqlite::in_memory;
    use rusqlite::Connection;

    use super::*;

    /// The tables in the order in which they are spread, each with its statement.
    fn statements(sql: &str) -> Vec<(&str, &str)> {
        let lines = sql.lines().filter(|line| !line.starts_with("--"));
        lines.map(|line| (line.split('\'').nth(1).unwrap(), line)).collect()
    }

    fn strings(schema: &Connection, text: &str, table: &str) -> Vec<String> {
        let mut statement = schema.prepare(text).unwrap();
        let rows = statement.query_map([table], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn every_table_is_spread_once() {
        let sql = spread();
        let mut spread: Vec<_> = statements(&sql).into_iter().map(|(table, _)| table).collect();
        spread.sort_unstable();
        let listed: Vec<_> = manifest::TABLES.iter().map(|(table, _)| *table).collect();
        assert_eq!(spread, listed);
    }

    #[test]
    fn a_table_comes_after_those_that_it_refers_to() {
        let schema = in_memory(&SCHEMA).unwrap();
        let sql = spread();
        let mut before = Vec::new();
        for (table, _) in statements(&sql) {
            before.push(table);
            let text = "select \"table\" from pragma_foreign_key_list(?1)";
            for target in strings(&schema, text, table) {
                assert!(before.contains(&target.as_str()), "{table} comes before {target}");
            }
        }
    }

    #[test]
    fn each_is_spread_by_a_column_of_its_key() {
        let schema = in_memory(&SCHEMA).unwrap();
        let sql = spread();
        for (table, statement) in statements(&sql) {
            let key =
                strings(&schema, "select name from pragma_table_info(?1) where pk > 0", table);
            let column = match manifest::kind(table).unwrap() {
                Kind::Tenant => "owner_id",
                Kind::Locator(column) => column,
                Kind::Reference | Kind::Control => {
                    assert!(!statement.contains("create_distributed_table"), "{statement}");
                    continue;
                }
            };
            let beginning = format!("select create_distributed_table('{table}', '{column}', ");
            assert!(statement.starts_with(&beginning), "{statement}");
            assert!(key.iter().any(|name| name == column), "{table} by {column}: {key:?}");
        }
    }

    #[test]
    fn an_owners_rows_are_in_one_place_and_locators_by_themselves() {
        let sql = spread();
        for (table, statement) in statements(&sql) {
            let beside = match manifest::kind(table).unwrap() {
                Kind::Tenant if table != OWNERS => "colocate_with => 'owners');",
                Kind::Tenant | Kind::Locator(_) => "colocate_with => 'none');",
                Kind::Reference | Kind::Control => "');",
            };
            assert!(statement.ends_with(beside), "{statement}");
        }
    }
}
