//! The first migration in SQLite's words, in each of the layouts that were weighed.

/// The schema in PostgreSQL's words.
const FOUNDATION: &str = include_str!("../../../crates/store/migrations/0001_foundation.sql");

/// How ids are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ids {
    /// Sixteen bytes.
    Bytes,
    /// A prefix and 26 letters of base32, as they stand on the wire.
    Text,
}

/// Where a row is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// In the tree of its primary key.
    InKey,
    /// In a tree by row number, with the primary key as an index beside it.
    Numbered,
    /// Wide rows numbered, narrow ones in their key.
    ByWidth,
}

/// What the keys of the rows that every verification writes begin with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// The owner, as on PostgreSQL.
    Owner,
    /// The id, which grows with time.
    Id,
}

/// The keys that may begin with an id, and how they do then. That a movement's id at its bank is unique
/// is of no concern to the others, since most have none.
const ID_FIRST: [(&str, &str); 3] = [
    ("primary key (owner_id, id)", "primary key (id, owner_id)"),
    ("unique (owner_id, verification_id)", "unique (verification_id, owner_id)"),
    ("    unique (owner_id, identity_id, bank_key),\n", ""),
];

/// The tables whose rows can be wider than a quarter of a small page, which is what SQLite keeps
/// of a row in a key's tree; the rest of it goes to a page of its own.
const WIDE: [&str; 3] = ["movements", "payments", "verifications"];

/// The statements that make the tables.
pub(super) fn text(ids: Ids, rows: Rows, keys: Keys) -> String {
    let mut table = "";
    let mut text = String::new();
    let mut foundation = FOUNDATION.to_owned();
    if keys == Keys::Id {
        for (owner, id) in ID_FIRST {
            foundation = foundation.replace(owner, id);
        }
    }
    for line in foundation.lines() {
        if let Some(rest) = line.strip_prefix("create table ") {
            table = rest.trim_end_matches(" (");
        }
        match line {
            ");" => text.push_str(end(table, rows)),
            line => text.push_str(&column(line, ids)),
        }
        text.push('\n');
    }
    text
}

fn end(table: &str, rows: Rows) -> &'static str {
    let in_key = match rows {
        Rows::InKey => true,
        Rows::Numbered => false,
        Rows::ByWidth => !WIDE.contains(&table),
    };
    if in_key { ") strict, without rowid;" } else { ") strict;" }
}

fn column(line: &str, ids: Ids) -> String {
    let name = line.split_whitespace().next().unwrap_or_default();
    let is_id = name == "id" || name == "announced_by" || name.ends_with("_id");
    let bytes = if is_id && ids == Ids::Text { " text" } else { " blob" };
    line.replacen(" bytea", bytes, 1)
        .replacen(" bigint", " integer", 1)
        .replacen(" boolean", " integer", 1)
}
