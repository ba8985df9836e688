//! The page itself: its parts, its weight, its words.

use banks::test_bank::MAGIC_REFERENCES;
use serde_json::json;
use testkit::{TestApp, either_engine};

use super::{begin_slowly, make, text};
use crate::slow_bank::SLOW;

/// How heavy page, stylesheet and script may be together.
const WEIGHT_MAX: usize = 30 * 1024;

/// The addresses of the parts that a page names.
fn parts(page: &str) -> Vec<String> {
    let after = page.split("/pay/assets/").skip(1);
    after.map(|rest| format!("/pay/assets/{}", rest.split('"').next().unwrap())).collect()
}

either_engine! {
    async fn a_page_is_light_and_its_parts_keep_for_ever(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let page = text(&app.nobody().get(&format!("/pay/{id}")).await);
        let parts = parts(&page);
        assert_eq!(parts.len(), 3);
        let mut weight = page.len();
        for (part, kind) in parts.iter().zip(["image/svg", "text/css", "text/javascript"]) {
            let answer = app.nobody().get(part).await;
            assert_eq!(answer.status, 200);
            assert!(answer.header("content-type").unwrap().starts_with(kind));
            assert!(answer.header("cache-control").unwrap().contains("immutable"));
            weight += answer.body.len();
        }
        assert!(weight <= WEIGHT_MAX, "{weight} bytes, not even compressed");
        assert_eq!(app.nobody().get("/pay/assets/other.css").await.status, 404);
    }

    async fn the_test_bank_says_that_it_is_one_and_what_it_does(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let page = text(&app.nobody().get(&format!("/pay/{id}")).await);
        assert!(page.contains("Modo de prueba"), "{page}");
        let shown = page.split("<code>…").skip(1);
        let shown: Vec<&str> = shown.map(|rest| rest.split('<').next().unwrap()).collect();
        let known: Vec<&str> = MAGIC_REFERENCES.iter().map(|(ending, _)| *ending).collect();
        assert_eq!(shown, known);
    }

    async fn a_listening_page_is_notified_when_a_check_ends(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let start = app.now();
        let place = begin_slowly(&app, &id, "110004").await;
        let page = text(&app.nobody().get(&place).await);
        let events = page.split("data-events=\"").nth(1).unwrap().split('"').next().unwrap();
        app.clock().advance_to(start.plus(SLOW));
        app.settle().await;
        let answer = app.clock().flow(app.nobody().get(events)).await;
        assert_eq!(answer.header("content-type"), Some("text/event-stream"));
        assert_eq!(answer.body.as_ref(), b"event: changed\ndata:\n\n");
    }
}
