//! Ten thousand who try references out, from many addresses and on many links.

use std::time::Duration;

use domain::links::{ACCOUNT_ATTEMPTS_MAX, ATTEMPTS_FREE, ATTEMPTS_MAX};
use futures_util::future::join_all;
use serde_json::json;
use testkit::{Response, Setup, TestApp, both_engines};

use super::{follow, form, make, paid_with, pay, said, status, text};

const TRIES: usize = 10_000;

/// How many of them come at once.
const AT_ONCE: usize = 25;

/// From how many addresses.
const ADDRESSES: usize = 200;

/// On how many links of one account: more than the account accepts at twenty for each.
const LINKS: usize = 60;

/// Tries a reference on that link, from that address.
async fn try_from(app: &TestApp, address: &str, id: &str, reference: &str) -> Response {
    let fields = [("reference", reference), ("seen", "15075")];
    let call = form(&app.nobody(), &format!("/pay/{id}"), &fields);
    call.header("x-forwarded-for", address).send().await
}

/// How many rows there are.
fn count(app: &TestApp, table: &str) -> usize {
    let count = app.database().number(&format!("select count(*) from {table}"));
    usize::try_from(count).unwrap()
}

both_engines! {
    async fn ten_thousand_attempts_cost_what_the_limits_allow_and_lock_no_payer_out(setup: Setup) {
        let app = setup.behind_a_proxy().attempts_per_minute(10).start().await;
        let owner = app.owner().await;
        let mut links = Vec::new();
        for _ in 0..LINKS {
            links.push(make(&owner.key, &owner.bank, json!({})).await);
        }
        let mut taken = vec![0; LINKS];
        for first in (0..TRIES).step_by(AT_ONCE) {
            let tries = (first..first + AT_ONCE).map(|n| {
                let address = format!("198.51.100.{}", n % ADDRESSES);
                let (app, id) = (&app, &links[n % LINKS]);
                async move { try_from(app, &address, id, &format!("{n}55555")).await }
            });
            for (n, answer) in join_all(tries).await.iter().enumerate() {
                match answer.status {
                    200 => taken[(first + n) % LINKS] += 1,
                    429 => {
                        let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
                        assert!((1..=3_600).contains(&wait), "{wait}");
                        assert_eq!(said(&text(answer)), "Demasiados intentos");
                    }
                    _ => panic!("{answer:?}"),
                }
            }
        }
        // No more than that was asked of the bank or written down, whatever was sent.
        assert_eq!(taken.iter().sum::<usize>(), ACCOUNT_ATTEMPTS_MAX);
        assert!(taken.iter().all(|taken| (ATTEMPTS_FREE..=ATTEMPTS_MAX).contains(taken)), "{taken:?}");
        let calls = app.database().number("select cast(sum(calls) as bigint) from verifications");
        assert_eq!(usize::try_from(calls).unwrap(), ACCOUNT_ATTEMPTS_MAX);
        assert_eq!(count(&app, "verifications"), ACCOUNT_ATTEMPTS_MAX);
        assert_eq!(count(&app, "activity"), ACCOUNT_ATTEMPTS_MAX);
        assert_eq!((count(&app, "movements"), owner.balance().await), (0, 1_000));

        // A payer of another link of the account is not disturbed, nor is the API.
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let paid = try_from(&app, "203.0.113.1", &id, "167890").await;
        assert_eq!(said(&text(&follow(&app.nobody(), &paid).await)), "Pago confirmado");
        owner.key.verify(&owner.bank, json!({ "bank_reference": "267890" })).await.ok();
        // A payer of one of those waits, and then pays.
        let answer = try_from(&app, "203.0.113.1", &links[0], "367890").await;
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("3600")));
        assert!(text(&answer).contains("value=\"367890\""), "what was typed is not lost");
        app.clock().advance(Duration::from_secs(3_600));
        try_from(&app, "203.0.113.1", &links[0], "367890").await;
        assert_eq!(status(&owner.key, &links[0]).await, "paid");
    }

    async fn what_credits_refuse_is_not_written_down_without_end(setup: Setup) {
        let app = setup.start().await;
        let owner = app.owner_with(0).await;
        let id = make(&owner.key, &owner.bank, json!({})).await;
        let mut ends = Vec::new();
        for n in 0..100 {
            ends.push(try_from(&app, "203.0.113.1", &id, &format!("{n}155555")).await.status);
        }
        let refused = ends.iter().take_while(|end| **end == 503).count();
        assert!(refused <= 60 && ends[refused..].iter().all(|end| *end == 429), "{ends:?}");
        assert_eq!((count(&app, "activity"), count(&app, "verifications")), (refused, 0));
    }

    async fn an_outage_of_the_bank_locks_no_payer_out(app: TestApp) {
        let owner = app.owner().await;
        for _ in 0..ACCOUNT_ATTEMPTS_MAX / ATTEMPTS_MAX {
            let id = make(&owner.key, &owner.bank, json!({})).await;
            for n in 0..ATTEMPTS_MAX {
                assert_eq!(pay(&app.nobody(), &id, &format!("{n}110010")).await.status, 200);
            }
        }
        assert_eq!(count(&app, "verifications where state = 4"), ACCOUNT_ATTEMPTS_MAX);
        let id = make(&owner.key, &owner.bank, json!({})).await;
        for n in 0..ATTEMPTS_FREE {
            pay(&app.nobody(), &id, &format!("{n}110010")).await;
        }
        assert_eq!(said(&paid_with(&app.nobody(), &id, "167890").await), "Pago confirmado");
    }

    async fn attempts_that_were_confirmed_do_not_count_against_an_account(app: TestApp) {
        let owner = app.owner().await;
        for n in 0..3 {
            let id = make(&owner.key, &owner.bank, json!({})).await;
            paid_with(&app.nobody(), &id, &format!("{n}167890")).await;
        }
        let vain = "link_id is not null and state in (0, 2, 3)";
        assert_eq!(count(&app, &format!("verifications where {vain}")), 0);
    }
}
