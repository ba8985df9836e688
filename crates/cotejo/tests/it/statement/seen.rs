//! Who sees what nobody asked about: the owner and its people, a client's people from the day after it got the account,
//! keys only where the operator lets them.

use std::time::Duration;

use serde_json::json;
use testkit::bank::SimulatedBank;
use testkit::{Setup, either_engine};

use super::{AT_ONCE, Shop, unclaimed};
use crate::bdv;
use crate::bdv_push::PushedAccount;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

either_engine! {
    async fn keys_see_what_was_asked_about_and_nothing_besides(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.bank.pay("000088800001", 2_000, AT_ONCE);
        shop.bank.pay("000077700001", 3_000, AT_ONCE);
        shop.verify("79912345").await.ok();
        // Asked about with another amount: named all the same.
        shop.verify("77700001").await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        let key = shop.owner.key_with(&["movements"]).await;
        let named = [("77700001".to_owned(), false), ("79912345".to_owned(), true)];
        for caller in [&*shop.owner.key, &*key] {
            assert_eq!(shop.seen(caller).await, named);
        }
        assert_eq!(shop.seen(&shop.owner).await.len(), 3);
        let employee = shop.owner.employee(1, &["payments:read"]).await;
        assert_eq!(shop.seen(&employee).await.len(), 3);
    }

    async fn keys_see_all_where_the_operator_lets_them(setup: Setup) {
        let shop = Shop::open(setup.with_unnamed_for_keys()).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.verify("12345678").await.refused(404, "PAYMENT_NOT_FOUND");
        assert_eq!(shop.seen(&shop.owner.key).await, unclaimed(&["79912345"]));
    }

    async fn a_notice_of_the_bank_names_what_it_is_about(setup: Setup) {
        let PushedAccount { bank, app, owner, account, .. } = PushedAccount::start(setup).await;
        let shop = Shop { bank, app, owner, account };
        shop.bank.pay("000088800001", 2_000, AT_ONCE);
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.read(&shop.owner, json!({})).await.ok();
        shop.bank.deliver_due().await;
        assert_eq!(shop.seen(&shop.owner.key).await, unclaimed(&["79912345", "88800001"]));
        assert_eq!(shop.seen(&shop.owner).await.len(), 2);
    }

    async fn a_client_sees_from_the_day_after_it_got_the_account(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        let client = shop.owner.client(true).await;
        let mut person = shop.owner.client_employee(&client, 1).await;
        // It was the owner's before.
        shop.app.clock().advance(Duration::from_secs(60));
        let path = format!("/v1/usersbank/{}/client", shop.account);
        shop.owner.put(&path, json!({ "client_owner_id": client })).await.ok();
        let key = shop.owner.client_key(&client).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.read(&shop.owner, json!({})).await.ok();
        assert_eq!(shop.seen(&shop.owner).await.len(), 1);
        assert_eq!(shop.seen(&person).await, []);
        let refused = shop.read(&person, json!({})).await.refused(400, "VALIDATION_ERROR");
        assert_eq!(refused["details"][0]["field"], "day");

        shop.app.clock().advance(DAY);
        shop.owner.sign_in_again().await;
        person.sign_in_again().await;
        shop.bank.pay("000088800001", 2_000, AT_ONCE);
        shop.read(&person, json!({})).await.ok();
        assert_eq!(shop.seen(&person).await, unclaimed(&["88800001"]));
        assert_eq!(shop.seen(&key).await, []);
        assert_eq!(shop.seen(&shop.owner).await.len(), 2);
    }

    async fn a_client_for_whom_the_account_was_made_sees_from_the_first_day(setup: Setup) {
        let (bank, app) = bdv::start(setup).await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let person = owner.client_employee(&client, 1).await;
        let linked = person.post("/usersbank", SimulatedBank::link(testkit::bank::KEY)).await.ok();
        let account = linked["userbank"]["id"].as_str().unwrap().to_owned();
        let shop = Shop { bank, app, owner, account };
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.read(&person, json!({})).await.ok();
        assert_eq!(shop.seen(&person).await, unclaimed(&["79912345"]));
        // Not another client's, nor anything of another owner.
        let other = shop.owner.client(true).await;
        let stranger = shop.owner.client_employee(&other, 2).await;
        let path = format!("/movements/{}", shop.account);
        stranger.get(&path).await.refused(404, "NOT_FOUND");
        shop.read(&stranger, json!({})).await.refused(404, "NOT_FOUND");
        let foreign = shop.app.owner().await;
        shop.read(&foreign, json!({})).await.refused(404, "NOT_FOUND");
    }
}
