//! What a client's person sees and does: its client's world, and nothing else.

use serde_json::{Value, json};
use store::keys::CLIENT_KEYS_MAX;
use testkit::owner::link_bank;
use testkit::receiver::Receiver;
use testkit::{Employee, Owner, Principal, TestApp, either_engine};

/// A client with an account of its own, and a person of it.
async fn client_with_person(owner: &Owner, number: u32) -> (String, String, Employee) {
    let client = owner.client(true).await;
    let person = owner.client_employee(&client, number).await;
    let bank = link_bank(&person).await;
    (client, bank, person)
}

async fn verify(caller: &Principal, bank: &str, reference: &str) -> testkit::Response {
    caller.verify(bank, json!({ "bank_reference": reference })).await
}

fn ids(answer: &Value, name: &str) -> Vec<String> {
    let listed = answer[name].as_array().unwrap().iter();
    listed.map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

either_engine! {
    async fn keys_that_it_issues_are_its_clients_and_it_rotates_and_revokes_them(app: TestApp) {
        let owner = app.owner().await;
        let (client, bank, marta) = client_with_person(&owner, 1).await;
        let (other, other_bank, eva) = client_with_person(&owner, 2).await;
        // Whatever client it names.
        let body = json!({ "name": "caja", "client_owner_id": other, "user_banks": [bank] });
        let issued = marta.post("/auth/api-key", body).await.ok()["api_key"].clone();
        assert_eq!(issued["client_owner_id"], client);
        let key = owner.issued(&issued);
        verify(&key, &bank, "67890").await.ok();
        let wide = json!({ "name": "caja", "user_banks": [other_bank] });
        marta.post("/auth/api-key", wide).await.refused(400, "ACCOUNT_NOT_IN_CLIENT");
        let asked = json!({ "name": "caja", "permissions": ["statistics"] });
        marta.post("/auth/api-key", asked).await.refused(409, "CLIENT_PERMISSIONS_FIXED");

        assert_eq!(ids(&marta.get("/me/api-keys").await.ok(), "api_keys"), [key.id.as_str()]);
        let path = format!("/v1/api-keys/{}", key.id);
        let limit = format!("{path}/credit-limit");
        let shown = marta.get(&limit).await.ok();
        assert_eq!((&shown["inherited"], &shown["consumed"]), (&json!(true), &json!(1)));
        for foreign in [&owner.key.id, &owner.client_key(&other).await.id] {
            let path = format!("/v1/api-keys/{foreign}");
            marta.get(&format!("/api-keys/{foreign}")).await.refused(404, "NOT_FOUND");
            marta.get(&format!("{path}/credit-limit")).await.refused(404, "NOT_FOUND");
            marta.post(&format!("{path}/rotate"), json!({})).await.refused(404, "NOT_FOUND");
            marta.delete(&path).await.refused(404, "NOT_FOUND");
        }
        // The owner's keys, those of others and what is the owner's to choose stay as they are.
        owner.key.get("/me").await.ok();
        marta.put(&limit, json!({ "monthly_credit_limit": null })).await
            .refused(403, "OWNER_SESSION_REQUIRED");
        marta.patch(&path, json!({ "name": "otra" })).await.refused(403, "OWNER_SESSION_REQUIRED");
        eva.delete(&path).await.refused(404, "NOT_FOUND");

        let rotated = marta.post(&format!("{path}/rotate"), json!({})).await.ok();
        key.get("/me").await.refused(401, "UNAUTHORIZED");
        let key = owner.issued(&rotated["api_key"]);
        key.get("/me").await.ok();
        marta.delete(&path).await.ok();
        key.get("/me").await.refused(401, "UNAUTHORIZED");
        assert!(ids(&marta.get("/me/api-keys").await.ok(), "api_keys").is_empty());
    }

    async fn it_does_not_take_all_the_keys_that_its_owner_may_have(app: TestApp) {
        let owner = app.owner().await;
        let (client, _, marta) = client_with_person(&owner, 1).await;
        for _ in 0..CLIENT_KEYS_MAX {
            app.clock().advance(std::time::Duration::from_secs(1));
            marta.post("/auth/api-key", json!({ "name": "caja" })).await.ok();
        }
        let again = marta.post("/auth/api-key", json!({ "name": "caja" })).await;
        again.refused(400, "VALIDATION_ERROR");
        owner.client_key(&client).await;
        owner.key_with(&[]).await;
    }

    async fn it_links_and_manages_its_clients_accounts_alone(app: TestApp) {
        let owner = app.owner().await;
        let (client, bank, marta) = client_with_person(&owner, 1).await;
        let (_, other_bank, _) = client_with_person(&owner, 2).await;
        let linked = owner.get("/me/usersbank").await.ok();
        let shown = linked["user_banks"].as_array().unwrap().iter().find(|it| it["id"] == *bank);
        assert_eq!(shown.unwrap()["client_owner_id"], client);
        assert_eq!(ids(&marta.get("/me/usersbank").await.ok(), "user_banks"), [bank.as_str()]);
        for foreign in [&owner.bank, &other_bank] {
            let trash = format!("/usersbank/{foreign}/to-trash");
            marta.delete(&trash).await.refused(404, "NOT_FOUND");
            let change = format!("/v1/usersbank/{foreign}/change-secret");
            marta.put(&change, json!({ "secret": "made-up" })).await.refused(404, "NOT_FOUND");
            verify(&marta, foreign, "67890").await.refused(404, "NOT_FOUND");
            marta.get(&format!("/movements/{foreign}")).await.refused(404, "NOT_FOUND");
        }
        marta.delete(&format!("/usersbank/{bank}/to-trash")).await.ok();
        assert!(ids(&marta.get("/me/usersbank").await.ok(), "user_banks").is_empty());
    }

    async fn what_it_verifies_counts_against_its_client_under_its_own_name(app: TestApp) {
        let owner = app.owner().await;
        let (client, bank, marta) = client_with_person(&owner, 1).await;
        owner.set_quota(&client, json!(2)).await.ok();
        let first = verify(&marta, &bank, "167890").await.ok();
        assert!(first["data"].get("user_credits_total").is_none(), "{first}");
        let key = owner.client_key(&client).await;
        verify(&key, &bank, "267890").await.ok();
        let refused = verify(&marta, &bank, "367890").await;
        let error = refused.refused(403, "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED");
        assert!(!error.to_string().contains("1000"), "{error}");
        assert_eq!(owner.balance().await, 998);
        let own = marta.get("/me/activity").await.ok();
        assert_eq!((&own["credit_total"], &own["request_total"]), (&json!(1), &json!(2)));
        // Of it the owner sees the same; of the owner's own it sees nothing.
        let mut seen = owner.get(&format!("/v1/employees/{}/activity", marta.id)).await.ok();
        seen["message"] = own["message"].clone();
        // Nor does it see what is left of the owner's credits.
        let line = seen["credits"][0].as_object_mut().unwrap();
        assert_eq!(line.remove("balance_after"), Some(json!(999)));
        assert_eq!(seen, own);
        let activity = format!("/v1/api-keys/{}/activity", key.id);
        marta.get(&activity).await.refused(403, "OWNER_SESSION_REQUIRED");
    }

    async fn it_sees_what_callers_of_its_client_made_and_nothing_of_others(app: TestApp) {
        let owner = app.owner().await;
        let (client, bank, marta) = client_with_person(&owner, 1).await;
        let (_, other_bank, eva) = client_with_person(&owner, 2).await;
        let key = owner.client_key(&client).await;
        let own = crate::pay::make(&marta, &bank, json!({})).await;
        let of_key = crate::pay::make(&key, &bank, json!({})).await;
        let of_owner = crate::pay::make(&owner, &bank, json!({})).await;
        let of_other = crate::pay::make(&eva, &other_bank, json!({})).await;
        let mut listed = ids(&marta.post("/me/payment-links", json!({})).await.ok(), "payment_links");
        listed.sort();
        let mut expected = vec![own.clone(), of_key.clone()];
        expected.sort();
        assert_eq!(listed, expected);
        for foreign in [&of_owner, &of_other] {
            marta.get(&format!("/paymentlink/{foreign}/info")).await.refused(404, "NOT_FOUND");
            let cancel = format!("/v1/paymentlink/{foreign}/cancel");
            marta.post(&cancel, json!({})).await.refused(404, "NOT_FOUND");
        }
        marta.post(&format!("/v1/paymentlink/{of_key}/cancel"), json!({})).await.ok();
        let info = marta.get(&format!("/paymentlink/{own}/info")).await.ok();
        for secret in [&owner.email, &other_bank] {
            assert!(!info.to_string().contains(secret.as_str()), "{info}");
        }
        // What is charged for a payer of its link counts against its client, as its own calls do.
        owner.set_quota(&client, json!(0)).await.ok();
        let form = [("bank_reference", "67890")];
        crate::pay::send(&app.nobody(), &format!("/pay/{own}"), &form).await;
        assert_eq!(owner.balance().await, 1000);
    }

    async fn without_payments_it_verifies_nothing_and_makes_no_link(app: TestApp) {
        let owner = app.owner().await;
        let (client, bank, marta) = client_with_person(&owner, 1).await;
        verify(&marta, &bank, "67890").await.ok();
        let path = format!("/v1/clients/{client}");
        owner.patch(&path, json!({ "payments_enabled": false })).await.ok();
        verify(&marta, &bank, "167890").await.refused(403, "FORBIDDEN");
        marta.post("/v1/paymentlink", json!({})).await.refused(403, "FORBIDDEN");
        marta.get(&format!("/movements/{bank}")).await.ok();
        owner.patch(&path, json!({ "payments_enabled": true })).await.ok();
        verify(&marta, &bank, "167890").await.ok();
    }

    async fn what_it_does_is_on_record_under_its_name(app: TestApp) {
        let owner = app.owner().await;
        let (_, bank, marta) = client_with_person(&owner, 1).await;
        let issued = marta.post("/auth/api-key", json!({ "name": "caja" })).await.ok();
        let key = issued["api_key"]["id"].as_str().unwrap();
        marta.post(&format!("/v1/api-keys/{key}/rotate"), json!({})).await.ok();
        marta.delete(&format!("/v1/api-keys/{key}")).await.ok();
        marta.delete(&format!("/usersbank/{bank}/to-trash")).await.ok();
        let session = marta.get("/auth/sessions").await.ok()["sessions"][0]["id"].clone();
        let entries = owner.get("/v1/audit").await.ok()["entries"].clone();
        for action in
            ["Login", "LinkBankAccount", "CreateKey", "RotateKey", "RevokeKey", "TrashBankAccount"]
        {
            let mut listed = entries.as_array().unwrap().iter();
            let entry = listed.find(|it| it["action"] == action && it["actor"] == session);
            let entry = entry.unwrap_or_else(|| panic!("{action}: {entries}"));
            assert_eq!(entry["employee"], json!({ "id": marta.id, "name": "Marta" }), "{action}");
        }
        marta.get("/v1/audit").await.refused(403, "OWNER_SESSION_REQUIRED");
    }

    async fn it_sees_what_was_reported_of_its_links_and_nothing_else(app: TestApp) {
        let receiver = Receiver::with_status(204);
        let owner = app.owner().await;
        let (_, bank, marta) = client_with_person(&owner, 1).await;
        let (_, other_bank, eva) = client_with_person(&owner, 2).await;
        let with_url = json!({ "webhook_url": receiver.url() });
        let own = crate::pay::make(&marta, &bank, with_url.clone()).await;
        let of_other = crate::pay::make(&eva, &other_bank, with_url).await;
        for (caller, link) in [(&marta, &own), (&eva, &of_other)] {
            caller.post(&format!("/v1/paymentlink/{link}/reject"), json!({})).await.ok();
        }
        let path = "/v1/webhooks/deliveries";
        marta.get(path).await.refused(400, "VALIDATION_ERROR");
        let foreign = format!("{path}?payment_link_id={of_other}");
        marta.get(&foreign).await.refused(404, "NOT_FOUND");
        let listed = marta.get(&format!("{path}?payment_link_id={own}")).await.ok();
        assert_eq!((&listed["total"], &listed["deliveries"][0]["payment_link_id"]), (&json!(1), &json!(own)));
        let all = owner.get(path).await.ok();
        let of = |link: &str| {
            let mut deliveries = all["deliveries"].as_array().unwrap().iter();
            deliveries.find(|it| it["payment_link_id"] == link).unwrap()["id"].as_str().unwrap().to_owned()
        };
        let shown = marta.get(&format!("{path}/{}", of(&own))).await.ok()["delivery"].clone();
        assert!(shown["body"].as_str().unwrap().contains(&own), "{shown}");
        // Nothing in it shows what credits the owner has.
        assert!(!shown.to_string().contains("credit"), "{shown}");
        marta.get(&format!("{path}/{}", of(&of_other))).await.refused(404, "NOT_FOUND");
        marta.get("/v1/webhooks/events").await.refused(403, "FORBIDDEN");
    }
}
