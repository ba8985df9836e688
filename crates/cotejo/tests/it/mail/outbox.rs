//! The outbox: a mail server that is down, slow or refuses loses nothing and holds up nobody.

use std::time::Duration;

use app::mails::PersonalMail;
use app::queue::{Work, bring_forward, pass};
use domain::mail::{RETENTION, TRIED_FOR};
use futures_util::future::join_all;
use serde_json::json;
use testkit::{Setup, TestApp, both_engines};

use super::{deliver, invite, nobody_listens, with_mail};

const EMAIL: &str = "luis@tienda.example";
const MINUTE: Duration = Duration::from_secs(60);

/// Counts the mails to people in an outbox: how many wait with their content, were sent, were given up.
fn standing(app: &TestApp) -> [i64; 3] {
    let count = |what: &str| {
        app.database()
            .number(&format!("select count(*) from mails where not is_notice and ({what})"))
    };
    [
        count("state = 0 and facts is not null"),
        count("state = 1 and facts is null"),
        count("state = 2 and facts is null"),
    ]
}

/// Lets a time pass, and has the service send what is due then.
async fn after(app: &TestApp, time: Duration) {
    app.clock().advance(time - PersonalMail::POLL);
    app.clock().is_awaited(app.now().plus(PersonalMail::POLL)).await;
    deliver(app).await;
}

both_engines! {
    async fn a_server_that_takes_it_later_gets_it_then(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        server.answer("451");
        invite(&owner, EMAIL).await;
        deliver(&app).await;
        assert_eq!((standing(&app), server.mails().len()), ([1, 0, 0], 1));
        // It waits a minute, and then two.
        deliver(&app).await;
        assert_eq!(server.mails().len(), 1);
        after(&app, MINUTE).await;
        assert_eq!(server.mails().len(), 2);
        after(&app, MINUTE).await;
        assert_eq!(server.mails().len(), 2);
        server.answer("250");
        after(&app, MINUTE).await;
        assert_eq!(standing(&app), [0, 1, 0]);
        let mails = server.mails();
        assert_eq!(mails.len(), 3);
        // A person who got it twice recognizes it.
        let id = mails[0].header("Message-ID");
        assert!(id.starts_with("<mail_") && id.ends_with("@example.com>"), "{id}");
        assert!(mails.iter().all(|mail| mail.header("Message-ID") == id));
        assert_eq!(app.database().number("select attempts from mails"), 3);
    }

    async fn a_server_that_is_down_for_two_days_gets_it_then(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        server.answer("451");
        invite(&owner, EMAIL).await;
        deliver(&app).await;
        for _ in 0..2 {
            after(&app, 24 * 60 * MINUTE).await;
            assert_eq!(standing(&app), [1, 0, 0]);
        }
        server.answer("250");
        after(&app, 60 * MINUTE).await;
        assert_eq!(standing(&app), [0, 1, 0]);
    }

    async fn what_the_server_refuses_for_good_is_given_up(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        server.answer("550");
        invite(&owner, EMAIL).await;
        deliver(&app).await;
        assert_eq!(standing(&app), [0, 0, 1]);
        after(&app, MINUTE).await;
        assert_eq!(server.mails().iter().filter(|mail| mail.to() == [EMAIL]).count(), 1);
        // A word about us is none about the mail: the operator mends it.
        for (about_us, email) in
            [("535", "eva@tienda.example"), ("550 5.7.1 relaying denied", "ana@tienda.example")]
        {
            server.answer(about_us);
            invite(&owner, email).await;
            deliver(&app).await;
        }
        assert_eq!(standing(&app), [2, 0, 1]);
    }

    async fn a_server_that_is_down_loses_nothing_and_holds_up_nobody(setup: Setup) {
        let app = setup.with_mail(nobody_listens()).start().await;
        let owner = app.owner().await;
        invite(&owner, EMAIL).await;
        deliver(&app).await;
        assert_eq!(standing(&app), [1, 0, 0]);
        owner.get("/me").await.ok();
        assert_eq!(app.database().number("select attempts from mails"), 1);
        // After three days there is an end, and what it said is wiped.
        after(&app, TRIED_FOR).await;
        assert_eq!(standing(&app), [0, 0, 1]);
        assert_eq!(app.database().number("select count(*) from due where kind = 7"), 0);
    }

    async fn a_mail_that_a_clock_ahead_has_put_off_is_sent_once_the_clock_is_right(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let mut owner = app.owner().await;
        let right = app.now();
        app.clock().set_to(right.plus(365 * 24 * 60 * MINUTE));
        owner.sign_in_again().await;
        server.answer("451");
        invite(&owner, EMAIL).await;
        deliver(&app).await;
        assert_eq!((standing(&app), server.mails().len()), ([1, 0, 0], 1));
        server.answer("250");
        app.clock().set_to(right.plus(MINUTE));
        bring_forward::<PersonalMail>(app.app(), &|| false).await.unwrap();
        deliver(&app).await;
        assert_eq!((standing(&app), server.mails().len()), ([0, 1, 0], 2));
    }

    async fn a_server_that_says_nothing_may_have_it_and_gets_it_again(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        server.answer("silent");
        invite(&owner, EMAIL).await;
        app.clock().advance(PersonalMail::POLL);
        let limit = app.now().plus(Duration::from_secs(25));
        app.clock().is_awaited(limit).await;
        // It has the mail before the time is over.
        while server.mails().is_empty() {
            tokio::task::yield_now().await;
        }
        owner.get("/me").await.ok();
        app.clock().advance(Duration::from_secs(25));
        app.clock().is_awaited(app.now().plus(PersonalMail::POLL)).await;
        assert_eq!(standing(&app), [1, 0, 0]);
        server.answer("250");
        after(&app, 2 * MINUTE).await;
        assert_eq!(standing(&app), [0, 1, 0]);
        let mails = server.mails();
        assert_eq!(mails.len(), 2);
        assert_eq!(mails[0].header("Message-ID"), mails[1].header("Message-ID"));
    }

    async fn a_node_that_dies_while_it_sends_leaves_the_mail_to_another(setup: Setup) {
        let (mut app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        server.answer("silent");
        invite(&owner, EMAIL).await;
        app.clock().advance(PersonalMail::POLL);
        while server.mails().is_empty() {
            tokio::task::yield_now().await;
        }
        app.crash();
        server.answer("250");
        app.start_again().await;
        // Nobody has it before the lease has ended.
        deliver(&app).await;
        assert_eq!((standing(&app), server.mails().len()), ([1, 0, 0], 1));
        after(&app, 2 * MINUTE).await;
        assert_eq!((standing(&app), server.mails().len()), ([0, 1, 0], 2));
    }

    async fn nodes_that_look_at_once_send_it_once(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        for number in 0..6 {
            invite(&owner, &format!("{number}.{EMAIL}")).await;
        }
        let passes = (0..3).map(|_| pass::<PersonalMail>(app.app(), &|| false));
        for passed in join_all(passes).await {
            passed.unwrap();
        }
        assert_eq!((standing(&app), server.mails().len()), ([0, 6, 0], 6));
        let mails = server.mails();
        let ids: std::collections::HashSet<_> =
            mails.iter().map(|mail| mail.header("Message-ID")).collect();
        assert_eq!(ids.len(), 6);
    }

    async fn what_waits_for_somebody_who_is_removed_or_invited_again_is_dropped(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        server.answer("451");
        let luis = invite(&owner, EMAIL).await["employee"]["id"].as_str().unwrap().to_owned();
        deliver(&app).await;
        owner.post(&format!("/v1/employees/{luis}/invitation"), json!({})).await.ok();
        assert_eq!(standing(&app), [1, 0, 1]);
        server.answer("250");
        after(&app, 2 * MINUTE).await;
        // The former was tried once, and the new one once.
        assert_eq!((standing(&app), server.mails().len()), ([0, 1, 1], 2));
        server.answer("451");
        owner.post(&format!("/v1/employees/{luis}/invitation"), json!({})).await.ok();
        deliver(&app).await;
        owner.delete(&format!("/v1/employees/{luis}")).await.ok();
        assert_eq!(standing(&app), [0, 1, 2]);
        server.answer("250");
        after(&app, 5 * MINUTE).await;
        assert_eq!(server.mails().len(), 3);
        assert_eq!(owner.get("/v1/notices").await.ok()["total"], 0);
    }

    async fn what_nobody_sends_any_more_is_wiped_and_forgotten(setup: Setup) {
        let app = setup.with_mail(nobody_listens()).start().await;
        let owner = app.owner().await;
        invite(&owner, EMAIL).await;
        let sweep = async || {
            for old in app::sweep::ALL.iter().filter(|old| old.what.starts_with("mails")) {
                app::sweep::sweep(app.app(), *old).await.unwrap();
            }
        };
        sweep().await;
        assert_eq!(standing(&app), [1, 0, 0]);
        app.clock().advance(TRIED_FOR + 11 * MINUTE);
        sweep().await;
        assert_eq!(standing(&app), [0, 0, 1]);
        let given_up = "select count(*) from notices where kind = 'mail_given_up'";
        assert_eq!(app.database().number(given_up), 1);
        app.clock().advance(RETENTION);
        sweep().await;
        assert_eq!(standing(&app), [0, 0, 0]);
    }
}
