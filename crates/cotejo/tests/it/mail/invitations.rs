//! Invitations by mail.

use domain::mail::MAILS_A_DAY;
use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::{Setup, TestApp, either_engine};

use super::{deliver, invite, sign_in, with_mail};

const EMAIL: &str = "luis@tienda.example";

either_engine! {
    async fn who_is_invited_gets_the_link_and_the_inviter_does_not(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        owner.put("/v1/profile", json!({ "public_name": "Tienda Ñandú" })).await.ok();
        let invited = invite(&owner, EMAIL).await;
        assert!(invited.get("invitation_url").is_none(), "{invited}");
        assert!(!invited.to_string().contains("iv_live_"), "{invited}");
        deliver(&app).await;

        let mails = server.mails();
        assert_eq!(mails.len(), 1);
        assert_eq!(mails[0].to(), [EMAIL]);
        assert_eq!(mails[0].header("Subject"), "Tienda Ñandú le invita a su equipo");
        assert_eq!(mails[0].header("From"), "Cobros <cobros@example.com>");
        assert_eq!(mails[0].header("Auto-Submitted"), "auto-generated");
        // What it said is wiped, and it is sent once.
        let sent = "select count(*) from mails where state = 1 and facts is null";
        assert_eq!(app.database().number(sent), 1);
        deliver(&app).await;
        assert_eq!(server.mails().len(), 1);

        let answer = json!({ "token": mails[0].token(), "password": PASSWORD });
        app.nobody().post("/auth/invitations/accept", answer).await.ok();
        sign_in(&owner, EMAIL, PASSWORD).await.ok();
    }

    async fn another_invitation_goes_by_mail_too_in_the_inviters_language(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let id = invite(&owner, EMAIL).await["employee"]["id"].as_str().unwrap().to_owned();
        deliver(&app).await;
        let call = owner.request("POST", &format!("/v1/employees/{id}/invitation"));
        let invited = call.header("accept-language", "en").json(&json!({})).send().await.ok();
        assert!(invited.get("invitation_url").is_none(), "{invited}");
        deliver(&app).await;

        let mails = server.mails();
        let mut subjects: Vec<_> = mails.iter().map(|mail| mail.header("Subject")).collect();
        subjects.sort_unstable();
        assert_eq!(subjects, ["A merchant invited you to join their team", "Un comercio le invita a su equipo"]);
        let [es, en] = ["Un", "A "].map(|first| {
            mails.iter().find(|mail| mail.header("Subject").starts_with(first)).unwrap()
        });
        let accept = |token| json!({ "token": token, "password": PASSWORD });
        let path = "/auth/invitations/accept";
        app.nobody().post(path, accept(es.token())).await.refused(404, "NOT_FOUND");
        app.nobody().post(path, accept(en.token())).await.ok();
    }

    async fn a_clients_person_reads_for_whom_it_is_to_work(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        owner.put("/v1/profile", json!({ "public_name": "Tienda Ñandú" })).await.ok();
        let client = owner.client(true).await;
        let name = owner.get(&format!("/v1/clients/{client}")).await.ok()["client"]["name"].clone();
        let body = json!({ "email": EMAIL, "name": "Luis" });
        owner.post(&format!("/v1/clients/{client}/invitation"), body).await.ok();
        deliver(&app).await;
        let wanted = format!("Tienda Ñandú le invita a trabajar para {}", name.as_str().unwrap());
        assert_eq!(server.mails()[0].header("Subject"), wanted);
    }

    async fn without_a_mail_server_the_inviter_gets_the_link_and_nothing_waits(app: TestApp) {
        let owner = app.owner().await;
        let invited = invite(&owner, EMAIL).await;
        assert!(invited["invitation_url"].as_str().unwrap().contains("/invitation/iv_live_"), "{invited}");
        assert_eq!(app.database().number("select count(*) from mails"), 0);
    }

    async fn of_an_invitation_that_is_over_no_mail_goes_out_later(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        server.answer("451");
        let path = async |email: &str| {
            let invited = invite(&owner, email).await;
            deliver(&app).await;
            format!("/v1/employees/{}", invited["employee"]["id"].as_str().unwrap())
        };
        let (renewed, removed) = (path("luis@tienda.example").await, path("eva@tienda.example").await);
        let waiting = || {
            app.database().texts("select recipient from mails where state = 0 order by recipient")
        };
        assert_eq!(waiting(), ["eva@tienda.example", "luis@tienda.example"]);
        owner.post(&format!("{renewed}/invitation"), json!({})).await.ok();
        owner.delete(&removed).await.ok();
        assert_eq!(waiting(), ["luis@tienda.example"]);
        assert_eq!(app.database().number("select count(*) from due where kind = 7"), 1);
        server.answer("250");
        deliver(&app).await;
        let mails = server.mails();
        // Two were not taken, and one went out.
        assert_eq!((mails.len(), mails[2].to()), (3, vec!["luis@tienda.example"]));
        // Nobody who could not accept is invited again.
        owner.patch(&renewed, json!({ "is_active": false })).await.ok();
        let again = owner.post(&format!("{renewed}/invitation"), json!({})).await;
        again.refused(400, "VALIDATION_ERROR");
    }

    async fn an_invitation_that_is_refused_sends_nothing(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        invite(&owner, EMAIL).await;
        let body = json!({ "email": EMAIL, "name": "Luis" });
        owner.post("/v1/employees", body).await.refused(409, "CONFLICT");
        deliver(&app).await;
        assert_eq!(server.mails().len(), 1);
    }

    async fn an_owner_sends_no_advertisements_by_invitations(setup: Setup) {
        let (app, _server) = with_mail(setup).await;
        let owner = app.owner().await;
        let invited = invite(&owner, EMAIL).await;
        let path = format!("/v1/employees/{}/invitation", invited["employee"]["id"].as_str().unwrap());
        let [kind, from] = ["kind", "from mails"];
        // As many as a day has, but for one.
        for number in 0..MAILS_A_DAY - 2 {
            let id = if app.database().url().is_some() {
                format!("decode(lpad(to_hex({number}), 32, '0'), 'hex')")
            } else {
                format!("x'{number:032x}'")
            };
            app.database().execute(&format!(
                "insert into mails (owner_id, id, {kind}, recipient, language, facts, state, attempts, created_at, \
                 expires_at, ended_at, is_notice, person_id) select owner_id, {id}, kind, recipient, language, null, 1, 1, created_at, \
                 expires_at, created_at, is_notice, person_id {from} where state = 0"
            ));
        }
        owner.post(&path, json!({})).await.ok();
        owner.post(&path, json!({})).await.refused(429, "REQUEST_LIMIT_REACHED");
        let body = json!({ "email": "eva@tienda.example", "name": "Eva" });
        owner.post("/v1/employees", body).await.refused(429, "REQUEST_LIMIT_REACHED");
        assert_eq!(app.database().number("select count(*) from employees"), 1);
        app.clock().advance(domain::mail::DAY);
        owner.key.get("/me").await.ok();
        deliver(&app).await;
    }
}
