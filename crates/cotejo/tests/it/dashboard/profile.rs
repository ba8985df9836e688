//! What payers are shown, the colour of their page, and the logo on it.

use serde_json::{Value, json};
use testkit::picture::{BLUE, NOTHING, RED, jpeg, png};
use testkit::{TestApp, either_engine};

const PATH: &str = "/app/profile";
const LOGO: &str = "/app/profile/logo";
const REMOVE: &str = "/app/profile/logo/remove";

either_engine! {
    async fn an_owner_says_what_payers_see_and_they_see_it(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(PATH).await;
        let fields = [
            ("public_name", "Tienda <Ejemplo>"),
            ("document", "J-12345678-4"),
            ("support_phone", "0212-1234567"),
            ("whatsapp", ""),
            ("support_email", "ayuda@tienda.example"),
            ("support_url", "https://tienda.example/ayuda"),
            ("brand_colour", "#FFD700"),
        ];
        assert_eq!(browser.send(PATH, &fields).await.status, 303);
        let page = browser.open(PATH).await;
        assert!(page.contains("value=\"#ffd700\"") && page.contains("value=\"02121234567\""), "{page}");
        assert!(page.contains("RIF (aparece en los comprobantes)") && page.contains("value=\"J-12345678-4\""), "{page}");
        assert_eq!(owner.get("/v1/profile").await.ok()["document"], "J123456784");
        let body = json!({ "amount": 5, "description": "x", "user_bank_id": owner.bank });
        let made: Value = owner.key.post("/v1/paymentlink", body).await.ok();
        let id = made["paymentlink"]["id"].as_str().unwrap();
        let shown = app.nobody().get(&format!("/pay/{id}")).await.text();
        assert!(shown.contains("Tienda &#60;Ejemplo&#62;") && shown.contains("href=\"/pay/brand/ffd700.css\""));
        assert!(!shown.contains("123456784"), "receipts alone have it: {shown}");
        let style = app.nobody().get("/pay/brand/ffd700.css").await;
        assert_eq!((style.status, style.header("content-type")), (200, Some("text/css; charset=utf-8")));
        assert_eq!(style.header("x-content-type-options"), Some("nosniff"));
        assert!(style.text().contains("--strong:#ffd700"), "{}", style.text());

        let wrong = browser.send(PATH, &[("public_name", "Tienda"), ("brand_colour", "rojo")]).await;
        assert_eq!(wrong.status, 400);
        assert!(wrong.text().contains("id=\"brand_colour-wrong\""));
        let wrong = browser.send(PATH, &[("document", "X-123")]).await;
        assert!(wrong.status == 400 && wrong.text().contains("id=\"document-wrong\""), "{wrong:?}");
        // What is empty goes.
        let empty = fields.map(|(name, _)| (name, ""));
        assert_eq!(browser.send(PATH, &empty).await.status, 303);
        let kept = owner.get("/v1/profile").await.ok();
        assert!(fields.iter().all(|(name, _)| kept[*name].is_null()), "{kept}");
        assert!(!app.nobody().get(&format!("/pay/{id}")).await.text().contains("/pay/brand/"));
    }

    async fn only_colours_are_stylesheets(app: TestApp) {
        for name in ["x", "ffd70.css", "FFD700.css", "ffd7001.css", "fff.css", "ffd700.js", "%23ffd7.css"] {
            assert_eq!(app.nobody().get(&format!("/pay/brand/{name}")).await.status, 404, "{name}");
        }
    }
}

either_engine! {
    async fn a_logo_is_sent_looked_at_and_taken_away(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open(PATH).await;
        assert!(page.contains("enctype=\"multipart/form-data\"") && !page.contains(REMOVE), "{page}");
        let file = png(320, 120, |x, _| if x < 160 { RED } else { NOTHING });
        let sent = browser.send_file(LOGO, &[], ("logo", &file)).await;
        assert_eq!((sent.status, sent.header("location")), (303, Some("/app/profile?saved")));
        let url = owner.get("/v1/profile").await.ok()["logo_url"].clone();
        let (_, path) = url.as_str().unwrap().split_once("/pay/").unwrap();
        let page = browser.open(PATH).await;
        let preview = format!("<image href=\"/pay/{path}\" x=\"40\" y=\"20\" width=\"160\" height=\"60\"/>");
        assert_eq!(page.matches(&preview).count(), 2, "by day and by night: {page}");

        let unsure = browser.send(REMOVE, &[("logo_sure", "")]).await;
        assert_eq!(unsure.status, 400);
        assert!(unsure.text().contains("id=\"logo_sure-wrong\"") && unsure.text().contains(&preview));
        assert_eq!(owner.get("/v1/profile").await.ok()["logo_url"], url);
        assert_eq!(browser.send(REMOVE, &[("logo_sure", "yes")]).await.status, 303);
        assert!(owner.get("/v1/profile").await.ok()["logo_url"].is_null());
        assert!(!browser.open(PATH).await.contains("<image"));
        let entries = owner.get("/v1/audit?limit=100").await.ok()["entries"].to_string();
        assert!(entries.contains("\"SetLogo\"") && entries.contains("\"RemoveLogo\""), "{entries}");
    }

    async fn a_logo_that_is_none_leaves_all_as_it_was(app: TestApp) {
        let owner = app.owner().await;
        owner.put("/v1/profile", json!({ "public_name": "Tienda Sol" })).await.ok();
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(PATH).await;
        // As a phone's camera makes it, and as no phone does.
        for (file, said) in [
            (Vec::new(), "elija una imagen"),
            (vec![7; 5 * 1024 * 1024], "más de 2 MB"),
            (vec![7; 20 * 1024 * 1024], "más de 2 MB"),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_vec(), "expórtelo como PNG"),
            (b"no picture".to_vec(), "no es PNG ni JPEG"),
        ] {
            let answer = browser.send_file(LOGO, &[], ("logo", &file)).await;
            assert_eq!(answer.status, 400, "{answer:?}");
            let page = answer.text();
            assert!(page.contains("id=\"logo-wrong\"") && page.contains(said), "{said}: {page}");
            assert!(page.contains("value=\"Tienda Sol\""), "the other form stays: {page}");
        }
        // Without a part for a file, as from a browser of long ago.
        let answer = browser.send(LOGO, &[]).await;
        assert!(answer.status == 400 && answer.text().contains("elija una imagen"), "{answer:?}");
        assert!(owner.get("/v1/profile").await.ok()["logo_url"].is_null());
    }
}

either_engine! {
    async fn a_logo_that_somebody_set_meanwhile_is_neither_replaced_nor_taken_away_unseen(app: TestApp) {
        let owner = app.owner().await;
        let (first, second) = (app.browser(), app.browser());
        first.sign_in_as(&owner).await;
        second.sign_in_as(&owner).await;
        let logos = [RED, BLUE].map(|colour| png(320, 120, |_, _| colour));
        let logo = async || owner.get("/v1/profile").await.ok()["logo_url"].clone();
        first.open(PATH).await;
        second.open(PATH).await;
        assert_eq!(second.send_file(LOGO, &[], ("logo", &logos[0])).await.status, 303);
        let set = logo().await;
        assert_eq!(first.send_file(LOGO, &[], ("logo", &logos[1])).await.status, 409);
        assert_eq!(logo().await, set);
        // The page that says so has shown it.
        assert_eq!(first.send_file(LOGO, &[], ("logo", &logos[1])).await.status, 303);
        second.open(PATH).await;
        first.open(PATH).await;
        assert_eq!(first.send_file(LOGO, &[], ("logo", &logos[0])).await.status, 303);
        assert_eq!(second.send(REMOVE, &[("logo_sure", "yes")]).await.status, 409);
        assert_eq!(logo().await, set);
        assert_eq!(second.send(REMOVE, &[("logo_sure", "yes")]).await.status, 303);
        assert!(logo().await.is_null());
    }

    async fn a_file_of_another_page_is_not_taken_and_is_chosen_again(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(PATH).await;
        let old = browser.form_token();
        browser.send("/app/sign-out", &[]).await;
        browser.sign_in_as(&owner).await;
        let file = jpeg(40, 40, |_, _| BLUE);
        let answer = browser.send_file(LOGO, &[("form_token", &old)], ("logo", &file)).await;
        let page = answer.text();
        assert_eq!(answer.status, 403);
        assert!(page.contains("El archivo no se guardó: elíjalo otra vez."), "{page}");
        assert!(page.contains("enctype=\"multipart/form-data\"") && page.contains("name=\"logo\" type=\"file\""), "{page}");
        assert!(page.contains(&format!("action=\"{LOGO}\"")) && page.len() < 10_000, "{page}");
        for token in ["", "another"] {
            let answer = browser.send_file(LOGO, &[("form_token", token)], ("logo", &file)).await;
            assert_eq!(answer.status, 403, "{token}");
        }
        assert!(owner.get("/v1/profile").await.ok()["logo_url"].is_null());
        // The page that gives the form back has all that it is sent again with.
        assert_eq!(browser.send_file(LOGO, &[], ("logo", &file)).await.status, 303);
        assert!(owner.get("/v1/profile").await.ok()["logo_url"].is_string());

        // Who has not signed in is asked to, whatever is sent.
        let nobody = app.browser();
        for len in [10, 3 * 1024 * 1024] {
            let answer = nobody.send_file(LOGO, &[("form_token", "x")], ("logo", &vec![7; len])).await;
            assert_eq!(answer.status, 401);
            assert!(answer.text().contains("Su sesión terminó"), "{}", answer.text());
        }
    }

    async fn a_file_that_was_chosen_before_the_session_ended_is_chosen_again(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        let file = png(40, 40, |_, _| RED);
        let answer = browser.send_file(LOGO, &[("form_token", "x")], ("logo", &file)).await;
        let page = answer.text();
        assert!(page.contains("El archivo que eligió no se guardó"), "{page}");
        assert!(page.contains("name=\"again_file\" value=\"logo\""), "{page}");
        let fields = [("email", &*owner.email), ("password", "wrong wrong wrong"), ("next", LOGO), ("again_file", "logo"), ("again:again", "yes")];
        let wrong = browser.send("/app/sign-in", &fields).await.text();
        assert!(wrong.contains("name=\"again_file\" value=\"logo\""), "{wrong}");
        let right = fields.map(|(name, value)| (name, if name == "password" { &*owner.password } else { value }));
        let answer = browser.send("/app/sign-in", &right).await;
        let page = answer.text();
        assert!(page.contains("enctype=\"multipart/form-data\"") && page.contains("name=\"logo\" type=\"file\""), "{page}");
        assert!(page.contains("elíjalo otra vez") && page.contains(&format!("action=\"{LOGO}\"")), "{page}");
        assert_eq!(browser.send_file(LOGO, &[], ("logo", &file)).await.status, 303);
        assert!(owner.get("/v1/profile").await.ok()["logo_url"].is_string());
        // No form of ours has a file in a field of such a name.
        let made_up = right.map(|(name, value)| (name, if name == "again_file" { "\"><script>" } else { value }));
        assert!(!app.browser().send("/app/sign-in", &made_up).await.text().contains("type=\"file\""));
    }
}
