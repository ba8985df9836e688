//! What payers are told, and the colour of their page.

use serde_json::{Value, json};
use testkit::{TestApp, both_engines};

const PATH: &str = "/app/profile";

both_engines! {
    async fn an_owner_says_what_payers_see_and_they_see_it(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open(PATH).await;
        let fields = [
            ("public_name", "Tienda <Ejemplo>"),
            ("support_phone", "0212-1234567"),
            ("whatsapp", ""),
            ("support_email", "ayuda@tienda.example"),
            ("brand_colour", "#FFD700"),
        ];
        assert_eq!(browser.send(PATH, &fields).await.status, 303);
        let page = browser.open(PATH).await;
        assert!(page.contains("value=\"#ffd700\"") && page.contains("value=\"02121234567\""), "{page}");
        let body = json!({ "amount": 5, "description": "x", "user_bank_id": owner.bank });
        let made: Value = owner.key.post("/v1/paymentlink", body).await.ok();
        let id = made["paymentlink"]["id"].as_str().unwrap();
        let shown = app.nobody().get(&format!("/pay/{id}")).await.text();
        assert!(shown.contains("Tienda &#60;Ejemplo&#62;") && shown.contains("href=\"/pay/brand/ffd700.css\""));
        let style = app.nobody().get("/pay/brand/ffd700.css").await;
        assert_eq!((style.status, style.header("content-type")), (200, Some("text/css; charset=utf-8")));
        assert_eq!(style.header("x-content-type-options"), Some("nosniff"));
        assert!(style.text().contains("--strong:#ffd700"), "{}", style.text());

        let wrong = browser.send(PATH, &[("public_name", "Tienda"), ("brand_colour", "rojo")]).await;
        assert_eq!(wrong.status, 400);
        assert!(wrong.text().contains("id=\"brand_colour-wrong\""));
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
