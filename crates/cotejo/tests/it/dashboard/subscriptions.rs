//! The pages of subscriptions.

use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::employee::PASSWORD;
use testkit::{Browser, Owner, Response, Setup, TestApp, both_engines, either_engine};

use super::test_mode::switch;
use crate::bdv;
use crate::pay::paid_with;
use crate::subscriptions::{begin, day_comes, details, id, link_of, make};

/// The form of a new subscription.
pub(super) const NEW: &str = "/app/subscriptions/new";

/// Returns the fields of a new subscription's form, filled in: each month, paid when it begins.
pub(super) fn filled(owner: &Owner) -> Vec<(&str, &str)> {
    vec![
        ("customer_name", "Ana Pérez"),
        ("customer_phone", "0414-1234567"),
        ("customer_reference", "C-7"),
        ("product_name", "Gimnasio <b>"),
        ("amount", "150,75"),
        ("currency", "VEF"),
        ("user_bank_id", &owner.bank),
        ("period_count", "1"),
        ("period_unit", "month"),
        ("pay_first", "yes"),
    ]
}

/// Returns the path that an answer leads to, without the message there.
pub(super) fn leads_to(answer: &Response) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    let location = answer.header("location").expect("a way on");
    location.split('?').next().unwrap_or_default().to_owned()
}

pub(super) fn path_of(id: &str) -> String {
    format!("/app/subscriptions/{id}")
}

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

async fn signed_in(app: &TestApp, email: &str) -> Browser {
    let browser = app.browser();
    browser.sign_in(email, PASSWORD).await;
    browser
}

/// Presses the button of a form of that subscription's page.
async fn press(browser: &Browser, path: &str, act: &str) {
    browser.open(path).await;
    assert_eq!(leads_to(&browser.send(&format!("{path}/{act}"), &[]).await), path, "{act}");
}

either_engine! {
    async fn a_subscription_is_made_found_shared_and_paid(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(browser.open("/app/subscriptions").await.contains("class=\"empty\""));
        browser.open(NEW).await;
        let path = leads_to(&browser.send(NEW, &filled(&owner)).await);
        let of = details(&owner.key, id_of(&path)).await;
        assert_eq!((&of["status"], &of["uniqueClient"]["clientCode"]), (&json!("pending"), &json!("C-7")));
        assert_eq!((&of["leadDays"], &of["graceDays"], &of["cycles"]), (&json!(3), &json!(3), &Value::Null));

        let page = browser.open(&format!("{path}?made")).await;
        let url = of["paymentLinkUrl"].as_str().unwrap();
        assert!(page.contains("Envíe el enlace") && page.contains(&format!("data-copy=\"{url}\"")), "{page}");
        // The message goes to the customer's phone, and says what is owed.
        assert!(page.contains("href=\"https://wa.me/584141234567?text="), "{page}");
        assert!(page.contains("del 20/11/2026 al 19/12/2026") && page.contains("Bs. 150,75 cada mes"), "{page}");
        assert!(page.contains(">Falta el primer pago<") && !page.contains("Gimnasio <b>"), "{page}");
        let link = of["paymentLinkId"].as_str().unwrap();
        assert!(page.contains(&format!("href=\"/app/links/{link}\"")), "{page}");

        let list = browser.open("/app/subscriptions?search=p%C3%A9rez&status=pending").await;
        for part in [&*path, "Ana Pérez", "cada mes", "Bs. 150,75", ">20/11/2026<", "Falta el primer pago"] {
            assert!(list.contains(part), "{part}: {list}");
        }
        for other in ["search=nada", "status=active", "status=completed"] {
            let list = browser.open(&format!("/app/subscriptions?{other}")).await;
            assert!(!list.contains(&path) && list.contains("Quitar los filtros"), "{other}: {list}");
        }

        paid_with(&app.nobody(), link, "167890").await;
        let page = browser.open(&path).await;
        assert!(page.contains(">Al día<") && page.contains(">Pagado<") && page.contains("20/12/2026"), "{page}");
        assert!(!page.contains("id=\"share\""), "{page}");
        assert!(browser.open("/app/subscriptions?status=active").await.contains(&path));
    }

    async fn a_form_that_is_sent_twice_makes_one_subscription(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(NEW).await;
        let (_, rest) = page.split_once("name=\"once\" value=\"").unwrap();
        let (once, _) = rest.split_once('"').unwrap();
        let mut fields = filled(&owner);
        fields.push(("once", once));
        let first = leads_to(&browser.send(NEW, &fields).await);
        let second = leads_to(&browser.send(NEW, &fields).await);
        assert_eq!(first, second);
        assert_eq!(app.database().number("select count(*) from subscriptions"), 1);
    }

    async fn the_terms_that_are_typed_are_those_of_the_subscription(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(NEW).await;
        let mut fields = filled(&owner);
        fields.retain(|(name, _)| !["period_count", "pay_first", "currency"].contains(name));
        fields.extend([
            ("period_count", "2"),
            ("pay_first", "no"),
            ("currency", "USD"),
            ("start_date", "2026-12-31"),
            ("anchor_day", "31"),
            ("cycles", "6"),
            ("trial_days", "1"),
            ("lead_days", "0"),
            ("grace_days", "10"),
            ("customer_email", "ana@correo.example"),
            ("reminders", ""),
            ("reminders", "0"),
            ("reminders", "7"),
        ]);
        let path = leads_to(&browser.send(NEW, &fields).await);
        let of = details(&owner.key, id_of(&path)).await;
        for (field, value) in [
            ("startDate", json!("2027-01-31")),
            ("anchorDay", json!(31)),
            ("periodCount", json!(2)),
            ("payFirst", json!(false)),
            ("currency", json!("USD")),
            ("cycles", json!(6)),
            ("isTrialing", json!(true)),
            ("leadDays", json!(0)),
            ("graceDays", json!(10)),
            ("reminderDays", json!([0, 7])),
        ] {
            assert_eq!(of[field], value, "{field}");
        }
        let page = browser.open(&path).await;
        assert!(page.contains("El primer período empieza el 31/01/2027.") && page.contains("0 de 6"), "{page}");
        assert!(page.contains("USD 150,75 cada 2 meses"), "{page}");
        assert!(page.contains("el día de pago, 7 días después") && page.contains("ana@correo.example"), "{page}");
    }

    async fn a_new_subscription_has_the_usual_reminders_ticked_and_as_few_as_are_left(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(NEW).await;
        for day in ["-3", "0", "1", "3", "7"] {
            let box_of_it = format!("name=\"reminders\" value=\"{day}\" checked");
            assert!(page.contains(&box_of_it), "{day}: {page}");
        }
        let mut fields = filled(&owner);
        fields.push(("reminders", ""));
        let path = leads_to(&browser.send(NEW, &fields).await);
        assert_eq!(details(&owner.key, id_of(&path)).await["reminderDays"], json!([]));
        let page = browser.open(&path).await;
        assert!(page.contains("<dt>Recordatorios</dt><dd><bdi>Ninguno</bdi></dd>"), "{page}");
    }

    async fn what_is_wrong_with_a_new_subscription_stands_beside_its_fields(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let wrong = async |typed: &[(&str, &str)]| {
            browser.open(NEW).await;
            let is_typed = |name: &str| typed.iter().any(|(one, _)| *one == name);
            let kept = filled(&owner).into_iter().filter(|(name, _)| !is_typed(name));
            let fields: Vec<(&str, &str)> = kept.chain(typed.iter().copied()).collect();
            let answer = browser.send(NEW, &fields).await;
            assert_eq!(answer.status, 400, "{typed:?}");
            let page = answer.text();
            for (name, text) in typed {
                assert!(page.contains(&format!("id=\"{name}-wrong\"")), "{name}: {page}");
                let is_shown = page.contains(&format!("value=\"{text}\"")) || *name == "period_unit";
                assert!(is_shown, "{name} is not kept: {page}");
            }
            // What is right is kept beside it.
            assert!(page.contains("value=\"0414-1234567\"") && page.contains("value=\"C-7\""), "{page}");
        };
        wrong(&[
            ("customer_name", ""),
            ("customer_email", "nadie"),
            ("amount", "0"),
            ("cycles", "0"),
            ("grace_days", "61"),
            ("webhook_url", "javascript:alert(1)"),
        ])
        .await;
        wrong(&[("period_count", "61")]).await;
        wrong(&[("start_date", "2026-11-19")]).await;
        wrong(&[("anchor_day", "32")]).await;
        wrong(&[("period_unit", "fortnight")]).await;
        browser.open(NEW).await;
        let mut fields = filled(&owner);
        fields.retain(|(name, _)| *name != "period_unit");
        fields.extend([("period_unit", "week"), ("anchor_day", "5")]);
        let page = browser.send(NEW, &fields).await.text();
        assert!(page.contains("id=\"anchor_day-wrong\"") && page.contains("<details class=\"field\" open>"), "{page}");
        assert_eq!(app.database().number("select count(*) from subscriptions"), 0);
    }
}

either_engine! {
    async fn a_subscription_is_paused_resumed_and_priced(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "pay_first": false })).await);
        let path = path_of(&of);
        press(&browser, &path, "pause").await;
        let page = browser.open(&format!("{path}?done=pause")).await;
        assert!(page.contains("Pausada desde") && page.contains("Se pausa el 20/12/2026."), "{page}");
        assert!(page.contains("/resume\"") && !page.contains("/pause\""), "{page}");
        press(&browser, &path, "resume").await;
        let page = browser.open(&path).await;
        assert!(!page.contains("Se pausa el") && page.contains("/pause\""), "{page}");

        let price = format!("{path}/price");
        let wrong = browser.send(&price, &[("amount", "x")]).await;
        assert_eq!(wrong.status, 400);
        assert!(wrong.text().contains("id=\"amount-wrong\"") && wrong.text().contains("value=\"x\""));
        browser.open(&path).await;
        assert_eq!(leads_to(&browser.send(&price, &[("amount", "200,5")]).await), path);
        let page = browser.open(&path).await;
        assert!(page.contains("Bs. 200,50 cada mes") && page.contains("value=\"200,50\""), "{page}");
        assert_eq!(details(&owner.key, &of).await["uniqueProduct"]["productPrice"], 200.5);
        // Sent as it stands, it asks for nothing.
        let lines = "select count(*) from audit";
        let before = app.database().number(lines);
        assert_eq!(leads_to(&browser.send(&price, &[("amount", "200,50")]).await), path);
        assert_eq!(app.database().number(lines), before);
    }

    async fn a_subscription_is_canceled_at_its_periods_end_kept_and_canceled_at_once(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "pay_first": false })).await);
        let path = path_of(&of);
        press(&browser, &path, "cancel-at-end").await;
        assert_eq!(details(&owner.key, &of).await["cancelAtPeriodEnd"], true);
        let page = browser.open(&path).await;
        assert!(page.contains("Se anula el 20/12/2026.") && page.contains("/undo-cancel\""), "{page}");
        assert!(!page.contains("/cancel-at-end\"") && !page.contains("/pause\""), "{page}");
        press(&browser, &path, "undo-cancel").await;
        assert_eq!(details(&owner.key, &of).await["cancelAtPeriodEnd"], false);
        // There is nothing more to undo, which is no error.
        assert_eq!(browser.send(&format!("{path}/undo-cancel"), &[]).await.status, 303);

        let cancel = format!("{path}/cancel");
        let unconfirmed = browser.send(&cancel, &[("cancel_sure", "")]).await;
        assert_eq!(unconfirmed.status, 400);
        assert!(unconfirmed.text().contains("id=\"cancel_sure-wrong\""));
        assert_eq!(details(&owner.key, &of).await["status"], "active");
        let sure = [("cancel_sure", ""), ("cancel_sure", "yes")];
        assert_eq!(leads_to(&browser.send(&cancel, &sure).await), path);
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
        let page = browser.open(&path).await;
        assert!(page.contains(">Anulada<") && !page.contains("id=\"acts\""), "{page}");
        let late = browser.send(&format!("{path}/pause"), &[]).await;
        // People read nothing of calls.
        assert!(late.status == 409 && late.text().contains("La suscripción terminó") && !late.text().contains("POST /"), "{late:?}");
    }

    async fn the_page_of_the_payer_is_shared_renewed_and_replaced(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let made = make(&owner.key, &owner.bank, json!({ "pay_first": false })).await;
        let (path, url) = (path_of(&id(&made)), made["payerUrl"].as_str().unwrap().to_owned());
        let page = browser.open(&path).await;
        assert!(page.contains(&format!("data-copy=\"{url}\"")) && page.contains("Abre hasta el"), "{page}");
        assert!(page.contains("wa.me/584120000000?text=") && page.contains("suscripcion/"), "{page}");
        press(&browser, &path, "payer-page").await;
        assert!(browser.open(&format!("{path}?done=payer-page")).await.contains("30 días desde hoy"));
        let replace = format!("{path}/payer-page/replace");
        let unsure = browser.send(&replace, &[("replace_sure", "")]).await;
        assert!(unsure.status == 400 && unsure.text().contains("id=\"replace_sure-wrong\""), "{unsure:?}");
        assert!(browser.open(&path).await.contains(&url));
        let sure = [("replace_sure", ""), ("replace_sure", "yes")];
        assert_eq!(leads_to(&browser.send(&replace, &sure).await), path);
        assert!(!browser.open(&path).await.contains(&url));
    }

    async fn a_period_that_nobody_paid_in_time_gets_another_link(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let more = json!({ "pay_first": false, "subscriptionPeriodType": "day", "graceDays": 0, "cycles": 1 });
        let of = id(&make(&owner.key, &owner.bank, more).await);
        let path = path_of(&of);
        day_comes(&app, "2026-11-21").await;
        let first = link_of(&owner.key, &of, 1).await;
        assert!(browser.open(&path).await.contains("id=\"share\""));
        day_comes(&app, "2026-11-22").await;
        let page = browser.open(&path).await;
        assert!(page.contains(">Atrasada<") && page.contains(">Sin pagar a tiempo<") && !page.contains("id=\"share\""), "{page}");
        assert!(page.contains(&format!("action=\"{path}/cycles/1/link\"")), "{page}");
        press(&browser, &path, "cycles/1/link").await;
        let second = link_of(&owner.key, &of, 1).await;
        assert_ne!(first, second);
        let page = browser.open(&path).await;
        assert!(page.contains(&second) && page.contains("id=\"share\"") && !page.contains("/cycles/1/link\""), "{page}");
        for cycle in ["0", "2", "x"] {
            let none = browser.send(&format!("{path}/cycles/{cycle}/link"), &[]).await;
            assert_eq!(none.status, 404, "{cycle}");
        }
    }
}

either_engine! {
    async fn the_clock_of_a_test_subscription_is_set_ahead_on_its_page(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "pay_first": false })).await);
        let (path, clock) = (path_of(&of), format!("{}/clock", path_of(&of)));
        let page = browser.open(&path).await;
        assert!(page.contains("Marca 20/11/2026, 08:00."), "{page}");
        assert!(page.contains("value=\"30\">Adelantar hasta el próximo día de pago: 20/12/2026<"), "{page}");
        let answer = browser.send(&clock, &[("days", "30")]).await;
        assert_eq!(answer.header("location"), Some(&*format!("{path}?done=clock")));
        let page = browser.open(&format!("{path}?done=clock")).await;
        assert!(page.contains("El reloj se adelantó") && page.contains("Marca 20/12/2026, 08:00."), "{page}");
        assert!(page.contains(">Por pagar<") && page.contains("value=\"31\">"), "{page}");
        browser.open(&path).await;
        assert_eq!(leads_to(&browser.send(&clock, &[("to", "2026-12-24")]).await), path);
        let page = browser.open(&path).await;
        assert!(page.contains(">Atrasada<") && page.contains(">Sin pagar a tiempo<"), "{page}");
        for (typed, kept) in [("2026-12-01", "2026-12-01"), ("mañana", "mañana"), ("", "")] {
            let wrong = browser.send(&clock, &[("to", typed)]).await;
            assert_eq!(wrong.status, 400, "{typed}");
            let page = wrong.text();
            assert!(page.contains("id=\"to-wrong\"") && page.contains(&format!("type=\"date\" value=\"{kept}\"")), "{page}");
        }
        browser.open(&path).await;
        let sure = [("cancel_sure", ""), ("cancel_sure", "yes")];
        assert_eq!(leads_to(&browser.send(&format!("{path}/cancel"), &sure).await), path);
        assert!(!browser.open(&path).await.contains("Reloj de prueba"));

        // Whoever may only read sets no clock.
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        let reader = signed_in(&app, &owner.employee(4, &["subscriptions:read"]).await.email).await;
        assert!(!reader.open(&path_of(&of)).await.contains("Reloj de prueba"));
        assert_eq!(reader.send(&format!("{}/clock", path_of(&of)), &[("days", "1")]).await.status, 403);
    }

    async fn the_page_of_real_money_has_no_clock(setup: Setup) {
        let (_bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        let path = path_of(&id(&make(&owner.key, &account, json!({})).await));
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(!browser.open(&path).await.contains("Reloj de prueba"));
        let refused = browser.send(&format!("{path}/clock"), &[("days", "1")]).await;
        assert!(refused.status == 409 && refused.text().contains("dinero real"), "{refused:?}");
    }

    async fn an_employee_sees_what_its_rights_let_it_see(app: TestApp) {
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        let (path, menu) = (path_of(&of), "href=\"/app/subscriptions\"");
        let without = signed_in(&app, &owner.employee(1, &["payment_links:read"]).await.email).await;
        let page = without.open("/app/links").await;
        assert!(!page.contains(menu), "{page}");
        for hidden in ["/app/subscriptions", NEW, &*path] {
            assert_eq!(without.get(hidden).await.status, 403, "{hidden}");
        }
        let reader = signed_in(&app, &owner.employee(2, &["subscriptions:read"]).await.email).await;
        let list = reader.open("/app/subscriptions").await;
        assert!(list.contains(menu) && list.contains(&path) && !list.contains(NEW), "{list}");
        let page = reader.open(&path).await;
        // It sees no links, and does nothing.
        for hidden in ["id=\"acts\"", "/cycles/1/link\"", "/cycles/1/waive\"", "href=\"/app/links", "/suscripcion/", "/payer-page\""] {
            assert!(!page.contains(hidden), "{hidden}: {page}");
        }
        assert_eq!(reader.send(&format!("{path}/pause"), &[]).await.status, 403);
        let writer = signed_in(&app, &owner.employee(3, &["subscriptions:write"]).await.email).await;
        assert!(writer.open(&path).await.contains("/cancel\""));
        writer.open(NEW).await;
        leads_to(&writer.send(NEW, &filled(&owner)).await);
    }

    async fn test_mode_alone_shows_subscriptions_of_the_test_bank(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        let path = path_of(&of);
        // While there is nothing else it is shown, marked.
        let list = browser.open("/app/subscriptions").await;
        assert!(list.contains(&path) && list.contains(">Prueba<"), "{list}");
        let page = browser.open(&path).await;
        assert!(page.contains("PRUEBA, no pague") && !page.contains("notice good"), "{page}");
        let account = bdv::link(&owner).await;
        assert!(!browser.open("/app/subscriptions").await.contains(&path));
        assert!(browser.open(&path).await.contains("Pasar al modo de prueba"));
        let page = browser.open(NEW).await;
        assert!(page.contains(&account) && !page.contains(&owner.bank), "{page}");
        let refused = browser.send(NEW, &filled(&owner)).await;
        assert!(refused.status == 400 && refused.text().contains("pase primero al modo de prueba"), "{refused:?}");
        switch(&browser, "test").await;
        assert!(browser.open("/app/subscriptions").await.contains(&path));
        assert!(browser.open(&path).await.contains("[PRUEBA, no pague]"));
    }
}

both_engines! {
    async fn a_clients_person_sees_its_clients_own_alone(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let bank = key.link_bank().await;
        let own = path_of(&id(&make(&key, &bank, json!({})).await));
        // On the account of the client, by the owner.
        let of_owner = path_of(&id(&make(&owner.key, &bank, json!({})).await));
        let person = signed_in(&app, &owner.client_employee(&client, 1).await.email).await;
        let list = person.open("/app/subscriptions").await;
        assert!(list.contains(&own) && !list.contains(&of_owner), "{list}");
        assert!(person.open(&own).await.contains("/cancel\""));
        assert_eq!(person.get(&of_owner).await.status, 404);
        let price = [("amount", "5")];
        for (form, fields) in [
            ("pause", &[][..]),
            ("resume", &[]),
            ("undo-cancel", &[]),
            ("cancel-at-end", &[]),
            ("cancel", &[("cancel_sure", "yes")]),
            ("price", &price),
            ("unpaid-policy", &[("unpaid_policy", "end")]),
            ("cycles/1/link", &[]),
            ("cycles/1/waive", &[("waive_sure", "yes")]),
            ("payer-page", &[]),
            ("payer-page/replace", &[("replace_sure", "yes")]),
        ] {
            assert_eq!(person.send(&format!("{of_owner}/{form}"), fields).await.status, 404, "{form}");
        }
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let list = browser.open("/app/subscriptions").await;
        assert!(list.contains(&own) && list.contains(&of_owner), "{list}");
        // Who may take no payments has no subscriptions.
        let closed = owner.client(false).await;
        let other = signed_in(&app, &owner.client_employee(&closed, 2).await.email).await;
        assert_eq!(other.get("/app/subscriptions").await.status, 403);
        assert!(!other.open("/app").await.contains("href=\"/app/subscriptions\""));
    }
}
