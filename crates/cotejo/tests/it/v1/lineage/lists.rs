//! What lives is listed where somebody may have left it: after another password, and after the rotation of a key.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::employee::PASSWORD;
use testkit::{Owner, Response, TestApp, either_engine};

use super::{INVITES, issue, issuing, path};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn change_password(owner: &Owner) -> Response {
    let body =
        json!({ "current_password": owner.password, "new_password": "otra frase de prueba" });
    owner.post("/auth/password", body).await
}

fn names(answer: &Value) -> Vec<&str> {
    answer["issued"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

either_engine! {
    async fn another_password_lists_what_was_issued_lately_and_ends_none_of_it(app: TestApp) {
        let mut owner = app.owner().await;
        owner.issue(json!({ "name": "vieja" })).await;
        app.clock().advance(91 * DAY);
        owner.sign_in_again().await;
        let issuer = issuing(&owner).await;
        app.clock().advance(Duration::from_secs(1));
        let issued = issue(&owner, &issuer, "por otra").await;
        let gone = issue(&owner, &issuer, "ya no").await;
        owner.revoke(&gone).await;
        app.clock().advance(Duration::from_secs(1));
        let luis = owner.employee(1, &INVITES).await;
        let session = owner.get("/auth/sessions").await.ok()["sessions"].as_array().unwrap().iter()
            .find(|session| session["is_current"] == true).unwrap()["id"].clone();

        let answer = change_password(&owner).await.ok();
        assert_eq!(names(&answer), ["Luis", "por otra", "caja"], "the newest first");
        assert_eq!(answer["more_issued"], false);
        let [person, by_key, by_owner] = answer["issued"].as_array().unwrap().as_slice() else { panic!("{answer}") };
        assert_eq!((&person["kind"], &person["id"]), (&json!("employee"), &json!(luis.id)));
        assert_eq!((&person["session_id"], &person["address"]), (&session, &json!("127.0.0.1")));
        assert_eq!(by_key["issued_by"], json!({ "kind": "key", "id": issuer.id }));
        assert_eq!((&by_key["session_id"], &by_key["id"]), (&Value::Null, &json!(issued.id)));
        assert_eq!(by_owner["issued_by"], json!({ "kind": "owner", "id": Value::Null }));
        for goes_on in [&*issuer, &*issued, &*luis] {
            goes_on.get("/me").await.ok();
        }
    }

    async fn a_person_is_listed_what_it_has_issued_itself(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let marta = owner.client_employee(&client, 1).await;
        owner.client_key(&client).await;
        issue(&owner, &marta, "suya").await;
        let body = json!({ "current_password": PASSWORD, "new_password": "otra frase de prueba" });
        let answer = marta.post("/auth/password", body).await.ok();
        assert_eq!(names(&answer), ["suya"]);
        assert_eq!(answer["issued"][0]["issued_by"], json!({ "kind": "person", "id": Value::Null }));
    }

    async fn a_rotation_lists_what_the_key_has_issued(app: TestApp) {
        let owner = app.owner().await;
        let issuer = issuing(&owner).await;
        issue(&owner, &issuer, "por otra").await;
        issue(&owner, &owner.key, "por la principal").await;
        let rotated = owner.post(&format!("{}/rotate", path(&issuer)), json!({})).await.ok();
        assert_eq!(names(&rotated), ["por otra"]);
        let rotated = owner.post("/v1/api-keys/default/rotate", json!({})).await.ok();
        assert_eq!(names(&rotated), ["por la principal"]);
    }
}
