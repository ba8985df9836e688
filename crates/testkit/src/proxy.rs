//! A proxy on loopback that knows where PostgreSQL's messages begin and end, and cuts the
//! connection at one of them.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// How long answers are held back at most, so that a test fails instead of hanging.
const HOLD_MAX: Duration = Duration::from_secs(10);

/// Why the gate's lock is never poisoned.
const WHOLE: &str = "nobody panics with the gate in hand";

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the client.
    ToServer,
    /// From the server.
    ToClient,
}

/// A message: its way, its type, and what it says.
#[derive(Debug)]
pub struct Message<'m> {
    /// Where it goes.
    pub way: Way,
    /// Its type; zero for the first of a client.
    pub kind: u8,
    /// The rest of it.
    pub body: &'m [u8],
}

/// Tells whether the message asks the server to commit: by itself, or by the first half of running a statement that was
/// prepared under a name that says so, after an empty name.
#[must_use]
pub fn is_commit(message: &Message<'_>) -> bool {
    let is_run = message.kind == b'B' && message.body.starts_with(b"\0commit-");
    let is_command = message.kind == b'Q' && message.body == b"commit\0";
    message.way == Way::ToServer && (is_run || is_command)
}

/// Tells whether the message says that the server has committed.
#[must_use]
pub fn is_committed(message: &Message<'_>) -> bool {
    message.way == Way::ToClient && message.kind == b'C' && message.body == b"COMMIT\0"
}

type Watch = Box<dyn FnMut(&Message<'_>) -> bool + Send>;

#[derive(Default)]
struct Gate {
    /// Looks at each message; where it answers true, the connection is cut before that message.
    watch: Option<Watch>,
    /// Whether it goes on watching after a cut.
    is_lasting: bool,
    /// How many statements must be on their way to the server before any answer is let through.
    held_for: usize,
}

/// The proxy. It serves until the test's process ends.
#[derive(Clone)]
pub struct Proxy {
    url: String,
    gate: Arc<(Mutex<Gate>, Condvar)>,
}

impl Proxy {
    /// A proxy before the server of `url`, which must not ask for TLS.
    ///
    /// # Panics
    /// Where `url` says no user, or loopback has no port left.
    #[must_use]
    pub fn before(url: &str) -> Self {
        let (rest, database) = url.rsplit_once('/').expect("an address with a database");
        let (login, server) = rest.rsplit_once('@').expect("an address with a user");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("the port's address");
        let proxy = Self { url: format!("{login}@{address}/{database}"), gate: Arc::default() };
        let (server, gate) = (server.to_owned(), Arc::clone(&proxy.gate));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A server that takes nobody in any more looks to the client like one that is gone.
                if let Ok(server) = TcpStream::connect(&server) {
                    drop(serve(&client, &server, &gate));
                }
            }
        });
        proxy
    }

    /// Returns the address that it listens at, with everything else as it was.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Cuts the connection before the first message for which `watch` answers true, once.
    pub fn cut_when(&self, watch: impl FnMut(&Message<'_>) -> bool + Send + 'static) {
        self.watch(Box::new(watch), false);
    }

    /// Cuts the connection before every message for which `watch` answers true.
    pub fn cut_whenever(&self, watch: impl FnMut(&Message<'_>) -> bool + Send + 'static) {
        self.watch(Box::new(watch), true);
    }

    fn watch(&self, watch: Watch, is_lasting: bool) {
        let mut gate = self.gate();
        (gate.watch, gate.is_lasting) = (Some(watch), is_lasting);
    }

    /// Forgets what it was to cut; whether that was still to come.
    pub fn disarm(&self) -> bool {
        self.gate().watch.take().is_some()
    }

    /// Tells whether the cut that it was armed for is still to come.
    #[must_use]
    pub fn is_armed(&self) -> bool {
        self.gate().watch.is_some()
    }

    /// Lets no answer through before so many more statements are on their way.
    pub fn hold_answers_for(&self, statements: usize) {
        self.gate().held_for = statements;
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.gate.0.lock().expect(WHOLE)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address holds a password.
        f.debug_struct("Proxy").finish_non_exhaustive()
    }
}

fn serve(
    client: &TcpStream,
    server: &TcpStream,
    gate: &Arc<(Mutex<Gate>, Condvar)>,
) -> io::Result<()> {
    // Message by message, Nagle's algorithm would make every answer wait for an acknowledgement.
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    for way in [Way::ToServer, Way::ToClient] {
        let (mut from, mut to) = match way {
            Way::ToServer => (client.try_clone()?, server.try_clone()?),
            Way::ToClient => (server.try_clone()?, client.try_clone()?),
        };
        let gate = Arc::clone(gate);
        thread::spawn(move || {
            // Either end may close at any time; that ends the other one too.
            drop(pass(way, &mut from, &mut to, &gate));
            drop(from.shutdown(Shutdown::Both));
            drop(to.shutdown(Shutdown::Both));
        });
    }
    Ok(())
}

fn pass(
    way: Way,
    from: &mut TcpStream,
    to: &mut TcpStream,
    gate: &(Mutex<Gate>, Condvar),
) -> io::Result<()> {
    // The first message of a client has no type.
    let mut has_type = way == Way::ToClient;
    loop {
        let mut head = [0; 5];
        let typed = usize::from(has_type);
        from.read_exact(&mut head[..4 + typed])?;
        let length = [head[typed], head[typed + 1], head[typed + 2], head[typed + 3]];
        let length = u32::from_be_bytes(length) as usize;
        let mut body = vec![0; length.saturating_sub(4)];
        from.read_exact(&mut body)?;
        let kind = if has_type { head[0] } else { 0 };
        if !admits(&Message { way, kind, body: &body }, gate) {
            return Ok(());
        }
        to.write_all(&[&head[..4 + typed], &body].concat())?;
        has_type = true;
    }
}

fn admits(message: &Message<'_>, gate: &(Mutex<Gate>, Condvar)) -> bool {
    let (gate, changed) = gate;
    let mut gate = gate.lock().expect(WHOLE);
    if message.way == Way::ToServer && matches!(message.kind, b'E' | b'Q') {
        gate.held_for = gate.held_for.saturating_sub(1);
        changed.notify_all();
    }
    if message.way == Way::ToClient {
        let (held, timeout) =
            changed.wait_timeout_while(gate, HOLD_MAX, |gate| gate.held_for > 0).expect(WHOLE);
        gate = held;
        if timeout.timed_out() {
            return false;
        }
    }
    let cuts = gate.watch.as_mut().is_some_and(|watch| watch(message));
    if cuts && !gate.is_lasting {
        gate.watch = None;
    }
    !cuts
}
