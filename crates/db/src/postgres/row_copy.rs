//! Whole tables out of a server, and into an empty database, by `copy` in the server's binary form.

mod tuples;

use std::io;
use std::sync::Arc;

use domain::time::Timestamp;
use pg::{Connection, Param, Run};

use self::tuples::{BEGINNING, Kind, Tuples, write_end, write_tuple};
use super::connection::Link;
use super::failure::Failure;
use super::migrate;
use super::settings::{self, Settings};
use crate::fault::Fault;
use crate::opening::OpenError;
use crate::row_copy::{CopyError, RowSink, RowSource, check_known, quoted};
use crate::schema::Schema;

/// One snapshot for all tables.
const READ: &str = "begin isolation level repeatable read read only";

/// Holds up every node that starts meanwhile: it waits for the same lock before it looks at the schema.
const WRITE: &str = "begin; \
     set local lock_timeout = '60s'; \
     select pg_advisory_xact_lock(7166753312150945)";

const COLUMNS: &str = "select attname::text, format_type(atttypid, null)::text from pg_attribute \
     where attrelid = to_regclass($1::text) and attnum > 0 and not attisdropped order by attnum asc";

/// How many bytes are sent at once.
const PIECE_LEN: usize = 64 * 1024;

/// Reads the tables from one snapshot.
pub(crate) fn copy_out(
    settings: &Settings,
    schema: &Schema,
    tables: &[&str],
    sink: &mut dyn RowSink,
) -> Result<(), CopyError> {
    let config = settings::config(settings).map_err(OpenError::from)?;
    let config = settings::without_time_limit(&settings::read_only(&config));
    let mut link = Link::new(Arc::new(config.clone()));
    let checked = migrate::check(&mut link, schema);
    link.forget();
    checked?;
    let mut connection = Connection::open(&config).map_err(|error| failed(&error))?;
    connection.command(READ).map_err(|error| failed(&error))?;
    for table in tables {
        let (columns, kinds) = columns(&mut connection, table)?;
        sink.begin(table, &columns)?;
        let text = format!("copy \"{table}\" ({}) to stdout (format binary)", quoted(&columns));
        let (mut tuples, mut broken) = (Tuples::of(&kinds), None);
        let copied = connection.copy_out(&text, |piece| {
            let taken = tuples.take(piece, &mut |row| sink.row(row));
            taken.map_err(|error| {
                broken = Some(error);
                io::ErrorKind::Interrupted.into()
            })
        });
        if let Some(error) = broken {
            return Err(error.into());
        }
        copied.map_err(|error| failed(&error))?;
        if !tuples.are_over() {
            return Err(Fault::broken(format!("the rows of {table} ended too soon")).into());
        }
    }
    connection.close();
    Ok(())
}

/// Brings the schema up to date, and writes the rows in one transaction: all of them or none.
pub(crate) fn copy_in(
    settings: &Settings,
    schema: &Schema,
    now: Timestamp,
    tables: &[&str],
    source: &mut dyn RowSource,
) -> Result<(), CopyError> {
    let config = settings::config(settings).map_err(OpenError::from)?;
    let config = settings::without_time_limit(&config);
    let mut link = Link::new(Arc::new(config.clone()));
    let migrated = migrate::run(&mut link, schema, now);
    link.forget();
    migrated?;
    let mut connection = Connection::open(&config).map_err(|error| failed(&error))?;
    connection.command(WRITE).map_err(|error| failed(&error))?;
    for table in tables {
        let text = format!("select 1::bigint from \"{table}\" limit 1");
        if !ask(&mut connection, &text, Vec::new())?.is_empty() {
            return Err(CopyError::NotEmpty((*table).to_owned()));
        }
    }
    while let Some((table, named)) = source.next_table()? {
        let (known, kinds) = columns(&mut connection, &table)?;
        check_known(tables, (table.as_str(), named.as_slice()), &known)?;
        let kind_of = |name: &String| known.iter().zip(&kinds).find(|(known, _)| *known == name);
        let kinds: Vec<Kind> =
            named.iter().filter_map(|name| kind_of(name).map(|(_, kind)| *kind)).collect();
        let text = format!("copy \"{table}\" ({}) from stdin (format binary)", quoted(&named));
        write_table(&mut connection, &text, &kinds, source)?;
    }
    connection.command("commit").map_err(|error| failed(&error))?;
    connection.close();
    Ok(())
}

/// Writes the rows of one table.
fn write_table(
    connection: &mut Connection,
    text: &str,
    kinds: &[Kind],
    source: &mut dyn RowSource,
) -> Result<(), CopyError> {
    let (mut is_begun, mut is_over, mut broken) = (false, false, None);
    let mut fill = |piece: &mut Vec<u8>| -> io::Result<bool> {
        if is_over {
            return Ok(false);
        }
        if !is_begun {
            piece.extend_from_slice(BEGINNING);
            is_begun = true;
        }
        while piece.len() < PIECE_LEN {
            let Some(row) = source.next_row()? else {
                write_end(piece);
                is_over = true;
                break;
            };
            write_tuple(piece, &row, kinds)?;
        }
        Ok(true)
    };
    let copied = connection.copy_in(text, |piece| {
        fill(piece).map_err(|error| {
            broken = Some(error);
            io::ErrorKind::Interrupted.into()
        })
    });
    match broken {
        Some(error) => Err(error.into()),
        None => Ok(copied.map_err(|error| failed(&error))?),
    }
}

/// The columns of a table and the kinds of their values; none where there is no such table.
fn columns(
    connection: &mut Connection,
    table: &str,
) -> Result<(Vec<String>, Vec<Kind>), CopyError> {
    let rows = ask(connection, COLUMNS, vec![Param::Text(table)])?;
    let (mut names, mut kinds) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows {
        let [pg::Value::Text(name), pg::Value::Text(kind)] = row.as_slice() else {
            return Err(Fault::broken("a column without a name").into());
        };
        let broken = || Fault::broken(format!("{table}.{name} is of type {kind}"));
        kinds.push(Kind::named(kind).ok_or_else(broken)?);
        names.push(name.clone());
    }
    Ok((names, kinds))
}

/// Runs one statement, and answers its rows.
fn ask(
    connection: &mut Connection,
    text: &str,
    params: Vec<Param<'_>>,
) -> Result<Vec<Vec<pg::Value>>, Fault> {
    let prepared = connection.prepare(&[text]).map_err(|error| failed(&error))?;
    let missing = || Fault::broken("a statement was not prepared");
    let statement = prepared.first().ok_or_else(missing)?;
    let answers = connection.run(&[Run { statement, params }]);
    let answers = answers.map_err(|stopped| failed(&stopped.error))?;
    Ok(answers.into_iter().flat_map(|answer| answer.rows).map(pg::Row::into_values).collect())
}

fn failed(error: &pg::Error) -> Fault {
    Failure::of(error).fault()
}
