//! Test money never looks like money: what a person is shown of the test bank before and after a real account is linked.

use std::time::Duration;

use pages::dashboard::{PageRoute, routes};
use serde_json::json;
use testkit::bank::SimulatedBank;
use testkit::employee::PASSWORD;
use testkit::owner::link_bank;
use testkit::receiver::Receiver;
use testkit::{Browser, Key, Owner, Setup, TestApp, either_engine};

use super::follow::route_of;
use super::receipts::newest;
use crate::bdv;
use crate::pay::make;
use crate::pay::rates::hold;
use crate::payment_links::accept::{OWED, accept, shown_of};
use crate::subscriptions;

/// The beginning of a page with the frame of test mode.
pub(super) const FRAME: &str = "<body class=\"test-mode\"";

/// Names of an owner's test money, each shown by some page.
pub(super) const TEST_NAMES: [&str; 5] =
    ["Cuenta de prueba", "Enlace inventado", "12367890", "9123456", "7654321"];

/// Names of its real money.
pub(super) const REAL_NAMES: [&str; 5] =
    ["Tienda real", "Enlace real", "79912345", "8123456", "8765432"];

/// Things that test mode and real mode share: who asks, and what is sent again.
const OF_BOTH: [&str; 3] = ["{key_id}", "{employee_id}", "{redelivery_id}"];

/// Presses the switch that every page has.
pub(super) async fn switch(browser: &Browser, mode: &str) {
    let answer = browser.send("/app/test-mode", &[("mode", mode), ("next", "/app/links")]).await;
    assert_eq!((answer.status, answer.header("location")), (303, Some("/app/links")));
}

/// The ids of one thing of each kind, by how paths call it.
pub(crate) struct Things(Vec<(&'static str, String)>);

impl Things {
    /// Makes one thing of each kind on that account: a payment, a link that was rejected, and whose receiver refuses to
    /// hear it; a verification that found nothing, a question that was refused for want of credits, money that nobody
    /// has used, a link that cannot be paid for want of a rate, and the receipt of another one that was paid.
    async fn made(app: &TestApp, by: By<'_>, bank: &str, test: Test<'_>) -> Self {
        let By { owner, key, client } = by;
        let receiver = Receiver::with_status(500);
        let wanted = json!({ "description": test.link, "webhook_url": receiver.url() });
        let link = make(key, bank, wanted).await;
        owner.post(&format!("/v1/paymentlink/{link}/reject"), json!({})).await.ok();
        key.verify(bank, json!({ "bank_reference": test.paid })).await.ok();
        let unpaid = make(key, bank, json!({ "description": test.link })).await;
        let missing = json!({ "bank_reference": test.missing });
        key.verify(bank, missing).await.refused(404, "PAYMENT_NOT_FOUND");
        let listed = owner.get("/v1/verifications?status=not_found").await.ok();
        let verification = listed["verifications"][0]["id"].as_str().unwrap().to_owned();
        let unpaid_for = json!({ "bank_reference": format!("4{}", test.missing) });
        match client {
            Some(client) => {
                owner.set_quota(client, json!(0)).await.ok();
                key.verify(bank, unpaid_for).await;
                owner.set_quota(client, json!(null)).await.ok();
            }
            None => {
                owner.key_limited_to(0).await.verify(bank, unpaid_for).await;
            }
        }
        let refused = owner.get("/v1/verifications/refused").await.ok();
        let refused = refused["refused"][0]["id"].as_str().unwrap().to_owned();
        let sent = owner.get(&format!("/v1/webhooks/deliveries?payment_link_id={link}")).await.ok();
        let delivery = sent["deliveries"][0]["id"].as_str().unwrap().to_owned();
        let paid = owner.get(&format!("/v1/payments?user_bank_id={bank}")).await.ok();
        let paid = paid["payments"][0]["id"].as_str().unwrap().to_owned();
        let movement = shown_of(app, owner, bank, test.unused, OWED).await;
        let unrated = make(key, bank, json!({ "amount": 25, "currency": "USD" })).await;
        hold(&app.nobody(), &unrated).await;
        let sold = make(key, bank, json!({ "description": test.link })).await;
        let money = shown_of(app, owner, bank, &format!("{}0", test.missing), OWED).await;
        accept(owner, &sold, &money).await.ok();
        let browser = app.browser();
        browser.sign_in_as(owner).await;
        let receipt = newest(&browser).await;
        let product = json!({ "productName": test.link, "productPrice": 20 });
        let wanted = json!({ "uniqueProduct": product });
        let subscription = subscriptions::id(&subscriptions::make(key, bank, wanted).await);
        Self(vec![
            ("/refused/{verification_id}", format!("/refused/{refused}")),
            ("{verification_id}", verification),
            ("{payment_link_id}/accept", format!("{unpaid}/accept")),
            ("{payment_link_id}/change", format!("{unpaid}/change")),
            ("{payment_link_id}", link),
            ("{subscription_id}", subscription),
            ("{bank_id}", bank.to_owned()),
            ("{delivery_id}", delivery),
            ("{movement_id}", movement),
            ("{unrated}", unrated),
            ("{payment_id}", paid),
            ("{receipt_id}", receipt),
            ("{key_id}", key.id.clone()),
        ])
    }

    /// The path with its ids; one that has nothing of a kind keeps the name of that.
    pub(crate) fn path(&self, path: &str) -> String {
        self.0.iter().fold(path.to_owned(), |path, (name, id)| path.replace(name, id))
    }

    /// True if it is the id of something that came of its account.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.iter().any(|(name, one)| !OF_BOTH.contains(name) && one == id)
    }
}

/// Verifies by hand, and opens the page that it leads to.
async fn verified(browser: &Browser, fields: &[(&str, &str)]) -> String {
    let answer = browser.send("/app/payments/verify", fields).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    browser.open(answer.header("location").unwrap()).await
}

/// Maker of the things: a key of the owner, or of a client of it.
#[derive(Clone, Copy)]
struct By<'a> {
    owner: &'a Owner,
    key: &'a Key,
    client: Option<&'a str>,
}

/// Names of what is made on an account.
#[derive(Clone, Copy)]
struct Test<'a> {
    link: &'a str,
    paid: &'a str,
    missing: &'a str,
    unused: &'a str,
}

/// An owner that tried the service out and then linked its real account, with what it has of both.
pub(crate) struct Shop {
    pub(crate) owner: Owner,
    pub(super) browser: Browser,
    pub(crate) test: Things,
    pub(crate) real: Things,
}

impl Shop {
    pub(crate) async fn new(app: &TestApp, bank: &SimulatedBank) -> Self {
        let owner = app.owner().await;
        let by = By { owner: &owner, key: &owner.key, client: None };
        let (test, real) = of_both(app, bank, by, &owner.bank).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let shop = Self { browser, test, real, owner };
        shop.with_people().await
    }

    /// A client of an owner, with what it has of both, and the browser of a person of it.
    pub(super) async fn of_client(app: &TestApp, bank: &SimulatedBank) -> (Self, Browser) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let asked = json!({ "bank_provider": "BANK_TEST", "description": TEST_NAMES[0] });
        let linked = key.post("/usersbank", asked).await.ok();
        let account = linked["userbank"]["id"].as_str().unwrap();
        let by = By { owner: &owner, key: &key, client: Some(&client) };
        let (test, real) = of_both(app, bank, by, account).await;
        let (person, browser) = (owner.client_employee(&client, 1).await, app.browser());
        browser.sign_in(&person.email, PASSWORD).await;
        let owners = app.browser();
        owners.sign_in_as(&owner).await;
        (Self { browser: owners, test, real, owner }, browser)
    }

    /// The same with an employee who verifies, and with events that are sent again.
    async fn with_people(mut self) -> Self {
        let Self { owner, test, real, .. } = &mut self;
        let account = real.path("{bank_id}");
        // What the test bank is asked to say about credentials is an alert about no money.
        owner.key.verify(&owner.bank, json!({ "bank_reference": "9910008" })).await;
        let luis = owner.employee(7, &["payments:read", "payments:write"]).await;
        for (account, names) in [(&*owner.bank, TEST_NAMES), (&*account, REAL_NAMES)] {
            luis.verify(account, json!({ "bank_reference": names[2] })).await.ok();
        }
        let ago = json!({ "since": "2026-11-18T08:00:00Z", "until": "2026-11-18T09:00:00Z" });
        let begun = owner.post("/v1/webhooks/redeliveries", ago).await.ok();
        let redelivery = begun["redelivery"]["id"].as_str().unwrap();
        for things in [test, real] {
            things.0.push(("{employee_id}", luis.id.clone()));
            things.0.push(("{redelivery_id}", redelivery.to_owned()));
        }
        self
    }

    /// Every page that somebody may open: those about one thing once for each of its kind.
    pub(super) fn pages(&self, may: impl Fn(&PageRoute) -> bool) -> Vec<String> {
        let things = [&self.test, &self.real];
        let routes = routes();
        let pages = routes.iter().filter(|route| route.method == "GET" && may(route));
        let pages = pages.filter(|route| route.path != "/app/events");
        let mut paths: Vec<String> =
            pages.flat_map(|route| things.map(|of| of.path(route.path))).collect();
        let unknown: Vec<_> = paths.iter().filter(|path| path.contains('{')).collect();
        assert!(unknown.is_empty(), "nothing is made that these are about: {unknown:?}");
        paths.sort();
        paths.dedup();
        // Lists have their second halves behind a parameter.
        let halves = [
            "/app/keys/{key_id}/activity?list=requests",
            "/app/activity/mine?list=requests",
            "/app/payments?search=67890",
            "/app/payments?search=12345",
            "/app/payments?search=654321",
            "/app/payments?search=765432",
            "/app/payments/movements?user_bank_id={bank_id}",
            "/app/payments/verifications?user_bank_id={bank_id}",
            "/app/webhooks?payment_link_id={payment_link_id}",
        ];
        let is_open = |path: &str| {
            let route = route_of(&routes, "GET", path);
            routes.iter().any(|one| one.method == "GET" && Some(one.path) == route && may(one))
        };
        let halves = things.iter().flat_map(|of| halves.map(|half| of.path(half)));
        paths.extend(halves.filter(|half| is_open(half)));
        paths
    }
}

/// Things that come of that account of the test bank, and of a real one that is linked after it.
async fn of_both(
    app: &TestApp,
    bank: &SimulatedBank,
    by: By<'_>,
    account: &str,
) -> (Things, Things) {
    let [in_test, in_real] = [TEST_NAMES, REAL_NAMES]
        .map(|[_, link, paid, missing, unused]| Test { link, paid, missing, unused });
    let test = Things::made(app, by, account, in_test).await;
    let mut asked = SimulatedBank::link(testkit::bank::KEY);
    asked["description"] = json!(REAL_NAMES[0]);
    let linked = match by.client {
        Some(_) => by.key.post("/usersbank", asked).await.ok(),
        None => by.owner.post("/usersbank", asked).await.ok(),
    };
    let account = linked["userbank"]["id"].as_str().unwrap();
    bank.pay("000079912345", 7_750, Duration::ZERO);
    // A bank that has just been asked is asked again a moment later.
    let real = app.clock().flow(Things::made(app, by, account, in_real)).await;
    (test, real)
}

either_engine! {
    async fn a_new_shop_meets_no_test_money_once_its_account_is_linked(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let (owner, browser) = (app.owner().await, app.browser());
        browser.sign_in_as(&owner).await;

        // It tries the service out, and is never told that this is money.
        browser.open("/app/payments/verify").await;
        let fields = [("user_bank_id", &*owner.bank), ("bank_reference", "167890"), ("amount", "50")];
        let page = verified(&browser, &fields).await;
        assert!(page.contains("no es dinero") && page.contains("notice warn"), "{page}");
        assert!(!page.contains("es dinero nuevo") && !page.contains("notice good"), "{page}");
        browser.open("/app/links/new").await;
        let fields = [
            ("user_bank_id", &*owner.bank), ("amount", "20"), ("currency", "VEF"),
            ("description", "Café"), ("expiration_time", "1440"),
        ];
        let made = browser.send("/app/links/new", &fields).await;
        let link = browser.open(made.header("location").unwrap()).await;
        assert!(link.contains("[PRUEBA, no pague]") && !link.contains("notice good"), "{link}");
        assert!(!browser.open("/app").await.contains("name=\"mode\""));

        // With its own account linked, that is what every page is about.
        let account = bdv::link(&owner).await;
        for form in ["/app/payments/verify", "/app/links/new"] {
            let page = browser.open(form).await;
            let offered: Vec<_> = page.split("<option value=\"bank_").skip(1).collect();
            assert_eq!(offered.len(), 1, "{form}: {page}");
            assert!(page.contains(&account) && !page.contains(&owner.bank), "{form}: {page}");
        }
        for list in ["/app", "/app/payments", "/app/payments/verifications", "/app/links"] {
            let page = browser.open(list).await;
            assert!(!page.contains("167890") && !page.contains("Café"), "{list}: {page}");
        }
        // Nor does a form that was opened before, and that names an account.
        let of_links = fields;
        let verifying = [("user_bank_id", &*owner.bank), ("bank_reference", "267890")];
        let reading = [("user_bank_id", &*owner.bank), ("day", "2026-11-20")];
        for (path, fields) in [
            ("/app/payments/verify", &verifying[..]),
            ("/app/links/new", &of_links[..]),
            ("/app/payments/movements/read", &reading[..]),
        ] {
            let refused = browser.send(path, fields).await;
            assert_eq!(refused.status, 400, "{path}");
            assert!(refused.text().contains("pase primero al modo de prueba"), "{path}: {}", refused.text());
        }

        // Its first real payment is money.
        bank.pay("000079912345", 15_075, Duration::ZERO);
        browser.open("/app/payments/verify").await;
        let fields = [("user_bank_id", &*account), ("bank_reference", "79912345")];
        let page = verified(&browser, &fields).await;
        assert!(page.contains("es dinero nuevo") && page.contains("notice good"), "{page}");
        assert!(browser.open("/app").await.contains("Bs. 150,75"));

        // What it made before is there when it asks for it, and nowhere else.
        switch(&browser, "test").await;
        let links = browser.open("/app/links").await;
        assert!(links.contains(FRAME) && links.contains("Café"), "{links}");
        let home = browser.open("/app").await;
        assert!(home.contains("De prueba hoy") && !home.contains("Bs. 150,75"), "{home}");
        let other = app.browser();
        other.sign_in_as(&owner).await;
        assert!(!other.open("/app/links").await.contains("Café"));
        switch(&browser, "").await;
        assert!(!browser.open("/app/links").await.contains(FRAME));
        // Another session of the same browser does not begin in it.
        switch(&browser, "test").await;
        browser.send("/app/sign-out", &[]).await;
        browser.sign_in_as(&owner).await;
        assert!(!browser.open("/app/links").await.contains(FRAME));
    }

    async fn what_the_other_mode_shows_says_how_to_get_there(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let shop = Shop::new(&app, &bank).await;
        let browser = &shop.browser;
        let one_of = |things: &Things| -> Vec<String> {
            let is_of_both = |path: &str| OF_BOTH.iter().any(|name| path.contains(name));
            let about = |route: &PageRoute| route.path.contains('{') && !is_of_both(route.path);
            let pages = routes().into_iter().filter(|route| route.method == "GET");
            pages.filter(about).map(|route| things.path(route.path)).collect()
        };
        for (mode, things, said) in [
            ("", &shop.test, "Pasar al modo de prueba"),
            ("test", &shop.real, "Salir del modo de prueba</button>\n</form>\n</section>"),
        ] {
            switch(browser, mode).await;
            let paths = one_of(things);
            assert!(paths.len() >= 8, "{paths:?}");
            // A proof is a file about one delivery, whose body has its `livemode`.
            for path in paths.iter().filter(|path| !path.ends_with("/evidence")) {
                let page = browser.open(path).await;
                assert!(page.contains(said), "{path}: {page}");
                assert!(page.contains(&format!("name=\"next\" value=\"{path}\"")), "{path}: {page}");
            }
        }
    }

    async fn a_key_keeps_the_accounts_that_the_mode_does_not_show(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let (owner, browser) = (app.owner().await, app.browser());
        let account = bdv::link(&owner).await;
        let other = link_bank(&owner).await;
        browser.sign_in_as(&owner).await;
        let reached = async |key: &str| {
            let shown = owner.get(&format!("/api-keys/{key}")).await.ok();
            let mut kept = shown["api_key"]["user_banks"].as_array().unwrap().clone();
            kept.sort_by_key(ToString::to_string);
            kept
        };
        for (mode, hidden, marked, offered) in
            [("", &owner.bank, "es de prueba", &account), ("test", &account, "es real", &other)]
        {
            switch(&browser, mode).await;
            let key = owner.key_for(&[hidden]).await;
            let path = format!("/app/keys/{}/scope", key.id);
            let page = browser.open(&path).await;
            assert!(page.contains("value=\"selected\" checked"), "{page}");
            assert!(page.contains(&format!("name=\"user_banks\" value=\"{hidden}\" checked")), "{page}");
            assert!(page.contains(marked), "{page}");
            assert!(page.contains(&format!("name=\"user_banks\" value=\"{offered}\" autocomplete")), "{page}");
            // What the key does not reach of the other mode is not offered.
            let hides = browser.open(&format!("/app/keys/{}/scope", owner.key_for(&[offered]).await.id)).await;
            assert!(!hides.contains(&**hidden), "{hides}");
            let send = async |banks: &[&str]| {
                browser.open(&path).await;
                let mut fields = vec![("client_owner_id", ""), ("accounts", "selected"), ("user_banks", "")];
                fields.extend(banks.iter().map(|bank| ("user_banks", *bank)));
                browser.send(&path, &fields).await.status
            };
            assert_eq!(send(&[hidden]).await, 303);
            assert_eq!(reached(&key.id).await, [json!(hidden)]);
            assert_eq!(send(&[hidden, offered]).await, 303);
            let mut both = vec![json!(hidden), json!(offered)];
            both.sort_by_key(ToString::to_string);
            assert_eq!(reached(&key.id).await, both);
            assert_eq!(send(&[offered]).await, 303);
            assert_eq!(reached(&key.id).await, [json!(offered)]);
        }
    }

    async fn links_that_miss_a_rate_are_those_of_the_mode(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let (owner, browser) = (app.owner().await, app.browser());
        browser.sign_in_as(&owner).await;
        let in_currency = |currency: &str| json!({ "amount": 10, "currency": currency, "expiration_time": -1 });
        make(&owner.key, &owner.bank, in_currency("USD")).await;
        let says = async |currency: &str| browser.open("/app").await.contains(&format!("{currency}: no hay tasa"));
        assert!(says("USD").await);
        let account = bdv::link(&owner).await;
        make(&owner.key, &account, in_currency("EUR")).await;
        assert_eq!((says("USD").await, says("EUR").await), (false, true));
        switch(&browser, "test").await;
        assert_eq!((says("USD").await, says("EUR").await), (true, false));
    }
}
