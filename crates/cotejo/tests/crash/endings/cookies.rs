//! What ends the session of a browser at one node ends it at every other: its pages, and its forms that are under way.

use super::*;
use crate::http::Page;

/// A browser that has signed in at the first node.
struct Browser {
    cookies: String,
    form_token: String,
}

impl Browser {
    fn sign_in(nodes: &Nodes, email: &str) -> Self {
        let form = format!("email={email}&password={}", PASSWORD.replace(' ', "+"));
        let mut connection = Connection::to(nodes.first.addr).unwrap();
        connection.request_page("/app/sign-in", SAME_ORIGIN, Some(&form)).unwrap();
        let answer = connection.hear_page().unwrap();
        assert_eq!((answer.status, answer.location.as_deref()), (303, Some("/app")), "{email}");
        let mut browser = Self { cookies: answer.cookies, form_token: String::new() };
        let page = browser.open(nodes.second.addr, VERIFY);
        assert_eq!(page.status, 200, "{page:?}");
        browser.form_token = hidden(&page.text, "form_token");
        browser
    }

    fn headers(&self) -> String {
        format!("{SAME_ORIGIN}cookie: {}\r\n", self.cookies)
    }

    fn open(&self, addr: SocketAddr, path: &str) -> Page {
        let mut connection = Connection::to(addr).unwrap();
        connection.request_page(path, &self.headers(), None).unwrap();
        connection.hear_page().unwrap()
    }

    /// Sends a form, whose answer is read later.
    fn send(&self, addr: SocketAddr, path: &str, fields: &str) -> Connection {
        let form = format!("form_token={}&{fields}", self.form_token);
        let mut connection = Connection::to(addr).unwrap();
        connection.request_page(path, &self.headers(), Some(&form)).unwrap();
        connection
    }
}

/// Header by which a browser says that it comes from a page of the same site.
const SAME_ORIGIN: &str = "sec-fetch-site: same-origin\r\n";

/// A page whose form waits for its owner's row.
const VERIFY: &str = "/app/payments/verify";

fn hidden(page: &str, name: &str) -> String {
    let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\"")).expect(name);
    rest.split_once('"').unwrap().0.to_owned()
}

/// Tells by a status whether somebody must sign in, may not see the page, or is shown it.
fn status_of(page: &Page) -> u16 {
    match page.location.as_deref() {
        Some(path) if page.status == 303 && path.starts_with("/app/sign-in") => 401,
        _ => page.status,
    }
}

impl Nodes {
    /// Holds that the second node knows the browser until it is ended at the first one, and then answers so: to a
    /// form that waits behind the ending, and to a page.
    #[track_caller]
    fn ends_in(&self, browser: &Browser, ending: impl FnOnce() + Send, expected: u16) {
        let Database::Postgres(database) = &self.site.database else { unreachable!() };
        let before = browser.open(self.second.addr, VERIFY);
        assert_eq!(before.status, 200, "before: {expected}");
        let held = database.hold("select 1 from owners for no key update");
        let form = thread::scope(|scope| {
            let ending = scope.spawn(ending);
            until(SOON, "the ending waits", || database.number(WAITING) == 1);
            let fields = format!("user_bank_id={}&bank_reference=2267890", self.owner.bank);
            let form = browser.send(self.second.addr, VERIFY, &fields);
            until(SOON, "the reservation waits", || database.number(WAITING) == 2);
            drop(held);
            ending.join().unwrap();
            form
        });
        let mut form = form;
        assert_eq!(status_of(&form.hear_page().unwrap()), expected, "a form on its way");
        assert_eq!(status_of(&browser.open(self.second.addr, VERIFY)), expected, "a page");
        let found = "select count(*) from verifications where state <> 0";
        assert_eq!(self.site.database.number(found), 0, "nothing was verified");
    }
}

#[test]
fn what_ends_an_owners_session_ends_it_in_its_browser() {
    let nodes = Nodes::unlimited();
    let email = nodes.owner.email.clone();
    let run = |arguments: &[&str], input: &str| {
        let (code, answer) = nodes.site.run(arguments, input);
        assert_eq!(code, Some(0), "{answer}");
    };
    let browser = Browser::sign_in(&nodes, &email);
    let sign_out = || {
        let answer = browser.send(nodes.first.addr, "/app/sign-out", "").hear_page().unwrap();
        assert_eq!(answer.status, 303);
    };
    nodes.ends_in(&browser, sign_out, 401);
    let browser = Browser::sign_in(&nodes, &email);
    let listed = nodes.call(("GET", "/auth/sessions"), &json!({}));
    let newest = format!("/auth/sessions/{}", listed["sessions"][0]["id"].as_str().unwrap());
    nodes.ends_in(&browser, || drop(nodes.call(("DELETE", &newest), &json!({}))), 401);
    let browser = Browser::sign_in(&nodes, &email);
    let rotate = ["sessions", "rotate-key", "--end-sessions", "--json"];
    nodes.ends_in(&browser, || run(&rotate, ""), 401);
    let browser = Browser::sign_in(&nodes, &email);
    let own = nodes.owner_session();
    let wanted = json!({ "email": "ana.nueva@example.com", "password": PASSWORD });
    let change = || drop(ok(ask(nodes.first.addr, ("PUT", "/auth/email"), &own, Some(&wanted))));
    nodes.ends_in(&browser, change, 401);
    let browser = Browser::sign_in(&nodes, "ana.nueva@example.com");
    let call =
        |target: (&str, &str), body: Value| ok(ask(nodes.first.addr, target, &own, Some(&body)));
    let begun = call(("POST", "/auth/totp"), json!({ "password": PASSWORD }));
    let code = json!({ "code": Authenticator::set_up(&begun).code(now()) });
    nodes.ends_in(&browser, || drop(call(("POST", "/auth/totp/confirm"), code)), 401);
    call(("DELETE", "/auth/totp"), json!({}));
    let browser = Browser::sign_in(&nodes, "ana.nueva@example.com");
    nodes.ends_in(&browser, || nodes.change_password(&own), 401);
    let reset =
        ["owner", "reset-password", "--owner", &*nodes.owner.id, "--password-stdin", "--json"];
    run(&reset, &format!("{PASSWORD}\n"));
    let browser = Browser::sign_in(&nodes, "ana.nueva@example.com");
    nodes.ends_in(&browser, || run(&reset, "another horse battery staple\n"), 401);
    nodes.stop();
}

#[test]
fn what_ends_for_a_person_ends_in_its_browser() {
    let nodes = Nodes::unlimited();
    let client = nodes.client();
    nodes.give(Some(&client));
    let patch = |path: &str, body: Value| drop(nodes.call(("PATCH", path), &body));
    let off = json!({ "is_active": false });
    let (path, _) = nodes.employee("eva");
    let browser = Browser::sign_in(&nodes, "eva@tienda.example");
    let less = || patch(&path, json!({ "permissions": ["team:read"] }));
    nodes.ends_in(&browser, less, 403);
    let (path, _) = nodes.employee("luis");
    let browser = Browser::sign_in(&nodes, "luis@tienda.example");
    nodes.ends_in(&browser, || patch(&path, off.clone()), 401);
    let (path, _) = nodes.employee("ana");
    let browser = Browser::sign_in(&nodes, "ana@tienda.example");
    nodes.ends_in(&browser, || drop(nodes.call(("DELETE", &path), &json!({}))), 401);
    let (path, _) = nodes.person(&client, "marta");
    let browser = Browser::sign_in(&nodes, "marta@sucursal.example");
    nodes.ends_in(&browser, || patch(&path, off.clone()), 401);
    nodes.person(&client, "pedro");
    let browser = Browser::sign_in(&nodes, "pedro@sucursal.example");
    let of_client = format!("/v1/clients/{client}");
    nodes.ends_in(&browser, || patch(&of_client, off.clone()), 401);
    nodes.give(None);
    let id = nodes.owner.id.as_str();
    nodes.employee("rosa");
    let browser = Browser::sign_in(&nodes, "rosa@tienda.example");
    let deactivate = ["owner", "deactivate", "--owner", id, "--json"];
    let deactivate = || assert_eq!(nodes.site.run(&deactivate, "").0, Some(0));
    nodes.ends_in(&browser, deactivate, 401);
    nodes.stop();
}
