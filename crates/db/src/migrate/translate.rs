//! The words of a migration, as each engine wants them. Migrations are written in PostgreSQL's
//! words; SQLite needs other column types, and its strict tables.

/// Option that a table of SQLite is declared with. Not `without rowid`: rows would then live in the leaves of the
/// primary key, spread over the owners, and wide ones would overflow; with row numbers, new rows of all owners share
/// the last pages of a table, and a transaction writes half as much.
const SQLITE_TABLE: &str = " strict";

/// Words that begin a constraint in the list of columns, so that no type follows.
const CONSTRAINTS: [&str; 5] = ["primary", "unique", "foreign", "check", "constraint"];

/// Words that begin a key.
const KEYS: [&str; 2] = ["primary", "unique"];

/// Words before the column that is added to a table.
const ADDED_COLUMN: &str = " add column ";

/// `text` without its comments: what PostgreSQL gets.
pub(super) fn without_comments(text: &str) -> String {
    statements(text).iter().map(|statement| format!("{statement};\n")).collect()
}

/// `text` in the words of SQLite: the types of columns translated, and tables declared strict. A `create table` of
/// `own` has the keys that stand for those of its table; its other statements come last.
pub(super) fn for_sqlite(text: &str, own: &str) -> String {
    let own = statements(own);
    let (keys, more): (Vec<_>, Vec<_>) = own.iter().partition(|own| columns(own).is_some());
    let keys: Vec<_> = keys.into_iter().filter_map(|own| columns(own)).collect();
    let translated = statements(text).into_iter().filter_map(|statement| {
        let Some((head, list, tail)) = columns(&statement) else {
            return other_than_table(&statement);
        };
        let keys = keys.iter().find(|(table, ..)| *table == head).map(|(_, keys, _)| *keys);
        let shared = items(list).into_iter().filter(|item| keys.is_none() || !is_key(item));
        let all: Vec<_> = shared.chain(keys.map(items).unwrap_or_default()).map(column).collect();
        Some(format!("{head}{}\n{tail}{SQLITE_TABLE};\n", all.join(",")))
    });
    translated.chain(more.into_iter().map(|statement| format!("{statement};\n"))).collect()
}

/// In the words of SQLite, unless it is about how PostgreSQL stores a table.
fn other_than_table(statement: &str) -> Option<String> {
    if !statement.starts_with("alter table ") {
        return Some(format!("{statement};\n"));
    }
    if statement.contains(" set (") {
        return None;
    }
    Some(match statement.split_once(ADDED_COLUMN) {
        Some((head, added)) => format!("{head}{ADDED_COLUMN}{};\n", column(added)),
        None => format!("{statement};\n"),
    })
}

fn is_key(item: &str) -> bool {
    item.split_whitespace().next().is_some_and(|word| KEYS.contains(&word))
}

/// The statements of `text`, without comments and semicolons.
fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut statement = String::new();
    let mut quote = None;
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match (quote, next) {
            (None, '-') if rest.peek() == Some(&'-') => {
                while rest.peek().is_some_and(|&skipped| skipped != '\n') {
                    rest.next();
                }
            }
            (None, ';') => found.push(std::mem::take(&mut statement)),
            (None, '\'' | '"') => {
                quote = Some(next);
                statement.push(next);
            }
            (open, _) => {
                if open == Some(next) {
                    quote = None;
                }
                statement.push(next);
            }
        }
    }
    found.push(statement);
    let tidy = |statement: &String| {
        let lines = statement.lines().map(str::trim_end).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    };
    found.iter().map(tidy).filter(|statement| !statement.is_empty()).collect()
}

/// A `create table` in three parts: up to its opening parenthesis, the list, and the closing one.
fn columns(statement: &str) -> Option<(&str, &str, &str)> {
    if !statement.starts_with("create table ") {
        return None;
    }
    let (name, _) = statement.split_once('(')?;
    let (head, rest) = statement.split_at_checked(name.len() + 1)?;
    let end = rest.rfind(')')?;
    let (list, tail) = rest.split_at_checked(end)?;
    Some((head, list, tail))
}

/// The columns and constraints of a list: its parts between commas outside of parentheses.
fn items(list: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let mut quoted = false;
    list.split(|letter| {
        match letter {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0 && !quoted
    })
    .map(str::trim_end)
    .collect()
}

/// A column with its type in SQLite's word. The type is the second word; nothing else is touched.
fn column(item: &str) -> String {
    let mut words = item.split_whitespace();
    let (Some(name), Some(kind)) = (words.next(), words.next()) else {
        return item.to_owned();
    };
    let translated = match kind {
        "bigint" | "boolean" => "integer",
        "bytea" => "blob",
        _ => return item.to_owned(),
    };
    if CONSTRAINTS.contains(&name) {
        return item.to_owned();
    }
    // The name stands before the type and cannot contain it as a word of its own.
    let at = item.find(&format!(" {kind}")).unwrap_or(0);
    let (before, after) = item.split_at(at);
    format!("{before}{}", after.replacen(kind, translated, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_types_of_columns_are_translated() {
        let text = "-- compatible_from: 1\n\
            create table bigint_things (\n    a bigint not null, -- a bigint; really\n    \
            b boolean,\n    word text check (word in ('bigint', 'x,y')),\n    h bytea not null,\n    \
            primary key (a)\n);\n\ncreate index i on bigint_things (b asc);";
        let expected = "create table bigint_things (\n    a integer not null,\n    b integer,\n    \
            word text check (word in ('bigint', 'x,y')),\n    h blob not null,\n    \
            primary key (a)\n) strict;\ncreate index i on bigint_things (b asc);\n";
        assert_eq!(for_sqlite(text, ""), expected);
    }

    #[test]
    fn a_column_that_is_added_is_translated_too() {
        let text = "alter table t add column h bytea;\nselect ' add column h bytea';";
        let expected = "alter table t add column h blob;\nselect ' add column h bytea';\n";
        assert_eq!(for_sqlite(text, ""), expected);
    }

    #[test]
    fn sqlite_has_keys_of_its_own_and_no_storage_of_postgres() {
        let text = "create table t (\n    a bigint unique,\n    b bytea,\n    primary key (a, b),\n    \
            unique (b),\n    foreign key (b) references u (b)\n);\n\
            create table u (\n    b bytea,\n    primary key (b)\n);\n\
            alter table t set (fillfactor = 70);\ncreate index i on t (b asc);";
        let own = "-- Why.\ndrop index i;\ncreate table t (\n    primary key (b, a)\n);";
        let expected = "create table t (\n    a integer unique,\n    b blob,\n    \
            foreign key (b) references u (b),\n    primary key (b, a)\n) strict;\n\
            create table u (\n    b blob,\n    primary key (b)\n) strict;\n\
            create index i on t (b asc);\ndrop index i;\n";
        assert_eq!(for_sqlite(text, own), expected);
    }

    #[test]
    fn postgres_gets_the_text_without_its_comments() {
        let text = "-- compatible_from: 1\n\n-- Why.\ncreate table t (\n    a bigint\n);\n";
        assert_eq!(without_comments(text), "create table t (\n    a bigint\n);\n");
    }

    #[test]
    fn semicolons_and_dashes_in_quotes_end_nothing() {
        assert_eq!(statements("select ';--'; select 2"), ["select ';--'", " select 2"]);
    }
}
