//! What ends with a person's password, its address or its owner, by mail and by the operator, seen by everybody whom it
//! concerns; and one-time links, each opened at two nodes at once.

use super::*;

/// Password that everybody chooses by a link.
const CHOSEN: &str = "another horse battery";

/// Two nodes that send mail, which is caught.
pub(super) struct Mailing {
    pub(super) nodes: Nodes,
    server: TestMailServer,
}

impl Mailing {
    pub(super) fn start() -> Self {
        Self::with(&[])
    }

    /// The same, where one address may sign in and open links as often as it likes.
    pub(super) fn unlimited() -> Self {
        Self::with(&[("COTEJO_HTTP_ATTEMPTS_PER_MINUTE", "0")])
    }

    fn with(more: &[(&'static str, &str)]) -> Self {
        let server = TestMailServer::start();
        let mut site = Site::on(Engine::Postgres);
        site.settings = vec![
            ("COTEJO_MAIL_SERVER", "127.0.0.1".to_owned()),
            ("COTEJO_MAIL_PORT", server.settings().port.to_string()),
            ("COTEJO_MAIL_TLS", "off".to_owned()),
            ("COTEJO_MAIL_FROM", "Cobros <cobros@example.com>".to_owned()),
        ];
        site.settings.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        Self { nodes: Nodes::on(site), server }
    }

    /// The secret of the link in the mail of that number to the address.
    pub(super) fn link_to(&self, email: &str, number: usize) -> String {
        let of = |mail: &testkit::Caught| mail.to()[0] == email;
        until(SLOW, "the mail", || {
            self.server.mails().iter().filter(|mail| of(mail)).count() > number
        });
        // What comes of it is written, too: it holds the row of the owner.
        let waiting = "select count(*) from mails where ended_at is null";
        until(SLOW, "the end of the mail", || self.nodes.site.database.number(waiting) == 0);
        self.server.mails().iter().filter(|mail| of(mail)).nth(number).unwrap().token()
    }

    /// The secret of the newest link of that kind in the mail to the address.
    pub(super) fn newest(&self, email: &str, kind: &str) -> String {
        let (path, mut found) = (format!("/{kind}/"), None);
        until(SLOW, "the mail", || {
            let mails = self.server.mails();
            let mut mails = mails.iter().rev();
            let mail = mails.find(|mail| mail.to()[0] == email && mail.body().contains(&path));
            found = mail.map(testkit::Caught::token);
            found.is_some()
        });
        // What comes of it is written, too: it holds the row of the owner.
        let waiting = "select count(*) from mails where ended_at is null";
        until(SLOW, "the end of the mail", || self.nodes.site.database.number(waiting) == 0);
        found.unwrap()
    }

    /// Invites somebody by mail, who accepts and signs in: its session.
    pub(super) fn join(&self, path: &str, wanted: &Value) -> String {
        self.nodes.call(("POST", path), wanted);
        let email = wanted["email"].as_str().unwrap();
        let accepted = json!({ "token": self.link_to(email, 0), "password": PASSWORD });
        self.nodes.call(("POST", "/auth/invitations/accept"), &accepted);
        self.nodes.sign_in(email)
    }

    /// An employee who may verify payments.
    pub(super) fn employee(&self, email: &str) -> String {
        let wanted = json!({ "email": email, "name": "Eva", "permissions": ["payments:write"] });
        self.join("/v1/employees", &wanted)
    }

    /// Asks for another address with that session, and returns the secret of the link that is sent there.
    pub(super) fn wish(&self, session: &str, new: &str) -> String {
        let wanted = json!({ "email": new, "password": PASSWORD });
        ok(ask(self.nodes.first.addr, ("PUT", "/auth/email"), session, Some(&wanted)));
        self.link_to(new, 0)
    }
}

/// Sends one to each node at once.
fn at_once(nodes: &Nodes, path: &str, bodies: [&Value; 2]) -> [(u16, String); 2] {
    thread::scope(|scope| {
        let call =
            |addr: SocketAddr, body| scope.spawn(move || ask(addr, ("POST", path), "", Some(body)));
        let calls = [call(nodes.first.addr, bodies[0]), call(nodes.second.addr, bodies[1])];
        calls.map(|call| end(&call.join().unwrap()))
    })
}

/// The same, where both wait for their owner's row before either is written.
fn written_at_once(nodes: &Nodes, path: &str, bodies: [&Value; 2]) -> [(u16, String); 2] {
    let Database::Postgres(database) = &nodes.site.database else { unreachable!() };
    let held = database.hold("select 1 from owners for no key update");
    thread::scope(|scope| {
        let calls = scope.spawn(|| at_once(nodes, path, bodies));
        until(SOON, "both wait", || database.number(WAITING) == 2);
        drop(held);
        calls.join().unwrap()
    })
}

/// Holds that one was done and the other was answered `refused`; answers which was done.
#[track_caller]
fn one_wins(ends: &[(u16, String); 2], refused: (u16, &str)) -> usize {
    let done = ends.iter().position(|(status, _)| *status == 200).expect("one is done");
    let (status, code) = &ends[1 - done];
    assert_eq!((*status, code.as_str()), refused, "{ends:?}");
    done
}

#[test]
fn what_a_link_by_mail_ends_no_node_accepts() {
    let mailing = Mailing::start();
    let nodes = &mailing.nodes;
    let client = nodes.client();
    nodes.give(Some(&client));
    let (eva, marta) = ("eva@tienda.example", "marta@sucursal.example");
    let invitation = format!("/v1/clients/{client}/invitation");
    for (email, session) in [
        (eva, mailing.employee(eva)),
        (marta, mailing.join(&invitation, &json!({ "email": marta, "name": "Marta" }))),
    ] {
        // Another address, confirmed by the person who reads its mail: the session goes on that wished for it.
        let new = format!("nuevo.{email}");
        let own = nodes.sign_in(email);
        let token = mailing.wish(&own, &new);
        let confirm =
            || drop(nodes.call(("POST", "/auth/email/confirm"), &json!({ "token": token })));
        nodes.ends(&session, confirm, 401, "UNAUTHORIZED");
        assert_eq!(nodes.verify(&own, "4467890").0, 200, "the session that wished goes on");
        // Another password ends them all.
        nodes.call(("POST", "/auth/password/reset"), &json!({ "email": new }));
        let wanted = json!({ "token": mailing.link_to(&new, 1), "password": CHOSEN });
        let reset = || drop(nodes.call(("POST", "/auth/password/reset/confirm"), &wanted));
        nodes.ends(&own, reset, 401, "UNAUTHORIZED");
    }
    mailing.nodes.stop();
}

#[test]
fn what_an_owner_or_the_operator_changes_of_it_no_node_accepts() {
    let nodes = Nodes::start();
    let run = |arguments: &[&str], input: &str| {
        let (code, answer) = nodes.site.run(arguments, input);
        assert_eq!(code, Some(0), "{answer}");
    };
    let (own, other) = (nodes.owner_session(), nodes.owner_session());
    nodes.ends(&other, || nodes.change_password(&own), 401, "UNAUTHORIZED");
    let id = nodes.owner.id.as_str();
    let email = ["owner", "set-email", "--owner", id, "--email", "nueva@tienda.example", "--json"];
    nodes.ends(&own, || run(&email, ""), 401, "UNAUTHORIZED");
    nodes.stop();
}

#[test]
fn what_is_ended_for_an_owner_ends_for_its_people() {
    let nodes = Nodes::start();
    let client = nodes.client();
    nodes.give(Some(&client));
    let run = |arguments: &[&str], input: &str| {
        let (code, answer) = nodes.site.run(arguments, input);
        assert_eq!(code, Some(0), "{answer}");
    };
    let id = nodes.owner.id.as_str();
    let deactivate = ["owner", "deactivate", "--owner", id, "--json"];
    let activate = ["owner", "activate", "--owner", id, "--json"];
    let reset = ["owner", "reset-password", "--owner", id, "--password-stdin", "--json"];
    drop((nodes.employee("eva"), nodes.person(&client, "marta")));
    for email in ["eva@tienda.example", "marta@sucursal.example"] {
        let session = nodes.sign_in(email);
        nodes.ends(&session, || run(&deactivate, ""), 401, "UNAUTHORIZED");
        run(&activate, "");
        assert_eq!(nodes.verify(&session, "67890").0, 401, "for good");
        let reset = || run(&reset, "another horse battery staple\n");
        nodes.ends(&nodes.sign_in(email), reset, 401, "UNAUTHORIZED");
    }
    nodes.stop();
}

#[test]
fn an_invitation_and_a_reset_that_two_nodes_are_shown_at_once_are_good_once() {
    let mailing = Mailing::start();
    let nodes = &mailing.nodes;
    let email = "eva@tienda.example";
    let wanted = json!({ "email": email, "name": "Eva", "permissions": ["payments:write"] });
    nodes.call(("POST", "/v1/employees"), &wanted);
    let passwords = [PASSWORD, CHOSEN];
    let bodies =
        |token: String| passwords.map(|password| json!({ "token": token, "password": password }));
    let signs_in = |password: &str| {
        let body = json!({ "email": email, "password": password });
        ask(nodes.second.addr, ("POST", "/auth/login"), "", Some(&body)).status == 200
    };
    for (number, path) in
        ["/auth/invitations/accept", "/auth/password/reset/confirm"].iter().enumerate()
    {
        if number == 1 {
            nodes.call(("POST", "/auth/password/reset"), &json!({ "email": email }));
        }
        let [one, other] = bodies(mailing.link_to(email, number));
        let done = one_wins(&written_at_once(nodes, path, [&one, &other]), (404, "NOT_FOUND"));
        // The password is that of the call that succeeded.
        assert!(signs_in(passwords[done]) && !signs_in(passwords[1 - done]), "{path}");
    }
    for action in ["AcceptInvitation", "ResetPassword"] {
        let trail = format!("select count(*) from audit where action = '{action}'");
        assert_eq!(nodes.site.database.number(&trail), 1, "{action}");
    }
    mailing.nodes.stop();
}

#[test]
fn an_address_that_two_nodes_are_asked_for_at_once_is_given_once() {
    let mailing = Mailing::start();
    let nodes = &mailing.nodes;
    let sessions =
        ["eva@tienda.example", "luis@tienda.example"].map(|email| mailing.employee(email));
    let new = "nueva@tienda.example";
    let path = "/auth/email/confirm";
    let changes = "select count(*) from audit where action = 'ChangeEmail'";
    // Two links of two people, to one address.
    let wanted = json!({ "email": new, "password": PASSWORD });
    for session in &sessions {
        ok(ask(nodes.first.addr, ("PUT", "/auth/email"), session, Some(&wanted)));
    }
    let tokens = [0, 1].map(|number| json!({ "token": mailing.link_to(new, number) }));
    one_wins(&at_once(nodes, path, [&tokens[0], &tokens[1]]), (409, "CONFLICT"));
    assert_eq!(nodes.site.database.number(changes), 1);
    // The same link twice: it comes true once, and both are answered so.
    let token = json!({ "token": mailing.wish(&nodes.owner.session, "ana.nueva@tienda.example") });
    let ends = written_at_once(nodes, path, [&token, &token]);
    assert!(ends.iter().all(|(status, _)| *status == 200), "{ends:?}");
    assert_eq!(nodes.site.database.number(changes), 2);
    mailing.nodes.stop();
}

/// Trigger that makes every new owner wait, once its rows are written, for the holder of the advisory lock 1.
const WAIT_WITH_OWNER: &str = "create function wait_with_owner() returns trigger as $$ \
    begin perform pg_advisory_xact_lock(1); return null; end $$ language plpgsql; \
    create trigger wait_with_owner after insert on owners for each row execute function wait_with_owner()";

/// Commands that are held up by that, or by a claim.
const HELD_UP: &str = "select count(*) from pg_stat_activity where datname = current_database() \
    and wait_event_type = 'Lock'";

#[test]
fn an_address_that_is_let_go_while_its_owner_is_made_stays_with_the_owner() {
    let nodes = Nodes::start();
    let Database::Postgres(database) = &nodes.site.database else { unreachable!() };
    let email = "nueva@tienda.example";
    database.execute(WAIT_WITH_OWNER);
    let making = database.hold("select pg_advisory_xact_lock(1)");
    let (made, freed) = thread::scope(|scope| {
        let made =
            scope.spawn(|| nodes.site.run(&["owner", "create", "--email", email, "--json"], ""));
        until(SOON, "the making waits", || database.number(HELD_UP) == 1);
        let freed = scope
            .spawn(|| nodes.site.output(&["owner", "free-email", "--email", email, "--json"], ""));
        until(SOON, "the letting go waits for the making", || {
            database.number(HELD_UP) == 2 || freed.is_finished()
        });
        drop(making);
        (made.join().unwrap(), freed.join().unwrap())
    });
    assert_eq!(made.0, Some(0), "{}", made.1);
    let refused = String::from_utf8_lossy(&freed.stderr);
    assert!(freed.status.code() == Some(1) && refused.contains("leads to"), "{freed:?}");
    let credentials = json!({ "email": email, "password": made.1["password"] });
    assert!(nodes.call(("POST", "/auth/login"), &credentials)["token"].is_string());
    nodes.stop();
}

#[test]
fn what_ends_with_a_second_factor_or_with_all_sessions_no_node_accepts() {
    let nodes = Nodes::start();
    nodes.employee("ana");
    let email = "ana@tienda.example";
    let own = nodes.sign_in(email);
    let call =
        |target: (&str, &str), body: Value| ok(ask(nodes.first.addr, target, &own, Some(&body)));
    let begun = call(("POST", "/auth/totp"), json!({ "password": PASSWORD }));
    let code = json!({ "code": Authenticator::set_up(&begun).code(now()) });
    let confirmed = call(("POST", "/auth/totp/confirm"), code);
    let credentials =
        json!({ "email": email, "password": PASSWORD, "code": confirmed["recovery_codes"][0] });
    let session = nodes.call(("POST", "/auth/login"), &credentials);
    let end = || drop(call(("DELETE", "/auth/totp"), json!({})));
    nodes.ends(session["token"].as_str().unwrap(), end, 401, "UNAUTHORIZED");
    // The nodes run on, and sign with the former key: rows end there.
    let rotate = ["sessions", "rotate-key", "--end-sessions", "--json"];
    let end = || assert_eq!(nodes.site.run(&rotate, "").0, Some(0));
    nodes.ends(&nodes.owner_session(), end, 401, "UNAUTHORIZED");
    assert_eq!(nodes.verify(&own, "67890").0, 401, "everybody's");

    // The owner's own factor goes with the password that the operator resets.
    let own = nodes.owner_session();
    let call =
        |target: (&str, &str), body: Value| ok(ask(nodes.first.addr, target, &own, Some(&body)));
    let begun = call(("POST", "/auth/totp"), json!({ "password": PASSWORD }));
    let code = json!({ "code": Authenticator::set_up(&begun).code(now()) });
    call(("POST", "/auth/totp/confirm"), code);
    let id = nodes.owner.id.as_str();
    let reset = ["owner", "reset-password", "--owner", id, "--password-stdin", "--json"];
    let reset = [&reset[..], &["--end-second-factor"]].concat();
    let end = || assert_eq!(nodes.site.run(&reset, "another horse battery staple\n").0, Some(0));
    nodes.ends(&own, end, 401, "UNAUTHORIZED");
    let credentials =
        json!({ "email": nodes.owner.email, "password": "another horse battery staple" });
    let answer = ask(nodes.second.addr, ("POST", "/auth/login"), "", Some(&credentials));
    assert!(ok(answer)["token"].is_string(), "no code is asked for");
    nodes.stop();
}
