//! Whatever ends somebody's access ends it on every node: two servers on one PostgreSQL, one that ends it and one
//! that is asked. When the first has answered, the second accepts no more what was ended: neither a call that comes
//! then, nor one that was admitted before and whose body is late, nor one that is about to reserve.

mod beginnings;
mod cookies;
mod invitations;
mod lineage;
mod people;

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Authenticator, Engine, TestMailServer, database::Database};

use crate::cast::{Key, Owner, body, ok};
use crate::http::{Answer, Connection, ask};
use crate::patience::until;
use crate::program::{Node, Site};
use crate::second_factor::now;

/// How late the sandbox's slow answer is, and for what comes of it.
const SLOW: Duration = Duration::from_secs(30);

/// For what needs no waiting, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(5);

/// Password that every invited person chooses.
const PASSWORD: &str = "correct horse battery staple";

/// How many wait for the row of their owner, which is locked before anything of that owner is written.
const WAITING: &str = "select count(*) from pg_stat_activity where datname = current_database() \
    and wait_event_type = 'Lock' and query like '%from owners%for no key update%'";

/// Two nodes, and an owner whose session was opened at the first.
struct Nodes {
    site: Site,
    first: Node,
    second: Node,
    owner: Owner,
}

impl Nodes {
    fn start() -> Self {
        Self::on(Site::on(Engine::Postgres))
    }

    /// The same, where one address may sign in and open links as often as it likes.
    fn unlimited() -> Self {
        let mut site = Site::on(Engine::Postgres);
        site.settings = vec![("COTEJO_HTTP_ATTEMPTS_PER_MINUTE", "0".to_owned())];
        Self::on(site)
    }

    fn on(site: Site) -> Self {
        let mut owner = Owner::make(&site, "ana", 100);
        let (first, second) = (site.launch("a").wait(), site.launch("b").wait());
        owner.issue_keys(first.addr, &[]);
        Self { site, first, second, owner }
    }

    /// Calls the first node with the owner's session, and returns the answer, which must have status 200.
    fn call(&self, target: (&str, &str), body: &Value) -> Value {
        ok(ask(self.first.addr, target, &self.owner.session, Some(body)))
    }

    fn issue(&self, wanted: &Value) -> Key {
        let issued = self.call(("POST", "/auth/api-key"), wanted);
        let text = |field: &str| issued["api_key"][field].as_str().unwrap().to_owned();
        Key { id: text("id"), text: text("api_key"), limit: None }
    }

    fn key(&self) -> Key {
        self.issue(&json!({ "name": "caja", "permissions": ["payment_verifications"] }))
    }

    fn client(&self) -> String {
        let wanted = json!({ "name": "Este", "payments_enabled": true });
        let made = self.call(("POST", "/v1/clients"), &wanted);
        made["client"]["id"].as_str().unwrap().to_owned()
    }

    fn client_key(&self, client: &str) -> Key {
        self.issue(&json!({ "name": "este", "client_owner_id": client }))
    }

    /// An employee who may verify payments: where it is changed, and its session, which the first node opened.
    fn employee(&self, name: &str) -> (String, String) {
        let email = format!("{name}@tienda.example");
        let wanted = json!({ "email": email, "name": name, "permissions": ["payments:write"] });
        let (id, session) = self.invite("/v1/employees", &wanted);
        (format!("/v1/employees/{id}"), session)
    }

    /// A person of a client, as [`Self::employee`].
    fn person(&self, client: &str, name: &str) -> (String, String) {
        let place = format!("/v1/clients/{client}");
        let wanted = json!({ "email": format!("{name}@sucursal.example"), "name": name });
        let (id, session) = self.invite(&format!("{place}/invitation"), &wanted);
        (format!("{place}/employees/{id}"), session)
    }

    /// Invites somebody, who accepts and signs in at the first node: its id and its session.
    fn invite(&self, path: &str, wanted: &Value) -> (String, String) {
        let invited = self.call(("POST", path), wanted);
        let url = invited["invitation_url"].as_str().unwrap();
        let accepted = json!({ "token": url.rsplit('/').next().unwrap(), "password": PASSWORD });
        self.call(("POST", "/auth/invitations/accept"), &accepted);
        let id = invited["employee"]["id"].as_str().unwrap().to_owned();
        (id, self.sign_in(wanted["email"].as_str().unwrap()))
    }

    /// Another session of the person who signs in so, opened at the first node.
    fn sign_in(&self, email: &str) -> String {
        let credentials = json!({ "email": email, "password": PASSWORD });
        let session = self.call(("POST", "/auth/login"), &credentials);
        session["token"].as_str().unwrap().to_owned()
    }

    /// Another session of the owner, opened at the first node.
    fn owner_session(&self) -> String {
        let credentials = json!({ "email": self.owner.email, "password": PASSWORD });
        let answer = ask(self.first.addr, ("POST", "/auth/login"), "", Some(&credentials));
        ok(answer)["token"].as_str().unwrap().to_owned()
    }

    /// Changes a person's password by this session of its own.
    fn change_password(&self, session: &str) {
        let wanted =
            json!({ "current_password": PASSWORD, "new_password": "another horse battery" });
        ok(ask(self.first.addr, ("POST", "/auth/password"), session, Some(&wanted)));
    }

    fn give(&self, client: Option<&str>) {
        let path = format!("/v1/usersbank/{}/client", self.owner.bank);
        self.call(("PUT", &path), &json!({ "client_owner_id": client }));
    }

    /// How the second node answers a verification by that credential.
    fn verify(&self, credential: &str, reference: &str) -> (u16, String) {
        let target = ("POST", &*self.owner.path());
        let answer = ask(self.second.addr, target, credential, Some(&body(reference)));
        end(&answer)
    }

    /// Holds that the second node accepts the credential until it is ended at the first, and then answers so.
    ///
    /// Three calls of the second node: one that was admitted and waits for its body, one that was admitted while the
    /// ending waits to be written, and so waits to reserve behind it, and one that comes after.
    #[track_caller]
    fn ends(&self, credential: &str, ending: impl FnOnce() + Send, status: u16, code: &str) {
        let expected = (status, code.to_owned());
        assert_eq!(self.verify(credential, "67890").0, 200, "before: {expected:?}");
        let (path, late_body) = (self.owner.path(), body("1167890").to_string());
        let target = ("POST", path.as_str());
        let mut late = Connection::to(self.second.addr).unwrap();
        late.begin(target, credential, &late_body);
        let mut between = Connection::to(self.second.addr).unwrap();

        let Database::Postgres(database) = &self.site.database else { unreachable!() };
        let held = database.hold("select 1 from owners for no key update");
        thread::scope(|scope| {
            let ending = scope.spawn(ending);
            until(SOON, "the ending waits", || database.number(WAITING) == 1);
            between.send(target, credential, Some(&body("2267890"))).unwrap();
            until(SOON, "the reservation waits", || database.number(WAITING) == 2);
            drop(held);
            ending.join().unwrap();
        });
        assert_eq!(end(&between.hear().unwrap()), expected, "about to reserve");
        assert_eq!(end(&late.finish(&late_body).unwrap()), expected, "a late body");
        assert_eq!(self.verify(credential, "3367890"), expected, "after");
    }

    fn stop(self) {
        let (code, audit) = self.site.run(&["check-ledger", "--json"], "");
        assert_eq!(code, Some(0), "{audit}");
        self.first.stop();
        self.second.stop();
    }
}

/// How a call ended: its status, and the code of a refusal.
fn end(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code().to_owned())
}

fn path(key: &Key, what: &str) -> String {
    format!("/v1/api-keys/{}{what}", key.id)
}

#[test]
fn what_one_node_has_ended_for_a_key_no_other_accepts() {
    let nodes = Nodes::start();
    let call = |target: (&str, &str), body: Value| drop(nodes.call(target, &body));
    let key = nodes.key();
    let rotate = || call(("POST", &path(&key, "/rotate")), json!({}));
    nodes.ends(&key.text, rotate, 401, "UNAUTHORIZED");
    let key = nodes.key();
    let revoke = || call(("DELETE", &path(&key, "")), json!({}));
    nodes.ends(&key.text, revoke, 401, "UNAUTHORIZED");
    let key = nodes.key();
    let deactivate = || call(("PATCH", &path(&key, "")), json!({ "is_active": false }));
    nodes.ends(&key.text, deactivate, 403, "API_KEY_IS_NOT_ACTIVE");
    let key = nodes.key();
    let permissions = || call(("PATCH", &path(&key, "")), json!({ "permissions": [] }));
    nodes.ends(&key.text, permissions, 403, "PERMISSIONS_NOT_CONFIGURED");
    let key = nodes.key();
    let other = nodes.call(("POST", "/usersbank"), &json!({ "bank_provider": "BANK_TEST" }));
    let selection = json!({ "client_owner_id": null, "user_banks": [other["userbank"]["id"]] });
    let scope = || call(("PUT", &path(&key, "/scope")), selection);
    nodes.ends(&key.text, scope, 404, "NOT_FOUND");
    let key = nodes.key();
    let bound = json!({ "client_owner_id": nodes.client(), "user_banks": [] });
    let bind = || call(("PUT", &path(&key, "/scope")), bound);
    nodes.ends(&key.text, bind, 404, "NOT_FOUND");
    let key = Key { id: "default".to_owned(), ..nodes.owner.keys[0].clone() };
    let rotate = || call(("POST", &path(&key, "/rotate")), json!({}));
    nodes.ends(&key.text, rotate, 401, "UNAUTHORIZED");
    nodes.stop();
}

#[test]
fn what_one_node_has_ended_for_a_client_no_other_accepts() {
    let nodes = Nodes::start();
    let client = nodes.client();
    let change = |body: Value| drop(nodes.call(("PATCH", &format!("/v1/clients/{client}")), &body));
    let key = nodes.client_key(&client);
    nodes.give(Some(&client));
    let switch_off = || change(json!({ "is_active": false }));
    nodes.ends(&key.text, switch_off, 403, "CLIENT_IS_NOT_ACTIVE");
    change(json!({ "is_active": true }));
    let disable = || change(json!({ "payments_enabled": false }));
    nodes.ends(&key.text, disable, 403, "FORBIDDEN");
    change(json!({ "payments_enabled": true }));
    nodes.ends(&key.text, || nodes.give(None), 404, "NOT_FOUND");
    nodes.give(Some(&client));
    let trash = format!("/usersbank/{}/to-trash", nodes.owner.bank);
    let to_trash = || drop(nodes.call(("DELETE", &trash), &json!({})));
    nodes.ends(&key.text, to_trash, 404, "NOT_FOUND");
    nodes.stop();
}

#[test]
fn what_one_node_has_ended_for_an_employee_no_other_accepts() {
    let nodes = Nodes::start();
    let call = |target: (&str, &str), body: Value| drop(nodes.call(target, &body));
    let (path, session) = nodes.employee("eva");
    let less = || call(("PATCH", &path), json!({ "permissions": ["payments:read"] }));
    nodes.ends(&session, less, 403, "FORBIDDEN");
    let (path, session) = nodes.employee("luis");
    let switch_off = || call(("PATCH", &path), json!({ "is_active": false }));
    nodes.ends(&session, switch_off, 401, "UNAUTHORIZED");
    let (path, session) = nodes.employee("ana");
    nodes.ends(&session, || call(("DELETE", &path), json!({})), 401, "UNAUTHORIZED");
    let (_, session) = nodes.employee("pedro");
    let listed = nodes.call(("GET", "/auth/sessions"), &json!({}));
    let newest = listed["sessions"][0]["id"].as_str().unwrap();
    let end = format!("/auth/sessions/{newest}");
    nodes.ends(&session, || call(("DELETE", &end), json!({})), 401, "UNAUTHORIZED");
    let (_, session) = nodes.employee("rosa");
    let own = nodes.sign_in("rosa@tienda.example");
    nodes.ends(&session, || nodes.change_password(&own), 401, "UNAUTHORIZED");
    nodes.stop();
}

#[test]
fn what_one_node_has_ended_for_a_clients_person_no_other_accepts() {
    let nodes = Nodes::start();
    let client = nodes.client();
    nodes.give(Some(&client));
    let call = |target: (&str, &str), body: Value| drop(nodes.call(target, &body));
    let of_client = format!("/v1/clients/{client}");
    let (_, session) = nodes.person(&client, "marta");
    let disable = || call(("PATCH", &of_client), json!({ "payments_enabled": false }));
    nodes.ends(&session, disable, 403, "FORBIDDEN");
    call(("PATCH", &of_client), json!({ "payments_enabled": true }));
    let switch_client_off = || call(("PATCH", &of_client), json!({ "is_active": false }));
    nodes.ends(&session, switch_client_off, 401, "UNAUTHORIZED");
    call(("PATCH", &of_client), json!({ "is_active": true }));
    assert_eq!(nodes.verify(&session, "67890"), (401, "UNAUTHORIZED".to_owned()), "for good");
    let (path, session) = nodes.person(&client, "eva");
    let switch_off = || call(("PATCH", &path), json!({ "is_active": false }));
    nodes.ends(&session, switch_off, 401, "UNAUTHORIZED");
    let (path, session) = nodes.person(&client, "luis");
    nodes.ends(&session, || call(("DELETE", &path), json!({})), 401, "UNAUTHORIZED");
    let (_, session) = nodes.person(&client, "pedro");
    let listed = nodes.call(("GET", "/auth/sessions"), &json!({}));
    let end = format!("/auth/sessions/{}", listed["sessions"][0]["id"].as_str().unwrap());
    nodes.ends(&session, || call(("DELETE", &end), json!({})), 401, "UNAUTHORIZED");
    let (_, session) = nodes.person(&client, "rosa");
    let own = nodes.sign_in("rosa@sucursal.example");
    nodes.ends(&session, || nodes.change_password(&own), 401, "UNAUTHORIZED");
    let (_, session) = nodes.person(&client, "ana");
    nodes.ends(&session, || nodes.give(None), 404, "NOT_FOUND");
    nodes.stop();
}

#[test]
fn what_was_ended_for_an_owner_no_node_accepts() {
    let nodes = Nodes::start();
    let (key, owner) = (nodes.key(), nodes.owner.email.as_str());
    let run = |arguments: &[&str], input: &str| {
        let (code, answer) = nodes.site.run(arguments, input);
        assert_eq!(code, Some(0), "{answer}");
    };
    let deactivate = || run(&["owner", "deactivate", "--owner", owner, "--json"], "");
    nodes.ends(&key.text, deactivate, 403, "USER_IS_NOT_ACTIVE");
    run(&["owner", "activate", "--owner", owner, "--json"], "");
    let unauthorized = (401, "UNAUTHORIZED".to_owned());
    assert_eq!(nodes.verify(&nodes.owner.session, "67890"), unauthorized, "for good");
    let session = nodes.owner_session();
    let deactivate = || run(&["owner", "deactivate", "--owner", owner, "--json"], "");
    nodes.ends(&session, deactivate, 401, "UNAUTHORIZED");
    run(&["owner", "activate", "--owner", owner, "--json"], "");
    let reset = ["owner", "reset-password", "--owner", owner, "--password-stdin", "--json"];
    let reset = || run(&reset, "another horse battery staple\n");
    nodes.ends(&nodes.owner_session(), reset, 401, "UNAUTHORIZED");
    assert_eq!(nodes.verify(&key.text, "67890").0, 200, "keys are no sessions");
    let revoke = ["key", "revoke", "--owner", owner, "--key", &key.id, "--json"];
    nodes.ends(&key.text, || run(&revoke, ""), 401, "UNAUTHORIZED");
    nodes.stop();
}

#[test]
fn what_ends_with_another_address_or_a_second_factor_no_node_accepts() {
    let nodes = Nodes::start();
    let run = |arguments: &[&str]| {
        let (code, answer) = nodes.site.run(arguments, "");
        assert_eq!(code, Some(0), "{answer}");
    };
    let (_, session) = nodes.employee("eva");
    let own = nodes.sign_in("eva@tienda.example");
    let wanted = json!({ "email": "eva.nueva@tienda.example", "password": PASSWORD });
    let change = || drop(ok(ask(nodes.first.addr, ("PUT", "/auth/email"), &own, Some(&wanted))));
    nodes.ends(&session, change, 401, "UNAUTHORIZED");
    let (path, session) = nodes.employee("luis");
    let id = path.rsplit('/').next().unwrap();
    let email = ["owner", "set-email", "--owner", nodes.owner.email.as_str(), "--person", id];
    let email = [&email[..], &["--email", "luis.nuevo@tienda.example", "--json"]].concat();
    nodes.ends(&session, || run(&email), 401, "UNAUTHORIZED");
    let (_, session) = nodes.employee("ana");
    let own = nodes.sign_in("ana@tienda.example");
    let call =
        |target: (&str, &str), body: Value| ok(ask(nodes.first.addr, target, &own, Some(&body)));
    let begun = call(("POST", "/auth/totp"), json!({ "password": PASSWORD }));
    let authenticator = Authenticator::set_up(&begun);
    let confirm = || {
        let code = authenticator.code(now());
        drop(call(("POST", "/auth/totp/confirm"), json!({ "code": code })));
    };
    nodes.ends(&session, confirm, 401, "UNAUTHORIZED");
    nodes.stop();
}

#[test]
fn a_refresh_token_that_comes_too_late_ends_the_session_everywhere() {
    let nodes = Nodes::start();
    let credentials = json!({ "email": nodes.owner.email, "password": PASSWORD });
    let mut session = nodes.call(("POST", "/auth/login"), &credentials);
    let token = session["token"].as_str().unwrap().to_owned();
    let first = json!({ "refresh_token": session["refresh_token"] });
    for addr in [nodes.first.addr, nodes.second.addr] {
        let body = json!({ "refresh_token": session["refresh_token"] });
        session = ok(ask(addr, ("POST", "/auth/refresh"), "", Some(&body)));
    }
    let too_late = || {
        let answer = ask(nodes.first.addr, ("POST", "/auth/refresh"), "", Some(&first));
        assert_eq!(end(&answer).0, 401);
    };
    nodes.ends(&token, too_late, 401, "UNAUTHORIZED");
    let newest = session["token"].as_str().unwrap();
    assert_eq!(nodes.verify(newest, "67890"), (401, "UNAUTHORIZED".to_owned()));
    nodes.stop();
}

#[test]
fn a_password_that_is_set_by_a_link_ends_the_sessions_everywhere() {
    let server = TestMailServer::start();
    let mut site = Site::on(Engine::Postgres);
    site.settings = vec![
        ("COTEJO_MAIL_SERVER", "127.0.0.1".to_owned()),
        ("COTEJO_MAIL_PORT", server.settings().port.to_string()),
        ("COTEJO_MAIL_TLS", "off".to_owned()),
        ("COTEJO_MAIL_FROM", "Cobros <cobros@example.com>".to_owned()),
    ];
    let nodes = Nodes::on(site);
    nodes.call(("POST", "/auth/password/reset"), &json!({ "email": nodes.owner.email }));
    until(SLOW, "the mail", || !server.mails().is_empty());
    let wanted = json!({ "token": server.mails()[0].token(), "password": "another horse battery" });
    let reset = || drop(nodes.call(("POST", "/auth/password/reset/confirm"), &wanted));
    nodes.ends(&nodes.owner.session, reset, 401, "UNAUTHORIZED");
    nodes.stop();
}

#[test]
fn what_a_key_has_signed_whose_sessions_were_ended_no_node_accepts() {
    let site = Site::on(Engine::Postgres);
    let mut owner = Owner::make(&site, "ana", 100);
    let nodes = [site.launch("a").wait(), site.launch("b").wait()];
    owner.issue_keys(nodes[0].addr, &[]);
    let me = |addr: SocketAddr, token: &str| ask(addr, ("GET", "/me"), token, None).status;
    assert_eq!(me(nodes[1].addr, &owner.session), 200);
    for node in nodes {
        node.stop();
    }
    let (code, answer) = site.run(&["sessions", "rotate-key", "--end-sessions", "--json"], "");
    assert_eq!(code, Some(0), "{answer}");
    let nodes = [site.launch("a").wait(), site.launch("b").wait()];
    let former = owner.session.clone();
    owner.issue_keys(nodes[0].addr, &[]);
    for node in nodes {
        assert_eq!((me(node.addr, &former), me(node.addr, &owner.session)), (401, 200));
        node.stop();
    }
}

/// Strangers' wrong passwords at one node are counted at every other.
#[test]
fn wrong_passwords_at_one_node_count_at_the_other() {
    let nodes = Nodes::start();
    let guess = |addr: SocketAddr, email: &str| {
        let body = json!({ "email": email, "password": "wrong wrong wrong" });
        end(&ask(addr, ("POST", "/auth/login"), "", Some(&body)))
    };
    for number in 0..10 {
        let addr = if number % 2 == 0 { nodes.first.addr } else { nodes.second.addr };
        let answer = guess(addr, "nobody@example.com");
        assert_eq!(answer, (401, "UNAUTHORIZED".to_owned()));
    }
    // Neither has spent the budget of its address.
    let limited = (429, "REQUEST_LIMIT_REACHED".to_owned());
    for addr in [nodes.first.addr, nodes.second.addr] {
        assert_eq!(guess(addr, "nobody@example.com"), limited);
        assert_eq!(guess(addr, "another@example.com").0, 401);
    }
    nodes.stop();
}

#[test]
fn a_session_that_was_signed_out_at_one_node_opens_nothing_at_another() {
    let nodes = Nodes::start();
    let session = &nodes.owner.session;
    let sign_out = || drop(nodes.call(("POST", "/auth/logout"), &json!({})));
    nodes.ends(session, sign_out, 401, "UNAUTHORIZED");
    nodes.stop();
}

/// Checks that a reservation settles as it was reserved. To join or to view it takes a credential that is live then.
#[test]
fn what_is_under_way_when_a_key_ends_settles_as_it_was_reserved() {
    let nodes = Nodes::start();
    let key = nodes.key();
    let addr: SocketAddr = nodes.second.addr;
    let mut calling = nodes.owner.send(addr, &key, "5510004");
    let open = "select count(*) from verifications where state = 0";
    until(SLOW, "the reservation", || nodes.site.database.number(open) == 1);
    nodes.call(("DELETE", &path(&key, "")), &json!({}));
    assert_eq!(nodes.verify(&key.text, "5510004"), (401, "UNAUTHORIZED".to_owned()));
    // The call that waits is answered.
    assert_eq!(calling.hear().unwrap().code(), "BANK_NOT_AVAILABLE");
    until(SLOW, "the end", || nodes.site.database.number(open) == 0);
    assert_eq!(nodes.owner.balance(addr), 99);
    let charged = "select count(*) from credit_movements where movement_type = 'debit'";
    assert_eq!(nodes.site.database.number(charged), 1);
    nodes.stop();
}
