//! A picture that somebody sends: as the body of a call, or in a form.
//!
//! What is too long is read on for a while and thrown away, because a client that is still sending would otherwise
//! not learn why it is not taken.

use std::fmt;
use std::pin::pin;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use domain::logo::{FILE_LEN_MAX, UnfitPicture};
use http_body_util::BodyExt;

use crate::admitted::admit_again;
use crate::body::{broke_off, in_time};
use crate::request_state::RequestState;
use crate::{AppState, Failure};

/// How much of a file is read that is too long: what a camera makes.
pub(crate) const READ_MAX: usize = 16 * 1024 * 1024;

/// How long a file may take once the head is here: two megabytes by a slow line.
pub(crate) const FILE_TIME_MAX: Duration = Duration::from_secs(60);

/// The bytes of a file, as they come.
#[derive(Default)]
pub(crate) struct Gathered {
    bytes: Vec<u8>,
    /// How many came, kept or not.
    len: usize,
}

impl Gathered {
    /// Stands for a file that has no end that anybody waits for.
    pub(crate) const fn too_long() -> Self {
        Self { bytes: Vec::new(), len: usize::MAX }
    }

    /// Takes some more; answers whether it is worth reading on.
    pub(crate) fn push(&mut self, more: &[u8]) -> bool {
        self.len = self.len.saturating_add(more.len());
        if self.len <= FILE_LEN_MAX {
            self.bytes.extend_from_slice(more);
        } else {
            self.bytes = Vec::new();
        }
        self.len <= READ_MAX
    }

    /// All of it, where there is something and not too much.
    pub(crate) fn whole(self) -> Result<Bytes, UnfitPicture> {
        match self.len {
            0 => Err(UnfitPicture::Missing),
            len if len > FILE_LEN_MAX => Err(UnfitPicture::TooHeavy),
            _ => Ok(self.bytes.into()),
        }
    }
}

/// The body of a call that is a picture. What the call says of its kind is not looked at: its bytes decide.
pub struct PictureBody(pub Result<Bytes, UnfitPicture>);

impl fmt::Debug for PictureBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PictureBody({:?})", self.0.as_ref().map(Bytes::len))
    }
}

impl FromRequest<AppState> for PictureBody {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Failure> {
        let (parts, body) = request.into_parts();
        let request_state = parts.extensions.get::<RequestState>();
        let asking = request_state.and_then(|request_state| {
            Some((request_state, request_state.asking()?.caller.owner()?))
        });
        if let Some((request_state, owner)) = asking {
            state.try_picture(owner, request_state.context().received)?;
        }
        let _place = state.begin_long_body()?;
        let (read, is_late) = in_time(state, read(body), FILE_TIME_MAX).await?;
        let (gathered, is_done) = read?;
        if let Some(request_state) = request_state.filter(|_| is_done) {
            request_state.note_body();
        }
        if is_late {
            admit_again(&parts, state).await?;
        }
        Ok(Self(gathered.whole()))
    }
}

/// Reads a body, and says whether all of it is here.
async fn read(body: Body) -> Result<(Gathered, bool), Failure> {
    let (mut body, mut gathered) = (pin!(body), Gathered::default());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| broke_off())?;
        if frame.data_ref().is_some_and(|data| !gathered.push(data)) {
            return Ok((gathered, false));
        }
    }
    Ok((gathered, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_not_kept_and_read_on_for_a_while() {
        let chunk = vec![7; 1024 * 1024];
        let mut gathered = Gathered::default();
        assert!(gathered.push(&chunk) && gathered.push(&chunk));
        assert_eq!(gathered.bytes.len(), FILE_LEN_MAX);
        assert!(gathered.push(&[7]) && gathered.bytes.is_empty());
        assert!(gathered.push(&chunk) && gathered.bytes.is_empty());
        assert!((0..20).any(|_| !gathered.push(&chunk)));
        assert_eq!(gathered.whole(), Err(UnfitPicture::TooHeavy));
        assert_eq!(Gathered::default().whole(), Err(UnfitPicture::Missing));
        let mut whole = Gathered::default();
        assert!(whole.push(b"a") && whole.push(b"b"));
        assert_eq!(whole.whole().unwrap(), "ab");
    }
}
