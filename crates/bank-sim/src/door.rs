//! The listener: it admits so many at a time, can tear a connection apart under an answer, and hangs
//! up on everybody when the simulator stops.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// How many connections are open at once. More of them wait in the kernel.
const CONNECTIONS_MAX: usize = 256;

/// A listener with a limit.
pub(crate) struct Door {
    listener: TcpListener,
    places: Arc<Semaphore>,
    stop: CancellationToken,
}

impl Door {
    pub(crate) fn new(listener: TcpListener, stop: CancellationToken) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(CONNECTIONS_MAX)), stop }
    }
}

impl Listener for Door {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Line, SocketAddr) {
        // Nobody closes the semaphore; without a place, one more would be the lesser evil.
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let (stream, peer) = Listener::accept(&mut self.listener).await;
        // An answer is one write. Where that cannot be said, the connection is gone anyhow.
        drop(stream.set_nodelay(true));
        let stop = Box::pin(self.stop.clone().cancelled_owned());
        (Line { stream, stop, scissors: Scissors::default(), _place: place }, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Switch that cuts a connection: from then on nothing is written to it, and it ends with a reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scissors(Arc<AtomicBool>);

impl Scissors {
    pub(crate) fn cut(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn check(&self) -> io::Result<()> {
        match self.0.load(Ordering::Acquire) {
            true => Err(io::ErrorKind::ConnectionReset.into()),
            false => Ok(()),
        }
    }
}

impl Connected<IncomingStream<'_, Door>> for Scissors {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.io().scissors.clone()
    }
}

/// A connection.
pub(crate) struct Line {
    stream: TcpStream,
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    scissors: Scissors,
    _place: Option<OwnedSemaphorePermit>,
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.scissors.check().is_err() {
            // A socket that lingers for no time is closed by a reset instead of an end.
            drop(self.stream.set_zero_linger());
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.stop.as_mut().poll(context).is_ready() {
            // Nothing was read, which is how the other side's hanging up looks: nobody waits for
            // the rest of a request any more.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.scissors.check()?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.scissors.check()?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn nobody_comes_in_before_somebody_has_left() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut door = Door::new(listener, CancellationToken::new());
        let places = Arc::clone(&door.places);
        let (mut inside, mut callers) = (Vec::new(), Vec::new());
        for _ in 0..256 {
            callers.push(TcpStream::connect(address).await.unwrap());
            inside.push(door.accept().await.0);
        }
        assert_eq!(places.available_permits(), 0);
        callers.push(TcpStream::connect(address).await.unwrap());
        let mut next = pin!(door.accept());
        assert!((&mut next).now_or_never().is_none());
        inside.pop();
        next.await;
    }
}
