//! What is done to a column, and how it is put back.

use std::fmt;

use testkit::database::Database;

use super::facts::{BOUNDED, EACH, REFERENCES, WORDS};

/// Kind of value that a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bytes,
    Number,
    Text,
    Flag,
}

/// A column, as the database describes it.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) table: String,
    pub(super) name: String,
    kind: Kind,
    is_nullable: bool,
}

impl Column {
    /// Returns the value that is also put there where the smallest change may mean nothing.
    pub(super) fn bounded(&self) -> Option<&'static str> {
        let name = self.to_string();
        let mut bounded = BOUNDED.iter();
        let found = bounded.find(|(columns, _)| columns.split(' ').any(|column| column == name));
        found.map(|(_, value)| *value)
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.table, self.name)
    }
}

/// Every column of every table, table by table. The log of migrations is nobody's.
pub(super) fn columns(database: &Database) -> Vec<Column> {
    let query = match database {
        Database::Sqlite(_) => {
            "select t.name || ' ' || c.name || ' ' || lower(c.type) || ' ' || \
             case when c.\"notnull\" = 1 or c.pk > 0 then 'no' else 'yes' end \
             from sqlite_schema t join pragma_table_info(t.name) c \
             where t.type = 'table' and t.name <> 'migrations' order by t.name, c.cid"
        }
        Database::Postgres(_) => {
            "select table_name || ' ' || column_name || ' ' || data_type || ' ' || \
             lower(is_nullable) from information_schema.columns \
             where table_schema = 'public' and table_name <> 'migrations' \
             order by table_name, ordinal_position"
        }
    };
    database.texts(query).iter().map(|line| column(line)).collect()
}

fn column(line: &str) -> Column {
    let [table, name, kind, nullable] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
    // SQLite keeps truth as a number.
    let is_flag = name.starts_with("is_")
        || [
            "livemode",
            "payments_enabled",
            "announce_expiry",
            "same_bank_by_payer",
            "short_references",
        ]
        .contains(&name);
    let kind = match kind {
        _ if is_flag => Kind::Flag,
        "blob" | "bytea" => Kind::Bytes,
        "integer" | "bigint" => Kind::Number,
        "text" => Kind::Text,
        "boolean" => Kind::Flag,
        other => panic!("{table}.{name} is of a kind that this test cannot alter: {other}"),
    };
    Column { table: table.to_owned(), name: name.to_owned(), kind, is_nullable: nullable == "yes" }
}

/// Which of these columns, all of one table, are null in the row.
pub(super) fn nulls(database: &Database, columns: &[&Column], at: &str) -> Vec<bool> {
    let flag =
        |column: &&Column| format!("case when {} is null then '1' else '0' end", column.name);
    let flags: Vec<String> = columns.iter().map(flag).collect();
    let query = format!("select {} from {} where {at}", flags.join(" || "), columns[0].table);
    database.texts(&query)[0].chars().map(|flag| flag == '1').collect()
}

/// The ways in which a column is altered beyond its bound, and as if there were nothing.
pub(super) const BEYOND: &str = "changed beyond its bound";
pub(super) const TAKEN_AWAY: &str = "taken away";

/// Lists the values that replace the row's value in that column, each with its description: the smallest change; for
/// what is compared with a bound the smallest one to the other side, and one that passes it; null, where the column
/// allows it; and the values of other rows.
pub(super) fn alterations(
    database: &Database,
    column: &Column,
    at: &str,
    is_null: bool,
) -> Vec<(String, String)> {
    let mut ways = vec![("changed".to_owned(), changed(database, column, at, is_null))];
    if let Some(beyond) = column.bounded() {
        if column.kind == Kind::Number && !is_null {
            ways.push(("lessened".to_owned(), format!("{} - 1", column.name)));
        }
        ways.push((BEYOND.to_owned(), beyond.to_owned()));
    }
    if column.is_nullable && !is_null {
        ways.push((TAKEN_AWAY.to_owned(), "null".to_owned()));
    }
    let others = others(database, column, at).into_iter();
    ways.extend(others.map(|other| (format!("set to {other}"), other)));
    ways
}

/// The smallest change.
fn changed(database: &Database, column: &Column, at: &str, is_null: bool) -> String {
    let Column { table, name, kind, .. } = column;
    match kind {
        Kind::Number if is_null => "7".to_owned(),
        Kind::Text if is_null => "'x'".to_owned(),
        Kind::Bytes if is_null => bytes(database, "0102030405060708090a0b0c0d0e0f10"),
        Kind::Number => format!("{name} + 1"),
        Kind::Text => format!("{name} || '0'"),
        Kind::Flag => format!("not {name}"),
        Kind::Bytes => {
            let shown = hexadecimal(database, name);
            let query = format!("select {shown} from saved_{table} where {at}");
            bytes(database, &flipped(&database.texts(&query)[0]))
        }
    }
}

/// Values that would be right in another row: each state or kind that there is, and each movement; the first and the
/// last of the rows that another reference could be to, or of what the table has in that column.
fn others(database: &Database, column: &Column, at: &str) -> Vec<String> {
    let Column { table, name, kind, .. } = column;
    let is_word = WORDS.contains(&name.as_str());
    let referred = REFERENCES.iter().find(|(columns, _)| columns.split(' ').any(|c| c == name));
    let choices = match (referred, kind) {
        (None, Kind::Flag) => return Vec::new(),
        (None, Kind::Number) if is_word => return numbers(database, table, name, at),
        (Some((_, choices)), _) => (*choices).to_owned(),
        (None, _) => format!("select {name} as id from saved_{table}"),
    };
    let shown = match kind {
        Kind::Bytes => hexadecimal(database, "id"),
        Kind::Number | Kind::Text | Kind::Flag => "cast(id as text)".to_owned(),
    };
    let own = format!("select {name} from saved_{table} where {at} and {name} is not null");
    let query = format!(
        "select distinct {shown} from ({choices}) as choices where id is not null and id not in ({own}) order by 1"
    );
    let mut texts = database.texts(&query);
    if !is_word && !EACH.contains(&name.as_str()) && texts.len() > 2 {
        texts.drain(1..texts.len() - 1);
    }
    let literal = |text: String| match kind {
        Kind::Bytes => bytes(database, &text),
        Kind::Text => format!("'{}'", text.replace('\'', "''")),
        Kind::Number | Kind::Flag => text,
    };
    texts.into_iter().map(literal).collect()
}

/// The numbers of states and kinds but the row's own.
fn numbers(database: &Database, table: &str, name: &str, at: &str) -> Vec<String> {
    let own = database.number(&format!("select {name} from saved_{table} where {at}"));
    (0..=6).filter(|number| *number != own).map(|number| number.to_string()).collect()
}

/// Bytes as the database shows them in a text.
fn hexadecimal(database: &Database, column: &str) -> String {
    match database {
        Database::Sqlite(_) => format!("lower(hex({column}))"),
        Database::Postgres(_) => format!("encode({column}, 'hex')"),
    }
}

/// The same bytes but for the last bit.
fn flipped(hexadecimal: &str) -> String {
    let mut digits: Vec<char> = hexadecimal.chars().collect();
    let Some(last) = digits.pop() else { return "00".to_owned() };
    digits.extend(char::from_digit(last.to_digit(16).unwrap() ^ 1, 16));
    digits.into_iter().collect()
}

/// Bytes in the words of the database.
fn bytes(database: &Database, hexadecimal: &str) -> String {
    match database {
        Database::Sqlite(_) => format!("x'{hexadecimal}'"),
        Database::Postgres(_) => format!("decode('{hexadecimal}', 'hex')"),
    }
}

/// Keeps each table as it is.
pub(super) fn save(database: &Database, tables: &[&str]) {
    for table in tables {
        database.execute(&format!("create table saved_{table} as select * from {table}"));
    }
}

/// The statements that put a table back as it was.
pub(super) fn restoring(table: &str) -> String {
    format!("delete from {table}; insert into {table} select * from saved_{table}")
}
