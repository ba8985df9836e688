//! The pages of bank accounts.

use serde_json::json;
use testkit::bank::{ACCOUNT, KEY};
use testkit::{Browser, Owner, Setup, TestApp, either_engine};

use crate::bdv::{link, start};

const NEW: &str = "/app/accounts/new";

/// Form fields that link the merchant's account at Banco de Venezuela.
const FIELDS: [(&str, &str); 6] = [
    ("provider", "VE_BAN_EMP_V2"),
    ("description", "Tienda"),
    ("username", ACCOUNT),
    ("user_bank_phone", "0412-0000001"),
    ("user_bank_dni", "J-123456789"),
    ("holder_name", "Tienda Ejemplo"),
];

async fn signed_in(app: &TestApp) -> (Owner, Browser) {
    let (owner, browser) = (app.owner().await, app.browser());
    browser.sign_in_as(&owner).await;
    (owner, browser)
}

async fn count(owner: &Owner) -> usize {
    owner.get("/me/usersbank").await.ok()["user_banks"].as_array().unwrap().len()
}

either_engine! {
    async fn an_account_is_linked_once_its_bank_has_taken_the_key(setup: Setup) {
        let (bank, app) = start(setup).await;
        let (owner, browser) = signed_in(&app).await;
        let page = browser.open(NEW).await;
        assert!(page.contains("bank=VE_BAN_EMP_V2") && page.contains("bank=BANK_TEST"));
        let page = browser.open(&format!("{NEW}?bank=VE_BAN_EMP_V2")).await;
        assert!(page.contains("id=\"username\"") && page.contains("id=\"password\" name=\"password\""));

        let wrong = [&FIELDS[..], &[("password", "another key")]].concat();
        let answer = browser.send(NEW, &wrong).await;
        assert_eq!(answer.status, 400);
        let page = answer.text();
        // What was typed stays, but for the secret.
        assert!(page.contains(&format!("value=\"{ACCOUNT}\"")) && !page.contains("another key"));
        assert_eq!(count(&owner).await, 1);

        let right = [&FIELDS[..], &[("password", KEY)]].concat();
        let answer = browser.send(NEW, &right).await;
        assert_eq!(answer.status, 200);
        let page = answer.text();
        assert!(page.contains("/hooks/bank/bdv/") && page.contains("X-API-KEY") && !page.contains(KEY));
        assert_eq!(count(&owner).await, 2);
        let list = browser.open("/app/accounts").await;
        assert!(list.contains("Tienda") && list.contains("****************0001"));
        // The number is whole for who may read about accounts; who only asks about them sees its end.
        let ids: Vec<&str> = list.split("href=\"/app/accounts/bank_").skip(1).collect();
        let id = |rest: &&str| format!("/app/accounts/bank_{}", rest.split('"').next().unwrap());
        for (rights, is_whole) in [(["bank_accounts:read"], true), (["payments:write"], false)] {
            let employee = owner.employee(u32::from(is_whole), &rights).await;
            let person = app.browser();
            person.sign_in(&employee.email, testkit::employee::PASSWORD).await;
            let mut pages = String::new();
            for rest in &ids {
                pages += &person.open(&id(rest)).await;
            }
            assert!(pages.contains("0001</code>"), "{pages}");
            assert_eq!((pages.contains(ACCOUNT), pages.contains("J-123456789")), (is_whole, is_whole), "{pages}");
        }
        drop(bank);
    }

    async fn what_a_bank_wants_and_is_missing_is_shown_beside_its_field(setup: Setup) {
        let (_bank, app) = start(setup).await;
        let (owner, browser) = signed_in(&app).await;
        browser.open(&format!("{NEW}?bank=VE_BAN_EMP_V2")).await;
        let fields = [
            ("provider", "VE_BAN_EMP_V2"), ("description", ""), ("username", "0134"), ("password", ""),
            ("user_bank_phone", "12"), ("user_bank_dni", ""), ("holder_name", ""),
        ];
        let answer = browser.send(NEW, &fields).await;
        assert_eq!(answer.status, 400);
        assert!(answer.text().contains("id=\"user_bank_phone-wrong\""));
        let fields = fields.map(|(name, value)| if name == "user_bank_phone" { (name, "") } else { (name, value) });
        let page = browser.send(NEW, &fields).await.text();
        for field in ["username-wrong", "password-wrong"] {
            assert!(page.contains(&format!("id=\"{field}\"")), "{field}: {page}");
        }
        assert_eq!(count(&owner).await, 1);
    }

    async fn an_accounts_key_settings_and_notices_are_changed(setup: Setup) {
        let (bank, app) = start(setup).await;
        let (owner, browser) = signed_in(&app).await;
        let id = link(&owner).await;
        let path = format!("/app/accounts/{id}");
        assert!(browser.open(&path).await.contains(ACCOUNT));

        let secret = format!("{path}/secret");
        for (typed, status) in [("", 400), ("not the bank's", 400), (KEY, 303)] {
            assert_eq!(browser.send(&secret, &[("secret", typed)]).await.status, status, "{typed}");
        }
        browser.open(&path).await;
        let settings = format!("{path}/settings");
        let fields = [("holder_name", "Otra"), ("same_bank_by_payer", ""), ("same_bank_by_payer", "yes")];
        assert_eq!(browser.send(&settings, &fields).await.status, 303);
        let kept = owner.get(&format!("/v1/usersbank/{id}/settings")).await.ok();
        assert_eq!(kept["same_bank_by_payer"], true);
        assert_eq!(kept["holder_name"], "Otra");
        let page = browser.open(&format!("{path}?saved")).await;
        assert!(page.contains("value=\"Otra\"") && page.contains("checked"));
        // Another form of the page that is refused leaves these as they are.
        let other = browser.send(&format!("{path}/trash"), &[("trash_name", "otra")]).await.text();
        assert!(other.contains("value=\"Otra\"") && other.contains("checked"), "{other}");
        assert_eq!(kept["short_references"], false);
        let short = [
            ("holder_name", "Otra"), ("same_bank_by_payer", ""), ("same_bank_by_payer", "yes"),
            ("short_references", ""), ("short_references", "yes"),
        ];
        assert_eq!(browser.send(&settings, &short).await.status, 303);
        let kept = owner.get(&format!("/v1/usersbank/{id}/settings")).await.ok();
        assert_eq!(kept["short_references"], true);
        assert_eq!(kept["same_bank_by_payer"], true);
        // A box that is not ticked says no, and one that is not there says nothing.
        browser.open(&path).await;
        let unticked = [("holder_name", ""), ("same_bank_by_payer", ""), ("short_references", "")];
        let answer = browser.send(&settings, &unticked).await;
        assert_eq!(answer.status, 303, "{}", answer.text());
        let kept = owner.get(&format!("/v1/usersbank/{id}/settings")).await.ok();
        assert_eq!(kept["same_bank_by_payer"], false);
        assert_eq!(kept["short_references"], false);
        assert_eq!(kept["holder_name"], json!(null));

        browser.open(&path).await;
        let refused = browser.send(&format!("{path}/push"), &[("push_sure", "")]).await;
        assert!(refused.status == 400 && refused.text().contains("push_sure-wrong"), "{}", refused.text());
        let answer = browser.send(&format!("{path}/push"), &[("push_sure", "yes")]).await;
        assert!(answer.status == 200 && answer.text().contains("/hooks/bank/bdv/"));
        drop(bank);
    }

    async fn an_account_is_moved_and_goes_into_the_trash_by_its_name(app: TestApp) {
        let (owner, browser) = signed_in(&app).await;
        let client = owner.client(true).await;
        let path = format!("/app/accounts/{}", owner.bank);
        let page = browser.open(&path).await;
        assert!(page.contains(&format!("<option value=\"{client}\"")));
        // Nothing is moved before it is confirmed, and what was chosen is still chosen then.
        let asked = browser.send(&format!("{path}/client"), &[("client", &client), ("client_sure", "")]).await;
        assert_eq!(asked.status, 400);
        let page_again = asked.text();
        assert!(page_again.contains("client_sure-wrong") && page_again.contains(&format!("<option value=\"{client}\" selected")), "{page_again}");
        assert!(!browser.open(&path).await.contains(&format!("<option value=\"{client}\" selected")));
        let sure = [("client", &*client), ("client_sure", "yes")];
        assert_eq!(browser.send(&format!("{path}/client"), &sure).await.status, 303);
        assert!(browser.open(&path).await.contains(&format!("<option value=\"{client}\" selected")));
        // A form that says nothing takes it from nobody.
        assert_eq!(browser.send(&format!("{path}/client"), &[]).await.status, 400);
        let shown = owner.get(&format!("/v1/clients/{client}")).await.ok();
        assert_eq!(shown["client"]["user_banks"][0], owner.bank.as_str());
        let trash = format!("{path}/trash");
        let wrong = browser.send(&trash, &[("trash_name", "otra")]).await;
        assert_eq!(wrong.status, 400);
        let (_, rest) = page.split_once("<h1><bdi>").unwrap();
        let (name, _) = rest.split_once('<').unwrap();
        assert_eq!(browser.send(&trash, &[("trash_name", name)]).await.status, 303);
        assert_eq!(count(&owner).await, 0);
        assert_eq!(browser.get(&path).await.status, 404);
    }

    async fn the_sandbox_is_linked_by_two_presses_and_twice_is_once(app: TestApp) {
        let (owner, browser) = signed_in(&app).await;
        let page = browser.open(&format!("{NEW}?bank=BANK_TEST")).await;
        let (_, rest) = page.split_once("name=\"once\" value=\"").unwrap();
        let (once, _) = rest.split_once('"').unwrap();
        let fields = [("provider", "BANK_TEST"), ("description", "Prueba 2"), ("once", once)];
        let first = browser.send(NEW, &fields).await;
        let second = browser.send(NEW, &fields).await;
        assert_eq!((first.status, first.header("location")), (303, second.header("location")));
        assert_eq!(count(&owner).await, 2);
    }
}

either_engine! {
    async fn a_client_sees_and_links_its_own_accounts_alone(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(false).await;
        let person = owner.client_employee(&client, 1).await;
        let browser = app.browser();
        browser.sign_in(&person.email, testkit::employee::PASSWORD).await;
        assert!(browser.open("/app/accounts").await.contains("Todavía no hay cuentas"));
        assert_eq!(browser.get(&format!("/app/accounts/{}", owner.bank)).await.status, 404);
        browser.open(&format!("{NEW}?bank=BANK_TEST")).await;
        let linked = browser.send(NEW, &[("provider", "BANK_TEST"), ("description", "Mía")]).await;
        assert_eq!(linked.status, 303);
        let page = browser.open(linked.header("location").unwrap()).await;
        assert!(page.contains("Mía") && !page.contains("name=\"client\""));
    }
}
