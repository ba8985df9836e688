//! Addresses of links as they arrive: with what messengers and people put around them.

use serde_json::json;
use testkit::{TestApp, either_engine};

use super::{make, pay, text};

/// Characters that stand behind an address in a message, or are added on its way.
const ADDED: [&str; 14] =
    ["/", "//", ".", ",", ")", ").", "!", "%20", "%20/", "_", "*", "%22%3E", "%E2%80%8B", "%C2%A0"];

either_engine! {
    async fn an_address_that_changed_on_its_way_leads_to_its_link(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let payer = app.nobody();
        let right = format!("/pay/{id}");
        let mut changed: Vec<String> = ADDED.iter().map(|added| format!("{right}{added}")).collect();
        changed.push(right.to_uppercase());
        changed.push(format!("{}/?utm_source=ig", right.to_uppercase()));
        changed.push(format!("/Pay/{id}"));
        changed.push(format!("/pay/%E2%81%A8{id}%E2%81%A9"));
        changed.push(format!("{right}.?fbclid=IwAR0_made-up"));
        for address in changed {
            let answer = payer.get(&address).await;
            assert_eq!((answer.status, answer.header("location")), (303, Some(&*right)), "{address}");
            assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{address}");
        }
        // What only follows the question mark changes nothing, and the check that it names goes along.
        for query in ["?fbclid=IwAR0_made-up", "?utm_source=ig&utm_medium=social", "?", "?v=x"] {
            assert_eq!(payer.get(&format!("{right}{query}")).await.status, 200, "{query}");
        }
        let check = super::place(&pay(&payer, &id, "1267890").await);
        let answer = payer.get(&check.replacen('?', "/?", 1)).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some(&*check)));
    }

    async fn what_names_no_link_is_a_page_that_says_so_and_leads_to_no_other_host(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let payer = app.nobody();
        for address in [
            "/pay/".to_owned(),
            "/pay/nothing".to_owned(),
            "/pay/nothing/".to_owned(),
            "/PAY/nothing".to_owned(),
            format!("/pay/{id}/other"),
            format!("/pay/{id}x"),
            format!("/pay//evil.example/{id}"),
            "/pay/%2F%2Fevil.example".to_owned(),
            "/pay/%0D%0Alocation:%20x".to_owned(),
            "/invitation/nothing/".to_owned(),
            "/password-reset/nothing/".to_owned(),
            "/email-change/nothing/".to_owned(),
        ] {
            let answer = payer.get(&address).await;
            assert_eq!((answer.status, answer.header("location")), (404, None), "{address}");
            assert!(text(&answer).contains("<!doctype html>"), "{address}");
        }
        // A form is sent to no other address than its page's.
        assert_eq!(payer.request("POST", &format!("/pay/{id}/")).send().await.status, 404);
        // A program that mistypes a path reads why.
        for path in ["/paymentlink/x/other", "/payments", "/v1/nothing/"] {
            let answer = payer.get(path).await;
            answer.refused(404, "NOT_FOUND");
        }
    }

    async fn an_invitation_whose_address_has_a_full_stop_behind_it_is_found(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "email": "luis@tienda.example", "name": "Luis", "permissions": [] });
        let invited = owner.post("/v1/employees", body).await.ok();
        let token = testkit::employee::token_of(&invited);
        let right = format!("/invitation/{token}");
        for added in [".", "/", "%20", ")."] {
            let answer = app.nobody().get(&format!("{right}{added}")).await;
            assert_eq!((answer.status, answer.header("location")), (303, Some(&*right)), "{added}");
        }
        assert_eq!(app.nobody().get(&right).await.status, 200);
    }
}
