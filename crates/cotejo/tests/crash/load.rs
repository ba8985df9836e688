//! Callers on many connections: tills that ask for new payments and old ones, in several spellings,
//! and that wait, hang up, or look at their limit.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::answers::Answers;
use crate::cast::{Owner, body, limit_path};
use crate::chance::Chance;
use crate::http::Connection;
use crate::stage::Stage;

/// How many tills there are.
const TILLS: usize = 12;

/// How many of the latest references are asked for again.
const LATEST: usize = 200;

/// Endings of a reference that the sandbox finds at once, and of one that it finds after fifteen seconds.
const FOUND: &str = "67890";
pub(crate) const SLOW: &str = "10004";

/// World that all tills share.
pub(crate) struct World {
    pub(crate) stage: Stage,
    pub(crate) answers: Answers,
    pub(crate) cast: Vec<Owner>,
    /// How many references have been made up.
    made_up: AtomicUsize,
    /// The latest of each owner.
    latest: Vec<Mutex<Vec<String>>>,
}

impl World {
    pub(crate) fn new(cast: Vec<Owner>, answers: Answers) -> Self {
        let latest = cast.iter().map(|_| Mutex::default()).collect();
        Self { stage: Stage::default(), answers, cast, made_up: AtomicUsize::new(0), latest }
    }

    /// A reference that nobody has asked for.
    fn make_up(&self, ending: &str) -> String {
        let number = self.made_up.fetch_add(1, Ordering::Relaxed);
        format!("{}{ending}", 10_000 + number)
    }

    fn note_latest(&self, owner: usize, digits: &str) {
        let mut latest = self.latest[owner].lock().unwrap();
        if latest.len() == LATEST {
            latest.remove(0);
        }
        latest.push(digits.to_owned());
    }
}

/// The tills at work, until the stage is over.
pub(crate) fn tills(world: &Arc<World>, chance: &mut Chance) -> Vec<JoinHandle<()>> {
    let till = |_| {
        let (world, chance) = (Arc::clone(world), chance.fork());
        thread::spawn(move || Till { world, chance, line: None }.work())
    };
    (0..TILLS).map(till).collect()
}

struct Till {
    world: Arc<World>,
    chance: Chance,
    /// The connection that is kept open.
    line: Option<Connection>,
}

impl Till {
    fn work(mut self) {
        let mut served = 0;
        while let Some((addr, server)) = self.world.stage.server_after(served) {
            // A call that fails on its connection has met a kill: on to the next server.
            while !self.world.stage.is_over() && self.turn(addr).is_ok() {}
            (self.line, served) = (None, server);
        }
    }

    fn turn(&mut self, addr: SocketAddr) -> io::Result<()> {
        let owner = self.chance.below(self.world.cast.len());
        let key = self.chance.below(self.world.cast[owner].keys.len());
        match self.chance.below(100) {
            0..60 => {
                let digits = self.world.make_up(FOUND);
                self.world.note_latest(owner, &digits);
                self.ask(addr, (owner, key), &digits)
            }
            60..90 => match self.known(owner) {
                Some(digits) => self.ask(addr, (owner, key), &digits),
                None => Ok(()),
            },
            90..96 => self.look_at_limit(addr, owner),
            96..99 => {
                let digits = self.world.make_up(FOUND);
                self.world.note_latest(owner, &digits);
                self.hang_up(addr, (owner, key), &digits)
            }
            _ => {
                let digits = self.world.make_up(SLOW);
                self.hang_up(addr, (owner, key), &digits)
            }
        }
    }

    /// A reference that some till of the owner has asked for.
    fn known(&mut self, owner: usize) -> Option<String> {
        let latest = self.world.latest[owner].lock().unwrap();
        (!latest.is_empty()).then(|| self.chance.among(&latest).clone())
    }

    /// The digits as one person or another types them.
    fn spell(&mut self, digits: &str) -> String {
        let (begin, end) = digits.split_at(digits.len() / 2);
        match self.chance.below(5) {
            0 => format!("000{digits}"),
            1 => format!("{begin} {end}"),
            2 => format!("0{begin}-{end}"),
            3 => format!("{begin}.{end}"),
            _ => digits.to_owned(),
        }
    }

    fn ask(&mut self, addr: SocketAddr, by: (usize, usize), digits: &str) -> io::Result<()> {
        let reference = self.spell(digits);
        let world = Arc::clone(&self.world);
        let (owner, key) = crate::answers::who(&world.cast, by);
        let line = self.line(addr)?;
        let answer = line.call(("POST", &owner.path()), &key.text, Some(&body(&reference)))?;
        world.answers.note(digits, by, &answer);
        Ok(())
    }

    /// Asks and is gone: at once, or a moment later.
    fn hang_up(&mut self, addr: SocketAddr, by: (usize, usize), digits: &str) -> io::Result<()> {
        let (owner, key) = crate::answers::who(&self.world.cast, by);
        let mut line = Connection::to(addr)?;
        line.send(("POST", &owner.path()), &key.text, Some(&body(digits)))?;
        thread::sleep(self.chance.millis(0, 5));
        Ok(())
    }

    fn look_at_limit(&mut self, addr: SocketAddr, owner: usize) -> io::Result<()> {
        let world = Arc::clone(&self.world);
        let owner = &world.cast[owner];
        let limited: Vec<_> = owner.keys.iter().filter(|key| key.limit.is_some()).collect();
        let Some(key) = limited.first() else { return Ok(()) };
        let answer = self.line(addr)?.call(("GET", &limit_path(key)), &owner.session, None)?;
        world.answers.note_limit(key, &answer);
        Ok(())
    }

    fn line(&mut self, addr: SocketAddr) -> io::Result<&mut Connection> {
        match self.line.take() {
            Some(line) => Ok(self.line.insert(line)),
            None => Ok(self.line.insert(Connection::to(addr)?)),
        }
    }
}
