//! How the line of a charge says that it was for a cycle.

use serde_json::{Value, json};
use testkit::{Setup, either_engine};

use super::{begin, day_comes, id, link_of, make};
use crate::pay::paid_with;
use crate::payment_links::accept::{OWED, shown};

either_engine! {
    async fn a_charge_for_a_cycle_says_so_by_whatever_the_payment_was_confirmed(setup: Setup) {
        let app = begin(setup).await;
        let mut owner = app.owner().await;
        let of = id(&make(&owner.key, &owner.bank, json!({ "subscriptionPeriodType": "day" })).await);
        let first = link_of(&owner.key, &of, 1).await;
        paid_with(&app.nobody(), &first, "167890").await;
        day_comes(&app, "2026-11-21").await;
        owner.sign_in_again().await;
        let second = link_of(&owner.key, &of, 2).await;
        let movement = shown(&app, &owner, "7654321", OWED).await;
        let body = json!({ "movement_id": movement });
        owner.post(&format!("/v1/paymentlink/{second}/accept"), body).await.ok();

        let credits = owner.get("/v1/credits").await.ok();
        let column = |name: &str| -> Vec<Value> {
            credits["entries"].as_array().unwrap().iter().map(|line| line[name].clone()).collect()
        };
        assert_eq!(column("origin"), ["subscription", "subscription", "admin"]);
        assert_eq!(column("subscription_id"), [json!(of), json!(of), Value::Null]);
        assert_eq!(column("payment_link_id"), [json!(second), json!(first), Value::Null]);

        let activity = owner.activity_of(&owner.key).await;
        assert_eq!((&activity["credit_total"], &activity["request_total"]), (&json!(2), &json!(2)));
        assert_eq!(activity["credits"][0]["origin"], "subscription");
        let described = activity["credits"][0]["description"].as_str().unwrap();
        let begins = format!("Enlace {second} de la suscripción {of} pagado con pay_");
        assert!(described.starts_with(&begins), "{described}");
        // What was asked of the bank is asked alike for every link.
        assert_eq!(activity["requests"][0]["request_type"], "payment_link");
    }
}
