//! Whatever ends an invitation, a reset or a change of address at one node ends it at every other: an acceptance that
//! waits behind the ending is answered the same as one that comes later.

use super::people::Mailing;
use super::*;

const NOT_FOUND: (u16, &str) = (404, "NOT_FOUND");

/// The last part of a one-time address.
fn token_of(invited: &Value) -> String {
    let url = invited["invitation_url"].as_str().unwrap();
    url.rsplit('/').next().unwrap().to_owned()
}

impl Nodes {
    /// Invites an employee who may look at payments, by that session. Returns its path, and the invitation's secret.
    fn invited_by(&self, session: &str, name: &str) -> (String, String) {
        let email = format!("{name}@tienda.example");
        let wanted = json!({ "email": email, "name": name, "permissions": ["payments:read"] });
        let target = ("POST", "/v1/employees");
        let invited = ok(ask(self.first.addr, target, session, Some(&wanted)));
        let id = invited["employee"]["id"].as_str().unwrap();
        (format!("/v1/employees/{id}"), token_of(&invited))
    }

    /// An employee who may invite those who look at payments: where it is changed, and its session.
    fn inviter(&self, name: &str) -> (String, String) {
        let (email, may) = (format!("{name}@tienda.example"), ["team:write", "payments:read"]);
        let wanted = json!({ "email": email, "name": name, "permissions": may });
        let (id, session) = self.invite("/v1/employees", &wanted);
        (format!("/v1/employees/{id}"), session)
    }

    /// Holds that the secret of a link is good at the second node until it is ended at the first, and then opens
    /// nothing: by a call that found it good and waits behind the ending, and by one that comes later.
    #[track_caller]
    fn ends_link(&self, path: &str, token: &str, ending: impl FnOnce() + Send) {
        let body = match path {
            CONFIRM => json!({ "token": token }),
            _ => json!({ "token": token, "password": "another horse battery" }),
        };
        let call = || ask(self.second.addr, ("POST", path), "", Some(&body));
        let Database::Postgres(database) = &self.site.database else { unreachable!() };
        let held = database.hold("select 1 from owners for no key update");
        let between = thread::scope(|scope| {
            let ending = scope.spawn(ending);
            until(SOON, "the ending waits", || database.number(WAITING) == 1);
            let between = scope.spawn(call);
            until(SOON, "what was good waits", || database.number(WAITING) == 2);
            drop(held);
            ending.join().unwrap();
            between.join().unwrap()
        });
        let not_found = (NOT_FOUND.0, NOT_FOUND.1.to_owned());
        assert_eq!(end(&between), not_found, "on its way");
        assert_eq!(end(&call()), not_found, "after");
    }
}

const ACCEPT: &str = "/auth/invitations/accept";
const RESET: &str = "/auth/password/reset/confirm";
const CONFIRM: &str = "/auth/email/confirm";

#[test]
fn what_ends_an_invitation_at_one_node_ends_it_at_every_other() {
    let nodes = Nodes::unlimited();
    let own = nodes.owner.session.as_str();
    let patch = |path: &str, body: Value| drop(nodes.call(("PATCH", path), &body));
    let (path, token) = nodes.invited_by(own, "retirada");
    nodes.ends_link(ACCEPT, &token, || drop(nodes.call(("DELETE", &path), &json!({}))));
    let (path, token) = nodes.invited_by(own, "inactiva");
    nodes.ends_link(ACCEPT, &token, || patch(&path, json!({ "is_active": false })));
    let (path, token) = nodes.invited_by(own, "renovada");
    let again = format!("{path}/invitation");
    nodes.ends_link(ACCEPT, &token, || drop(nodes.call(("POST", &again), &json!({}))));

    // With the right of the inviter.
    let (inviter, session) = nodes.inviter("eva");
    let (_, token) = nodes.invited_by(&session, "de.eva");
    nodes.ends_link(ACCEPT, &token, || patch(&inviter, json!({ "is_active": false })));
    let (inviter, session) = nodes.inviter("luis");
    let (_, token) = nodes.invited_by(&session, "de.luis");
    let less = json!({ "permissions": ["team:write"] });
    nodes.ends_link(ACCEPT, &token, || patch(&inviter, less));
    let (inviter, session) = nodes.inviter("ana");
    let (_, token) = nodes.invited_by(&session, "de.ana");
    let remove = format!("{inviter}?with_issued=false");
    nodes.ends_link(ACCEPT, &token, || drop(nodes.call(("DELETE", &remove), &json!({}))));
    // Who is raised above the inviter is invited anew.
    let (_, session) = nodes.inviter("pedro");
    let (path, token) = nodes.invited_by(&session, "de.pedro");
    let more = json!({ "permissions": ["payments:write"] });
    nodes.ends_link(ACCEPT, &token, || patch(&path, more));
    // With another password of the inviter.
    let (_, session) = nodes.inviter("rosa");
    let (_, token) = nodes.invited_by(&session, "de.rosa");
    nodes.ends_link(ACCEPT, &token, || nodes.change_password(&session));
    let (_, token) = nodes.invited_by(own, "de.la.clave");
    nodes.ends_link(ACCEPT, &token, || nodes.change_password(own));
    nodes.stop();
}

#[test]
fn what_ends_the_invitation_of_a_clients_person_ends_it_at_every_node() {
    let nodes = Nodes::unlimited();
    let client = nodes.client();
    let (place, invite) =
        (format!("/v1/clients/{client}/employees"), format!("/v1/clients/{client}/invitation"));
    let invited = |session: &str, name: &str| {
        let wanted = json!({ "email": format!("{name}@sucursal.example"), "name": name });
        let invited = ok(ask(nodes.first.addr, ("POST", &invite), session, Some(&wanted)));
        let id = invited["employee"]["id"].as_str().unwrap();
        (format!("{place}/{id}"), token_of(&invited))
    };
    let own = nodes.owner.session.as_str();
    let (path, token) = invited(own, "retirada");
    nodes.ends_link(ACCEPT, &token, || drop(nodes.call(("DELETE", &path), &json!({}))));
    let (path, token) = invited(own, "inactiva");
    let off = json!({ "is_active": false });
    nodes.ends_link(ACCEPT, &token, || drop(nodes.call(("PATCH", &path), &off)));
    let (path, token) = invited(own, "renovada");
    let again = format!("{path}/invitation");
    nodes.ends_link(ACCEPT, &token, || drop(nodes.call(("POST", &again), &json!({}))));
    // With one of the rights that it takes to invite for a client.
    let may = [
        "clients:write",
        "payments:write",
        "payment_links:write",
        "bank_accounts:write",
        "integrations:write",
    ];
    let wanted = json!({ "email": "eva@tienda.example", "name": "Eva", "permissions": may });
    let (id, session) = nodes.invite("/v1/employees", &wanted);
    let (_, token) = invited(&session, "de.eva");
    let less = json!({ "permissions": &may[1..] });
    let path = format!("/v1/employees/{id}");
    nodes.ends_link(ACCEPT, &token, || drop(nodes.call(("PATCH", &path), &less)));
    nodes.stop();
}

#[test]
fn what_the_operator_ends_ends_open_invitations_at_every_node() {
    let nodes = Nodes::unlimited();
    let run = |arguments: &[&str], input: &str| {
        let (code, answer) = nodes.site.run(arguments, input);
        assert_eq!(code, Some(0), "{answer}");
    };
    let (id, client) = (nodes.owner.id.as_str(), nodes.client());
    let invite_person = |name: &str| {
        let wanted = json!({ "email": format!("{name}@sucursal.example"), "name": name });
        let path = format!("/v1/clients/{client}/invitation");
        token_of(&ok(ask(nodes.first.addr, ("POST", &path), &nodes.owner_session(), Some(&wanted))))
    };
    // A client that is switched off.
    let token = invite_person("marta");
    let of_client = format!("/v1/clients/{client}");
    let switch = |is_active: bool| {
        drop(nodes.call(("PATCH", &of_client), &json!({ "is_active": is_active })));
    };
    nodes.ends_link(ACCEPT, &token, || switch(false));
    switch(true);
    // An employee's password that the operator sets by its address.
    let (_, session) = nodes.inviter("eva");
    let (_, token) = nodes.invited_by(&session, "de.eva");
    let email = ["owner", "reset-password", "--email", "eva@tienda.example"];
    let email = [&email[..], &["--password-stdin", "--json"]].concat();
    nodes.ends_link(ACCEPT, &token, || run(&email, "another horse battery staple\n"));
    // The owner's, and its being shut out.
    let token = invite_person("pedro");
    let reset = ["owner", "reset-password", "--owner", id, "--password-stdin", "--json"];
    nodes.ends_link(ACCEPT, &token, || run(&reset, &format!("{PASSWORD}\n")));
    let token = invite_person("rosa");
    nodes.ends_link(ACCEPT, &token, || run(&["owner", "deactivate", "--owner", id, "--json"], ""));
    run(&["owner", "activate", "--owner", id, "--json"], "");
    nodes.stop();
}

#[test]
fn a_password_that_the_operator_sets_by_an_address_ends_that_persons_sessions_everywhere() {
    let nodes = Nodes::unlimited();
    let client = nodes.client();
    nodes.give(Some(&client));
    for (email, session) in [
        ("eva@tienda.example", nodes.employee("eva").1),
        ("marta@sucursal.example", nodes.person(&client, "marta").1),
    ] {
        let reset = ["owner", "reset-password", "--email", email, "--password-stdin", "--json"];
        let reset = || assert_eq!(nodes.site.run(&reset, "another horse battery\n").0, Some(0));
        nodes.ends(&session, reset, 401, "UNAUTHORIZED");
    }
    // The owner's own session, ended by another of its own.
    let (own, other) = (nodes.owner_session(), nodes.owner_session());
    let listed = ok(ask(nodes.first.addr, ("GET", "/auth/sessions"), &own, Some(&json!({}))));
    let newest = format!("/auth/sessions/{}", listed["sessions"][0]["id"].as_str().unwrap());
    let end = || drop(ok(ask(nodes.first.addr, ("DELETE", &newest), &own, Some(&json!({})))));
    nodes.ends(&other, end, 401, "UNAUTHORIZED");
    // And by another address, with which it is admitted from then on.
    let other = nodes.owner_session();
    let wanted = json!({ "email": "ana.nueva@example.com", "password": PASSWORD });
    let change = || drop(ok(ask(nodes.first.addr, ("PUT", "/auth/email"), &own, Some(&wanted))));
    nodes.ends(&other, change, 401, "UNAUTHORIZED");
    nodes.stop();
}

/// A person with a link to set another password, and one that confirms another address.
struct Linked {
    email: String,
    session: String,
    reset: String,
    change: String,
}

impl Mailing {
    fn linked(&self, email: &str, session: String) -> Linked {
        self.nodes.call(("POST", "/auth/password/reset"), &json!({ "email": email }));
        let reset = self.newest(email, "password-reset");
        let new = format!("nuevo.{email}");
        let wanted = json!({ "email": new, "password": PASSWORD });
        ok(ask(self.nodes.first.addr, ("PUT", "/auth/email"), &session, Some(&wanted)));
        Linked {
            email: email.to_owned(),
            session,
            reset,
            change: self.newest(&new, "email-change"),
        }
    }

    /// An employee with such links: where it is changed, too.
    fn linked_employee(&self, name: &str) -> (String, Linked) {
        let email = format!("{name}@tienda.example");
        let session = self.employee(&email);
        let listed = self.nodes.call(("GET", "/v1/employees"), &json!({}));
        let mut employees = listed["employees"].as_array().unwrap().iter();
        let id = employees.find(|one| one["email"] == email).unwrap()["id"].as_str().unwrap();
        (format!("/v1/employees/{id}"), self.linked(&email, session))
    }

    /// Holds that what is done at the first node ends both links at the second.
    #[track_caller]
    fn ends_both(&self, linked: &Linked, ending: impl FnOnce() + Send) {
        self.nodes.ends_link(RESET, &linked.reset, ending);
        self.is_over(CONFIRM, &linked.change);
    }

    #[track_caller]
    fn is_over(&self, path: &str, token: &str) {
        let body = json!({ "token": token, "password": "another horse battery" });
        let body = if path == CONFIRM { json!({ "token": token }) } else { body };
        let answer = ask(self.nodes.second.addr, ("POST", path), "", Some(&body));
        assert_eq!(end(&answer), (NOT_FOUND.0, NOT_FOUND.1.to_owned()), "{path}");
    }
}

#[test]
fn what_ends_a_persons_right_ends_its_links_at_every_node() {
    let mailing = Mailing::unlimited();
    let nodes = &mailing.nodes;
    let off = json!({ "is_active": false });
    let (path, luis) = mailing.linked_employee("luis");
    mailing.ends_both(&luis, || drop(nodes.call(("DELETE", &path), &json!({}))));
    let (path, eva) = mailing.linked_employee("eva");
    mailing.ends_both(&eva, || drop(nodes.call(("PATCH", &path), &off)));
    let client = nodes.client();
    let email = "marta@sucursal.example";
    let invitation = format!("/v1/clients/{client}/invitation");
    let session = mailing.join(&invitation, &json!({ "email": email, "name": "Marta" }));
    let marta = mailing.linked(email, session);
    let of_client = format!("/v1/clients/{client}");
    mailing.ends_both(&marta, || drop(nodes.call(("PATCH", &of_client), &off)));
    let (_, rosa) = mailing.linked_employee("rosa");
    let deactivate = ["owner", "deactivate", "--owner", &*nodes.owner.id, "--json"];
    let deactivate = || assert_eq!(nodes.site.run(&deactivate, "").0, Some(0));
    mailing.ends_both(&rosa, deactivate);
    mailing.nodes.stop();
}

#[test]
fn what_changes_how_a_person_signs_in_ends_its_links_at_every_node() {
    let mailing = Mailing::unlimited();
    let nodes = &mailing.nodes;
    let run = |arguments: &[&str], input: &str| {
        let (code, answer) = nodes.site.run(arguments, input);
        assert_eq!(code, Some(0), "{answer}");
    };
    let (_, eva) = mailing.linked_employee("eva");
    mailing.ends_both(&eva, || nodes.change_password(&eva.session));
    let (_, luis) = mailing.linked_employee("luis");
    let reset = ["owner", "reset-password", "--email", &*luis.email, "--password-stdin", "--json"];
    mailing.ends_both(&luis, || run(&reset, "another horse battery\n"));
    let (path, ana) = mailing.linked_employee("ana");
    let id = path.rsplit('/').next().unwrap();
    let set = ["owner", "set-email", "--owner", &*nodes.owner.id, "--person", id];
    let set = [&set[..], &["--email", "ana.otra@tienda.example", "--json"]].concat();
    mailing.ends_both(&ana, || run(&set, ""));
    // The one ends the other.
    let (_, rosa) = mailing.linked_employee("rosa");
    let body = json!({ "token": rosa.reset, "password": "another horse battery" });
    nodes.ends_link(CONFIRM, &rosa.change, || drop(nodes.call(("POST", RESET), &body)));
    let (_, pedro) = mailing.linked_employee("pedro");
    let body = json!({ "token": pedro.change });
    nodes.ends_link(RESET, &pedro.reset, || drop(nodes.call(("POST", CONFIRM), &body)));
    mailing.nodes.stop();
}

#[test]
fn a_wish_for_another_address_ends_with_its_session_at_every_node() {
    let mailing = Mailing::unlimited();
    let nodes = &mailing.nodes;
    let (_, eva) = mailing.linked_employee("eva");
    let sign_out = || {
        let session = &eva.session;
        drop(ok(ask(nodes.first.addr, ("POST", "/auth/logout"), session, Some(&json!({})))));
    };
    nodes.ends_link(CONFIRM, &eva.change, sign_out);
    // Another wish takes its place.
    let (_, luis) = mailing.linked_employee("luis");
    let wanted = json!({ "email": "luis.otra@tienda.example", "password": PASSWORD });
    let target = ("PUT", "/auth/email");
    let wish = || drop(ok(ask(nodes.first.addr, target, &luis.session, Some(&wanted))));
    nodes.ends_link(CONFIRM, &luis.change, wish);
    // A second factor does not leave what was wished for without it.
    let (_, ana) = mailing.linked_employee("ana");
    let call = |target: (&str, &str), body: Value| {
        ok(ask(nodes.first.addr, target, &ana.session, Some(&body)))
    };
    let begun = call(("POST", "/auth/totp"), json!({ "password": PASSWORD }));
    let code = json!({ "code": Authenticator::set_up(&begun).code(now()) });
    nodes.ends_link(CONFIRM, &ana.change, || drop(call(("POST", "/auth/totp/confirm"), code)));
    // With another password by mail goes what its person has invited.
    let may = json!(["team:write", "payments:read"]);
    let wanted = json!({ "email": "pedro@tienda.example", "name": "Pedro", "permissions": may });
    let session = mailing.join("/v1/employees", &wanted);
    let wanted = json!({ "email": "luz@tienda.example", "name": "Luz", "permissions": [] });
    ok(ask(nodes.first.addr, ("POST", "/v1/employees"), &session, Some(&wanted)));
    let invitation = mailing.newest("luz@tienda.example", "invitation");
    let pedro = mailing.linked("pedro@tienda.example", session);
    let body = json!({ "token": pedro.reset, "password": "another horse battery" });
    nodes.ends_link(ACCEPT, &invitation, || drop(nodes.call(("POST", RESET), &body)));
    // Everybody's, with the invitations that are open.
    let wanted = json!({ "email": "rosa@tienda.example", "name": "Rosa", "permissions": [] });
    nodes.call(("POST", "/v1/employees"), &wanted);
    let invitation = mailing.newest("rosa@tienda.example", "invitation");
    let rotate = ["sessions", "rotate-key", "--end-sessions", "--json"];
    nodes.ends_link(ACCEPT, &invitation, || assert_eq!(nodes.site.run(&rotate, "").0, Some(0)));
    mailing.nodes.stop();
}
