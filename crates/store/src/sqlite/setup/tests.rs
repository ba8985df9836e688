//! Databases that older programs have made, brought up to date.

use super::*;
use crate::conformance::Folder;

/// A verification that claimed a movement, whose digits are the same from either end, and the line that charged it, of one
/// owner.
const CHARGED: &str = "
    insert into owners values (x'01', 'a@b', 'A', 'hash', 1, 9, 0, 1, 10, 11, null);
    insert into bank_identities values (x'01', x'02', 'BANK_TEST', '1', 0, 0);
    insert into user_banks values (x'01', x'03', x'02', 'BANK_TEST', '', null, 0, 0, 0, 0);
    insert into verifications values (x'01', x'04', x'05', x'03', x'02', null, null, 1, 1, x'06',
        '{}', 1, 1, null, null, null, null, x'07', 1, 2, 3, null);
    insert into movements values (x'01', x'08', x'02', '67876', '67876', 'key', 100, 20000, null,
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

/// The names of a table's columns.
fn columns(connection: &Connection, table: &str) -> String {
    let names = connection.prepare(&format!("select * from {table}")).unwrap();
    names.column_names().collect::<Vec<_>>().join(", ")
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
fn tables_that_are_made_anew_keep_their_rows_and_what_refers_to_them() {
    let mut connection = at_version(16);
    connection.execute_batch(CHARGED).unwrap();
    let were = MADE_ANEW.map(|table| (table, columns(&connection, table)));
    let before = were.each_ref().map(|(table, columns)| rows(&connection, table, columns));
    assert!(before.iter().all(|rows| rows.len() == 1));

    migrate(&mut connection, Timestamp::from_micros(0)).unwrap();

    let after = were.each_ref().map(|(table, columns)| rows(&connection, table, columns));
    assert_eq!(after, before);
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
        null, 1, null, 3, null, null)";
    connection.execute(bought, []).unwrap();
    // That one, and the same charge, claim and verification, a second time.
    for twice in [
        bought,
        "insert into credit_movements select owner_id, 3, amount, balance_after, movement_type, \
         origin, description, verification_id, client_id, key_id, month, 2, 3, 2, null \
         from credit_movements",
        "insert into payments select owner_id, x'09', movement_id, verification_id, bank_id, \
         key_id, client_id, 1, '', 3, 3 from payments",
        "insert into payments select owner_id, x'09', x'09', verification_id, bank_id, key_id, \
         client_id, 1, '', 3, 3 from payments",
        "insert into verifications select * from verifications",
        "insert into movements select owner_id, x'09', identity_id, reference, tail, bank_key, 1, \
         1, null, null, null, null, null, 1, 2, id, 0, '' from movements",
    ] {
        let error = connection.execute(twice, []).unwrap_err();
        assert!(error.to_string().starts_with("UNIQUE constraint failed"), "{twice}: {error}");
    }
}

#[test]
fn what_was_confirmed_in_the_day_before_has_an_entry_by_its_fingerprint() {
    const DAY: &str = "86400000000";
    let mut connection = at_version(18);
    connection.execute_batch(CHARGED).unwrap();
    let later = |id: &str, state: u8, asked: &str, ended: &str| {
        let text = format!(
            "insert into verifications select owner_id, {id}, key_id, bank_id, identity_id, \
             caller_client_id, client_id, month, cost, {id}, query, {state}, calls, announced_by, \
             error_code, bank_amount, digits_needed, payment_id, {asked}, deadline, {ended}, link_id \
             from verifications where id = x'04'"
        );
        connection.execute(&text, []).unwrap();
    };
    later("x'14'", 1, "4", "4");
    later("x'24'", 2, DAY, DAY);
    later("x'34'", 0, &format!("{DAY} + 3"), "null");

    migrate(&mut connection, Timestamp::from_micros(0)).unwrap();

    let kept = "verifications indexed by verifications_by_fingerprint where by_fingerprint";
    assert_eq!(rows(&connection, kept, "id"), ["[Blob([20])]"]);
}

#[test]
fn the_line_of_a_charge_takes_the_place_of_its_entry() {
    let mut connection = at_version(18);
    connection.execute_batch(CHARGED).unwrap();
    // Of the same verification the entry of a call that was told of it again, and one that found it used.
    let entry =
        "insert into activity values (x'01', x'05', 1, ?1, 0, '', '', x'03', ?2, null, 0, ?3)";
    for (ordinal, status, verification) in
        [(1, "not_found", 9_u8), (2, "confirmed", 4), (3, "repeat", 4), (4, "confirmed", 9)]
    {
        connection.execute(entry, rusqlite::params![ordinal, status, [verification]]).unwrap();
    }

    migrate(&mut connection, Timestamp::from_micros(0)).unwrap();

    assert_eq!(
        rows(&connection, "credit_movements", "ordinal, request"),
        ["[Integer(1), Integer(2)]"]
    );
    let left = rows(&connection, "activity", "ordinal");
    assert_eq!(left, ["[Integer(1)]", "[Integer(3)]", "[Integer(4)]"]);
}

#[test]
fn who_an_owner_is_stands_apart_from_its_credits() {
    let mut connection = at_version(18);
    connection.execute_batch(CHARGED).unwrap();

    migrate(&mut connection, Timestamp::from_micros(0)).unwrap();

    let credits = rows(&connection, "owners", "balance, reserved, credit_lines, low_balance_at");
    assert_eq!(credits, ["[Integer(9), Integer(0), Integer(1), Null]"]);
    let columns = "owner_id, email, name, password_hash, is_active, created_at, updated_at";
    let profile = "[Blob([1]), Text(\"a@b\"), Text(\"A\"), Text(\"hash\"), Integer(1), Integer(10), Integer(11)]";
    assert_eq!(rows(&connection, "owner_profiles", columns), [profile]);
    for (table, column) in [("owner_profiles", "owner_id"), ("credit_movements", "owner_id")] {
        let orphan = format!("update {table} set {column} = x'02'");
        let error = connection.execute(&orphan, []).unwrap_err();
        assert_eq!(error.to_string(), "FOREIGN KEY constraint failed", "{table}");
    }
}

#[test]
fn the_movements_of_a_day_lead_from_the_newest_to_the_first() {
    let mut connection = at_version(21);
    connection
        .execute_batch(
            "insert into owners values (x'01', 9, 0, 1, null);
            insert into bank_identities values (x'01', x'02', 'BANK_TEST', '1', 0, 0);",
        )
        .unwrap();
    // Not in the order of their ids, and 7 to 60 so that there is an entry for the 25th and the 50th.
    for (id, day) in
        [(4_u8, 2), (2, 1), (3, 2), (1, 2)].into_iter().chain((7..=60).map(|id| (id, 3)))
    {
        let movement = "insert into movements values (x'01', ?1, x'02', '1', '1', null, 1, ?2, null, null, null, \
                        null, null, 1)";
        connection.execute(movement, rusqlite::params![[id], day]).unwrap();
    }

    migrate(&mut connection, Timestamp::from_micros(0)).unwrap();

    let days = "movement_days order by paid_on";
    assert_eq!(
        rows(&connection, days, "paid_on, movements, hex(newest)"),
        [
            "[Integer(1), Integer(1), Text(\"02\")]",
            "[Integer(2), Integer(3), Text(\"04\")]",
            "[Integer(3), Integer(54), Text(\"3C\")]",
        ]
    );
    let linked = "movements m join movements p on p.paid_on = m.paid_on and p.number = m.number - 1 \
                  and p.id = m.previous";
    assert_eq!(rows(&connection, linked, "m.number").len(), 2 + 53);
    let early = "movements where paid_on < 3 order by id";
    assert_eq!(
        rows(&connection, early, "hex(id), number, coalesce(hex(previous), '')"),
        [
            "[Text(\"01\"), Integer(1), Text(\"\")]",
            "[Text(\"02\"), Integer(1), Text(\"\")]",
            "[Text(\"03\"), Integer(2), Text(\"01\")]",
            "[Text(\"04\"), Integer(3), Text(\"03\")]",
        ]
    );
    let steps = "movements indexed by movements_steps where number % 25 = 0";
    assert_eq!(rows(&connection, steps, "number"), ["[Integer(25)]", "[Integer(50)]"]);
}

#[test]
fn what_movements_are_found_by_has_its_last_digit_first() {
    let mut connection = at_version(16);
    connection.execute_batch(CHARGED).unwrap();
    for (id, digits, tail) in [("9", "1234567", "234567"), ("10", "12", "12"), ("11", "7", "7")] {
        let text = format!(
            "insert into movements values (x'01', cast('{id}' as blob), x'02', '{digits}', '{tail}', null, 100, 20000, \
             null, null, null, null, null, 1)"
        );
        connection.execute(&text, []).unwrap();
    }
    migrate(&mut connection, Timestamp::from_micros(0)).unwrap();
    let found = rows(&connection, "movements order by length(reference)", "reference, tail");
    let expected = [("7", "7"), ("12", "21"), ("67876", "67876"), ("1234567", "765432")]
        .map(|(reference, tail)| format!("[Text({reference:?}), Text({tail:?})]"));
    assert_eq!(found, expected);
}

#[test]
fn each_line_of_a_key_leads_to_the_one_before_it() {
    let mut connection = at_version(21);
    connection.execute("insert into owners values (x'01', 68, 0, 33, null)", []).unwrap();
    let month = "insert into key_months values (x'01', ?1, 1, 0, 0, 0, 0, ?2)";
    let line = "insert into credit_movements values (x'01', ?1, -1, 9, 'debit', 'verification', '', ?2, null, ?3, 1, \
                ?4, 0, ?4)";
    for (key, lines) in [(5_u8, 30_u8), (6, 2), (7, 0)] {
        connection.execute(month, rusqlite::params![[key], lines]).unwrap();
        // The latest is written first, so that nothing but their numbers tells their order.
        for ordinal in (1..=lines).rev() {
            let id = [key, ordinal];
            connection.execute(line, rusqlite::params![ordinal + key, id, [key], ordinal]).unwrap();
        }
    }
    let purchase = "insert into credit_movements values (x'01', 1, 100, 100, 'purchase', 'admin', '', null, null, null, \
                    1, null, 0, null)";
    connection.execute(purchase, []).unwrap();

    migrate(&mut connection, Timestamp::from_micros(0)).unwrap();

    for (rest, found) in [
        ("where verification_id is null", "null"),
        ("where ordinal = 1", "null"),
        ("where key_id = x'06' and ordinal = 2", "x'0601'"),
        ("where key_id = x'05' and ordinal = 30", "x'051d'"),
    ] {
        let wrong = format!("credit_movements {rest} and previous is not {found}");
        assert_eq!(rows(&connection, &wrong, "previous"), [""; 0], "{rest}");
    }
    let linked = "credit_movements l join credit_movements p on p.key_id = l.key_id \
                  and p.ordinal = l.ordinal - 1 and p.verification_id = l.previous";
    assert_eq!(rows(&connection, linked, "l.ordinal").len(), 29 + 1);
    let newest = rows(&connection, "key_months order by key_id", "hex(newest_line)");
    assert_eq!(newest, ["[Text(\"051E\")]", "[Text(\"0602\")]", "[Text(\"\")]"]);
    let steps = "credit_movements indexed by credit_movements_steps where ordinal % 25 = 0";
    assert_eq!(rows(&connection, steps, "hex(verification_id)"), ["[Text(\"0519\")]"]);
}

#[test]
fn the_lease_of_an_open_verification_comes_into_its_row() {
    let mut connection = at_version(16);
    connection.execute_batch(CHARGED).unwrap();
    // Two that are open, one of them of a row that nobody would come back to, and one that failed.
    for (id, state) in [("x'14'", 0), ("x'24'", 0), ("x'34'", 2)] {
        let text = format!(
            "insert into verifications select owner_id, {id}, key_id, bank_id, identity_id, \
             caller_client_id, client_id, month, cost, {id}, query, {state}, 1, null, null, null, null, \
             null, 5, 900, null, null from verifications where id = x'04'"
        );
        connection.execute(&text, []).unwrap();
    }
    let leases = "insert into due values (1, x'01', x'14', 25, 1, 1), (3, x'01', x'44', 7, 1, 1)";
    connection.execute(leases, []).unwrap();

    migrate(&mut connection, Timestamp::from_micros(0)).unwrap();

    let found = rows(&connection, "verifications order by id", "hex(id), lease_until");
    let expected = [("04", "Null"), ("14", "Integer(25)"), ("24", "Integer(900)"), ("34", "Null")]
        .map(|(id, until)| format!("[Text({id:?}), {until}]"));
    assert_eq!(found, expected);
    assert_eq!(rows(&connection, "due where kind in (1, 3)", "kind"), ["[Integer(3)]"]);
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
    assert_eq!(rows(&connection, "payments", "id").len(), 1);
}

#[test]
fn a_database_keeps_its_size_of_page_and_its_log_grows_as_long() {
    for (bytes, pages) in [(1024, 1 << 17), (4096, 1 << 15)] {
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
