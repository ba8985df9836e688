//! What would begin or go on after an ending at the other node: a sign-in that is under way, and a token that renews a
//! session.

use super::*;

impl Nodes {
    /// Signs in at the first node: the access token, and the one that renews it.
    fn tokens(&self, email: &str) -> (String, String) {
        let credentials = json!({ "email": email, "password": PASSWORD });
        let answer = self.call(("POST", "/auth/login"), &credentials);
        let text = |field: &str| answer[field].as_str().unwrap().to_owned();
        (text("token"), text("refresh_token"))
    }

    /// Holds that a sign-in at the second node, which found the person active and its password right, opens nothing
    /// where it waits behind an ending at the first; and that the session of before is not renewed there either.
    #[track_caller]
    fn ends_what_begins(&self, email: &str, ending: impl FnOnce() + Send) {
        let (_, refresh) = self.tokens(email);
        let credentials = json!({ "email": email, "password": PASSWORD });
        let sign_in = || ask(self.second.addr, ("POST", "/auth/login"), "", Some(&credentials));
        let Database::Postgres(database) = &self.site.database else { unreachable!() };
        let held = database.hold("select 1 from owners for no key update");
        let under_way = thread::scope(|scope| {
            let ending = scope.spawn(ending);
            until(SOON, "the ending waits", || database.number(WAITING) == 1);
            let under_way = scope.spawn(sign_in);
            until(SOON, "the sign-in waits", || database.number(WAITING) == 2);
            drop(held);
            ending.join().unwrap();
            under_way.join().unwrap()
        });
        // A caller with the password of a person who was shut out is answered so.
        let statuses = [under_way.status, sign_in().status];
        assert!(statuses.iter().all(|status| [401, 403].contains(status)), "{statuses:?}");
        let renew = json!({ "refresh_token": refresh });
        let renewed = ask(self.second.addr, ("POST", "/auth/refresh"), "", Some(&renew));
        assert_eq!(end(&renewed), (401, "UNAUTHORIZED".to_owned()), "renewed");
    }

    /// Holds that a session is not renewed at the second node once it was ended at the first one.
    #[track_caller]
    fn ends_renewal(&self, refresh: &str, ending: impl FnOnce()) {
        ending();
        let renew = json!({ "refresh_token": refresh });
        let renewed = ask(self.second.addr, ("POST", "/auth/refresh"), "", Some(&renew));
        assert_eq!(end(&renewed), (401, "UNAUTHORIZED".to_owned()));
    }
}

#[test]
fn no_sign_in_that_is_under_way_outlives_what_ends_its_person() {
    let nodes = Nodes::unlimited();
    let client = nodes.client();
    let off = json!({ "is_active": false });
    let patch = |path: &str| drop(nodes.call(("PATCH", path), &off));
    let run = |arguments: &[&str], input: &str| {
        let (code, answer) = nodes.site.run(arguments, input);
        assert_eq!(code, Some(0), "{answer}");
    };
    let (path, _) = nodes.employee("eva");
    nodes.ends_what_begins("eva@tienda.example", || patch(&path));
    let (path, _) = nodes.employee("luis");
    nodes.ends_what_begins("luis@tienda.example", || {
        drop(nodes.call(("DELETE", &path), &json!({})));
    });
    let (_, session) = nodes.employee("rosa");
    nodes.ends_what_begins("rosa@tienda.example", || nodes.change_password(&session));
    nodes.employee("ana");
    let set = ["owner", "reset-password", "--email", "ana@tienda.example"];
    let set = [&set[..], &["--password-stdin", "--json"]].concat();
    nodes.ends_what_begins("ana@tienda.example", || run(&set, "another horse battery\n"));
    let (path, _) = nodes.person(&client, "marta");
    nodes.ends_what_begins("marta@sucursal.example", || patch(&path));
    nodes.person(&client, "pedro");
    nodes.ends_what_begins("pedro@sucursal.example", || patch(&format!("/v1/clients/{client}")));
    let (id, email) = (nodes.owner.id.as_str(), nodes.owner.email.as_str());
    nodes.ends_what_begins(email, || run(&["owner", "deactivate", "--owner", id, "--json"], ""));
    nodes.stop();
}

#[test]
fn no_session_that_was_ended_at_one_node_is_renewed_at_another() {
    let nodes = Nodes::unlimited();
    let email = "eva@tienda.example";
    nodes.employee("eva");
    let call = |target: (&str, &str), session: &str| {
        drop(ok(ask(nodes.first.addr, target, session, Some(&json!({})))));
    };
    let (session, refresh) = nodes.tokens(email);
    nodes.ends_renewal(&refresh, || call(("POST", "/auth/logout"), &session));
    let (own, (_, refresh)) = (nodes.tokens(email).0, nodes.tokens(email));
    let listed = ok(ask(nodes.first.addr, ("GET", "/auth/sessions"), &own, Some(&json!({}))));
    let newest = format!("/auth/sessions/{}", listed["sessions"][0]["id"].as_str().unwrap());
    nodes.ends_renewal(&refresh, || call(("DELETE", &newest), &own));
    let (_, refresh) = nodes.tokens(email);
    let rotate = ["sessions", "rotate-key", "--end-sessions", "--json"];
    nodes.ends_renewal(&refresh, || assert_eq!(nodes.site.run(&rotate, "").0, Some(0)));
    nodes.stop();
}
