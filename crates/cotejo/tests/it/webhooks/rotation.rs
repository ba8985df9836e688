//! `POST /me/webhook-secret/rotate`, and what receivers get while two secrets are good.

mod overlap;
mod sealed;

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::receiver::{Receiver, is_signed};
use testkit::scripted::{Asked, Play, Scripted};
use testkit::{Owner, TestApp, both_engines, either_engine};

use super::{secret, write};

const PATH: &str = "/me/webhook-secret/rotate";
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Rotates with an overlap of so many hours, and answers the new secret.
async fn rotate(owner: &Owner, hours: u8) -> String {
    let answer = owner.post(PATH, json!({ "overlap_hours": hours })).await.ok();
    text(&answer["webhook_secret"])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// A receiver that believes these secrets and nobody else's.
fn knowing(secrets: &[&str]) -> Scripted {
    let secrets: Vec<_> = secrets.iter().map(|&secret| secret.to_owned()).collect();
    Scripted::start(move |asked| {
        let is_known = secrets.iter().any(|secret| is_signed(asked, secret, "Service"));
        Play::Answer(if is_known { 204 } else { 401 }, Vec::new())
    })
}

/// Checks that an attempt bears one signature in the described header, by that secret, and so many
/// in the header of Standard Webhooks.
fn assert_signed(request: &Asked, secret: &str, in_all: usize) {
    assert!(is_signed(request, secret, "Service"));
    let described = request.headers.iter().filter(|(name, _)| name == "x-service-signature");
    assert_eq!(described.count(), 1);
    let standard = request.header("webhook-signature").unwrap();
    assert_eq!(standard.split(' ').filter(|one| one.starts_with("v1,")).count(), in_all);
}

either_engine! {
    async fn a_rotation_returns_the_new_secret_and_until_when_the_former_is_good(app: TestApp) {
        let mut owner = app.owner().await;
        let former = secret(&owner).await;
        let answer = owner.post(PATH, json!({})).await.ok();
        let fields: Vec<_> = answer.as_object().unwrap().keys().collect();
        let known =
            ["message", "previous_valid_until", "standard_webhooks_secret", "webhook_secret"];
        assert_eq!(fields, known);
        let new = text(&answer["webhook_secret"]);
        assert!(new != former && new.len() == 64);
        assert_eq!(answer["previous_valid_until"], app.now().plus(24 * HOUR).to_string());
        let shown = owner.get("/me/webhook-secret").await.ok();
        for field in ["webhook_secret", "standard_webhooks_secret", "previous_valid_until"] {
            assert_eq!(shown[field], answer[field], "{field}");
        }
        app.clock().advance(24 * HOUR);
        owner.sign_in_again().await;
        let shown = owner.get("/me/webhook-secret").await.ok();
        assert_eq!(shown["webhook_secret"], new);
        assert!(shown.get("previous_valid_until").is_none(), "{shown}");
    }

    async fn where_nothing_came_before_nothing_is_good_besides(app: TestApp) {
        let owner = app.owner().await;
        // Nobody has asked for one, so that nobody knows one.
        let answer = owner.post(PATH, json!({ "overlap_hours": 168 })).await.ok();
        assert_eq!(answer["previous_valid_until"], json!(null));
        let answer = owner.post(PATH, json!({ "overlap_hours": 0 })).await.ok();
        assert_eq!(answer["previous_valid_until"], json!(null));
        assert_eq!(secret(&owner).await, answer["webhook_secret"]);
        assert_eq!(kept_former(&app), 0);
        let trail = "select count(*) from audit where action = 'RotateWebhookSecret'";
        assert_eq!(app.database().number(trail), 2);
    }

    async fn hours_are_whole_and_a_week_at_most(app: TestApp) {
        let owner = app.owner().await;
        let former = secret(&owner).await;
        for hours in [json!(-1), json!(169), json!(1.5), json!("24"), json!(true), json!([])] {
            let answer = owner.post(PATH, json!({ "overlap_hours": hours })).await;
            let body = answer.refused(400, "VALIDATION_ERROR");
            assert_eq!(body["details"][0]["field"], "overlap_hours", "{hours}");
        }
        assert_eq!(secret(&owner).await, former);
        let week = owner.post(PATH, json!({ "overlap_hours": 168 })).await.ok();
        assert_eq!(week["previous_valid_until"], app.now().plus(168 * HOUR).to_string());
    }

    async fn only_the_owner_rotates(app: TestApp) {
        let owner = app.owner().await;
        let former = secret(&owner).await;
        let key = owner.key_with(&["integrations"]).await;
        for caller in [&key, &owner.key] {
            caller.post(PATH, json!({})).await.refused(403, "OWNER_SESSION_REQUIRED");
        }
        assert_eq!(secret(&owner).await, former);
    }

    async fn the_same_call_again_rotates_nothing_and_reveals_no_secret(app: TestApp) {
        let owner = app.owner().await;
        secret(&owner).await;
        let rotate = |hours: u8| {
            let call = owner.request("POST", PATH).header("Idempotency-Key", "k-1");
            call.json(&json!({ "overlap_hours": hours })).send()
        };
        let answer = rotate(24).await.ok();
        let body = rotate(24).await.refused(409, "CONFLICT");
        assert!(text(&body["facts"]["id"]).starts_with("aud_"), "{body}");
        assert!(!body.to_string().contains(&*text(&answer["webhook_secret"])));
        rotate(1).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(secret(&owner).await, answer["webhook_secret"]);
    }

    /// An attempt under way has read what it is signed with; whatever begins after the answer has not.
    async fn what_begins_after_the_answer_is_signed_anew(app: TestApp) {
        let owner = app.owner().await;
        let former = secret(&owner).await;
        let silent = Receiver::answering(|_| Play::Silence);
        write(&app, &owner, &silent.url()).await;
        assert!(is_signed(&silent.received(1).await[0], &former, "Service"));
        let new = rotate(&owner, 0).await;
        let receiver = Receiver::with_status(204);
        for number in 1..=3 {
            write(&app, &owner, &receiver.url()).await.ended(&app).await;
            assert_signed(&receiver.received(number).await[number - 1], &new, 1);
        }
    }
}

both_engines! {
    async fn of_rotations_at_once_each_is_the_former_of_the_next(app: TestApp) {
        let owner = app.owner().await;
        let first = secret(&owner).await;
        let secrets = join_all((0..6).map(|_| rotate(&owner, 1))).await;
        let different: HashSet<_> = secrets.iter().chain([&first]).collect();
        assert_eq!(different.len(), 7);
        let newest = secret(&owner).await;
        assert!(secrets.contains(&newest));
        // Exactly one of the others is good besides, and not the first: that is five rotations ago.
        let mut good = Vec::new();
        for one in different {
            let receiver = knowing(&[one]);
            write(&app, &owner, &receiver.base_url()).await.tried(&app, 1).await;
            // A receiver that believes the newest is notified once, and all others twice.
            while receiver.asked().len() < if *one == newest { 1 } else { 2 } {
                tokio::task::yield_now().await;
            }
            if receiver.asked().iter().any(|request| is_signed(request, one, "Service")) {
                good.push(one.clone());
            }
        }
        assert_eq!(good.len(), 2, "{} of 7", good.len());
        assert!(good.contains(&newest) && !good.contains(&first));
    }
}

/// How many former secrets are kept.
fn kept_former(app: &TestApp) -> i64 {
    app.database().number("select count(*) from webhook_secrets where previous is not null")
}
