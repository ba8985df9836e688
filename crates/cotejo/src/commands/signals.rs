//! The signals that a service is sent. One that has no meaning here changes nothing: a process that catches none of them
//! ends by them at once.

use std::io::{self, IsTerminal, stderr, stdin, stdout};
use std::pin::pin;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Signals that are caught from here on.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    user_1: Signal,
    user_2: Signal,
    /// Whether a person started it on a terminal, whose end is the meaning of SIGHUP then.
    is_on_terminal: bool,
}

impl Signals {
    /// Catches them.
    ///
    /// # Errors
    /// Where the system does not let them be caught.
    pub(super) fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            user_1: signal(SignalKind::user_defined1())?,
            user_2: signal(SignalKind::user_defined2())?,
            is_on_terminal: stdin().is_terminal()
                || stdout().is_terminal()
                || stderr().is_terminal(),
        })
    }

    /// Does `work`, and answers its result. Meanwhile a signal to end cancels `asked`, and the log says of others that
    /// they change nothing.
    pub(super) async fn watch_during<T>(
        mut self,
        work: impl Future<Output = T>,
        asked: &CancellationToken,
    ) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = work.as_mut() => return done,
                _ = self.terminate.recv() => asked.cancel(),
                _ = self.interrupt.recv() => asked.cancel(),
                _ = self.hangup.recv() => match self.is_on_terminal {
                    true => asked.cancel(),
                    false => ignore("SIGHUP"),
                },
                _ = self.user_1.recv() => ignore("SIGUSR1"),
                _ = self.user_2.recv() => ignore("SIGUSR2"),
            }
        }
    }
}

fn ignore(signal: &str) {
    tracing::info!(
        signal,
        "signal ignored: the configuration is read at the start alone, and SIGTERM stops the service"
    );
}
