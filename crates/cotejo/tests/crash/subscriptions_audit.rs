//! What must hold of subscriptions whose clocks were set ahead by a service that was killed often enough, however often
//! that was.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::time::Duration;

use domain::time::CaracasDate;
use serde_json::Value;

use crate::cast::ok;
use crate::fair::PENDING;
use crate::http::Connection;
use crate::patience::until;
use crate::program::{Node, Site};
use crate::sales::{CREDITS, let_an_hour_pass};
use crate::sales_audit::wait_for_the_end;
use crate::shop::Webhook;
use crate::subscriptions::{CYCLES, Club, Request};

/// How long what is left to be sent may take, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(20);

/// Everything that is wrong, once a service that nobody kills has brought every subscription to its end.
pub(crate) fn violations(site: &Site, club: &Club, unanswered: &[Request]) -> Vec<String> {
    let_an_hour_pass(site);
    let node = site.start();
    wait_for_the_end(site);
    club.finish(node.addr, unanswered);
    until(SOON, "every webhook is delivered", || site.database.number(PENDING) == 0);
    let mut wrong = club.notes.lock().unwrap().violations.clone();
    let paid = cycles(club, node.addr, &mut wrong);
    wrong.extend(receipts(club, node.addr, &paid));
    wrong.extend(ledger(site, club, &node, &paid));
    wrong.extend(webhooks(site, &club.receiver.received(), &paid));
    node.stop();
    wrong
}

/// Looks at each subscription that was made, and answers the links by which cycles were paid.
fn cycles(club: &Club, addr: SocketAddr, wrong: &mut Vec<String>) -> HashSet<String> {
    let (made, said_paid) = {
        let notes = club.notes.lock().unwrap();
        (notes.made.clone(), notes.said_paid.clone())
    };
    let mut line = Connection::to(addr).unwrap();
    let mut paid = HashSet::new();
    for of in &made {
        let path = format!("/subscriptions/{of}/details");
        let details = ok(line.call(("GET", &path), club.key(), None).unwrap());
        let listed = club.cycles(&mut line, of).unwrap();
        wrong.extend(problem(&details["data"]["subscription"], &listed));
        let links = listed.iter().filter(|cycle| cycle["status"] == "paid");
        paid.extend(links.map(|cycle| text(&cycle["payment_link"], "id").to_owned()));
    }
    let forgotten = said_paid.difference(&paid);
    wrong.extend(forgotten.map(|link| format!("{link} was paid, as its page said, and is not")));
    paid
}

/// Tells what is wrong with a subscription that has ended: it has each of its cycles once, in their order and on their
/// days, and all are paid; or nobody paid the first one in time, which had to be paid first, and there is no other.
fn problem(shown: &Value, listed: &[Value]) -> Option<String> {
    let is_paid_first = shown["payFirst"] == true;
    let (count, paid, state) = match text(shown, "status") {
        "completed" => (CYCLES, CYCLES, "paid paid"),
        "cancelled" if is_paid_first => (1, 0, "canceled failed"),
        _ => return Some(format!("not at its end: {shown}")),
    };
    let begins = CaracasDate::parse(text(shown, "startDate")).unwrap();
    let first_due = if is_paid_first { begins } else { begins.plus_days(1) };
    let right: Vec<String> = (0..count)
        .map(|number| format!("{} {} {state}", number + 1, first_due.plus_days(number)))
        .collect();
    let found: Vec<String> = listed.iter().rev().map(in_short).collect();
    let is_right = found == right && shown["renovationCount"] == paid;
    (!is_right).then(|| format!("{found:?}, and not {right:?}: {shown}"))
}

/// Number, due day and state of a cycle, and the state of its link.
fn in_short(cycle: &Value) -> String {
    let (due, status) = (text(cycle, "dueDate"), text(cycle, "status"));
    format!("{} {due} {status} {}", cycle["cycle"], text(&cycle["payment_link"], "status"))
}

fn text<'t>(of: &'t Value, field: &str) -> &'t str {
    of[field].as_str().unwrap()
}

/// Each payment has its receipt, and their numbers have no gap.
fn receipts(club: &Club, addr: SocketAddr, paid: &HashSet<String>) -> Vec<String> {
    let mut line = Connection::to(addr).unwrap();
    let (mut numbers, mut links, mut before) = (Vec::new(), HashSet::new(), String::new());
    loop {
        let path = format!("/v1/receipts?livemode=false&limit=100{before}");
        let page = ok(line.call(("GET", &path), club.key(), None).unwrap());
        for receipt in page["receipts"].as_array().unwrap() {
            numbers.push(receipt["number"].as_u64().unwrap());
            links.insert(text(receipt, "payment_link_id").to_owned());
        }
        if page["has_more"] != true {
            break;
        }
        before = format!("&before={}", page["next"]);
    }
    numbers.reverse();
    let last = u64::try_from(paid.len()).unwrap();
    let mut wrong = Vec::new();
    if numbers != (1..=last).collect::<Vec<u64>>() {
        wrong.push(format!("receipts {numbers:?}, and not 1 to {last}"));
    }
    let others = links.symmetric_difference(paid);
    wrong.extend(others.map(|link| format!("{link} has a receipt or is paid, and not both")));
    wrong
}

/// Every subscription was made once, and one payment and one credit were taken for each cycle that is paid.
fn ledger(site: &Site, club: &Club, node: &Node, paid: &HashSet<String>) -> Vec<String> {
    let made = i64::try_from(club.notes.lock().unwrap().made.len()).unwrap();
    let paid = i64::try_from(paid.len()).unwrap();
    let mut wrong = Vec::new();
    let mut expect = |what: &str, found: i64, right: i64| {
        if found != right {
            wrong.push(format!("{what}: {found}, and not {right}"));
        }
    };
    for (query, right) in [
        ("select count(*) from subscriptions", made),
        ("select count(*) from subscriptions where ended_as is null", 0),
        ("select count(*) from due where kind = 9", 0),
        ("select count(*) from subscription_cycles where state = 1", paid),
        ("select count(*) from payment_links where state = 1", paid),
        ("select count(*) from payments", paid),
        ("select count(*) from credit_movements where movement_type = 'debit'", paid),
        ("select count(*) from verifications where lease_until is not null", 0),
    ] {
        expect(query, site.database.number(query), right);
    }
    expect("credits", club.shop.owner.balance(node.addr), CREDITS - paid);
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    if code != Some(0) || audit["differences_found"] != 0 {
        wrong.push(format!("check-ledger: {code:?} {audit}"));
    }
    let (code, audit) = site.run(&["check-deliveries", "--json"], "");
    if code != Some(0) {
        wrong.push(format!("check-deliveries: {code:?} {audit}"));
    }
    wrong
}

/// Each link that was paid or failed was reported by one event, signed, and in the same words each time; and no other.
fn webhooks(site: &Site, received: &[Webhook], paid: &HashSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut first: HashMap<&str, &Webhook> = HashMap::new();
    for webhook in received {
        let known = *first.entry(&webhook.link).or_insert(webhook);
        if (&known.event, &known.body) != (&webhook.event, &webhook.body) {
            wrong.push(format!("{known:?}, and then {webhook:?}"));
        }
        let status = if paid.contains(&webhook.link) { "paid" } else { "failed" };
        if !webhook.is_signed || webhook.status != status {
            wrong.push(format!("{webhook:?}"));
        }
    }
    let events: HashSet<&str> = first.values().map(|webhook| webhook.event.as_str()).collect();
    let links = i64::try_from(first.len()).unwrap();
    if events.len() != first.len() {
        wrong.push(format!("{} events of {links} links", events.len()));
    }
    for query in [
        "select count(*) from payment_links where state in (1, 2)",
        "select count(*) from webhook_deliveries",
        "select count(*) from webhook_deliveries where state = 1",
    ] {
        let found = site.database.number(query);
        if found != links {
            wrong.push(format!("{query}: {found}, and {links} were reported"));
        }
    }
    let unreported = paid.iter().filter(|link| !first.contains_key(link.as_str()));
    wrong.extend(unreported.map(|link| format!("{link} is paid and nobody was notified")));
    wrong
}
