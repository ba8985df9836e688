use std::fs;

use store::RowSink;

use super::*;
use crate::copy_file::{About, CopyWriter};
use crate::testing::Folder;

/// Writes a copy of two tables, and answers where.
fn written(folder: &Folder) -> std::path::PathBuf {
    let path = folder.path().join("copy");
    let mut writer = CopyWriter::begin(File::create(&path).unwrap()).unwrap();
    let columns = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    writer.begin(INSTALLATION, &columns(&["name", "value"])).unwrap();
    for (name, value) in [
        (STORE_ID, vec![7; 16]),
        (CHECK, vec![1, 2, 3]),
        (app::review::NAME, b"of a former restore".to_vec()),
    ] {
        writer.row(&[Value::from(name), Value::from(value)]).unwrap();
    }
    writer.begin("owners", &columns(&["owner_id", "balance", "low_balance_at"])).unwrap();
    for number in 0..3_u8 {
        let row = [Value::from([number; 16]), Value::Int(i64::from(number)), Value::Null];
        writer.row(&row).unwrap();
    }
    let about =
        About { copied_at: Timestamp::from_micros(1_000), engine: "sqlite", schema: [5; 32] };
    let (_, manifest) = writer.finish(&about).unwrap();
    assert_eq!(manifest.tables["owners"], 3);
    assert!(!manifest.has_master_key);
    path
}

#[test]
fn a_copy_reads_back_with_the_mark_of_this_restore_alone() {
    let folder = Folder::new();
    let path = written(&folder);
    let checked = check(&path).unwrap();
    assert!(checked.manifest.has_schema(&[5; 32]) && !checked.manifest.has_schema(&[6; 32]));
    assert_eq!(checked.copied_at, Timestamp::from_micros(1_000));
    assert!(checked.installation.is_some());

    let content = checked.manifest.content;
    let mut source = CopySource::open(&path, &content, b"mark".to_vec()).unwrap();
    let (table, columns) = source.next_table().unwrap().unwrap();
    assert_eq!((table.as_str(), columns.len()), (INSTALLATION, 2));
    let mut rows = Vec::new();
    while let Some(row) = source.next_row().unwrap() {
        rows.push(row);
    }
    let mark = vec![Value::from(app::review::NAME), Value::from(b"mark".to_vec())];
    assert_eq!((rows.len(), rows.last()), (3, Some(&mark)));
    assert_eq!(source.next_table().unwrap().unwrap().0, "owners");
    let first = source.next_row().unwrap().unwrap();
    assert_eq!(first, [Value::Bytes(vec![0; 16]), Value::Int(0), Value::Null]);
    // Rows that nobody reads are passed over.
    assert!(source.next_table().unwrap().is_none());

    // Another copy in its place is noticed before all of it is in.
    let mut source = CopySource::open(&path, &hex(&[0; 32]), b"mark".to_vec()).unwrap();
    for _ in 0..2 {
        assert!(source.next_table().unwrap().is_some());
    }
    assert!(source.next_table().is_err());
}

#[test]
fn a_copy_that_lacks_a_byte_or_has_another_is_refused() {
    let folder = Folder::new();
    let path = written(&folder);
    let whole = fs::read(&path).unwrap();
    let other = folder.path().join("other");
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&other, &bytes).unwrap();
        assert!(check(&other).is_err(), "byte {at}");
        fs::write(&other, &whole[..at]).unwrap();
        assert!(check(&other).is_err(), "cut at {at}");
    }
    fs::write(&other, [whole.as_slice(), b"x"].concat()).unwrap();
    assert!(check(&other).is_err(), "more behind the end");
}
