//! Another address to sign in with, by mail; and the notices to people about changes to how they sign in.

use std::time::Duration;

use app::admin::{Operator, OwnerName, SecondFactor, Whose, reset_password, set_email};
use domain::email_change::CHANGE_LIFETIME;
use domain::ids::OwnerId;
use domain::secret::SecretText;
use domain::text::EmailAddress;
use futures_util::future::join_all;
use serde_json::json;
use store::tx::Tx;
use store::{email_changes, owners};
use testkit::employee::PASSWORD;
use testkit::{
    Authenticator, Principal, Response, Setup, TestMailServer, both_engines, either_engine,
};

use super::{ask, deliver, invite, reset, sign_in, with_mail};
use crate::changed::after;
use crate::pay::send;

const NEW: &str = "ana.nueva@tienda.example";

pub(super) async fn change(caller: &Principal, email: &str, password: &str) -> Response {
    caller.put("/auth/email", json!({ "email": email, "password": password })).await
}

pub(super) async fn confirm(caller: &Principal, token: &str) -> Response {
    let body = json!({ "token": token });
    caller.without_credential().post("/auth/email/confirm", body).await
}

/// The secret of the last link that the address got.
pub(super) fn link_to(server: &TestMailServer, email: &str) -> String {
    let mails = server.mails();
    mails.iter().rfind(|mail| mail.to()[0] == email).unwrap().token()
}

fn last(server: &TestMailServer) -> (String, String) {
    let mails = server.mails();
    let mail = mails.last().unwrap();
    (mail.to()[0].to_owned(), mail.header("Subject").to_owned())
}

fn text(answer: &Response) -> String {
    String::from_utf8(answer.body.to_vec()).unwrap()
}

either_engine! {
    async fn it_changes_once_a_reader_of_its_mail_has_confirmed(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let known = "select count(*) from locators where kind = 2";
        let claimed = app.database().number(known);
        let other = sign_in(&owner, &owner.email, &owner.password).await.ok();
        let other = owner.with_bearer(other["token"].as_str().unwrap());
        assert_eq!(change(&owner, NEW, &owner.password).await.ok()["is_pending"], true);
        deliver(&app).await;
        let token = link_to(&server, NEW);
        // Nothing has changed yet, and a link for a password that was asked for before opens nothing afterwards.
        ask(&owner, &owner.email).await.ok();
        deliver(&app).await;
        let link = link_to(&server, &owner.email);
        other.get("/me").await.ok();
        sign_in(&owner, NEW, &owner.password).await.refused(401, "UNAUTHORIZED");

        confirm(&owner, &token).await.ok();
        owner.get("/me").await.ok();
        other.get("/me").await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, &owner.email, &owner.password).await.refused(401, "UNAUTHORIZED");
        sign_in(&owner, NEW, &owner.password).await.ok();
        reset(&owner, &link, "otra frase de prueba").await.refused(404, "NOT_FOUND");
        // The same link again, whose answer may have been lost.
        confirm(&owner, &token).await.ok();
        // The former address is notified.
        deliver(&app).await;
        assert_eq!(last(&server), (owner.email.clone(), "Su cuenta tiene otro correo".to_owned()));
        let trail = app.database().texts(
            "select action from audit where action in ('RequestEmailChange', 'ChangeEmail') order by id",
        );
        assert_eq!(trail, ["RequestEmailChange", "ChangeEmail"]);
        assert_eq!(app.database().number(known), claimed);
        // Until it has another address.
        change(&owner, "otra@tienda.example", &owner.password).await.ok();
        confirm(&owner, &token).await.refused(404, "NOT_FOUND");
    }

    async fn a_link_that_is_over_when_it_is_written_leaves_the_address_to_others(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let (owner, other) = (app.owner().await, app.owner().await);
        for caller in [&owner, &other] {
            change(caller, NEW, &caller.password).await.ok();
            deliver(&app).await;
        }
        let mails = server.mails();
        let links: Vec<_> = mails.iter().filter(|mail| mail.to()[0] == NEW).collect();
        let end = move |tx: &mut Tx<'_>, owner: OwnerId| {
            email_changes::remove_all(tx, owner)?;
            owners::find(tx, owner).map(drop)
        };
        let token = links[0].token();
        let call = confirm(&owner, &token);
        after(&app, owner.id.parse().unwrap(), end, call).await.refused(404, "NOT_FOUND");
        confirm(&other, &links[1].token()).await.ok();
        sign_in(&other, NEW, &other.password).await.ok();
    }

    async fn an_owner_is_notified_that_the_operator_gave_it_another_password(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let name = OwnerName::Id(owner.id.parse().unwrap());
        let password = SecretText::from("otra frase de prueba");
        let operator = Operator::of(app.app());
        reset_password(&operator, &Whose::Owner(name.clone()), &password, SecondFactor::Stays).await.unwrap();
        deliver(&app).await;
        assert_eq!(last(&server), (owner.email.clone(), "El operador cambió su contraseña".to_owned()));
    }

    async fn the_operator_notifies_the_former_address_and_a_removed_persons_link_is_not_sent(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let name = OwnerName::Id(owner.id.parse().unwrap());
        let email = EmailAddress::parse(NEW).unwrap();
        set_email(&Operator::of(app.app()), (&name, None), email).await.unwrap();
        deliver(&app).await;
        assert_eq!(last(&server), (owner.email.clone(), "Su cuenta tiene otro correo".to_owned()));
        // A command of its own notifies it, too, and nobody where it lacks the master key.
        let alone = Operator { app: None, ..Operator::of(app.app()) };
        for (operator, email) in [
            (alone, "otra.ana@tienda.example"),
            (Operator { vault: None, ..alone }, NEW),
        ] {
            let email = EmailAddress::parse(email).unwrap();
            set_email(&operator, (&name, None), email).await.unwrap();
            deliver(&app).await;
            assert_eq!(last(&server).0, NEW);
            assert_eq!(server.mails().len(), 2);
        }
        let answer = sign_in(&owner, NEW, &owner.password).await.ok();
        let owner = owner.with_bearer(answer["token"].as_str().unwrap());
        let id = invite(&owner, "luis@tienda.example").await["employee"]["id"].clone();
        deliver(&app).await;
        let accept = json!({ "token": link_to(&server, "luis@tienda.example"), "password": PASSWORD });
        app.nobody().post("/auth/invitations/accept", accept).await.ok();
        let luis = sign_in(&owner, "luis@tienda.example", PASSWORD).await.ok();
        let luis = owner.with_bearer(luis["token"].as_str().unwrap());
        change(&luis, "otro.luis@tienda.example", PASSWORD).await.ok();
        owner.delete(&format!("/v1/employees/{}", id.as_str().unwrap())).await.ok();
        deliver(&app).await;
        assert!(!server.mails().iter().any(|mail| mail.to()[0] == "otro.luis@tienda.example"));
    }

    async fn a_taken_address_shows_only_to_a_reader_of_its_mail(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let (owner, other) = (app.owner().await, app.owner().await);
        change(&owner, &other.email, &owner.password).await.ok();
        deliver(&app).await;
        confirm(&owner, &link_to(&server, &other.email)).await.refused(409, "CONFLICT");
        sign_in(&owner, &other.email, &other.password).await.ok();
        sign_in(&owner, &owner.email, &owner.password).await.ok();
    }

    async fn a_link_is_over_after_a_day_by_another_and_with_its_person(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let mut owner = app.owner().await;
        for email in ["uno@tienda.example", NEW] {
            change(&owner, email, &owner.password).await.ok();
            deliver(&app).await;
        }
        let tokens = ["uno@tienda.example", NEW].map(|email| link_to(&server, email));
        confirm(&owner, &tokens[0]).await.refused(404, "NOT_FOUND");
        app.tamper("update owner_profiles set is_active = false").await;
        confirm(&owner, &tokens[1]).await.refused(404, "NOT_FOUND");
        app.tamper("update owner_profiles set is_active = true").await;
        app.clock().advance(CHANGE_LIFETIME);
        confirm(&owner, &tokens[1]).await.refused(404, "NOT_FOUND");
        for old in app::sweep::ALL.iter().filter(|old| old.what.starts_with("addresses")) {
            app::sweep::sweep(app.app(), *old).await.unwrap();
        }
        assert_eq!(app.database().number("select count(*) from email_changes"), 0);
        owner.sign_in_again().await;
    }

    async fn people_are_notified_of_changes_to_how_they_sign_in(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let expect_mail = async |subject: &str| {
            deliver(&app).await;
            assert_eq!(last(&server), (owner.email.clone(), subject.to_owned()));
        };
        let password = "otra frase de prueba";
        let body = json!({ "current_password": owner.password, "new_password": password });
        owner.post("/auth/password", body).await.ok();
        expect_mail("Su contraseña cambió").await;
        Authenticator::of(&app, &owner, password).await;
        expect_mail("Su segundo factor está activo").await;
        let state = &owner.get("/auth/sessions").await.ok()["second_factor"];
        assert_eq!(*state, json!({ "active": true, "recovery_codes_left": 10 }));
        owner.delete("/auth/totp").await.ok();
        expect_mail("Su segundo factor ya no está activo").await;
        let state = &owner.get("/auth/sessions").await.ok()["second_factor"];
        assert_eq!(*state, json!({ "active": false, "recovery_codes_left": 0 }));
        // To end it again ends nothing, and notifies nobody.
        owner.delete("/auth/totp").await.ok();
        deliver(&app).await;
        assert_eq!(server.mails().len(), 3);
        let english = owner.request("POST", "/auth/password").header("accept-language", "en");
        let body = json!({ "current_password": password, "new_password": PASSWORD });
        english.json(&body).send().await.ok();
        expect_mail("Your password was changed").await;
    }
}

both_engines! {
    async fn a_link_that_is_opened_twice_at_once_is_answered_alike(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        change(&owner, NEW, &owner.password).await.ok();
        deliver(&app).await;
        let token = link_to(&server, NEW);
        for answer in join_all([&token, &token].map(|token| confirm(&owner, token))).await {
            answer.ok();
        }
        let trail = "select count(*) from audit where action = 'ChangeEmail'";
        assert_eq!(app.database().number(trail), 1);
        sign_in(&owner, NEW, &owner.password).await.ok();
    }
}

either_engine! {
    async fn the_page_asks_before_it_changes_anything(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        owner.put("/v1/profile", json!({ "public_name": "Tienda <Ñ>" })).await.ok();
        change(&owner, NEW, &owner.password).await.ok();
        deliver(&app).await;
        for mail in server.mails() {
            assert!(mail.body().contains("en la cuenta de Tienda <Ñ>"), "{}", mail.body());
            assert!(mail.body().contains("mientras siga abierta la sesión"), "{}", mail.body());
        }
        let path = format!("/email-change/{}", link_to(&server, NEW));
        let nobody = app.nobody();
        let page = nobody.get(&path).await;
        assert!(text(&page).contains("Tienda &#60;Ñ&#62;"), "{}", text(&page));
        assert!(text(&page).contains(NEW) && text(&page).contains("Confirme su correo"));
        assert_eq!(page.header("referrer-policy"), Some("strict-origin"));
        assert!(page.header("cache-control").unwrap().contains("no-store"));
        let english = nobody.request("GET", &path).header("accept-language", "en").send().await;
        assert!(text(&english).contains("Confirm your email address"));
        let call = nobody.request("POST", &path);
        let call = call.header("content-type", "application/x-www-form-urlencoded");
        let elsewhere = call.header("sec-fetch-site", "cross-site").send().await;
        assert_eq!(elsewhere.status, 403);
        sign_in(&owner, NEW, &owner.password).await.refused(401, "UNAUTHORIZED");
        let done = send(&nobody, &path, &[]).await;
        assert_eq!((done.status, done.header("location")), (303, Some("/email-change/done")));
        assert!(text(&nobody.get("/email-change/done").await).contains("Correo cambiado"));
        sign_in(&owner, NEW, &owner.password).await.ok();
        // Opened again, it says the same.
        let again = send(&nobody, &path, &[]).await;
        assert_eq!((again.status, again.header("location")), (303, Some("/email-change/done")));
        let unknown = format!("/email-change/ec_live_{}", "0".repeat(84));
        for path in [&*unknown, "/email-change/x"] {
            for answer in [nobody.get(path).await, send(&nobody, path, &[]).await] {
                assert_eq!(answer.status, 404, "{path}");
                assert!(text(&answer).contains("Este enlace no sirve"));
            }
        }
    }

    async fn a_person_sends_no_more_than_twenty_links_a_day(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let mut owner = app.owner().await;
        let email = "luis@tienda.example";
        invite(&owner, email).await;
        deliver(&app).await;
        let accept = json!({ "token": link_to(&server, email), "password": PASSWORD });
        app.nobody().post("/auth/invitations/accept", accept).await.ok();
        let luis = async || {
            deliver(&app).await;
            // A person tries five times in a quarter of an hour.
            app.clock().advance(Duration::from_secs(15 * 60));
            let answer = sign_in(&app.nobody(), email, PASSWORD).await.ok();
            app.nobody().with_bearer(answer["token"].as_str().unwrap())
        };
        for four in 0..5 {
            let luis = luis().await;
            for number in 0..4 {
                change(&luis, &format!("luis{four}{number}@tienda.example"), PASSWORD).await.ok();
            }
        }
        change(&luis().await, NEW, PASSWORD).await.refused(429, "REQUEST_LIMIT_REACHED");
        // Nobody else is held up by it.
        owner.sign_in_again().await;
        change(&owner, NEW, &owner.password).await.ok();
        deliver(&app).await;
        link_to(&server, NEW);
    }
}
