//! The schema is the same on both engines, described in lines that both can be asked for.

use db::sqlite::in_memory;
use db::value::Row;
use testkit::postgres::Database;

use crate::conformance::{at, never_fatal, wait};
use crate::manifest::IDS_FIRST_ON_SQLITE;
use crate::schema::SCHEMA;
use crate::sql::Sql;
use crate::{Engine, Meter, Options, PostgresSettings};

static COLUMNS: Sql = Sql::shared(
    "select c.relname::text as table_name, a.attname::text as column_name, \
     format_type(a.atttypid, null) as kind, a.attnotnull, \
     pg_get_expr(d.adbin, d.adrelid) as default_text \
     from pg_class c join pg_attribute a on a.attrelid = c.oid \
     left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum \
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace \
     and a.attnum > 0 and not a.attisdropped",
);

static INDEXES: Sql = Sql::shared(
    "select t.relname::text as table_name, i.indisprimary, i.indisunique, \
     pg_get_expr(i.indpred, i.indrelid) as condition, \
     (select string_agg(a.attname, ', ' order by k.place) \
      from unnest(i.indkey::smallint[]) with ordinality k (number, place) \
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number) as column_names \
     from pg_index i join pg_class t on t.oid = i.indrelid \
     where t.relnamespace = 'public'::regnamespace",
);

static FOREIGN_KEYS: Sql = Sql::shared(
    "select conrelid::regclass::text as table_name, pg_get_constraintdef(oid) as definition \
     from pg_constraint \
     where contype = 'f' and connamespace = 'public'::regnamespace",
);

static CHECKS: Sql = Sql::shared(
    "select conrelid::regclass::text as table_name, pg_get_expr(conbin, conrelid) as condition \
     from pg_constraint \
     where contype = 'c' and connamespace = 'public'::regnamespace",
);

#[test]
fn both_engines_have_the_same_schema() {
    let (mut here, mut there) = (of_postgres(), of_sqlite());
    here.sort();
    there.sort();
    assert!(here.len() > 100, "a schema of {} lines", here.len());
    for part in [" check balance >= 0", " where state = 0", " default 0"] {
        assert!(here.iter().any(|line| line.contains(part)), "nothing has{part}");
    }
    assert_eq!(here, there);
}

fn of_postgres() -> Vec<String> {
    let database = Database::migrated();
    let engine = Engine::Postgres(PostgresSettings::at(database.url()));
    let store =
        crate::open_to_read(&Options { engine, now: at(0), on_fatal: never_fatal() }).unwrap();
    let ask = |sql: &'static Sql| {
        wait(store.read(&Meter::default(), move |tx| tx.query(sql, &[]))).unwrap()
    };
    let text = |row: &Row, column: &str| row.get::<String>(column).unwrap();
    let truth = |row: &Row, column: &str| row.get::<bool>(column).unwrap();
    let mut lines = Vec::new();
    for row in ask(&COLUMNS) {
        let (table, name) = (text(&row, "table_name"), text(&row, "column_name"));
        let kind = match text(&row, "kind").as_str() {
            "bigint" | "boolean" => "integer",
            "bytea" => "blob",
            "text" => "text",
            other => panic!("{table}.{name} is {other}"),
        };
        let default = row.get::<Option<String>>("default_text").unwrap();
        lines.push(column(&table, &name, kind, truth(&row, "attnotnull"), default));
    }
    for row in ask(&INDEXES) {
        lines.push(index(
            &text(&row, "table_name"),
            truth(&row, "indisprimary"),
            truth(&row, "indisunique"),
            row.get::<Option<String>>("condition").unwrap().as_deref(),
            &text(&row, "column_names"),
        ));
    }
    for row in ask(&CHECKS) {
        lines.push(check(&text(&row, "table_name"), &text(&row, "condition")));
    }
    for row in ask(&FOREIGN_KEYS) {
        lines.push(format!("{} {}", text(&row, "table_name"), text(&row, "definition")));
    }
    lines
}

fn of_sqlite() -> Vec<String> {
    let database = in_memory(&SCHEMA).unwrap();
    let ask = |query: &str| -> Vec<String> {
        let mut statement = database.prepare(query).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let mut lines = Vec::new();
    for table in ask("select name from sqlite_schema where type = 'table'") {
        let definition =
            ask(&format!("select sql from sqlite_schema where name = '{table}'")).remove(0);
        let mut columns = database.prepare("select * from pragma_table_info(?1)").unwrap();
        let found = columns.query_map([&table], |row| {
            let kind = row.get::<_, String>("type")?.to_lowercase();
            let name: String = row.get("name")?;
            Ok(column(&table, &name, &kind, row.get("notnull")?, row.get("dflt_value")?))
        });
        lines.extend(found.unwrap().map(Result::unwrap));
        lines.extend(checks_in(&definition).map(|condition| check(&table, condition)));

        let mut indexes = database
            .prepare(
                "select origin = 'pk', \"unique\", \
                 (select substr(sql, instr(sql, ' where ') + 7) from sqlite_schema s \
                  where s.name = l.name and partial), \
                 (select group_concat(name, ', ') from \
                  (select name from pragma_index_info(l.name) order by seqno)) \
                 from pragma_index_list(?1) l",
            )
            .unwrap();
        let found = indexes.query_map([&table], |row| {
            let (columns, is_unique): (String, bool) = (row.get(3)?, row.get(1)?);
            // The order of time, which PostgreSQL's own key has.
            if !is_unique && is_key_of_postgres(&table, &columns) {
                return Ok(None);
            }
            let condition: Option<String> = row.get(2)?;
            let columns = owner_first(&table, columns);
            Ok(Some(index(&table, row.get(0)?, is_unique, condition.as_deref(), &columns)))
        });
        lines.extend(found.unwrap().filter_map(Result::unwrap));

        let mut keys = database
            .prepare(
                "select \"table\", group_concat(\"from\", ', '), group_concat(\"to\", ', ') from \
                 (select * from pragma_foreign_key_list(?1) order by id, seq) group by id",
            )
            .unwrap();
        let found = keys.query_map([&table], |row| {
            let [parent, from, to]: [String; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
            Ok(format!("{table} FOREIGN KEY ({from}) REFERENCES {parent}({to})"))
        });
        lines.extend(found.unwrap().map(Result::unwrap));
    }
    // A key of one whole number is the table's own order, and has no index to describe.
    if !lines.contains(&index("migrations", true, true, None, "version")) {
        lines.push(index("migrations", true, true, None, "version"));
    }
    lines
}

/// The columns of an index of SQLite's in the order that PostgreSQL has them in.
fn owner_first(table: &str, columns: String) -> String {
    let is_id_first = |(name, id): &&(&str, &str)| {
        *name == table && columns.strip_prefix(id) == Some(", owner_id")
    };
    match IDS_FIRST_ON_SQLITE.iter().find(is_id_first) {
        Some((_, id)) => format!("owner_id, {id}"),
        None => columns,
    }
}

/// Tells whether the columns are a key of PostgreSQL's that SQLite has the other way round.
fn is_key_of_postgres(table: &str, columns: &str) -> bool {
    let is_it = |(name, id): &(&str, &str)| {
        *name == table && columns.strip_prefix("owner_id, ") == Some(*id)
    };
    IDS_FIRST_ON_SQLITE.iter().any(is_it)
}

/// The conditions of a table of SQLite's, out of the statement that made it.
fn checks_in(definition: &str) -> impl Iterator<Item = &str> {
    definition.split("check (").skip(1).map(|rest| {
        let mut depth = 1;
        let end = rest.find(|character| {
            depth += match character {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        rest.split_at(end.unwrap()).0
    })
}

/// A condition or a default in words that both engines come to. PostgreSQL shows what it read,
/// with types and brackets. Without brackets a condition that has both `and` and `or` could be either of two; the
/// one that has both is looked at by eye.
fn plain(expression: &str) -> String {
    let listed = expression.to_lowercase().replace("= any (array[", "in ");
    let untyped = listed.replace("::bigint", "").replace("::text", "");
    let words = untyped.replace(['(', ')', ']'], "");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn column(
    table: &str,
    name: &str,
    kind: &str,
    is_required: bool,
    default: Option<String>,
) -> String {
    let required = if is_required { " not null" } else { "" };
    let default = default.map(|value| format!(" default {}", plain(&value))).unwrap_or_default();
    format!("{table}.{name} {kind}{required}{default}")
}

fn index(
    table: &str,
    primary: bool,
    unique: bool,
    condition: Option<&str>,
    columns: &str,
) -> String {
    let kind = match (primary, unique) {
        (true, _) => "primary key",
        (false, true) => "unique",
        (false, false) => "index",
    };
    let part = condition.map(|text| format!(" where {}", plain(text))).unwrap_or_default();
    format!("{table} {kind} ({columns}){part}")
}

fn check(table: &str, condition: &str) -> String {
    format!("{table} check {}", plain(condition))
}
