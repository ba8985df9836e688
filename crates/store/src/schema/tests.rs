//! The migrations as files, the statements as the server takes them, and what the tables refuse.

use db::sqlite::in_memory;
use testkit::postgres::Database;

use super::*;
use crate::conformance::{at, never_fatal};
use crate::manifest;
use crate::{Engine, Options, PostgresSettings};

#[test]
fn what_may_be_locked_without_the_owners_row_is_rows_of_owners() {
    for table in LOCK_ORDER {
        assert_eq!(manifest::kind(table), Some(manifest::Kind::Tenant), "{table}");
    }
}

#[test]
fn a_copy_has_every_table_but_the_list_of_migrations() {
    let mut tables = tables();
    tables.sort_unstable();
    let all = manifest::TABLES.iter().map(|(table, _)| *table);
    assert_eq!(tables, all.filter(|table| *table != "migrations").collect::<Vec<_>>());
}

/// A store prepares its statements when it is opened, and refuses those with a value of another type.
#[test]
fn every_statement_is_known_to_the_server_and_has_the_four_types_only() {
    let database = Database::migrated();
    let engine = Engine::Postgres(PostgresSettings::at(database.url()));
    crate::open(&Options { engine, now: at(0), on_fatal: never_fatal() }).unwrap().close();
}

#[test]
fn every_file_is_in_the_list_and_the_list_has_no_gaps() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let mut listed = Vec::new();
    for (at, migration) in MIGRATIONS.iter().enumerate() {
        assert_eq!(migration.version, i64::try_from(at).unwrap() + 1);
        let name = format!("{:04}_{}", migration.version, migration.name);
        listed.push(format!("{name}.sql"));
        listed.extend(migration.sqlite.map(|_| format!("{name}.sqlite.sql")));
    }
    listed.sort();
    assert_eq!(files, listed);
}

#[test]
fn the_keys_of_sqlite_are_of_tables_that_the_migration_makes() {
    for migration in MIGRATIONS {
        let own = migration.sqlite.unwrap_or_default();
        for table in own.lines().filter(|line| line.starts_with("create table ")) {
            assert!(migration.text.lines().any(|line| line == table), "{table}");
        }
    }
}

/// A verification that claimed a movement, and the line that charged it, of one owner.
const CHARGED: &str = "
    insert into owners (owner_id, balance, reserved, credit_lines) values (x'01', 9, 0, 1);
    insert into bank_identities values (x'01', x'02', 'BANK_TEST', '1', 0, 0, null);
    insert into user_banks values (x'01', x'03', x'02', 'BANK_TEST', '', null, null, 0, 0, 0, 0, x'', 0, 0);
    insert into verifications (owner_id, id, actor_id, bank_id, identity_id, month, cost, fingerprint, query, state,
        calls, deadline, payment_id, asked_at, ended_at)
        values (x'01', x'04', x'05', x'03', x'02', 1, 1, x'06', '{}', 1, 1, 2, x'07', 1, 3);
    insert into movements (owner_id, id, identity_id, reference, tail, bank_key, amount, paid_on, seal, created_at)
        values (x'01', x'08', x'02', '67876', '67876', 'key', 100, 20000, x'', 1);
    insert into payments values (x'01', x'07', x'08', x'04', x'03', x'05', null, 1, 0, '{}', x'', 1, 3, 3);
    insert into credit_movements (owner_id, line, amount, balance_after, movement_type, origin, description,
        verification_id, actor_id, month, ordinal, created_at)
        values (x'01', 1, -1, 9, 'debit', 'verification', '', x'04', x'05', 1, 1, 3);
";

#[test]
fn no_charge_claim_verification_or_movement_is_there_twice() {
    let connection = in_memory(&SCHEMA).unwrap();
    connection.execute_batch(CHARGED).unwrap();
    // A payment of nothing, and a movement that is gone beneath its payment.
    for orphan in [
        "insert into payments values (x'01', x'09', x'09', x'09', x'03', x'05', null, 1, 0, '', x'', 2, 3, 4)",
        "delete from movements",
        "delete from verifications",
    ] {
        let error = connection.execute(orphan, []).unwrap_err();
        assert_eq!(error.to_string(), "FOREIGN KEY constraint failed", "{orphan}");
    }
    // A purchase has no verification, so its line distinguishes it.
    let bought = "insert into credit_movements (owner_id, line, amount, balance_after, movement_type, origin, \
                  description, month, created_at) values (x'01', 2, 5, 14, 'purchase', 'admin', '', 1, 3)";
    connection.execute(bought, []).unwrap();
    for twice in [
        bought,
        "insert into credit_movements (owner_id, line, amount, balance_after, movement_type, origin, description, \
         verification_id, month, created_at) select owner_id, 3, -1, 9, 'debit', 'verification', '', \
         verification_id, 1, 3 from credit_movements where line = 1",
        "insert into payments select owner_id, x'09', movement_id, verification_id, bank_id, \
         actor_id, client_id, 1, 0, '', x'', 1, 3, 4 from payments",
        "insert into payments select owner_id, x'09', x'09', verification_id, bank_id, actor_id, \
         client_id, 1, 0, '', x'', 1, 3, 4 from payments",
        "insert into verifications select * from verifications",
        "insert into movements (owner_id, id, identity_id, reference, tail, bank_key, amount, paid_on, seal, \
         created_at) select owner_id, x'09', identity_id, reference, tail, bank_key, 1, 1, seal, 1 from movements",
    ] {
        let error = connection.execute(twice, []).unwrap_err();
        assert!(error.to_string().starts_with("UNIQUE constraint failed"), "{twice}: {error}");
    }
}
