//! `GET /v1/webhooks/deliveries` and one of them: what was sent, to whom, and the result.

use egress::DEADLINE;
use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::scripted::Play;
use testkit::{Owner, TestApp, both_engines};

use super::{Written, first_look, write, write_due_at};

/// A page of the log.
async fn page(owner: &Owner, query: &str) -> Value {
    owner.get(&format!("/v1/webhooks/deliveries?{query}")).await.ok()
}

/// The ids on a page.
async fn ids(owner: &Owner, query: &str) -> Vec<String> {
    let page = page(owner, query).await;
    let entries = page["deliveries"].as_array().unwrap();
    entries.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

/// A delivery with all that is kept of it.
pub(super) async fn show(owner: &Owner, written: Written) -> Value {
    let path = format!("/v1/webhooks/deliveries/{}", written.id);
    owner.get(&path).await.ok()["delivery"].clone()
}

both_engines! {
    async fn the_log_lists_the_newest_first_by_what_is_asked_for(app: TestApp) {
        let owner = app.owner().await;
        let (well, gone) = (Receiver::with_status(200), Receiver::with_status(410));
        let first = write(&app, &owner, &well.url()).await;
        first.ended(&app).await;
        app.clock().advance(std::time::Duration::from_secs(1));
        let second = write(&app, &owner, &gone.url()).await;
        second.ended(&app).await;
        let [one, other] = [first, second].map(|written| written.id.to_string());
        let host = well.url().split('/').nth(2).unwrap().to_owned();
        let link = domain::ids::LinkId::from_bytes([1; 16]);

        let all = page(&owner, "").await;
        assert_eq!((&all["total"], &all["page"], &all["limit"]), (&json!(2), &json!(1), &json!(25)));
        assert_eq!(all["looked_since"], json!(null));
        let entry = &all["deliveries"][1];
        assert_eq!((entry["id"].as_str(), entry["url"].as_str()), (Some(&*one), Some(&*well.url())));
        assert_eq!(entry["event"], "payment_link.paid");
        assert_eq!(entry["payment_link_id"], link.to_string());
        assert_eq!((&entry["state"], &entry["attempt_count"]), (&json!("delivered"), &json!(1)));
        assert_eq!((&entry["trouble"], &entry["next_attempt_at"]), (&json!(null), &json!(null)));
        assert!(entry["ended_at"].is_string() && entry["receiver"] == json!(host));
        assert_eq!(all["deliveries"][0]["state"], "exhausted");
        assert_eq!(all["deliveries"][0]["trouble"]["code"], "gone");

        for (query, expected) in [
            ("".to_owned(), vec![&other, &one]),
            ("limit=1".to_owned(), vec![&other]),
            ("limit=1&page=2".to_owned(), vec![&one]),
            ("state=exhausted".to_owned(), vec![&other]),
            ("state=pending".to_owned(), vec![]),
            ("event=payment_link.paid".to_owned(), vec![&other, &one]),
            ("event=test".to_owned(), vec![]),
            (format!("receiver={host}"), vec![&one]),
            (format!("payment_link_id={link}"), vec![&other, &one]),
            (format!("payment_link_id={link}&state=delivered"), vec![&one]),
            ("payment_link_id=link_00000000000000000000000009".to_owned(), vec![]),
            ("to=2020-01-01".to_owned(), vec![]),
            ("from=2020-01-01".to_owned(), vec![&other, &one]),
        ] {
            let found = ids(&owner, &query).await;
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{query}");
        }
        for query in ["state=open", "event=paid", "page=401", "limit=101", "payment_link_id=7"] {
            let refused = owner.get(&format!("/v1/webhooks/deliveries?{query}")).await;
            refused.refused(400, "VALIDATION_ERROR");
        }
        let stranger = app.owner().await;
        assert!(ids(&stranger, "").await.is_empty());
        stranger.get(&format!("/v1/webhooks/deliveries/{one}")).await.refused(404, "NOT_FOUND");
    }

    async fn a_delivery_is_shown_with_what_was_sent_and_answered(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|number| match number {
            1 => Play::Bytes(b"HTTP/1.1 503 No\r\nX-Why: \xff\r\n\r\n\xfftired".to_vec()),
            _ => Play::Answer(200, vec![b'x'; 3_000]),
        });
        let written = write(&app, &owner, &receiver.url()).await;
        written.tried(&app, 1).await;
        let waiting = show(&owner, written).await;
        assert_eq!((&waiting["state"], &waiting["under_way"]), (&json!("pending"), &json!(false)));
        assert!(waiting["next_attempt_at"].is_string(), "{waiting}");
        app.clock().advance_to(domain::time::Timestamp::from_micros(super::due_at(&app)));
        app.app().webhooks.ring();
        written.ended(&app).await;
        let received = receiver.received(2).await;

        // A key with the permission sees what the owner sees, in the language that it asks for.
        let key = owner.key_with(&["integrations"]).await;
        let path = format!("/v1/webhooks/deliveries/{}", written.id);
        let call = key.request("GET", &path).header("accept-language", "en");
        let shown = call.send().await.ok()["delivery"].clone();
        assert_eq!(shown["body"].as_str(), Some(received[0].body.as_str()), "byte for byte");
        let encoded = shown["body_base64"].as_str().unwrap();
        // `{"` and what follows, three bytes in four characters.
        assert!(encoded.starts_with("eyJ"), "{encoded}");
        assert_eq!(encoded.len(), received[0].body.len().div_ceil(3) * 4);
        let [first, second] = shown["attempts"].as_array().unwrap().as_slice() else {
            panic!("{shown}")
        };
        assert_eq!((&first["number"], &first["status"]), (&json!(1), &json!(503)));
        assert_eq!(first["trouble"]["code"], "refused");
        assert_eq!(first["trouble"]["text"], "the answer was no success (2xx)");
        assert_eq!(first["answer"]["line"], "HTTP/1.1 503 No");
        let why = &first["answer"]["headers"][0];
        assert_eq!((&why["name"], &why["value"]), (&json!("x-why"), &json!("\u{fffd}")));
        assert_eq!(first["answer_body"], "\u{fffd}tired");
        assert_eq!(first["answer_body_base64"], "/3RpcmVk");
        assert_eq!((&first["answer_body_cut"], &first["address"]), (&json!(false), &json!("127.0.0.1")));
        assert_eq!((&second["status"], &second["trouble"]), (&json!(200), &json!(null)));
        assert_eq!(second["answer_body_cut"], json!(true));
        assert_eq!(second["answer_body"].as_str().map(str::len), Some(1_024));
        assert!(second["phases_ms"]["waiting"].is_number(), "{second}");
        assert_eq!(second["phases_ms"]["securing"], json!(null));
        for (attempt, asked) in [first, second].iter().zip(&received) {
            assert_eq!(attempt["url"].as_str(), Some(&*receiver.url()));
            let sent = attempt["request"]["headers"].as_array().unwrap();
            let signature = sent.iter().find(|header| header["name"] == "X-Service-Signature");
            assert_eq!(signature.unwrap()["value"].as_str(), asked.header("x-service-signature"));
        }
    }

    async fn what_is_under_way_is_said_to_be(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::answering(|_| Play::Silence);
        let written = write(&app, &owner, &receiver.url()).await;
        receiver.received(1).await;
        let shown = show(&owner, written).await;
        assert_eq!((&shown["state"], &shown["under_way"]), (&json!("pending"), &json!(true)));
        assert_eq!((&shown["next_attempt_at"], &shown["attempts"]), (&json!(null), &json!([])));
        app.clock().advance(DEADLINE);
        written.tried(&app, 1).await;
        let shown = show(&owner, written).await;
        assert_eq!((&shown["under_way"], &shown["attempt_count"]), (&json!(false), &json!(1)));
        assert_eq!(shown["trouble"]["code"], "timeout_waiting");
        assert_eq!(shown["attempts"][0]["status"], json!(null));
        assert_eq!(shown["attempts"][0]["answer_body"], json!(null));

        // One whose time has not come waits as well.
        first_look(&app).await;
        let later = app.now().plus(DEADLINE);
        let written = write_due_at(&app, &owner, &receiver.url(), later).await;
        let shown = show(&owner, written).await;
        assert_eq!(shown["next_attempt_at"], json!(later.to_string()));
        assert_eq!(shown["under_way"], json!(false));
    }
}
