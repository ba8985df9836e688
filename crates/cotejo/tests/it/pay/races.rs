//! Many payers at once, in real time.

use futures_util::future::join_all;
use serde_json::json;
use testkit::{Setup, both_engines};

use super::{make, pay, status};

/// How many try at once.
const PAYERS: usize = 50;

both_engines! {
    async fn fifty_spellings_of_one_movement_on_two_links_pay_one(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let links = [
            make(&owner.key, &owner.bank, json!({})).await,
            make(&owner.key, &owner.bank, json!({})).await,
        ];
        let payer = app.nobody();
        let tries = (0..PAYERS).map(|n| {
            let spelled = match n % 3 {
                0 => format!("{}9967890", "0".repeat(n % 20)),
                1 => format!("0-99.678 90{}", " ".repeat(n % 5)),
                _ => "9967890".to_owned(),
            };
            let (payer, link) = (payer.clone(), links[n % 2].clone());
            async move { pay(&payer, &link, &spelled).await.status }
        });
        let ends = join_all(tries).await;
        // Most are told to wait: a link is checked three times at once.
        assert!(ends.iter().all(|status| [303, 429].contains(status)), "{ends:?}");
        app.settle().await;
        let mut found = [status(&owner, &links[0]).await, status(&owner, &links[1]).await];
        found.sort();
        assert_eq!(found, ["paid", "pending"]);
        assert_eq!(owner.balance().await, 999);
        assert_eq!(app.database().number("select count(*) from movements"), 1);
        assert_eq!(app.database().number("select count(*) from payments"), 1);
    }

    async fn two_movements_on_one_link_pay_it_once(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        for round in 1..=5 {
            let link = make(&owner.key, &owner.bank, json!({})).await;
            let payer = app.nobody();
            let tries = (1..=3).map(|n| {
                let (payer, link) = (payer.clone(), link.clone());
                async move { pay(&payer, &link, &format!("{round}{n}67890")).await.status }
            });
            let ends = join_all(tries).await;
            assert!(ends.iter().all(|status| *status == 303), "{ends:?}");
            app.settle().await;
            assert_eq!(status(&owner, &link).await, "paid");
            assert_eq!(owner.balance().await, 1_000 - round);
            assert_eq!(app.database().number("select count(*) from payments"), round);
        }
    }

    async fn a_link_and_the_api_never_both_take_a_movement(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        for round in 1..=5 {
            let link = make(&owner.key, &owner.bank, json!({})).await;
            let payer = app.nobody();
            let reference = format!("{round}67890");
            let asked = json!({ "bank_reference": reference, "amount": 150.75 });
            let (paid, asked) = futures_util::future::join(
                pay(&payer, &link, &reference),
                owner.key.verify(&owner.bank, asked),
            )
            .await;
            assert_eq!(paid.status, 303);
            let is_new = asked.ok()["data"]["is_new"] == true;
            let is_paid = status(&owner, &link).await == "paid";
            assert_ne!(is_new, is_paid, "one of them has it");
            assert_eq!(owner.balance().await, 1_000 - round);
        }
    }
}
