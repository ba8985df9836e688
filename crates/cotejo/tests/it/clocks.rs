//! Clocks that are set wrong and corrected, with and without the end of the process.

use std::time::Duration;

use app::delivery_days::DeliveryDay;
use app::queue::{bring_forward, pass};
use futures_util::future::{Either, join, select};
use serde_json::json;
use testkit::bank::FaultKind;
use testkit::principal::verify_path;
use testkit::{Setup, TestApp, both_engines};
use tokio::task::yield_now;

use crate::bdv_push::PushedAccount;
use crate::pay::{make, paid_with, pay, said};
use crate::slow_bank::{ANSWER, LOST_REFERENCE, SLOW, SLOW_REFERENCE, about, time_out};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

const RESERVED: &str = "select cast(sum(reserved) as bigint) from owners";

/// Asks for a payment, and goes once the bank is being asked.
async fn begin_at_the_bank(pushed: &PushedAccount, reference: &str) {
    let before = pushed.bank.pages_asked();
    let body = json!({ "bank_reference": reference, "amount": 150.75 });
    let path = verify_path(&pushed.account);
    let call = pushed.owner.key.post(&path, body);
    let has_begun = || pushed.bank.pages_asked() > before && pushed.count("verifications") == 1;
    let begun = async {
        while !has_begun() {
            yield_now().await;
        }
    };
    match select(Box::pin(call), Box::pin(begun)).await {
        Either::Left((answer, _)) => panic!("answered: {answer:?}"),
        Either::Right(_) => {}
    }
}

both_engines! {
    // The audit at the end of every test names a link whose instants are out of order.
    async fn a_link_may_be_canceled_by_a_clock_behind_that_which_made_it(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        app.clock().set_to(app.now().minus(Duration::from_secs(3)));
        owner.key.post(&format!("/v1/paymentlink/{link}/cancel"), json!({})).await.ok();
        let order = "select count(*) from payment_links where canceled_at < created_at";
        assert_eq!(app.database().number(order), 1);
    }

    async fn a_search_that_began_while_the_clock_was_a_year_ahead_ends(mut app: TestApp) {
        let owner = app.owner().await;
        let right = app.now();
        app.clock().set_to(right.plus(YEAR));
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        app.crash();
        app.clock().set_to(right);
        app.start_again().await;
        // The first look takes it over.
        app.clock().is_awaited(app.now().plus(SLOW)).await;
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(owner.balance().await, 999);
        let answer = owner.key.verify(&owner.bank, about(SLOW_REFERENCE)).await.ok();
        assert_eq!(answer["data"]["is_new"], true);
        assert_eq!(app.database().number(RESERVED), 0);
    }

    async fn a_reservation_without_calls_left_lapses_though_the_clock_was_ahead(mut app: TestApp) {
        let owner = app.owner().await;
        let right = app.now();
        app.clock().set_to(right.plus(YEAR));
        time_out(&app, &owner.key, &owner.bank, LOST_REFERENCE).await;
        app.crash();
        app.database().execute("update verifications set calls = 4");
        app.clock().set_to(right);
        app.start_again().await;
        app.settle().await;
        assert_eq!(app.database().number(RESERVED), 0);
        assert_eq!(owner.balance().await, 1_000);
    }

    async fn a_caller_waits_no_longer_for_a_clock_that_is_set_back(mut app: TestApp) {
        let owner = app.owner().await;
        let start = app.now();
        let patience = async {
            app.clock().is_awaited(start.plus(SLOW)).await;
            app.clock().is_awaited(start.plus(ANSWER)).await;
            app.clock().set_to(start.minus(HOUR));
            app.clock().advance(ANSWER);
        };
        let verify = owner.key.verify(&owner.bank, about(SLOW_REFERENCE));
        let (answer, ()) = join(verify, patience).await;
        answer.refused(503, "BANK_NOT_AVAILABLE");
        // A look may have taken the search over already, since its lease lay an hour ahead. After a crash, and
        // another hour back, the first look takes it over in any case.
        app.crash();
        app.clock().set_to(start.minus(2 * HOUR));
        app.start_again().await;
        app.clock().is_awaited(app.now().plus(SLOW)).await;
        app.clock().advance(SLOW);
        app.settle().await;
        assert_eq!(owner.balance().await, 999);
    }

    async fn the_daily_work_goes_on_though_the_clock_was_ahead_for_a_pass(app: TestApp) {
        let right = app.now();
        app.clock().set_to(right.plus(YEAR));
        app.owner().await;
        pass::<DeliveryDay>(app.app(), &|| false).await.unwrap();
        app.clock().set_to(right);
        bring_forward::<DeliveryDay>(app.app(), &|| false).await.unwrap();
        pass::<DeliveryDay>(app.app(), &|| false).await.unwrap();
        let latest = "select cast(max(due_at) as bigint) from due where kind = 5";
        let latest = app.database().number(latest);
        assert!(latest <= right.plus(DAY).as_micros(), "{latest}");
    }

    async fn a_link_takes_attempts_though_others_were_made_while_the_clock_was_ahead(app: TestApp) {
        let owner = app.owner().await;
        let id = make(&owner.key, &owner.bank, json!({ "expiration_time": -1 })).await;
        let right = app.now();
        app.clock().set_to(right.plus(DAY));
        for n in 0..20 {
            assert_eq!(pay(&app.nobody(), &id, &format!("{n}123456")).await.status, 200);
        }
        app.clock().set_to(right);
        // The limit of a minute, which is kept in memory, is over a minute later. That of an hour holds for what is
        // asked from now on.
        assert_eq!(pay(&app.nobody(), &id, "654321").await.status, 429);
        app.clock().advance(MINUTE);
        for n in 0..20 {
            assert_eq!(pay(&app.nobody(), &id, &format!("{n}654321")).await.status, 200, "{n}");
        }
        app.clock().advance(MINUTE);
        let answer = pay(&app.nobody(), &id, "167890").await;
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("3540")));
        app.clock().advance(HOUR);
        assert_eq!(said(&paid_with(&app.nobody(), &id, "167890").await), "Pago confirmado");
    }

    async fn a_search_that_began_while_the_clock_was_ahead_looks_through_the_days_of_today(setup: Setup) {
        let mut pushed = PushedAccount::start(setup).await;
        let right = pushed.app.now();
        pushed.app.clock().set_to(right.plus(YEAR));
        pushed.bank.fail(Some(FaultKind::Timeout));
        begin_at_the_bank(&pushed, "79912345").await;
        pushed.app.crash();
        pushed.app.clock().set_to(right);
        pushed.bank.fail(None);
        pushed.bank.pay("000079912345", 15_075, Duration::ZERO);
        pushed.app.start_again().await;
        pushed.app.clock().flow(pushed.app.settle()).await;
        assert_eq!(pushed.owner.balance().await, 999, "it was found");
        assert_eq!(pushed.count("payments"), 1);
    }
}
