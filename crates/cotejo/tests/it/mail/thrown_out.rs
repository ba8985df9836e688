//! A thief of somebody's session and password wishes for another address, and is thrown out before it confirms it.

use app::admin::{
    Operator, OwnerName, SecondFactor, Sessions, Whose, reset_password, rotate_session_key,
    set_owner_active,
};
use domain::secret::SecretText;
use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::{Authenticator, Owner, Principal, Setup, TestApp, TestMailServer, either_engine};

use super::addresses::{change, confirm, link_to};
use super::{ask, deliver, invite, reset, sign_in, with_mail};

const PHRASE: &str = "otra frase de prueba";

/// Somebody else's session of that person.
async fn thief(person: &Principal, email: &str, password: &str) -> Principal {
    let answer = sign_in(person, email, password).await.ok();
    person.with_bearer(answer["token"].as_str().unwrap())
}

/// Throws out the person who has the other session of the owner.
async fn throw_out(
    (app, server): (&TestApp, &TestMailServer),
    (owner, thief): (&Owner, &Principal),
    way: &str,
) {
    let (operator, name) = (Operator::of(app.app()), OwnerName::Id(owner.id.parse().unwrap()));
    match way {
        "a change of the password" => {
            let body = json!({ "current_password": owner.password, "new_password": PHRASE });
            owner.post("/auth/password", body).await.ok();
        }
        "a link by mail" => {
            ask(owner, &owner.email).await.ok();
            deliver(app).await;
            reset(owner, &link_to(server, &owner.email), PHRASE).await.ok();
        }
        "the operator" => {
            let (phrase, factor) = (SecretText::from(PHRASE), SecondFactor::Stays);
            reset_password(&operator, &Whose::Owner(name.clone()), &phrase, factor).await.unwrap();
        }
        "being switched off" => {
            for is_active in [false, true] {
                set_owner_active(&operator, &name, is_active).await.unwrap();
            }
        }
        "the end of all sessions" => {
            let vault = &app.app().vault;
            rotate_session_key(&operator, vault, Sessions::End, |_| ()).await.unwrap();
            thief.get("/me").await.refused(401, "UNAUTHORIZED");
        }
        "a second factor" => drop(Authenticator::of(app, owner, &owner.password).await),
        "the end of a second factor" => {
            Authenticator::of(app, owner, &owner.password).await;
            let other = change(owner, "otra@tienda.example", &owner.password).await;
            other.ok();
            owner.delete("/auth/totp").await.ok();
        }
        "the end of its session" => {
            let listed = owner.get("/auth/sessions").await.ok();
            let sessions = listed["sessions"].as_array().unwrap();
            let other = sessions.iter().find(|it| it["is_current"] == false).unwrap();
            let id = other["id"].as_str().unwrap();
            owner.delete(&format!("/auth/sessions/{id}")).await.ok();
            thief.get("/me").await.refused(401, "UNAUTHORIZED");
        }
        _ => drop(thief.post("/auth/logout", json!({})).await.ok()),
    }
}

either_engine! {
    async fn no_way_to_throw_somebody_out_leaves_it_a_link_for_another_address(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        for (number, (way, is_kept)) in [
            ("a change of the password", 0),
            ("a link by mail", 0),
            ("the operator", 0),
            ("being switched off", 0),
            ("the end of all sessions", 0),
            ("a second factor", 0),
            ("the end of a second factor", 0),
            ("the end of its session", 1),
            ("its logout", 1),
        ].into_iter().enumerate() {
            let owner = app.owner().await;
            let thief = thief(&owner, &owner.email, &owner.password).await;
            let new = format!("ladron{number}@example.com");
            change(&thief, &new, &owner.password).await.ok();
            deliver(&app).await;
            let token = link_to(&server, &new);
            throw_out((&app, &server), (&owner, &thief), way).await;
            let kept = app.database().number("select count(*) from email_changes");
            assert_eq!(kept, is_kept, "{way}");
            let page = app.nobody().get(&format!("/email-change/{token}")).await;
            assert_eq!(page.status, 404, "{way}");
            confirm(&owner, &token).await.refused(404, "NOT_FOUND");
            let profiles = format!("select count(*) from owner_profiles where email = '{new}'");
            assert_eq!(app.database().number(&profiles), 0, "{way}");
            app.tamper("delete from email_changes").await;
        }
    }

    async fn who_is_switched_off_or_whose_client_is_confirms_no_address_afterwards(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        invite(&owner, "luis@tienda.example").await;
        let client = owner.client(true).await;
        let body = json!({ "email": "eva@tienda.example", "name": "Eva" });
        owner.post(&format!("/v1/clients/{client}/invitation"), body).await.ok();
        deliver(&app).await;
        for email in ["luis@tienda.example", "eva@tienda.example"] {
            let accept = json!({ "token": link_to(&server, email), "password": PASSWORD });
            app.nobody().post("/auth/invitations/accept", accept).await.ok();
            let thief = thief(&owner, email, PASSWORD).await;
            let new = format!("ladron.{email}");
            change(&thief, &new, PASSWORD).await.ok();
            deliver(&app).await;
            let path = match email {
                "luis@tienda.example" => {
                    let listed = owner.get("/v1/employees").await.ok();
                    format!("/v1/employees/{}", listed["employees"][0]["id"].as_str().unwrap())
                }
                _ => format!("/v1/clients/{client}"),
            };
            for is_active in [false, true] {
                owner.patch(&path, json!({ "is_active": is_active })).await.ok();
            }
            assert_eq!(app.database().number("select count(*) from email_changes"), 0, "{email}");
            confirm(&owner, &link_to(&server, &new)).await.refused(404, "NOT_FOUND");
            sign_in(&owner, email, PASSWORD).await.ok();
        }
    }

    async fn the_present_address_is_notified_of_the_wish(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        change(&owner, "otra@tienda.example", &owner.password).await.ok();
        deliver(&app).await;
        let mails = server.mails();
        let mail = mails.iter().find(|mail| mail.to()[0] == owner.email).unwrap();
        assert_eq!(mail.header("Subject"), "Alguien pidió cambiar su correo");
        assert!(!mail.body().contains("http"), "{}", mail.body());
        assert_eq!(mails.len(), 2);
    }
}
