//! Test money beside no real money, on every page and in the answer to every form: for the owner, for an employee, and for
//! a person of a client.

use domain::rights::Right;
use pages::dashboard::{PageRoute, routes};
use testkit::bank::SimulatedBank;
use testkit::employee::PASSWORD;
use testkit::{Browser, Response, Setup, either_engine};

use super::objects::FILLED;
use super::test_mode::{FRAME, REAL_NAMES, Shop, TEST_NAMES, Things, switch};
use crate::reach::table::Table;

/// The part that every page of the dashboard has around it. What only says why there is none has no frame.
const AROUND: &str = "<header class=\"top\">";

/// Forms that end the session, or leave the mode.
const LEAVING: [&str; 2] = ["/app/sign-out", "/app/test-mode"];

/// Somebody who is shown what a shop has, and its column in the table of operations.
struct Person<'a> {
    column: &'static str,
    browser: &'a Browser,
    shop: &'a Shop,
}

/// A mode: what the switch says, whose names it hides, and whose it shows.
#[derive(Clone, Copy)]
struct Mode {
    name: &'static str,
    hidden: [&'static str; 5],
    shown: [&'static str; 5],
}

const MODES: [Mode; 2] = [
    Mode { name: "", hidden: TEST_NAMES, shown: REAL_NAMES },
    Mode { name: "test", hidden: REAL_NAMES, shown: TEST_NAMES },
];

impl Mode {
    /// Lists what is wrong with an answer in this mode.
    fn wrong(self, what: &str, answer: &Response) -> Vec<String> {
        let page = answer.text();
        let mut wrong = Vec::new();
        // A file that is downloaded has no frame.
        let is_page = answer.header("content-type").is_some_and(|it| it.starts_with("text/html"));
        let is_shown = is_page && (answer.status == 200 || page.contains(AROUND));
        if is_shown && page.contains(FRAME) != (self.name == "test") {
            wrong.push(format!("{what} {}: the frame of {}", self.name, answer.status));
        }
        let hidden = self.hidden.iter().filter(|name| page.contains(**name));
        wrong.extend(hidden.map(|name| format!("{what} {}: shows {name}", self.name)));
        wrong
    }
}

impl Person<'_> {
    /// Answers who may open a page or send a form.
    fn may(&self) -> impl Fn(&PageRoute) -> bool {
        let table = Table::below("Operations");
        let column = table.columns.iter().position(|column| *column == self.column);
        let column = column.expect("a column of the table");
        move |route: &PageRoute| {
            let row = table.rows.iter().find(|(row, _)| row == route.operation.name);
            row.expect("a row of the table").1[column] == "yes"
        }
    }

    /// Lists what is wrong with the pages and forms of both modes.
    async fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for mode in MODES {
            switch(self.browser, mode.name).await;
            wrong.extend(self.wrong_pages(mode).await);
        }
        // Forms come last: they change what pages show.
        for (mode, things) in MODES.into_iter().zip([&self.shop.real, &self.shop.test]) {
            switch(self.browser, mode.name).await;
            wrong.extend(self.wrong_forms(mode, things).await);
        }
        wrong.into_iter().map(|wrong| format!("{}: {wrong}", self.column)).collect()
    }

    async fn wrong_pages(&self, mode: Mode) -> Vec<String> {
        let (mut wrong, mut seen) = (Vec::new(), String::new());
        for path in self.shop.pages(self.may()) {
            let answer = self.browser.get(&path).await;
            if ![200, 303].contains(&answer.status) {
                wrong.push(format!("{path} is answered {}", answer.status));
            }
            wrong.extend(mode.wrong(&path, &answer));
            seen.push_str(&answer.text());
        }
        // Pages show what is looked for.
        let unseen = mode.shown.iter().filter(|name| !seen.contains(**name));
        wrong.extend(unseen.map(|name| format!("no page of {:?} shows {name}", mode.name)));
        wrong
    }

    /// Sends every form with nothing in it, and filled in: most come again, and some show what they made.
    async fn wrong_forms(&self, mode: Mode, things: &Things) -> Vec<String> {
        let may = self.may();
        let forms = routes().into_iter().filter(|route| route.method == "POST" && may(route));
        let forms: Vec<_> = forms.filter(|route| !LEAVING.contains(&route.path)).collect();
        let (mut wrong, mut framed) = (Vec::new(), 0);
        for is_filled in [false, true] {
            for route in &forms {
                let path = things.path(route.path);
                let parts =
                    path.split('/').map(|part| if part.starts_with('{') { "none" } else { part });
                let path = parts.collect::<Vec<_>>().join("/");
                let fields = FILLED
                    .into_iter()
                    .filter(|(name, _)| is_filled && route.taken().contains(name));
                let answer = self.browser.send(&path, &fields.collect::<Vec<_>>()).await;
                framed += usize::from(answer.text().contains(AROUND));
                wrong.extend(mode.wrong(&format!("POST {path}"), &answer));
            }
        }
        if framed < 8 {
            wrong.push(format!("{framed} forms of {:?} were answered by a page", mode.name));
        }
        wrong
    }
}

either_engine! {
    async fn no_page_and_no_form_shows_test_money_beside_real_money(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let shop = Shop::new(&app, &bank).await;
        let rights: Vec<&str> = Right::all().map(Right::as_str).collect();
        let (employee, browser) = (shop.owner.employee(8, &rights).await, app.browser());
        browser.sign_in(&employee.email, PASSWORD).await;
        let mut wrong = Vec::new();
        for (column, browser) in [("employee", &browser), ("owner's session", &shop.browser)] {
            let person = Person { column, browser, shop: &shop };
            wrong.extend(person.wrong().await);
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    async fn a_clients_person_is_shown_test_money_beside_no_real_money(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let (shop, browser) = Shop::of_client(&app, &bank).await;
        let person = Person { column: "person of a client", browser: &browser, shop: &shop };
        let wrong = person.wrong().await;
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
