//! What the operator's machines ask.

use serde_json::json;
use testkit::{Setup, both_engines};

both_engines! {
    async fn it_lives_and_is_ready(setup: Setup) {
        let app = setup.in_real_time().start().await;
        for (path, word) in [("/health/live", "alive"), ("/health/ready", "ready")] {
            let answer = app.nobody().get(path).await;
            assert_eq!((answer.status, answer.json()), (200, json!({ "status": word })));
        }
    }

    async fn metrics_count_requests_and_what_came_of_them(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        owner.key.verify(&owner.bank, json!({ "bank_reference": "67890" })).await.ok();
        let answer = owner.key.verify(&owner.bank, json!({ "bank_reference": "123456" })).await;
        answer.refused(404, "PAYMENT_NOT_FOUND");
        let answer = app.nobody().get("/metrics").await;
        assert_eq!(answer.status, 200);
        let text = String::from_utf8(answer.body.to_vec()).unwrap();
        for line in [
            "cotejo_verifications_total{end=\"confirmed\"} ",
            "cotejo_verifications_total{end=\"PAYMENT_NOT_FOUND\"} ",
            "cotejo_store_statements_total ",
            "cotejo_store_queue_length{lane=\"admission\"} ",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        // Paths stand there as templates: an id is a label without end, and a secret in a URL too.
        assert!(!text.contains(&owner.bank) && !text.contains(&owner.key.text), "{text}");
    }
}
