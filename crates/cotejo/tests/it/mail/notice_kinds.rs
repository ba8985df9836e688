//! What owners are notified of besides receivers and links, each made to happen for real.

use std::time::Duration;

use app::refusals;
use serde_json::{Value, json};
use testkit::employee::PASSWORD;
use testkit::{Owner, Setup, TestApp, either_engine};

use super::notices::{deliver_notices, pass_time};
use super::{ask, deliver, invite, with_mail};

/// The owner's notices of that kind, the latest first.
async fn of(owner: &Owner, kind: &str) -> Vec<Value> {
    let page = owner.get("/v1/notices").await.ok();
    let notices = page["notices"].as_array().unwrap().iter();
    notices.filter(|notice| notice["kind"] == kind).cloned().collect()
}

/// Confirms a payment, which costs a credit.
async fn charge(owner: &Owner, number: usize) {
    let body = json!({ "bank_reference": format!("{number}67890") });
    owner.key.verify(&owner.bank, body).await.ok();
}

either_engine! {
    async fn a_balance_that_falls_below_the_line_is_reported_once_until_it_was_above(app: TestApp) {
        let owner = app.owner_with(22).await;
        let settings = json!({ "language": "es", "low_balance_below": 21 });
        owner.put("/v1/notices/settings", settings).await.ok();
        for (number, count) in [(1, 0), (2, 1), (3, 1)] {
            charge(&owner, number).await;
            assert_eq!(of(&owner, "low_balance").await.len(), count, "after {number}");
        }
        let notice = &of(&owner, "low_balance").await[0];
        assert_eq!((&notice["subject"], &notice["times"]), (&json!("20"), &json!(1)));
        assert!(notice["text"].as_str().unwrap().starts_with("Quedan 20 créditos"), "{notice}");
        owner.grant(2).await;
        charge(&owner, 4).await;
        assert_eq!(of(&owner, "low_balance").await.len(), 2);
        // A line that the balance is below already sends nothing, nor does one that is off.
        let settings = json!({ "language": "es", "low_balance_below": 100 });
        owner.put("/v1/notices/settings", settings).await.ok();
        let settings = json!({ "language": "es", "low_balance_below": null });
        charge(&owner, 5).await;
        owner.put("/v1/notices/settings", settings).await.ok();
        charge(&owner, 6).await;
        assert_eq!(of(&owner, "low_balance").await.len(), 2);
    }

    async fn an_owner_is_notified_below_twenty_unless_it_chooses(app: TestApp) {
        let owner = app.owner_with(20).await;
        charge(&owner, 1).await;
        assert_eq!(of(&owner, "low_balance").await[0]["subject"], "19");
        // One that never had so many is not notified at each charge.
        let poor = app.owner_with(3).await;
        charge(&poor, 1).await;
        assert_eq!(of(&poor, "low_balance").await, [] as [Value; 0]);
    }

    async fn credits_that_are_used_up_are_reported_by_mail(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner_with(2).await;
        charge(&owner, 1).await;
        assert_eq!(of(&owner, "credits_exhausted").await.len(), 0);
        charge(&owner, 2).await;
        assert_eq!(of(&owner, "credits_exhausted").await.len(), 1);
        let body = json!({ "bank_reference": "367890" });
        owner.key.verify(&owner.bank, body).await.refused(402, "NOT_ENOUGH_CREDITS");
        assert_eq!(of(&owner, "credits_exhausted").await[0]["times"], 1);
        deliver_notices(&app).await;
        let mails = server.mails();
        assert_eq!((mails.len(), mails[0].header("Subject")), (1, "Se acabaron los créditos"));
    }

    async fn credits_that_the_operator_takes_away_are_reported(app: TestApp) {
        let owner = app.owner_with(30).await;
        owner.grant(-15).await;
        assert_eq!(of(&owner, "low_balance").await[0]["subject"], "15");
        owner.grant(-15).await;
        assert_eq!(of(&owner, "credits_exhausted").await[0]["subject"], "0");
    }

    async fn many_wrong_passwords_are_reported_once_an_hour(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let mut owner = app.owner().await;
        let (id, email) = (owner.id.clone(), owner.email.clone());
        let attack = async |email: &str, times: usize| {
            for _ in 0..times {
                // Past ten of them each waits a while.
                pass_time(&app, Duration::from_secs(61)).await;
                let body = json!({ "email": email, "password": "wrong wrong wrong" });
                app.nobody().post("/auth/login", body).await.refused(401, "UNAUTHORIZED");
            }
            refusals::write(app.app()).await.unwrap();
        };
        attack(&email, 9).await;
        assert_eq!(of(&owner, "sign_in_attempts").await, [] as [Value; 0]);
        attack(&email, 3).await;
        let notices = of(&owner, "sign_in_attempts").await;
        assert_eq!((notices.len(), &notices[0]["subject"]), (1, &json!(id)));
        deliver_notices(&app).await;
        assert_eq!(server.mails()[0].to(), [&*owner.email]);
        assert!(server.mails()[0].body().contains("/v1/audit"));
        attack(&email, 1).await;
        assert_eq!(of(&owner, "sign_in_attempts").await.len(), 1);
        app.clock().advance(Duration::from_secs(3_601));
        owner.sign_in_again().await;
        attack(&email, 10).await;
        assert_eq!(of(&owner, "sign_in_attempts").await.len(), 2);
    }

    async fn who_guesses_slowly_is_reported_once_a_day(app: TestApp) {
        let mut owner = app.owner().await;
        let (id, email) = (owner.id.clone(), owner.email.clone());
        let guess = async |hours: usize, times: usize| {
            for _ in 0..hours {
                app.clock().advance(Duration::from_secs(3_601));
                for _ in 0..times {
                    let body = json!({ "email": email, "password": "wrong wrong wrong" });
                    app.nobody().post("/auth/login", body).await.refused(401, "UNAUTHORIZED");
                }
                refusals::write(app.app()).await.unwrap();
            }
        };
        guess(1, 9).await;
        guess(10, 1).await;
        app.clock().advance(Duration::from_secs(61));
        owner.sign_in_again().await;
        assert_eq!(of(&owner, "sign_in_attempts").await, [] as [Value; 0], "19 in a day");
        guess(1, 1).await;
        app.clock().advance(Duration::from_secs(61));
        owner.sign_in_again().await;
        let notices = of(&owner, "sign_in_attempts").await;
        assert_eq!((notices.len(), &notices[0]["subject"], &notices[0]["times"]), (1, &json!(id), &json!(1)));
        guess(2, 1).await;
        app.clock().advance(Duration::from_secs(61));
        owner.sign_in_again().await;
        assert_eq!(of(&owner, "sign_in_attempts").await, notices, "one notice a day");
    }

    async fn a_bank_that_refuses_the_credentials_is_reported_once_a_day_and_counted(app: TestApp) {
        let owner = app.owner().await;
        for number in 1..3 {
            let body = json!({ "bank_reference": format!("{number}10008") });
            let answer = owner.key.verify(&owner.bank, body).await;
            assert!(answer.status >= 400, "{}", answer.status);
        }
        let notices = of(&owner, "bank_refuses_credentials").await;
        assert_eq!((notices.len(), &notices[0]["times"]), (1, &json!(2)));
        assert_eq!(notices[0]["subject"], owner.bank);
        assert!(notices[0]["text"].as_str().unwrap().contains("credenciales"), "{notices:?}");
    }

    async fn an_invitation_that_mail_gave_up_is_reported(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        server.answer("550");
        let luis = invite(&owner, "luis@tienda.example").await;
        deliver(&app).await;
        let notices = of(&owner, "mail_given_up").await;
        assert_eq!((notices.len(), &notices[0]["subject"]), (1, &luis["employee"]["id"]));
        assert!(!notices[0].to_string().contains("luis@"), "{notices:?}");
        server.answer("250");
        deliver_notices(&app).await;
        let mail = server.mails().pop().unwrap();
        assert_eq!(mail.to(), [&*owner.email]);
        assert_eq!(mail.header("Subject"), "Un correo no se pudo entregar");
    }

    async fn a_link_that_mail_gave_up_is_reported_unless_its_person_is_gone(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let email = "luis@tienda.example";
        let luis = invite(&owner, email).await["employee"]["id"].as_str().unwrap().to_owned();
        deliver(&app).await;
        let accept = json!({ "token": server.mails()[0].token(), "password": PASSWORD });
        app.nobody().post("/auth/invitations/accept", accept).await.ok();
        server.answer("550");
        for _ in 0..2 {
            ask(&owner, email).await.ok();
            deliver(&app).await;
        }
        let of_luis = async |owner: &Owner| {
            let notices = of(owner, "mail_given_up").await;
            assert!(notices.iter().all(|notice| !notice.to_string().contains("luis@")), "{notices:?}");
            let notices: Vec<_> = notices.iter().filter(|notice| notice["subject"] == luis).collect();
            assert_eq!(notices.len(), 1, "{notices:?}");
            notices[0]["times"].clone()
        };
        assert_eq!(of_luis(&owner).await, 2);
        // An hour later the link of a third is over, which nobody took.
        server.answer("451");
        ask(&owner, email).await.ok();
        deliver(&app).await;
        owner.delete(&format!("/v1/employees/{luis}")).await.ok();
        app.clock().advance(Duration::from_secs(3_601));
        deliver(&app).await;
        let mut owner = owner;
        owner.sign_in_again().await;
        assert_eq!(of_luis(&owner).await, 2);
    }

    async fn what_could_not_reach_the_owner_is_in_the_list_and_makes_no_more_mail(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let mut owner = app.owner().await;
        invite(&owner, "luis@tienda.example").await;
        server.answer("550");
        deliver(&app).await;
        deliver_notices(&app).await;
        ask(&owner, &owner.email).await.ok();
        deliver(&app).await;
        deliver_notices(&app).await;
        // The invitation, the notice of that, and the link: for the latter two the owner's address failed itself.
        let to_owner = || server.mails().iter().filter(|mail| mail.to() == [&*owner.email]).count();
        assert_eq!((server.mails().len(), to_owner()), (3, 2));
        let notices = of(&owner, "mail_given_up").await;
        assert_eq!(notices.len(), 3, "{notices:?}");
        let of_owner: Vec<_> = notices.iter().filter(|notice| notice["subject"] == owner.id).collect();
        assert_eq!(of_owner.len(), 2);
        assert!(notices.iter().all(|notice| notice["mailed_at"] == Value::Null), "{notices:?}");
        server.answer("250");
        for _ in 0..3 {
            app.clock().advance(Duration::from_secs(24 * 3_600));
            deliver(&app).await;
            deliver_notices(&app).await;
        }
        assert_eq!(server.mails().len(), 3);
        owner.sign_in_again().await;
        assert_eq!(of(&owner, "mail_given_up").await, notices);
    }

    async fn what_the_owner_chooses_is_shown_and_in_the_audit_trail(app: TestApp) {
        let owner = app.owner().await;
        let shown = owner.get("/v1/notices/settings").await.ok();
        assert_eq!((&shown["language"], &shown["low_balance_below"]), (&json!("es"), &json!(20)));
        let rule = |shown: &Value, kind: &str| -> Value {
            let rules = shown["rules"].as_array().unwrap();
            rules.iter().find(|rule| rule["kind"] == kind).unwrap().clone()
        };
        let failing = json!({ "kind": "webhook_failing", "mail": true, "at_most_every_minutes": 60 });
        assert_eq!(rule(&shown, "webhook_failing"), failing);
        assert_eq!(rule(&shown, "low_balance")["at_most_every_minutes"], 1440);

        let chosen = json!({ "kind": "webhook_failing", "mail": false, "at_most_every_minutes": 30 });
        let body = json!({ "language": "en", "low_balance_below": 5, "rules": [chosen] });
        for _ in 0..2 {
            let kept = owner.put("/v1/notices/settings", body.clone()).await.ok();
            assert_eq!(rule(&kept, "webhook_failing"), chosen);
        }
        let shown = owner.get("/v1/notices/settings").await.ok();
        assert_eq!((&shown["language"], &shown["low_balance_below"]), (&json!("en"), &json!(5)));
        assert_eq!(rule(&shown, "webhook_failing"), chosen);
        assert_eq!(rule(&shown, "low_balance")["mail"], true);
        let audit = owner.get("/v1/audit").await.ok();
        let entries = audit["entries"].as_array().unwrap().iter();
        let lines: Vec<_> = entries.filter(|one| one["action"] == "SetNoticeSettings").collect();
        assert_eq!(lines.len(), 1, "what changes nothing leaves no line: {audit}");
        let was = json!({ "mail": true, "at_most_every_minutes": 60 });
        let before = json!({ "language": "es", "low_balance_below": 20, "webhook_failing": was });
        assert_eq!(lines[0]["before"], before);
        // What is left out stays as it is.
        let body = json!({ "language": "en", "low_balance_below": null });
        let kept = owner.put("/v1/notices/settings", body).await.ok();
        assert_eq!((rule(&kept, "webhook_failing"), &kept["low_balance_below"]), (chosen, &Value::Null));
        let other = app.owner().await;
        assert_eq!(other.get("/v1/notices/settings").await.ok()["language"], "es");
    }
}
