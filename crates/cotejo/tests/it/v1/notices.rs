//! `GET /v1/notices`: what an owner is notified of that went wrong.

use std::time::Duration;

use domain::ids::{LinkId, NoticeId, OwnerId};
use domain::notices::{Notice, RETENTION};
use futures_util::future::join_all;
use serde_json::{Value, json};
use store::{Lane, Meter, notices};
use testkit::receiver::Receiver;
use testkit::{Owner, TestApp, both_engines};
use tokio::task::yield_now;

use crate::pay::{PAGE_WAIT, begin_slowly, make, paid_with, pay, status};
use crate::slow_bank::SLOW;
use crate::webhooks::write;

const SECOND: Duration = Duration::from_secs(1);
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Lists the owner's notices, the latest first.
async fn notices_of(owner: &Owner) -> Vec<Value> {
    let page = owner.get("/v1/notices").await.ok();
    assert_eq!((&page["page"], &page["limit"]), (&json!(1), &json!(25)));
    let notices = page["notices"].as_array().unwrap().clone();
    assert_eq!(page["total"], notices.len());
    notices
}

/// Waits until the owner was notified of so many things.
async fn wait_for_notices(owner: &Owner, count: usize) -> Vec<Value> {
    loop {
        let notices = notices_of(owner).await;
        if notices.len() >= count {
            return notices;
        }
        yield_now().await;
    }
}

/// Notifies the owner past the service of so many links that credits refused, a second apart.
async fn notify(app: &TestApp, owner: &Owner, count: u8) {
    let (id, now): (OwnerId, _) = (owner.id.parse().unwrap(), app.now());
    let ids: Vec<_> = (0..count).map(|_| NoticeId::new(&*app.app().ids, now)).collect();
    let job = move |tx: &mut store::tx::Tx<'_>| {
        for (number, notice_id) in (0..).zip(&ids) {
            let notice = Notice::link_refused_for_credits(LinkId::from_bytes([number; 16]));
            let at = now.plus(SECOND * u32::from(number));
            notices::notify(tx, id, *notice_id, &notice, at)?;
        }
        Ok(())
    };
    app.app().store.write(&Meter::default(), Lane::Admission, id, job).await.unwrap();
}

/// Starts the service again, and waits until its janitor has looked at everything.
async fn look(app: &mut TestApp) {
    app.restart().await;
    app.clock().is_awaited(app.now().plus(SECOND)).await;
}

both_engines! {
    async fn what_happened_last_is_first_though_the_clock_was_a_year_ahead(app: TestApp) {
        let owner = app.owner().await;
        owner.grant(-1_000).await;
        let mut links = Vec::new();
        for _ in 0..2 {
            links.push(make(&owner, &owner.bank, json!({ "expiration_time": -1 })).await);
        }
        let right = app.now();
        for (now, link) in [right.plus(YEAR), right].into_iter().zip(&links) {
            app.clock().set_to(now);
            assert_eq!(pay(&app.nobody(), link, "167890").await.status, 503);
        }
        let listed = notices_of(&owner).await;
        let listed = listed.iter().filter_map(|notice| notice["payment_link_id"].as_str());
        assert_eq!(listed.collect::<Vec<_>>(), [&*links[1], &*links[0]]);
    }

    async fn a_notice_is_open_until_its_link_has_ended_or_it_is_dismissed(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        owner.grant(-1_000).await;
        let mut ids = Vec::new();
        for _ in 0..2 {
            let link = make(&owner, &owner.bank, json!({ "expiration_time": -1 })).await;
            assert_eq!(pay(&app.nobody(), &link, "167890").await.status, 503);
            ids.push(link);
        }
        let open = async |link: &str| {
            let page = owner.get("/v1/notices").await.ok();
            let all = page["notices"].as_array().unwrap().clone();
            let of_link = |it: &&Value| it["payment_link_id"] == link;
            all.iter().find(of_link).map(|it| (it["is_open"].clone(), it["id"].clone())).unwrap()
        };
        owner.post(&format!("/v1/paymentlink/{}/cancel", ids[0]), json!({})).await.ok();
        assert_eq!(open(&ids[0]).await.0, false);
        let (is_open, id) = open(&ids[1]).await;
        assert_eq!(is_open, true);
        let path = format!("/v1/notices/{}/dismiss", id.as_str().unwrap());
        other.post(&path, json!({})).await.refused(404, "NOT_FOUND");
        owner.key.post(&path, json!({})).await.refused(403, "OWNER_SESSION_REQUIRED");
        assert_eq!(open(&ids[1]).await.0, true);
        for _ in 0..2 {
            owner.post(&path, json!({})).await.ok();
            assert_eq!(open(&ids[1]).await.0, false);
        }
        let lines = "select count(*) from audit where action = 'DismissNotice'";
        assert_eq!(app.database().number(lines), 1);
        // What happens again needs somebody again.
        app.clock().advance(SECOND);
        assert_eq!(pay(&app.nobody(), &ids[1], "267890").await.status, 503);
        assert_eq!(open(&ids[1]).await, (json!(true), id));
        // And the credits that were lacking are there again.
        let page = owner.get("/v1/notices").await.ok();
        let of_credits = |it: &&Value| it["kind"] == "credits_exhausted" || it["kind"] == "low_balance";
        let before = page["notices"].as_array().unwrap().iter().filter(of_credits).count();
        owner.grant(1_000).await;
        let page = owner.get("/v1/notices").await.ok();
        let ended = |it: &&Value| it["is_open"] == false;
        let after = page["notices"].as_array().unwrap().iter().filter(of_credits).filter(ended);
        assert_eq!(after.count(), before);
    }

    async fn a_host_that_fails_is_reported_once_an_hour(app: TestApp) {
        let mut owner = app.owner().await;
        let (one, other) = (Receiver::with_status(500), Receiver::with_status(503));
        let began = app.now();
        for receiver in [&one, &other] {
            write(&app, &owner, &receiver.url()).await.tried(&app, 1).await;
        }
        let notices = notices_of(&owner).await;
        assert_eq!(notices.len(), 1, "the port does not make another host: {notices:?}");
        let notice = &notices[0];
        assert_eq!((&notice["kind"], &notice["times"]), (&json!("webhook_failing"), &json!(2)));
        assert_eq!((&notice["subject"], &notice["payment_link_id"]), (&json!("127.0.0.1"), &Value::Null));
        assert_eq!(notice["created_at"], began.to_string());
        let text = notice["text"].as_str().unwrap();
        assert!(text.starts_with("127.0.0.1 no recibió") && text.contains("2xx en 10 segundos"));
        let english = owner.request("GET", "/v1/notices").header("accept-language", "en");
        let english = english.send().await.ok();
        assert!(english["notices"][0]["text"].as_str().unwrap().starts_with("127.0.0.1 did not"));
        assert!(!english.to_string().contains("shop=7"), "nothing of the address: {english}");

        app.clock().advance(Duration::from_secs(3_600));
        owner.sign_in_again().await;
        write(&app, &owner, &one.url()).await.tried(&app, 1).await;
        let notices = notices_of(&owner).await;
        assert_eq!(notices.iter().map(|one| &one["times"]).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(notices[0]["updated_at"], app.now().to_string());
    }

    async fn a_later_attempt_that_fails_is_not_reported_again(app: TestApp) {
        let owner = app.owner().await;
        let written = write(&app, &owner, &Receiver::with_status(500).url()).await;
        written.tried(&app, 1).await;
        app.clock().advance(Duration::from_secs(12));
        app.app().webhooks.ring();
        written.tried(&app, 2).await;
        assert_eq!(notices_of(&owner).await[0]["times"], 1);
        let receiver = Receiver::with_status(200);
        write(&app, &owner, &receiver.url()).await.ended(&app).await;
        assert_eq!(notices_of(&owner).await.len(), 1, "what is delivered is not told of");
    }

    async fn a_webhook_that_is_given_up_is_reported_with_its_link(app: TestApp) {
        let owner = app.owner().await;
        let more = json!({ "webhook_url": Receiver::with_status(410).url() });
        let id = make(&owner.key, &owner.bank, more).await;
        paid_with(&app.nobody(), &id, "167890").await;
        let notices = wait_for_notices(&owner, 1).await;
        assert_eq!(notices.len(), 1);
        assert_eq!(notices[0]["kind"], "webhook_exhausted");
        assert_eq!((&notices[0]["subject"], &notices[0]["payment_link_id"]), (&json!("127.0.0.1"), &json!(id)));
        assert!(notices[0]["text"].as_str().unwrap().contains("410"), "{notices:?}");
    }

    async fn a_link_that_credits_refuse_is_reported_once_and_counted(app: TestApp) {
        let owner = app.owner_with(0).await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let began = app.now();
        for reference in ["167890", "267890"] {
            assert_eq!(pay(&app.nobody(), &id, reference).await.status, 503);
            app.clock().advance(SECOND);
        }
        let notices = notices_of(&owner).await;
        assert_eq!(notices.len(), 1);
        let notice = &notices[0];
        assert_eq!(notice["kind"], "link_refused_for_credits");
        assert_eq!((&notice["subject"], &notice["payment_link_id"]), (&json!(id), &json!(id)));
        assert_eq!((&notice["times"], &notice["created_at"]), (&json!(2), &json!(began.to_string())));
        assert_eq!(notice["updated_at"], began.plus(SECOND).to_string());
        assert!(notice["text"].as_str().unwrap().contains("Agregue créditos"));
        assert_eq!(status(&owner, &id).await, "pending");
    }

    async fn money_that_came_for_a_paid_link_is_reported(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let start = app.now();
        for n in 1..=2 {
            begin_slowly(&app, &id, &format!("{n}10004")).await;
        }
        app.clock().advance_to(start.plus(SLOW + PAGE_WAIT));
        app.settle().await;
        assert_eq!(status(&owner, &id).await, "paid");
        let notices = notices_of(&owner).await;
        assert_eq!(notices.len(), 1);
        assert_eq!(notices[0]["kind"], "link_money_unclaimed");
        assert_eq!(notices[0]["payment_link_id"], id);
        let movements = owner.get(&format!("/movements/{}", owner.bank)).await.ok();
        let movements = movements["movements"].as_array().unwrap();
        let left = movements.iter().find(|movement| movement["claimed"] == false).unwrap();
        assert_eq!(notices[0]["subject"], left["id"]);
    }

    async fn money_that_came_for_a_paid_link_waits_until_it_is_used(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let start = app.now();
        for n in 1..=2 {
            begin_slowly(&app, &id, &format!("{n}10004")).await;
        }
        app.clock().advance_to(start.plus(SLOW + PAGE_WAIT));
        app.settle().await;
        assert_eq!(status(&owner, &id).await, "paid");
        let waiting = notices_of(&owner).await.remove(0);
        assert_eq!(waiting["is_open"], true, "its link has ended, and the money is there");
        let path = format!("/v1/movements/{}/accept", waiting["subject"].as_str().unwrap());
        owner.post(&path, json!({})).await.ok();
        assert_eq!(notices_of(&owner).await[0]["is_open"], false);
    }

    async fn pages_are_of_one_owner_and_the_latest_comes_first(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        notify(&app, &owner, 5).await;
        let page = async |query: &str| owner.get(&format!("/v1/notices?{query}")).await;
        let subjects = async |query: &str| -> Vec<LinkId> {
            let page = page(query).await.ok();
            assert_eq!(page["total"], 5);
            let notices = page["notices"].as_array().unwrap().iter();
            notices.map(|one| one["subject"].as_str().unwrap().parse().unwrap()).collect()
        };
        let link = |number| LinkId::from_bytes([number; 16]);
        assert_eq!(subjects("limit=2").await, [link(4), link(3)]);
        assert_eq!(subjects("limit=2&page=3").await, [link(0)]);
        assert_eq!(subjects("page=2").await, []);
        for query in ["page=401", "page=0", "limit=101", "limit=0"] {
            page(query).await.refused(400, "VALIDATION_ERROR");
        }
        assert_eq!(page("to=2020-01-01").await.ok()["total"], 0);
        assert_eq!(notices_of(&other).await, [] as [Value; 0]);
        // What happens again comes first again, and is the same one.
        app.clock().advance(SECOND * 10);
        notify(&app, &owner, 1).await;
        assert_eq!(subjects("limit=2").await, [link(0), link(4)]);
    }

    async fn a_notice_is_forgotten_ninety_days_after_it_last_happened(mut app: TestApp) {
        let (mut owner, mut other) = (app.owner().await, app.owner().await);
        notify(&app, &owner, 3).await;
        notify(&app, &other, 200).await;
        app.clock().advance(RETENTION);
        look(&mut app).await;
        join_all([owner.sign_in_again(), other.sign_in_again()]).await;
        assert_eq!(notices_of(&owner).await.len(), 2);
        notify(&app, &owner, 3).await;
        app.clock().advance(SECOND * 200);
        look(&mut app).await;
        assert_eq!((notices_of(&owner).await.len(), notices_of(&other).await.len()), (3, 0));
    }
}
