//! `GET /v1/statistics`

use std::collections::BTreeMap;
use std::time::Duration;

use domain::statistics::{GroupBy, SUM_MAX};
use domain::time::Timestamp;
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::bank::{PAYER, SimulatedBank};
use testkit::owner::link_bank;
use testkit::{Owner, Principal, Setup, TestApp, both_engines};

use crate::bdv;
use crate::exchange_rate::record_dollar;
use crate::pay::{make, paid_with, send};
use crate::slow_bank::{SLOW_REFERENCE, about, finish, time_out};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// 1 December 2026 in Caracas.
const DECEMBER: Timestamp = Timestamp::from_micros(1_796_097_600_000_000);

/// Returns the statistics of payments in the sandbox.
pub(super) async fn statistics(caller: &Principal, query: &str) -> Value {
    caller.get(&format!("/v1/statistics?livemode=false&{query}")).await.ok()
}

/// Returns the count and the sum of the one currency that there is.
pub(super) fn figures(answer: &Value) -> (i64, f64) {
    let all = answer["statistics"].as_array().unwrap();
    match all.as_slice() {
        [] => (0, 0.0),
        [one] => (one["count"].as_i64().unwrap(), one["sum"].as_f64().unwrap()),
        more => panic!("{more:?}"),
    }
}

/// Maps each group of the one currency, by its id or nothing, to its count and sum.
pub(super) fn groups(answer: &Value) -> BTreeMap<Option<String>, (i64, f64)> {
    let groups = answer["statistics"][0]["groups"].as_array().unwrap().iter();
    let group = |it: &Value| {
        let id = it["id"].as_str().map(str::to_owned);
        (id, (it["count"].as_i64().unwrap(), it["sum"].as_f64().unwrap()))
    };
    groups.map(group).collect()
}

pub(super) fn paying(reference: &str, amount: f64) -> Value {
    json!({ "bank_reference": format!("{reference}67890"), "amount": amount })
}

/// Counts an owner's payments and adds up their amounts again, from the payments themselves.
fn recounted(app: &TestApp, owner: &Owner) -> (i64, i64) {
    let of = format!("(select owner_id from owner_profiles where email = '{}')", owner.email);
    let from = format!(
        "from payments p join movements m on m.owner_id = p.owner_id and m.id = p.movement_id \
         where p.owner_id = {of}"
    );
    let database = app.database();
    let sum = format!("select cast(coalesce(sum(m.amount), 0) as bigint) {from}");
    (database.number(&format!("select count(*) {from}")), database.number(&sum))
}

both_engines! {
    async fn new_payments_count_once_on_their_day_beside_the_period_before(app: TestApp) {
        let owner = app.owner().await;
        let verify = async |reference, amount| {
            owner.key.verify(&owner.bank, paying(reference, amount)).await.ok();
        };
        verify("1", 10.0).await;
        app.clock().advance(DAY);
        let other = app.owner().await;
        verify("2", 20.5).await;
        verify("3", 30.0).await;
        // A repeat is no new payment, and what is not found is none.
        verify("3", 30.0).await;
        owner.key.verify(&owner.bank, about("555555")).await.refused(404, "PAYMENT_NOT_FOUND");
        let key = &owner.key;
        let answer = statistics(key, "from=2026-11-21&to=2026-11-21").await;
        assert_eq!(answer["previous_from"], "2026-11-20");
        assert_eq!(answer["previous_to"], "2026-11-20");
        let vef = &answer["statistics"][0];
        assert_eq!(vef["currency"], "VEF");
        assert_eq!((&vef["count"], &vef["sum"], &vef["mean"]), (&json!(2), &json!(50.5), &json!(25.25)));
        let before = json!({ "count": 1, "sum": 10.0, "mean": 10.0, "received": 10.0 });
        assert_eq!(vef["previous"], before);
        assert_eq!(vef["groups"], json!([{
            "id": "2026-11-21", "name": null, "count": 2, "sum": 50.5, "mean": 25.25, "received": 50.5,
            "previous": before,
        }]));
        let both = statistics(key, "from=2026-11-20&to=2026-11-21").await;
        let days = groups(&both);
        assert_eq!(days[&Some("2026-11-20".to_owned())], (1, 10.0));
        assert_eq!(days[&Some("2026-11-21".to_owned())], (2, 50.5));
        // Nobody else's, and no money that exists.
        assert_eq!(statistics(&other.key, "").await["statistics"], json!([]));
        assert_eq!(key.get("/v1/statistics").await.ok()["statistics"], json!([]));
    }

    async fn they_are_distinguished_by_account_client_and_key(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let of_client = owner.client_key(&client).await;
        let theirs = of_client.link_bank().await;
        let other = owner.key_with(&["payment_verifications"]).await;
        let employee = owner.employee(1, &["payments:write"]).await;
        owner.key.verify(&owner.bank, paying("1", 1.0)).await.ok();
        other.verify(&owner.bank, paying("2", 2.0)).await.ok();
        of_client.verify(&theirs, paying("3", 4.0)).await.ok();
        // It counts against the client whose account it is, whichever caller asks.
        owner.key.verify(&theirs, paying("4", 8.0)).await.ok();
        owner.verify(&owner.bank, paying("5", 16.0)).await.ok();
        employee.verify(&owner.bank, paying("6", 32.0)).await.ok();
        let id = |text: &str| Some(text.to_owned());
        let by = async |what: &str| groups(&statistics(&owner, &format!("group_by={what}")).await);
        let banks = [(id(&owner.bank), (4, 51.0)), (id(&theirs), (2, 12.0))];
        assert_eq!(by("bank").await, banks.into());
        let clients = [(None, (4, 51.0)), (id(&client), (2, 12.0))];
        assert_eq!(by("client").await, clients.into());
        let keys = [
            (None, (2, 48.0)),
            (id(&owner.key.id), (2, 9.0)),
            (id(&other.id), (1, 2.0)),
            (id(&of_client.id), (1, 4.0)),
        ];
        assert_eq!(by("key").await, keys.into());
        assert_eq!(by("person").await, [(None, (5, 31.0)), (id(&employee.id), (1, 32.0))].into());
        let answer = statistics(&owner, "group_by=client").await;
        let names: Vec<_> =
            answer["statistics"][0]["groups"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
        assert!(names[0].is_null() && names[1].is_string(), "{names:?}");
    }

    async fn they_stay_with_the_client_and_the_key_of_then(app: TestApp) {
        let owner = app.owner().await;
        let (one, other) = (owner.client(true).await, owner.client(true).await);
        let key = owner.key_with(&["payment_verifications"]).await;
        let move_to = async |client: Value| {
            let body = json!({ "client_owner_id": client });
            owner.put(&format!("/v1/usersbank/{}/client", owner.bank), body).await.ok();
        };
        key.verify(&owner.bank, paying("1", 1.0)).await.ok();
        move_to(json!(one)).await;
        key.verify(&owner.bank, paying("2", 2.0)).await.ok();
        move_to(json!(other)).await;
        key.verify(&owner.bank, paying("3", 4.0)).await.ok();
        let scope = json!({ "client_owner_id": other, "user_banks": [] });
        owner.put(&format!("/v1/api-keys/{}/scope", key.id), scope).await.ok();
        key.verify(&owner.bank, paying("4", 8.0)).await.ok();
        owner.revoke(&key).await;
        move_to(Value::Null).await;
        owner.request("DELETE", &format!("/usersbank/{}/to-trash", owner.bank)).send().await.ok();
        let by = async |what: &str| groups(&statistics(&owner, &format!("group_by={what}")).await);
        let id = |text: &str| Some(text.to_owned());
        let clients = [(None, (1, 1.0)), (id(&one), (1, 2.0)), (id(&other), (2, 12.0))];
        assert_eq!(by("client").await, clients.into());
        assert_eq!(by("key").await, [(id(&key.id), (4, 15.0))].into());
        assert_eq!(by("bank").await, [(id(&owner.bank), (4, 15.0))].into());
    }

    async fn pages_people_and_sessions_count_and_so_does_money_that_exists(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        bank.pay("000079912345", 15_075, Duration::ZERO);
        owner.verify(&account, json!({ "bank_reference": "912345", "amount": 150.75 })).await.ok();
        let link = make(&owner.key, &owner.bank, json!({})).await;
        paid_with(&app.nobody(), &link, "267890").await;
        assert_eq!(figures(&statistics(&owner, "").await), (1, 150.75));
        let live = owner.get("/v1/statistics?group_by=bank").await.ok();
        assert_eq!(live["livemode"], true);
        assert_eq!(groups(&live), [(Some(account), (1, 150.75))].into());
    }

    async fn what_is_priced_in_dollars_is_received_in_bolivares_however_it_is_grouped(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        record_dollar(&app, "891", "2026-11-19", "2026-11-20").await;
        let more = json!({ "amount": 25, "currency": "USD", "expiration_time": -1 });
        let link = make(&owner.key, &account, more).await;
        bank.pay("000079912345", 2_227_500, Duration::ZERO);
        let fields = [("reference", "79912345"), ("seen", "2227500"), ("phone", PAYER.0)];
        send(&app.nobody(), &format!("/pay/{link}"), &fields).await;
        let body = json!({ "bank_reference": "79955555", "amount": 10 });
        // The bank is not asked more often than it likes.
        app.clock().advance(Duration::from_secs(3));
        bank.pay("000079955555", 1_000, Duration::ZERO);
        owner.verify(&account, body).await.ok();
        for group_by in GroupBy::ALL.map(GroupBy::as_str) {
            let answer = owner.get(&format!("/v1/statistics?group_by={group_by}")).await.ok();
            let [dollars, bolivares] = answer["statistics"].as_array().unwrap().as_slice() else {
                panic!("{answer}")
            };
            let sums = |of: &Value| (of["count"].clone(), of["sum"].clone(), of["received"].clone());
            for (of, currency, sum, received) in
                [(dollars, "USD", 25.0, 22_275.0), (bolivares, "VEF", 10.0, 10.0)]
            {
                let expected = (json!(1), json!(sum), json!(received));
                assert_eq!((&of["currency"], sums(of)), (&json!(currency), expected.clone()), "{group_by}");
                let [group] = of["groups"].as_array().unwrap().as_slice() else { panic!("{answer}") };
                assert_eq!(sums(group), expected, "{group_by}");
                let id = match (group_by, currency) {
                    ("hour", _) => json!("2026-11-20T12:00:00.000Z"),
                    ("day", _) => json!("2026-11-20"),
                    ("month", _) => json!("2026-11"),
                    ("bank", _) => json!(account),
                    ("client" | "person" | "subscription", _) | ("key", "VEF") => Value::Null,
                    ("key", _) => json!(owner.key.id),
                    ("currency", currency) => json!(currency),
                    _ => json!(PAYER.1),
                };
                assert_eq!(group["id"], id, "{group_by}");
            }
        }
        let price = json!({
            "amount": 25.0, "currency": "USD", "rate": 891.0, "value_date": "2026-11-20", "source": "BCV",
        });
        let listed = owner.get("/v1/payments").await.ok();
        let (dollars, bolivares) = (&listed["payments"][0], &listed["payments"][1]);
        assert_eq!((&dollars["price"], &dollars["amount"]), (&price, &json!(22_275.0)));
        assert!(bolivares["price"].is_null(), "{bolivares}");
        let path = format!("/v1/verifications/{}", dollars["verification_id"].as_str().unwrap());
        let shown = owner.get(&path).await.ok();
        assert_eq!(shown["verification"]["user_bank_payment"]["price"], price);
        let again = json!({ "bank_reference": "000079912345", "amount": 22_275 });
        let again = owner.verify(&account, again).await.ok();
        assert_eq!(again["data"]["user_bank_payment"]["price"], price);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open("/app").await;
        let (_, figure) = page.split_once("Cobrado hoy").unwrap();
        let (figure, _) = figure.split_once("</div>").unwrap();
        assert!(figure.contains("Bs. 22.285,00") && figure.contains("2 pagos"), "{figure}");
        assert!(!page.split_once("</dl>").unwrap().0.contains("USD"), "{page}");
    }

    async fn what_only_test_payments_would_match_is_said(setup: Setup) {
        let bank = SimulatedBank::open().await;
        let app = setup.with_bank(&bank).start().await;
        let owner = app.owner().await;
        let ask = async |query: &str| owner.get(&format!("/v1/statistics?{query}")).await.ok();
        assert_eq!(ask("").await["has_test_payments"], false);
        owner.key.verify(&owner.bank, paying("1", 1.0)).await.ok();
        let live = ask("").await;
        assert_eq!((&live["has_test_payments"], &live["statistics"]), (&json!(true), &json!([])));
        // Other days have none, and who asks for them is not told of them.
        assert_eq!(ask("from=2026-11-01&to=2026-11-02").await["has_test_payments"], false);
        assert_eq!(ask("livemode=false").await["has_test_payments"], false);
        let account = bdv::link(&owner).await;
        bank.pay("000079912345", 15_075, Duration::ZERO);
        owner.verify(&account, json!({ "bank_reference": "912345", "amount": 150.75 })).await.ok();
        assert_eq!(ask("").await["has_test_payments"], false);
    }

    async fn the_last_evening_of_a_month_is_of_that_month(setup: Setup) {
        // The search begins ten seconds before the month ends, and the bank answers after.
        let start = Timestamp::from_micros(DECEMBER.as_micros() - 10_000_000);
        let app = setup.from(start).start().await;
        let mut owner = app.owner().await;
        owner.key.verify(&owner.bank, paying("1", 1.0)).await.ok();
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        finish(&app).await;
        owner.sign_in_again().await;
        let of = async |from: &str, to: &str| {
            figures(&statistics(&owner, &format!("from={from}&to={to}")).await).0
        };
        assert_eq!(of("2026-11-01", "2026-11-30").await, 1);
        // What is claimed after midnight is of that day, in whatever month it was reserved.
        assert_eq!(of("2026-12-01", "2026-12-31").await, 1);
        assert_eq!(of("2026-11-30", "2026-12-01").await, 2);
    }

    async fn however_many_claim_at_once_they_are_what_a_recount_says(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let other = owner.key_with(&["payment_verifications"]).await;
        // Each movement is asked about by two at once, of whom one claims it.
        let calls = (0..60).flat_map(|n| {
            [&owner.key, &other].map(|key| key.verify(&owner.bank, paying(&n.to_string(), 7.5)))
        });
        let answers = join_all(calls).await;
        let is_new = |answer: &testkit::Response| answer.ok()["data"]["is_new"] == true;
        assert_eq!(answers.iter().filter(|answer| is_new(answer)).count(), 60);
        assert_eq!(recounted(&app, &owner), (60, 45_000));
        assert_eq!(figures(&statistics(&owner, "").await), (60, 450.0));
        let keys = groups(&statistics(&owner, "group_by=key").await);
        assert_eq!(keys.values().map(|(count, _)| count).sum::<i64>(), 60);
        let none = groups(&statistics(&owner, "group_by=subscription").await);
        assert_eq!(none, [(None, (60, 450.0))].into());
    }

    async fn a_sum_that_passes_its_bound_is_not_known(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        for (number, most) in [("1", SUM_MAX / 2 - 1), ("2", SUM_MAX / 2), ("3", i64::MAX)] {
            owner.key.verify(&owner.bank, paying(number, 1.0)).await.ok();
            let full = format!("update payment_sums set amount = {most}, received = {most} where amount = 100");
            app.database().execute(&full);
            app.clock().advance(DAY);
        }
        let known = json!((SUM_MAX - 1) as f64 / 100.0);
        for (to, count, sum) in [("2026-11-21", 2, known), ("2026-11-22", 3, Value::Null)] {
            for group in ["day", "month", "bank", "client", "key", "person", "currency"] {
                let answer = statistics(&owner.key, &format!("from=2026-11-20&to={to}&group_by={group}")).await;
                let found = &answer["statistics"][0];
                assert_eq!((&found["count"], &found["sum"], &found["received"]), (&json!(count), &sum, &sum));
                assert_eq!(found["mean"].is_null(), sum.is_null(), "{answer}");
            }
        }
        // A payment is claimed however great the sum is that it is added to.
        let full = format!("update payment_sums set amount = {SUM_MAX}, day = day + 1 where amount = {}", i64::MAX);
        app.database().execute(&full);
        owner.key.verify(&owner.bank, paying("4", 1.0)).await.ok();
        let kept = app.database().number("select max(amount) from payment_sums where payments = 2");
        assert_eq!(kept, SUM_MAX);
    }

    async fn what_cannot_be_asked_is_refused(app: TestApp) {
        let owner = app.owner().await;
        for query in [
            "from=2025-01-01", "from=2026-11-21", "group_by=year", "to=x", "livemode=2",
            "group_by=hour&from=2026-10-20&to=2026-11-20", "group_by=payer_bank&from=2026-10-20&to=2026-11-20",
            "group_by=subscription&from=2026-10-20&to=2026-11-20",
        ] {
            let answer = owner.get(&format!("/v1/statistics?{query}")).await;
            answer.refused(400, "VALIDATION_ERROR");
        }
        for group in ["hour", "payer_bank", "subscription"] {
            statistics(&owner, &format!("group_by={group}&from=2026-10-21&to=2026-11-20")).await;
        }
    }

    async fn a_sum_that_was_changed_is_named(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        link_bank(&owner.key).await;
        owner.key.verify(&owner.bank, paying("1", 1.0)).await.ok();
        for change in [
            "update payment_sums set amount = amount + 1",
            "update payment_sums set amount = amount - 1, payments = payments + 1",
            "update payment_sums set received = received + 1",
            "update payment_sums set received = received - 1, payments = payments - 1, day = day - 1",
            "update payment_sums set day = day + 1, currency = 'USD'",
            "delete from payment_sums",
        ] {
            app.database().execute(change);
            let differences: Vec<_> =
                app.audit().await.into_iter().flat_map(|found| found.differences).collect();
            assert!(!differences.is_empty(), "{change}");
            let is_named = |what: &str| what.starts_with("payment_sums.");
            assert!(differences.iter().all(|it| is_named(&it.what)), "{change}: {differences:?}");
        }
    }
}
