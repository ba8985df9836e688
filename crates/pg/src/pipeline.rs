//! The pipeline: messages that are sent together, and the answers to them.
//!
//! Whatever needs no answer in between goes out in one write, with one `Sync` at its end, at which the server sends
//! all answers. It does what it is sent in order, and after something that failed nothing more up to the `Sync`.

use std::io;

use bytes::BytesMut;
use postgres_protocol::message::{backend, frontend};

use crate::error::{Error, Stopped, invalid};
use crate::messages::{Message, Messages, take, take_i32, take_text, take_u16};
use crate::values::{self, Param, Row, Type, Value};

/// How much is sent before the answers to it are read. The buffers between the two processes hold it
/// all: a server that waited for its answers to be read would otherwise be waited for in turn.
const SENT_AT_ONCE: usize = 32 * 1024;

/// How much memory the rows of one statement may take.
const ROWS_MAX: usize = 256 * 1024 * 1024;

/// Parameters and columns travel in the server's own form.
const BINARY: [i16; 1] = [1];

/// A statement that the server has prepared for one connection.
#[derive(Debug)]
pub struct Statement {
    /// The number of the connection.
    pub(crate) connection: u64,
    name: String,
    params: Vec<Type>,
    columns: Vec<Type>,
}

impl Statement {
    /// The types of its parameters.
    #[must_use]
    pub fn params(&self) -> &[Type] {
        &self.params
    }

    /// The types of the columns that it answers.
    #[must_use]
    pub fn columns(&self) -> &[Type] {
        &self.columns
    }
}

/// A statement that the server is to prepare for that connection under that name.
pub(crate) struct Wanted<'t> {
    pub(crate) connection: u64,
    pub(crate) name: String,
    pub(crate) text: &'t str,
}

/// A statement with its parameters.
#[derive(Debug)]
pub struct Run<'r> {
    /// The statement.
    pub statement: &'r Statement,
    /// Its parameters.
    pub params: Vec<Param<'r>>,
}

/// Answer of a statement.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The rows that it read.
    pub rows: Vec<Row>,
    /// How it ended.
    pub tag: Tag,
}

/// How a statement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// So many rows were read or written.
    Rows(u64),
    /// A transaction was committed.
    Commit,
    /// A transaction was rolled back: also the answer to a commit that could not be.
    Rollback,
    /// Anything else.
    Other,
}

/// Runs the statements in order.
pub(crate) fn run(messages: &mut Messages, runs: &[Run<'_>]) -> Result<Vec<Answer>, Stopped> {
    exchange(messages, runs, write_run, |messages, run| read_run(messages, &run.statement.columns))
}

/// Prepares the statements, each under its name.
pub(crate) fn prepare(
    messages: &mut Messages,
    statements: &[Wanted<'_>],
) -> Result<Vec<Statement>, Stopped> {
    exchange(messages, statements, write_prepare, read_prepare)
}

/// Runs a text of one or more commands that have neither parameters nor rows worth reading.
pub(crate) fn command(messages: &mut Messages, text: &str) -> Result<(), Error> {
    frontend::query(text, &mut messages.outbox)?;
    messages.send()?;
    until_ready(messages)
}

/// Sends the items in order and reads the answer to each, up to one that brings error.
fn exchange<I, A>(
    messages: &mut Messages,
    items: &[I],
    write: impl Fn(&mut BytesMut, &I) -> Result<(), Error>,
    read: impl Fn(&mut Messages, &I) -> Result<A, Error>,
) -> Result<Vec<A>, Stopped> {
    let mut answers = Vec::with_capacity(items.len());
    let early = send_early(messages, items, &write, &read, &mut answers);
    frontend::sync(&mut messages.outbox);
    let late = messages.send().map_err(Error::Lost);
    let result = early.and(late).and_then(|()| hear(messages, items, &read, &mut answers));
    // What makes no sense is not listened to any further.
    if let Err(Error::Lost(error)) = &result {
        messages.lose(error);
    }
    // Whatever else failed, the session is of use again once the server is ready.
    let is_ready = until_ready(messages);
    match result.and(is_ready) {
        Ok(()) => Ok(answers),
        Err(error) => Err(Stopped { at: answers.len(), error }),
    }
}

/// Writes the items into the outbox. Where it would be too much to be sent at once, it sends what there
/// is, and reads the answers to it. After error the outbox is empty, so that nothing more is done.
fn send_early<I, A>(
    messages: &mut Messages,
    items: &[I],
    write: &impl Fn(&mut BytesMut, &I) -> Result<(), Error>,
    read: &impl Fn(&mut Messages, &I) -> Result<A, Error>,
    answers: &mut Vec<A>,
) -> Result<(), Error> {
    for (index, item) in items.iter().enumerate() {
        let before = messages.outbox.len();
        if let Err(error) = write(&mut messages.outbox, item) {
            messages.outbox.clear();
            return Err(error);
        }
        if before > 0 && messages.outbox.len() > SENT_AT_ONCE {
            let next = messages.outbox.split_off(before);
            frontend::flush(&mut messages.outbox);
            messages.send()?;
            hear(messages, &items[..index], read, answers)?;
            messages.outbox.unsplit(next);
        }
    }
    Ok(())
}

/// Reads the answers to the items that have none yet.
fn hear<I, A>(
    messages: &mut Messages,
    items: &[I],
    read: &impl Fn(&mut Messages, &I) -> Result<A, Error>,
    answers: &mut Vec<A>,
) -> Result<(), Error> {
    for item in &items[answers.len()..] {
        answers.push(read(messages, item)?);
    }
    Ok(())
}

/// Passes over everything until the server is ready, but for an error.
pub(crate) fn until_ready(messages: &mut Messages) -> Result<(), Error> {
    let mut result = Ok(());
    loop {
        let Message { tag, body } = messages.next()?;
        match tag {
            backend::READY_FOR_QUERY_TAG => return result,
            backend::ERROR_RESPONSE_TAG => result = Err(server_error(body)?),
            _ => {}
        }
    }
}

fn write_run(outbox: &mut BytesMut, run: &Run<'_>) -> Result<(), Error> {
    let Run { statement: Statement { name, params: wanted, .. }, params } = run;
    if params.len() != wanted.len() {
        let (found, wanted) = (params.len(), wanted.len());
        return Err(Error::Mismatch(format!("{found} parameters, not {wanted}")));
    }
    let pairs = params.iter().zip(wanted);
    let write = |(param, wanted): (&Param<'_>, &Type), out: &mut BytesMut| {
        values::write(param, *wanted, out)
    };
    frontend::bind("", name, BINARY, pairs, write, BINARY, outbox).map_err(|error| {
        Error::Mismatch(match error {
            frontend::BindError::Conversion(error) => error.to_string(),
            frontend::BindError::Serialization(error) => error.to_string(),
        })
    })?;
    frontend::execute("", 0, outbox).map_err(|error| mismatch(&error))
}

fn read_run(messages: &mut Messages, columns: &[Type]) -> Result<Answer, Error> {
    let (mut rows, mut memory) = (Vec::new(), 0);
    loop {
        let Message { tag, body } = messages.next()?;
        match tag {
            backend::BIND_COMPLETE_TAG => {}
            backend::DATA_ROW_TAG => {
                memory += body.len() + size_of::<Row>() + columns.len() * size_of::<Value>();
                if memory > ROWS_MAX {
                    return Err(invalid("an answer that is too long").into());
                }
                rows.push(values::read(body, columns)?);
            }
            backend::COMMAND_COMPLETE_TAG => return Ok(Answer { rows, tag: Tag::of(body) }),
            tag => return Err(otherwise(tag, body)),
        }
    }
}

impl Tag {
    /// From words such as `INSERT 0 1`, with a zero byte at the end.
    fn of(body: &[u8]) -> Self {
        match body {
            b"COMMIT\0" => Self::Commit,
            b"ROLLBACK\0" => Self::Rollback,
            words => {
                let words = std::str::from_utf8(words).unwrap_or_default().trim_end_matches('\0');
                let count = words.rsplit(' ').next().and_then(|count| count.parse().ok());
                count.map_or(Self::Other, Self::Rows)
            }
        }
    }
}

fn write_prepare(outbox: &mut BytesMut, wanted: &Wanted<'_>) -> Result<(), Error> {
    let Wanted { name, text, .. } = wanted;
    frontend::parse(name, text, [], outbox).map_err(|error| mismatch(&error))?;
    frontend::describe(b'S', name, outbox).map_err(|error| mismatch(&error))
}

fn read_prepare(messages: &mut Messages, wanted: &Wanted<'_>) -> Result<Statement, Error> {
    let Wanted { connection, name, .. } = wanted;
    let (connection, name) = (*connection, name.clone());
    let mut prepared = Statement { connection, name, params: Vec::new(), columns: Vec::new() };
    loop {
        let Message { tag, mut body } = messages.next()?;
        match tag {
            backend::PARSE_COMPLETE_TAG => {}
            backend::PARAMETER_DESCRIPTION_TAG => {
                for _ in 0..take_u16(&mut body)? {
                    prepared.params.push(Type::of(take_i32(&mut body)?)?);
                }
            }
            backend::ROW_DESCRIPTION_TAG => {
                for _ in 0..take_u16(&mut body)? {
                    prepared.columns.push(column(&mut body)?);
                }
                return Ok(prepared);
            }
            backend::NO_DATA_TAG => return Ok(prepared),
            tag => return Err(otherwise(tag, body)),
        }
    }
}

/// A column of a description: its name, table and number in it, type, and three facts about that.
fn column(body: &mut &[u8]) -> Result<Type, Error> {
    take_text(body)?;
    take(body, 4 + 2)?;
    let of = Type::of(take_i32(body)?);
    take(body, 2 + 4 + 2)?;
    of
}

/// The server's error, or that there should have been another message.
pub(crate) fn otherwise(tag: u8, body: &[u8]) -> Error {
    if tag == backend::ERROR_RESPONSE_TAG {
        return server_error(body).unwrap_or_else(Error::Lost);
    }
    let what = format!("a message of type {:?} that nothing asked for", char::from(tag));
    Error::Lost(invalid(what))
}

/// An error of the server. Neither its detail nor its hint is kept: they quote values.
fn server_error(mut body: &[u8]) -> io::Result<Error> {
    let (mut state, mut message) = (String::new(), String::new());
    loop {
        let field = take(&mut body, 1)?;
        if field == [0] {
            return Ok(Error::Server { state, message });
        }
        let text = String::from_utf8_lossy(take_text(&mut body)?).into_owned();
        match field {
            b"C" => state = text,
            b"M" => message = text,
            _ => {}
        }
    }
}

fn mismatch(error: &io::Error) -> Error {
    Error::Mismatch(error.to_string())
}
