//! `/suscripcion/{address}`: what the payer of a subscription sees and does, and the call that gives the address out.

use serde_json::{Value, json};
use testkit::{Owner, Principal, Setup, TestApp, both_engines, either_engine};

use super::{act, begin, cycles, day_comes, details, id, link_of, make};
use crate::pay::{begin_slowly, form, paid_with, said, send, status, text};
use crate::receipts::receipts;
use crate::slow_bank::SLOW;

/// How heavy the page may be.
const PAGE_MAX: usize = 15 * 1024;

/// The path of the page of a subscription's payer.
pub(super) fn page_of(subscription: &Value) -> String {
    path_of(&subscription["payerUrl"])
}

fn path_of(url: &Value) -> String {
    let url = url.as_str().expect("an address");
    let (_, address) = url.split_once("/suscripcion/").expect("the address of a page");
    assert_eq!(address.len(), 52, "{url}");
    format!("/suscripcion/{address}")
}

pub(super) async fn open(payer: &Principal, path: &str) -> String {
    let answer = payer.get(path).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.len() <= PAGE_MAX, "{} bytes", answer.body.len());
    text(&answer)
}

/// Presses a button of the page, and answers where that leads.
pub(super) async fn press(payer: &Principal, path: &str) -> String {
    let answer = send(payer, path, &[]).await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer.header("location").expect("a way on").to_owned()
}

/// Opens the page, and answers whether it is that of an address which opens nothing.
async fn is_unknown(payer: &Principal, path: &str) -> bool {
    let never = payer.get(&format!("/suscripcion/{}", "0".repeat(52))).await;
    assert_eq!((never.status, &*said(&text(&never))), (404, "Esta página no abre"));
    let answer = payer.get(path).await;
    answer.status == 404 && text(&answer) == text(&never)
}

/// A subscription whose first cycle was paid, and the path of its payer's page.
async fn paid(app: &TestApp, owner: &Owner, more: Value) -> (String, String) {
    let made = make(&owner.key, &owner.bank, more).await;
    let of = id(&made);
    paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
    (of, page_of(&made))
}

/// Lists what the audit trail has of the payer's page, and counts the owner's open notices of it.
async fn known(owner: &Owner) -> (Vec<Value>, usize) {
    let trail = owner.get("/v1/audit").await.ok()["entries"].as_array().unwrap().clone();
    let trail = trail.into_iter().filter(|entry| entry["actor"] == "payer's page").collect();
    let notices = owner.get("/v1/notices").await.ok()["notices"].as_array().unwrap().clone();
    let is_open = |one: &&Value| one["kind"] == "subscription_canceled" && one["is_open"] == true;
    (trail, notices.iter().filter(is_open).count())
}

both_engines! {
    async fn a_payer_sees_what_is_owed_pays_it_and_sees_what_was_paid(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({})).await;
        assert_eq!(made["payerUrlExpiresAt"], "2026-12-24T04:00:00.000Z");
        let (of, page, payer) = (id(&made), page_of(&made), app.nobody());
        let shown = open(&payer, &page).await;
        for part in [
            "Gimnasio",
            "Bs. 150,75",
            "cada mes",
            "del 20 de noviembre al 19 de diciembre de 2026",
            "Se paga el 20/11/2026",
            "Modo de prueba",
            "name=\"robots\" content=\"noindex\"",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert_eq!(said(&shown), "Falta su primer pago");
        assert!(!shown.contains("Próximo pago") && !shown.contains("<script"), "{shown}");
        // It says nothing of who pays.
        assert!(!shown.contains("Cliente de prueba") && !shown.contains(&of), "{shown}");

        let link = press(&payer, &format!("{page}/pay/1")).await;
        assert_eq!(link, format!("/pay/{}", link_of(&owner.key, &of, 1).await));
        paid_with(&payer, link.trim_start_matches("/pay/"), "167890").await;
        let shown = open(&payer, &page).await;
        assert_eq!(said(&shown), "Está al día");
        for part in ["Próximo pago: 20/12/2026", "Pagado el 20/11/2026"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("/pay/1\"") && !shown.contains("Por pagar"), "{shown}");
        let english = payer.request("GET", &page).header("accept-language", "en").send().await;
        assert!(text(&english).contains("20 November to 19 December 2026"), "{english:?}");
        // A cycle that opens keeps the page open for longer, by the same address.
        day_comes(&app, "2026-12-18").await;
        let later = details(&owner.key, &of).await;
        assert_eq!((page_of(&later), &later["payerUrlExpiresAt"]), (page, &json!("2027-01-23T04:00:00.000Z")));
    }

    async fn a_payer_cancels_what_is_not_paid_at_once_and_only_once(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({})).await;
        let (of, page, payer) = (id(&made), page_of(&made), app.nobody());
        let link = link_of(&owner.key, &of, 1).await;
        let cancel = format!("{page}/cancel");
        assert!(open(&payer, &page).await.contains(&format!("href=\"{cancel}\"")));
        // Looking at what it does does nothing.
        let shown = open(&payer, &cancel).await;
        assert!(shown.contains("No se le pedirá nada más, tampoco lo que esté por pagar"), "{shown}");
        assert_eq!(details(&owner.key, &of).await["status"], "pending");
        for _ in 0..2 {
            assert_eq!(press(&payer, &cancel).await, page);
            let shown = open(&payer, &page).await;
            assert_eq!(said(&shown), "Está anulada");
            assert!(!shown.contains("/cancel\"") && !shown.contains("/pay/1\""), "{shown}");
        }
        assert_eq!(payer.get(&cancel).await.header("location"), Some(&*page));
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
        assert_eq!(status(&owner.key, &link).await, "canceled");
        assert_eq!(cycles(&owner.key, &of).await, ["1 canceled 2026-11-20 canceled"]);
        let (trail, notices) = known(&owner).await;
        assert_eq!((trail.len(), notices), (1, 1), "{trail:?}");
        assert_eq!((&trail[0]["action"], &trail[0]["subject"]), (&json!("CancelByPayer"), &json!(of)));
        assert_eq!(trail[0]["after"], json!({ "is_canceled": true, "is_canceled_by_payer": true }));
        act(&owner.key, &of, "undo-cancel", json!({})).await.refused(409, "CONFLICT");
        // Who has read it has a week for that.
        let mut owner = owner;
        day_comes(&app, "2026-11-28").await;
        owner.sign_in_again().await;
        assert_eq!(known(&owner).await.1, 0);
    }

    async fn an_address_of_ids_that_belong_to_two_owners_opens_nothing(setup: Setup) {
        let app = begin(setup).await;
        let (owner, other) = (app.owner().await, app.owner().await);
        let (of_owner, of_other) = (
            page_of(&make(&owner.key, &owner.bank, json!({})).await),
            page_of(&make(&other.key, &other.bank, json!({})).await),
        );
        let halves = |page: &str| {
            let (owner, id) = page.trim_start_matches("/suscripcion/").split_at(26);
            (owner.to_owned(), id.to_owned())
        };
        let (first, second) = (halves(&of_owner), halves(&of_other));
        let payer = app.nobody();
        for (owner, id) in [(&first.0, &second.1), (&second.0, &first.1), (&first.1, &first.0)] {
            let mixed = format!("/suscripcion/{owner}{id}");
            assert!(is_unknown(&payer, &mixed).await, "{mixed}");
            for form in ["cancel", "pay/1"] {
                assert_eq!(send(&payer, &format!("{mixed}/{form}"), &[]).await.status, 404, "{form}");
            }
        }
        assert_eq!(app.database().number("select count(*) from subscriptions where canceled_by_payer"), 0);
        open(&payer, &of_owner).await;
    }
}

either_engine! {
    async fn a_cycle_that_lapsed_is_paid_from_the_page(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let (of, page) = paid(&app, &owner, json!({})).await;
        day_comes(&app, "2026-12-17").await;
        day_comes(&app, "2026-12-24").await;
        let failed = link_of(&owner.key, &of, 2).await;
        let payer = app.nobody();
        let shown = open(&payer, &page).await;
        assert_eq!(said(&shown), "Tiene un pago atrasado");
        assert!(shown.contains("Atrasado: se pagaba el 20/12/2026"), "{shown}");
        let link = press(&payer, &format!("{page}/pay/2")).await;
        assert_ne!(link, format!("/pay/{failed}"));
        assert_eq!(press(&payer, &format!("{page}/pay/2")).await, link);
        paid_with(&payer, link.trim_start_matches("/pay/"), "267890").await;
        let shown = open(&payer, &page).await;
        assert_eq!(said(&shown), "Está al día");
        assert_eq!(shown.matches("Pagado el").count(), 2, "{shown}");
        // One that is paid leads to the page that says so, and others to nothing.
        assert_eq!(press(&payer, &format!("{page}/pay/2")).await, link);
        for cycle in ["0", "9", "x", "-1", "4294967296"] {
            let answer = send(&payer, &format!("{page}/pay/{cycle}"), &[]).await;
            assert_eq!(answer.status, 404, "{cycle}");
        }
    }

    async fn a_receipt_that_is_void_is_marked_beside_its_period(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let (_, page) = paid(&app, &owner, json!({})).await;
        let payer = app.nobody();
        let before = open(&payer, &page).await;
        assert!(before.contains("Ver comprobante") && !before.contains("anulado"), "{before}");
        let receipt = receipts(&owner).await[0]["id"].as_str().unwrap().to_owned();
        let reason = json!({ "reason": "Se emitió dos veces" });
        owner.post(&format!("/v1/receipts/{receipt}/void"), reason).await.ok();
        // The period stays paid, and its receipt can be looked at: the reason stands there alone.
        let shown = open(&payer, &page).await;
        for part in [">Comprobante anulado</span>", "Pagado el 20/11/2026", "Ver comprobante"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("Se emitió dos veces"), "{shown}");
        let english = payer.request("GET", &page).header("accept-language", "en").send().await;
        assert!(text(&english).contains(">Receipt void</span>"), "{english:?}");
    }

    async fn what_the_owner_ended_is_owed_and_has_no_button(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let (of, page) = paid(&app, &owner, json!({})).await;
        day_comes(&app, "2026-12-20").await;
        let link = link_of(&owner.key, &of, 2).await;
        owner.key.post(&format!("/v1/paymentlink/{link}/reject"), json!({})).await.ok();
        let payer = app.nobody();
        let shown = open(&payer, &page).await;
        assert!(shown.contains("No se puede pagar por ahora") && !shown.contains("/pay/2\""), "{shown}");
        assert_eq!(press(&payer, &format!("{page}/pay/2")).await, format!("/pay/{link}"));
        assert_eq!(app.database().number("select count(*) from payment_links"), 2);
    }

    async fn what_is_paid_runs_to_its_end_though_its_payer_cancels(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let (of, page) = paid(&app, &owner, json!({})).await;
        day_comes(&app, "2026-12-18").await;
        let second = link_of(&owner.key, &of, 2).await;
        let (payer, cancel) = (app.nobody(), format!("{page}/cancel"));
        assert!(open(&payer, &cancel).await.contains("La suscripción sigue hasta el 19/12/2026."));
        for _ in 0..2 {
            assert_eq!(press(&payer, &cancel).await, page);
            let shown = open(&payer, &page).await;
            assert!(shown.contains("Termina el 19/12/2026.") && !shown.contains("Por pagar"), "{shown}");
        }
        let ending = details(&owner.key, &of).await;
        assert_eq!((&ending["status"], &ending["cancelAtPeriodEnd"]), (&json!("active"), &json!(true)));
        assert_eq!(status(&owner.key, &second).await, "stopped");
        // The owner does not take back what its payer wants.
        let refused = act(&owner.key, &of, "undo-cancel", json!({})).await;
        let refused = refused.refused(409, "CONFLICT");
        assert!(refused["message"].as_str().unwrap().contains("La anuló quien la paga"), "{refused}");
        day_comes(&app, "2026-12-20").await;
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
        assert_eq!(status(&owner.key, &second).await, "canceled");
        assert_eq!(said(&open(&payer, &page).await), "Está anulada");
    }

    async fn a_period_that_is_paid_when_it_ends_is_asked_for_once_more(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({ "pay_first": false })).await;
        let (of, page, payer) = (id(&made), page_of(&made), app.nobody());
        let cancel = format!("{page}/cancel");
        assert!(open(&payer, &cancel).await.contains("Termina con el período en curso, el 19/12/2026."));
        press(&payer, &cancel).await;
        day_comes(&app, "2026-12-20").await;
        let link = press(&payer, &format!("{page}/pay/1")).await;
        paid_with(&payer, link.trim_start_matches("/pay/"), "167890").await;
        day_comes(&app, "2026-12-21").await;
        assert_eq!(details(&owner.key, &of).await["status"], "cancelled");
        assert_eq!(cycles(&owner.key, &of).await, ["1 paid 2026-12-20 paid"]);
    }

    async fn what_the_owner_canceled_its_payer_cancels_for_good(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let (of, page) = paid(&app, &owner, json!({})).await;
        act(&owner.key, &of, "cancelbyowner", json!({ "atPeriodEnd": true })).await.ok();
        press(&app.nobody(), &format!("{page}/cancel")).await;
        let (trail, notices) = known(&owner).await;
        assert_eq!((trail.len(), notices), (1, 1), "{trail:?}");
        assert_eq!(trail[0]["after"], json!({ "is_canceled_by_payer": true }));
        act(&owner.key, &of, "undo-cancel", json!({})).await.refused(409, "CONFLICT");
        assert_eq!(details(&owner.key, &of).await["cancelAtPeriodEnd"], true);
    }

    async fn a_payment_that_is_being_checked_is_waited_for(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({})).await;
        let (of, page) = (id(&made), page_of(&made));
        begin_slowly(&app, &link_of(&owner.key, &of, 1).await, "110004").await;
        let answer = send(&app.nobody(), &format!("{page}/cancel"), &[]).await;
        assert_eq!((answer.status, &*said(&text(&answer))), (409, "Estamos revisando un pago suyo"));
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(details(&owner.key, &of).await["status"], "active");
        press(&app.nobody(), &format!("{page}/cancel")).await;
        assert_eq!(details(&owner.key, &of).await["cancelAtPeriodEnd"], true);
    }

    async fn the_page_closes_30_days_after_the_end_and_opens_when_it_is_given_out(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({})).await;
        let (of, page, payer) = (id(&made), page_of(&made), app.nobody());
        day_comes(&app, "2026-11-24").await;
        assert_eq!(said(&open(&payer, &page).await), "No llegó a comenzar");
        day_comes(&app, "2026-12-23").await;
        open(&payer, &page).await;
        day_comes(&app, "2026-12-25").await;
        assert!(is_unknown(&payer, &page).await);
        for form in ["cancel", "pay/1"] {
            assert_eq!(send(&payer, &format!("{page}/{form}"), &[]).await.status, 404, "{form}");
        }
        assert_eq!(payer.get(&format!("{page}/cancel")).await.status, 404);
        let issued = act(&owner.key, &of, "payer-page", json!({})).await.ok();
        assert_eq!((path_of(&issued["url"]), &issued["expires_at"]), (page.clone(), &json!("2027-01-24T12:00:00.000Z")));
        open(&payer, &page).await;
    }

    async fn an_address_that_was_replaced_opens_nothing(setup: Setup) {
        let app = begin(setup).await;
        let mut owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({})).await;
        let (of, former, payer) = (id(&made), page_of(&made), app.nobody());
        let issued = act(&owner.key, &of, "payer-page", json!({ "replace": false })).await.ok();
        assert_eq!((path_of(&issued["url"]), &issued["expires_at"]), (former.clone(), &made["payerUrlExpiresAt"]));
        let issued = act(&owner.key, &of, "payer-page", json!({ "replace": true })).await.ok();
        let page = path_of(&issued["url"]);
        assert_ne!(page, former);
        assert!(is_unknown(&payer, &former).await);
        assert_eq!(send(&payer, &format!("{former}/cancel"), &[]).await.status, 404);
        open(&payer, &page).await;
        assert_eq!(page_of(&details(&owner.key, &of).await), page);
        owner.sign_in_again().await;
        let trail = owner.get("/v1/audit").await.ok();
        let issued = trail["entries"].as_array().unwrap().iter().find(|one| one["action"] == "IssuePayerPage").unwrap();
        assert_eq!((&issued["before"], &issued["after"]), (&json!({}), &json!({ "payer_url_changed": true })));
        for wrong in [json!({ "replace": "yes" }), json!({ "replace": 1 }), json!({ "other": true })] {
            act(&owner.key, &of, "payer-page", wrong).await.refused(400, "VALIDATION_ERROR");
        }
        assert_eq!(page_of(&details(&owner.key, &of).await), page);
    }

    async fn who_may_not_cancel_is_not_shown_the_address(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        let reader = owner.employee(1, &["subscriptions:read"]).await;
        let shown = details(&reader, &of).await;
        assert_eq!((&shown["payerUrl"], &shown["payerUrlExpiresAt"]), (&Value::Null, &Value::Null));
        let listed = reader.post("/me/subscriptions", json!({})).await.ok();
        assert_eq!(listed["subscriptions"][0]["payerUrl"], Value::Null);
        act(&reader, &of, "payer-page", json!({})).await.refused(403, "FORBIDDEN");
        let writer = owner.employee(2, &["subscriptions:write"]).await;
        page_of(&details(&writer, &of).await);
        act(&writer, &of, "payer-page", json!({})).await.ok();
    }

    async fn forms_of_other_sites_and_made_up_addresses_do_nothing(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let made = make(&owner.key, &owner.bank, json!({})).await;
        let (of, page, payer) = (id(&made), page_of(&made), app.nobody());
        for place in ["cancel", "pay/1"] {
            for (header, value) in [
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-site", "same-site"),
                ("origin", "https://elsewhere.example"),
                ("origin", "null"),
            ] {
                let call = form(&payer, &format!("{page}/{place}"), &[]).header(header, value);
                let answer = call.send().await;
                assert_eq!((answer.status, &*said(&text(&answer))), (403, "Hágalo en esta página"));
                assert!(text(&answer).contains(&format!("href=\"{page}\"")), "{answer:?}");
            }
        }
        assert_eq!(details(&owner.key, &of).await["status"], "pending");
        let guarded = payer.get(&page).await;
        assert_eq!(guarded.header("referrer-policy"), Some("strict-origin"));
        assert_eq!(guarded.header("cache-control"), Some("no-store"));
        for made_up in [
            "x".to_owned(),
            "z".repeat(52),
            "0".repeat(51),
            "0".repeat(53),
            "%00".repeat(52),
            "%C3%A1".repeat(26),
            of,
        ] {
            assert!(is_unknown(&payer, &format!("/suscripcion/{made_up}")).await, "{made_up}");
            let answer = send(&payer, &format!("/suscripcion/{made_up}/cancel"), &[]).await;
            assert_eq!(answer.status, 404, "{made_up}");
        }
        // A messenger's full stop and a phone's capitals lead back.
        for changed in [format!("{page}."), page.to_uppercase().replace("/SUSCRIPCION/", "/suscripcion/")] {
            assert_eq!(payer.get(&changed).await.header("location"), Some(&*page), "{changed}");
        }
        assert_eq!(payer.get(&format!("{page}/pay/1")).await.status, 405);
    }
}
