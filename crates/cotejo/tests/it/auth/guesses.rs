//! `POST /auth/login`: what one account is guessed at over all addresses.

use std::time::Duration;

use app::admin::{Operator, OwnerName, SecondFactor, Whose, reset_password};
use app::sign_in_failures;
use domain::secret::SecretText;
use domain::sign_in::FAILURES_KEPT;
use futures_util::future::join_all;
use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::log::access_line;
use testkit::{Engine, Response, Setup, TestApp, both_engines};

const WRONG: &str = "wrong wrong wrong";
const NOBODY: &str = "nobody@example.com";
const SECOND: Duration = Duration::from_secs(1);

/// Tries to sign in from that address.
async fn sign_in(app: &TestApp, from: &str, email: &str, password: &str) -> Response {
    let nobody = app.nobody();
    let call = nobody.request("POST", "/auth/login").header("x-forwarded-for", from);
    call.json(&json!({ "email": email, "password": password })).send().await
}

/// An address of a network that nobody else of these tests is in.
fn stranger(number: usize) -> String {
    format!("2001:db8:{number:x}::1")
}

/// Sends so many wrong passwords, each from another network, and holds that each is checked.
async fn guess(app: &TestApp, email: &str, numbers: std::ops::Range<usize>) {
    for number in numbers {
        sign_in(app, &stranger(number), email, WRONG).await.refused(401, "UNAUTHORIZED");
    }
}

fn wait(answer: &Response) -> u64 {
    answer.refused(429, "REQUEST_LIMIT_REACHED");
    answer.header("retry-after").unwrap().parse().unwrap()
}

both_engines! {
    async fn strangers_together_guess_ten_times_and_then_wait_ever_longer(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        // Whether anybody has the account makes no difference.
        for email in [&owner.email, NOBODY] {
            guess(&app, email, 0..10).await;
            for (number, expected, almost) in [(10, 30, 29), (11, 60, 59), (12, 120, 119)] {
                // However it is written, and from whichever network.
                let written = format!("\u{200b} {}\u{ad} ", email.to_uppercase());
                assert_eq!(wait(&sign_in(&app, &stranger(0), &written, WRONG).await), expected);
                assert_eq!(wait(&sign_in(&app, "198.51.100.1", email, &owner.password).await), expected);
                app.clock().advance(almost * SECOND);
                assert_eq!(wait(&sign_in(&app, &stranger(number), email, WRONG).await), 1);
                app.clock().advance(SECOND);
                guess(&app, email, number..number + 1).await;
            }
        }
    }

    async fn nobody_is_kept_out_where_it_has_signed_in(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        let luis = owner.employee(1, &[]).await;
        for (email, password) in [(&owner.email, &*owner.password), (&luis.email, PASSWORD)] {
            sign_in(&app, "2001:db8:aa:1::1", email, password).await.ok();
            guess(&app, email, 0..10).await;
            wait(&sign_in(&app, "2001:db8:aa:2::1", email, password).await);
            // A customer's network is known whole.
            sign_in(&app, "2001:db8:aa:1:ffff::1", email, password).await.ok();
        }
        // What is wrong there counts there, and keeps nobody waiting long.
        let wrong = async || sign_in(&app, "2001:db8:aa:1::1", &luis.email, WRONG).await;
        for _ in 0..10 {
            wrong().await.refused(401, "UNAUTHORIZED");
        }
        for (expected, waited) in [(30, 30 * SECOND), (60, 60 * SECOND), (60, 60 * SECOND)] {
            assert_eq!(wait(&wrong().await), expected);
            app.clock().advance(waited);
            wrong().await.refused(401, "UNAUTHORIZED");
        }
        // Where somebody has waited and signs in, the network is known from then on.
        app.clock().advance(40 * SECOND);
        sign_in(&app, "2001:db8:aa:2::1", &owner.email, &owner.password).await.ok();
        guess(&app, &owner.email, 20..21).await;
        sign_in(&app, "2001:db8:aa:2::2", &owner.email, &owner.password).await.ok();
    }

    async fn however_many_guess_at_once_ten_are_checked(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        for email in [&owner.email, NOBODY] {
            let addresses: Vec<String> = (0..40).map(stranger).collect();
            let tries = addresses.iter().map(|from| sign_in(&app, from, email, WRONG));
            let answers = join_all(tries).await;
            let mut checked = answers.iter().filter(|answer| answer.status == 401).count();
            assert!((1..=10).contains(&checked), "{checked}");
            while sign_in(&app, &stranger(99), email, WRONG).await.status == 401 {
                checked += 1;
            }
            assert_eq!(checked, 10);
        }
    }

    async fn a_day_without_a_wrong_password_forgives_all(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        guess(&app, &owner.email, 0..10).await;
        guess(&app, NOBODY, 0..1).await;
        let kept = "select count(*) from sign_in_failures";
        app.clock().advance(FAILURES_KEPT - SECOND);
        sign_in_failures::sweep(app.app()).await.unwrap();
        assert_eq!(app.database().number(kept), 2);
        guess(&app, NOBODY, 1..2).await;
        app.clock().advance(SECOND);
        sign_in_failures::sweep(app.app()).await.unwrap();
        assert_eq!(app.database().number(kept), 1);
        guess(&app, &owner.email, 10..20).await;
        wait(&sign_in(&app, &stranger(20), &owner.email, WRONG).await);
    }

    async fn nodes_whose_clocks_differ_check_no_more_together_than_one(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        let ahead = async |seconds: i64| {
            let by = seconds * 1_000_000;
            app.tamper(&format!("update sign_in_failures set failed_at = failed_at + {by}")).await;
        };
        guess(&app, &owner.email, 0..10).await;
        // Another node has written it whose clock is a minute ahead.
        ahead(60).await;
        for waited in [0, 59] {
            app.clock().advance(waited * SECOND);
            assert_eq!(wait(&sign_in(&app, &stranger(10), &owner.email, WRONG).await), 30);
        }
        app.clock().advance(31 * SECOND);
        guess(&app, &owner.email, 10..11).await;
        assert_eq!(wait(&sign_in(&app, &stranger(11), &owner.email, WRONG).await), 60);
        // What was written by one that is a year ahead keeps nobody out for a year, and counts.
        ahead(365 * 24 * 60 * 60).await;
        guess(&app, &owner.email, 11..12).await;
        assert_eq!(wait(&sign_in(&app, &stranger(12), &owner.email, WRONG).await), 120);
    }

    async fn a_password_that_is_changed_leaves_no_other_network_known(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        let known = || app.database().texts("select network from sign_in_networks order by network");
        sign_in(&app, "2001:db8:aa:1::1", &owner.email, &owner.password).await.ok();
        sign_in(&app, "203.0.113.7", &owner.email, &owner.password).await.ok();
        assert_eq!(known(), ["127.0.0.1", "2001:db8:aa:1::/64", "203.0.113.7"]);
        let body = json!({ "current_password": owner.password, "new_password": "otra frase de prueba" });
        owner.post("/auth/password", body).await.ok();
        assert_eq!(known(), ["127.0.0.1"]);
    }

    async fn an_owner_whose_password_the_operator_sets_signs_in_at_once(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        let (home, phrase) = ("2001:db8:aa:1::1", SecretText::from("otra frase de prueba"));
        let (name, stays) = (OwnerName::Id(owner.id.parse().unwrap()), SecondFactor::Stays);
        sign_in(&app, home, &owner.email, &owner.password).await.ok();
        guess(&app, &owner.email, 0..10).await;
        // A command without the master key leaves what was wrong, and where it has signed in.
        let served = Operator::of(app.app());
        let alone = Operator { app: None, vault: None, ..served };
        reset_password(&alone, &Whose::Owner(name.clone()), &phrase, stays).await.unwrap();
        wait(&sign_in(&app, &stranger(0), &owner.email, phrase.expose()).await);
        sign_in(&app, home, &owner.email, phrase.expose()).await.ok();
        // As a reset by mail, the service forgives it and knows no network any more. So does a command with the key.
        for (number, operator) in [(1, served), (2, Operator { app: None, ..served })] {
            reset_password(&operator, &Whose::Owner(name.clone()), &phrase, stays).await.unwrap();
            assert_eq!(app.database().number("select count(*) from sign_in_networks"), 0);
            sign_in(&app, home, &owner.email, phrase.expose()).await.ok();
            sign_in(&app, &stranger(number), &owner.email, phrase.expose()).await.ok();
            guess(&app, &owner.email, 20..30).await;
            wait(&sign_in(&app, &stranger(30), &owner.email, phrase.expose()).await);
        }
    }

    async fn who_signs_in_or_does_not_costs_the_store_the_same(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let (luis, marta) = (owner.employee(1, &[]).await, owner.client_employee(&client, 1).await);
        let (off, gone) = (owner.employee(2, &[]).await, owner.employee(3, &[]).await);
        let switched_off = json!({ "is_active": false });
        owner.request("PATCH", &off.path()).json(&switched_off).send().await.ok();
        owner.delete(&gone.path()).await.ok();
        let engine = match app.database().url() {
            Some(_) => Engine::Postgres,
            None => Engine::Sqlite,
        };
        let mut costs = Vec::new();
        for (number, email) in
            [NOBODY, "no address", &owner.email, &luis.email, &marta.email, &off.email, &gone.email]
                .into_iter()
                .enumerate()
        {
            app.invalidate_auth_cache().await;
            let id = format!("sign-in-{number}-{engine:?}");
            let nobody = app.nobody();
            let call = nobody.request("POST", "/auth/login").header("x-request-id", &id);
            let call = call.json(&json!({ "email": email, "password": WRONG })).send().await;
            call.refused(401, "UNAUTHORIZED");
            let line = access_line(&id).await;
            costs.push((line.statements, line.waits));
        }
        let first = costs[0];
        assert!(first.0 > 0 && costs.iter().all(|cost| *cost == first), "{costs:?}");
    }
}
