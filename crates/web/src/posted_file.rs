//! A form with a file that a person who has signed in has sent.
//!
//! Browsers send it in parts. From a person who may not send one, no more is read than of other requests; what was
//! typed is at the beginning. A form without parts is read as one without a file.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use domain::access::{Caller, Entry, Guarded};
use domain::logo::UnfitPicture;
use domain::refusal::{Detail, Refusal};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http::request::Parts as Head;
use multer::{Error as PartError, Field, Multipart, parse_boundary};
use tokio::sync::OwnedSemaphorePermit;

use crate::body::{BODY_LEN_MAX, TIME_MAX, broke_off, in_time};
use crate::form::FORM_LEN_MAX;
use crate::picture::{FILE_TIME_MAX, Gathered, READ_MAX};
use crate::request_state::RequestState;
use crate::signed::{Accepted, let_in, refuse_from_elsewhere, taken};
use crate::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

/// How many parts a form has at most.
const PARTS_MAX: usize = 16;

/// How many bytes are kept at most that are no part's content: what comes before the first part, and the heads of
/// parts. What comes at once over a connection may be half of it.
const HELD_MAX: usize = 768 * 1024;

/// A form with a file, admitted to do `O`.
#[derive(Debug)]
pub struct PostedFile<O: Guarded> {
    /// Who sent it.
    pub signed: Signed<O>,
    /// What was typed.
    pub form: FormBody,
    /// The file; or what is wrong with it before anybody has looked inside.
    pub file: Result<Bytes, UnfitPicture>,
}

impl<O: Guarded> FromRequest<AppState> for PostedFile<O> {
    type Rejection = NotTaken;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, NotTaken> {
        let (accepted, file) = accept(request, state, O::ENTRY).boxed().await?;
        let Posted { signed, form } = accepted.permit()?;
        Ok(Self { signed, form, file })
    }
}

async fn accept(
    request: Request,
    state: &AppState,
    entry: Entry,
) -> Result<(Accepted, Result<Bytes, UnfitPicture>), NotTaken> {
    refuse_from_elsewhere(request.headers(), state)?;
    let (head, body) = request.into_parts();
    let (form, file) = match boundary(&head.headers) {
        Some(boundary) => {
            let caller = let_in(&head, state, entry).await;
            let _place = caller.as_ref().map(|one| begin_file(state, one, &head)).transpose()?;
            let (len_max, time_max) = match caller {
                Some(_) => (READ_MAX, FILE_TIME_MAX),
                None => (BODY_LEN_MAX, TIME_MAX),
            };
            let reading = Parts::read(body, boundary, len_max);
            let (parts, _) = in_time(state, reading, time_max).await?;
            let parts = parts?;
            if let Some(request_state) =
                head.extensions.get::<RequestState>().filter(|_| !parts.is_cut)
            {
                request_state.note_body();
            }
            (FormBody::of_parts(&parts.typed, parts.file_field), parts.file.whole())
        }
        None => {
            let request = Request::from_parts(head.clone(), body);
            (FormBody::from_request(request, state).await?, Err(UnfitPicture::Missing))
        }
    };
    Ok((taken(state, head, form, entry).await?, file))
}

/// Reads the boundary between the parts of a form, where it has some.
fn boundary(headers: &HeaderMap) -> Option<String> {
    parse_boundary(headers.get(CONTENT_TYPE)?.to_str().ok()?).ok()
}

/// The parts of a form.
#[derive(Default)]
struct Parts {
    typed: Vec<(String, String)>,
    /// How many bytes the names and values of them have.
    typed_len: usize,
    file_field: Option<String>,
    file: Gathered,
    /// Whether there is more than is read.
    is_cut: bool,
}

impl Parts {
    /// Reads so many bytes of a form at most.
    async fn read(body: Body, boundary: String, len_max: usize) -> Result<Self, Failure> {
        let intake = Arc::new(Intake::default());
        let mut multipart = Multipart::new(intake.bounded(body, len_max), boundary);
        let mut parts = Self::default();
        for _ in 0..PARTS_MAX {
            match parts.read_next(&mut multipart, &intake).await {
                Ok(true) => {}
                Ok(false) => return Ok(parts),
                Err(_) if intake.is_cut.load(Ordering::Relaxed) => {
                    return Ok(Self { file: Gathered::too_long(), is_cut: true, ..parts });
                }
                Err(_) if intake.held.load(Ordering::Relaxed) > HELD_MAX => break,
                Err(failure) => return Err(failure),
            }
        }
        Err(Refusal::PayloadTooLarge.into())
    }

    /// Reads a part, if there is one more.
    async fn read_next(
        &mut self,
        multipart: &mut Multipart<'_>,
        intake: &Intake,
    ) -> Result<bool, Failure> {
        let Some(field) = multipart.next_field().await.map_err(unread)? else { return Ok(false) };
        let name = field.name().unwrap_or_default().to_owned();
        self.typed_len += name.len();
        if self.typed_len > FORM_LEN_MAX {
            return Err(Refusal::PayloadTooLarge.into());
        }
        if field.file_name().is_some() && self.file_field.is_none() {
            self.file_field = Some(name);
            self.file = file(field, intake).await?;
        } else {
            let value = typed(field, intake, FORM_LEN_MAX.saturating_sub(self.typed_len)).await?;
            self.typed_len += value.len();
            self.typed.push((name, value));
        }
        Ok(true)
    }
}

/// How much of a body was handed on, and is held by the parser of the parts.
#[derive(Default)]
struct Intake {
    held: AtomicUsize,
    /// Whether there is more than is read.
    is_cut: AtomicBool,
}

impl Intake {
    /// The body, so many bytes of it at most, and no more at once than was taken out before: each piece waits for its
    /// turn.
    fn bounded(
        self: &Arc<Self>,
        body: Body,
        len_max: usize,
    ) -> impl Stream<Item = Result<Bytes, axum::Error>> + 'static {
        let begin = (body.into_data_stream(), Arc::clone(self), len_max);
        stream::unfold(begin, |(mut body, intake, left)| async move {
            // The parser of the parts takes what is ready until it has to wait.
            tokio::task::yield_now().await;
            let chunk = body.next().await?;
            let len = chunk.as_ref().map_or(0, Bytes::len);
            let held = intake.held.fetch_add(len, Ordering::Relaxed) + len;
            intake.is_cut.fetch_or(len > left, Ordering::Relaxed);
            let is_taken = len <= left && held <= HELD_MAX;
            is_taken.then(|| (chunk, (body, intake, left.saturating_sub(len))))
        })
    }

    fn taken_out(&self, chunk: &Bytes) {
        self.held.fetch_sub(chunk.len(), Ordering::Relaxed);
    }
}

/// Counts a file of that caller before a byte of it is read, and takes one of the places that long bodies have.
fn begin_file(
    state: &AppState,
    caller: &Caller,
    head: &Head,
) -> Result<OwnedSemaphorePermit, Failure> {
    if let Some((owner, request_state)) = caller.owner().zip(head.extensions.get::<RequestState>())
    {
        state.try_picture(owner, request_state.context().received)?;
    }
    state.begin_long_body()
}

async fn file(mut field: Field<'_>, intake: &Intake) -> Result<Gathered, Failure> {
    let mut gathered = Gathered::default();
    while let Some(chunk) = field.chunk().await.map_err(unread)? {
        intake.taken_out(&chunk);
        gathered.push(&chunk);
    }
    Ok(gathered)
}

/// Reads what was typed into a field, of so many bytes at most.
async fn typed(mut field: Field<'_>, intake: &Intake, len_max: usize) -> Result<String, Failure> {
    let mut value = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(unread)? {
        intake.taken_out(&chunk);
        if value.len() + chunk.len() > len_max {
            return Err(Refusal::PayloadTooLarge.into());
        }
        value.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&value).into_owned())
}

#[expect(clippy::needless_pass_by_value, reason = "as errors are mapped")]
fn unread(error: PartError) -> Failure {
    match error {
        PartError::StreamReadFailed(_) | PartError::IncompleteStream => broke_off(),
        _ => {
            let problem = ("no es un formulario", "is no form");
            Refusal::BadRequest(vec![Detail::new("body", problem)]).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use domain::logo::FILE_LEN_MAX;

    use super::*;

    const FILE: &str = "content-disposition: form-data; name=\"logo\"; filename=\"a.png\"";

    fn part(head: &str, body: &str) -> String {
        format!("--x\r\n{head}\r\n\r\n{body}\r\n")
    }

    fn field(name: &str, value: &str) -> String {
        part(&format!("content-disposition: form-data; name=\"{name}\""), value)
    }

    async fn read(text: String) -> Result<Parts, u16> {
        // In pieces, as it comes over a line.
        let pieces: Vec<_> =
            text.as_bytes().chunks(4_096).map(|one| Ok::<_, Infallible>(one.to_vec())).collect();
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let read = Parts::read(body, "x".to_owned(), READ_MAX).await;
        read.map_err(|failure| failure.refusal().unwrap().status())
    }

    #[tokio::test]
    async fn what_is_typed_and_the_file_are_distinguished() {
        let text = field("form_token", "a&b") + &part(FILE, "bytes") + &field("more", "") + "--x--";
        let parts = read(text).await.unwrap();
        let typed =
            [("form_token", "a&b"), ("more", "")].map(|(k, v)| (k.to_owned(), v.to_owned()));
        assert_eq!(parts.typed, typed);
        assert_eq!(parts.file_field.as_deref(), Some("logo"));
        assert_eq!(parts.file.whole().unwrap(), "bytes");
    }

    #[tokio::test]
    async fn what_is_too_long_or_broken_is_refused() {
        let (end, long) = ("--x--", "y".repeat(FORM_LEN_MAX + 1));
        for (text, status) in [
            (field("a", &long) + end, 413),
            (field(&long, "a") + end, 413),
            (field(&long, "") + end, 413),
            (part(&FILE.replace("logo", &long), "bytes") + end, 413),
            // Held until a part begins, and in the head of one.
            ("y".repeat(HELD_MAX + 1) + end, 413),
            (part(&format!("x: {}\r\n{FILE}", "y".repeat(HELD_MAX)), "bytes") + end, 413),
            (field("a", "b").repeat(PARTS_MAX + 1) + end, 413),
            (part(FILE, "bytes"), 400),
            ("no parts at all".to_owned(), 400),
            (String::new(), 400),
        ] {
            assert_eq!(read(text).await.err(), Some(status));
        }
    }

    #[tokio::test]
    async fn a_file_that_is_too_long_is_reported_with_what_was_typed() {
        for len in [FILE_LEN_MAX + 1, 2 * READ_MAX] {
            let text = field("form_token", "a") + &part(FILE, &"y".repeat(len)) + "--x--";
            let parts = read(text).await.unwrap();
            assert_eq!((parts.typed.len(), parts.is_cut), (1, len > READ_MAX));
            assert_eq!(parts.file_field.as_deref(), Some("logo"));
            assert_eq!(parts.file.whole(), Err(UnfitPicture::TooHeavy));
        }
    }
}
