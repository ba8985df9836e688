//! Mail that reminds payers of subscriptions: few of them, to an address that can stop them.

use std::time::Duration;

use app::mails::PersonalMail;
use app::queue::Work;
use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::{Owner, Setup, TestApp, TestMailServer, both_engines, either_engine};

use super::deliver;
use crate::bdv::link;
use crate::pay::{THEIRS, paid_by, send, text};
use crate::subscriptions::{begin, details, hour_comes, id, link_of, make};

const EMAIL: &str = "ana@correo.example";

/// A service with a mail server and a bank, at eight on 20 November 2026.
async fn with_mail(setup: Setup) -> (TestApp, TestMailServer, SimulatedBank) {
    let (server, bank) = (TestMailServer::start(), SimulatedBank::open().await);
    (begin(setup.with_bank(&bank).with_mail(server.settings())).await, server, bank)
}

/// An owner with an account at the bank.
async fn shop(app: &TestApp) -> (Owner, String) {
    let owner = app.owner().await;
    let account = link(&owner).await;
    (owner, account)
}

/// Makes a subscription whose payer is reminded on its first day and the day after, at that address.
async fn made((owner, account): &(Owner, String), email: &str) -> String {
    made_on(owner, account, email).await
}

async fn made_on(owner: &Owner, account: &str, email: &str) -> String {
    let client =
        json!({ "clientName": "Ana", "clientPhone": "0412-0000000", "clientEmail": email });
    let more = json!({ "uniqueClient": client, "reminderDays": [0, 1], "startDate": "2026-12-10" });
    id(&make(&owner.key, account, more).await)
}

/// Counts the mails that remind: how many wait, were sent, were given up.
fn standing(app: &TestApp) -> [i64; 3] {
    [0, 1, 2].map(|state| {
        let count = "select count(*) from mails where kind = 'payment_reminder' and state =";
        app.database().number(&format!("{count} {state}"))
    })
}

both_engines! {
    async fn a_payer_is_reminded_by_mail_and_stops_it(setup: Setup) {
        let (app, server, _bank) = with_mail(setup).await;
        let shop = shop(&app).await;
        let owner = &shop.0;
        owner.put("/v1/profile", json!({ "public_name": "Tienda Ñandú" })).await.ok();
        let of = made(&shop, "Ana@Correo.example").await;
        assert_eq!(details(&owner.key, &of).await["uniqueClient"]["clientEmail"], EMAIL);
        hour_comes(&app, "2026-12-10", 9).await;
        deliver(&app).await;
        let mails = server.mails();
        assert_eq!((mails.len(), mails[0].to()), (1, vec![EMAIL]));
        let mail = &mails[0];
        let subject = mail.header("Subject");
        assert!(subject.starts_with("Tienda Ñandú: hoy es su día de pago."), "{subject}");
        let link = link_of(&owner.key, &of, 1).await;
        let base = app.app().settings.base_url.clone();
        for part in ["Bs. 150,75", "Día de pago: 10/12/2026", "hasta el 13/12/2026", &format!("{base}/pay/{link}")] {
            assert!(mail.body().contains(part), "{part}: {}", mail.body());
        }
        let stop = mail.body().lines().find(|line| line.contains("/recordatorios/")).unwrap().trim();
        assert_eq!(mail.header("List-Unsubscribe"), format!("<{stop}>"));
        // One press is for addresses that are encrypted, which this one is not.
        assert_eq!(mail.header("List-Unsubscribe-Post"), "");

        let path = stop.strip_prefix(&base).unwrap();
        let payer = app.nobody();
        let page = text(&payer.get(path).await);
        assert!(page.contains("Tienda Ñandú") && page.contains("No enviar más") && !page.contains(EMAIL), "{page}");
        // Looking at it stops nothing.
        assert_eq!(details(&owner.key, &of).await["reminderMailStopped"], false);
        let stopped = send(&payer, path, &[]).await;
        assert_eq!((stopped.status, stopped.header("location")), (303, Some(path)));
        assert!(text(&payer.get(path).await).contains("no recibirá más recordatorios"));
        assert_eq!(details(&owner.key, &of).await["reminderMailStopped"], true);
        hour_comes(&app, "2026-12-11", 9).await;
        deliver(&app).await;
        assert_eq!(server.mails().len(), 1);
        let reminded = "select count(*) from subscription_cycles where reminded = 1";
        assert_eq!(app.database().number(reminded), 1);
    }

    async fn a_mail_that_waits_is_not_sent_once_it_is_paid_and_others_are(setup: Setup) {
        let (app, server, bank) = with_mail(setup).await;
        let (shop, other) = (shop(&app).await, app.owner().await);
        let of = made(&shop, EMAIL).await;
        // What another shop reminds the same person of has nothing to do with it.
        made_on(&other, &link(&other).await, EMAIL).await;
        server.answer("451");
        hour_comes(&app, "2026-12-10", 9).await;
        deliver(&app).await;
        assert_eq!((standing(&app), server.mails().len()), ([2, 0, 0], 2));
        bank.pay("000079912345", 15_075, Duration::ZERO);
        let link = link_of(&shop.0.key, &of, 1).await;
        paid_by(&app.nobody(), &link, "912345", THEIRS).await;
        server.answer("250");
        app.clock().advance(120 * PersonalMail::POLL);
        deliver(&app).await;
        assert_eq!((standing(&app), server.mails().len()), ([0, 1, 1], 3));
    }

    async fn a_mail_that_waits_is_not_sent_where_its_link_was_called_off(setup: Setup) {
        let (app, server, _bank) = with_mail(setup).await;
        let shop = shop(&app).await;
        let of = made(&shop, EMAIL).await;
        server.answer("451");
        hour_comes(&app, "2026-12-10", 9).await;
        deliver(&app).await;
        let link = link_of(&shop.0.key, &of, 1).await;
        shop.0.key.post(&format!("/v1/paymentlink/{link}/cancel"), json!({})).await.ok();
        server.answer("250");
        app.clock().advance(120 * PersonalMail::POLL);
        deliver(&app).await;
        assert_eq!((standing(&app), server.mails().len()), ([0, 0, 1], 1));
    }
}

either_engine! {
    async fn an_address_gets_one_mail_a_day_of_an_owner(setup: Setup) {
        let (app, server, _bank) = with_mail(setup).await;
        let (one, other) = (shop(&app).await, shop(&app).await);
        for shop in [&one, &one, &other] {
            made(shop, EMAIL).await;
        }
        made(&one, "luis@correo.example").await;
        hour_comes(&app, "2026-12-10", 9).await;
        deliver(&app).await;
        let mut to: Vec<String> = server.mails().iter().map(|mail| mail.to()[0].to_owned()).collect();
        to.sort_unstable();
        assert_eq!(to, [EMAIL, EMAIL, "luis@correo.example"]);
        // The other one was reminded of all the same, and the next day is another.
        let reminded = "select count(*) from subscription_cycles where reminded = 0";
        assert_eq!(app.database().number(reminded), 4);
        hour_comes(&app, "2026-12-11", 9).await;
        deliver(&app).await;
        assert_eq!(server.mails().len(), 6);
    }

    async fn a_program_of_mail_stops_them_by_one_press_and_other_addresses_stop_nothing(setup: Setup) {
        let (app, server, _bank) = with_mail(setup).await;
        let shop = shop(&app).await;
        let owner = &shop.0;
        let of = made(&shop, EMAIL).await;
        let quiet = id(&make(&owner.key, &owner.bank, json!({})).await);
        hour_comes(&app, "2026-12-10", 9).await;
        deliver(&app).await;
        let mail = server.mails().remove(0);
        let base = app.app().settings.base_url.clone();
        let stop = mail.header("List-Unsubscribe").trim_matches(['<', '>']).to_owned();
        let path = stop.strip_prefix(&base).unwrap();
        // What programs of mail send is no form of ours, in either of two types.
        let pressed = send(&app.nobody(), path, &[("List-Unsubscribe", "One-Click")]).await;
        assert_eq!(pressed.status, 200);
        assert!(text(&pressed).contains("no recibirá más recordatorios"));
        let call = app.nobody().request("POST", path).header("content-type", "multipart/form-data; boundary=x");
        assert_eq!(call.send().await.status, 200);
        assert_eq!(details(&owner.key, &of).await["reminderMailStopped"], true);

        let no_mail = path.replace(of.strip_prefix("sub_").unwrap(), quiet.strip_prefix("sub_").unwrap());
        for path in ["/recordatorios/x", &no_mail, &path.to_uppercase().replace("/RECORDATORIOS", "/recordatorios")] {
            for answer in [app.nobody().get(path).await, send(&app.nobody(), path, &[]).await] {
                assert_eq!(answer.status, 404, "{path}");
                assert!(text(&answer).contains("Esta dirección no detiene nada"), "{path}");
            }
        }
        assert_eq!(details(&owner.key, &quiet).await["reminderMailStopped"], Value::Bool(false));
        let trail = "select subject from audit where actor = 'payer''s mail'";
        assert_eq!(app.database().texts(trail), [&*of]);
        // Nor is that address mailed to about another subscription.
        made(&shop, EMAIL).await;
        hour_comes(&app, "2026-12-11", 9).await;
        deliver(&app).await;
        assert_eq!(server.mails().len(), 1);
    }

    async fn of_test_money_the_owner_alone_is_mailed(setup: Setup) {
        let (app, server, _bank) = with_mail(setup).await;
        let owner = app.owner().await;
        for email in [EMAIL, &owner.email] {
            made_on(&owner, &owner.bank, email).await;
        }
        hour_comes(&app, "2026-12-10", 9).await;
        deliver(&app).await;
        let mails = server.mails();
        assert_eq!((mails.len(), mails[0].to()), (1, vec![&*owner.email]));
        assert!(mails[0].header("Subject").starts_with("[PRUEBA, no pague]"), "{}", mails[0].header("Subject"));
    }

    async fn a_service_without_mail_reminds_by_events_alone(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = begin(setup.with_bank(&bank)).await;
        made(&shop(&app).await, EMAIL).await;
        hour_comes(&app, "2026-12-10", 9).await;
        assert_eq!(standing(&app), [0, 0, 0]);
        let reminded = "select count(*) from subscription_cycles where reminded = 0";
        assert_eq!(app.database().number(reminded), 1);
    }
}
