//! Bodies that note on their connection how far they are.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body as Answer;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

use super::doing::Doing;

/// The body of a request.
pub(super) struct Asked {
    body: Incoming,
    doing: Arc<Doing>,
}

impl Asked {
    pub(super) fn new(body: Incoming, doing: Arc<Doing>) -> Self {
        Self { body, doing }
    }
}

impl Body for Asked {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.doing.set_wants_body(polled.is_pending());
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.doing.set_wants_body(false);
    }
}

/// The body of an answer. The connection drops it when it has all of it.
pub(super) struct Answered {
    body: Answer,
    doing: Arc<Doing>,
}

impl Answered {
    /// The body of an answer whose head is there.
    pub(super) fn new(body: Answer, doing: Arc<Doing>) -> Self {
        doing.answers();
        Self { body, doing }
    }
}

impl Body for Answered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Answered {
    fn drop(&mut self) {
        self.doing.answered();
    }
}
