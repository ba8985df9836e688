//! The manifest against the schema that the migrations make.

use db::sqlite::in_memory;
use rusqlite::Connection;

use super::*;
use crate::schema::SCHEMA;

/// Reads what SQLite's own description of the schema says about `name`.
fn strings(connection: &Connection, text: &str, name: &str) -> Vec<String> {
    let mut statement = connection.prepare(text).unwrap();
    let rows = statement.query_map([name], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

fn tenants() -> impl Iterator<Item = &'static str> {
    TABLES.iter().filter(|(_, kind)| *kind == Kind::Tenant).map(|(name, _)| *name)
}

#[test]
fn every_table_is_listed_and_every_listed_table_exists() {
    let schema = in_memory(&SCHEMA).unwrap();
    let text = "select name from pragma_table_list where schema = 'main' and type = 'table' \
                and name not like 'sqlite%' and ?1 = '' order by name";
    let listed: Vec<_> = TABLES.iter().map(|(name, _)| *name).collect();
    assert_eq!(strings(&schema, text, ""), listed);
}

#[test]
fn the_owner_comes_first_in_every_key_of_a_tenant_table_that_is_not_listed() {
    let schema = in_memory(&SCHEMA).unwrap();
    let mut ids_first: Vec<&(&str, &str)> = Vec::new();
    for table in tenants() {
        // Primary keys and unique constraints are indexes too.
        let indexes = "select name from pragma_index_list(?1)";
        for index in strings(&schema, indexes, table) {
            let columns = "select name from pragma_index_info(?1) order by seqno";
            let columns = strings(&schema, columns, &index);
            let background = BACKGROUND_INDEXES.iter().find(|(name, _)| *name == index);
            let id = IDS_FIRST_ON_SQLITE
                .iter()
                .find(|(name, id)| *name == table && columns == [*id, "owner_id"]);
            ids_first.extend(id);
            let listed = background.or(id);
            let expected = listed.map_or("owner_id", |(_, column)| *column);
            assert_eq!(columns[0], expected, "index {index} of {table}");
        }
    }
    ids_first.sort();
    assert!(ids_first.into_iter().eq(IDS_FIRST_ON_SQLITE));
}

#[test]
fn foreign_keys_stay_within_an_owner() {
    let schema = in_memory(&SCHEMA).unwrap();
    for (table, kind) in TABLES {
        let pairs = "select \"from\" || ' -> ' || \"to\" from pragma_foreign_key_list(?1) \
                     where seq = 0";
        let firsts = strings(&schema, pairs, table);
        assert!(*kind == Kind::Tenant || firsts.is_empty(), "{table} refers to another table");
        assert!(firsts.iter().all(|pair| pair == "owner_id -> owner_id"), "{table}: {firsts:?}");
        let targets = "select \"table\" from pragma_foreign_key_list(?1)";
        for target in strings(&schema, targets, table) {
            assert_eq!(super::kind(&target), Some(Kind::Tenant), "{table} refers to {target}");
        }
    }
}

#[test]
fn the_background_indexes_exist() {
    let schema = in_memory(&SCHEMA).unwrap();
    for (index, _) in BACKGROUND_INDEXES {
        let text = "select name from sqlite_schema where type = 'index' and name = ?1";
        assert_eq!(strings(&schema, text, index), [*index]);
    }
}
