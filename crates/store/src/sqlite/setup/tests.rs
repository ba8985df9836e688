//! Databases that older programs have made, brought up to date.

use super::*;
use crate::conformance::Folder;

/// A verification that claimed a movement, and the line that charged it, of one owner.
const CHARGED: &str = "
    insert into owners values (x'01', 'a@b', 'A', '', 1, 9, 0, 1, 0, 0, null);
    insert into bank_identities values (x'01', x'02', 'BANK_TEST', '1', 0, 0);
    insert into user_banks values (x'01', x'03', x'02', 'BANK_TEST', '', null, 0, 0, 0, 0);
    insert into verifications values (x'01', x'04', x'05', x'03', x'02', null, null, 1, 1, x'06',
        '{}', 1, 1, null, null, null, null, x'07', 1, 2, 3, null);
    insert into movements values (x'01', x'08', x'02', '67890', '67890', 'key', 100, 20000, null,
        null, null, null, null, 1);
    insert into payments values (x'01', x'07', x'08', x'04', x'03', x'05', null, 1, '{}', 3, 3);
    insert into credit_movements values (x'01', 1, -1, 9, 'debit', 'verification', '', x'04', null,
        x'05', 1, 1, 3);
";

/// The tables that migrations 17 and 18 make anew.
const MADE_ANEW: [&str; 4] = ["verifications", "movements", "payments", "credit_movements"];

/// A database at that version, before what came later.
fn at_version(version: i64) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.pragma_update(None, "foreign_keys", true).unwrap();
    connection.execute_batch(&migrate::table(Dialect::Sqlite)).unwrap();
    for step in migrate::plan(Dialect::Sqlite, &[]).unwrap() {
        if step.version <= version {
            connection.execute_batch(&step.text).unwrap();
            record(&connection, &step, Timestamp::from_micros(0)).unwrap();
        }
    }
    connection
}

/// The rows of a table, each as one text.
fn rows(connection: &Connection, table: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("select * from {table}")).unwrap();
    let width = statement.column_count();
    let row = statement.query_map([], |row| {
        (0..width).map(|at| row.get::<_, rusqlite::types::Value>(at)).collect::<Result<Vec<_>, _>>()
    });
    row.unwrap().map(|row| format!("{:?}", row.unwrap())).collect()
}

#[test]
fn tables_that_are_made_anew_keep_their_rows_and_what_refers_to_them() {
    let mut connection = at_version(16);
    connection.execute_batch(CHARGED).unwrap();
    let before = MADE_ANEW.map(|table| rows(&connection, table));
    assert!(before.iter().all(|rows| rows.len() == 1));

    migrate(&mut connection, Timestamp::from_micros(0)).unwrap();

    assert_eq!(MADE_ANEW.map(|table| rows(&connection, table)), before);
    // A payment of nothing, and a movement that is gone beneath its payment.
    for orphan in [
        "insert into payments values (x'01', x'09', x'09', x'09', x'03', x'05', null, 1, '', 3, 3)",
        "delete from movements",
        "delete from verifications",
    ] {
        let error = connection.execute(orphan, []).unwrap_err();
        assert_eq!(error.to_string(), "FOREIGN KEY constraint failed", "{orphan}");
    }
    // A purchase has no verification, so its line tells it apart.
    let bought =
        "insert into credit_movements values (x'01', 2, 5, 14, 'purchase', 'admin', '', null, null,
        null, 1, null, 3)";
    connection.execute(bought, []).unwrap();
    // That one, and the same charge, claim and verification, a second time.
    for twice in [
        bought,
        "insert into credit_movements select owner_id, 3, amount, balance_after, movement_type, \
         origin, description, verification_id, client_id, key_id, month, 2, 3 from credit_movements",
        "insert into payments select owner_id, x'09', movement_id, verification_id, bank_id, \
         key_id, client_id, 1, '', 3, 3 from payments",
        "insert into payments select owner_id, x'09', x'09', verification_id, bank_id, key_id, \
         client_id, 1, '', 3, 3 from payments",
        "insert into verifications select * from verifications",
        "insert into movements select owner_id, x'09', identity_id, reference, tail, bank_key, 1, \
         1, null, null, null, null, null, 1 from movements",
    ] {
        let error = connection.execute(twice, []).unwrap_err();
        assert!(error.to_string().starts_with("UNIQUE constraint failed"), "{twice}: {error}");
    }
}

#[test]
fn a_database_whose_rows_refer_to_nothing_is_left_as_it_was() {
    let mut connection = at_version(16);
    connection.execute_batch(CHARGED).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute("delete from movements", []).unwrap();

    let error = migrate(&mut connection, Timestamp::from_micros(0)).unwrap_err();

    let told = format!("{error:?}");
    assert!(told.contains("rows of payments refer to what is not there"), "{told}");
    assert_eq!(applied(&connection).unwrap().len(), 16);
    assert_eq!(rows(&connection, "payments").len(), 1);
}

#[test]
fn a_database_keeps_its_size_of_page_and_its_log_grows_as_long() {
    for (bytes, pages) in [(1024, 1 << 16), (4096, 1 << 14)] {
        let folder = Folder::new();
        let path = folder.0.join("store.db");
        let there = Connection::open(&path).unwrap();
        there.pragma_update(None, "page_size", bytes).unwrap();
        there.execute_batch("create table t (a integer)").unwrap();
        drop(there);
        let connection = writer(&path, Timestamp::from_micros(0)).unwrap();
        assert_eq!(checkpoint_pages(&connection).unwrap(), pages);
    }
}
