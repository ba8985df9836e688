//! Codes of a second factor on two nodes.

use std::net::SocketAddr;
use std::sync::Barrier;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use domain::time::Timestamp;
use serde_json::{Value, json};
use testkit::authenticator::STEP;
use testkit::{Authenticator, Engine};

use crate::cast::{Owner, PASSWORD, ok};
use crate::http::ask;
use crate::program::Site;

/// How many show one code at once.
const CALLERS: usize = 8;

#[expect(clippy::disallowed_methods, reason = "the nodes go by the machine's clock")]
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap())
}

/// Gives the owner a second factor.
fn guard(owner: &Owner, addr: SocketAddr) -> Authenticator {
    let post = |path: &str, body: Value| ok(ask(addr, ("POST", path), &owner.session, Some(&body)));
    let begun = post("/auth/totp", json!({ "password": PASSWORD }));
    let mut authenticator = Authenticator::set_up(&begun);
    let code = authenticator.code(now());
    authenticator.keep(&post("/auth/totp/confirm", json!({ "code": code })));
    authenticator
}

#[test]
fn a_code_that_two_nodes_are_shown_at_once_is_taken_once() {
    let site = Site::on(Engine::Postgres);
    let mut owner = Owner::make(&site, "ana", 10);
    let nodes = [site.launch("a").wait(), site.launch("b").wait()];
    owner.issue_keys(nodes[0].addr, &[]);
    let authenticator = guard(&owner, nodes[0].addr);
    // The code of the next half minute is good already, and for a minute more.
    let code = authenticator.code(now().plus(STEP));
    let mut sessions = Vec::new();
    for code in [&code, &authenticator.recovery_codes[0]] {
        let body = json!({ "email": owner.email, "password": PASSWORD, "code": code });
        let barrier = Barrier::new(CALLERS);
        let answers = thread::scope(|scope| {
            let call = |number: usize| {
                let (nodes, barrier, body) = (&nodes, &barrier, &body);
                scope.spawn(move || {
                    barrier.wait();
                    ask(nodes[number % nodes.len()].addr, ("POST", "/auth/login"), "", Some(body))
                })
            };
            let callers: Vec<_> = (0..CALLERS).map(call).collect();
            callers.into_iter().map(|caller| caller.join().unwrap()).collect::<Vec<_>>()
        });
        let mut let_in: Vec<_> =
            answers.into_iter().filter(|answer| answer.status == 200).collect();
        assert_eq!(let_in.len(), 1);
        let opened = ok(let_in.remove(0));
        sessions.push(opened["token"].as_str().unwrap().to_owned());
    }
    // What ends on one node is over on the other: the session that confirmed ends the second factor and all others.
    ok(ask(nodes[0].addr, ("DELETE", "/auth/totp"), &owner.session, None));
    for session in &sessions {
        assert_eq!(ask(nodes[1].addr, ("GET", "/me"), session, None).status, 401);
    }
    nodes.into_iter().for_each(crate::program::Node::stop);
}
