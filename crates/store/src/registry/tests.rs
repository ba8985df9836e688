//! The rules that a distributed database needs, held against the text of every statement.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use db::sql::Sql;
use db::sqlite::{in_memory, text};
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use super::*;
use crate::manifest::{self, Kind};
use crate::schema::SCHEMA;

/// The words of a statement, without the punctuation around them.
fn words(text: &str) -> Vec<&str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || "_.$".contains(letter)))
        .filter(|word| !word.is_empty())
        .collect()
}

/// Tells whether `word` opens a mention of a table, given the word before it: `for update` and `do update` do not.
fn opens(before: &str, word: &str) -> bool {
    match word {
        "from" => before != "distinct",
        "join" | "into" => true,
        "update" => before != "for" && before != "do",
        _ => false,
    }
}

/// The names that the statement gives to subselects of its own.
fn named_here(text: &str) -> HashSet<&str> {
    let opened = text.match_indices(" as (").map(|(at, _)| text.get(..at).unwrap_or(""));
    opened.filter_map(|before| before.rsplit([' ', ',']).next()).collect()
}

/// The tables that a statement reads or writes, once for each mention.
fn tables(text: &str) -> Vec<&str> {
    let own = named_here(text);
    // A subselect where a table could stand has a mention of its own.
    let spaced = words(text);
    let mentions =
        spaced.windows(3).filter(|three| opens(three[0], three[1])).map(|three| three[2]);
    let first = spaced.get(1).filter(|_| spaced.first().is_some_and(|word| opens("", word)));
    let all = first.copied().into_iter().chain(mentions);
    all.filter(|table| !["select", "with"].contains(table) && !own.contains(table)).collect()
}

fn inserts_for_owner(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("insert into ") else { return false };
    let Some((_, columns)) = rest.split_once('(') else { return false };
    columns.trim_start().starts_with("owner_id") && text.contains("values ($1")
}

fn check(module: &str, name: &str, sql: &Sql) {
    let text = sql.text();
    let mut tenant_mentions = 0;
    for table in tables(text) {
        let kind = manifest::kind(table);
        let kind = kind.unwrap_or_else(|| panic!("{module}::{name}: unknown table {table}"));
        match (kind, sql.is_tenant(), sql.reason()) {
            (Kind::Tenant, true, _) => tenant_mentions += 1,
            (Kind::Tenant, false, Some(reason)) => assert!(!reason.is_empty()),
            (Kind::Tenant, false, None) => {
                panic!("{module}::{name}: a shared statement on the tenant table {table}")
            }
            (Kind::Reference, ..) | (Kind::Locator(_) | Kind::Control, false, None) => {}
            (Kind::Locator(_) | Kind::Control, ..) => {
                panic!("{module}::{name}: {table} together with an owner's rows")
            }
        }
    }
    if sql.is_tenant() {
        let bound = text.matches("owner_id = $1").count() + usize::from(inserts_for_owner(text));
        assert!(tenant_mentions > 0, "{module}::{name} names no tenant table");
        assert!(bound >= tenant_mentions, "{module}::{name}: a table without its owner: {text}");
    }
}

#[test]
fn every_statement_stays_within_its_reach() {
    for &(module, statements) in ALL {
        for (name, sql) in statements {
            check(module, name, sql);
        }
    }
}

/// Their callers bind a value that nobody has where others would bind null, which `Tx` refuses.
#[test]
fn the_statements_are_known_whose_outer_joins_compare_more_than_the_owner() {
    let named = ALL.iter().flat_map(|&(module, statements)| {
        statements.iter().map(move |(name, sql)| (format!("{module}.{name}"), *sql))
    });
    let comparing: Vec<_> = named
        .filter(|(_, sql)| sql.in_outer_joins().any(|number| number != 1))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(comparing, ["evidence.DELIVERIES", "people.FIND", "reserve.COUNTERS_AND_LIMITS"]);
}

/// A row is read by the names of its columns, so each is there once. An expression that nobody reads has none.
#[test]
fn the_columns_of_a_statement_have_the_names_that_sqlite_gives_them_each_once() {
    let connection = in_memory(&SCHEMA).unwrap();
    for &(module, statements) in ALL {
        for (name, sql) in statements {
            let ours: Vec<_> = sql.columns().collect();
            let prepared = connection.prepare(&text(sql)).unwrap();
            let theirs: Vec<_> = prepared.column_names().collect();
            assert_eq!(ours.len(), theirs.len(), "{module}::{name}: {ours:?}, not {theirs:?}");
            let mut seen = HashSet::new();
            for (ours, theirs) in ours.into_iter().zip(theirs).filter(|(ours, _)| !ours.is_empty())
            {
                assert_eq!(ours, theirs, "{module}::{name}");
                assert!(seen.insert(ours), "{module}::{name} has two columns {ours}");
            }
        }
    }
}

/// The audit trail only grows. Refusals of one kind within an hour are one entry, whose count alone goes up.
#[test]
fn no_statement_changes_the_audit_trail_but_the_count_of_refusals() {
    let mut connection = in_memory(&SCHEMA).unwrap();
    let mut writing = Vec::new();
    for &(module, statements) in ALL {
        for (name, sql) in statements {
            if doings(&mut connection, sql).writes.contains("audit") {
                writing.push((format!("{module}.{name}"), sql.text()));
            }
        }
    }
    writing.sort_unstable();
    let names: Vec<_> = writing.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["audit.INSERT", "audit.INSERT_REFUSAL", "audit.REFUSED_AGAIN"]);
    for (name, text) in &writing {
        match name.as_str() {
            "audit.REFUSED_AGAIN" => {
                assert!(
                    text.starts_with("update audit set times = times + $3, sources = $4 where "),
                    "{text}"
                );
                assert!(text.ends_with("and times is not null"), "{text}");
            }
            _ => assert!(
                text.starts_with("insert into audit (") && !text.contains("conflict"),
                "{text}"
            ),
        }
    }
}

/// Checks that a statement across owners only reads: a job of one owner may write only what is that owner's.
#[test]
fn a_statement_across_owners_only_reads() {
    for &(module, statements) in ALL {
        for (name, sql) in statements {
            let only_reads = sql.text().starts_with("select ");
            assert!(sql.reason().is_none() || only_reads, "{module}::{name} writes across owners");
        }
    }
}

/// Tables that a statement reads and writes, as SQLite sees it when it prepares it. What triggers and foreign keys
/// would write is among it.
#[derive(Default)]
struct Doings {
    reads: HashSet<String>,
    writes: HashSet<String>,
}

fn doings(connection: &mut Connection, sql: &Sql) -> Doings {
    let seen = Arc::new(Mutex::new(Doings::default()));
    let kept = Arc::clone(&seen);
    let watch = move |context: AuthContext<'_>| {
        let mut seen = kept.lock().unwrap();
        match context.action {
            AuthAction::Read { table_name, .. } => {
                seen.reads.insert(table_name.to_owned());
            }
            AuthAction::Insert { table_name }
            | AuthAction::Delete { table_name }
            | AuthAction::Update { table_name, .. } => {
                seen.writes.insert(table_name.to_owned());
            }
            _ => {}
        }
        Authorization::Allow
    };
    connection.authorizer(Some(watch)).unwrap();
    connection.prepare(&text(sql)).unwrap();
    connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>).unwrap();
    std::mem::take(&mut *seen.lock().unwrap())
}

/// Every statement that writes a table of authentication says so, and those whose answers are cached read no other.
#[test]
fn statements_declare_what_they_do_with_auth_tables() {
    let mut connection = in_memory(&SCHEMA).unwrap();
    let is_auth = |table: &String| manifest::AUTH_TABLES.contains(&table.as_str());
    for &(module, statements) in ALL {
        for (name, sql) in statements {
            let Doings { reads, writes } = doings(&mut connection, sql);
            let touches = writes.iter().any(is_auth);
            assert_eq!(sql.touches_auth_tables(), touches, "{module}::{name} writes {writes:?}");
            if sql.reads_only_auth_tables() {
                assert!(writes.is_empty(), "{module}::{name} writes {writes:?}");
                assert!(reads.iter().all(is_auth), "{module}::{name} reads {reads:?}");
            }
        }
    }
}

/// The names of the modules below a folder that have statements.
fn with_statements(folder: &Path, found: &mut Vec<String>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            with_statements(&path, found);
        } else if std::fs::read_to_string(&path).is_ok_and(|text| text.contains("\nstatements! {"))
        {
            found.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
}

/// A key, a session and an account are looked up for nearly every call.
#[test]
fn the_look_ups_of_every_call_may_be_cached() {
    let named = ALL.iter().flat_map(|&(module, statements)| {
        statements.iter().map(move |(name, sql)| (format!("{module}.{name}"), *sql))
    });
    let cached: Vec<_> =
        named.filter(|(_, sql)| sql.reads_only_auth_tables()).map(|(name, _)| name).collect();
    // Pages look up which accounts are of the test bank, too.
    let expected = ["accounts.FIND", "accounts.PROVIDERS", "keys.FIND_STANDING", "sessions.FIND"];
    assert_eq!(cached, expected);
}

#[test]
fn every_module_with_statements_is_registered() {
    let mut found = Vec::new();
    with_statements(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.sort();
    let registered: Vec<_> = ALL.iter().map(|(module, _)| *module).collect();
    assert_eq!(found, registered, "the registry lists modules by name");
}

#[test]
fn the_rules_notice_what_they_are_for() {
    let tenant = "select a from due where owner_id = $1 and kind in \
                  (select kind from audit where owner_id = $1) for update";
    assert_eq!(tables(tenant), ["due", "audit"]);
    assert_eq!(
        tables("insert into due (owner_id) values ($1) on conflict do update set kind = 1"),
        ["due"]
    );
    let with = "with held as (select id from payments where owner_id = $1) select id from held";
    assert_eq!(tables(with), ["payments"]);
    assert!(inserts_for_owner("insert into due (owner_id, kind) values ($1, $2)"));
    assert!(!inserts_for_owner("insert into due (kind, owner_id) values ($1, $2)"));
}

#[test]
#[should_panic(expected = "a table without its owner")]
fn a_statement_that_forgets_the_owner_is_noticed() {
    check("a", "B", &Sql::new("select kind from due where kind = $1"));
}

#[test]
#[should_panic(expected = "a shared statement on the tenant table")]
fn a_shared_statement_on_owners_rows_is_noticed() {
    check("a", "B", &Sql::shared("select kind from due where kind = $1"));
}
