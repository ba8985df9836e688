//! Nodes on one store, an owner with an account, and a bank that gives a token for each login.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use bank::{Banks, IssuedToken, Obtaining, Token, Tokens};
use domain::ids::{BankId, IdentityId, OwnerId};
use domain::payer::AccountNumber;
use domain::secret::SecretText;
use domain::time::Timestamp;
use domain::verification::Failure;
use store::accounts::{self, NewAccount};
use store::bank_access::{self, Access, Facts};
use store::bank_tokens::{self, Reached, TokenState};
use store::fault::Fault;
use store::tx::Tx;
use store::{Lane, Meter, Store, owners};

use crate::bank_tokens::AccountTokens;
use crate::vault::MasterKey;
use crate::verification::simulation::surroundings::{
    Ids, Running, VirtualClock, app, at_once, poll,
};
use crate::{App, Clock};

pub(super) const START: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);
pub(super) const NUMBER: &str = "01990000890000000001";
pub(super) const BANK: BankId = BankId::from_bytes([4; 16]);
pub(super) const OTHER: BankId = BankId::from_bytes([5; 16]);

/// Sealed credentials of the accounts. Only the one who sealed them could tell their content.
pub(super) const CREDENTIALS: &[u8] = b"sealed credentials";

pub(super) type Waiting<'a> = Pin<Box<dyn Future<Output = Result<Token, Failure>> + Send + 'a>>;

/// The bank: how often somebody logged in, and how it answers.
#[derive(Debug, Default)]
pub(super) struct TestBank(Mutex<Behaviour>);

#[derive(Debug, Default)]
struct Behaviour {
    logins: usize,
    is_silent: bool,
    /// What the next logins fail with.
    failures: VecDeque<Failure>,
    expires_at: Option<Timestamp>,
    length: usize,
}

impl TestBank {
    /// Logs in: the n-th login gets the n-th token, once the bank answers.
    pub(super) fn login(self: &Arc<Self>) -> Obtaining {
        let bank = Arc::clone(self);
        let mut number = None;
        Box::pin(poll_fn(move |_| {
            let mut bank = bank.0.lock().unwrap();
            let number = *number.get_or_insert_with(|| {
                bank.logins += 1;
                bank.logins
            });
            if bank.is_silent {
                return Poll::Pending;
            }
            if let Some(failure) = bank.failures.pop_front() {
                return Poll::Ready(Err(failure));
            }
            let secret = SecretText::new(token(number) + &"x".repeat(bank.length));
            Poll::Ready(Ok(IssuedToken { secret, expires_at: bank.expires_at }))
        }))
    }

    pub(super) fn logins(&self) -> usize {
        self.0.lock().unwrap().logins
    }

    pub(super) fn set_silent(&self, is_silent: bool) {
        self.0.lock().unwrap().is_silent = is_silent;
    }

    pub(super) fn fail_with(&self, failure: Failure) {
        self.0.lock().unwrap().failures.push_back(failure);
    }

    /// When the tokens end that it gives from now on.
    pub(super) fn set_expiry(&self, at: Timestamp) {
        self.0.lock().unwrap().expires_at = Some(at);
    }

    /// By how much its tokens are longer.
    pub(super) fn lengthen(&self, length: usize) {
        self.0.lock().unwrap().length = length;
    }
}

/// Returns the token that the n-th login gets.
pub(super) fn token(number: usize) -> String {
    format!("made-up-token-{number}")
}

/// A process of the service.
pub(super) struct Node {
    pub(super) app: Arc<App>,
    running: Arc<Running>,
}

impl Node {
    /// The place of the account's token, for a question by these credentials.
    pub(super) fn tokens<'a>(
        &'a self,
        account: (OwnerId, BankId),
        sealed: &'a [u8],
    ) -> AccountTokens<'a> {
        AccountTokens::new(&self.app, account, Some(sealed))
    }

    /// Does what was left to the process.
    pub(super) fn run_tasks(&self) {
        for work in self.running.0.lock().unwrap().drain(..) {
            at_once(work);
        }
    }

    /// Does the same as [`Node::run_tasks`], on a store that needs time to answer.
    pub(super) async fn finish_tasks(&self) {
        let works: Vec<_> = self.running.0.lock().unwrap().drain(..).collect();
        for work in works {
            work.await;
        }
    }

    /// How many flights are under way.
    pub(super) fn flights(&self) -> String {
        format!("{:?}", self.app.token_flights)
    }
}

pub(super) struct World {
    pub(super) store: Store,
    pub(super) clock: VirtualClock,
    pub(super) bank: Arc<TestBank>,
    pub(super) owner: OwnerId,
    master: MasterKey,
}

impl World {
    pub(super) fn new() -> Self {
        let world = Self::on(&store::inline().unwrap());
        at_once(world.make_owner(world.owner));
        world
    }

    /// A world without an owner yet, on that store.
    pub(super) fn on(store: &Store) -> Self {
        let clock = VirtualClock::default();
        clock.set_to(START);
        let master = MasterKey::generate(&Ids(AtomicU64::new(77)));
        let owner = OwnerId::from_bytes([1; 16]);
        Self { store: store.clone(), clock, bank: Arc::default(), owner, master }
    }

    /// An owner with two accounts at the bank.
    pub(super) async fn make_owner(&self, owner: OwnerId) {
        let job = move |tx: &mut Tx<'_>| {
            owners::insert(tx, owner, "owner@example.com", "Owner", "", START)?;
            for id in [BANK, OTHER] {
                let new = NewAccount {
                    id,
                    identity: IdentityId::from_bytes(id.to_bytes()),
                    provider: "BANK_MADE_UP".to_owned(),
                    account: id.to_string(),
                    description: String::new(),
                    client: None,
                };
                accounts::insert(tx, owner, &new, START)?;
                link(tx, owner, id)?;
            }
            Ok(())
        };
        self.store.write(&Meter::default(), Lane::Admission, owner, job).await.unwrap();
    }

    /// Another process on the same store.
    pub(super) fn node(&self, number: u64) -> Node {
        let running = Arc::new(Running::default());
        let surroundings = (Ids(AtomicU64::new(number << 32)), Arc::clone(&running) as _);
        let app = app(&self.store, &self.clock, surroundings, Banks::default(), &self.master);
        Node { app: Arc::new(app), running }
    }

    pub(super) fn master(&self) -> &MasterKey {
        &self.master
    }

    pub(super) fn account(&self) -> (OwnerId, BankId) {
        (self.owner, BANK)
    }

    /// A question that needs a token.
    pub(super) fn current<'a>(&'a self, node: &'a Node) -> Waiting<'a> {
        let tokens = node.tokens(self.account(), CREDENTIALS);
        Box::pin(async move { tokens.current(self.bank.login()).await })
    }

    /// A question to which the bank has said that this token is not valid any more.
    pub(super) fn renew<'a>(&'a self, node: &'a Node, stale: &'a Token) -> Waiting<'a> {
        let tokens = node.tokens(self.account(), CREDENTIALS);
        Box::pin(async move { tokens.renew(stale, self.bank.login()).await })
    }

    /// Returns the answer to a question that waits for nobody.
    pub(super) fn ask(&self, node: &Node) -> Result<String, Failure> {
        at_once(self.current(node)).map(|token| text(&token))
    }

    pub(super) fn write<T: Send + 'static>(
        &self,
        job: impl Fn(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> T {
        let (meter, owner) = (Meter::default(), self.owner);
        at_once(self.store.write(&meter, Lane::Completion, owner, job)).unwrap()
    }

    /// Returns the token state in the account's row, as a question by these credentials finds it.
    pub(super) fn state(&self, credentials: &'static [u8]) -> Option<TokenState> {
        let account = Reached { owner: self.owner, bank: BANK, credentials };
        self.write(move |tx| bank_tokens::find(tx, account))
    }

    /// The account is reached with other credentials from now on.
    pub(super) fn change_credentials(&self, to: &'static [u8]) {
        let owner = self.owner;
        let change = move |tx: &mut Tx<'_>| {
            bank_access::change_credentials(tx, owner, BANK, to, CREDENTIALS, START)
        };
        assert!(self.write(change));
    }

    pub(super) fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

/// Keeps what an account is reached with.
pub(super) fn link(tx: &mut Tx<'_>, owner: OwnerId, bank: BankId) -> Result<(), Fault> {
    let number = AccountNumber::parse(NUMBER).unwrap();
    let facts = Facts { bank, number, phone: None, document: None, holder: None };
    let access = Access { facts, sealed: CREDENTIALS.to_vec() };
    bank_access::put(tx, owner, &access, None, START)
}

pub(super) fn text(token: &Token) -> String {
    token.secret().expose().to_owned()
}

/// Looks at everybody who waits; answers what those got who have waited long enough.
pub(super) fn poll_all(waiting: &mut Vec<Waiting<'_>>) -> Vec<Result<String, Failure>> {
    let mut got = Vec::new();
    waiting.retain_mut(|one| match poll(one.as_mut()) {
        Some(result) => {
            got.push(result.map(|token| text(&token)));
            false
        }
        None => true,
    });
    got
}
