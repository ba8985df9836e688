//! Many payers at once: in real time on the sandbox, and at a bank in the bank's own time.

use std::time::Duration;

use futures_util::future::{join, join_all};
use serde_json::json;
use testkit::bank::{KEY, SimulatedBank};
use testkit::{Owner, Setup, TestApp, both_engines};

use super::{THEIRS, make, paid_by, pay, pay_by, said, status};

/// How many try at once.
const PAYERS: usize = 50;

/// Amount that every link asks for, in hundredths.
const OWED: i64 = 15_075;

/// A service whose bank notifies it of payments, and an owner with an account there.
async fn at_the_bank(setup: Setup) -> (SimulatedBank, TestApp, Owner, String) {
    let bank = SimulatedBank::open().await;
    let app = setup.with_bank(&bank).start().await;
    let owner = app.owner().await;
    let linked = owner.post("/usersbank", SimulatedBank::link(KEY)).await.ok();
    bank.notify(owner.address(), &linked["push"]);
    let account = linked["userbank"]["id"].as_str().unwrap().to_owned();
    (bank, app, owner, account)
}

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
        // Most are asked to wait: a link is checked three times at once.
        assert!(ends.iter().all(|status| [200, 303, 429].contains(status)), "{ends:?}");
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
            assert!(ends.iter().all(|status| [200, 303].contains(status)), "{ends:?}");
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
            assert!([200, 303].contains(&paid.status), "{paid:?}");
            let is_new = asked.ok()["data"]["is_new"] == true;
            let is_paid = status(&owner, &link).await == "paid";
            assert_ne!(is_new, is_paid, "one of them has it");
            assert_eq!(owner.balance().await, 1_000 - round);
        }
    }

    async fn digits_of_all_lengths_and_notices_at_once_pay_one_of_two_links(setup: Setup) {
        let (bank, app, owner, account) = at_the_bank(setup).await;
        let links = [
            make(&owner.key, &account, json!({})).await,
            make(&owner.key, &account, json!({})).await,
        ];
        let payment = bank.pay("000079912345", OWED, Duration::ZERO);
        let spellings = ["912345", "79912345", "000079912345", "9.912.345", "0000 7991-2345"];
        let payer = app.nobody();
        let tries = (0..PAYERS).map(|n| {
            let (payer, link) = (payer.clone(), links[n % 2].clone());
            async move { pay_by(&payer, &link, spellings[n % spellings.len()], THEIRS).await.status }
        });
        let notices = join_all((0..8).map(|_| bank.push(payment)));
        let (ends, codes) = join(join_all(tries), notices).await;
        bank.deliver_due().await;
        app.settle().await;
        // Most are asked to wait: a link is checked three times at once.
        assert!(ends.iter().all(|status| [200, 303, 429].contains(status)), "{ends:?}");
        assert!(codes.iter().all(|code| code == "00" || code == "01"), "{codes:?}");
        let mut found = [status(&owner, &links[0]).await, status(&owner, &links[1]).await];
        found.sort();
        assert_eq!(found, ["paid", "pending"]);
        assert_eq!(owner.balance().await, 999);
        for table in ["movements", "payments", "bank_notifications"] {
            let count = format!("select count(*) from {table}");
            assert_eq!(app.database().number(&count), 1, "{table}");
        }
    }

    async fn of_two_movements_on_one_link_the_other_stays_its_payers(setup: Setup) {
        let (bank, app, owner, account) = at_the_bank(setup).await;
        for round in 1..=5 {
            // The bank is not asked more often than it likes.
            app.clock().advance(Duration::from_secs(3));
            let receipts = [format!("00007{round}112345"), format!("00007{round}254321")];
            for receipt in &receipts {
                bank.pay(receipt, OWED, Duration::ZERO);
            }
            let link = make(&owner.key, &account, json!({})).await;
            let payer = app.nobody();
            let tries = receipts.each_ref().map(|receipt| pay_by(&payer, &link, receipt, THEIRS));
            let ends = join_all(tries).await;
            assert!(ends.iter().all(|end| [200, 303].contains(&end.status)), "{ends:?}");
            app.settle().await;
            assert_eq!(status(&owner, &link).await, "paid");
            assert_eq!(owner.balance().await, 1_000 - 2 * round + 1);

            // What did not pay this link pays another one, and what did pays none.
            let mut said_of = Vec::new();
            for receipt in &receipts {
                let another = make(&owner.key, &account, json!({})).await;
                said_of.push(said(&paid_by(&payer, &another, receipt, THEIRS).await));
            }
            said_of.sort();
            assert_eq!(said_of, ["Pago confirmado", "Todavía no encontramos su pago"]);
            assert_eq!(owner.balance().await, 1_000 - 2 * round);
            let payments = app.database().number("select count(*) from payments");
            assert_eq!(payments, 2 * round);
        }
    }
}
