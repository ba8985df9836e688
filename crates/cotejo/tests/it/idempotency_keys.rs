//! Which operations take an `Idempotency-Key`: every POST that creates or charges, and no other.

use api::endpoints;
use serde_json::{Value, json};
use testkit::{TestApp, either_engine};

/// Every POST that creates or charges nothing, and why.
const OTHERS: [(&str, &str); 37] = [
    ("Login", "a session is a secret of its own, and nobody is known yet"),
    ("RefreshSession", "its token is good once and tells by itself what became of it"),
    ("RequestPasswordReset", "a person gets few, and nobody is known yet"),
    ("ResetPassword", "a link works once, and nobody is known yet"),
    ("ConfirmEmail", "a link works once, and nobody is known yet"),
    ("AcceptInvitation", "an invitation is good once, and nobody is known yet"),
    ("ChangePassword", "its present password is another once it was done"),
    ("BeginSecondFactor", "what was begun before is over, and its answer is a secret"),
    ("ConfirmSecondFactor", "a code is taken once, and its answer is a secret"),
    ("RenewRecoveryCodes", "those of before are over, and its answer is a secret"),
    ("StepUp", "a code is taken once"),
    ("Logout", "what is over is over"),
    ("TakeBankNotice", "a bank's notice is told apart by what it says"),
    ("CancelLink", "the same again finds the link as it was left"),
    ("StopLink", "the same again finds the link as it was left"),
    ("ResumeLink", "the same again finds the link as it was left"),
    ("RejectLink", "the same again finds the link as it was left"),
    ("VoidReceipt", "the same again finds it void for that reason"),
    ("CancelSubscription", "the same again finds the subscription as it was left"),
    ("UndoCancellation", "the same again finds the subscription as it was left"),
    ("PauseSubscription", "the same again finds the subscription as it was left"),
    ("ResumeSubscription", "the same again finds the subscription as it was left"),
    ("SetSubscriptionPrice", "the same again finds that price"),
    ("SetUnpaidPolicy", "the same again finds that choice"),
    (
        "AdvanceTestClock",
        "the same day again finds the clock there, and days are counted on, which their text says",
    ),
    ("RenewCycleLink", "the same again finds the link that can be paid"),
    ("WaiveCycle", "the same again finds it waived"),
    (
        "IssuePayerPage",
        "the same again finds the page open as long, and of several addresses the last one is good",
    ),
    ("ListSubscriptions", "a list"),
    ("DismissNotice", "the same again finds it dismissed"),
    ("ListLinks", "a list"),
    ("ReadStatement", "the same again finds the reading that goes on"),
    ("CloseReview", "the same again finds the account reviewed"),
    ("PayOutChange", "is always refused"),
    ("PayOutChangeOfAccount", "is always refused"),
    ("TestWebhook", "a trial of a receiver, which is meant to be made again"),
    ("CheckReceiver", "a trial of a receiver, which is meant to be made again"),
];

/// Tells whether the published document says that an operation takes the header.
fn is_published(document: &Value, path: &str, method: &str) -> bool {
    let operation = &document["paths"][path][method.to_lowercase()];
    let parameters = operation["parameters"].as_array();
    parameters.is_some_and(|all| all.iter().any(|one| one["name"] == "Idempotency-Key"))
}

either_engine! {
    async fn every_post_that_creates_or_charges_takes_one_and_no_other(app: TestApp) {
        let mut owner = app.owner().await;
        let document = app.nobody().get("/openapi.json").await.json();
        let too_long = "x".repeat(256);
        let mut wrong = Vec::new();
        for entry in endpoints() {
            let path = entry.path.replace(['{', '}'], "");
            let call = owner.request(entry.method.as_str(), &path).header("Idempotency-Key", &too_long);
            let answer = call.json(&json!({})).send().await;
            let is_read = answer.end() == (400, "VALIDATION_ERROR".to_owned())
                && answer.json()["details"][0]["field"] == "Idempotency-Key";
            let is_due = entry.method == "POST" && !OTHERS.iter().any(|(name, _)| *name == entry.name);
            let published = is_published(&document, entry.path, entry.method.as_str());
            if (is_read, published) != (is_due, is_due) {
                wrong.push(format!("{}: read {is_read}, published {published}", entry.name));
            }
            if entry.name == "Logout" {
                owner.sign_in_again().await;
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
