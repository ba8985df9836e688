//! A person who tries references out, frames the page, or writes scripts into every field.

use serde_json::json;
use testkit::{TestApp, either_engine};

use super::{follow, make, paid_with, pay, place, said, send, text};

/// Script that would run if it got into a page as it is.
const SCRIPT: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";

/// The page without what differs from check to check.
fn common(page: &str, id: &str, place: &str) -> String {
    let check = place.split("v=").nth(1).unwrap();
    page.replace(id, "LINK").replace(check, "CHECK")
}

either_engine! {
    async fn wrong_references_are_answered_alike(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "167890", "amount": 20 });
        owner.key.verify(&owner.bank, asked).await.ok();
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let mut pages = Vec::new();
        // Not there, claimed by others with another amount, of another amount, used, several, gone out.
        for reference in ["123456", "167890", "110001", "110002", "110003", "110009"] {
            let answer = pay(&app.nobody(), &id, reference).await;
            let place = place(&answer);
            let page = text(&follow(&app.nobody(), &answer).await);
            pages.push(common(&page, &id, &place));
        }
        assert!(pages.iter().all(|page| *page == pages[0]), "{pages:#?}");
    }

    async fn links_that_are_not_there_are_answered_alike(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let mut ids = vec!["link_00000000000000000000000000".to_owned()];
        ids.extend(["x", "link_1", "%ff", "..", &owner.bank].map(str::to_owned));
        ids.push(id.to_uppercase().replacen("LINK_", "LINK-", 1));
        ids.push(SCRIPT.bytes().map(|byte| format!("%{byte:02x}")).collect());
        let first = text(&app.nobody().get("/pay/nothing").await);
        assert_eq!(said(&first), "Este enlace no existe");
        // A whole page, which says what to do and asks for nothing.
        for part in ["<h1>", "Qué puede hacer", "pida al comercio", "no pague de nuevo", "<footer"] {
            assert!(first.contains(part), "{part}: {first}");
        }
        assert!(!first.contains("<form") && !first.contains("href=\"http"), "{first}");
        for id in ids {
            let path = format!("/pay/{id}");
            let seen = app.nobody().get(&path).await;
            assert_eq!((seen.status, text(&seen)), (404, first.clone()), "{path}");
            let tried = pay(&app.nobody(), &id, "167890").await;
            assert_eq!((tried.status, text(&tried)), (404, first.clone()), "{path}");
        }
        assert_eq!(app.database().number("select count(*) from verifications"), 0);
    }

    async fn a_check_is_shown_on_its_own_link_only(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let other = make(&owner.key, &owner.bank, json!({})).await;
        let foreign = make(&stranger.key, &stranger.bank, json!({})).await;
        let answer = pay(&app.nobody(), &id, "123456").await;
        let query = place(&answer).split('?').nth(1).unwrap().to_owned();
        for other in [other, foreign] {
            let page = text(&app.nobody().get(&format!("/pay/{other}?{query}")).await);
            assert_eq!(said(&page), "");
        }
        for check in ["v=", "v=x", "v=ver_00000000000000000000000000", "v=%ff&v=2"] {
            let page = text(&app.nobody().get(&format!("/pay/{id}?{check}")).await);
            assert_eq!(said(&page), "", "{check}");
        }
    }

    async fn scripts_in_every_field_are_inert(app: TestApp) {
        let owner = app.owner().await;
        let more = json!({
            "name": SCRIPT,
            "description": SCRIPT,
            "metadata": { "a": SCRIPT },
            "redirect_url": "https://shop.example/?a='onmouseover='alert(1)",
        });
        let id = make(&owner.key, &owner.bank, more).await;
        let mut pages = vec![text(&app.nobody().get(&format!("/pay/{id}")).await)];
        let fields =
            [("reference", SCRIPT), ("phone", SCRIPT), ("document", SCRIPT), ("seen", SCRIPT)];
        pages.push(text(&send(&app.nobody(), &format!("/pay/{id}"), &fields).await));
        let body = json!({ "status_detail": SCRIPT });
        let rejected = make(&owner.key, &owner.bank, json!({})).await;
        owner.key.post(&format!("/v1/paymentlink/{rejected}/reject"), body).await.ok();
        pages.push(text(&app.nobody().get(&format!("/pay/{rejected}")).await));
        pages.push(paid_with(&app.nobody(), &id, "167890").await);
        for page in pages {
            // The only script is ours, and nothing stands in a handler or ends an attribute.
            assert_eq!(page.matches("<script").count(), 1, "{page}");
            assert!(!page.contains("<img") && !page.contains("'onmouseover"), "{page}");
            assert!(page.contains("alert(1)"), "the text itself is shown: {page}");
        }
    }

    async fn a_page_loads_nothing_from_elsewhere_and_is_not_framed(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let page = app.nobody().get(&format!("/pay/{id}")).await;
        let policy = page.header("content-security-policy").unwrap();
        for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(page.header(name), Some(value), "{name}");
        }
        assert_eq!(page.header("access-control-allow-origin"), None);
        // Messengers read the address of the page itself.
        let itself = format!("content=\"http://{}/pay/", app.nobody().address());
        let text = text(&page).replace(&itself, "");
        assert!(!text.contains(" style=") && !text.contains(" on") && !text.contains("//"), "{text}");
    }

    async fn another_sites_form_is_refused(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let call = app.nobody().request("POST", &format!("/pay/{id}"));
        let call = call.header("content-type", "application/x-www-form-urlencoded");
        let call = call.header("sec-fetch-site", "cross-site").body("reference=167890");
        assert_eq!(call.send().await.status, 403);
        let call = app.nobody().request("POST", &format!("/pay/{id}"));
        assert_eq!(call.json(&json!({ "reference": "167890" })).send().await.status, 415);
        let long = "x".repeat(20_000);
        assert_eq!(pay(&app.nobody(), &id, &long).await.status, 413);
        assert_eq!(app.database().number("select count(*) from verifications"), 0);
    }
}
