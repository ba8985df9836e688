//! `GET /v1/audit`

use std::time::Duration;

use app::admin::{
    NewClient, Operator, OwnerName, PlanChange, change_owners_plan, create_client, create_plan,
    grant_credits,
};
use app::refusals;
use domain::ids::PlanId;
use domain::money::Credits;
use domain::text::Text;
use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Owner, Setup, TestApp, both_engines};

use crate::pay::make;
use crate::v1::plans::plan;

const SECOND: Duration = Duration::from_secs(1);

/// Lists the actions done, the latest first.
fn actions(answer: &Value) -> Vec<&str> {
    let entries = answer["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect()
}

/// The refusals of that kind that the owner is notified of.
pub(crate) async fn refused(owner: &Owner, action: &str) -> Vec<Value> {
    let answer = owner.get("/v1/audit?limit=100").await.ok();
    let entries = answer["entries"].as_array().unwrap().iter();
    entries.filter(|entry| entry["action"] == action).cloned().collect()
}

both_engines! {
    async fn it_says_who_changed_what_and_from_where(app: TestApp) {
        let owner = app.owner().await;
        app.clock().advance(SECOND);
        let key = owner.key_with(&["payment_links"]).await;
        app.clock().advance(SECOND);
        owner.revoke(&key).await;
        let answer = owner.get("/v1/audit").await.ok();
        assert_eq!(actions(&answer)[..2], ["RevokeKey", "CreateKey"]);
        let revoked = &answer["entries"][0];
        assert_eq!(revoked["subject"], key.id);
        assert!(revoked["actor"].as_str().unwrap().starts_with("ses_"), "{revoked}");
        assert_eq!(revoked["address"], "127.0.0.1");
        assert!(!answer.to_string().contains("ck_live_"), "no secret is in it");
    }

    async fn what_a_key_changed_names_the_key(app: TestApp) {
        let owner = app.owner().await;
        app.clock().advance(SECOND);
        owner.key.delete(&format!("/usersbank/{}/to-trash", owner.bank)).await.ok();
        let answer = owner.get("/v1/audit").await.ok();
        assert_eq!(answer["entries"][0]["action"], "TrashBankAccount");
        assert_eq!(answer["entries"][0]["actor"], owner.key.id);
    }

    async fn it_is_read_in_pages_and_by_days(app: TestApp) {
        let owner = app.owner().await;
        for _ in 0..3 {
            owner.put("/v1/profile", json!({ "public_name": "Tienda" })).await.ok();
        }
        let all = owner.get("/v1/audit").await.ok();
        let second = owner.get("/v1/audit?page=2&limit=2").await.ok();
        assert_eq!(second["total"], all["total"]);
        assert_eq!(second["entries"][0], all["entries"][2]);
        assert_eq!(owner.get("/v1/audit?to=2026-11-19").await.ok()["total"], 0);
        let today = owner.get("/v1/audit?from=2026-11-20&to=2026-11-20").await.ok();
        assert_eq!(today["total"], all["total"]);
    }

    async fn nobody_reads_that_of_another_owner(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        owner.put("/v1/profile", json!({ "public_name": "Tienda" })).await.ok();
        assert!(!actions(&stranger.get("/v1/audit").await.ok()).contains(&"SetProfile"));
        owner.key.get("/v1/audit").await.refused(403, "OWNER_SESSION_REQUIRED");
    }

    async fn it_shows_what_was_before_and_after_a_change_and_no_secret(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.key_with(&["payment_links"]).await;
        let luis = owner.employee(1, &["payments:read"]).await;
        let (of_key, of_client) = (format!("/v1/api-keys/{}", key.id), format!("/v1/clients/{client}"));
        let receiver = Receiver::with_status(204);
        let endpoint = format!("{}/made-up-token-of-an-address", receiver.url());
        let host = receiver.url().split("://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        // By each: what is shown as before, and as after.
        let changes = [
            ("PATCH", of_key.clone(), json!({ "permissions": [] }),
                json!({ "permissions": ["payment_links"] }), json!({ "permissions": [] })),
            ("PUT", format!("{of_key}/credit-limit"), json!({ "monthly_credit_limit": 5 }),
                json!({ "monthly_credit_limit": null }), json!({ "monthly_credit_limit": 5 })),
            ("PUT", format!("{of_key}/scope"), json!({ "client_owner_id": client, "user_banks": [] }),
                json!({ "client_owner_id": null }), json!({ "client_owner_id": client })),
            ("PUT", format!("{of_client}/credit-limit"), json!({ "monthly_credit_limit": 50 }),
                json!({ "monthly_credit_limit": null }), json!({ "monthly_credit_limit": 50 })),
            ("PATCH", of_client, json!({ "payments_enabled": false, "document": "J123456789" }),
                json!({ "payments_enabled": true, "document": null }),
                json!({ "payments_enabled": false, "document": "J123456789" })),
            ("PATCH", luis.path(), json!({ "permissions": ["team:write"], "is_active": false }),
                json!({ "permissions": ["payments:read"], "is_active": true }),
                json!({ "permissions": ["team:read", "team:write"], "is_active": false })),
            ("PUT", format!("/v1/usersbank/{}/client", owner.bank), json!({ "client_owner_id": client }),
                json!({ "client_owner_id": null }), json!({ "client_owner_id": client })),
            ("PUT", "/v1/profile".to_owned(), json!({ "public_name": "Tienda Sol" }),
                json!({ "public_name": null }), json!({ "public_name": "Tienda Sol" })),
            ("PUT", "/v1/profile".to_owned(), json!({ "support_url": "https://tienda.example/ayuda" }),
                json!({ "support_url": null }), json!({ "support_url": "https://tienda.example/ayuda" })),
            ("PUT", "/v1/profile".to_owned(), json!({ "document": "J-12345678-4" }),
                json!({ "document": null }), json!({ "document": "J123456784" })),
            ("PUT", "/v1/payment-link-settings".to_owned(),
                json!({ "max_attempts": 3, "announce_expiry": false }),
                json!({ "max_attempts": null }), json!({ "max_attempts": 3 })),
            ("PUT", "/v1/webhooks/endpoint".to_owned(),
                json!({ "url": endpoint, "low_balance_levels": [7] }),
                json!({ "host": null, "low_balance_levels": null }),
                json!({ "host": host, "low_balance_levels": [7] })),
            // Behind the host may stand a secret.
            ("PUT", "/v1/webhooks/endpoint".to_owned(),
                json!({ "url": format!("{endpoint}/2"), "low_balance_levels": [7] }),
                json!({}), json!({ "url_changed": true })),
        ];
        for (method, path, body, before, after) in changes {
            app.clock().advance(SECOND);
            owner.request(method, &path).json(&body).send().await.ok();
            let listed = owner.get("/v1/audit").await.ok();
            let newest = &listed["entries"][0];
            assert_eq!((&newest["before"], &newest["after"]), (&before, &after), "{path}: {newest}");
            assert!(!listed.to_string().contains("made-up-token"), "{listed}");
            // The same again changes nothing and leaves no line.
            if !path.ends_with("/endpoint") {
                owner.request(method, &path).json(&body).send().await.ok();
                let again = owner.get("/v1/audit").await.ok();
                assert_eq!(again["total"], listed["total"], "{path}");
            }
        }
    }

    async fn what_is_made_has_no_before_and_what_is_gone_no_after(app: TestApp) {
        let owner = app.owner().await;
        app.clock().advance(SECOND);
        let luis = owner.employee(1, &["payments:read"]).await;
        let facts = json!({
            "name": "Luis", "email": luis.email, "permissions": ["payments:read"], "is_active": true,
        });
        let of = |answer: &Value, action: &str| {
            let mut entries = answer["entries"].as_array().unwrap().iter();
            let entry = entries.find(|entry| entry["action"] == action).unwrap();
            (entry["before"].clone(), entry["after"].clone())
        };
        let answer = owner.get("/v1/audit").await.ok();
        assert_eq!(of(&answer, "InviteEmployee"), (Value::Null, facts.clone()));
        assert_eq!(of(&answer, "Login"), (Value::Null, Value::Null));
        app.clock().advance(SECOND);
        owner.delete(&luis.path()).await.ok();
        let answer = owner.get("/v1/audit").await.ok();
        assert_eq!(of(&answer, "RemoveEmployee"), (facts, Value::Null));
        let key = owner.key_with(&["payment_links"]).await;
        owner.revoke(&key).await;
        let answer = owner.get("/v1/audit").await.ok();
        let (made, gone) = (of(&answer, "CreateKey").1, of(&answer, "RevokeKey").0);
        assert_eq!((&made, &made["permissions"]), (&gone, &json!(["payment_links"])));
        assert!(!answer.to_string().contains("ck_live_") && !answer.to_string().contains("argon2"));
    }

    async fn it_shows_a_chosen_name_and_a_renewed_invitation(app: TestApp) {
        let owner = app.owner().await;
        let listed = owner.get("/v1/audit").await.ok();
        let made = listed["entries"].as_array().unwrap().iter().find(|one| one["action"] == "CreateOwner");
        assert_eq!(made.unwrap()["after"]["email"], owner.email);
        let body = json!({ "email": "eva@tienda.example", "name": "Eva", "permissions": [] });
        let invited = owner.post("/v1/employees", body).await.ok();
        app.clock().advance(SECOND);
        let path = format!("/v1/employees/{}/invitation", invited["employee"]["id"].as_str().unwrap());
        let renewed = owner.post(&path, json!({})).await.ok();
        let newest = async || owner.get("/v1/audit").await.ok()["entries"][0].clone();
        let entry = newest().await;
        assert_eq!((&entry["action"], &entry["before"], &entry["after"]), (
            &json!("RenewInvitation"),
            &json!({ "invitation_expires_at": "2026-11-27T12:00:00.000Z" }),
            &json!({ "invitation_expires_at": "2026-11-27T12:00:01.000Z" }),
        ));
        app.clock().advance(SECOND);
        let accepted = json!({
            "token": testkit::employee::token_of(&renewed), "password": testkit::employee::PASSWORD,
            "name": "Eva Rojas",
        });
        app.nobody().post("/auth/invitations/accept", accepted).await.ok();
        let entry = newest().await;
        assert_eq!((&entry["action"], &entry["before"], &entry["after"]), (
            &json!("AcceptInvitation"), &json!({ "name": "Eva" }), &json!({ "name": "Eva Rojas" }),
        ));
    }

    async fn it_shows_what_was_before_and_after_a_change_of_a_link(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({ "description": "Pedido 7" })).await;
        let path = format!("/paymentlink/{link}/patch");
        for (body, before, after) in [
            (json!({ "amount": 200.5, "currency": "USD" }),
                json!({ "amount": 150.75, "currency": "VEF" }), json!({ "amount": 200.5, "currency": "USD" })),
            (json!({ "description": "Pedido 8", "redirect_url": "https://tienda.example/gracias" }),
                json!({ "description": "Pedido 7", "redirect_url": null }),
                json!({ "description": "Pedido 8", "redirect_url": "tienda.example" })),
            (json!({ "redirect_url": "https://tienda.example/listo" }),
                json!({}), json!({ "redirect_url_changed": true })),
            (json!({ "name": "Octavo", "webhook_url": "https://tienda.example/a?secreto=1" }),
                json!({ "name": "Pedido 7", "webhook_url": null }),
                json!({ "name": "Octavo", "webhook_url": "tienda.example" })),
            (json!({ "webhook_url": "https://tienda.example/b?secreto=2", "metadata": { "a": 1 } }),
                json!({}), json!({ "webhook_url_changed": true, "metadata_changed": true })),
        ] {
            app.clock().advance(SECOND);
            owner.patch(&path, body.clone()).await.ok();
            let listed = owner.get("/v1/audit").await.ok();
            let newest = &listed["entries"][0];
            assert_eq!((&newest["action"], &newest["subject"]), (&json!("ChangeLink"), &json!(link)));
            assert_eq!((&newest["before"], &newest["after"]), (&before, &after), "{newest}");
            // The same again changes nothing and leaves no line.
            owner.patch(&path, body).await.ok();
            assert_eq!(owner.get("/v1/audit").await.ok()["total"], listed["total"]);
        }
    }

    async fn it_shows_the_state_of_links_and_accounts(app: TestApp) {
        let owner = app.owner().await;
        let newest = async |action: &str| {
            app.clock().advance(SECOND);
            let entry = owner.get("/v1/audit?limit=1").await.ok()["entries"][0].clone();
            assert_eq!(entry["action"], action, "{entry}");
            (entry["before"].clone(), entry["after"].clone())
        };
        app.clock().advance(SECOND);
        let link = make(&owner.key, &owner.bank, json!({ "description": "Pedido 7" })).await;
        let made = json!({
            "amount": 150.75, "currency": "VEF", "name": "Pedido 7", "description": "Pedido 7",
            "expires_at": "2026-11-21T12:00:01.000Z", "webhook_url": null, "redirect_url": null,
        });
        assert_eq!(newest("CreateLink").await, (Value::Null, made));
        for (end, action, before, after) in [
            ("stop", "StopLink", "pending", "stopped"),
            ("resume", "ResumeLink", "stopped", "pending"),
            ("reject", "RejectLink", "pending", "failed"),
        ] {
            owner.post(&format!("/v1/paymentlink/{link}/{end}"), json!({})).await.ok();
            assert_eq!(newest(action).await, (json!({ "status": before }), json!({ "status": after })));
        }
        let bank = owner.key.link_bank().await;
        let account = newest("LinkBankAccount").await.1;
        assert_eq!((&account["bank_provider"], &account["client_owner_id"]), (&json!("BANK_TEST"), &Value::Null));
        owner.delete(&format!("/usersbank/{bank}/to-trash")).await.ok();
        assert_eq!(newest("TrashBankAccount").await, (account, Value::Null));
    }

    async fn it_shows_a_deactivated_person_who_gives_the_right_password(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["payments:read"]).await;
        owner.patch(&luis.path(), json!({ "is_active": false })).await.ok();
        for _ in 0..3 {
            let body = json!({ "email": luis.email, "password": testkit::employee::PASSWORD });
            app.nobody().post("/auth/login", body).await.refused(403, "USER_IS_NOT_ACTIVE");
        }
        refusals::write(app.app()).await.unwrap();
        let entries = refused(&owner, "NotActive").await;
        assert_eq!((entries.len(), &entries[0]["times"]), (1, &json!(3)), "{entries:?}");
    }

    async fn it_shows_what_the_operator_changed(app: TestApp) {
        let owner = app.owner().await;
        let operator = || Operator::of(app.app());
        let name = OwnerName::Id(owner.id.parse().unwrap());
        let check_newest = async |expected: (&str, Value, Value)| {
            let entry = owner.get("/v1/audit?limit=1").await.ok()["entries"][0].clone();
            let actual = (entry["action"].as_str().unwrap(), entry["before"].clone(), entry["after"].clone());
            assert_eq!(actual, expected);
            assert_eq!(entry["actor"], "command line");
            app.clock().advance(SECOND);
        };
        app.clock().advance(SECOND);
        for (amount, before, after) in [(50, 1_000, 1_050), (-70, 1_050, 980)] {
            grant_credits(&operator(), &name, Credits::new(amount)).await.unwrap();
            check_newest(("GrantCredits", json!({ "credits": before }), json!({ "credits": after }))).await;
        }
        let id = PlanId::new(&*app.app().ids, app.now());
        create_plan(&operator(), plan(id, None, None)).await.unwrap();
        let (nothing, on) = (Value::Null, json!({ "is_active": true }));
        let (off, whole) = (
            json!({ "is_active": false }),
            json!({ "plan_id": id.to_string(), "plan": "Comercio", "is_active": true }),
        );
        let none = json!({ "plan_id": nothing, "plan": nothing, "is_active": nothing });
        for (change, action, before, after) in [
            (PlanChange::Set(id), "SetPlan", &none, &whole),
            (PlanChange::Deactivate, "DeactivatePlan", &on, &off),
            (PlanChange::Activate, "ActivatePlan", &off, &on),
            (PlanChange::Remove, "RemovePlan", &whole, &none),
        ] {
            change_owners_plan(&operator(), &name, change).await.unwrap();
            check_newest((action, before.clone(), after.clone())).await;
        }
        let client = NewClient { owner: name, name: Text::parse("Sucursal").unwrap(), payments_enabled: true };
        create_client(&operator(), client).await.unwrap();
        let made = json!({
            "name": "Sucursal", "email": null, "document": null, "is_active": true, "payments_enabled": true,
        });
        check_newest(("CreateClient", Value::Null, made)).await;
    }

    async fn a_line_of_refusals_says_where_they_began_and_where_they_are_now(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        let attack = async |host: u8| {
            let body = json!({ "email": owner.email, "password": "wrong wrong wrong" });
            let nobody = app.nobody();
            let call = nobody.request("POST", "/auth/login").header("x-forwarded-for", &format!("203.0.113.{host}"));
            call.json(&body).send().await.refused(401, "UNAUTHORIZED");
            app.clock().advance(SECOND);
        };
        let refusal_line = async || {
            refusals::write(app.app()).await.unwrap();
            let lines = refused(&owner, "WrongPassword").await;
            assert_eq!(lines.len(), 1, "{lines:?}");
            let sources = lines[0]["sources"].as_array().unwrap().clone();
            let of = |source: &Value| {
                let [first, last] = ["first_at", "last_at"].map(|at| source[at].as_str().unwrap().get(17..19).unwrap().to_owned());
                assert_eq!(source["actor"], "nobody");
                format!("{} {} {first} {last}", source["address"].as_str().unwrap(), source["times"])
            };
            (lines[0].clone(), sources.iter().map(of).collect::<Vec<_>>())
        };
        for host in [1, 2, 1] {
            attack(host).await;
        }
        let (line, sources) = refusal_line().await;
        assert_eq!(sources, ["203.0.113.1 2 00 02", "203.0.113.2 1 01 01"]);
        assert_eq!((&line["times"], &line["times_elsewhere"]), (&json!(3), &json!(0)));
        for host in [3, 4, 5, 6, 1, 7] {
            attack(host).await;
        }
        let (line, sources) = refusal_line().await;
        let expected = [
            "203.0.113.1 2 00 02", "203.0.113.2 1 01 01", "203.0.113.3 1 03 03", "203.0.113.4 1 04 04",
            "203.0.113.7 1 08 08",
        ];
        assert_eq!(sources, expected);
        assert_eq!((&line["times"], &line["times_elsewhere"]), (&json!(9), &json!(3)));
        assert_eq!(line["address"], "203.0.113.1");
        let done = owner.get("/v1/audit?limit=100").await.ok();
        let done = done["entries"].as_array().unwrap().iter().find(|entry| entry["action"] == "Login").unwrap();
        assert_eq!((&done["sources"], &done["times_elsewhere"]), (&Value::Null, &Value::Null));
    }

    async fn wrong_passwords_are_one_line_an_hour_with_their_count(app: TestApp) {
        let mut owner = app.owner().await;
        let luis = owner.employee(1, &[]).await;
        let attack = async |email: &str, times: usize| {
            for _ in 0..times {
                let body = json!({ "email": email, "password": "wrong wrong wrong" });
                app.nobody().post("/auth/login", body).await.refused(401, "UNAUTHORIZED");
            }
        };
        let before = owner.get("/v1/audit").await.ok()["total"].as_i64().unwrap();
        attack(&owner.email, 7).await;
        attack(&luis.email, 2).await;
        attack("nobody@example.com", 3).await;
        refusals::write(app.app()).await.unwrap();
        attack(&owner.email, 3).await;
        // Written once, they are not written again.
        for _ in 0..2 {
            refusals::write(app.app()).await.unwrap();
        }
        let entries = refused(&owner, "WrongPassword").await;
        assert_eq!(entries.len(), 2, "{entries:?}");
        let of = |subject: &str| entries.iter().find(|entry| entry["subject"] == subject).unwrap();
        assert_eq!((&of(&owner.id)["times"], &of(&luis.id)["times"]), (&json!(10), &json!(2)));
        // The one who tried has not signed in: it is nobody, from there.
        for entry in &entries {
            assert_eq!((&entry["actor"], &entry["employee"]), (&json!("nobody"), &Value::Null));
            assert_eq!(entry["address"], "127.0.0.1");
        }
        assert_eq!(owner.get("/v1/audit").await.ok()["total"], before + 2);

        app.clock().advance(3_601 * SECOND);
        owner.sign_in_again().await;
        attack(&owner.email, 1).await;
        refusals::write(app.app()).await.unwrap();
        assert_eq!(refused(&owner, "WrongPassword").await.len(), 3);
    }

    async fn wrong_present_passwords_are_reported_to_the_owner_and_many_of_them_by_a_notice(app: TestApp) {
        let mut owner = app.owner().await;
        let mut luis = owner.employee(1, &[]).await;
        let wrong = "wrong wrong wrong";
        let password = json!({ "current_password": wrong, "new_password": "otra frase de prueba" });
        let email = json!({ "email": "otro@tienda.example", "password": wrong });
        let totp = json!({ "password": wrong });
        for _ in 0..3 {
            // A person tries five times in a quarter of an hour.
            app.clock().advance(900 * SECOND);
            luis.sign_in_again().await;
            luis.post("/auth/password", password.clone()).await.refused(400, "VALIDATION_ERROR");
            luis.put("/auth/email", email.clone()).await.refused(400, "VALIDATION_ERROR");
            luis.post("/auth/totp", totp.clone()).await.refused(400, "VALIDATION_ERROR");
        }
        refusals::write(app.app()).await.unwrap();
        owner.sign_in_again().await;
        let entries = refused(&owner, "WrongPresentPassword").await;
        assert_eq!(entries.len(), 1, "{entries:?}");
        assert_eq!((&entries[0]["subject"], &entries[0]["times"]), (&json!(luis.id), &json!(9)));
        assert_eq!((&entries[0]["employee"]["id"], &entries[0]["address"]), (&json!(luis.id), &json!("127.0.0.1")));
        assert!(!entries[0].to_string().contains(wrong), "{entries:?}");
        let notices = async || owner.get("/v1/notices").await.ok()["notices"].clone();
        assert_eq!(notices().await, json!([]));
        luis.post("/auth/password", password).await.refused(400, "VALIDATION_ERROR");
        refusals::write(app.app()).await.unwrap();
        let notice = &notices().await[0];
        assert_eq!((&notice["kind"], &notice["subject"]), (&json!("sign_in_attempts"), &json!(luis.id)));
    }

    async fn what_a_person_may_not_do_is_reported_to_the_owner(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["team:write"]).await;
        let eva = owner.employee(2, &["billing:read"]).await;
        for _ in 0..3 {
            luis.get("/v1/audit").await.refused(403, "OWNER_SESSION_REQUIRED");
        }
        luis.post("/v1/paymentlink", json!({})).await.refused(403, "FORBIDDEN");
        let more = json!({ "permissions": ["billing:read"] });
        luis.patch(&luis.path(), more).await.refused(403, "FORBIDDEN");
        luis.delete(&eva.path()).await.refused(403, "FORBIDDEN");
        eva.get("/v1/audit").await.refused(403, "OWNER_SESSION_REQUIRED");
        // A key is no person, and what was wrong in itself is no want of a right.
        owner.key.get("/v1/audit").await.refused(403, "OWNER_SESSION_REQUIRED");
        luis.post("/v1/employees", json!({})).await.refused(400, "VALIDATION_ERROR");
        // A client's person is one, too.
        let marta = owner.client_employee(&owner.client(true).await, 1).await;
        marta.get("/v1/clients").await.refused(403, "OWNER_SESSION_REQUIRED");
        marta.get("/v1/profile").await.refused(403, "FORBIDDEN");
        refusals::write(app.app()).await.unwrap();
        let entries = refused(&owner, "NoRight").await;
        let mut listed: Vec<_> = entries
            .iter()
            .map(|entry| {
                let id = entry["employee"]["id"].as_str().unwrap();
                let people = [(&luis, "luis"), (&eva, "eva"), (&marta, "marta")];
                let who = people.iter().find(|(person, _)| person.id == id).unwrap().1;
                assert!(entry["actor"].as_str().unwrap().starts_with("ses_"), "{entry}");
                format!("{who} {} {}", entry["subject"].as_str().unwrap(), entry["times"])
            })
            .collect();
        listed.sort_unstable();
        assert_eq!(
            listed,
            ["eva ListAudit 1", "luis ChangeEmployee 1", "luis CreateLink 1", "luis ListAudit 3", "luis RemoveEmployee 1", "marta ListClients 1", "marta ShowProfile 1"]
        );
        // What was done has no count.
        let answer = owner.get("/v1/audit").await.ok();
        let done = answer["entries"].as_array().unwrap().iter().find(|entry| entry["action"] == "InviteEmployee");
        assert_eq!(done.unwrap()["times"], Value::Null);
    }
}
