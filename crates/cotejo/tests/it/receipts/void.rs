//! A merchant says of a receipt that it is void.

use serde_json::json;
use testkit::{TestApp, either_engine};

use super::{paid_link, payment_of, receipts};

either_engine! {
    async fn a_void_receipt_stays_listed_with_its_reason_and_the_payment_stays(app: TestApp) {
        let owner = app.owner().await;
        let link = paid_link(&app, &owner, "167890").await;
        let id = receipts(&owner).await[0]["id"].as_str().unwrap().to_owned();
        let path = format!("/v1/receipts/{id}/void");
        for body in [json!({}), json!({ "reason": "" }), json!({ "reason": "x".repeat(201) })] {
            owner.post(&path, body).await.refused(400, "VALIDATION_ERROR");
        }
        let employee = owner.employee(1, &["payments:write"]).await;
        let reason = json!({ "reason": "El pedido se emitió dos veces" });
        let voided = employee.post(&path, reason.clone()).await.ok()["receipt"].clone();
        assert_eq!((&voided["status"], &voided["void_reason"]), (&json!("void"), &reason["reason"]));
        assert!(voided["voided_at"].is_string(), "{voided}");
        // The same again finds it so; another reason does not replace the first one.
        app.clock().advance(std::time::Duration::from_secs(60));
        assert_eq!(owner.post(&path, reason).await.ok()["receipt"], voided);
        owner.post(&path, json!({ "reason": "Otro" })).await.refused(409, "CONFLICT");
        assert_eq!(receipts(&owner).await, [voided]);
        assert_eq!(payment_of(&owner, &link).await["status"], "paid");
        let audit = owner.get("/v1/audit").await.ok();
        let lines = audit["entries"].as_array().unwrap();
        let lines: Vec<_> = lines.iter().filter(|line| line["action"] == "VoidReceipt").collect();
        assert_eq!(lines.len(), 1, "{audit}");
        assert_eq!(lines[0]["after"]["void_reason"], "El pedido se emitió dos veces");
    }

    async fn only_people_of_the_owner_may(app: TestApp) {
        let owner = app.owner().await;
        paid_link(&app, &owner, "167890").await;
        let id = receipts(&owner).await[0]["id"].as_str().unwrap().to_owned();
        let (path, reason) = (format!("/v1/receipts/{id}/void"), json!({ "reason": "Prueba" }));
        owner.key.post(&path, reason.clone()).await.refused(403, "OWNER_SESSION_REQUIRED");
        let reader = owner.employee(1, &["payments:read"]).await;
        reader.post(&path, reason.clone()).await.refused(403, "FORBIDDEN");
        app.owner().await.post(&path, reason).await.refused(404, "NOT_FOUND");
        assert_eq!(receipts(&reader).await[0]["status"], "issued");
    }
}
