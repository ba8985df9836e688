//! How a database is opened: its settings, its schema, and which databases are refused.

use super::*;
use crate::conformance::Folder;

/// A verification that claimed a movement, and the line that charged it, of one owner.
const CHARGED: &str = "
    insert into owners (owner_id, balance, reserved, credit_lines) values (x'01', 9, 0, 1);
    insert into bank_identities values (x'01', x'02', 'BANK_TEST', '1', 0, 0);
    insert into user_banks values (x'01', x'03', x'02', 'BANK_TEST', '', null, null, 0, 0, 0, x'', 0, 0);
    insert into verifications (owner_id, id, actor_id, bank_id, identity_id, month, cost, fingerprint, query, state,
        calls, deadline, payment_id, asked_at, ended_at)
        values (x'01', x'04', x'05', x'03', x'02', 1, 1, x'06', '{}', 1, 1, 2, x'07', 1, 3);
    insert into movements (owner_id, id, identity_id, reference, tail, bank_key, amount, paid_on, seal, created_at)
        values (x'01', x'08', x'02', '67876', '67876', 'key', 100, 20000, x'', 1);
    insert into payments values (x'01', x'07', x'08', x'04', x'03', x'05', null, 1, 0, '{}', x'', 3, 3);
    insert into credit_movements (owner_id, line, amount, balance_after, movement_type, origin, description,
        verification_id, actor_id, month, ordinal, created_at)
        values (x'01', 1, -1, 9, 'debit', 'verification', '', x'04', x'05', 1, 1, 3);
";

/// A schema that grows: its second step makes a table anew, to which another refers.
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

/// What the build tells SQLite stands in a file that cargo reads where it is called.
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

    let told = format!("{error:?}");
    assert!(told.contains("rows of children refer to what is not there"), "{told}");
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
    for refusal in
        [writer(&path, Timestamp::from_micros(0)).unwrap_err(), auditor(&path).unwrap_err()]
    {
        assert!(matches!(refusal, OpenError::Migrate(MigrateError::Unreleased)), "{refusal:?}");
    }
    let left = Connection::open(&path).unwrap();
    assert_eq!(
        rows(&left, "sqlite_schema where type = 'table'", "name"),
        ["[Text(\"migrations\")]"]
    );
}

#[test]
fn no_charge_claim_verification_or_movement_is_there_twice() {
    let connection = in_memory().unwrap();
    connection.execute_batch(CHARGED).unwrap();
    // A payment of nothing, and a movement that is gone beneath its payment.
    for orphan in [
        "insert into payments values (x'01', x'09', x'09', x'09', x'03', x'05', null, 1, 0, '', x'', 3, 4)",
        "delete from movements",
        "delete from verifications",
    ] {
        let error = connection.execute(orphan, []).unwrap_err();
        assert_eq!(error.to_string(), "FOREIGN KEY constraint failed", "{orphan}");
    }
    // A purchase has no verification, so its line tells it apart.
    let bought = "insert into credit_movements (owner_id, line, amount, balance_after, movement_type, origin, \
                  description, month, created_at) values (x'01', 2, 5, 14, 'purchase', 'admin', '', 1, 3)";
    connection.execute(bought, []).unwrap();
    for twice in [
        bought,
        "insert into credit_movements (owner_id, line, amount, balance_after, movement_type, origin, description, \
         verification_id, month, created_at) select owner_id, 3, -1, 9, 'debit', 'verification', '', \
         verification_id, 1, 3 from credit_movements where line = 1",
        "insert into payments select owner_id, x'09', movement_id, verification_id, bank_id, \
         actor_id, client_id, 1, 0, '', x'', 3, 4 from payments",
        "insert into payments select owner_id, x'09', x'09', verification_id, bank_id, actor_id, \
         client_id, 1, 0, '', x'', 3, 4 from payments",
        "insert into verifications select * from verifications",
        "insert into movements (owner_id, id, identity_id, reference, tail, bank_key, amount, paid_on, seal, \
         created_at) select owner_id, x'09', identity_id, reference, tail, bank_key, 1, 1, seal, 1 from movements",
    ] {
        let error = connection.execute(twice, []).unwrap_err();
        assert!(error.to_string().starts_with("UNIQUE constraint failed"), "{twice}: {error}");
    }
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
        let connection = writer(&path, Timestamp::from_micros(0)).unwrap();
        assert_eq!(checkpoint_pages(&connection).unwrap(), pages);
    }
}

#[test]
fn closing_a_connection_leaves_the_log_as_it_is() {
    let folder = Folder::new();
    let path = folder.0.join("store.db");
    let writer = writer(&path, Timestamp::from_micros(0)).unwrap();
    writer.execute("create table one as select 1", []).unwrap();
    let log = folder.0.join("store.db-wal");
    let length = log.metadata().unwrap().len();
    assert!(length > 0);
    drop(writer);
    assert_eq!(log.metadata().unwrap().len(), length);
}
