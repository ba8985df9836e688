//! Events that are made while the service is killed again and again, and sent while it is killed
//! again and again: every event whose making was answered is received, and only those are received
//! twice that were on their way at a kill.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use delivery::OF_ONE_OWNER_MAX;
use testkit::Engine;
use testkit::scripted::Play;

use crate::chance::Chance;
use crate::episode::{Outcome, kill_again_and_again};
use crate::fair::{Fair, makers};
use crate::patience::{now, until};
use crate::program::Site;
use crate::sales::let_an_hour_pass;
use crate::stage::Stage;

/// How long what is left takes to be sent, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(60);

/// Events under way at kills: taken by a server that could not store the outcome any more.
#[derive(Default)]
struct Cut {
    kills: usize,
    events: usize,
}

impl Cut {
    /// Counts what those had who were killed since the last time, and has their leases run out.
    fn note(&mut self, site: &Site) {
        let taken = format!("select count(*) from due where kind = 2 and due_at > {}", micros());
        self.events += usize::try_from(site.database.number(&taken)).unwrap();
        let_an_hour_pass(site);
    }

    /// An owner has so many attempts under way in a process, from the taking of an event until what
    /// came of it is kept.
    fn bound(&self) -> usize {
        self.kills * OF_ONE_OWNER_MAX
    }
}

#[expect(clippy::disallowed_methods, reason = "leases of another process end by the wall's clock")]
fn micros() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()
}

/// Makes events for half of the time with servers that are killed; then makes some with one that sends
/// nothing, and has those sent by servers that are killed.
pub(crate) fn of_events(engine: Engine, seed: u64, lasting: Duration) -> Outcome {
    let mut chance = Chance::new(seed);
    let fair = Arc::new(Fair::open(engine, |_| Play::Answer(204, Vec::new())));
    let site = &fair.site;
    let mut cut = Cut::default();

    let stage = Arc::new(Stage::default());
    let working = makers(&fair, &stage);
    let kills = kill_again_and_again(site, &stage, &mut chance, lasting / 2, |_| cut.note(site));
    working.into_iter().for_each(|maker| maker.join().unwrap());
    // The last ones may have been killed as they started.
    cut.note(site);
    cut.kills += kills;

    make_a_backlog(&fair, lasting / 4);
    send_and_kill(site, &mut chance, lasting / 4, &mut cut);

    let node = fair.site.start();
    until(SOON, "every event is told", || fair.pending() == 0);
    let (again, mut violations) = fair.violations(cut.events);
    node.stop();
    let bound = cut.bound();
    if cut.events > bound {
        let taken = cut.events;
        violations.push(format!("{taken} events were on their way at kills, and not {bound}"));
    }
    let events = fair.answered.lock().unwrap().len();
    let summary = format!(
        "{events} events answered, {again} heard again of {} on their way at kills, at most {bound}",
        cut.events
    );
    Outcome { blows: cut.kills, summary, violations }
}

/// Makes events for so long that are sent to nobody.
fn make_a_backlog(fair: &Arc<Fair>, lasting: Duration) {
    let stage = Arc::new(Stage::default());
    let working = makers(fair, &stage);
    let node = fair.start_in_silence();
    stage.open(node.addr);
    thread::sleep(lasting);
    stage.end();
    working.into_iter().for_each(|maker| maker.join().unwrap());
    node.stop();
}

/// Makes servers send the waiting events, and kills each server soon, until nothing waits or the time is over.
fn send_and_kill(site: &Site, chance: &mut Chance, lasting: Duration, cut: &mut Cut) {
    let end = now() + lasting;
    let waits = || site.database.number(crate::fair::PENDING) > 0;
    while now() < end && waits() {
        let node = site.launch("a").wait();
        thread::sleep(chance.millis(0, 600));
        node.kill();
        cut.kills += 1;
        cut.note(site);
    }
}
