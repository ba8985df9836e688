//! A reference that fits several payments: none is chosen.

use serde_json::json;
use testkit::{TestApp, either_engine};

either_engine! {
    async fn more_digits_are_asked_for(app: TestApp) {
        let owner = app.owner().await;
        let asked = json!({ "bank_reference": "9910003" });
        let answer = owner.key.verify(&owner.bank, asked).await;
        let body = answer.refused(409, "PAYMENT_REFERENCE_AMBIGUOUS");
        assert_eq!(body["facts"], json!({ "digits_needed": 8 }));
        assert_eq!(owner.balance().await, 1_000);
        let activity = owner.activity_of(&owner.key).await;
        assert_eq!(activity["requests"][0]["error_code"], "PAYMENT_REFERENCE_AMBIGUOUS");
    }
}
