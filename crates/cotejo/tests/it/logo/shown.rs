//! What is at a logo's address, and the pages that show it.

use serde_json::json;
use testkit::picture::{NOTHING, RED, jpeg, png};
use testkit::{TestApp, either_engine};

use super::{path_of, put};
use crate::pay::{make, paid_with, text};

either_engine! {
    async fn payers_see_it_whatever_becomes_of_the_link(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let page = async |id: &str| text(&app.nobody().get(&format!("/pay/{id}")).await);
        assert!(!page(&id).await.contains("<img"));
        owner.put("/v1/profile", json!({ "public_name": "Tienda \"Sol\" & hijos" })).await.ok();
        let logo = path_of(&put(&owner, png(600, 225, |x, _| if x < 300 { RED } else { NOTHING })).await.ok());
        let shown = format!(
            "<img src=\"{logo}\" width=\"160\" height=\"60\" alt=\"Tienda &#34;Sol&#34; &#38; hijos\">"
        );
        assert!(page(&id).await.contains(&shown), "{}", page(&id).await);
        let canceled = make(&owner.key, &owner.bank, json!({})).await;
        owner.key.post(&format!("/v1/paymentlink/{canceled}/cancel"), json!({})).await.ok();
        assert!(page(&canceled).await.contains(&shown));
        assert!(paid_with(&app.nobody(), &id, "167890").await.contains(&shown));
        // Nobody else's pages have it.
        let stranger = app.owner().await;
        let other = make(&stranger.key, &stranger.bank, json!({})).await;
        assert!(!page(&other).await.contains("<img") && !page("nothing").await.contains("<img"));
    }
}

either_engine! {
    async fn it_is_a_picture_and_nothing_else(app: TestApp) {
        let owner = app.owner().await;
        for (file, kind) in [
            (png(20, 20, |x, _| if x < 10 { RED } else { NOTHING }), "image/png"),
            (jpeg(20, 20, |_, _| RED), "image/jpeg"),
        ] {
            let path = path_of(&put(&owner, file).await.ok());
            let answer = app.nobody().get(&path).await;
            assert_eq!((answer.status, answer.header("content-type")), (200, Some(kind)));
            assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"));
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
            let policy = answer.header("content-security-policy").unwrap();
            assert!(policy.starts_with("default-src 'none';") && policy.ends_with("sandbox"), "{policy}");
            assert!(answer.header("set-cookie").is_none());
            // By no other name.
            let (stem, ending) = path.rsplit_once('.').unwrap();
            let other = if ending == "png" { "jpg" } else { "png" };
            for wrong in [
                stem.to_owned(),
                format!("{stem}.{other}"),
                format!("{stem}.svg"),
                format!("{stem}.{ending}.{ending}"),
                path.to_uppercase().replace("/PAY/LOGO/", "/pay/logo/"),
            ] {
                assert_eq!(app.nobody().get(&wrong).await.status, 404, "{wrong}");
            }
        }
    }

    async fn where_there_is_none_is_the_page_of_all_that_is_not_there(app: TestApp) {
        let nothing = text(&app.nobody().get("/pay/nothing").await);
        for name in ["x", "x.png", &format!("{}.png", "0".repeat(64)), "%00.png", "..%2fbrand.png"] {
            let answer = app.nobody().get(&format!("/pay/logo/{name}")).await;
            assert_eq!((answer.status, answer.text()), (404, nothing.clone()), "{name}");
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{name}");
            let policy = answer.header("content-security-policy").unwrap();
            assert!(policy.contains("img-src 'self';"), "{policy}");
        }
        let list = app.nobody().get("/pay/logo/").await;
        assert_eq!(list.status, 404);
    }
}
