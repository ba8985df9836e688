//! Records that are sent back as they were shown: what a call does not take has the value in force, and is no change.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Owner, TestApp, either_engine};

use crate::pay::make;

/// A call that changes a record, the call that shows it, and where it stands in the answer.
struct Case {
    method: &'static str,
    path: String,
    show: String,
    place: &'static str,
    /// A field of the record that the call does not take, with another value.
    other: (&'static str, Value),
}

async fn cases(owner: &Owner) -> Vec<Case> {
    let (key, client) = (owner.key_with(&["movements"]).await.id, owner.client(true).await);
    let (employee, person) =
        (owner.employee(1, &["payments:read"]).await, owner.client_employee(&client, 1).await);
    let link = make(&owner.key, &owner.bank, json!({ "metadata": { "pedido": 7 } })).await;
    let (bank, employees) = (&owner.bank, format!("/v1/clients/{client}/employees"));
    owner.put("/v1/webhooks/endpoint", json!({ "url": "https://a.example/" })).await.ok();
    let case = |method, path: String, show: &str, place, other| Case {
        method,
        path,
        show: show.to_owned(),
        place,
        other,
    };
    let same = |path: &str| (path.to_owned(), path.to_owned());
    let (settings, show_settings) = same(&format!("/v1/usersbank/{bank}/settings"));
    let flat = |path: &str, other| case("PUT", path.to_owned(), path, "", other);
    vec![
        case(
            "PATCH",
            format!("/v1/api-keys/{key}"),
            &format!("/api-keys/{key}"),
            "/api_key",
            ("user_banks", json!([bank])),
        ),
        case(
            "PATCH",
            format!("/v1/api-keys/{}", owner.key.id),
            &format!("/api-keys/{}", owner.key.id),
            "/api_key",
            ("default", json!(false)),
        ),
        case(
            "PUT",
            format!("/v1/api-keys/{key}/scope"),
            &format!("/api-keys/{key}"),
            "/api_key",
            ("permissions", json!([])),
        ),
        case(
            "PATCH",
            format!("/v1/clients/{client}"),
            &format!("/v1/clients/{client}"),
            "/client",
            ("monthly_credit_limit", json!(5)),
        ),
        case("PATCH", employee.path(), "/v1/employees", "/employees/0", ("email", json!("a@b.c"))),
        case("PATCH", person.path(), &employees, "/employees/0", ("email", json!("a@b.c"))),
        case(
            "PATCH",
            format!("/paymentlink/{link}/patch"),
            &format!("/paymentlink/{link}/info"),
            "/data/payment_link",
            ("status", json!("paid")),
        ),
        case(
            "PUT",
            format!("/v1/usersbank/{bank}/client"),
            "/me/usersbank",
            "/user_banks/0",
            ("is_disabled", json!(true)),
        ),
        case("PUT", settings, &show_settings, "", ("bank", json!(1))),
        flat("/v1/payment-link-settings", ("bank", json!(1))),
        flat("/v1/notices/settings", ("bank", json!(1))),
        flat("/v1/profile", ("logo_url", json!("https://a.example/"))),
        case(
            "PUT",
            "/v1/webhooks/endpoint".to_owned(),
            "/v1/webhooks/endpoint",
            "/endpoint",
            ("created_at", json!("2020-01-01T00:00:00.000Z")),
        ),
    ]
}

either_engine! {
    async fn a_record_that_is_sent_back_whole_is_no_change(app: TestApp) {
        let owner = app.owner().await;
        for Case { method, path, show, place, other: (field, value) } in cases(&owner).await {
            let shown = owner.get(&show).await.ok();
            let mut record = shown.pointer(place).unwrap().clone();
            let trail = owner.get("/v1/audit").await.ok()["total"].clone();
            owner.request(method, &path).json(&record).send().await.ok();
            let whole = record.clone();
            record[field] = value;
            let answer = owner.request(method, &path).json(&record).send().await;
            super::problem(&answer, &path, field);
            // `null` asks for nothing.
            record[field] = Value::Null;
            if whole.get(field) != Some(&Value::Null) {
                owner.request(method, &path).json(&record).send().await.ok();
            }
            // An end that is counted from the change is moved by it.
            let moves = path.ends_with("/patch");
            let added = i64::from(moves) * 2;
            let total = owner.get("/v1/audit").await.ok()["total"].as_i64().unwrap();
            assert!(total - trail.as_i64().unwrap() <= added, "{path}");
        }
    }

    async fn what_moves_by_itself_is_no_change_though_it_has_moved(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let till = owner.client_key(&client).await;
        let theirs = till.link_bank().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        let (of_client, of_key) = (format!("/v1/clients/{client}"), format!("/v1/api-keys/{}", key.id));
        let shown = async || {
            let client = owner.get(&of_client).await.ok()["client"].clone();
            let key = owner.get(&format!("/api-keys/{}", key.id)).await.ok()["api_key"].clone();
            (client, key)
        };
        key.get("/me").await.ok();
        let (of_before, key_of_before) = shown().await;
        app.clock().advance(Duration::from_secs(120));
        till.verify(&theirs, json!({ "bank_reference": "167890" })).await.ok();
        key.get("/me").await.ok();
        let (client_now, key_now) = shown().await;
        assert_ne!(client_now["usage"], of_before["usage"]);
        assert_ne!(key_now["last_used_at"], key_of_before["last_used_at"]);
        owner.patch(&of_client, of_before.clone()).await.ok();
        owner.patch(&of_key, key_of_before.clone()).await.ok();
        owner.put(&format!("{of_key}/scope"), key_of_before).await.ok();
        assert_eq!(shown().await, (client_now, key_now));
        // What another call sets is a change all the same.
        let mut other = of_before;
        other["monthly_credit_limit"] = json!(5);
        super::problem(&owner.patch(&of_client, other).await, &of_client, "monthly_credit_limit");
    }

    async fn a_record_out_of_reach_is_not_found_whatever_is_sent(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let (key, client) = (owner.key_with(&[]).await.id, owner.client(true).await);
        for path in [format!("/v1/api-keys/{key}"), format!("/v1/clients/{client}")] {
            other.patch(&path, json!({ "made_up": 1 })).await.refused(404, "NOT_FOUND");
        }
        let link = make(&owner.key, &owner.bank, json!({})).await;
        let path = format!("/paymentlink/{link}/patch");
        other.patch(&path, json!({ "status": "paid" })).await.refused(404, "NOT_FOUND");
    }
}
