//! Questions at several nodes in any order, while callers leave, nodes die, the bank ends tokens, fails and keeps silent,
//! and credentials change. A seed replays a run.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bank::{IssuedToken, Obtaining, Tokens};
use domain::ids::{BankId, OwnerId};
use domain::secret::SecretText;
use domain::verification::Failure;
use store::bank_access;
use store::tx::Tx;

use super::super::flight::{LEASE, LOOK_AGAIN};
use super::world::{BANK, CREDENTIALS, Node, World};
use crate::verification::simulation::surroundings::{Chance, pick, poll};

const SEEDS: u64 = 60;
const STEPS: usize = 150;
const NODES: usize = 3;

/// State of the bank. Its clients see only the part that they are shown.
#[derive(Default)]
struct Server {
    logins: usize,
    /// By which credentials somebody is logging in at present.
    under_way: Vec<usize>,
    is_silent: bool,
    fails: bool,
    /// The first login whose token is good.
    good_from: usize,
    answered: usize,
    failed: usize,
}

type Line = Arc<Mutex<Server>>;

/// Also where the test has failed, since logins are dropped then.
fn lock(line: &Line) -> MutexGuard<'_, Server> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One login, by the credentials of that number.
struct Login {
    line: Line,
    credentials: usize,
    number: Option<usize>,
}

impl Future for Login {
    type Output = Result<IssuedToken, Failure>;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let (line, credentials) = (Arc::clone(&self.line), self.credentials);
        let mut server = lock(&line);
        let number = *self.number.get_or_insert_with(|| {
            assert!(!server.under_way.contains(&credentials), "two log in at once");
            server.under_way.push(credentials);
            server.logins += 1;
            server.logins
        });
        match (server.is_silent, server.fails) {
            (true, _) => Poll::Pending,
            (false, true) => Poll::Ready(Err(Failure::Maintenance)),
            (false, false) => {
                let secret = SecretText::new(format!("{credentials} {number}"));
                Poll::Ready(Ok(IssuedToken { secret, expires_at: None }))
            }
        }
    }
}

impl Drop for Login {
    fn drop(&mut self) {
        if self.number.is_some() {
            lock(&self.line).under_way.retain(|other| *other != self.credentials);
        }
    }
}

/// The credentials and the number of the login that a token says.
fn said(token: &bank::Token) -> (usize, usize) {
    let (credentials, number) = token.secret().expose().split_once(' ').unwrap();
    (credentials.parse().unwrap(), number.parse().unwrap())
}

/// A question on its way.
type Asking = Pin<Box<dyn Future<Output = ()>>>;

struct Storm {
    world: World,
    line: Line,
    nodes: Vec<Arc<Node>>,
    begun: u64,
    /// The node of each question, and the question.
    questions: Vec<(usize, Asking)>,
    /// The sealed credentials of each number; the last are those of the account.
    credentials: Vec<Arc<Vec<u8>>>,
}

impl Storm {
    fn new() -> Self {
        let world = World::new();
        let credentials = vec![Arc::new(CREDENTIALS.to_vec())];
        let (line, nodes) = (Line::default(), Vec::new());
        let mut storm = Self { world, line, nodes, begun: 0, questions: Vec::new(), credentials };
        for _ in 0..NODES {
            let node = storm.node();
            storm.nodes.push(node);
        }
        storm
    }

    fn node(&mut self) -> Arc<Node> {
        self.begun += 1;
        Arc::new(self.world.node(self.begun))
    }

    /// Asks as a connector does: by the token, and once more by another if the bank says that it is not valid.
    fn ask(&mut self, at: usize) {
        let (node, line) = (Arc::clone(&self.nodes[at]), Arc::clone(&self.line));
        let number = self.credentials.len() - 1;
        let sealed = Arc::clone(&self.credentials[number]);
        let account: (OwnerId, BankId) = self.world.account();
        let question = async move {
            let login = || -> Obtaining {
                let line = Arc::clone(&line);
                Box::pin(Login { line, credentials: number, number: None })
            };
            let tokens = node.tokens(account, &sealed);
            let mut got = tokens.current(login()).await;
            if let Ok(token) = &got
                && said(token).1 < lock(&line).good_from
            {
                let next = tokens.renew(token, login()).await;
                assert!(next.as_ref().map_or(true, |next| said(next).1 > said(token).1));
                got = next;
            }
            let mut server = lock(&line);
            match got {
                Ok(token) => {
                    assert_eq!(said(&token).0, number, "a token by other credentials");
                    server.answered += 1;
                }
                Err(_) => server.failed += 1,
            }
        };
        self.questions.push((at, Box::pin(question)));
    }

    fn poll_one(&mut self, at: usize) {
        if poll(self.questions[at].1.as_mut()).is_some() {
            drop(self.questions.swap_remove(at));
        }
    }

    /// So that nobody stands still for as long as a lease.
    fn poll_all(&mut self) {
        self.questions.retain_mut(|(_, question)| poll(question.as_mut()).is_none());
    }

    fn pass(&mut self, time: Duration) {
        self.world.pass(time);
        self.poll_all();
    }

    /// A node dies with all that it was about to do, and another begins in its place.
    fn crash(&mut self, at: usize) {
        self.questions.retain(|(node, _)| *node != at);
        self.nodes[at] = self.node();
    }

    fn change_credentials(&mut self) {
        let (owner, former) = (self.world.owner, self.credentials.last().cloned().unwrap());
        let next = Arc::new(format!("sealed {}", self.credentials.len()).into_bytes());
        self.credentials.push(Arc::clone(&next));
        let changed = self.world.write(move |tx: &mut Tx<'_>| {
            bank_access::change_credentials(tx, owner, BANK, &next, &former, super::world::START)
        });
        assert!(changed);
    }

    fn server<T>(&self, change: impl FnOnce(&mut Server) -> T) -> T {
        change(&mut lock(&self.line))
    }

    fn step(&mut self, chance: &mut Chance) {
        let at = pick(chance, NODES);
        match chance.below(100) {
            0..30 => self.ask(at),
            30..60 if !self.questions.is_empty() => {
                let chosen = pick(chance, self.questions.len());
                self.poll_one(chosen);
            }
            60..66 if !self.questions.is_empty() => {
                let chosen = pick(chance, self.questions.len());
                drop(self.questions.swap_remove(chosen));
            }
            66..70 => self.nodes[at].run_tasks(),
            70..73 => self.crash(at),
            73..75 => self.change_credentials(),
            75..79 => self.server(|server| server.good_from = server.logins + 1),
            79..83 => self.server(|server| server.fails = !server.fails),
            83..90 => self.server(|server| server.is_silent = !server.is_silent),
            90..97 => self.pass(LOOK_AGAIN),
            _ => self.pass(Duration::from_secs(1 + chance.below(5))),
        }
    }

    /// The bank is well again: all questions come to an end, and the next two are asked by one token.
    fn settle(&mut self) {
        self.server(|server| (server.is_silent, server.fails) = (false, false));
        let end = self.world.now().plus(LEASE + LOOK_AGAIN);
        while self.world.now() < end {
            self.pass(LOOK_AGAIN);
        }
        assert_eq!(self.questions.len(), 0, "a question waits for ever");
        let before = self.server(|server| server.logins);
        for at in 0..NODES {
            self.ask(at);
            self.poll_all();
            assert_eq!(self.questions.len(), 0);
        }
        assert!(self.server(|server| server.logins) <= before + 1);
        for node in &self.nodes {
            assert_eq!(node.flights(), "TokenFlights(0)");
        }
    }
}

#[test]
fn no_order_of_events_logs_in_twice_at_once_or_leaves_a_question_waiting() {
    let (mut logins, mut answered, mut failed) = (0, 0, 0);
    for seed in 0..SEEDS {
        let (mut storm, mut chance) = (Storm::new(), Chance::new(seed));
        for _ in 0..STEPS {
            storm.step(&mut chance);
        }
        storm.settle();
        storm.server(|server| {
            logins += server.logins;
            answered += server.answered;
            failed += server.failed;
        });
    }
    // There was something to share, and something to go wrong.
    assert!(logins > 300 && answered > logins && failed > 100, "{logins} {answered} {failed}");
}
