//! `GET` and `PUT /v1/profile`

use serde_json::{Value, json};
use testkit::{TestApp, either_engine};

const PATH: &str = "/v1/profile";

either_engine! {
    async fn an_owner_says_what_payers_are_shown(app: TestApp) {
        let owner = app.owner().await;
        let nothing = owner.get(PATH).await.ok();
        let names = ["public_name", "support_phone", "whatsapp", "support_email", "support_url", "document"];
        assert!(names.iter().all(|name| nothing[*name].is_null()), "{nothing}");
        let said = json!({
            "public_name": "  Tienda Ejemplo ",
            "support_phone": "(0212) 123.45.67",
            "whatsapp": "+58 414 1234567",
            "support_email": "Ayuda@Tienda.Example",
            "support_url": " https://tienda.example/ayuda?de=pago",
            "document": "j-12345678-4",
        });
        let kept = owner.put(PATH, said).await.ok();
        let actual = names.map(|name| kept[name].clone());
        let wanted = [
            "Tienda Ejemplo",
            "582121234567",
            "584141234567",
            "ayuda@tienda.example",
            "https://tienda.example/ayuda?de=pago",
            "J123456784",
        ];
        assert_eq!(actual, wanted.map(Value::from));

        let kept = owner.put(PATH, json!({ "brand_colour": "#0B5CAD" })).await.ok();
        assert_eq!((&kept["brand_colour"], &kept["whatsapp"]), (&json!("#0b5cad"), &json!(wanted[2])));

        // What is absent stays, null clears.
        let kept = owner.put(PATH, json!({ "whatsapp": null, "public_name": "Otra" })).await.ok();
        let actual = names.map(|name| kept[name].clone());
        let wanted = [
            json!("Otra"),
            json!(wanted[1]),
            Value::Null,
            json!(wanted[3]),
            json!(wanted[4]),
            json!(wanted[5]),
        ];
        assert_eq!(actual, wanted);
        let shown = owner.key.get(PATH).await.ok();
        assert_eq!(names.map(|name| shown[name].clone()), wanted, "the owner's keys read it");
        assert!(app.owner().await.get(PATH).await.ok()["public_name"].is_null());

        let kept = owner.put(PATH, json!({ "document": null })).await.ok();
        assert_eq!((&kept["document"], &kept["public_name"]), (&Value::Null, &json!("Otra")));

        // What changes something is in the audit trail, and what does not is not.
        owner.put(PATH, json!({ "public_name": "Otra" })).await.ok();
        let audited = "select count(*) from audit where action = 'SetProfile'";
        assert_eq!(app.database().number(audited), 4);
    }

    async fn what_payers_could_be_misled_by_is_refused(app: TestApp) {
        let owner = app.owner().await;
        let long = "x".repeat(101);
        let long_url = format!("https://tienda.example/{}", "x".repeat(300));
        for wrong in [
            json!({}),
            json!({ "public_name": "" }),
            json!({ "public_name": long }),
            json!({ "public_name": "Tienda \u{7}X" }),
            json!({ "public_name": "Tienda\u{0}X" }),
            json!({ "support_phone": "911" }),
            json!({ "whatsapp": "0212-1234567" }),
            json!({ "document": "X-123" }),
            json!({ "document": "" }),
            json!({ "document": "J0" }),
            json!({ "support_email": "ayuda" }),
            json!({ "support_url": "http://tienda.example" }),
            json!({ "support_url": "javascript://tienda.example/%0aalert(1)" }),
            json!({ "support_url": "https://tienda.example@otra.example" }),
            json!({ "support_url": "https://" }),
            json!({ "support_url": "https://tienda.example/ x" }),
            json!({ "support_url": long_url }),
            json!({ "brand_colour": "red" }),
            json!({ "brand_colour": "#0b5cad;}" }),
            json!({ "public_name": "Tienda", "support_email": 1 }),
        ] {
            owner.put(PATH, wrong).await.refused(400, "VALIDATION_ERROR");
        }
        assert!(owner.get(PATH).await.ok()["public_name"].is_null(), "all of it or nothing");
        // A caller with a key alone does not say where payers turn to.
        let client = owner.client(true).await;
        let client_key = owner.client_key(&client).await;
        let said = json!({ "whatsapp": "0414-1234567" });
        client_key.put(PATH, said.clone()).await.refused(403, "OWNER_SESSION_REQUIRED");
        client_key.get(PATH).await.refused(403, "FORBIDDEN");
        owner.key.put(PATH, said).await.refused(403, "OWNER_SESSION_REQUIRED");
    }
}
