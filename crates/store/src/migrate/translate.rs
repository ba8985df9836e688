//! The words of a migration, as each engine wants them. Migrations are written in PostgreSQL's
//! words; SQLite needs other column types, and its strict tables.

/// What a table of SQLite is declared as. Not `without rowid`: rows would then live in the leaves of
/// the primary key, spread over the owners, and wide ones would overflow; with row numbers, new
/// rows of all owners share the last pages of a table, and a transaction writes half as much.
const SQLITE_TABLE: &str = " strict";

/// Words that begin a constraint in the list of columns, so that no type follows.
const CONSTRAINTS: [&str; 5] = ["primary", "unique", "foreign", "check", "constraint"];

/// What stands before the column that is added to a table.
const ADDED_COLUMN: &str = " add column ";

/// `text` without its comments: what PostgreSQL gets.
pub(super) fn without_comments(text: &str) -> String {
    statements(text).iter().map(|statement| format!("{statement};\n")).collect()
}

/// `text` in the words of SQLite: the types of columns translated, and tables declared strict.
pub(super) fn for_sqlite(text: &str) -> String {
    let translate = |statement: &String| match columns(statement) {
        Some((head, list, tail)) => {
            let list: Vec<_> = items(list).into_iter().map(column).collect();
            format!("{head}{}{tail}{SQLITE_TABLE};\n", list.join(","))
        }
        None => match statement.split_once(ADDED_COLUMN) {
            Some((head, added)) if head.starts_with("alter table ") => {
                format!("{head}{ADDED_COLUMN}{};\n", column(added))
            }
            _ => format!("{statement};\n"),
        },
    };
    statements(text).iter().map(translate).collect()
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
        assert_eq!(for_sqlite(text), expected);
    }

    #[test]
    fn a_column_that_is_added_is_translated_too() {
        let text = "alter table t add column h bytea;\nselect ' add column h bytea';";
        let expected = "alter table t add column h blob;\nselect ' add column h bytea';\n";
        assert_eq!(for_sqlite(text), expected);
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
