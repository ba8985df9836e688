//! `GET /v1/statistics?group_by=subscription`

use std::collections::BTreeMap;
use std::time::Duration;

use domain::time::CaracasDate;
use serde_json::{Value, json};
use testkit::{Principal, Setup, TestApp, both_engines, either_engine};

use crate::bdv;
use crate::exchange_rate::record_dollar;
use crate::pay::rates::hold;
use crate::pay::{self, THEIRS, paid_with, said, send};
use crate::subscriptions::{begin, day_comes, details, id, link_of, make};

/// The products of the subscriptions that are counted again.
const PLANS: [&str; 3] = ["Plan uno", "Plan dos", "Plan tres"];

/// The statistics of payments in the sandbox, by subscription.
async fn statistics(caller: &Principal, query: &str) -> Value {
    let path = format!("/v1/statistics?livemode=false&group_by=subscription&{query}");
    caller.get(&path).await.ok()
}

/// Maps each group of the one currency by its id or nothing.
fn groups(answer: &Value) -> BTreeMap<Option<String>, Value> {
    let groups = answer["statistics"][0]["groups"].as_array().unwrap().iter();
    groups.map(|group| (group["id"].as_str().map(str::to_owned), group.clone())).collect()
}

/// Counts the payments of these days again which paid a cycle of that product, or which paid none, and adds up what the
/// bank credited: from the cycles, whose links have their payments.
fn recounted(app: &TestApp, product: &str, (from, to): (&str, &str)) -> (i64, Value) {
    let day = |text| CaracasDate::parse(text).unwrap();
    let (begins, ends) = (day(from).start(), day(to).plus_days(1).start());
    let of = format!(
        "from payments p join movements m on m.owner_id = p.owner_id and m.id = p.movement_id \
         left join payment_links l on l.owner_id = p.owner_id and l.payment_id = p.id \
         left join subscription_cycles y on y.owner_id = p.owner_id and y.link_id = l.id and y.state = 1 \
         left join subscriptions s on s.owner_id = p.owner_id and s.id = y.subscription_id \
         where coalesce(s.product_name, '') = '{product}' and p.created_at >= {} and p.created_at < {}",
        begins.as_micros(),
        ends.as_micros(),
    );
    let sum = format!("select cast(coalesce(sum(m.amount), 0) as bigint) {of}");
    let sum = app.database().number(&sum) as f64 / 100.0;
    (app.database().number(&format!("select count(*) {of}")), json!(sum))
}

both_engines! {
    async fn each_subscription_is_a_group_and_what_paid_none_is_one(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let key = &owner.key;
        let named = id(&make(key, &owner.bank, json!({ "name": "Plan anual" })).await);
        let product = json!({ "productName": "Clases", "productPrice": 150.75 });
        let other = id(&make(key, &owner.bank, json!({ "uniqueProduct": product })).await);
        // Nobody pays this one.
        make(key, &owner.bank, json!({})).await;
        let links = [
            link_of(key, &named, 1).await,
            link_of(key, &other, 1).await,
            pay::make(key, &owner.bank, json!({})).await,
        ];
        for (link, reference) in links.iter().zip(["10167890", "10267890", "10367890"]) {
            assert_eq!(said(&paid_with(&app.nobody(), link, reference).await), "Pago confirmado");
        }
        key.verify(&owner.bank, json!({ "bank_reference": "10467890", "amount": 10 })).await.ok();
        day_comes(&app, "2026-12-17").await;
        let second = link_of(key, &named, 2).await;
        assert_eq!(said(&paid_with(&app.nobody(), &second, "10567890").await), "Pago confirmado");

        let answer = statistics(key, "from=2026-11-20&to=2026-12-20").await;
        let [vef] = answer["statistics"].as_array().unwrap().as_slice() else { panic!("{answer}") };
        assert_eq!((&vef["count"], &vef["sum"]), (&json!(5), &json!(613.0)));
        let nothing = json!({ "count": 0, "sum": 0.0, "mean": null, "received": 0.0 });
        assert_eq!(vef["groups"], json!([
            {
                "id": named, "name": "Plan anual", "productName": "Gimnasio", "clientName": "Cliente de prueba",
                "count": 2, "sum": 301.5, "mean": 150.75, "received": 301.5, "previous": nothing,
            },
            {
                "id": null, "name": null,
                "count": 2, "sum": 160.75, "mean": 80.38, "received": 160.75, "previous": nothing,
            },
            {
                "id": other, "name": "Clases", "productName": "Clases", "clientName": "Cliente de prueba",
                "count": 1, "sum": 150.75, "mean": 150.75, "received": 150.75, "previous": nothing,
            },
        ]));
        let december = statistics(key, "from=2026-12-01&to=2026-12-20").await;
        let december = groups(&december);
        let (now, before) = (&december[&Some(named)]["count"], &december[&Some(other)]["previous"]["count"]);
        assert_eq!((now, before), (&json!(1), &json!(1)));
    }

    async fn they_are_what_a_recount_of_the_cycles_says(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let mut subscriptions = Vec::new();
        for plan in PLANS {
            let product = json!({ "productName": plan, "productPrice": 150.75 });
            let more = json!({ "subscriptionPeriodType": "day", "graceDays": 10, "uniqueProduct": product });
            subscriptions.push(id(&make(&owner.key, &owner.bank, more).await));
        }
        let (mut asked, mut state) = (100, 7_u64);
        for day in 20..26 {
            day_comes(&app, &format!("2026-11-{day}")).await;
            for of in &subscriptions {
                let owed = details(&owner.key, of).await["paymentLinkId"].clone();
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let Some(link) = owed.as_str().filter(|_| state >> 62 > 0) else { continue };
                asked += 1;
                let page = paid_with(&app.nobody(), link, &format!("{asked}67890")).await;
                assert_eq!(said(&page), "Pago confirmado");
            }
            asked += 1;
            let unasked = json!({ "bank_reference": format!("{asked}67890"), "amount": 7.5 });
            owner.key.verify(&owner.bank, unasked).await.ok();
        }
        let ids = subscriptions.into_iter().map(Some).chain([None]);
        let expected: Vec<_> = PLANS.into_iter().chain([""]).zip(ids).collect();
        let none = json!({ "count": 0, "sum": 0.0, "previous": { "count": 0, "sum": 0.0 } });
        for (from, to) in [("2026-11-20", "2026-11-25"), ("2026-11-23", "2026-11-25"), ("2026-11-24", "2026-11-24")] {
            let answer = statistics(&owner.key, &format!("from={from}&to={to}")).await;
            let before = ["previous_from", "previous_to"].map(|day| answer[day].as_str().unwrap());
            let found = groups(&answer);
            for (product, of) in &expected {
                let group = found.get(of).unwrap_or(&none);
                for (sums, days) in [(group, (from, to)), (&group["previous"], (before[0], before[1]))] {
                    let shown = (sums["count"].as_i64().unwrap(), sums["sum"].clone());
                    assert_eq!(shown, recounted(&app, product, days), "{product:?}: {days:?}");
                }
            }
        }
        let whole = groups(&statistics(&owner.key, "from=2026-11-20&to=2026-11-25").await);
        assert_eq!(whole.len(), PLANS.len() + 1, "{whole:?}");
    }
}

either_engine! {
    async fn a_cycle_in_dollars_counts_in_dollars(setup: Setup) {
        let (bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let account = bdv::link(&owner).await;
        record_dollar(&app, "891", "2026-11-19", "2026-11-20").await;
        let product = json!({ "productName": "Gimnasio", "productPrice": 25 });
        let more = json!({ "currency": "USD", "uniqueProduct": product });
        let of = id(&make(&owner.key, &account, more).await);
        let link = link_of(&owner.key, &of, 1).await;
        hold(&app.nobody(), &link).await;
        bank.pay("000079912345", 2_227_500, Duration::ZERO);
        let fields = [&[("reference", "79912345"), ("seen", "2227500")], THEIRS].concat();
        send(&app.nobody(), &format!("/pay/{link}"), &fields).await;
        let answer = owner.get("/v1/statistics?group_by=subscription").await.ok();
        let [dollars] = answer["statistics"].as_array().unwrap().as_slice() else { panic!("{answer}") };
        let group = &dollars["groups"][0];
        assert_eq!((&dollars["currency"], &group["id"]), (&json!("USD"), &json!(of)));
        assert_eq!((&group["sum"], &group["received"]), (&json!(25.0), &json!(22_275.0)));
    }

    async fn who_may_not_see_subscriptions_gets_no_names(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({})).await);
        paid_with(&app.nobody(), &link_of(&owner.key, &of, 1).await, "167890").await;
        let limited = owner.employee(1, &["statistics:read"]).await;
        let other = owner.employee(2, &["statistics:read", "subscriptions:read"]).await;
        let program = owner.key_with(&["statistics"]).await;
        let named = [json!("Gimnasio"), json!("Gimnasio"), json!("Cliente de prueba")];
        let nameless = [Value::Null, Value::Null, Value::Null];
        let callers = [
            (&*owner, &named),
            (&*other, &named),
            (&*limited, &nameless),
            (&*program, &nameless),
        ];
        for (caller, names) in callers {
            let answer = statistics(caller, "").await;
            let group = &answer["statistics"][0]["groups"][0];
            assert_eq!((&group["id"], &group["count"]), (&json!(of), &json!(1)));
            assert_eq!(["name", "productName", "clientName"].map(|name| group[name].clone()), *names);
        }
        let client = owner.client(true).await;
        let of_client = owner.client_key(&client).await;
        of_client.get("/v1/statistics?group_by=subscription").await.refused(403, "FORBIDDEN");
        let stranger = app.owner().await;
        assert_eq!(statistics(&stranger.key, "").await["statistics"], json!([]));
    }
}
