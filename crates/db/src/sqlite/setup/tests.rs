//! How a database is opened: its settings, its schema, and which databases are refused.

use super::*;
use crate::conformance::Folder;
use crate::conformance::schema::SCHEMA;
use crate::sql::Sql;

/// A schema that grows: its second step rebuilds a table to which another refers.
const GROWN: [&str; 2] = [
    "create table parents (id integer not null, primary key (id)) strict;
     create table children (id integer not null, parent integer not null, primary key (id),
         foreign key (parent) references parents (id)) strict;",
    "create table parents_anew (id integer not null, name text, primary key (id)) strict;
     insert into parents_anew (id) select id from parents;
     drop table parents;
     alter table parents_anew rename to parents;",
];

/// The first steps of that schema.
fn steps(count: usize) -> Vec<Step> {
    let step = |(version, text): (i64, &&str)| Step {
        version,
        name: "a_step",
        text: (*text).to_owned(),
        checksum: [0; 32],
        compatible_from: version,
    };
    (1..).zip(&GROWN[..count]).map(step).collect()
}

/// A database at the first of those steps, with a row that refers to another.
fn grown_once() -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    migrate(&mut connection, &steps(1), Timestamp::from_micros(0)).unwrap();
    connection
        .execute_batch("insert into parents values (7); insert into children values (1, 7)")
        .unwrap();
    connection
}

/// These columns of a table's rows, each row as one text.
fn rows(connection: &Connection, table: &str, columns: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("select {columns} from {table}")).unwrap();
    let width = statement.column_count();
    let row = statement.query_map([], |row| {
        (0..width).map(|at| row.get::<_, rusqlite::types::Value>(at)).collect::<Result<Vec<_>, _>>()
    });
    row.unwrap().map(|row| format!("{:?}", row.unwrap())).collect()
}

/// The settings that SQLite is built with stand in a file that cargo reads where it is called.
#[test]
fn sqlite_is_built_with_the_settings_of_the_project() {
    let connection = Connection::open_in_memory().unwrap();
    let options = rows(&connection, "pragma_compile_options", "compile_options").join(" ");
    for option in ["DEFAULT_MEMSTATUS=0", "DEFAULT_PCACHE_INITSZ=0"] {
        assert!(options.contains(option), "{option}: {options}");
    }
}

#[test]
fn a_table_that_is_made_anew_keeps_its_rows_and_what_refers_to_them() {
    let mut connection = grown_once();
    migrate(&mut connection, &steps(2), Timestamp::from_micros(5)).unwrap();
    assert_eq!(rows(&connection, "parents", "id, name"), ["[Integer(7), Null]"]);
    let error = connection.execute("delete from parents", []).unwrap_err();
    assert_eq!(error.to_string(), "FOREIGN KEY constraint failed");
    assert_eq!(applied(&connection).unwrap().len(), 2);
}

#[test]
fn a_database_whose_rows_refer_to_nothing_is_left_as_it_was() {
    let mut connection = grown_once();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute("delete from parents", []).unwrap();

    let error = migrate(&mut connection, &steps(2), Timestamp::from_micros(0)).unwrap_err();

    let message = format!("{error:?}");
    assert!(message.contains("rows of children refer to what is not there"), "{message}");
    assert_eq!(applied(&connection).unwrap().len(), 1);
    assert_eq!(rows(&connection, "children", "id").len(), 1);
}

#[test]
fn a_database_of_a_later_step_is_left_alone_unless_it_says_otherwise() {
    let mut connection = grown_once();
    migrate(&mut connection, &steps(2), Timestamp::from_micros(0)).unwrap();
    let error = migrate(&mut connection, &steps(1), Timestamp::from_micros(0)).unwrap_err();
    assert!(matches!(error, OpenError::Migrate(MigrateError::Newer { version: 2, .. })));
    connection.execute("update migrations set compatible_from = 1", []).unwrap();
    migrate(&mut connection, &steps(1), Timestamp::from_micros(0)).unwrap();
}

#[test]
fn a_database_from_before_the_first_release_is_refused() {
    let folder = Folder::new();
    let path = folder.0.join("store.db");
    let before = Connection::open(&path).unwrap();
    before.execute_batch(&migrate::table(Dialect::Sqlite)).unwrap();
    let were = "insert into migrations values (1, 'foundation', x'00', 1, 0), (27, 'the_latest', x'00', 25, 0)";
    before.execute(were, []).unwrap();
    drop(before);
    for refusal in [
        writer(&path, &SCHEMA, Timestamp::from_micros(0)).unwrap_err(),
        auditor(&path, &SCHEMA).unwrap_err(),
    ] {
        assert!(matches!(refusal, OpenError::Migrate(MigrateError::Unreleased)), "{refusal:?}");
    }
    let left = Connection::open(&path).unwrap();
    assert_eq!(
        rows(&left, "sqlite_schema where type = 'table'", "name"),
        ["[Text(\"migrations\")]"]
    );
}

#[test]
fn a_database_keeps_its_size_of_page_and_its_log_grows_as_long() {
    for (bytes, pages) in [(1024, 1 << 17), (4096, 1 << 15)] {
        let folder = Folder::new();
        let path = folder.0.join("store.db");
        let there = Connection::open(&path).unwrap();
        there.pragma_update(None, "page_size", bytes).unwrap();
        // Its size is chosen with the first table, and an empty database is nobody's.
        there.execute_batch("create table t (a integer); drop table t").unwrap();
        drop(there);
        let connection = writer(&path, &SCHEMA, Timestamp::from_micros(0)).unwrap();
        assert_eq!(checkpoint_pages(page_bytes(&connection).unwrap()), pages);
    }
}

#[test]
fn closing_a_connection_leaves_the_log_as_it_is() {
    let folder = Folder::new();
    let path = folder.0.join("store.db");
    let writer = writer(&path, &SCHEMA, Timestamp::from_micros(0)).unwrap();
    writer.execute("create table one as select 1", []).unwrap();
    let log = folder.0.join("store.db-wal");
    let length = log.metadata().unwrap().len();
    assert!(length > 0);
    drop(writer);
    assert_eq!(log.metadata().unwrap().len(), length);
}

#[test]
fn a_statement_that_the_tables_do_not_know_is_found_when_the_database_is_opened() {
    static UNKNOWN: Sql = Sql::shared("select a from nowhere");
    static WITH_UNKNOWN: Schema =
        Schema { statements: &[("tests", &[("UNKNOWN", &UNKNOWN)])], ..SCHEMA };
    let error = in_memory(&WITH_UNKNOWN).unwrap_err();
    assert!(format!("{error:?}").contains("select a from nowhere"), "{error:?}");
}
