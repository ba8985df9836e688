//! Receipts: which payments have one, their numbers, and how a merchant makes one void.

mod audit;
mod by_hand;
mod page;
mod pdf;
mod void;

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::receiver::Receiver;
use testkit::{Owner, Principal, TestApp, both_engines, either_engine};

use crate::pay::{make, paid_with};

/// The receipts of test money that the caller sees, the latest first.
pub(crate) async fn receipts(caller: &Principal) -> Vec<Value> {
    let answer = caller.get("/v1/receipts?livemode=false").await.ok();
    answer["receipts"].as_array().expect("receipts").clone()
}

/// Makes a link and pays it with that reference of the sandbox; answers the link's id.
pub(crate) async fn paid_link(app: &TestApp, owner: &Owner, reference: &str) -> String {
    let link = make(&owner.key, &owner.bank, json!({})).await;
    paid_with(&app.nobody(), &link, reference).await;
    link
}

/// The path of a receipt's page, by its record.
fn path_of(receipt: &Value) -> String {
    let url = receipt["url"].as_str().expect("an address");
    let address = url.split("/recibo/").nth(1).expect("an address of a receipt");
    format!("/recibo/{address}")
}

fn numbers(receipts: &[Value]) -> Vec<i64> {
    receipts.iter().map(|receipt| receipt["number"].as_i64().unwrap()).collect()
}

async fn payment_of(caller: &Principal, link: &str) -> Value {
    let info = caller.get(&format!("/paymentlink/{link}/info")).await.ok();
    info["data"]["user_bank_payment"].clone()
}

either_engine! {
    async fn a_paid_link_has_a_receipt_whose_address_every_answer_carries(app: TestApp) {
        let owner = app.owner().await;
        let receiver = Receiver::with_status(200);
        let link = make(&owner.key, &owner.bank, json!({ "webhook_url": receiver.url() })).await;
        assert_eq!(receipts(&owner).await, [json!(null); 0]);
        paid_with(&app.nobody(), &link, "167890").await;

        let [receipt] = &*receipts(&owner).await else { panic!("one receipt") };
        assert_eq!((&receipt["number"], &receipt["livemode"]), (&json!(1), &json!(false)));
        assert_eq!((&receipt["payment_link_id"], &receipt["description"]), (&json!(link), &json!("Pedido 7")));
        assert_eq!((&receipt["amount"], &receipt["status"]), (&json!(150.75), &json!("issued")));
        let url = receipt["url"].as_str().unwrap();
        let body: Value = serde_json::from_str(&receiver.received(1).await[0].body).unwrap();
        assert_eq!(body["user_bank_payment"]["receipt_url"], url);
        assert_eq!(payment_of(&owner.key, &link).await["receipt_url"], url);
        let listed = owner.key.get("/v1/payments").await.ok();
        assert_eq!(listed["payments"][0]["receipt_url"], url);
        // Real money has none yet.
        assert_eq!(owner.get("/v1/receipts").await.ok()["receipts"], json!([]));
    }

    async fn a_payment_has_one_if_a_person_verified_it_and_none_if_a_program_did(app: TestApp) {
        let owner = app.owner().await;
        let asked = |reference: &str| json!({ "bank_reference": reference, "amount": 150.75 });
        for _ in 0..2 {
            owner.key.verify(&owner.bank, asked("167890")).await.ok();
        }
        assert_eq!(receipts(&owner).await, [json!(null); 0]);
        owner.verify(&owner.bank, asked("267890")).await.ok();
        let employee = owner.employee(1, &["payments:write"]).await;
        employee.verify(&owner.bank, asked("367890")).await.ok();
        let found = receipts(&owner).await;
        assert_eq!(numbers(&found), [2, 1]);
        assert_eq!((&found[0]["payment_link_id"], &found[0]["description"]), (&Value::Null, &Value::Null));
    }

    async fn callers_of_a_client_see_the_receipts_of_its_payments(app: TestApp) {
        let owner = app.owner().await;
        let (client, other) = (owner.client(true).await, owner.client(true).await);
        let (key, stranger) = (owner.client_key(&client).await, owner.client_key(&other).await);
        let bank = key.link_bank().await;
        let link = make(&key, &bank, json!({})).await;
        paid_with(&app.nobody(), &link, "167890").await;
        paid_link(&app, &owner, "267890").await;
        let limited = owner.key_for(&[&owner.bank]).await;

        let all = receipts(&owner).await;
        assert_eq!(numbers(&all), [2, 1]);
        assert_eq!(receipts(&key).await, all[1..]);
        assert_eq!(receipts(&limited).await, all[..1]);
        assert_eq!(receipts(&stranger).await, all[..0]);
        let of_client = all[1]["id"].as_str().unwrap();
        let path = format!("/v1/receipts/{of_client}");
        assert_eq!(key.get(&path).await.ok()["receipt"], all[1]);
        let another = app.owner().await;
        for caller in [&*stranger, &*limited, &*another] {
            caller.get(&path).await.refused(404, "NOT_FOUND");
        }
    }

    async fn they_are_listed_by_pages(app: TestApp) {
        let owner = app.owner().await;
        for reference in ["167890", "267890", "367890"] {
            paid_link(&app, &owner, reference).await;
        }
        let page = async |query: &str| {
            let page = owner.get(&format!("/v1/receipts?livemode=false{query}")).await.ok();
            let listed = page["receipts"].as_array().unwrap().clone();
            (numbers(&listed), page["next"].clone(), page["has_more"].clone())
        };
        assert_eq!(page("&limit=2").await, (vec![3, 2], json!(2), json!(true)));
        assert_eq!(page("&limit=2&before=2").await, (vec![1], json!(1), json!(false)));
        assert_eq!(page("&before=1").await, (vec![], json!(1), json!(false)));
        for query in ["before=0", "before=x", "livemode=1", "limit=0", "other=1"] {
            owner.get(&format!("/v1/receipts?{query}")).await.refused(400, "VALIDATION_ERROR");
        }
        for id in ["x", "rcp_00000000000000000000000000"] {
            owner.get(&format!("/v1/receipts/{id}")).await.refused(404, "NOT_FOUND");
        }
    }
}

both_engines! {
    async fn numbers_have_no_gap_where_many_are_paid_at_once(app: TestApp) {
        let owner = app.owner().await;
        let mut links = Vec::new();
        for _ in 0..6 {
            links.push(make(&owner.key, &owner.bank, json!({})).await);
        }
        let payers = links.iter().enumerate().map(|(at, link)| {
            let payer = app.nobody();
            async move { paid_with(&payer, link, &format!("{}67890", at + 1)).await }
        });
        join_all(payers).await;
        let mut found = numbers(&receipts(&owner).await);
        found.reverse();
        assert_eq!(found, [1, 2, 3, 4, 5, 6]);
    }
}
