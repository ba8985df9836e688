//! `GET` and `POST /v1/clients`, `GET` and `PATCH /v1/clients/{client_id}`

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::http::Response;
use testkit::owner::link_bank;
use testkit::{Owner, TestApp, both_engines};

use crate::slow_bank::{SLOW_REFERENCE, let_answer, time_out};

async fn make(owner: &Owner, body: Value) -> Value {
    owner.post("/v1/clients", body).await.ok()["client"].clone()
}

async fn shown(owner: &Owner, client: &Value) -> Value {
    owner.get(&path(client)).await.ok()["client"].clone()
}

async fn change(owner: &Owner, client: &Value, change: Value) -> Response {
    owner.patch(&path(client), change).await
}

fn path(client: &Value) -> String {
    format!("/v1/clients/{}", id(client))
}

fn id(client: &Value) -> &str {
    client["id"].as_str().unwrap()
}

both_engines! {
    async fn a_client_is_made_shown_and_changed(app: TestApp) {
        let owner = app.owner().await;
        let made = make(&owner, json!({
            "name": " Sucursal Este ", "email": "Este@Tienda.example", "document": "J-40.123.456-7",
        }));
        let made = made.await;
        let mut expected = json!({
            "id": made["id"],
            "name": "Sucursal Este",
            "email": "este@tienda.example",
            "document": "J401234567",
            "is_active": true,
            "payments_enabled": false,
            "monthly_credit_limit": null,
            "usage": { "used": 0, "remaining": null, "resets_at": "2026-12-01T04:00:00.000Z" },
            "user_banks": [],
            "created_at": "2026-11-20T12:00:00.000Z",
            "updated_at": "2026-11-20T12:00:00.000Z",
        });
        assert_eq!(made, expected);
        assert_eq!(shown(&owner, &made).await, expected);

        let key = owner.client_key(id(&made)).await;
        let bank = key.link_bank().await;
        let trashed = key.link_bank().await;
        owner.delete(&format!("/usersbank/{trashed}/to-trash")).await.ok();
        owner.set_quota(id(&made), json!(50)).await.ok();
        app.clock().advance(Duration::from_secs(60));
        let changes = json!({ "name": "Este", "email": null, "payments_enabled": true });
        let changed = change(&owner, &made, changes).await.ok()["client"].clone();
        for (field, value) in [
            ("name", json!("Este")), ("email", Value::Null), ("payments_enabled", json!(true)),
            ("monthly_credit_limit", json!(50)), ("user_banks", json!([bank])),
            ("usage", json!({ "used": 0, "remaining": 50, "resets_at": "2026-12-01T04:00:00.000Z" })),
            ("updated_at", json!("2026-11-20T12:01:00.000Z")),
        ] {
            expected[field] = value;
        }
        assert_eq!(changed, expected);
        assert_eq!(shown(&owner, &made).await, expected);
        // What is not named stays; the quota has its own operation.
        let quota = change(&owner, &made, json!({ "monthly_credit_limit": 9 })).await;
        let problem = quota.refused(400, "VALIDATION_ERROR")["details"][0]["problem"].to_string();
        assert!(problem.contains("/credit-limit"), "{problem}");
        assert_eq!(shown(&owner, &made).await, expected);
        let trail = "select count(*) from audit where action in ('CreateClient', 'ChangeClient')";
        assert_eq!(app.database().number(trail), 2, "made, and changed once");
    }

    async fn clients_are_listed_the_newest_first_each_with_its_accounts(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        make(&stranger, json!({ "name": "Ajeno" })).await;
        let mut made = Vec::new();
        for number in 0..5 {
            app.clock().advance(Duration::from_millis(1));
            made.push(make(&owner, json!({ "name": format!("Sucursal {number}") })).await);
        }
        let bank = owner.client_key(id(&made[1])).await.link_bank().await;
        made[1]["user_banks"] = json!([bank]);
        made.reverse();
        let all = owner.get("/v1/clients").await.ok();
        assert_eq!(all["clients"], json!(made));
        assert_eq!((&all["total"], &all["page"], &all["limit"]), (&json!(5), &json!(1), &json!(25)));
        let page = owner.get("/v1/clients?page=2&limit=2").await.ok();
        assert_eq!(page["clients"], json!(made[2..4]));
        assert_eq!((&page["total"], &page["page"], &page["limit"]), (&json!(5), &json!(2), &json!(2)));
        assert_eq!(owner.get("/v1/clients?page=9").await.ok()["clients"], json!([]));
        for query in ["page=0", "limit=101", "limit=x"] {
            owner.get(&format!("/v1/clients?{query}")).await.refused(400, "VALIDATION_ERROR");
        }
    }

    async fn a_client_that_is_not_active_takes_its_keys_with_it_until_it_is_again(app: TestApp) {
        let owner = app.owner().await;
        let client = make(&owner, json!({ "name": "Sucursal", "payments_enabled": true })).await;
        let key = owner.client_key(id(&client)).await;
        let bank = key.link_bank().await;
        let asked = json!({ "bank_reference": "67890" });
        change(&owner, &client, json!({ "is_active": false })).await.ok();
        key.verify(&bank, asked.clone()).await.refused(403, "CLIENT_IS_NOT_ACTIVE");
        key.get("/me").await.refused(403, "CLIENT_IS_NOT_ACTIVE");
        // What is the owner's own goes on.
        owner.key.verify(&owner.bank, asked.clone()).await.ok();
        change(&owner, &client, json!({ "is_active": true })).await.ok();
        key.verify(&bank, asked).await.ok();
    }

    async fn payments_are_the_owners_to_enable(app: TestApp) {
        let owner = app.owner().await;
        let client = make(&owner, json!({ "name": "Sucursal" })).await;
        let key = owner.client_key(id(&client)).await;
        let bank = key.link_bank().await;
        let asked = json!({ "bank_reference": "67890" });
        key.verify(&bank, asked.clone()).await.refused(403, "FORBIDDEN");
        change(&owner, &client, json!({ "payments_enabled": true })).await.ok();
        key.verify(&bank, asked.clone()).await.ok();
        change(&owner, &client, json!({ "payments_enabled": false })).await.ok();
        key.verify(&bank, asked).await.refused(403, "FORBIDDEN");
    }

    async fn an_employee_takes_payments_and_the_service_from_a_client_and_gives_them_to_none(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["clients:write"]).await;
        let enabled = json!({ "name": "Sucursal", "payments_enabled": true });
        luis.post("/v1/clients", enabled.clone()).await.refused(403, "OWNER_SESSION_REQUIRED");
        luis.post("/v1/clients", json!({ "name": "Norte", "payments_enabled": false })).await.ok();
        let client = make(&owner, enabled.clone()).await;
        // What is so already is no change.
        luis.patch(&path(&client), enabled).await.ok();
        for (field, is_left) in [("payments_enabled", "is_active"), ("is_active", "payments_enabled")] {
            luis.patch(&path(&client), json!({ field: false })).await.ok();
            let on = json!({ field: true, "name": "Otra" });
            luis.patch(&path(&client), on.clone()).await.refused(403, "OWNER_SESSION_REQUIRED");
            let standing = shown(&owner, &client).await;
            assert_eq!((&standing[field], &standing[is_left]), (&json!(false), &json!(true)));
            assert_eq!(standing["name"], "Sucursal");
            change(&owner, &client, on).await.ok();
            change(&owner, &client, json!({ "name": "Sucursal" })).await.ok();
        }
        app::refusals::write(app.app()).await.unwrap();
        let count = "select cast(sum(times) as bigint) from audit where action = 'NoRight'";
        assert_eq!(app.database().number(count), 3);
    }

    async fn another_owners_client_does_not_exist(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let client = make(&stranger, json!({ "name": "Ajeno" })).await;
        for id in [id(&client), "cli_00000000000000000000000000", &owner.key.id, "nothing"] {
            let path = format!("/v1/clients/{id}");
            owner.get(&path).await.refused(404, "NOT_FOUND");
            owner.patch(&path, json!({ "is_active": false })).await.refused(404, "NOT_FOUND");
        }
        assert_eq!(shown(&stranger, &client).await, client);
    }

    async fn what_is_wrong_is_reported_by_field_and_nothing_is_written(app: TestApp) {
        let owner = app.owner().await;
        let client = make(&owner, json!({ "name": "Sucursal" })).await;
        for (field, value) in [
            ("name", json!("")), ("name", json!(7)), ("name", json!("x".repeat(121))),
            ("name", json!("a\u{7f}b")), ("name", json!("a\u{0}b")), ("email", json!("nobody")),
            ("email", json!([])), ("document", json!("X1")), ("document", json!({ "dni_type": "X", "dni_number": 1 })),
            ("payments_enabled", json!("yes")), ("is_active", json!(1)),
        ] {
            let mut body = json!({ "name": "Otra" });
            body[field] = value;
            let refused = change(&owner, &client, body.clone()).await;
            let error = refused.refused(400, "VALIDATION_ERROR");
            assert_eq!(error["details"][0]["field"], field, "{body}");
            if field != "is_active" {
                let error = owner.post("/v1/clients", body).await.refused(400, "VALIDATION_ERROR");
                assert_eq!(error["details"][0]["field"], field);
            }
        }
        for body in [json!({}), json!({ "name": null })] {
            owner.post("/v1/clients", body).await.refused(400, "VALIDATION_ERROR");
        }
        assert_eq!(owner.get("/v1/clients").await.ok()["clients"], json!([client]));
    }

    async fn an_idempotency_key_makes_one_client(app: TestApp) {
        let owner = app.owner().await;
        let post = async |body: Value| {
            let call = owner.request("POST", "/v1/clients").header("idempotency-key", "alta-1");
            call.json(&body).send().await
        };
        let first = post(json!({ "name": "Sucursal" })).await.ok();
        let again = post(json!({ "name": "Sucursal" })).await.ok();
        assert_eq!(first, again);
        post(json!({ "name": "Otra" })).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(owner.get("/v1/clients").await.ok()["total"], 1);
    }

    async fn two_clients_of_one_name_need_documents_that_differ(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let first = make(&owner, json!({ "name": "Panadería Unión" })).await;
        let other = make(&owner, json!({ "name": "Kiosco" })).await;
        let taken = async |body: Value| {
            let refused = owner.post("/v1/clients", body).await.refused(409, "CONFLICT");
            assert_eq!(refused["facts"]["client_id"], first["id"]);
        };
        taken(json!({ "name": "panaderia union" })).await;
        taken(json!({ "name": "PANADERÍA UNION", "document": "J-40.123.456-7" })).await;
        change(&owner, &first, json!({ "document": "V-12345678" })).await.ok();
        taken(json!({ "name": "Panadería Unión" })).await;
        taken(json!({ "name": "Panadería Unión", "document": "V12345678" })).await;
        let known = json!({ "name": "PANADERÍA UNION", "document": "J-40.123.456-7" });
        let second = make(&owner, known).await;
        for (client, body) in [
            (&second, json!({ "document": null })),
            (&second, json!({ "document": "V12345678" })),
            (&first, json!({ "document": "J401234567" })),
            (&other, json!({ "name": "Panaderia Union" })),
        ] {
            let before = shown(&owner, client).await;
            change(&owner, client, body).await.refused(409, "CONFLICT");
            assert_eq!(shown(&owner, client).await, before);
        }
        // The name that it has, and what has nothing to do with names.
        change(&owner, &second, json!({ "name": "Panadería Union", "email": "a@b.example" })).await.ok();
        change(&owner, &other, json!({ "name": "Panaderia Union", "document": "V1234567" })).await.ok();
        assert_eq!(owner.get("/v1/clients").await.ok()["total"], 3);
        make(&stranger, json!({ "name": "Panadería Unión" })).await;
    }

    async fn of_clients_that_are_made_at_once_with_one_name_one_is_made(app: TestApp) {
        let owner = app.owner().await;
        let calls = (0..6).map(|_| owner.post("/v1/clients", json!({ "name": "Sucursal" })));
        let mut ends: Vec<_> = join_all(calls).await.iter().map(|answer| answer.status).collect();
        ends.sort_unstable();
        assert_eq!(ends, [200, 409, 409, 409, 409, 409]);
    }

    async fn a_client_sees_what_its_own_callers_made(app: TestApp) {
        let owner = app.owner().await;
        let client = make(&owner, json!({ "name": "Sucursal", "payments_enabled": true })).await;
        let key = owner.client_key(id(&client)).await;
        let bank = link_bank(&key).await;
        let of_owner = time_out(&app, &owner.key, &bank, SLOW_REFERENCE).await;
        let_answer(&app).await;
        let own = time_out(&app, &key, &bank, "7710004").await;
        let_answer(&app).await;
        key.get(&format!("/v1/verifications/{own}")).await.ok();
        key.get(&format!("/v1/verifications/{of_owner}")).await.refused(404, "NOT_FOUND");
        owner.key.get(&format!("/v1/verifications/{own}")).await.ok();
    }
}
