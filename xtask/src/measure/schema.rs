//! The tables of a charge in SQLite's words, in each of the layouts that were weighed.

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
    /// As [`Keys::Id`]; a payment is unique by its movement first, and a line of the ledger has no key by number.
    FewByOwner,
}

/// Keys and what they are where they begin with an id, in the tables that every verification writes.
const ID_FIRST: [(&str, &str); 2] = [
    ("primary key (owner_id, id)", "primary key (id, owner_id)"),
    ("unique (owner_id, verification_id)", "unique (verification_id, owner_id)"),
];

/// What migration 18 has made of two more keys.
const FEW_BY_OWNER: [(&str, &str); 2] = [
    ("    primary key (owner_id, line),", ""),
    ("unique (owner_id, movement_id)", "unique (movement_id, owner_id)"),
];

/// The tables whose keys may begin with an id.
const WRITTEN: [&str; 4] = ["verifications", "movements", "payments", "credit_movements"];

/// What later migrations have made of the first one's constraints and indexes, whatever the keys begin with: most
/// movements have no id of their bank's, a verification has one payment, a day's movements lead to each other and endings are an account's, few
/// verifications have an entry by their fingerprint and each has its lease, a line is the entry of an attempt and linked
/// with the one before it, and who an owner is stands apart.
const SINCE: [(&str, &str); 11] = [
    (
        "    email text not null,\n    name text not null,\n    password_hash text not null,\n    \
         is_active boolean not null,\n    -- The sum",
        "    -- The sum",
    ),
    (
        "    credit_lines bigint not null,\n    created_at bigint not null,\n    updated_at bigint not null,\n",
        "    credit_lines bigint not null,\n",
    ),
    (
        "    ordinal bigint,\n    created_at",
        "    ordinal bigint,\n    request bigint,\n    previous bytea,\n    created_at",
    ),
    (
        "    credit_lines bigint not null,\n    primary key (owner_id, key_id, month)",
        "    credit_lines bigint not null,\n    newest_line bytea,\n    line_before bytea,\n    \
         primary key (owner_id, key_id, month)",
    ),
    (
        "create unique index credit_movements_of_key on credit_movements (owner_id asc, key_id asc, month asc, ordinal asc);",
        "create unique index credit_movements_steps on credit_movements (owner_id asc, key_id asc, month asc, ordinal asc) \
         where ordinal % 25 = 0;",
    ),
    (
        "create index verifications_fingerprint on verifications (owner_id asc, fingerprint asc, id asc);",
        "",
    ),
    (
        "    deadline bigint not null,\n    ended_at bigint,\n",
        "    deadline bigint not null,\n    ended_at bigint,\n    lease_until bigint,\n",
    ),
    ("    unique (owner_id, identity_id, bank_key),\n", ""),
    (
        "    unique (owner_id, movement_id),\n",
        "    unique (owner_id, movement_id),\n    unique (owner_id, verification_id),\n",
    ),
    (
        "    payer_account text,\n    created_at bigint not null,\n",
        "    payer_account text,\n    created_at bigint not null,\n    number bigint not null,\n    \
         previous bytea,\n",
    ),
    (
        "create index movements_tail on movements (owner_id asc, ",
        "create table movement_days (\n    owner_id bytea not null,\n    identity_id bytea not null,\n    \
         paid_on bigint not null,\n    movements bigint not null,\n    newest bytea not null,\n    \
         primary key (owner_id, identity_id, paid_on)\n);\n\
         create unique index movements_steps on movements (owner_id asc, identity_id asc, paid_on asc, number asc) \
         where number % 25 = 0;\n\
         create index movements_tail on movements (",
    ),
];

/// The tables whose rows can be wider than a quarter of a small page, which is what SQLite keeps
/// of a row in a key's tree; the rest of it goes to a page of its own.
const WIDE: [&str; 3] = ["movements", "payments", "verifications"];

/// Columns that hold an id and are not called so.
const NAMED_OTHERWISE: [&str; 6] =
    ["id", "announced_by", "newest", "newest_line", "line_before", "previous"];

/// The statements that make the tables.
pub(super) fn text(ids: Ids, rows: Rows, keys: Keys) -> String {
    let mut table = "";
    let mut text = String::new();
    let mut foundation = FOUNDATION.to_owned();
    for (then, now) in SINCE {
        foundation = foundation.replace(then, now);
    }
    for line in foundation.lines() {
        if let Some(rest) = line.strip_prefix("create table ") {
            table = rest.trim_end_matches(" (");
        }
        match line {
            ");" => text.push_str(end(table, rows)),
            line if WRITTEN.contains(&table) => text.push_str(&with_keys(column(line, ids), keys)),
            line => text.push_str(&column(line, ids)),
        }
        text.push('\n');
    }
    text
}

/// The line of a table that every verification writes, its keys beginning as they shall.
fn with_keys(line: String, keys: Keys) -> String {
    let changes: &[&[(&str, &str)]] = match keys {
        Keys::Owner => &[],
        Keys::Id => &[&ID_FIRST],
        Keys::FewByOwner => &[&ID_FIRST, &FEW_BY_OWNER],
    };
    changes.concat().into_iter().fold(line, |line, (then, now)| line.replace(then, now))
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
    let is_id = name.ends_with("_id") || NAMED_OTHERWISE.contains(&name);
    let bytes = if is_id && ids == Ids::Text { " text" } else { " blob" };
    line.replacen(" bytea", bytes, 1)
        .replacen(" bigint", " integer", 1)
        .replacen(" boolean", " integer", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_finds_what_it_changes() {
        let mut foundation = FOUNDATION.to_owned();
        for (then, now) in SINCE {
            assert!(foundation.contains(then), "{then}");
            foundation = foundation.replace(then, now);
        }
        for (then, _) in ID_FIRST.into_iter().chain(FEW_BY_OWNER) {
            assert!(foundation.contains(then), "{then}");
        }
    }
}
