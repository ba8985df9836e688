//! A code, or the password of a person without one, is asked for before what is delicate, with all that was typed.

use std::time::Duration;

use domain::ids::OwnerId;
use store::sql::Sql;
use store::tx::{Expect, Tx};
use testkit::bank::{ACCOUNT, KEY};
use testkit::employee::PASSWORD;
use testkit::{Authenticator, Browser, Owner, Response, TestApp, either_engine};

use crate::changed::after;

static FORGET_PROOFS: Sql =
    Sql::new("update sessions set proved_at = null where owner_id = $1").writes_auth();

const NEW_KEY: &str = "/app/keys/new";
const NEW_ACCOUNT: &str = "/app/accounts/new";

/// The fields that are typed to link an account of the bank.
const TYPED: [(&str, &str); 7] = [
    ("provider", "VE_BAN_EMP_V2"),
    ("description", "Tienda"),
    ("username", ACCOUNT),
    ("password", KEY),
    ("user_bank_phone", "0412-0000001"),
    ("user_bank_dni", "J-123456789"),
    ("holder_name", "Tienda Ejemplo"),
];

/// Longer than a proof lasts.
const LATER: Duration = Duration::from_secs(11 * 60);

/// A browser of the owner's, whose person does not type the password by itself where a page asks for it.
async fn signed_in(app: &TestApp, owner: &Owner) -> Browser {
    let browser = app.browser();
    let fields = [("email", &*owner.email), ("password", &*owner.password)];
    assert_eq!(browser.send("/app/sign-in", &fields).await.status, 303);
    browser
}

/// Everything that the page which asks for a proof carries along.
fn carried(page: &str) -> Vec<(String, String)> {
    let fields = page.split("<input type=\"hidden\" name=\"").skip(1).map(|field| {
        let (name, rest) = field.split_once("\" value=\"").unwrap();
        let value = rest.split('"').next().unwrap();
        (name.to_owned(), value.replace("&#34;", "\""))
    });
    fields.collect()
}

/// Sends what the page that asks carries along, and the password.
async fn confirmed(browser: &Browser, path: &str, page: &str, password: &str) -> Response {
    proved(browser, path, page, ("step_up_password", password)).await
}

/// Sends what the page that asks carries along, and that proof.
async fn proved(browser: &Browser, path: &str, page: &str, proof: (&str, &str)) -> Response {
    let carried = carried(page);
    let mut fields: Vec<(&str, &str)> =
        carried.iter().map(|(name, value)| (&**name, &**value)).collect();
    fields.push(proof);
    browser.send_only(path, &fields, &[("sec-fetch-site", "same-origin")]).await
}

/// Sends a form whose session loses its proof after the form was let in, and before it is written.
async fn sent_too_late(
    app: &TestApp,
    owner: &Owner,
    browser: &Browser,
    (path, fields): (&str, &[(&str, &str)]),
) -> Response {
    let forget =
        |tx: &mut Tx<'_>, owner: OwnerId| tx.defer(&FORGET_PROOFS, [owner.into()], Expect::Any);
    after(app, owner.id.parse().unwrap(), forget, browser.send(path, fields)).await
}

/// The refusals of that kind in the audit trail, with what was asked for and how often.
async fn refusals(app: &TestApp, action: &str) -> Vec<String> {
    app::refusals::write(app.app()).await.unwrap();
    let query = "select subject || ' ' || cast(times as varchar(20)) from audit where action";
    app.database().texts(&format!("{query} = '{action}' order by id asc"))
}

either_engine! {
    async fn who_has_no_second_factor_types_the_password_and_loses_nothing(app: TestApp) {
        let owner = app.owner().await;
        let browser = signed_in(&app, &owner).await;
        // The sign-in is a proof.
        browser.open(NEW_KEY).await;
        assert_eq!(browser.send(NEW_KEY, &[("name", "caja 1")]).await.status, 200);
        app.clock().advance(LATER);
        // What a page shows asks for nothing.
        browser.open(NEW_KEY).await;
        let held = browser.send(NEW_KEY, &[("name", "caja \"2\""), ("permissions", "payment_links")]).await;
        let page = held.text();
        assert!(held.status == 403 && page.contains("id=\"step_up_password\"") && !page.contains("step_up_code"), "{page}");
        // It says what is confirmed: somebody else may have left it there.
        assert!(page.contains("<bdi>caja &#34;2&#34;</bdi>") && page.contains("Si no fue usted"), "{page}");
        let keys = async || owner.get("/me/api-keys").await.ok()["api_keys"].as_array().unwrap().len();
        assert_eq!(keys().await, 2);
        let wrong = confirmed(&browser, NEW_KEY, &page, "another password").await;
        let again = wrong.text();
        assert!(wrong.status == 403 && again.contains("id=\"step_up_password-wrong\"") && !again.contains("another password"), "{again}");
        let done = confirmed(&browser, NEW_KEY, &again, &owner.password).await;
        assert!(done.status == 200 && done.text().contains("COTEJO_API_KEY="), "{}", done.text());
        let listed = owner.get("/me/api-keys").await.ok();
        let made = listed["api_keys"].as_array().unwrap().iter().find(|key| key["name"] == "caja \"2\"").unwrap();
        assert_eq!(made["permissions"], serde_json::json!(["payment_links"]));
        // For ten minutes nothing more is asked, of this session alone.
        browser.open(NEW_KEY).await;
        assert_eq!(browser.send(NEW_KEY, &[("name", "caja 3")]).await.status, 200);
        // A wrong one counts as a wrong present password, and each time that it was asked for is counted, too.
        assert_eq!(refusals(&app, "NoCode").await, ["CreateKey 2"]);
        let noted = "select count(*) from audit where action = 'WrongPresentPassword'";
        assert_eq!(app.database().number(noted), 1);
    }

    async fn the_password_is_guessed_no_faster_here_than_where_it_is_changed(app: TestApp) {
        let owner = app.owner().await;
        let browser = signed_in(&app, &owner).await;
        browser.open(NEW_KEY).await;
        app.clock().advance(LATER);
        let mut page = browser.send(NEW_KEY, &[("name", "caja")]).await.text();
        for _ in 0..5 {
            let wrong = confirmed(&browser, NEW_KEY, &page, "another password").await;
            assert_eq!(wrong.status, 403);
            page = wrong.text();
        }
        let spent = confirmed(&browser, NEW_KEY, &page, &owner.password).await;
        assert_eq!(spent.status, 429);
        assert!(spent.text().contains("no se perdió") && !spent.text().contains("another password"), "{}", spent.text());
    }

    async fn secrets_wait_sealed_for_the_session_that_sent_them(setup: testkit::Setup) {
        let (bank, app) = crate::bdv::start(setup).await;
        let owner = app.owner().await;
        let (browser, other) = (signed_in(&app, &owner).await, signed_in(&app, &owner).await);
        let path = format!("{NEW_ACCOUNT}?bank=VE_BAN_EMP_V2");
        browser.open(&path).await;
        other.open(&path).await;
        app.clock().advance(LATER);
        let held = browser.send(NEW_ACCOUNT, &TYPED).await;
        let page = held.text();
        assert!(held.status == 403 && !page.contains(KEY) && page.contains("name=\"step_up_held\""), "{page}");
        // Nobody else opens them.
        let stolen: Vec<_> = carried(&page).into_iter().filter(|(name, _)| name != "form_token" && name != "once").collect();
        let mut stolen: Vec<(&str, &str)> = stolen.iter().map(|(name, value)| (&**name, &**value)).collect();
        stolen.push(("step_up_password", &owner.password));
        let lacking = other.send(NEW_ACCOUNT, &stolen).await;
        assert!(lacking.status == 400 && !lacking.text().contains("/hooks/bank/"), "{}", lacking.text());
        let wrong = confirmed(&browser, NEW_ACCOUNT, &page, "another password").await.text();
        let done = confirmed(&browser, NEW_ACCOUNT, &wrong, &owner.password).await;
        assert!(done.status == 200 && done.text().contains("/hooks/bank/bdv/"), "{}", done.text());
        drop(bank);
    }

    async fn a_form_whose_proof_ends_before_it_is_written_waits_too(setup: testkit::Setup) {
        let (bank, app) = crate::bdv::start(setup).await;
        let owner = app.owner().await;
        let mut authenticator = Authenticator::of(&app, &owner, &owner.password).await;
        let browser = app.browser();
        let code = authenticator.recovery_codes.pop().unwrap();
        let fields = [("email", &*owner.email), ("password", &*owner.password), ("code", &*code)];
        assert_eq!(browser.send("/app/sign-in", &fields).await.status, 303);
        browser.open(&format!("{NEW_ACCOUNT}?bank=VE_BAN_EMP_V2")).await;
        let held = sent_too_late(&app, &owner, &browser, (NEW_ACCOUNT, &TYPED)).await;
        let page = held.text();
        assert!(held.status == 403 && page.contains("id=\"step_up_code\"") && !page.contains(KEY), "{page}");
        assert!(page.contains("name=\"step_up_held\""), "{page}");
        let code = authenticator.recovery_codes.pop().unwrap();
        let done = proved(&browser, NEW_ACCOUNT, &page, ("step_up_code", &code)).await;
        assert!(done.status == 200 && done.text().contains("/hooks/bank/bdv/"), "{}", done.text());
        // So does one whose page says itself what is wrong with it.
        browser.open("/app/webhooks/setup").await;
        let (path, typed) = ("/app/webhooks/endpoint", [("url", ""), ("low_balance_levels", "5")]);
        let held = sent_too_late(&app, &owner, &browser, (path, &typed)).await;
        let page = held.text();
        assert!(held.status == 403 && page.contains("id=\"step_up_code\""), "{page}");
        let code = authenticator.recovery_codes.pop().unwrap();
        assert_eq!(proved(&browser, path, &page, ("step_up_code", &code)).await.status, 303);
        drop(bank);
    }

    async fn a_form_that_its_person_may_not_send_is_in_the_audit_trail(app: TestApp) {
        let owner = app.owner().await;
        let luis = owner.employee(1, &["clients:write"]).await;
        let browser = app.browser();
        browser.sign_in(&luis.email, PASSWORD).await;
        assert_eq!(browser.send(NEW_KEY, &[("name", "caja")]).await.status, 403);
        assert_eq!(refusals(&app, "NoRight").await, ["CreateKey 1"]);
    }

    async fn what_takes_away_asks_for_no_password_and_a_higher_limit_does(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_links"]).await;
        let browser = signed_in(&app, &owner).await;
        app.clock().advance(LATER);
        let page = format!("/app/keys/{}", key.id);
        browser.open(&page).await;
        let (limit, active) = (format!("{page}/limit"), format!("{page}/active"));
        assert_eq!(browser.send(&limit, &[("limit", "5")]).await.status, 303);
        assert_eq!(browser.send(&active, &[("active", "no")]).await.status, 303);
        browser.open(&page).await;
        for (path, field) in [(&limit, ("limit", "50")), (&active, ("active", "yes"))] {
            let held = browser.send(path, &[field]).await;
            assert!(held.status == 403 && held.text().contains("step_up_password"), "{path}: {}", held.text());
            browser.open(&page).await;
        }
        let held = browser.send(&limit, &[("limit", "50")]).await.text();
        assert_eq!(confirmed(&browser, &limit, &held, &owner.password).await.status, 303);
        browser.open(&page).await;
        assert_eq!(browser.send(&active, &[("active", "yes")]).await.status, 303);
        assert_eq!(owner.get(&format!("/v1/api-keys/{}/credit-limit", key.id)).await.ok()["monthly_credit_limit"], 50);
        key.get("/me").await.ok();
    }

    async fn a_large_picture_is_sent_again_with_the_proof(app: TestApp) {
        let owner = app.owner().await;
        let browser = app.browser();
        browser.sign_in_as(&owner).await;
        browser.open("/app/profile").await;
        app.clock().advance(LATER);
        let answer = browser.send_file("/app/profile/logo", &[], ("logo", &vec![7; 600 * 1024])).await;
        assert!(answer.status == 400 && answer.text().contains("no es PNG ni JPEG"), "{}", answer.text());
    }
}

either_engine! {
    async fn a_code_lets_a_form_through_that_was_held_up(app: TestApp) {
        let owner = app.owner().await;
        let mut authenticator = Authenticator::of(&app, &owner, &owner.password).await;
        let browser = app.browser();
        let code = authenticator.recovery_codes.pop().unwrap();
        let mut fields = vec![("email", &*owner.email), ("password", &*owner.password)];
        let answer = browser.send("/app/sign-in", &fields).await;
        assert_eq!(answer.status, 401);
        assert!(answer.text().contains("name=\"code\""));
        fields.push(("code", &code));
        assert_eq!(browser.send("/app/sign-in", &fields).await.status, 303);
        // The proof of the sign-in is over.
        app.clock().advance(std::time::Duration::from_secs(11 * 60));
        let path = format!("/app/keys/{}", owner.key.id);
        browser.open(&path).await;
        let rotate = format!("{path}/rotate");
        let name = name_of(&browser.open(&path).await);
        let held = browser.send(&rotate, &[("rotate_name", &*name)]).await;
        assert_eq!(held.status, 403);
        let page = held.text();
        assert!(page.contains(&format!("name=\"rotate_name\" value=\"{name}\"")), "{page}");
        let wrong = browser.send(&rotate, &[("rotate_name", &*name), ("step_up_code", "000000")]).await;
        assert_eq!(wrong.status, 403);
        assert!(wrong.text().contains("code-wrong"));
        let code = authenticator.recovery_codes.pop().unwrap();
        let done = browser.send(&rotate, &[("rotate_name", &*name), ("step_up_code", &code)]).await;
        assert_eq!(done.status, 200);
        assert!(done.text().contains("ck_live_"));
        owner.key.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn the_secret_of_webhooks_is_shown_once_a_code_is_given(app: TestApp) {
        let owner = app.owner().await;
        let secret = crate::webhooks::secret(&owner).await;
        let mut authenticator = Authenticator::of(&app, &owner, &owner.password).await;
        let browser = app.browser();
        let code = authenticator.recovery_codes.pop().unwrap();
        let fields = [("email", &*owner.email), ("password", &*owner.password), ("code", &*code)];
        assert_eq!(browser.send("/app/sign-in", &fields).await.status, 303);
        app.clock().advance(std::time::Duration::from_secs(11 * 60));
        let page = browser.open("/app/webhooks/setup").await;
        assert!(page.contains("action=\"/app/webhooks/secret\""), "{page}");
        let held = browser.send("/app/webhooks/secret", &[]).await;
        assert_eq!(held.status, 403);
        assert!(held.text().contains("step_up_code") && !held.text().contains(&secret));
        let code = authenticator.recovery_codes.pop().unwrap();
        let shown = browser.send("/app/webhooks/secret", &[("step_up_code", &code)]).await;
        assert_eq!(shown.status, 200);
        assert!(shown.text().contains(&secret));
    }
}

/// The name of the key whose page it is.
fn name_of(page: &str) -> String {
    let (_, rest) = page.split_once("<h1><bdi>").unwrap();
    rest.split_once('<').unwrap().0.to_owned()
}
