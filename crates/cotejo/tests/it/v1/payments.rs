//! `GET /v1/payments`

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use testkit::{Principal, Setup, TestApp, both_engines};

use crate::pay::{make, paid_with};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn page(caller: &Principal, query: &str) -> Value {
    caller.get(&format!("/v1/payments?{query}")).await.ok()
}

fn field(page: &Value, name: &str) -> Vec<String> {
    let payments = page["payments"].as_array().unwrap().iter();
    payments.map(|payment| payment[name].as_str().unwrap_or("-").to_owned()).collect()
}

fn ids(page: &Value) -> Vec<String> {
    field(page, "id")
}

fn paying(number: u32) -> Value {
    json!({ "bank_reference": format!("{number}67890"), "source_name": format!("caja {number}") })
}

/// Asks, and answers the id of the payment.
async fn claim(caller: &Principal, bank: &str, number: u32) -> String {
    let answer = caller.verify(bank, paying(number)).await.ok();
    answer["data"]["user_bank_payment"]["id"].as_str().unwrap().to_owned()
}

/// All payments behind a place, as somebody pulls them who goes on while there is more; and the place after that.
async fn pull(caller: &Principal, place: Option<String>) -> (Vec<String>, Option<String>) {
    let (mut pulled, mut place) = (Vec::new(), place);
    loop {
        let after = place.as_ref().map(|place| format!("&after={place}")).unwrap_or_default();
        let answer = page(caller, &format!("limit=7{after}")).await;
        pulled.extend(ids(&answer));
        place = answer["next"].as_str().map(str::to_owned);
        if answer["has_more"] == false {
            return (pulled, place);
        }
    }
}

both_engines! {
    async fn they_are_listed_as_they_came_page_by_page(app: TestApp) {
        let owner = app.owner().await;
        let nothing = page(&owner.key, "").await;
        assert_eq!((&nothing["payments"], &nothing["next"]), (&json!([]), &Value::Null));
        assert_eq!(nothing["has_more"], false);
        let mut made = Vec::new();
        for number in 1..=5 {
            // Several within an instant stay in their order, too.
            made.push(claim(&owner.key, &owner.bank, number).await);
        }
        let first = page(&owner.key, "limit=3").await;
        assert_eq!((ids(&first), &first["has_more"]), (made[..3].to_vec(), &json!(true)));
        let after = format!("after={}", first["next"].as_str().unwrap());
        let rest = page(&owner.key, &format!("limit=3&{after}")).await;
        assert_eq!((ids(&rest), &rest["has_more"]), (made[3..].to_vec(), &json!(false)));
        // A caller that goes on by the instant of the last gets that one again, and misses none.
        let since = format!("limit=3&updated_since={}", first["payments"][2]["updated_at"].as_str().unwrap());
        assert_eq!(ids(&page(&owner.key, &since).await), made[2..5]);
        let after = format!("after={}", rest["next"].as_str().unwrap());
        let none = page(&owner.key, &after).await;
        assert_eq!((&none["payments"], &none["next"]), (&json!([]), &rest["next"]));
        // A repeat is no other payment, and the next one is behind the place.
        owner.key.verify(&owner.bank, paying(1)).await.ok();
        let sixth = claim(&owner.key, &owner.bank, 6).await;
        assert_eq!(ids(&page(&owner.key, &after).await), [sixth]);
    }

    async fn each_is_listed_with_what_it_was_for(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let theirs = key.link_bank().await;
        claim(&owner.key, &owner.bank, 1).await;
        claim(&key, &theirs, 2).await;
        claim(&owner, &theirs, 3).await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        paid_with(&app.nobody(), &link, "467890").await;
        let answer = page(&owner, "").await;
        let first = &answer["payments"][0];
        assert_eq!(first["amount"], 100.0);
        assert_eq!(first["currency"], "VEF");
        assert_eq!(first["bank_reference_id"], "167890");
        assert_eq!(first["livemode"], false);
        assert_eq!(first["source_name"], "caja 1");
        assert_eq!(first["created_at"], "2026-11-20T12:00:00.000Z");
        let (none, own) = (|| "-".to_owned(), &owner.key.id);
        assert_eq!(field(&answer, "api_key_id"), [own.clone(), key.id.clone(), none(), own.clone()]);
        let clients = [none(), client.clone(), client.clone(), none()];
        assert_eq!(field(&answer, "client_owner_id"), clients);
        assert_eq!(field(&answer, "payment_link_id"), [none(), none(), none(), link]);
        let banks = [&owner.bank, &theirs, &theirs, &owner.bank];
        assert_eq!(field(&answer, "user_bank_id").iter().collect::<Vec<_>>(), banks);
        // What was said of a payment is for everybody of the owner, and of a client for who said it.
        let by_key = field(&page(&owner.key, "").await, "source_name");
        assert_eq!(by_key[..3], ["caja 1", "caja 2", "caja 3"]);
        assert_eq!(field(&page(&key, "").await, "source_name"), ["caja 2"]);
    }

    async fn filters_let_through_what_they_say(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let key = owner.client_key(&client).await;
        let theirs = key.link_bank().await;
        let one = claim(&owner.key, &owner.bank, 1).await;
        let two = claim(&key, &theirs, 2).await;
        app.clock().advance(DAY);
        let three = claim(&owner.key, &theirs, 3).await;
        let key_id = &owner.key.id;
        let of = async |query: &str| ids(&page(&owner.key, query).await);
        assert_eq!(of(&format!("user_bank_id={theirs}")).await, [two.clone(), three.clone()]);
        assert_eq!(of(&format!("client_owner_id={client}")).await, [two.clone(), three.clone()]);
        assert_eq!(of(&format!("api_key_id={key_id}")).await, [one.clone(), three.clone()]);
        assert_eq!(of(&format!("api_key_id={}", owner.id.replace("own_", "key_"))).await, [""; 0]);
        assert_eq!(of("to=2026-11-20").await, [one.clone(), two.clone()]);
        assert_eq!(of("from=2026-11-21").await, std::slice::from_ref(&three));
        assert_eq!(of("from=2026-11-21&to=2026-11-21").await, std::slice::from_ref(&three));
        assert_eq!(of("updated_since=2026-11-21T12:00:00Z").await, std::slice::from_ref(&three));
        assert_eq!(of("updated_since=2026-11-21T12:00:00.000001Z").await, [""; 0]);
        assert_eq!(of(&format!("user_bank_id={theirs}&to=2026-11-20")).await, [two]);
        // Of what is not wanted a place is kept all the same.
        let first = page(&owner.key, &format!("user_bank_id={theirs}&limit=1")).await;
        let after = first["next"].as_str().unwrap();
        assert_eq!(of(&format!("user_bank_id={theirs}&after={after}")).await, [three]);
    }

    async fn what_cannot_be_asked_is_refused(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        for query in [
            "after=x",
            "after=cur_00000000000000000000000001",
            "updated_since=yesterday",
            "from=2026-11-21&to=2026-11-20",
            "limit=101",
        ] {
            let answer = owner.key.get(&format!("/v1/payments?{query}")).await;
            answer.refused(400, "VALIDATION_ERROR");
        }
        let answer = owner.key.get(&format!("/v1/payments?user_bank_id={}", other.bank)).await;
        answer.refused(404, "NOT_FOUND");
    }

    async fn a_clock_that_is_set_back_puts_nothing_behind_a_place(app: TestApp) {
        let owner = app.owner().await;
        let first = claim(&owner.key, &owner.bank, 1).await;
        let (pulled, place) = pull(&owner.key, None).await;
        assert_eq!(pulled, [first]);
        app.clock().set_to(app.now().minus(Duration::from_secs(3)));
        let second = claim(&owner.key, &owner.bank, 2).await;
        let (pulled, place) = pull(&owner.key, place).await;
        assert_eq!(pulled, [second]);
        app.clock().advance(Duration::from_secs(10));
        let third = claim(&owner.key, &owner.bank, 3).await;
        assert_eq!(pull(&owner.key, place).await.0, [third]);
    }

    async fn a_clock_that_was_a_year_ahead_spoils_no_later_payment(app: TestApp) {
        let owner = app.owner().await;
        let first = claim(&owner.key, &owner.bank, 1).await;
        let right = app.now();
        app.clock().set_to(right.plus(365 * DAY));
        let ahead = claim(&owner.key, &owner.bank, 2).await;
        let place = pull(&owner.key, None).await.1;
        let mut made = vec![first, ahead];
        for number in 3..=6 {
            app.clock().set_to(right.plus((number - 2) * DAY));
            made.push(claim(&owner.key, &owner.bank, number).await);
        }
        // Whoever goes on by places misses none, and has none twice.
        assert_eq!(pull(&owner.key, place).await.0, made[2..]);
        let all = page(&owner.key, "").await;
        assert_eq!(ids(&all), made);
        // Each says its own instant, though one before it is a year ahead.
        assert_eq!(field(&all, "updated_at"), field(&all, "created_at"));
        let of = async |query: &str| ids(&page(&owner.key, query).await);
        assert_eq!(of("updated_since=2026-11-23T12:00:00Z").await, made[4..]);
        assert_eq!(of("updated_since=2026-11-24T12:00:00.001Z").await, [""; 0]);
        assert_eq!(of("from=2026-11-22&to=2026-11-23").await, made[3..5]);
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let shown = browser.open("/app/payments?from=2026-11-22&to=2026-11-23").await;
        assert!(shown.contains("467890") && shown.contains("567890"), "{shown}");
        assert!(!shown.contains("267890") && !shown.contains("667890"), "{shown}");
    }

    async fn who_pulls_while_payments_are_made_misses_none_and_gets_none_twice(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let keys = [owner.key.clone(), owner.key_with(&["payment_verifications"]).await];
        let done = Cell::new(false);
        let making = async {
            let claims = (0..80).map(|n| claim(&keys[n as usize % 2], &owner.bank, n));
            let made = join_all(claims).await;
            done.set(true);
            made
        };
        let pulling = async {
            let (mut all, mut place) = (Vec::new(), None);
            loop {
                // Once more after the last one was made.
                let is_last = done.get();
                let (pulled, next) = pull(&owner.key, place).await;
                all.extend(pulled);
                place = next;
                if is_last {
                    return all;
                }
            }
        };
        let (made, pulled) = join(making, pulling).await;
        assert_eq!(pulled.len(), 80);
        assert_eq!(BTreeSet::from_iter(&pulled), BTreeSet::from_iter(&made));
        let again = pull(&owner.key, None).await.0;
        assert_eq!(again, pulled);
    }
}
