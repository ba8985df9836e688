//! A database that is not there: it starts later than the service, or its primary and its standby change places.

use std::net::SocketAddr;
use std::time::Duration;

use domain::language::Language;
use domain::refusal::Code;
use testkit::{Engine, closed_port};

use crate::cast::{Owner, ok};
use crate::cluster::{Cluster, address};
use crate::http::{Connection, ask};
use crate::patience::until;
use crate::program::{Node, Site, readiness};

/// For what needs no waiting, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(30);

const WAITS: (u16, &str) = (503, "waiting for the database");
const FOLLOWS: (u16, &str) = (503, "the database takes no writes: its server follows another one");

/// Waits until the node says whether it is ready in those words.
#[track_caller]
fn until_it_says(node: &Node, (status, word): (u16, &str)) {
    until(SOON, word, || node.readiness() == (status, word.to_owned()));
}

/// Checks that a payment is refused for now, and answers nothing of it.
#[track_caller]
fn is_refused(owner: &Owner, node: &Node, reference: &str) {
    let refused = owner.verify(node.addr, &owner.keys[0], reference);
    assert_eq!((refused.status, refused.code()), (503, "SERVICE_UNAVAILABLE"), "{refused:?}");
}

/// Verifies a payment; answers whether it is new.
#[track_caller]
fn is_new(owner: &Owner, node: &Node, reference: &str) -> bool {
    let answer = ok(owner.verify(node.addr, &owner.keys[0], reference));
    answer["data"]["is_new"].as_bool().unwrap()
}

/// Checks that a service which waits for its database refuses callers as any service does, and lets browsers ask.
#[track_caller]
fn is_unavailable_in_the_usual_form(addr: SocketAddr) {
    let meaning = |language| Code::ServiceUnavailable.meaning(language);
    let refused = ask(addr, ("GET", "/me"), "ck_live_nobody", None);
    assert_eq!((refused.status, refused.code()), (503, "SERVICE_UNAVAILABLE"));
    assert_eq!(refused.body["message"], meaning(Language::Es));
    assert!(refused.body["request_id"].as_str().unwrap().starts_with("req_"), "{refused:?}");

    let mut connection = Connection::to(addr).unwrap();
    let headers = "accept-language: en\r\nx-request-id: mine-1\r\n";
    connection.request_page("/me", headers, None).unwrap();
    let (head, refused) = connection.hear_whole().unwrap();
    assert_eq!(refused.body["message"], meaning(Language::En));
    assert_eq!(refused.body["request_id"], "mine-1");
    for header in [
        "x-request-id: mine-1",
        "access-control-allow-origin: *",
        "access-control-expose-headers: ",
        "cache-control: no-store",
        "retry-after: ",
    ] {
        assert!(head.contains(&format!("\r\n{header}")), "{header}: {head}");
    }
}

/// A site whose servers find their database there.
fn site(url: String) -> Site {
    let mut site = Site::on(Engine::Postgres);
    site.detour = Some(url);
    site
}

#[test]
fn a_database_that_starts_late_is_waited_for() {
    let cluster = Cluster::new();
    let site = site(address(&[&cluster]));
    let mut starting = site.launch("a");
    let addr = starting.waits();
    let (status, word) = readiness(addr);
    assert_eq!((status, word.as_str()), WAITS);
    let live = ask(addr, ("GET", "/health/live"), "", None);
    assert_eq!((live.status, live.body["status"].as_str()), (200, Some("alive")));
    is_unavailable_in_the_usual_form(addr);

    cluster.start();
    let node = starting.wait();
    assert_eq!(node.addr, addr);
    until_it_says(&node, (200, "ready"));
    node.stop();
}

#[test]
fn a_service_that_waits_for_its_database_ends_when_it_is_asked_to() {
    let site = site(format!("postgres://me:hunter2@{}/cotejo", closed_port()));
    let mut starting = site.launch("a");
    starting.waits();
    assert_eq!(starting.stop(), Some(0));
}

#[test]
fn a_primary_and_a_standby_change_places() {
    let first = Cluster::new();
    first.start();
    let second = first.standby();
    second.start();
    let site = site(address(&[&first, &second]));
    let owner = Owner::make(&site, "ana", 10);
    let node = site.launch("a").wait();
    assert!(is_new(&owner, &node, "1167890"));

    first.stop();
    is_refused(&owner, &node, "2267890");
    until_it_says(&node, FOLLOWS);
    let mut starting = site.launch("b");
    let waiting_at = starting.waits();
    let (status, word) = readiness(waiting_at);
    assert_eq!((status, word.as_str()), WAITS);

    second.promote();
    until_it_says(&node, (200, "ready"));
    let other = starting.wait();
    assert!(is_new(&owner, &node, "2267890"));
    assert!(!is_new(&owner, &other, "1167890"));

    let first = second.standby_in_place_of(first);
    first.start();
    // The first of the hosts is the standby now, which nobody takes for the other one.
    assert!(is_new(&owner, &other, "3367890"));
    second.stop();
    is_refused(&owner, &node, "4467890");
    until_it_says(&other, FOLLOWS);
    first.promote();
    until_it_says(&node, (200, "ready"));
    until_it_says(&other, (200, "ready"));
    assert!(is_new(&owner, &other, "4467890"));
    assert!(!is_new(&owner, &node, "3367890"));
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    assert_eq!(code, Some(0), "{audit}");
    [node, other].into_iter().for_each(Node::stop);
}
