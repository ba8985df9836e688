//! An event's proof in the hands of somebody else: verified by a program that shares nothing with ours.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

use serde_json::Value;
use testkit::{TestApp, both_engines};

use super::{next_day, received_on_retry};
use crate::webhooks::{Written, write};

/// The verifier of the guide.
const VERIFIER: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/receivers/verify-proof.py");

/// Runs the guide's verifier on a proof, and returns its output, or `None` where it rejects the proof.
pub(super) fn verify(proof: &Value) -> Option<String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("cotejo-proof-{}-{number}.json", std::process::id());
    let file: PathBuf = env::temp_dir().join(name);
    fs::write(&file, proof.to_string()).unwrap();
    let output = Command::new("python3").arg(VERIFIER).arg(&file).output().unwrap();
    fs::remove_file(file).unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    output.status.success().then_some(said)
}

/// The proof by the command line.
pub(super) fn export(app: &TestApp, written: Written) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotejo"));
    command.arg("export-delivery").arg(written.id.to_string()).args(app.arguments());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The guide that describes it.
const GUIDE: &str = include_str!("../../../../../docs/guide/proof-of-delivery.md");

/// The names of everything in it.
fn names(proof: &Value) -> Vec<&str> {
    match proof {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| [vec![name.as_str()], names(value)].concat())
            .collect(),
        Value::Array(items) => items.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}

/// Every place in it whose change must be noticed, with something else for it.
fn altered(proof: &Value) -> Vec<(String, Value)> {
    let of_event = ["owner_id", "id", "kind", "url", "body_digest", "url_digest", "digest"];
    let of_attempt = [
        "status",
        "trouble",
        "address",
        "is_reused",
        "phases",
        "request_head",
        "answer_digest",
        "began_at_micros",
        "duration_micros",
        "digest",
    ];
    let of_day = ["attempts", "root", "digest", "before", "day"];
    let event = of_event.iter().map(|name| format!("/event/{name}"));
    let attempts = of_attempt.iter().map(|name| format!("/attempts/0/{name}"));
    let days = of_day.iter().map(|name| format!("/days/0/{name}"));
    let steps = ["/days/0/paths/0/steps/0/digest".to_owned()];
    let other = |old: &Value| match old {
        Value::Number(number) => (number.as_i64().unwrap() + 1).into(),
        Value::Bool(is) => (!is).into(),
        // Still hexadecimal where it was.
        Value::String(text) if text.starts_with('0') => text.replacen('0', "1", 1).into(),
        Value::String(text) => text.replacen(|_: char| true, "0", 1).into(),
        _ => "00".into(),
    };
    let places = event.chain(attempts).chain(days).chain(steps);
    places
        .map(|place| {
            let mut altered = proof.clone();
            let value = altered.pointer_mut(&place).unwrap();
            *value = other(value);
            (place, altered)
        })
        .collect()
}

both_engines! {
    async fn a_proof_is_verified_by_anyone_who_has_it(app: TestApp) {
        let mut owner = app.owner().await;
        let written = received_on_retry(&app, &owner).await;
        // Others of the day are in the same tree.
        for _ in 0..4 {
            received_on_retry(&app, &owner).await;
        }
        let early = export(&app, written);
        assert_eq!(early["days"], Value::Array(Vec::new()), "the day is not over");
        assert_eq!(verify(&early).unwrap(), format!("OK: {} 2\n", written.id));

        next_day(&app, 1).await;
        let proof = export(&app, written);
        owner.sign_in_again().await;
        let path = format!("/v1/webhooks/deliveries/{}/evidence", written.id);
        let answer = owner.get(&path).await.ok();
        assert_eq!(answer["proof"], proof, "both ways show the same");
        assert!(verify(&answer).is_some(), "as it comes");
        assert_eq!(proof["days"][0]["attempts"], 10);
        assert_eq!(proof["event"]["state"], "delivered");
        let said = verify(&proof).unwrap();
        let day = proof["days"][0]["digest"].as_str().unwrap();
        assert!(said.contains(day) && said.ends_with(&format!("OK: {} 2\n", written.id)), "{said}");
        for name in names(&proof) {
            assert!(GUIDE.contains(&format!("`{name}`")), "the guide says nothing of {name}");
        }
        for (place, altered) in altered(&proof) {
            assert_eq!(verify(&altered), None, "{place}");
        }
    }

    async fn nobody_elses_proof_is_handed_out(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let receiver = super::failing(0);
        let written = write(&app, &owner, &receiver.url()).await;
        written.ended(&app).await;
        let path = format!("/v1/webhooks/deliveries/{}/evidence", written.id);
        other.get(&path).await.refused(404, "NOT_FOUND");
        owner.get("/v1/webhooks/deliveries/nothing/evidence").await.refused(404, "NOT_FOUND");
        assert_eq!(owner.get(&path).await.ok()["proof"]["event"]["id"], written.id.to_string());
    }
}
