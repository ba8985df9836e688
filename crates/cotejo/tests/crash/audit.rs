//! What must hold when a server has been killed and cut often enough, however often that was.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use domain::verification::CALLS_MAX;

use crate::answers::who;
use crate::cast::{limit_path, ok};
use crate::http::{Connection, ask};
use crate::load::{SLOW, World};
use crate::patience::until;
use crate::program::{Node, Site};

/// How long what was taken over may take, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(12);

/// How many payments are asked for again through the front door; all are looked for in the database.
const ASKED_AGAIN: usize = 2_000;

/// How many references one query looks for.
const LOOKED_FOR_AT_ONCE: usize = 400;

/// How many callers ask again.
const CALLERS: usize = 8;

/// Microseconds of an hour: longer than any deadline.
const HOUR: i64 = 3_600_000_000;

/// Everything that is wrong, on a server that was started after the last kill.
pub(crate) fn violations(site: &Site, world: &Arc<World>, node: &Node) -> Vec<String> {
    wait_for_takeovers(site);
    // What met a kill at every try, or is still being looked for, waits for its deadline, which is a
    // quarter of an hour away. Nothing but the clock would change until then.
    let mut wrong = Vec::new();
    let mut expect = |what: &str, found: i64, right: i64| {
        if found != right {
            wrong.push(format!("{what}: {found}, and not {right}"));
        }
    };
    site.database.execute(&an_hour_older());
    let open = "select count(*) from verifications where state = 0";
    let is_settled = || site.database.number(open) == 0;
    until(SOON, "reservations are let go at their deadline", is_settled);

    let leases = "select count(*) from verifications where lease_until is not null";
    expect("leases of what has ended", site.database.number(leases), 0);
    let twice = "select count(*) from (select 1 from movements \
                 group by owner_id, reference having count(*) > 1) as twice";
    expect("movements taken in twice", site.database.number(twice), 0);
    let unpaid = "select count(*) from verifications v where state = 1 and not exists \
                  (select 1 from payments p where p.owner_id = v.owner_id and p.id = v.payment_id)";
    expect("confirmed verifications without a payment", site.database.number(unpaid), 0);
    let charges = "select count(*) from credit_movements where movement_type = 'debit'";
    let payments = site.database.number("select count(*) from payments");
    expect("charges", site.database.number(charges), payments);

    wrong.extend(missing(site, world));
    ask_again(world, node);
    wrong.extend(books(world, node, payments));
    wrong.extend(world.answers.violations());
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    if code != Some(0) || audit["overdue"].as_array().is_none_or(|overdue| !overdue.is_empty()) {
        wrong.push(format!("check-ledger: {code:?} {audit}"));
    }
    wrong
}

/// The statement after which all that is open was asked for an hour earlier.
pub(crate) fn an_hour_older() -> String {
    format!(
        "update verifications set asked_at = asked_at - {HOUR}, deadline = deadline - {HOUR}, \
         lease_until = lease_until - {HOUR} where state = 0"
    )
}

/// Waits until everything open is taken over and settled but for what the bank is slow about, and
/// for what it has been asked about as often as it is: that waits for its deadline. No lease of a killed
/// server holds any more.
fn wait_for_takeovers(site: &Site) {
    let open = format!(
        "select count(*) from verifications where state = 0 and calls < {CALLS_MAX} \
         and query not like '%{SLOW}\"%'"
    );
    until(SOON, "what was open is taken over", || site.database.number(&open) == 0);
}

/// Payments that were reported to somebody and that are not there.
fn missing(site: &Site, world: &World) -> Vec<String> {
    let payments = world.answers.payments();
    let reported: Vec<&String> = payments.keys().collect();
    let count = |references: &[&String]| {
        let list: Vec<String> = references.iter().map(|digits| format!("'{digits}'")).collect();
        site.database.number(&format!(
            "select count(*) from payments p join movements m \
             on m.owner_id = p.owner_id and m.id = p.movement_id where m.reference in ({})",
            list.join(", ")
        ))
    };
    let mut missing = Vec::new();
    for chunk in reported.chunks(LOOKED_FOR_AT_ONCE) {
        if count(chunk) == i64::try_from(chunk.len()).unwrap() {
            continue;
        }
        let lost = chunk.iter().filter(|digits| count(&[**digits]) != 1);
        missing.extend(lost.map(|digits| format!("{digits} was answered and is not there")));
    }
    missing
}

/// Asks for the payments that were at risk once more: everybody gets the same id again, and it is
/// new for nobody to whom it was new before. What is not right is noted with everything else.
fn ask_again(world: &Arc<World>, node: &Node) {
    let (chosen, payments) = (world.answers.at_risk(ASKED_AGAIN), world.answers.payments());
    let each = chosen.len().div_ceil(CALLERS).max(1);
    thread::scope(|scope| {
        for part in chosen.chunks(each) {
            let (payments, addr) = (&payments, node.addr);
            scope.spawn(move || {
                let mut line = Connection::to(addr).unwrap();
                for digits in part {
                    let by = payments[digits].by;
                    let (owner, key) = who(&world.cast, by);
                    let body = crate::cast::body(digits);
                    let target = owner.path();
                    let answer = line.call(("POST", &target), &key.text, Some(&body)).unwrap();
                    world.answers.note(digits, by, &answer);
                    if answer.status != 200 {
                        world.answers.violation(format!("{digits}, again: {}", answer.body));
                    }
                }
            });
        }
    });
}

/// Balances and limits, as their owners are shown them: every payment was charged once.
fn books(world: &World, node: &Node, payments: i64) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut spent = 0;
    for owner in &world.cast {
        let balance = owner.balance(node.addr);
        spent += owner.credits - balance;
        if balance < 0 {
            wrong.push(format!("{}: a balance of {balance}", owner.id));
        }
        for key in &owner.keys {
            let target = limit_path(key);
            let record = ok(ask(node.addr, ("GET", &target), &owner.session, None));
            let used = record["quota_used"].as_i64().unwrap();
            if record["consumed"] != used || key.limit.is_some_and(|limit| used > limit) {
                wrong.push(format!("{}: {record}", key.id));
            }
        }
    }
    if spent != payments {
        wrong.push(format!("{spent} credits were spent on {payments} payments"));
    }
    wrong
}
