//! Messages to the server that travel together, and their answers.
//!
//! Whatever needs no answer in between goes out in one write. A sign at its end
//! ([`frontend::sync`]) has the server send all answers in one, too. The server does what it is sent in
//! order, and after something that failed nothing more up to that sign.

use std::borrow::Cow;
use std::io;

use bytes::BytesMut;
use postgres_protocol::message::{backend, frontend};

use super::frames::{Frame, Frames, take, take_i32, take_text, take_u16};
use super::multi_row_insert::Statement;
use super::values::{self, Kind};
use crate::value::Row;

/// How much is sent before the answers to it are read. The buffers between the two processes hold it
/// all: a server that waited for its answers to be read would otherwise be waited for in turn.
const SENT_AT_ONCE: usize = 32 * 1024;

/// Parameters and columns travel in the server's own form.
const BINARY: [i16; 1] = [1];

/// A statement that the server has prepared for this session.
#[derive(Debug)]
pub(super) struct Prepared {
    name: String,
    /// Of arrays: of what they hold.
    pub(super) params: Vec<Kind>,
    columns: Vec<Kind>,
}

/// A statement that the server is to prepare.
pub(super) struct Wanted<'t> {
    pub(super) name: String,
    pub(super) text: Cow<'t, str>,
    /// Whether its parameters are arrays.
    pub(super) takes_arrays: bool,
}

/// A statement with its parameters, or with those of each row that it is to write.
pub(super) struct Run<'r> {
    pub(super) prepared: &'r Prepared,
    pub(super) rows: &'r [Statement<'r>],
}

/// What a statement answered: its rows, and the server's word for how it ended.
pub(super) struct Answer {
    pub(super) rows: Vec<Row>,
    pub(super) tag: Tag,
}

/// How a statement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// So many rows were read or written.
    Rows(u64),
    Commit,
    /// Also the answer to a commit that could not be.
    Rollback,
    Other,
}

/// Why an exchange went no further.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Statement and parameters, or statement and schema, do not fit. It was not sent.
    Mismatch(String),
    /// The server's own error: its SQLSTATE and its message.
    Server { state: String, message: String },
    /// The connection is gone, or nothing that came from it makes sense. What was sent may have been
    /// done.
    Lost(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

/// What brought trouble, by its place among what was to be sent. Nothing behind it was done, but for
/// what nobody knows after [`Trouble::Lost`].
pub(super) struct Stopped {
    pub(super) at: usize,
    pub(super) trouble: Trouble,
}

/// Does the runs in order; answers each, however many it is for.
pub(super) fn run(frames: &mut Frames, runs: &[Run<'_>]) -> Result<Vec<Answer>, Stopped> {
    exchange(frames, runs, write_run, |frames, run| read_run(frames, &run.prepared.columns))
}

/// Prepares the statements, each under its name.
pub(super) fn prepare(
    frames: &mut Frames,
    statements: &[Wanted<'_>],
) -> Result<Vec<Prepared>, Stopped> {
    exchange(frames, statements, write_prepare, read_prepare)
}

/// Runs a text of one or more commands that have neither parameters nor rows worth reading.
pub(super) fn command(frames: &mut Frames, text: &str) -> Result<(), Trouble> {
    frontend::query(text, &mut frames.outbox)?;
    frames.send()?;
    until_ready(frames)
}

/// Sends the items in order and hears the answer to each, up to one that brings trouble.
fn exchange<I, A>(
    frames: &mut Frames,
    items: &[I],
    write: impl Fn(&mut BytesMut, &I) -> Result<(), Trouble>,
    read: impl Fn(&mut Frames, &I) -> Result<A, Trouble>,
) -> Result<Vec<A>, Stopped> {
    let mut answers = Vec::with_capacity(items.len());
    let early = send_early(frames, items, &write, &read, &mut answers);
    frontend::sync(&mut frames.outbox);
    let late = frames.send().map_err(Trouble::Lost);
    let result = early.and(late).and_then(|()| hear(frames, items, &read, &mut answers));
    // What makes no sense is not listened to any further.
    frames.is_lost |= matches!(result, Err(Trouble::Lost(_)));
    // Whatever else failed, the session is of use again once the server is ready.
    let is_ready = until_ready(frames);
    match result.and(is_ready) {
        Ok(()) => Ok(answers),
        Err(trouble) => Err(Stopped { at: answers.len(), trouble }),
    }
}

/// Writes the items into the outbox. Where it would be too much to be sent at once, it sends what there
/// is, and hears the answers to it. After trouble the outbox is empty, so that nothing more is done.
fn send_early<I, A>(
    frames: &mut Frames,
    items: &[I],
    write: &impl Fn(&mut BytesMut, &I) -> Result<(), Trouble>,
    read: &impl Fn(&mut Frames, &I) -> Result<A, Trouble>,
    answers: &mut Vec<A>,
) -> Result<(), Trouble> {
    for (index, item) in items.iter().enumerate() {
        let before = frames.outbox.len();
        if let Err(trouble) = write(&mut frames.outbox, item) {
            frames.outbox.clear();
            return Err(trouble);
        }
        if before > 0 && frames.outbox.len() > SENT_AT_ONCE {
            let next = frames.outbox.split_off(before);
            frontend::flush(&mut frames.outbox);
            frames.send()?;
            hear(frames, &items[..index], read, answers)?;
            frames.outbox.unsplit(next);
        }
    }
    Ok(())
}

/// Hears the answers to the items that have none yet.
fn hear<I, A>(
    frames: &mut Frames,
    items: &[I],
    read: &impl Fn(&mut Frames, &I) -> Result<A, Trouble>,
    answers: &mut Vec<A>,
) -> Result<(), Trouble> {
    for item in &items[answers.len()..] {
        answers.push(read(frames, item)?);
    }
    Ok(())
}

/// Passes over everything until the server is ready, but for an error.
fn until_ready(frames: &mut Frames) -> Result<(), Trouble> {
    let mut result = Ok(());
    loop {
        let Frame { tag, body } = frames.next()?;
        match tag {
            backend::READY_FOR_QUERY_TAG => return result,
            backend::ERROR_RESPONSE_TAG => result = Err(server_error(body)?),
            _ => {}
        }
    }
}

fn write_run(outbox: &mut BytesMut, run: &Run<'_>) -> Result<(), Trouble> {
    let Run { prepared: Prepared { name, params: kinds, .. }, rows } = run;
    let wanted = kinds.len();
    if let Some((_, other)) = rows.iter().find(|(_, params)| params.len() != wanted) {
        return Err(Trouble::Mismatch(format!("{} parameters, not {wanted}", other.len())));
    }
    let write = |(column, kind): (usize, &Kind), out: &mut BytesMut| match rows {
        [(_, params)] => values::write(&params[column], *kind, out),
        many => values::write_array(many.iter().map(|(_, params)| &params[column]), *kind, out),
    };
    let columns = kinds.iter().enumerate();
    frontend::bind("", name, BINARY, columns, write, BINARY, outbox).map_err(|error| {
        Trouble::Mismatch(match error {
            frontend::BindError::Conversion(error) => error.to_string(),
            frontend::BindError::Serialization(error) => error.to_string(),
        })
    })?;
    frontend::execute("", 0, outbox).map_err(|error| mismatch(&error))
}

fn read_run(frames: &mut Frames, columns: &[Kind]) -> Result<Answer, Trouble> {
    let mut rows = Vec::new();
    loop {
        let Frame { tag, body } = frames.next()?;
        match tag {
            backend::BIND_COMPLETE_TAG => {}
            backend::DATA_ROW_TAG => rows.push(values::read(body, columns)?),
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

fn write_prepare(outbox: &mut BytesMut, wanted: &Wanted<'_>) -> Result<(), Trouble> {
    let Wanted { name, text, .. } = wanted;
    frontend::parse(name, text, [], outbox).map_err(|error| mismatch(&error))?;
    frontend::describe(b'S', name, outbox).map_err(|error| mismatch(&error))
}

fn read_prepare(frames: &mut Frames, wanted: &Wanted<'_>) -> Result<Prepared, Trouble> {
    let kind = if wanted.takes_arrays { Kind::of_array } else { Kind::of };
    let name = wanted.name.clone();
    let mut prepared = Prepared { name, params: Vec::new(), columns: Vec::new() };
    loop {
        let Frame { tag, mut body } = frames.next()?;
        match tag {
            backend::PARSE_COMPLETE_TAG => {}
            backend::PARAMETER_DESCRIPTION_TAG => {
                for _ in 0..take_u16(&mut body)? {
                    prepared.params.push(kind(take_i32(&mut body)?)?);
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
fn column(body: &mut &[u8]) -> Result<Kind, Trouble> {
    take_text(body)?;
    take(body, 4 + 2)?;
    let kind = Kind::of(take_i32(body)?);
    take(body, 2 + 4 + 2)?;
    kind
}

/// The server's error, or that there should have been another message.
pub(super) fn otherwise(tag: u8, body: &[u8]) -> Trouble {
    if tag == backend::ERROR_RESPONSE_TAG {
        return server_error(body).unwrap_or_else(Trouble::Lost);
    }
    let what = format!("a message of type {:?} that nothing asked for", char::from(tag));
    Trouble::Lost(io::Error::new(io::ErrorKind::InvalidData, what))
}

/// An error of the server. Neither its detail nor its hint is kept: they quote values.
fn server_error(mut body: &[u8]) -> io::Result<Trouble> {
    let (mut state, mut message) = (String::new(), String::new());
    loop {
        let field = take(&mut body, 1)?;
        if field == [0] {
            return Ok(Trouble::Server { state, message });
        }
        let text = String::from_utf8_lossy(take_text(&mut body)?).into_owned();
        match field {
            b"C" => state = text,
            b"M" => message = text,
            _ => {}
        }
    }
}

fn mismatch(error: &io::Error) -> Trouble {
    Trouble::Mismatch(error.to_string())
}
