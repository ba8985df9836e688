//! Notices by mail: one of a kind in the time that the owner has chosen, which counts what happened since the last.

use std::time::Duration;

use app::notice_mails::NoticeMail;
use app::queue::{Work, pass};
use domain::ids::{LinkId, NoticeId};
use domain::mail::TRIED_FOR;
use domain::notices::{Kind, Notice};
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::tx::Tx;
use store::{Lane, Meter, notices};
use testkit::receiver::Receiver;
use testkit::{Owner, Setup, TestApp, TestMailServer, both_engines};

use super::{deliver, invite, nobody_listens, with_mail};
use crate::webhooks::write;

const HOUR: Duration = Duration::from_secs(3_600);
const MINUTE: Duration = Duration::from_secs(60);

/// Makes the service write and send the mails about notices that are due, and waits until it has.
pub(super) async fn deliver_notices(app: &TestApp) {
    app.settle().await;
    pass_time(app, NoticeMail::POLL).await;
}

/// Lets a time pass, and the mailer of notices end what it does then: no mail is on its way while the clock goes on.
pub(super) async fn pass_time(app: &TestApp, time: Duration) {
    app.clock().advance(time);
    app.clock().is_awaited(app.now().plus(NoticeMail::POLL)).await;
}

/// Lets a time pass, and has the service write and send what is due then.
async fn after(app: &TestApp, time: Duration) {
    pass_time(app, time - NoticeMail::POLL).await;
    deliver_notices(app).await;
}

/// A receiver of the owner's fails once more.
async fn fail(app: &TestApp, owner: &Owner) {
    write(app, owner, &Receiver::with_status(500).url()).await.tried(app, 1).await;
}

/// How many mails about notices wait, were sent, and were given up.
fn standing(app: &TestApp) -> [i64; 3] {
    [0, 1, 2].map(|state| {
        let count = format!("select count(*) from mails where is_notice and state = {state}");
        app.database().number(&count)
    })
}

fn subjects(server: &TestMailServer) -> Vec<String> {
    server.mails().iter().map(|mail| mail.header("Subject").to_owned()).collect()
}

async fn newest(owner: &Owner) -> Value {
    owner.get("/v1/notices").await.ok()["notices"][0].clone()
}

async fn choose(owner: &Owner, rule: Value) -> Value {
    let body = json!({ "language": "en", "low_balance_below": 20, "rules": [rule] });
    owner.put("/v1/notices/settings", body).await.ok()
}

both_engines! {
    async fn a_mail_that_a_clock_ahead_has_written_hides_no_other(setup: Setup) {
        let (app, _server) = with_mail(setup).await;
        let owner = app.owner().await;
        fail(&app, &owner).await;
        deliver_notices(&app).await;
        assert_eq!(standing(&app), [0, 1, 0]);
        app.database().execute("update mails set created_at = created_at + 172800000000");
        for _ in 0..3 {
            app.clock().advance(MINUTE);
            fail(&app, &owner).await;
            deliver_notices(&app).await;
        }
        assert_eq!(standing(&app), [0, 2, 0], "one more, and the hour's others wait");
    }

    async fn what_happens_again_within_the_hour_is_one_mail_that_counts(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let mut owner = app.owner().await;
        fail(&app, &owner).await;
        assert_eq!(newest(&owner).await["mailed_at"], Value::Null);
        deliver_notices(&app).await;
        let mails = server.mails();
        assert_eq!((mails.len(), mails[0].to()), (1, vec![&*owner.email]));
        assert_eq!(mails[0].header("Subject"), "Su servidor no recibe avisos");
        assert_eq!(mails[0].header("From"), "Cobros <cobros@example.com>");
        let body = mails[0].body();
        for part in ["127.0.0.1 no recibió", "/v1/webhooks/deliveries", "/v1/notices/settings"] {
            assert!(body.contains(part), "{part}: {body}");
        }
        assert!(!body.contains("shop=7"), "nothing of the address: {body}");
        let first = newest(&owner).await["mailed_at"].as_str().unwrap().to_owned();
        assert_eq!(first, app.now().to_string());

        for _ in 0..2 {
            fail(&app, &owner).await;
            deliver_notices(&app).await;
        }
        assert_eq!(server.mails().len(), 1, "an hour has one mail");
        after(&app, HOUR).await;
        assert_eq!(subjects(&server)[1..], ["Su servidor no recibe avisos (2 veces)"]);
        assert!(server.mails()[1].body().contains("Pasó 2 veces desde el"));
        owner.sign_in_again().await;
        let again = newest(&owner).await["mailed_at"].as_str().unwrap().to_owned();
        assert!(again > first, "{again}");
        // What was mailed is not mailed again.
        after(&app, HOUR * 2).await;
        assert_eq!((server.mails().len(), standing(&app)), (2, [0, 2, 0]));
    }

    async fn a_flood_of_one_kind_is_one_mail_that_counts_all_of_it(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let flood = async |from: u32, kind: Kind| {
            let (id, now, ids) = (owner.id.parse().unwrap(), app.now(), app.app().ids.clone());
            let job = move |tx: &mut Tx<'_>| {
                for number in from..from + 1_200 {
                    let link = LinkId::from_bytes(u128::from(number).to_be_bytes());
                    let notice = Notice { kind, ..Notice::rate_missing(link) };
                    notices::notify(tx, id, NoticeId::new(&*ids, now), &notice, now)?;
                }
                Ok(())
            };
            let store = &app.app().store;
            store.write(&Meter::default(), Lane::Admission, id, job).await.unwrap();
        };
        flood(0, Kind::RateMissing).await;
        flood(0, Kind::WebhookExhausted).await;
        deliver_notices(&app).await;
        // Within the hour all that comes waits, and is one mail again.
        flood(1_200, Kind::RateMissing).await;
        flood(2_400, Kind::RateMissing).await;
        deliver_notices(&app).await;
        let due = "select count(*) from notices where mail_due_at is not null";
        assert_eq!((server.mails().len(), app.database().number(due)), (2, 2_400));
        after(&app, 24 * HOUR - 2 * MINUTE).await;
        after(&app, 4 * MINUTE).await;
        let mails = server.mails();
        let rates = mails.iter().filter(|mail| mail.header("Subject").starts_with("Falta la tasa"));
        let bodies: Vec<_> = rates.map(|mail| mail.body().to_owned()).collect();
        assert_eq!(bodies.len(), 2, "{bodies:?}");
        for (body, (times, others)) in bodies.iter().zip([("1200", "1195"), ("2400", "2395")]) {
            assert!(body.contains(times) && body.contains(others), "{body}");
        }
        assert_eq!(app.database().number(due), 0);
        let mailed = "select count(*) from notices where mailed_at is not null and mailed_times = times";
        assert_eq!(app.database().number(mailed), 4_800);
    }

    async fn what_the_owner_does_not_want_is_not_mailed(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        let rule = json!({ "kind": "webhook_failing", "mail": false, "at_most_every_minutes": 60 });
        choose(&owner, rule).await;
        fail(&app, &owner).await;
        deliver_notices(&app).await;
        assert_eq!((server.mails().len(), standing(&app)), (0, [0, 0, 0]));
        assert_eq!(newest(&owner).await["mailed_at"], Value::Null);
        // It is mailed from then on alone, in the language that was chosen.
        let rule = json!({ "kind": "webhook_failing", "mail": true, "at_most_every_minutes": 5 });
        choose(&owner, rule).await;
        deliver_notices(&app).await;
        assert_eq!(server.mails().len(), 0);
        for count in 1..3 {
            fail(&app, &owner).await;
            after(&app, 5 * MINUTE).await;
            assert_eq!(subjects(&server), vec!["Your server is not accepting webhooks"; count]);
        }
    }

    async fn nodes_that_look_at_once_write_one_mail(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let (owner, other) = (app.owner().await, app.owner().await);
        for owner in [&owner, &other, &owner] {
            fail(&app, owner).await;
        }
        let passes = (0..3).map(|_| pass::<NoticeMail>(app.app(), &|| false));
        for passed in join_all(passes).await {
            passed.unwrap();
        }
        assert_eq!((standing(&app), server.mails().len()), ([0, 2, 0], 2));
        deliver_notices(&app).await;
        assert_eq!(server.mails().len(), 2);
        let mut to: Vec<_> = server.mails().iter().map(|mail| mail.to()[0].to_owned()).collect();
        let mut owners = [owner.email.clone(), other.email.clone()];
        to.sort_unstable();
        owners.sort_unstable();
        assert_eq!(to, owners);
    }

    async fn a_node_that_dies_while_it_sends_leaves_the_same_mail_to_another(setup: Setup) {
        let (mut app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        server.answer("silent");
        fail(&app, &owner).await;
        app.clock().advance(NoticeMail::POLL);
        while server.mails().is_empty() {
            tokio::task::yield_now().await;
        }
        app.crash();
        server.answer("250");
        app.start_again().await;
        deliver_notices(&app).await;
        assert_eq!((standing(&app), server.mails().len()), ([1, 0, 0], 1));
        after(&app, 2 * MINUTE).await;
        assert_eq!(standing(&app), [0, 1, 0]);
        let mails = server.mails();
        assert_eq!(mails.len(), 2);
        assert_eq!(mails[0].header("Message-ID"), mails[1].header("Message-ID"));
    }

    async fn a_server_that_is_down_loses_no_notice_and_holds_up_nobody(setup: Setup) {
        let app = setup.with_mail(nobody_listens()).start().await;
        let mut owner = app.owner().await;
        fail(&app, &owner).await;
        deliver_notices(&app).await;
        assert_eq!(standing(&app), [1, 0, 0]);
        let notice = newest(&owner).await;
        assert_eq!((&notice["kind"], &notice["mailed_at"]), (&json!("webhook_failing"), &Value::Null));
        after(&app, TRIED_FOR).await;
        assert_eq!(standing(&app), [0, 0, 1]);
        assert_eq!(app.database().number("select count(*) from due where kind = 8"), 0);
        owner.sign_in_again().await;
        // That nobody was notified is in the list, and is sent by no mail.
        let listed = owner.get("/v1/notices").await.ok();
        let given_up = &listed["notices"][0];
        assert_eq!((&listed["total"], &given_up["kind"]), (&json!(2), &json!("mail_given_up")));
        assert_eq!(given_up["subject"], owner.id);
        after(&app, TRIED_FOR).await;
        assert_eq!(standing(&app), [0, 0, 1]);
    }

    async fn mail_that_people_wait_for_is_not_held_up_by_notices(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owners = [app.owner().await, app.owner().await, app.owner().await];
        for owner in &owners {
            fail(&app, owner).await;
        }
        server.answer("silent");
        app.clock().advance(NoticeMail::POLL);
        // As many as are sent at once wait for the server.
        while server.mails().len() < 2 {
            tokio::task::yield_now().await;
        }
        server.answer("250");
        invite(&owners[0], "luis@tienda.example").await;
        deliver(&app).await;
        assert_eq!(subjects(&server)[2..], ["Un comercio le invita a su equipo"]);
    }

    async fn without_a_mail_server_notices_are_listed_and_what_is_long_past_is_never_mailed(setup: Setup) {
        let server = TestMailServer::start();
        let mut app = setup.start().await;
        let mut owner = app.owner().await;
        fail(&app, &owner).await;
        assert_eq!(newest(&owner).await["mailed_at"], Value::Null);
        assert_eq!(app.database().number("select count(*) from mails"), 0);
        app.stop().await;
        app.clock().advance(TRIED_FOR);
        app.send_mail_to(server.settings());
        app.start_again().await;
        deliver_notices(&app).await;
        assert_eq!(server.mails().len(), 0);
        owner.sign_in_again().await;
        fail(&app, &owner).await;
        deliver_notices(&app).await;
        assert_eq!(subjects(&server), ["Su servidor no recibe avisos"]);
    }

    async fn an_owner_that_is_switched_off_is_written_nothing(setup: Setup) {
        let (app, server) = with_mail(setup).await;
        let owner = app.owner().await;
        fail(&app, &owner).await;
        app.database().execute("update owner_profiles set is_active = (0 = 1)");
        deliver_notices(&app).await;
        assert_eq!((server.mails().len(), standing(&app)), (0, [0, 0, 0]));
    }
}
