//! One history: a fresh store, tills at work, a server that is killed again and again or whose
//! database is cut off, and the audit at the end.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use testkit::Engine;
use testkit::proxy::Proxy;

use crate::answers::{Answers, DATABASE_FAILS};
use crate::audit::violations;
use crate::cast::Owner;
use crate::chance::Chance;
use crate::load::{World, tills};
use crate::patience::now;
use crate::program::Site;
use crate::sales::let_an_hour_pass;
use crate::stage::Stage;

/// Messages between two cuts of the database's connections, at most.
const MESSAGES_MAX: usize = 1_500;

/// After which a cut that met no message is tried anew.
const CUT_PATIENCE: Duration = Duration::from_millis(500);

/// Result of one history.
pub(crate) struct Outcome {
    pub(crate) blows: usize,
    pub(crate) summary: String,
    pub(crate) violations: Vec<String>,
}

/// Kills the server again and again for so long.
pub(crate) fn of_kills(engine: Engine, seed: u64, lasting: Duration) -> Outcome {
    let mut chance = Chance::new(seed);
    let site = Site::on(engine);
    let world = Arc::new(World::new(cast(&site), Answers::default()));
    let tills = tills(&world, &mut chance);
    let kills = kill_again_and_again(&site, &world.stage, &mut chance, lasting, |_| {
        world.answers.note_kill();
    });
    tills.into_iter().for_each(|till| till.join().unwrap());
    close(&site, &world, kills)
}

/// Starts servers and kills them for so long; answers how many. After a kill of one that was there
/// for callers, `meanwhile` is done while there is none.
pub(crate) fn kill_again_and_again(
    site: &Site,
    stage: &Stage,
    chance: &mut Chance,
    lasting: Duration,
    mut meanwhile: impl FnMut(&mut Chance),
) -> usize {
    let mut kills = 0;
    let end = now() + lasting;
    while now() < end {
        kills += 1;
        let starting = site.launch("a");
        if kills > 1 && chance.below(8) == 0 {
            // Also while it is taking up what the last one left.
            thread::sleep(chance.millis(0, 80));
            starting.kill();
            continue;
        }
        let node = starting.wait();
        stage.open(node.addr);
        thread::sleep(match chance.below(3) {
            0 => chance.millis(0, 200),
            _ => chance.millis(200, 1_500),
        });
        if now() >= end {
            // What callers are waiting for now never comes.
            stage.end();
        }
        node.kill();
        meanwhile(chance);
    }
    stage.end();
    kills
}

/// Cuts connections to PostgreSQL at one message or another for so long, the server alive.
pub(crate) fn of_cuts(seed: u64, lasting: Duration) -> Outcome {
    let mut chance = Chance::new(seed);
    let mut site = Site::on(Engine::Postgres);
    let world = Arc::new(World::new(cast(&site), Answers::tolerating(DATABASE_FAILS)));
    let proxy = Proxy::before(&site.database.url().unwrap());
    site.detour = Some(proxy.url().to_owned());
    let node = site.start();
    let tills = tills(&world, &mut chance);
    world.stage.open(node.addr);
    let mut cuts = 0;
    let end = now() + lasting;
    while now() < end {
        let mut left = chance.below(MESSAGES_MAX);
        proxy.cut_when(move |_| {
            left = left.saturating_sub(1);
            left == 0
        });
        cuts += usize::from(was_cut(&proxy));
    }
    world.stage.end();
    tills.into_iter().for_each(|till| till.join().unwrap());
    node.kill();
    site.detour = None;
    close(&site, &world, cuts)
}

fn was_cut(proxy: &Proxy) -> bool {
    let begun: Instant = now();
    while proxy.is_armed() {
        if begun.elapsed() > CUT_PATIENCE {
            return !proxy.disarm();
        }
        thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Starts a server that nobody disturbs, an hour later, and looks at everything.
fn close(site: &Site, world: &Arc<World>, blows: usize) -> Outcome {
    let_an_hour_pass(site);
    let node = site.start();
    let violations = violations(site, world, &node);
    // A stop would wait for what the slow bank is still being asked.
    node.kill();
    Outcome { blows, summary: world.answers.summary(), violations }
}

/// Three owners: one with credits enough, one whose keys are held to limits, one that runs out.
fn cast(site: &Site) -> Vec<Owner> {
    let limits: [&[Option<i64>]; 3] = [&[None, None], &[Some(37), Some(2_000)], &[None]];
    let mut owners = vec![
        Owner::make(site, "rich", 10_000_000),
        Owner::make(site, "limited", 10_000_000),
        Owner::make(site, "poor", 1_000),
    ];
    let node = site.start();
    for (owner, limits) in owners.iter_mut().zip(limits) {
        owner.issue_keys(node.addr, limits);
    }
    node.stop();
    owners
}
