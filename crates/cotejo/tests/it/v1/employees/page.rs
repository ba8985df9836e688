//! `/invitation/{token}`: the page by which a person accepts.

use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::{Principal, Response, TestApp, both_engines, either_engine};

use super::{invited, sign_in};
use crate::pay::send;

const EMAIL: &str = "luis@tienda.example";

fn text(answer: &Response) -> String {
    String::from_utf8(answer.body.to_vec()).unwrap()
}

async fn look(nobody: &Principal, token: &str) -> Response {
    nobody.get(&format!("/invitation/{token}")).await
}

both_engines! {
    async fn a_person_accepts_by_the_page_alone(app: TestApp) {
        let owner = app.owner().await;
        let (_, token) = invited(&owner, EMAIL).await;
        let nobody = app.nobody();
        // An owner without a name would be named by its address, which is nobody else's to know.
        assert!(!text(&look(&nobody, &token).await).contains(&owner.email));
        owner.put("/v1/profile", json!({ "public_name": "Tienda Sol" })).await.ok();
        // Previews of mail open it, too: looking changes nothing.
        for _ in 0..3 {
            let page = text(&look(&nobody, &token).await);
            assert!(page.contains(EMAIL) && page.contains("Elija su contraseña"), "{page}");
            assert!(page.contains("Tienda Sol"), "it says who invites: {page}");
        }
        let path = format!("/invitation/{token}");
        let spaced = format!(" {PASSWORD} ");
        let fields = [("name", "Luis Rojas"), ("password", &*spaced), ("again", &*spaced)];
        let accepted = send(&nobody, &path, &fields).await;
        assert_eq!((accepted.status, accepted.header("location")), (303, Some("/invitation/accepted")));
        let page = text(&nobody.get("/invitation/accepted").await);
        assert!(page.contains("Ya puede iniciar sesión"), "{page}");
        // A password is what was typed, spaces and all, as the API takes it.
        sign_in(&owner, EMAIL).await.refused(401, "UNAUTHORIZED");
        let body = json!({ "email": EMAIL, "password": spaced });
        let user = nobody.post("/auth/login", body).await.ok()["user"].clone();
        assert_eq!(user["full_name"], "Luis Rojas");
        // Sent again, as by going back, it is over.
        assert_eq!(send(&nobody, &path, &fields).await.status, 404);
    }

    async fn what_is_wrong_is_said_beside_the_form_and_nothing_is_done(app: TestApp) {
        let owner = app.owner().await;
        let (_, token) = invited(&owner, EMAIL).await;
        let path = format!("/invitation/{token}");
        for (fields, wrong) in [
            ([("name", "<b>Luis</b>"), ("password", "corta"), ("again", "corta")], "password-wrong"),
            ([("name", "Luis"), ("password", PASSWORD), ("again", "otra frase de prueba")], "again-wrong"),
            ([("name", " "), ("password", PASSWORD), ("again", PASSWORD)], "name-wrong"),
        ] {
            let answer = send(&app.nobody(), &path, &fields).await;
            let page = text(&answer);
            assert_eq!(answer.status, 422, "{wrong}");
            assert!(page.contains(&format!("id=\"{wrong}\"")), "{page}");
            assert!(!page.contains(PASSWORD) && !page.contains("<b>"), "{page}");
        }
        sign_in(&owner, EMAIL).await.refused(401, "UNAUTHORIZED");
        assert_eq!(look(&app.nobody(), &token).await.status, 200);
    }

    async fn a_taken_address_is_reported_to_who_was_invited(app: TestApp) {
        let owner = app.owner().await;
        let (_, token) = invited(&owner, &owner.email).await;
        let fields = [("name", "Luis"), ("password", PASSWORD), ("again", PASSWORD)];
        let answer = send(&app.nobody(), &format!("/invitation/{token}"), &fields).await;
        assert_eq!(answer.status, 409);
        assert!(text(&answer).contains("ya tiene acceso"));
    }
}

either_engine! {
    async fn every_invitation_that_is_not_good_has_the_same_page(app: TestApp) {
        let owner = app.owner().await;
        let (id, withdrawn) = invited(&owner, EMAIL).await;
        owner.delete(&format!("/v1/employees/{id}")).await.ok();
        let (_, used) = invited(&owner, EMAIL).await;
        super::accept(&owner, &used).await.ok();
        let unknown = format!("iv_live_{}", "a".repeat(32));
        let fields = [("name", "Luis"), ("password", PASSWORD), ("again", PASSWORD)];
        let wrong = [("name", ""), ("password", ""), ("again", "")];
        let mut pages = Vec::new();
        for token in [&*withdrawn, &used, &unknown, "x", "%3Cscript%3E"] {
            let looked = look(&app.nobody(), token).await;
            assert_eq!(looked.status, 404, "{token}");
            pages.push(text(&looked));
            for fields in [&fields, &wrong] {
                let sent = send(&app.nobody(), &format!("/invitation/{token}"), fields).await;
                assert_eq!(sent.status, 404, "{token}");
                pages.push(text(&sent));
            }
        }
        assert!(pages[0].contains("Esta invitación no sirve"));
        pages.dedup();
        assert_eq!(pages.len(), 1);
    }

    async fn the_page_is_as_strict_as_the_payers(app: TestApp) {
        let owner = app.owner().await;
        let (_, token) = invited(&owner, EMAIL).await;
        let page = look(&app.nobody(), &token).await;
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(page.header("x-frame-options"), Some("DENY"));
        assert_eq!(page.header("referrer-policy"), Some("strict-origin"));
        assert!(page.header("cache-control").unwrap().contains("no-store"));
        assert!(!text(&page).contains("<script"));
        // Another site's page accepts for nobody.
        let path = format!("/invitation/{token}");
        let form = format!("name=Luis&password={0}&again={0}", PASSWORD.replace(' ', "+"));
        let call = app.nobody().request("POST", &path);
        let call = call.header("content-type", "application/x-www-form-urlencoded");
        let answer = call.header("sec-fetch-site", "cross-site").body(form).send().await;
        assert_eq!(answer.status, 403);
        assert!(text(&answer).contains("no llegó de esta página"));
        sign_in(&owner, EMAIL).await.refused(401, "UNAUTHORIZED");
        let english = app.nobody().request("GET", &path).header("accept-language", "en");
        assert!(text(&english.send().await).contains("Choose your password"));
        assert_eq!(app.nobody().request("DELETE", &path).send().await.status, 405);
    }
}
