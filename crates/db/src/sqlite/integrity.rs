//! What SQLite finds wrong with a database file.

use rusqlite::{Connection, Error, Row};

use super::connection::fault;
use crate::fault::Fault;

/// How many findings of each kind are named.
const NAMED_MAX: usize = 100;

/// Makes SQLite check its own pages, each index against its table and the tables' own rules, and then look for rows
/// that refer to others which are not there. Reads all of the file.
pub(crate) fn check(connection: &Connection) -> Result<Vec<String>, Fault> {
    let pages = format!("pragma integrity_check({NAMED_MAX})");
    let mut found = listed(connection, &pages, |row| row.get::<_, String>(0))
        .map_err(|error| fault("the integrity check", error))?;
    // Its one row where there is nothing to say.
    found.retain(|line| line != "ok");
    let referring = |row: &Row<'_>| {
        let (table, id): (String, Option<i64>) = (row.get(0)?, row.get(1)?);
        let parent: String = row.get(2)?;
        let id = id.map_or_else(String::new, |id| format!(" {id}"));
        Ok(format!("row{id} of {table} refers to a row of {parent} that is not there"))
    };
    let referring = listed(connection, "pragma foreign_key_check", referring)
        .map_err(|error| fault("the check of foreign keys", error))?;
    found.extend(referring);
    Ok(found)
}

/// The first rows of a pragma, each as a line.
fn listed(
    connection: &Connection,
    pragma: &str,
    line: impl FnMut(&Row<'_>) -> Result<String, Error>,
) -> Result<Vec<String>, Error> {
    connection.prepare(pragma)?.query_map([], line)?.take(NAMED_MAX).collect()
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::check;
    use crate::conformance::schema::SCHEMA;
    use crate::sqlite::setup;

    #[test]
    fn a_sound_database_has_nothing_to_say() {
        assert_eq!(check(&setup::in_memory(&SCHEMA).unwrap()).unwrap(), [""; 0]);
    }

    #[test]
    fn a_row_that_refers_to_nothing_is_named() {
        let connection = setup::in_memory(&SCHEMA).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        connection.execute_batch("insert into sessions values (x'01', x'02', 3)").unwrap();
        let found = check(&connection).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("of sessions refers to a row of owners"), "{found:?}");
    }

    #[test]
    fn an_index_that_lacks_an_entry_is_named() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "create table things (name text); create index things_name on things (name);
                 insert into things values ('seen');
                 create table hidden as select * from sqlite_schema where name = 'things_name';
                 pragma writable_schema = on; delete from sqlite_schema where name = 'things_name';
                 pragma writable_schema = reset;
                 insert into things values ('unseen');
                 pragma writable_schema = on; insert into sqlite_schema select * from hidden;
                 pragma writable_schema = reset;",
            )
            .unwrap();
        let found = check(&connection).unwrap();
        assert!(found.iter().any(|line| line.contains("things_name")), "{found:?}");
    }
}
