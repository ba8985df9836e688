//! The pages on which a person has a day read.

use domain::time::CaracasDate;
use serde_json::json;
use testkit::bank::FaultKind;
use testkit::{Setup, both_engines};

use super::{AT_ONCE, Shop};
use crate::pay::make;

const FORM: &str = "/app/payments/movements/read";

both_engines! {
    async fn the_list_of_movements_has_the_day_read_and_says_how_far_it_is(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        let browser = shop.app.browser();
        browser.sign_in_as(&shop.owner).await;
        let list = format!("/app/payments/movements?user_bank_id={}", shop.account);
        let page = browser.open(&list).await;
        assert!(page.contains(FORM) && !page.contains("79912345"), "{page}");
        let today = CaracasDate::of(shop.app.now()).to_string();
        let fields = [("user_bank_id", &*shop.account), ("day", &*today)];
        let begun = browser.send(FORM, &fields).await;
        assert_eq!(begun.status, 303, "{}", begun.text());
        shop.app.settle().await;
        let page = browser.open(begun.header("location").unwrap()).await;
        assert!(page.contains("Se leyó el") && page.contains("79912345"), "{page}");
        assert!(!page.contains("http-equiv=\"refresh\""), "{page}");
        // The sandbox has no statement, and a day that is none is said beside the form.
        let sandbox = format!("/app/payments/movements?user_bank_id={}", shop.owner.bank);
        assert!(!browser.open(&sandbox).await.contains(FORM));
        let fields = [("user_bank_id", &*shop.account), ("day", "2020-01-01")];
        let wrong = browser.send(FORM, &fields).await;
        assert_eq!(wrong.status, 400);
        assert!(wrong.text().contains("debe ser hoy"), "{}", wrong.text());
    }

    async fn the_page_of_acceptance_has_the_day_read_and_is_come_back_to(setup: Setup) {
        let shop = Shop::open(setup).await;
        let link = make(&shop.owner.key, &shop.account, json!({})).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        let browser = shop.app.browser();
        browser.sign_in_as(&shop.owner).await;
        let accept = format!("/app/links/{link}/accept");
        assert!(browser.open(&accept).await.contains(FORM));
        let fields = [("user_bank_id", &*shop.account), ("link", &*link), ("day", "")];
        let begun = browser.send(FORM, &fields).await;
        let back = begun.header("location").unwrap().to_owned();
        assert!(back.starts_with(&accept), "{back}");
        shop.app.settle().await;
        let page = browser.open(&back).await;
        assert!(page.contains("79912345") && page.contains("Se leyó el"), "{page}");
    }

    async fn a_bank_that_does_not_answer_is_said_with_what_to_do(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.fail(Some(FaultKind::Http500));
        let browser = shop.app.browser();
        browser.sign_in_as(&shop.owner).await;
        browser.open(&format!("/app/payments/movements?user_bank_id={}", shop.account)).await;
        let begun = browser.send(FORM, &[("user_bank_id", &*shop.account), ("day", "")]).await;
        shop.app.settle().await;
        let page = browser.open(begun.header("location").unwrap()).await;
        assert!(page.contains("intente otra vez"), "{page}");
    }

    async fn a_day_with_rows_that_cannot_be_read_is_not_said_to_be_all_there(setup: Setup) {
        let shop = Shop::open(setup).await;
        let oddities = testkit::bank::Oddities { unreadable: Some(true), ..super::PLAIN };
        shop.bank.pay_oddly("000066600001", 15_075, AT_ONCE, oddities);
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        let browser = shop.app.browser();
        browser.sign_in_as(&shop.owner).await;
        browser.open(&format!("/app/payments/movements?user_bank_id={}", shop.account)).await;
        let begun = browser.send(FORM, &[("user_bank_id", &*shop.account), ("day", "")]).await;
        shop.app.settle().await;
        let page = browser.open(begun.header("location").unwrap()).await;
        assert!(page.contains("1 filas del") && page.contains("79912345"), "{page}");
        assert!(!page.contains("están todos"), "{page}");
    }
}
