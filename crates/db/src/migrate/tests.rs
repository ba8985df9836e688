//! What a plan contains, and when there is none.

use super::*;
use crate::conformance::schema::SCHEMA;

fn known(versions: &[i64]) -> Vec<Step> {
    let step = |&version| Step {
        version,
        name: "a_step",
        text: format!("select {version};"),
        checksum: [u8::try_from(version).unwrap(); 32],
        compatible_from: 1,
    };
    versions.iter().map(step).collect()
}

fn applied(version: i64, compatible_from: i64) -> Applied {
    let checksum = vec![u8::try_from(version).unwrap(); 32];
    Applied { version, name: "a_step".to_owned(), checksum, compatible_from }
}

fn versions(steps: &[Step]) -> Vec<i64> {
    steps.iter().map(|step| step.version).collect()
}

#[test]
fn an_empty_database_gets_everything_and_a_current_one_nothing() {
    assert_eq!(versions(&plan(&known(&[1, 2]), &[]).unwrap()), [1, 2]);
    let both = [applied(2, 1), applied(1, 1)];
    assert_eq!(versions(&plan(&known(&[1, 2]), &both).unwrap()), [0; 0]);
    assert_eq!(versions(&plan(&known(&[1, 2, 3]), &both).unwrap()), [3]);
}

#[test]
fn an_altered_migration_is_refused() {
    let mut rows = [applied(1, 1), applied(2, 1)];
    rows[1].checksum[0] ^= 1;
    let refusal = plan(&known(&[1, 2]), &rows).unwrap_err();
    assert_eq!(refusal, MigrateError::Altered { version: 2, name: "a_step".to_owned() });
}

#[test]
fn a_database_from_before_the_first_release_is_refused() {
    let mut first = applied(1, 1);
    first.checksum[0] ^= 1;
    for rows in [vec![first.clone()], vec![applied(27, 25), first]] {
        assert_eq!(plan(&known(&[1, 2]), &rows), Err(MigrateError::Unreleased));
    }
}

#[test]
fn a_skipped_migration_is_refused() {
    let refusal = plan(&known(&[1, 2]), &[applied(2, 1)]).unwrap_err();
    assert_eq!(refusal, MigrateError::Skipped { version: 1 });
}

#[test]
fn a_newer_schema_is_used_where_it_says_that_it_may_be() {
    let known = known(&[1, 2]);
    let rows = [applied(1, 1), applied(2, 1), applied(3, 2)];
    assert_eq!(versions(&plan(&known, &rows).unwrap()), [0; 0]);
    let rows = [applied(1, 1), applied(2, 1), applied(3, 3)];
    let refusal = plan(&known, &rows).unwrap_err();
    assert_eq!(refusal, MigrateError::Newer { version: 3, compatible_from: 3, newest: 2 });
}

#[test]
fn a_migration_without_its_first_line_is_refused() {
    let migration = Migration { version: 1, name: "a_step", text: "select 1;", sqlite: None };
    assert_eq!(steps(Dialect::Postgres, &[migration]), Err(MigrateError::Header { version: 1 }));
}

#[test]
fn both_dialects_have_every_step_without_comments() {
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let steps = steps(dialect, SCHEMA.migrations).unwrap();
        assert_eq!(steps.len(), SCHEMA.migrations.len());
        assert!(steps.iter().all(|step| !step.text.contains("--")));
    }
}
