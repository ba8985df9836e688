//! One session a browser, how people recognise it, and the page of signing in that asks for the code alone.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Authenticator, Browser, Owner, TestApp, both_engines, either_engine};

const SIGN_IN: &str = "/app/sign-in";

const FIREFOX: &str = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0";

/// Ended sessions that the audit trail has.
const ENDED: &str = "select count(*) from audit where action = 'EndSession'";

/// The sessions that the owner has open.
async fn open(owner: &Owner) -> Vec<Value> {
    owner.get("/auth/sessions").await.ok()["sessions"].as_array().unwrap().clone()
}

/// Signs in without a code, and answers the text that stands for the password in the page that asks for it alone.
async fn half(browser: &Browser, owner: &Owner) -> String {
    let fields = [("email", &*owner.email), ("password", &*owner.password), ("next", "/app/keys")];
    let answer = browser.send(SIGN_IN, &fields).await;
    assert_eq!((answer.status, answer.header("set-cookie")), (401, None));
    let page = answer.text();
    assert!(page.contains("id=\"code\"") && !page.contains("id=\"password\""), "{page}");
    assert!(page.contains(&format!("name=\"email\" value=\"{}\"", owner.email)), "{page}");
    assert!(!page.contains(&owner.password));
    let (_, rest) = page.split_once("name=\"half\" value=\"").unwrap();
    rest.split_once('"').unwrap().0.to_owned()
}

both_engines! {
    async fn a_browser_has_one_session(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let (browser, beside) = (app.browser(), app.browser());
        beside.sign_in_as(&owner).await;
        browser.sign_in_as(&owner).await;
        let first = browser.cookies();
        assert_eq!(open(&owner).await.len(), 3);
        browser.sign_in_as(&owner).await;
        assert_eq!(open(&owner).await.len(), 3, "the former one has ended");
        assert_eq!(app.database().number(ENDED), 1);
        // Nobody else's ends: not that of a person who does not get in.
        let fields = [("email", &*owner.email), ("password", "wrong wrong wrong")];
        assert_eq!(browser.send(SIGN_IN, &fields).await.status, 401);
        assert_eq!(open(&owner).await.len(), 3);
        // Another owner's person in the same browser ends it, too.
        browser.sign_in_as(&stranger).await;
        assert_eq!(open(&owner).await.len(), 2);
        assert_eq!(app.database().number(ENDED), 2);
        assert_eq!(beside.get("/app").await.status, 200);
        // A cookie of before opens nothing.
        let thief = app.browser();
        let (name, value) = first.split_once('=').unwrap();
        thief.set_cookie(name, value);
        assert_eq!(thief.get("/app").await.status, 303);
    }

    async fn a_made_up_cookie_ends_nothing(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let cookies = browser.cookies();
        let (name, value) = cookies.split_once('=').unwrap();
        let (ids, random) = value.rsplit_once('.').unwrap();
        let stranger = app.owner().await;
        let other = app.browser();
        other.set_cookie(name, &format!("{ids}.{}", "a".repeat(random.len())));
        other.sign_in_as(&stranger).await;
        assert_eq!(browser.get("/app").await.status, 200);
        assert_eq!(app.database().number(ENDED), 0);
    }

    async fn sessions_say_which_browser_they_are_of(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "email": owner.email, "password": owner.password }).to_string();
        for said in [FIREFOX, "a program of a shop"] {
            app.clock().advance(Duration::from_secs(1));
            let call = app.nobody().request("POST", "/auth/login").header("user-agent", said);
            call.header("content-type", "application/json").body(body.clone()).send().await.ok();
        }
        let listed = open(&owner).await;
        let named = |at: usize| (listed[at]["browser"].clone(), listed[at]["system"].clone());
        assert_eq!(named(0), (Value::Null, Value::Null));
        assert_eq!(named(1), (json!("Firefox"), json!("Android")));
        assert_eq!(listed[1]["network"], "127.0.0.1");
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let page = browser.open("/app/sessions").await;
        assert!(page.contains("Firefox · Android") && page.contains("Otro programa"), "{page}");
        assert!(!page.contains("Gecko"), "{page}");
    }
}

either_engine! {
    async fn the_code_is_asked_for_alone(app: TestApp) {
        let owner = app.owner().await;
        let mut phone = Authenticator::of(&app, &owner, &owner.password).await;
        let browser = app.browser();
        let half = half(&browser, &owner).await;
        let wrong = [("email", &*owner.email), ("half", &*half), ("code", "000000"), ("next", "/app/keys")];
        let page = browser.send(SIGN_IN, &wrong).await;
        assert_eq!(page.status, 401);
        assert!(page.text().contains("id=\"code\"") && !page.text().contains("id=\"password\""), "{}", page.text());
        let code = phone.recovery_codes.pop().unwrap();
        let right = [("email", &*owner.email), ("half", &*half), ("code", &*code), ("next", "/app/keys")];
        let answer = browser.send(SIGN_IN, &right).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some("/app/keys")));
        // Without another code it opens nothing a second time.
        assert_eq!(app.browser().send(SIGN_IN, &right).await.status, 401);
    }

    async fn what_stands_for_the_password_is_good_for_five_minutes_that_account_and_that_password(app: TestApp) {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        let mut phone = Authenticator::of(&app, &owner, &owner.password).await;
        let strangers = Authenticator::of(&app, &stranger, &stranger.password).await;
        let browser = app.browser();
        let first = half(&browser, &owner).await;
        let of_another = [("email", &*stranger.email), ("half", &*first), ("code", &*strangers.recovery_codes[0])];
        let answer = browser.send(SIGN_IN, &of_another).await;
        assert!(answer.status == 401 && answer.text().contains("id=\"password\""), "{}", answer.text());
        // Shown again without a code, it lasts no longer.
        app.clock().advance(Duration::from_secs(200));
        let again = browser.send(SIGN_IN, &[("email", &*owner.email), ("half", &*first)]).await;
        assert!(again.status == 401 && again.text().contains(&first), "{}", again.text());
        app.clock().advance(Duration::from_secs(101));
        let code = phone.recovery_codes.pop().unwrap();
        let late = [("email", &*owner.email), ("half", &*first), ("code", &*code)];
        let answer = browser.send(SIGN_IN, &late).await;
        assert!(answer.status == 401 && answer.text().contains("cinco minutos"), "{}", answer.text());
        assert!(answer.text().contains("id=\"password\""), "{}", answer.text());
        let second = half(&browser, &owner).await;
        let change = json!({ "current_password": owner.password, "new_password": "otra frase de prueba" });
        owner.post("/auth/password", change).await.ok();
        let former = [("email", &*owner.email), ("half", &*second), ("code", &*code)];
        assert_eq!(browser.send(SIGN_IN, &former).await.status, 401);
        let fields = [("email", &*owner.email), ("password", "otra frase de prueba"), ("code", &*code)];
        assert_eq!(browser.send(SIGN_IN, &fields).await.status, 303);
    }

    async fn signing_out_leaves_nothing_in_the_browser(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        let answer = browser.send("/app/sign-out", &[]).await;
        assert_eq!(answer.header("clear-site-data"), Some("\"cache\", \"storage\""));
    }
}
