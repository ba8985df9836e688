//! Beginning and confirming one.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use testkit::employee::PASSWORD;
use testkit::{Authenticator, TestApp, both_engines, either_engine};

use super::{Person, credentials, wrong_code};

const SECOND: Duration = Duration::from_secs(1);

either_engine! {
    async fn from_its_first_code_on_sign_ins_ask_for_one(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &[]).await;
        for (session, email, password) in
            [(&*owner, &owner.email, &*owner.password), (&*luis, &luis.email, PASSWORD)]
        {
            let right = credentials(email, password);
            let other = app.nobody().post("/auth/login", right.clone()).await.ok();
            let other = owner.with_bearer(other["token"].as_str().unwrap());
            let begun = session.post("/auth/totp", json!({ "password": password })).await.ok();
            assert_eq!(begun["expires_at"], app.now().plus(900 * SECOND).to_string());
            let (secret, url) = (begun["secret"].as_str().unwrap(), begun["otpauth_url"].as_str().unwrap());
            let account = email.replace('@', "%40");
            assert!(url.starts_with(&format!("otpauth://totp/Cotejo:{account}?secret={secret}&")), "{url}");
            // Until then nothing has changed.
            app.nobody().post("/auth/login", right.clone()).await.ok();
            other.get("/me").await.ok();

            let mut authenticator = Authenticator::set_up(&begun);
            let wrong = json!({ "code": wrong_code(&authenticator, &app) });
            let refused = session.post("/auth/totp/confirm", wrong).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(refused["details"][0]["field"], "code");
            let code = json!({ "code": authenticator.code(app.now()) });
            authenticator.keep(&session.post("/auth/totp/confirm", code.clone()).await.ok());
            assert_eq!(authenticator.recovery_codes.len(), 10);
            // What was opened by a password alone is over, but for the session that has shown the code.
            other.get("/me").await.refused(401, "UNAUTHORIZED");
            session.get("/me").await.ok();

            let refused = app.nobody().post("/auth/login", right.clone()).await;
            let refused = refused.refused(401, "SECOND_FACTOR_REQUIRED");
            assert!(refused["message"].as_str().unwrap().contains("code"), "{refused}");
            let mut with_code = right.clone();
            with_code["code"] = authenticator.next_code(&app).into();
            app.nobody().post("/auth/login", with_code).await.ok();

            // There is one at most, and neither its secret nor its recovery codes are shown again.
            session.post("/auth/totp", json!({ "password": password })).await.refused(409, "CONFLICT");
            let again = session.post("/auth/totp/confirm", code).await.refused(409, "CONFLICT");
            assert!(again["message"].as_str().unwrap().contains("/auth/totp/recovery-codes"), "{again}");
        }
        let trail = "select action from audit where action like '%SecondFactor' order by action asc";
        let (begun, confirmed) = ("BeginSecondFactor", "ConfirmSecondFactor");
        let expected = [begun, begun, confirmed, confirmed];
        assert_eq!(app.database().texts(trail), expected);
    }

    async fn a_telephone_whose_clock_is_minutes_off_is_learned_by_its_first_code_and_no_later(app: TestApp) {
        let owner = app.owner().await;
        for (number, is_ahead) in [(1, true), (2, false)] {
            let person = owner.employee(number, &[]).await;
            let begun = person.post("/auth/totp", json!({ "password": PASSWORD })).await.ok();
            let mut authenticator = Authenticator::set_up(&begun);
            let off = |minutes: u32| {
                let time = minutes * 60 * SECOND;
                if is_ahead { app.now().plus(time) } else { app.now().minus(time) }
            };
            // Too far off: what it hears is the clock, and by how much.
            let far = json!({ "code": authenticator.code(off(9)) });
            let call = person.request("POST", "/auth/totp/confirm").header("accept-language", "es");
            let refused = call.json(&far).send().await.refused(400, "VALIDATION_ERROR");
            let problem = refused["details"][0]["problem"].as_str().unwrap();
            let word = if is_ahead { "adelantado" } else { "atrasado" };
            assert!(problem.contains(&format!("el reloj del teléfono está unos 9 minutos {word}")), "{problem}");
            // Four minutes are borne, and from then on codes are good by that clock.
            let code = authenticator.code(off(4));
            authenticator.keep(&person.post("/auth/totp/confirm", json!({ "code": code })).await.ok());
            let sign_in = async |code: String| {
                let mut body = credentials(&person.email, PASSWORD);
                body["code"] = code.into();
                app.nobody().post("/auth/login", body).await
            };
            // The code of enrolment is used.
            sign_in(code).await.refused(401, "UNAUTHORIZED");
            app.clock().advance(60 * SECOND);
            sign_in(authenticator.code(off(4))).await.ok();
            // By no other.
            for minutes in [2, 6, 9] {
                sign_in(authenticator.code(off(minutes))).await.refused(401, "UNAUTHORIZED");
            }
            // Set right, it is good by ours, and by the former one no more.
            app.clock().advance(360 * SECOND);
            sign_in(authenticator.code(app.now())).await.ok();
            app.clock().advance(60 * SECOND);
            sign_in(authenticator.code(off(4))).await.refused(401, "UNAUTHORIZED");
            assert_eq!(app.database().number("select count(*) from second_factors where clock_skew <> 0"), 0);
        }
    }

    async fn it_takes_the_password_which_is_guessed_no_faster_than_where_it_is_changed(app: TestApp) {
        let owner = app.owner().await;
        let wrong = json!({ "password": "wrong wrong wrong" });
        for _ in 0..4 {
            let refused = owner.post("/auth/totp", wrong.clone()).await.refused(400, "VALIDATION_ERROR");
            assert_eq!(refused["details"][0]["field"], "password");
        }
        let change = json!({ "current_password": "wrong wrong wrong", "new_password": "otra frase de prueba" });
        owner.post("/auth/password", change).await.refused(400, "VALIDATION_ERROR");
        let right = json!({ "password": owner.password });
        let answer = owner.post("/auth/totp", right.clone()).await;
        answer.refused(429, "REQUEST_LIMIT_REACHED");
        assert_eq!(answer.header("retry-after"), Some("180"));
        app.clock().advance(180 * SECOND);
        owner.post("/auth/totp", right).await.ok();
        owner.key.post("/auth/totp", wrong).await.refused(403, "OWNER_SESSION_REQUIRED");
    }

    async fn what_was_begun_waits_a_quarter_of_an_hour_and_the_latest_counts(mut app: TestApp) {
        let mut owner = app.owner().await;
        let begin = json!({ "password": owner.password });
        let nothing = owner.post("/auth/totp/confirm", json!({ "code": "123456" })).await;
        nothing.refused(409, "CONFLICT");
        let first = Authenticator::set_up(&owner.post("/auth/totp", begin.clone()).await.ok());
        let second = Authenticator::set_up(&owner.post("/auth/totp", begin.clone()).await.ok());
        let confirm = |authenticator: &Authenticator, app: &TestApp| json!({ "code": authenticator.code(app.now()) });
        owner.post("/auth/totp/confirm", confirm(&first, &app)).await.refused(400, "VALIDATION_ERROR");
        app.clock().advance(899 * SECOND);
        owner.sign_in_again().await;
        app.clock().advance(SECOND);
        owner.post("/auth/totp/confirm", confirm(&second, &app)).await.refused(409, "CONFLICT");
        let third = Authenticator::set_up(&owner.post("/auth/totp", begin).await.ok());
        app.clock().advance(899 * SECOND);
        owner.sign_in_again().await;
        // It is in the store, and another process goes on with it.
        app.restart().await;
        owner.post("/auth/totp/confirm", confirm(&third, &app)).await.ok();
    }

    async fn the_store_can_be_read_without_learning_a_secret(app: TestApp) {
        let owner = app.owner().await;
        let begun = owner.post("/auth/totp", json!({ "password": owner.password })).await.ok();
        let mut authenticator = Authenticator::set_up(&begun);
        let code = json!({ "code": authenticator.code(app.now()) });
        authenticator.keep(&owner.post("/auth/totp/confirm", code).await.ok());
        let secret = data_encoding::BASE32_NOPAD.decode(begun["secret"].as_str().unwrap().as_bytes()).unwrap();
        let hex = data_encoding::HEXLOWER.encode(&secret);
        let shown = if app.database().url().is_some() { "encode(secret, 'hex')" } else { "lower(hex(secret))" };
        let kept = app.database().texts(&format!("select {shown} from second_factors"));
        assert!(kept.len() == 1 && kept[0].len() > hex.len() && !kept[0].contains(&hex), "{kept:?}");
        // A secret that is copied to somebody else opens nothing there.
        let luis = Person::employee(&app, &owner.employee(1, &[]).await).await;
        let copy = "update second_factors set secret = (select f.secret from second_factors f where f.person_id = f.owner_id)";
        app.tamper(copy).await;
        let answer = luis.sign_in(&authenticator.next_code(&app)).await;
        answer.refused(500, "INTERNAL_SERVER_ERROR");
    }
}

both_engines! {
    async fn of_confirmations_at_once_one_is_made_and_its_recovery_codes_are_the_ones(app: TestApp) {
        let owner = app.owner().await;
        let begun = owner.post("/auth/totp", json!({ "password": owner.password })).await.ok();
        let authenticator = Authenticator::set_up(&begun);
        let code = json!({ "code": authenticator.code(app.now()) });
        let calls = (0..4).map(|_| owner.post("/auth/totp/confirm", code.clone()));
        let answers = join_all(calls).await;
        let made: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
        assert_eq!(made.len(), 1);
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            assert!([400, 409].contains(&answer.status), "{}", answer.status);
        }
        let recovery = made[0].json()["recovery_codes"][3].as_str().unwrap().to_owned();
        assert_eq!(app.database().number("select count(*) from recovery_codes"), 10);
        let mut body = credentials(&owner.email, &owner.password);
        body["code"] = recovery.into();
        app.nobody().post("/auth/login", body).await.ok();
    }
}
