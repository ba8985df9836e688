//! How a second factor ends, and what ends sessions of people who have one.

use app::admin::{Operator, OwnerName, SecondFactor, Whose, reset_password};
use domain::secret::SecretText;
use serde_json::json;
use testkit::{Authenticator, TestApp, either_engine};

use super::{Person, credentials};

const NEW: &str = "otra frase de prueba";

either_engine! {
    async fn ending_it_ends_the_other_sessions_and_sign_ins_ask_for_the_password_alone(app: TestApp) {
        let owner = app.owner().await;
        for mut person in Person::both(&app, &owner).await {
            let other = person.another_session(&app).await;
            // A person who has lost the telephone signs in by a recovery code, ends it and begins anew.
            let answer = person.sign_in(&person.authenticator.recovery_codes[0].clone()).await.ok();
            let session = person.session.with_bearer(answer["token"].as_str().unwrap());
            for _ in 0..2 {
                session.delete("/auth/totp").await.ok();
            }
            for ended in [&person.session, &other] {
                ended.get("/me").await.refused(401, "UNAUTHORIZED");
            }
            session.get("/me").await.ok();
            let right = credentials(&person.email, &person.password);
            app.nobody().post("/auth/login", right).await.ok();
            // A code that is sent nevertheless is not looked at.
            person.sign_in("no code").await.ok();
            let former = person.authenticator.clone();
            person.authenticator = Authenticator::of(&app, &session, &person.password).await;
            person.sign_in(&former.next_code(&app)).await.refused(401, "UNAUTHORIZED");
            person.sign_in(&former.recovery_codes[1]).await.refused(401, "UNAUTHORIZED");
            person.sign_in(&person.authenticator.next_code(&app)).await.ok();
        }
        let trail = "select count(*) from audit where action = 'EndSecondFactor'";
        assert_eq!(app.database().number(trail), 2);
    }

    async fn another_password_ends_the_other_sessions_and_not_the_second_factor(app: TestApp) {
        let owner = app.owner().await;
        for mut person in Person::both(&app, &owner).await {
            let other = person.another_session(&app).await;
            let change = json!({ "current_password": person.password, "new_password": NEW });
            person.session.post("/auth/password", change).await.ok();
            other.get("/me").await.refused(401, "UNAUTHORIZED");
            let right = credentials(&person.email, NEW);
            app.nobody().post("/auth/login", right).await.refused(401, "SECOND_FACTOR_REQUIRED");
            person.password = NEW.to_owned();
            person.sign_in(&person.authenticator.next_code(&app)).await.ok();
        }
    }

    async fn the_operator_resets_a_password_and_ends_the_second_factor_only_where_it_says_so(app: TestApp) {
        let owner = app.owner().await;
        let [ana, luis] = Person::both(&app, &owner).await;
        let (name, password) = (OwnerName::Id(owner.id.parse().unwrap()), SecretText::from(NEW));
        for (second_factor, code) in
            [(SecondFactor::Stays, Some("SECOND_FACTOR_REQUIRED")), (SecondFactor::Ends, None)]
        {
            let operator = Operator::of(app.app());
            reset_password(&operator, &Whose::Owner(name.clone()), &password, second_factor).await.unwrap();
            ana.session.get("/me").await.refused(401, "UNAUTHORIZED");
            let answer = app.nobody().post("/auth/login", credentials(&ana.email, NEW)).await;
            match code {
                Some(code) => drop(answer.refused(401, code)),
                None => drop(answer.ok()),
            }
        }
        let trail = "select action from audit where actor = 'command line' and action <> 'CreateOwner' order by action asc";
        assert_eq!(app.database().texts(trail), ["EndSecondFactor", "ResetPassword", "ResetPassword"]);
        // Those of its people are theirs.
        let right = credentials(&luis.email, &luis.password);
        app.nobody().post("/auth/login", right).await.refused(401, "SECOND_FACTOR_REQUIRED");
    }

    async fn of_an_employee_who_is_removed_no_secret_is_left(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &[]).await;
        let person = Person::employee(&app, &luis).await;
        owner.patch(&luis.path(), json!({ "is_active": false })).await.ok();
        person.sign_in(&person.authenticator.next_code(&app)).await.refused(403, "USER_IS_NOT_ACTIVE");
        owner.patch(&luis.path(), json!({ "is_active": true })).await.ok();
        // Switched on again, it needs its code as before.
        let right = credentials(&person.email, &person.password);
        app.nobody().post("/auth/login", right).await.refused(401, "SECOND_FACTOR_REQUIRED");
        owner.delete(&luis.path()).await.ok();
        for table in ["second_factors", "recovery_codes"] {
            assert_eq!(app.database().number(&format!("select count(*) from {table}")), 0, "{table}");
        }
    }
}
