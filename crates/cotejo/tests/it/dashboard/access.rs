//! Who sees which page and whose forms are taken: as the table in `docs/access.md` says of the operation that each
//! stands for, on every page and form that is served.

use std::pin::pin;

use domain::access::ProofDemand;
use domain::rights::{Right, Rights};
use futures_util::future::{Either, select};
use pages::dashboard::events::{LASTS, LOOK_EVERY};
use pages::dashboard::{PageRoute, routes};
use testkit::employee::PASSWORD;
use testkit::{
    Authenticator, Browser, Employee, Owner, Principal, Response, TestApp, both_engines,
};

use crate::reach::table::Table;

/// People with a browser, by their column of the table.
struct People {
    owner: Owner,
    client: String,
    employee: Employee,
    other: Employee,
    /// As the first employee, with a second factor.
    guarded: Employee,
    browsers: Vec<(&'static str, Browser)>,
}

impl People {
    async fn new(app: &TestApp) -> Self {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (closed, open) = (owner.client(false).await, owner.client(true).await);
        let (employee, other) = (owner.employee(1, &[]).await, owner.employee(2, &[]).await);
        let without = owner.employee(3, &[]).await;
        let people =
            [owner.client_employee(&open, 1).await, owner.client_employee(&closed, 2).await];
        let mut browsers = vec![("nobody", app.browser())];
        browsers.extend(
            lasting_browsers(
                app,
                [
                    ("owner long after the password", &owner.email, &owner.password),
                    ("employee long after the password", &employee.email, PASSWORD),
                    ("person of a client long after the password", &people[0].email, PASSWORD),
                ],
            )
            .await,
        );
        for (who, email, password) in [
            ("owner's session", &owner.email, &*owner.password),
            ("another owner's session", &stranger.email, &*stranger.password),
            ("employee", &employee.email, PASSWORD),
            ("employee with every other permission", &other.email, PASSWORD),
            ("employee without permissions", &without.email, PASSWORD),
            ("person of a client", &people[0].email, PASSWORD),
            ("person of a client without payments", &people[1].email, PASSWORD),
        ] {
            let browser = app.browser();
            browser.sign_in(email, password).await;
            browsers.push((who, browser));
        }
        let guarded = owner.employee(4, &[]).await;
        let (other_owner, person) = (app.owner().await, owner.client_employee(&open, 3).await);
        browsers.extend(
            guarded_browsers(
                app,
                [
                    (&other_owner, &other_owner.email, &other_owner.password),
                    (&guarded, &guarded.email, PASSWORD),
                    (&person, &person.email, PASSWORD),
                ],
            )
            .await,
        );
        Self { owner, client: open, employee, other, guarded, browsers }
    }

    /// Gives one employee that permission alone, and the other every one that does not hold it.
    async fn permit(&self, permission: &str) {
        let right = Right::parse(permission).ok();
        let holds = |one: &Right| right.is_none_or(|right| *one == right);
        let lacks =
            |one: &Right| right.is_none_or(|right| !Rights::from_iter([*one]).contains(right));
        permit(&self.owner, &self.employee, Right::all().filter(holds)).await;
        permit(&self.owner, &self.guarded, Right::all().filter(holds)).await;
        permit(&self.owner, &self.other, Right::all().filter(lacks)).await;
    }

    /// Asks for a page with that browser, or sends a form with nothing typed, and lists what is not as the table says.
    async fn ask(
        &self,
        app: &TestApp,
        route: &PageRoute,
        (who, browser): (&str, &Browser),
        word: &str,
    ) -> Vec<String> {
        let path = self.path(route);
        // What a page shows needs no proof; its form asks for one.
        let is_view = route.method == "GET" && route.operation.demand != ProofDemand::Reveals;
        let expected = match word {
            "step-up" | "password" if is_view => "yes",
            "yes" | "401" | "step-up" | "password" => word,
            _ => "403",
        };
        let answer = match route.method.as_str() {
            "GET" if path == "/app/events" && expected == "yes" => listened(app, browser).await,
            "GET" => browser.get(&path).await,
            _ => browser.send(&path, &[]).await,
        };
        let mut wrong = Vec::new();
        // Signing out leads there, too.
        let is_right =
            word_of(&answer) == expected || (route.path == "/app/sign-out" && answer.status == 303);
        if !is_right {
            let actual = (word_of(&answer), answer.status);
            wrong.push(format!(
                "{} {path} by {who}: {actual:?} instead of {expected}",
                route.method
            ));
        }
        let is_object = route.path.contains('{');
        if is_object && who.starts_with("another owner") && answer.status < 400 {
            wrong.push(format!("{} {path} by {who}: shown or done", route.method));
        }
        if answer.status < 500 && answer.header("content-security-policy").is_none() {
            wrong.push(format!("{path}: without a policy"));
        }
        wrong
    }

    /// The path of a page about what the owner has. What ends is nobody's.
    fn path(&self, route: &PageRoute) -> String {
        let ends =
            ["/revoke", "/rotate", "/end", "/trash"].iter().any(|end| route.path.ends_with(end));
        let key = if ends { "key_00000000000000000000000000" } else { &self.owner.key.id };
        let bank = if ends { "bank_00000000000000000000000000" } else { &self.owner.bank };
        route
            .path
            .replace("{key_id}", key)
            .replace("{bank_id}", bank)
            .replace("{client_id}", &self.client)
            .replace("{employee_id}", "emp_00000000000000000000000000")
            .replace("{session_id}", "ses_00000000000000000000000000")
            .replace("{payment_link_id}", "link_00000000000000000000000000")
            .replace("{subscription_id}", "sub_00000000000000000000000000")
            .replace("{cycle}", "1")
            .replace("{receipt_id}", "rcp_00000000000000000000000000")
            .replace("{movement_id}", "mov_00000000000000000000000000")
            .replace("{verification_id}", "ver_00000000000000000000000000")
            .replace("{delivery_id}", "evt_00000000000000000000000000")
            .replace("{redelivery_id}", "redo_00000000000000000000000000")
            .replace("{notice_id}", "ntc_00000000000000000000000000")
    }
}

/// Opens browsers of people without a second factor, who typed the password long ago. They do not type it when a page
/// asks for it.
async fn lasting_browsers(
    app: &TestApp,
    people: [(&'static str, &str, &str); 3],
) -> Vec<(&'static str, Browser)> {
    let mut browsers = Vec::new();
    for (who, email, password) in people {
        let browser = app.browser();
        let fields = [("email", email), ("password", password)];
        assert_eq!(browser.send("/app/sign-in", &fields).await.status, 303, "{who}");
        assert_eq!(browser.get("/app").await.status, 200, "{who}");
        browsers.push((who, browser));
    }
    app.tamper("update sessions set proved_at = 1 where cookie_hash is not null").await;
    browsers
}

/// Gives an owner, an employee and a client's person a second factor, and two browsers each: one that showed its code
/// long ago, and one that shows it now. The first comes first, since some forms end what the second has.
async fn guarded_browsers(
    app: &TestApp,
    people: [(&Principal, &str, &str); 3],
) -> Vec<(&'static str, Browser)> {
    let mut codes = Vec::new();
    for (person, _, password) in people {
        codes.push(Authenticator::of(app, person, password).await.recovery_codes);
    }
    let mut browsers = Vec::new();
    for names in [
        ["owner without a code", "employee without a code", "person of a client without a code"],
        ["owner after a code", "employee after a code", "person of a client after a code"],
    ] {
        app.tamper("update sessions set proved_at = 1 where proved_at is not null").await;
        for ((who, (_, email, password)), codes) in names.into_iter().zip(people).zip(&mut codes) {
            let (browser, code) = (app.browser(), codes.pop().expect("a code"));
            let fields = [("email", email), ("password", password), ("code", &*code)];
            assert_eq!(browser.send("/app/sign-in", &fields).await.status, 303, "{who}");
            assert_eq!(browser.get("/app").await.status, 200, "{who}");
            browsers.push((who, browser));
        }
    }
    browsers
}

async fn permit(owner: &Owner, employee: &Employee, rights: impl Iterator<Item = Right>) {
    let names: Vec<_> = rights.map(Right::as_str).collect();
    owner.patch(&employee.path(), serde_json::json!({ "permissions": names })).await.ok();
}

/// Translates an answer into the words of the table.
fn word_of(answer: &Response) -> &'static str {
    let leads_to = answer.header("location").unwrap_or_default();
    match answer.status {
        401 => "401",
        303 if leads_to.starts_with("/app/sign-in") => "401",
        403 if answer.text().contains("name=\"step_up_code\"") => "step-up",
        403 if answer.text().contains("name=\"step_up_password\"") => "password",
        403 => "403",
        429 => "failed",
        status if status < 500 => "yes",
        _ => "failed",
    }
}

/// All that a page receives that listens for payments, to the end of its stream.
pub(super) async fn listened(app: &TestApp, browser: &Browser) -> Response {
    let pass = async {
        app.clock().is_awaited(app.now().plus(LOOK_EVERY)).await;
        app.clock().advance(LASTS);
    };
    match select(pin!(browser.get("/app/events")), pin!(pass)).await {
        Either::Left((answer, _)) => answer,
        Either::Right(((), listening)) => listening.await,
    }
}

/// In how many tests the routes are walked, side by side.
const PARTS: usize = 4;

/// Walks every so-manieth route.
async fn walk(app: &TestApp, part: usize) {
    let people = People::new(app).await;
    let table = Table::below("Operations");
    // A person who signs out sees nothing after that, and one whose second factor has ended is asked for no code.
    let mut routes = routes();
    routes.sort_by_key(|route| {
        (route.path == "/app/sign-out", route.operation.name == "EndSecondFactor")
    });
    let mut wrong = Vec::new();
    for route in routes.iter().skip(part).step_by(PARTS) {
        let name = route.operation.name;
        let (_, cells) = table.rows.iter().find(|(row, _)| row == name).expect(name);
        people.permit(&cells[1]).await;
        for (who, browser) in &people.browsers {
            let column = table.columns.iter().position(|column| column == who).expect(who);
            wrong.extend(people.ask(app, route, (*who, browser), &cells[column]).await);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Operations that a page does and a program does another way.
const OF_PAGES: [&str; 0] = [];

#[test]
fn what_a_page_does_a_program_can_do() {
    let endpoints = api::endpoints();
    let is_there = |name: &&str| endpoints.iter().any(|endpoint| endpoint.name == *name);
    let names = routes().into_iter().map(|route| route.operation.name);
    let missing: Vec<_> =
        names.filter(|name| !is_there(name) && !OF_PAGES.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

both_engines! {
    async fn every_page_and_form_by_everybody_who_has_a_browser_1(app: TestApp) {
        walk(&app, 0).await;
    }

    async fn every_page_and_form_by_everybody_who_has_a_browser_2(app: TestApp) {
        walk(&app, 1).await;
    }

    async fn every_page_and_form_by_everybody_who_has_a_browser_3(app: TestApp) {
        walk(&app, 2).await;
    }

    async fn every_page_and_form_by_everybody_who_has_a_browser_4(app: TestApp) {
        walk(&app, 3).await;
    }
}
