//! The pages of payment links.

use domain::bank_text::BankText;
use domain::ids::{BankId, MovementId, OwnerId};
use domain::matching::{PayerFacts, Sighting};
use domain::money::Bolivars;
use domain::reference::BankReference;
use domain::time::CaracasDate;
use serde_json::json;
use store::{Lane, Meter, accounts, movements};
use testkit::{Browser, Owner, Response, TestApp, either_engine};

/// Returns the fields of a new link's form, filled in.
fn filled<'a>(owner: &'a Owner, amount: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("amount", amount),
        ("currency", "VEF"),
        ("description", "Pedido 7 <b>"),
        ("user_bank_id", &owner.bank),
        ("expiration_time", "1440"),
    ]
}

/// Returns the path that an answer leads to, without the message there.
fn leads_to(answer: &Response) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    let location = answer.header("location").expect("a way on");
    location.split('?').next().unwrap_or_default().to_owned()
}

/// Makes a link by the form, and answers its page's path.
async fn make(browser: &Browser, owner: &Owner, amount: &str) -> String {
    browser.open("/app/links/new").await;
    leads_to(&browser.send("/app/links/new", &filled(owner, amount)).await)
}

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

async fn status(owner: &Owner, path: &str) -> String {
    // By the key, which goes on where a session's token has run out.
    let info = owner.key.get(&format!("/paymentlink/{}/info", id_of(path))).await.ok();
    info["data"]["payment_link"]["status"].as_str().unwrap().to_owned()
}

/// The bank has shown that movement, and nobody has claimed it.
pub(super) async fn shown(
    app: &TestApp,
    owner: &Owner,
    reference: &str,
    hundredths: i64,
) -> String {
    let (use_cases, now) = (app.app(), app.now());
    let (of, bank): (OwnerId, BankId) = (owner.id.parse().unwrap(), owner.bank.parse().unwrap());
    let id = MovementId::new(use_cases.ids.as_ref(), now);
    let seen = Sighting {
        reference: BankReference::parse(reference).unwrap(),
        bank_key: None,
        amount: Bolivars::from_hundredths(hundredths),
        paid_on: CaracasDate::of(now),
        paid_at: None,
        payer: PayerFacts::default(),
        description: BankText::default(),
    };
    let meter = Meter::default();
    let write = use_cases.store.write(&meter, Lane::Admission, of, move |tx| {
        let account = accounts::find(tx, of, bank)?.unwrap();
        movements::insert(tx, of, account.identity, &seen.clone().into_movement(id), now)
    });
    write.await.unwrap();
    id.to_string()
}

either_engine! {
    async fn an_amount_is_not_changed_into_another_currency_than_its_person_saw(app: TestApp) {
        let owner = app.owner().await;
        let (one, other) = (app.browser(), app.browser());
        one.sign_in_as(&owner).await;
        other.sign_in_as(&owner).await;
        let link = make(&one, &owner, "20,00").await;
        let change = format!("{link}/change");
        let fields = |amount, currency| [("amount", amount), ("currency", currency), ("description", "Pedido 7 <b>")];
        one.open(&change).await;
        other.open(&change).await;
        let saved = other.send(&change, &fields("20,00", "USD")).await;
        assert_eq!(saved.status, 303, "{}", saved.text());
        // The number is no other than it was shown, and yet it would be fifty dollars.
        let refused = one.send(&change, &fields("50,00", "VEF")).await;
        assert_eq!(refused.status, 409, "{}", refused.text());
        let info = owner.get(&format!("/paymentlink/{}/info", id_of(&link))).await.ok();
        let kept = &info["data"]["payment_link"];
        assert_eq!((&kept["amount"], &kept["currency"]), (&json!(20.0), &json!("USD")));
        // What stands beside it is changed by its person alone.
        one.open(&change).await;
        other.open(&change).await;
        other.send(&change, &fields("20,00", "VEF")).await;
        let saved = one.send(&change, &[("amount", "20,00"), ("currency", "USD"), ("description", "Pedido 8")]).await;
        assert_eq!(saved.status, 303, "{}", saved.text());
    }

    async fn a_link_is_made_found_shared_and_paid(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(browser.open("/app/links").await.contains("class=\"empty\""));
        let path = make(&browser, &owner, "1.234,50").await;
        let info = owner.get(&format!("/paymentlink/{}/info", id_of(&path))).await.ok();
        let link = &info["data"]["payment_link"];
        assert_eq!((&link["type"], &link["amount"]), (&json!("dashboard"), &json!(1234.5)));

        let page = browser.open(&path).await;
        let url = link["url"].as_str().unwrap();
        assert!(page.contains("Bs. 1.234,50") && page.contains(&format!("data-copy=\"{url}\"")), "{page}");
        assert!(page.contains("href=\"https://wa.me/?text=") && page.contains("href=\"mailto:?subject="));
        assert!(page.contains("<svg") && !page.contains("Pedido 7 <b>"));
        // Payers are not shown an address that somebody signs in with.
        assert!(!page.contains(&format!("{}: Pedido", owner.email)), "{page}");

        let list = browser.open("/app/links?search=pedido&status=pending&type=dashboard").await;
        assert!(list.contains(&path), "{list}");
        for other in ["search=nada", "status=paid", "type=api"] {
            assert!(!browser.open(&format!("/app/links?{other}")).await.contains(&path), "{other}");
        }

        let pay = format!("/pay/{}", id_of(&path));
        let form = |reference: &str| format!("reference={reference}&seen=123450");
        for reference in ["111111", "1167890"] {
            let call = app.nobody().request("POST", &pay);
            let call = call.header("content-type", "application/x-www-form-urlencoded");
            call.body(form(reference)).send().await;
            // Ids of one instant have no order.
            app.clock().advance(std::time::Duration::from_secs(1));
        }
        let page = browser.open(&path).await;
        assert!(page.contains(">Pagado<") && page.contains(">No aparece<") && page.contains("111111"), "{page}");
        assert!(!page.contains("wa.me"));
        // What was paid and what was refused say why.
        let refused = page.split("href=\"/app/payments/verifications/").last().unwrap();
        let refused = format!("/app/payments/verifications/{}", refused.split('"').next().unwrap());
        let why = browser.open(&refused).await;
        assert!(why.contains("no muestra ningún movimiento") && why.contains(&path), "{why}");
        // What is verified by hand would pay no link.
        assert!(why.contains("No la verifique a mano") && !why.contains("?user_bank_id="), "{why}");
    }

    async fn a_form_that_is_sent_twice_makes_one_link(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open("/app/links/new").await;
        let (_, rest) = page.split_once("name=\"once\" value=\"").unwrap();
        let (once, _) = rest.split_once('"').unwrap();
        let mut fields = filled(&owner, "5");
        fields.push(("once", once));
        let first = leads_to(&browser.send("/app/links/new", &fields).await);
        let second = leads_to(&browser.send("/app/links/new", &fields).await);
        assert_eq!(first, second);
        assert_eq!(app.database().number("select count(*) from payment_links"), 1);
    }

    async fn a_link_is_stopped_resumed_changed_called_off_and_rejected(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = make(&browser, &owner, "10").await;
        for (act, expected) in [("stop", "stopped"), ("resume", "pending")] {
            assert_eq!(leads_to(&browser.send(&format!("{path}/{act}"), &[]).await), path);
            assert_eq!(status(&owner, &path).await, expected);
        }
        let change = format!("{path}/change");
        assert!(browser.open(&change).await.contains("value=\"10,00\""));
        let fields = [("amount", "x"), ("currency", "VEF"), ("description", "Pedido 8")];
        let wrong = browser.send(&change, &fields).await;
        assert_eq!(wrong.status, 400);
        assert!(wrong.text().contains("id=\"amount-wrong\"") && wrong.text().contains("Pedido 8"));
        let fields = [("amount", "20,5"), ("currency", "USD"), ("description", "Pedido 8")];
        assert_eq!(leads_to(&browser.send(&change, &fields).await), path);
        let page = browser.open(&path).await;
        assert!(page.contains("USD 20,50") && page.contains("Pedido 8"), "{page}");

        let cancel = format!("{path}/cancel");
        let unconfirmed = browser.send(&cancel, &[("cancel_sure", "")]).await;
        assert_eq!(unconfirmed.status, 400);
        assert!(unconfirmed.text().contains("id=\"cancel_sure-wrong\""));
        assert_eq!(status(&owner, &path).await, "pending");
        let sure = [("cancel_sure", ""), ("cancel_sure", "yes")];
        assert_eq!(leads_to(&browser.send(&cancel, &sure).await), path);
        assert_eq!(status(&owner, &path).await, "canceled");
        let late = browser.send(&format!("{path}/stop"), &[]).await;
        assert_eq!(late.status, 409);

        let path = make(&browser, &owner, "10").await;
        let fields = [("reject_sure", "yes"), ("status_detail", "Sin existencias")];
        assert_eq!(leads_to(&browser.send(&format!("{path}/reject"), &fields).await), path);
        assert_eq!(status(&owner, &path).await, "failed");
        assert!(browser.open(&path).await.contains("Sin existencias"));
    }

    async fn money_that_came_late_is_accepted_by_a_person(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = make(&browser, &owner, "150,75").await;
        let accept = format!("{path}/accept");
        assert!(browser.open(&accept).await.contains("class=\"empty\""));
        let other = shown(&app, &owner, "7654320", 15_076).await;
        let movement = shown(&app, &owner, "7654321", 15_075).await;
        app.clock().advance(std::time::Duration::from_secs(25 * 60 * 60));
        assert_eq!(status(&owner, &path).await, "expired");
        let page = browser.open(&accept).await;
        assert!(page.contains(&movement) && page.contains("7654321") && !page.contains(&other), "{page}");

        let none = browser.send(&accept, &[("movement_id", "")]).await;
        assert_eq!(none.status, 400);
        let wrong = browser.send(&accept, &[("movement_id", ""), ("movement_id", &other)]).await;
        assert_eq!(wrong.status, 400);
        assert_eq!(leads_to(&browser.send(&accept, &[("movement_id", &movement)]).await), path);
        assert_eq!(status(&owner, &path).await, "paid");
        // It pays nothing else.
        assert!(!browser.open(&accept).await.contains(&movement));
    }

    async fn who_may_accept_and_sees_no_links_is_shown_that_it_is_paid(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = make(&browser, &owner, "150,75").await;
        let movement = shown(&app, &owner, "7654321", 15_075).await;
        let luis = owner.employee(1, &["payments:write"]).await;
        let other = app.browser();
        other.sign_in(&luis.email, testkit::employee::PASSWORD).await;
        assert!(other.get(&path).await.text().contains("No está a su alcance"));
        let accept = format!("{path}/accept");
        let page = other.open(&accept).await;
        assert!(page.contains(&movement) && !page.contains(&format!("href=\"{path}\"")), "{page}");
        let saved = format!("{accept}?saved");
        let done = other.send(&accept, &[("movement_id", &movement)]).await;
        assert_eq!((done.status, done.header("location")), (303, Some(&*saved)));
        assert!(other.open(&saved).await.contains("Pagado: el dinero"));
        assert_eq!(status(&owner, &path).await, "paid");
        // Nobody is offered what it may not: he who only reads does not verify.
        let eva = owner.employee(2, &["payments:read"]).await;
        let reader = app.browser();
        reader.sign_in(&eva.email, testkit::employee::PASSWORD).await;
        for page in ["/app/payments", "/app/payments?search=7654321"] {
            assert!(!reader.open(page).await.contains("/app/payments/verify"), "{page}");
        }
    }

    async fn settings_of_links_are_kept(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = "/app/links/settings";
        browser.open(path).await;
        let wrong = browser.send(path, &[("max_attempts", "21"), ("announce_expiry", "no")]).await;
        assert_eq!(wrong.status, 400);
        assert!(wrong.text().contains("id=\"max_attempts-wrong\""));
        let fields = [("max_attempts", "5"), ("announce_expiry", "yes")];
        assert_eq!(leads_to(&browser.send(path, &fields).await), path);
        let kept = owner.get("/v1/payment-link-settings").await.ok();
        assert_eq!((&kept["max_attempts"], &kept["announce_expiry"]), (&json!(5), &json!(true)));
        assert!(browser.open(path).await.contains("value=\"5\""));
        let fields = [("max_attempts", ""), ("announce_expiry", "no")];
        browser.send(path, &fields).await;
        assert_eq!(owner.get("/v1/payment-link-settings").await.ok()["max_attempts"], json!(null));
    }

    async fn links_of_others_are_not_there(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (browser, other) = (app.browser(), app.browser());
        browser.sign_in_as(&owner).await;
        other.sign_in_as(&stranger).await;
        let path = make(&browser, &owner, "10").await;
        other.open("/app/links/new").await;
        for page in ["", "/change", "/accept"] {
            assert_eq!(other.get(&format!("{path}{page}")).await.status, 404, "{page}");
        }
        let changed = [("amount", "1"), ("currency", "VEF"), ("description", "x")];
        for (form, fields) in [
            ("/stop", &[][..]),
            ("/cancel", &[("cancel_sure", "yes")]),
            ("/reject", &[("reject_sure", "yes")]),
            ("/change", &changed),
            ("/accept", &[("movement_id", "mov_00000000000000000000000000")]),
        ] {
            assert_eq!(other.send(&format!("{path}{form}"), fields).await.status, 404, "{form}");
        }
        let foreign = other.send("/app/links/new", &filled(&owner, "5")).await;
        assert_eq!(foreign.status, 404);
        assert_eq!(status(&owner, &path).await, "pending");
    }
}

either_engine! {
    async fn what_is_wrong_with_a_new_link_stands_beside_its_fields(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open("/app/links/new").await;
        let fields = [
            ("amount", "0"),
            ("currency", "BTC"),
            ("description", ""),
            ("user_bank_id", &*owner.bank),
            ("expiration_time", "7"),
            ("redirect_url", "javascript:alert(1)"),
        ];
        let answer = browser.send("/app/links/new", &fields).await;
        assert_eq!(answer.status, 400);
        let page = answer.text();
        for name in ["amount", "currency", "description", "expiration_time", "redirect_url"] {
            assert!(page.contains(&format!("id=\"{name}-wrong\"")), "{name}");
        }
        assert!(page.contains("<details class=\"field\" open>"));
    }

    async fn an_employee_who_reads_links_sees_no_forms_and_no_references(app: TestApp) {
        let owner = app.owner().await;
        let employee = owner.employee(1, &["payment_links:read"]).await;
        let (browser, reader) = (app.browser(), app.browser());
        browser.sign_in_as(&owner).await;
        let path = make(&browser, &owner, "10").await;
        reader.sign_in(&employee.email, testkit::employee::PASSWORD).await;
        let page = reader.open(&path).await;
        let forms = ["/stop\"", "/cancel\"", "/reject\"", "/accept\"", "/change\"", "id=\"attempts\""];
        for form in forms {
            assert!(!page.contains(form), "{form}");
        }
        assert!(!reader.open("/app/links").await.contains("/app/links/new"));
    }
}
