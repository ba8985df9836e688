//! The pages of keys.

use domain::ids::{KeyId, OwnerId};
use domain::permissions::{Permission, Permissions};
use serde_json::{Value, json};
use store::keys;
use store::tx::Tx;
use testkit::{TestApp, either_engine};

use crate::changed::after;

/// The rows of the table that a page shows.
fn rows(page: &str) -> usize {
    page.matches("<th scope=\"row\"").count()
}

either_engine! {
    async fn what_is_changed_between_the_look_and_the_write_is_not_undone(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links", "movements"]).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = format!("/app/keys/{}/edit", key.id);
        browser.open(&path).await;
        let id: KeyId = key.id.parse().unwrap();
        let whose: OwnerId = owner.id.parse().unwrap();
        // Somebody takes a permission away after the form was taken and before it is written.
        let narrow = move |tx: &mut Tx<'_>, owner: OwnerId| {
            let mut key = keys::find(tx, owner, id)?.unwrap();
            key.permissions = [Permission::Movements].into_iter().collect::<Permissions>();
            keys::change(tx, owner, &key)
        };
        let fields = [("name", "caja 2"), ("permissions", "payment_links"), ("permissions", "movements"), ("permissions", "statistics")];
        let answer = after(&app, whose, narrow, browser.send(&path, &fields)).await;
        assert_eq!(answer.status, 409, "{}", answer.text());
        let shown = async || owner.get(&format!("/api-keys/{}", key.id)).await.ok()["api_key"].clone();
        let permissions = |key: &Value| key["permissions"].as_array().unwrap().len();
        let kept = shown().await;
        assert!(permissions(&kept) == 1 && kept["name"] != "caja 2", "{kept}");
    }

    async fn a_name_that_is_changed_gives_no_permission_back(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links", "movements"]).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = format!("/app/keys/{}/edit", key.id);
        browser.open(&path).await;
        owner.patch(&format!("/v1/api-keys/{}", key.id), json!({ "permissions": ["movements"] })).await.ok();
        // As a browser sends it whose page is older.
        let fields = [("name", "caja 2"), ("expires_at", ""), ("permissions", ""), ("permissions", "payment_links"), ("permissions", "movements")];
        assert_eq!(browser.send(&path, &fields).await.status, 303);
        let kept = owner.get(&format!("/api-keys/{}", key.id)).await.ok()["api_key"].clone();
        assert_eq!((&kept["name"], &kept["permissions"]), (&json!("caja 2"), &json!(["movements"])));
    }

    async fn keys_and_accounts_are_listed_page_by_page(app: TestApp) {
        let owner = app.owner().await;
        for _ in 0..25 {
            owner.issue(json!({ "name": "Caja" })).await;
            owner.key.link_bank().await;
        }
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for path in ["/app/keys", "/app/accounts"] {
            let (first, second) = (browser.open(path).await, browser.open(&format!("{path}?page=2")).await);
            assert_eq!((rows(&first), rows(&second)), (25, 1), "{path}");
            assert!(first.contains(&format!("href=\"{path}?page=2\"")) && first.contains("26 en total"), "{first}");
            let beyond = browser.open(&format!("{path}?page=9")).await;
            assert_eq!(rows(&beyond), 1, "the last page instead of one beyond it");
        }
    }

    async fn a_key_is_made_shown_once_limited_switched_off_and_revoked(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open("/app/keys/new").await;
        let fields = [("name", "Caja 1"), ("permissions", "payment_verifications")];
        let answer = browser.send("/app/keys/new", &fields).await;
        assert_eq!(answer.status, 200);
        let page = answer.text();
        let (_, rest) = page.split_once("COTEJO_API_KEY=").unwrap();
        let text = rest.get(..46).unwrap();
        let key = owner.with_bearer(text);
        key.verify(&owner.bank, json!({ "bank_reference": "167890" })).await.ok();
        let list = browser.open("/app/keys").await;
        assert!(list.contains("Caja 1") && !list.contains(text));
        let keys = owner.get("/me/api-keys").await.ok();
        let keys = keys["api_keys"].as_array().unwrap();
        let id = keys.iter().find(|key| key["name"] == "Caja 1").unwrap()["id"].as_str().unwrap();
        let path = format!("/app/keys/{id}");
        assert!(!browser.open(&path).await.contains(text));

        let set = browser.send(&format!("{path}/limit"), &[("limit", "1.000")]).await;
        assert_eq!(set.status, 303);
        let page = browser.open(&path).await;
        assert!(page.contains("value=\"1000\"") && page.contains("<dd>1.000</dd>"), "{page}");
        let wrong = browser.send(&format!("{path}/limit"), &[("limit", "-1")]).await;
        assert_eq!(wrong.status, 400);
        assert!(wrong.text().contains("id=\"limit-wrong\""));
        assert_eq!(browser.send(&format!("{path}/limit"), &[("limit", "1")]).await.status, 303);
        key.verify(&owner.bank, json!({ "bank_reference": "267890" })).await
            .refused(403, "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        browser.open(&path).await;
        assert_eq!(browser.send(&format!("{path}/limit"), &[]).await.status, 400, "a form without it takes none away");
        assert_eq!(browser.send(&format!("{path}/limit"), &[("limit", "")]).await.status, 303);
        key.verify(&owner.bank, json!({ "bank_reference": "267890" })).await.ok();
        browser.open(&path).await;
        assert_eq!(browser.send(&format!("{path}/limit"), &[("limit", "7")]).await.status, 303);

        assert_eq!(browser.send(&format!("{path}/active"), &[("active", "no")]).await.status, 303);
        key.get("/me").await.refused(403, "API_KEY_IS_NOT_ACTIVE");
        assert_eq!(browser.send(&format!("{path}/active"), &[("active", "yes")]).await.status, 303);
        let unconfirmed = browser.send(&format!("{path}/revoke"), &[("revoke_name", "Caja")]).await;
        assert_eq!(unconfirmed.status, 400);
        // The other forms of the page are as they were: to save one of them changes nothing.
        assert!(unconfirmed.text().contains("id=\"limit\" name=\"limit\" inputmode=\"numeric\" value=\"7\""));
        key.get("/me").await.ok();
        let revoked = browser.send(&format!("{path}/revoke"), &[("revoke_name", "Caja 1")]).await;
        assert_eq!(revoked.status, 303);
        key.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn who_revokes_a_key_that_issued_others_is_asked_what_becomes_of_them(app: TestApp) {
        let owner = app.owner().await;
        let issuer = owner.issue(json!({ "name": "sistema", "permissions": ["api_keys"] })).await;
        let issued = issuer.post("/auth/api-key", json!({ "name": "por otra" })).await.ok();
        let issued = owner.issued(&issued["api_key"]);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = format!("/app/keys/{}", issuer.id);
        let page = browser.open(&path).await;
        assert!(page.contains("Lo que esta llave emitió") && page.contains("por otra"), "{page}");
        assert!(page.contains("name=\"with_issued\" value=\"yes\""), "{page}");
        assert!(browser.open("/app/keys").await.contains("La emitió: <bdi>Llave sistema</bdi>"));
        assert!(browser.open("/app/me").await.contains("por otra"));
        let revoke = format!("{path}/revoke");
        let asked = browser.send(&revoke, &[("revoke_name", "sistema")]).await;
        assert_eq!(asked.status, 409);
        assert!(asked.text().contains("Elija si se termina también o se deja."), "{}", asked.text());
        issued.get("/me").await.ok();
        let fields = [("revoke_name", "sistema"), ("with_issued", "yes")];
        assert_eq!(browser.send(&revoke, &fields).await.status, 303);
        for key in [&issuer, &issued] {
            key.get("/me").await.refused(401, "UNAUTHORIZED");
        }
        let page = browser.open(&format!("/app/keys/{}", owner.key.id)).await;
        assert!(page.contains("El operador del servicio") && !page.contains("with_issued"), "{page}");
    }

    async fn a_rotation_that_is_sent_twice_leaves_the_text_that_was_shown(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let path = format!("/app/keys/{}", key.id);
        let page = browser.open(&path).await;
        let (_, rest) = page.split_once("name=\"once\" value=\"").unwrap();
        let (once, _) = rest.split_once('"').unwrap();
        let fields = [("rotate_name", "caja"), ("once", once)];
        let rotated = browser.send(&format!("{path}/rotate"), &fields).await.text();
        let (_, rest) = rotated.split_once("COTEJO_API_KEY=").unwrap();
        let text = rest.get(..46).unwrap().to_owned();
        assert_eq!(browser.send(&format!("{path}/rotate"), &fields).await.status, 409);
        owner.with_bearer(&text).get("/me").await.ok();
    }

    async fn what_is_another_owners_is_not_there(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        for path in [format!("/app/keys/{}", stranger.key.id), "/app/keys/none".to_owned()] {
            assert_eq!(browser.get(&path).await.status, 404, "{path}");
            let limit = format!("{path}/limit");
            assert_eq!(browser.send(&limit, &[("limit", "0")]).await.status, 404, "{path}");
        }
    }
}

either_engine! {
    async fn the_permissions_of_all_keys_stand_in_one_table(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        owner.client_key(&client).await;
        owner.issue(json!({ "name": "solo enlaces", "permissions": ["payment_links"] })).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        assert!(browser.open("/app/keys").await.contains("href=\"/app/keys/permissions\""));
        let page = browser.open("/app/keys/permissions").await;
        let row = |name: &str| {
            let (_, rest) = page.split_once(&format!("<bdi>{name}</bdi>")).expect(name);
            rest.split("</tr>").next().unwrap()
        };
        let links = row("solo enlaces");
        assert!(links.contains("data-label=\"Enlaces de pago\" class=\"good\">Sí</td>"), "{links}");
        let words = |word: &str| links.matches(&format!(">{word}</td>")).count();
        assert_eq!((words("Sí"), words("No")), (1, 8), "{links}");
        assert_eq!(page.matches("Los fijos de su cliente").count(), 1, "{page}");
        for number in 0..23 {
            owner.issue(json!({ "name": format!("caja {number}") })).await;
        }
        let (first, second) = (browser.open("/app/keys/permissions").await, browser.open("/app/keys/permissions?page=2").await);
        let rows = |page: &str| page.matches("<th scope=\"row\"").count();
        assert_eq!((rows(&first), rows(&second)), (25, 1), "{second}");
        assert!(first.contains("rel=\"next\" href=\"/app/keys/permissions?page=2\""), "{first}");
    }

    async fn names_are_text_and_nothing_else(app: TestApp) {
        let owner = app.owner().await;
        owner.issue(json!({ "name": "<script>alert(1)</script>\"'" })).await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open("/app/keys").await;
        assert!(!page.contains("<script>alert") && page.contains("&#60;script&#62;"), "{page}");
    }
}
