//! A connection's socket, which fails when the other side does not read.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, Sleep};

use super::doing::Doing;

/// How long an answer may wait for the other side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Until the next byte is taken.
    pub(super) stall: Duration,
    /// Until everything that was written is taken, counted from its first wait. A stream is written
    /// piece by piece, and each piece has this time.
    pub(super) answer: Duration,
}

/// A socket that counts what the system takes of an answer, and not for how long somebody works.
pub(super) struct Socket {
    stream: TcpStream,
    doing: Arc<Doing>,
    patience: Patience,
    /// When what is being written had to wait for the first time.
    slow_since: Option<Instant>,
    /// Made for the first wait of the connection, which most never have.
    timer: Option<Pin<Box<Sleep>>>,
    /// The socket takes nothing, and the timer runs.
    is_blocked: bool,
}

/// Bounds how much of an answer the system keeps for each connection that is accepted from here on.
pub(super) fn bound(listener: &TcpListener, len: usize) -> io::Result<()> {
    // Those that are accepted inherit it.
    SockRef::from(listener).set_send_buffer_size(len)
}

impl Socket {
    pub(super) fn new(stream: TcpStream, doing: Arc<Doing>, patience: Patience) -> Self {
        Self { stream, doing, patience, slow_since: None, timer: None, is_blocked: false }
    }

    /// Notes how a write went, and ends a wait that is too long.
    fn judge(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            if self.is_blocked {
                self.is_blocked = false;
                self.doing.set_blocked(false);
            }
            return written;
        }
        if !self.is_blocked {
            self.is_blocked = true;
            self.doing.set_blocked(true);
            self.set_timer();
        }
        match self.timer.as_mut().map(|timer| timer.as_mut().poll(context)) {
            Some(Poll::Ready(())) => {
                Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "the answer is not read")))
            }
            _ => Poll::Pending,
        }
    }

    #[expect(clippy::disallowed_methods, reason = "sockets do not follow `app::Clock`")]
    fn set_timer(&mut self) {
        let now = Instant::now();
        let slow_since = *self.slow_since.get_or_insert(now);
        let until = (now + self.patience.stall).min(slow_since + self.patience.answer);
        match &mut self.timer {
            Some(timer) => timer.as_mut().reset(until),
            None => self.timer = Some(Box::pin(tokio::time::sleep_until(until))),
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // The system would keep what nobody reads for minutes, and go on offering it.
        if self.is_blocked
            && let Err(error) = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO))
        {
            tracing::debug!(%error, "the client closed the connection");
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.judge(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Called once all that was written is taken.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.slow_since = None;
        self.doing.flushed();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use app::ports::Clock;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::super::doing::Tickets;
    use super::*;
    use crate::system::SystemClock;

    const LONG: Duration = Duration::from_secs(600);
    const SHORT: Duration = Duration::from_millis(200);

    /// Longer than any buffer.
    const ANSWER_LEN: usize = 64 * 1024 * 1024;

    /// A socket with that patience, and its other side.
    async fn pair(stall: Duration, answer: Duration) -> (Socket, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let other = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let doing = Arc::new(Doing::new(Tickets::default()));
        (Socket::new(stream, doing, Patience { stall, answer }), other)
    }

    #[tokio::test]
    async fn the_system_keeps_no_more_of_an_answer_than_is_set() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        bound(&listener, 16 * 1024).unwrap();
        let _other = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let kept = SockRef::from(&stream).send_buffer_size().unwrap();
        assert!((16 * 1024..=32 * 1024).contains(&kept), "{kept}");
    }

    #[tokio::test]
    async fn an_answer_that_nobody_reads_fails() {
        let (mut socket, _other) = pair(SHORT, LONG).await;
        let failed = socket.write_all(&vec![0; ANSWER_LEN]).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn an_answer_that_is_read_without_end_fails_by_its_own_time() {
        let (mut socket, mut other) = pair(LONG, SHORT).await;
        let reading = async {
            let mut some = [0; 1024];
            while matches!(other.read(&mut some).await, Ok(1..)) {
                SystemClock.sleep(Duration::from_millis(1)).await;
            }
        };
        let answer = vec![0; ANSWER_LEN];
        tokio::select! {
            failed = socket.write_all(&answer) => {
                assert_eq!(failed.unwrap_err().kind(), ErrorKind::TimedOut);
            }
            () = reading => panic!("the answer was read"),
        }
    }

    #[tokio::test]
    async fn an_answer_that_is_read_arrives_however_long_the_connection_lasts() {
        let (mut socket, mut other) = pair(LONG, LONG).await;
        let reading = async move {
            let mut read = vec![0; 3 * 1024 * 1024];
            other.read_exact(&mut read).await.unwrap();
        };
        let writing = async {
            for _ in 0..3 {
                socket.write_all(&vec![0; 1024 * 1024]).await.unwrap();
                socket.flush().await.unwrap();
                assert!(socket.slow_since.is_none(), "the next piece has its own time");
            }
        };
        tokio::join!(writing, reading);
    }
}
