//! A connection that is read from with measure: nobody who pours has anything else wait, or fills the
//! memory with what no answer needs, on whichever layer it is poured.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How many bytes may come over the line in one exchange, whatever they are: encryption, interim
/// answers, frames about nothing. An answer of 64 KiB takes less even where each byte of it comes in a
/// chunk and a record of its own.
pub(super) const LINE_MAX: usize = 4 * 1024 * 1024;

/// How many bytes are read at a stretch before other work, such as the deadline, has a turn.
const GULP_MAX: usize = 16 * 1024;

/// How much may still come.
#[derive(Clone)]
pub(super) struct Allowance(Arc<AtomicUsize>);

impl Allowance {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicUsize::new(LINE_MAX)))
    }

    /// Another exchange begins.
    pub(super) fn renew(&self) {
        self.0.store(LINE_MAX, Ordering::Relaxed);
    }

    /// Tells whether more came than may.
    pub(super) fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// How much has come in this exchange.
    pub(super) fn spent(&self) -> usize {
        LINE_MAX - self.0.load(Ordering::Relaxed)
    }

    fn spend(&self, bytes: usize) {
        let left = self.0.load(Ordering::Relaxed).saturating_sub(bytes);
        self.0.store(left, Ordering::Relaxed);
    }
}

/// A connection that ends when its allowance does.
pub(super) struct Metered<S> {
    inner: S,
    allowance: Allowance,
    /// What was read since anybody else had a turn.
    gulped: usize,
}

impl<S> Metered<S> {
    pub(super) fn new(inner: S, allowance: Allowance) -> Self {
        Self { inner, allowance, gulped: 0 }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.allowance.is_used_up() {
            return Poll::Ready(Err(io::ErrorKind::QuotaExceeded.into()));
        }
        if self.gulped >= GULP_MAX {
            self.gulped = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = into.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(cx, into);
        if read.is_pending() {
            self.gulped = 0;
        }
        ready!(read)?;
        let bytes = into.filled().len() - before;
        self.gulped += bytes;
        self.allowance.spend(bytes);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        from: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        from: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, from)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }
}
