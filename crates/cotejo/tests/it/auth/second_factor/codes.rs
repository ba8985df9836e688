//! Which codes are good, and how often: once.

use std::time::Duration;

use domain::time::Timestamp;
use futures_util::future::join_all;
use testkit::authenticator::STEP;
use testkit::{TestApp, both_engines, either_engine};

use super::{Person, refusals, wrong_code};

const MICROSECOND: Duration = Duration::from_micros(1);

either_engine! {
    async fn a_code_is_good_for_its_half_minute_and_the_ones_beside_it(app: TestApp) {
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        for (n, (earlier, later, is_good)) in [
            (STEP + MICROSECOND, Duration::ZERO, false),
            (STEP, Duration::ZERO, true),
            (Duration::ZERO, Duration::ZERO, true),
            (Duration::ZERO, 2 * STEP - MICROSECOND, true),
            (Duration::ZERO, 2 * STEP, false),
        ].into_iter().enumerate() {
            let step = app.now().as_seconds() / 30 + 8;
            let begins = Timestamp::from_micros(step * 30_000_000);
            let code = ana.authenticator.code(begins);
            app.clock().set_to(begins.minus(earlier).plus(later));
            let answer = ana.sign_in(&code).await;
            assert_eq!(answer.status == 200, is_good, "{n}");
        }
    }

    async fn a_code_is_taken_once_and_none_of_before_it(app: TestApp) {
        let owner = app.owner().await;
        for person in Person::both(&app, &owner).await {
            let former = person.authenticator.next_code(&app);
            let code = person.authenticator.next_code(&app);
            person.sign_in(&code).await.ok();
            for used in [&code, &former] {
                person.sign_in(used).await.refused(401, "UNAUTHORIZED");
                person.step_up(used).await.refused(400, "VALIDATION_ERROR");
            }
            // Nor by the other door.
            let code = person.authenticator.next_code(&app);
            person.step_up(&code).await.ok();
            person.sign_in(&code).await.refused(401, "UNAUTHORIZED");
        }
    }

    async fn recovery_codes_are_good_once_each_as_people_type_them(app: TestApp) {
        let owner = app.owner().await;
        for mut person in Person::both(&app, &owner).await {
            let (one, other) = (person.recovery_code(), person.recovery_code());
            person.sign_in(&one).await.ok();
            person.sign_in(&one).await.refused(401, "UNAUTHORIZED");
            person.sign_in(&format!(" {} ", other.to_uppercase().replace('-', " "))).await.ok();
            person.step_up(&other).await.refused(400, "VALIDATION_ERROR");
            let third = person.recovery_code();
            person.step_up(&third).await.ok();
            person.sign_in(&third).await.refused(401, "UNAUTHORIZED");
        }
    }

    async fn new_recovery_codes_take_the_place_of_the_former_ones(app: TestApp) {
        let owner = app.owner().await;
        for mut person in Person::both(&app, &owner).await {
            let former = person.recovery_code();
            let answer = person.session.post("/auth/totp/recovery-codes", serde_json::json!({})).await.ok();
            person.authenticator.keep(&answer);
            assert_eq!(person.authenticator.recovery_codes.len(), 10);
            person.sign_in(&former).await.refused(401, "UNAUTHORIZED");
            let code = person.recovery_code();
            person.sign_in(&code).await.ok();
        }
        let luis = owner.employee(2, &[]).await;
        let answer = luis.post("/auth/totp/recovery-codes", serde_json::json!({})).await;
        answer.refused(409, "CONFLICT");
    }

    async fn what_is_no_code_is_a_wrong_one(app: TestApp) {
        let owner = app.owner().await;
        let ana = Person::owner(&app, &owner).await;
        let long = "1".repeat(100_000);
        let wrong = wrong_code(&ana.authenticator, &app);
        let texts = ["", "12345", "1234567", "abcdef", "0000-0000-0000-0000", &*long, &*wrong];
        let mut messages = Vec::new();
        for text in texts {
            messages.push(ana.sign_in(text).await.refused(401, "UNAUTHORIZED")["message"].clone());
        }
        messages.dedup();
        assert_eq!(messages.len(), 1, "{messages:?}");
        // They are one line of the trail, with a count.
        assert_eq!(refusals(&app, "WrongCode"), [format!("{} {}", owner.id, texts.len())]);
        let mut body = super::credentials(&ana.email, &ana.password);
        body["code"] = 123_456.into();
        app.nobody().post("/auth/login", body).await.refused(400, "VALIDATION_ERROR");
    }
}

both_engines! {
    async fn of_sign_ins_at_once_with_one_code_one_is_let_in(app: TestApp) {
        let owner = app.owner().await;
        for mut person in Person::both(&app, &owner).await {
            for code in [person.authenticator.next_code(&app), person.recovery_code()] {
                let answers = join_all((0..6).map(|_| person.sign_in(&code))).await;
                let let_in = answers.iter().filter(|answer| answer.status == 200).count();
                assert_eq!(let_in, 1, "{:?}", answers.iter().map(|it| it.status).collect::<Vec<_>>());
                app.clock().advance(30 * STEP);
            }
        }
    }
}
