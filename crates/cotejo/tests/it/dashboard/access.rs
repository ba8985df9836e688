//! Who sees which page and whose forms are taken: as the table in `docs/access.md` says of the operation that each stands
//! for, on every page and form that is served.

use domain::rights::{Right, Rights};
use futures_util::future::join;
use pages::dashboard::events::{LASTS, LOOK_EVERY};
use pages::dashboard::{PageRoute, routes};
use testkit::employee::PASSWORD;
use testkit::{Browser, Employee, Owner, Response, TestApp, both_engines};

use crate::reach::table::Table;

/// Those who have a browser, by their column of the table.
struct People {
    owner: Owner,
    client: String,
    employee: Employee,
    other: Employee,
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
        Self { owner, client: open, employee, other, browsers }
    }

    /// Gives one employee that permission alone, and the other every one that does not hold it.
    async fn permit(&self, permission: &str) {
        let right = Right::parse(permission).ok();
        let holds = |one: &Right| right.is_none_or(|right| *one == right);
        let lacks =
            |one: &Right| right.is_none_or(|right| !Rights::from_iter([*one]).contains(right));
        permit(&self.owner, &self.employee, Right::all().filter(holds)).await;
        permit(&self.owner, &self.other, Right::all().filter(lacks)).await;
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
            .replace("{verification_id}", "ver_00000000000000000000000000")
            .replace("{delivery_id}", "evt_00000000000000000000000000")
            .replace("{redelivery_id}", "redo_00000000000000000000000000")
    }
}

async fn permit(owner: &Owner, employee: &Employee, rights: impl Iterator<Item = Right>) {
    let names: Vec<_> = rights.map(Right::as_str).collect();
    owner.patch(&employee.path(), serde_json::json!({ "permissions": names })).await.ok();
}

/// What somebody is told, in the words of the table.
fn told(answer: &Response) -> &'static str {
    let leads_to = answer.header("location").unwrap_or_default();
    match answer.status {
        401 => "401",
        303 if leads_to.starts_with("/app/sign-in") => "401",
        403 => "403",
        status if status < 500 => "yes",
        _ => "failed",
    }
}

/// All that a page hears that listens for payments, to the end of its stream.
pub(super) async fn listened(app: &TestApp, browser: &Browser) -> Response {
    let pass = async {
        app.clock().is_awaited(app.now().plus(LOOK_EVERY)).await;
        app.clock().advance(LASTS);
    };
    join(browser.get("/app/events"), pass).await.0
}

both_engines! {
    async fn every_page_and_form_by_everybody_who_has_a_browser(app: TestApp) {
        let people = People::new(&app).await;
        let table = Table::below("Operations");
        // Whoever signs out sees nothing after that.
        let mut routes = routes();
        routes.sort_by_key(|route| route.path == "/app/sign-out");
        let mut wrong = Vec::new();
        for route in &routes {
            let name = route.operation.name;
            let (_, cells) = table.rows.iter().find(|(row, _)| row == name).expect(name);
            people.permit(&cells[1]).await;
            let path = people.path(route);
            for (who, browser) in &people.browsers {
                let column = table.columns.iter().position(|column| column == who).expect(who);
                let expected = match &*cells[column] {
                    "yes" => "yes",
                    "401" => "401",
                    _ => "403",
                };
                let answer = match route.method.as_str() {
                    "GET" if path == "/app/events" && expected == "yes" => {
                        listened(&app, browser).await
                    }
                    "GET" => browser.get(&path).await,
                    _ => browser.send(&path, &[]).await,
                };
                // Signing out leads there, too.
                let is_right = told(&answer) == expected || (route.path == "/app/sign-out" && answer.status == 303);
                if !is_right {
                    let told = (told(&answer), answer.status);
                    wrong.push(format!("{} {path} by {who}: {told:?} instead of {expected}", route.method));
                }
                let is_object = route.path.contains('{');
                if is_object && who.starts_with("another owner") && answer.status < 400 {
                    wrong.push(format!("{} {path} by {who}: shown or done", route.method));
                }
                if answer.status < 500 && answer.header("content-security-policy").is_none() {
                    wrong.push(format!("{path}: without a policy"));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
