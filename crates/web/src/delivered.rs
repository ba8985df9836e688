//! A body that knows when it was delivered.
//!
//! An answer that says something once must not be lost silently. What is to happen when the
//! connection takes the body is kept in it; a body that is dropped before, because the caller is
//! gone, drops that too, and whatever it holds sees so.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// A whole body, and what is done once the connection takes it.
pub struct Delivered {
    bytes: Option<Bytes>,
    once_taken: Option<Box<dyn FnOnce() + Send>>,
}

impl Delivered {
    /// Calls `once_taken` when these bytes reach the connection, and drops it where they never do.
    pub fn new(bytes: Bytes, once_taken: impl FnOnce() + Send + 'static) -> Self {
        Self { bytes: Some(bytes), once_taken: Some(Box::new(once_taken)) }
    }
}

impl Body for Delivered {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(once_taken) = self.once_taken.take() {
            once_taken();
        }
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

impl fmt::Debug for Delivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivered").field("waiting", &self.bytes.is_some()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use http_body_util::BodyExt;

    use super::*;

    fn body() -> (Delivered, Arc<AtomicBool>) {
        let taken = Arc::new(AtomicBool::new(false));
        let note = Arc::clone(&taken);
        let body = Delivered::new(Bytes::from_static(b"{}"), move || {
            note.store(true, Ordering::Relaxed);
        });
        (body, taken)
    }

    #[test]
    fn a_body_dropped_unread_is_not_delivered() {
        let (body, taken) = body();
        assert_eq!(body.size_hint().exact(), Some(2));
        drop(body);
        assert!(!taken.load(Ordering::Relaxed));
        assert_eq!(Arc::strong_count(&taken), 1);
    }

    #[tokio::test]
    async fn a_body_that_was_taken_is_delivered() {
        let (body, taken) = body();
        assert_eq!(body.collect().await.unwrap().to_bytes(), "{}");
        assert!(taken.load(Ordering::Relaxed));
    }
}
