//! Guessing codes, and what a person who guesses learns of accounts.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::log::access_line;
use testkit::{Engine, Setup, TestApp, both_engines};

use super::{Person, credentials, refusals, wrong_code};

const SECOND: Duration = Duration::from_secs(1);

both_engines! {
    async fn five_wrong_codes_of_a_person_are_checked_wherever_they_come_from(setup: Setup) {
        let app = setup.behind_a_proxy().start().await;
        let owner = app.owner().await;
        for mut person in Person::both(&app, &owner).await {
            let recovery_code = person.recovery_code();
            let sign_in = async |code: &str, address: &str| {
                let mut body = credentials(&person.email, &person.password);
                body["code"] = code.into();
                let call = person.session.without_credential();
                let call = call.request("POST", "/auth/login").header("x-forwarded-for", address);
                call.json(&body).send().await
            };
            for n in 0..3 {
                let wrong = wrong_code(&person.authenticator, &app);
                sign_in(&wrong, &format!("203.0.113.{n}")).await.refused(401, "UNAUTHORIZED");
            }
            // Sessions of the person guess out of the same five.
            for _ in 0..2 {
                let wrong = wrong_code(&person.authenticator, &app);
                person.step_up(&wrong).await.refused(400, "VALIDATION_ERROR");
            }
            let right = person.authenticator.next_code(&app);
            for answer in [sign_in(&right, "203.0.113.9").await, person.step_up(&right).await] {
                answer.refused(429, "REQUEST_LIMIT_REACHED");
                assert_eq!(answer.header("retry-after"), Some("30"));
            }
            // Nobody is kept out who has written down the recovery codes.
            sign_in(&recovery_code, "203.0.113.9").await.ok();
            // A right one has made good the wrong ones.
            sign_in(&right, "203.0.113.9").await.ok();
        }
        // Of an employee those by its session and those of a person who tried to sign in are distinguished.
        let mut refused = refusals(&app, "WrongCode");
        refused.sort_unstable();
        let short = |line: &String| {
            let (id, times) = line.split_once(' ').unwrap();
            format!("{} {times}", id.split_once('_').unwrap().0)
        };
        let refused: Vec<_> = refused.iter().map(short).collect();
        assert_eq!(refused, ["emp 2", "emp 3", "own 5"]);
    }

    async fn each_wrong_code_makes_the_next_wait_twice_as_long_until_a_right_one(app: TestApp) {
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        let wrong = async || ana.step_up(&wrong_code(&ana.authenticator, &app)).await;
        for _ in 0..5 {
            wrong().await.refused(400, "VALIDATION_ERROR");
        }
        for seconds in [60, 120, 240_u64] {
            // A code sent too early lengthens no wait, and the right code is not checked either.
            for (step, left) in [(0, seconds), (seconds as u32 - 1, 1)] {
                app.clock().advance(step * SECOND);
                for code in [wrong_code(&ana.authenticator, &app), ana.authenticator.code(app.now())] {
                    let answer = ana.step_up(&code).await;
                    answer.refused(429, "REQUEST_LIMIT_REACHED");
                    assert_eq!(answer.header("retry-after"), Some(&*left.to_string()));
                }
            }
            app.clock().advance(SECOND);
            if seconds < 240 {
                wrong().await.refused(400, "VALIDATION_ERROR");
            }
        }
        ana.step_up(&ana.authenticator.code(app.now())).await.ok();
        for _ in 0..5 {
            wrong().await.refused(400, "VALIDATION_ERROR");
        }
        let answer = wrong().await;
        answer.refused(429, "REQUEST_LIMIT_REACHED");
        assert_eq!(answer.header("retry-after"), Some("60"));
    }

    async fn many_wrong_codes_are_reported_by_a_notice(app: TestApp) {
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        let subjects = || app.database().texts("select subject from notices where kind = 'sign_in_attempts'");
        for number in 0..10 {
            assert_eq!(subjects(), [""; 0], "{number}");
            // As soon as each is checked: ten are within the hour.
            let wait = if number < 5 { 0 } else { 60 << (number - 5) };
            app.clock().advance(wait * SECOND);
            ana.sign_in(&wrong_code(&ana.authenticator, &app)).await.refused(401, "UNAUTHORIZED");
        }
        assert_eq!(subjects(), [owner.id]);
    }

    async fn the_count_is_the_stores_so_that_another_process_goes_on_with_it(mut app: TestApp) {
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        for _ in 0..5 {
            ana.sign_in(&wrong_code(&ana.authenticator, &app)).await.refused(401, "UNAUTHORIZED");
        }
        app.restart().await;
        let code = ana.authenticator.next_code(&app);
        ana.sign_in(&code).await.refused(429, "REQUEST_LIMIT_REACHED");
    }

    async fn a_wrong_code_is_a_failed_sign_in_of_its_account(setup: Setup) {
        let app = setup.attempts_per_minute(10).start().await;
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        // Making the owner has signed it in once.
        for n in 0..9 {
            if n < 3 {
                ana.sign_in(&wrong_code(&ana.authenticator, &app)).await.refused(401, "UNAUTHORIZED");
            } else {
                let body = credentials(&format!("{n}@example.com"), "wrong wrong wrong");
                app.nobody().post("/auth/login", body).await.refused(401, "UNAUTHORIZED");
            }
        }
        // Past the address's budget an account is tried that nobody attacks, and this one is attacked.
        let code = ana.authenticator.code(app.now().plus(30 * SECOND));
        ana.sign_in(&code).await.refused(429, "REQUEST_LIMIT_REACHED");
    }

    async fn who_does_not_know_the_password_learns_of_no_second_factor(app: TestApp) {
        let (owner, plain) = (app.owner().await, app.owner().await);
        let ana = Person::owner(&app, &owner).await;
        let engine = match app.database().url() {
            Some(_) => Engine::Postgres,
            None => Engine::Sqlite,
        };
        let mut answers: Vec<(Value, u64, u64)> = Vec::new();
        for (n, code) in [None, Some("123456"), Some(&*ana.authenticator.recovery_codes[0])].into_iter().enumerate() {
            for email in [&ana.email, &plain.email] {
                let mut body = credentials(email, "wrong wrong wrong");
                body["code"] = json!(code);
                let id = format!("guess-{engine:?}-{n}-{}", *email == ana.email);
                let call = app.nobody();
                let call = call.request("POST", "/auth/login").header("x-request-id", &id);
                let answer = call.json(&body).send().await.refused(401, "UNAUTHORIZED");
                let line = access_line(&id).await;
                answers.push((answer["message"].clone(), line.statements, line.waits));
            }
        }
        // Neither by the answer nor by the work that it was.
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        // Nor was a code used or counted.
        assert_eq!(app.database().number("select count(*) from recovery_codes"), 10);
        assert!(refusals(&app, "WrongCode").is_empty());
    }
}
