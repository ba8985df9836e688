//! `GET /v1/statistics` by a client's people: the sums of what their client's callers claimed.

use domain::statistics::GroupBy;
use serde_json::{Value, json};
use testkit::owner::link_bank;
use testkit::{Employee, Owner, Setup, TestApp, both_engines};

use super::statistics::{figures, groups, paying, statistics};
use crate::pay::{make, paid_with};
use crate::subscriptions::{self, act, begin};

/// Counts again what callers of a person's client claimed, and adds up what the bank credited: from the payments.
fn recounted(app: &TestApp, person: &Employee) -> (i64, f64) {
    let of = format!(
        "from payments p join movements m on m.owner_id = p.owner_id and m.id = p.movement_id \
         join employees e on e.owner_id = p.owner_id and e.client_id = p.client_id \
         where e.email = '{}'",
        person.email,
    );
    let database = app.database();
    let sum = database.number(&format!("select cast(coalesce(sum(m.amount), 0) as bigint) {of}"));
    (database.number(&format!("select count(*) {of}")), sum as f64 / 100.0)
}

/// Gives an account to a client, or takes it back.
async fn move_to(owner: &Owner, bank: &str, client: Value) {
    let body = json!({ "client_owner_id": client });
    owner.put(&format!("/v1/usersbank/{bank}/client"), body).await.ok();
}

both_engines! {
    async fn a_clients_people_get_the_sums_of_what_its_own_callers_claimed(app: TestApp) {
        let owner = app.owner().await;
        let (one, other) = (owner.client(true).await, owner.client(true).await);
        let marta = owner.client_employee(&one, 1).await;
        let eva = owner.client_employee(&other, 2).await;
        let employee = owner.employee(3, &["payments:write"]).await;
        let key = owner.client_key(&one).await;
        let (theirs, of_other) = (key.link_bank().await, link_bank(&eva).await);
        key.verify(&theirs, paying("1", 1.0)).await.ok();
        marta.verify(&theirs, paying("2", 2.0)).await.ok();
        let link = make(&key, &theirs, json!({})).await;
        paid_with(&app.nobody(), &link, "9167890").await;
        // These are not theirs, though some count against the quota of their client.
        owner.key.verify(&theirs, paying("3", 8.0)).await.ok();
        owner.verify(&theirs, paying("4", 16.0)).await.ok();
        employee.verify(&theirs, paying("5", 32.0)).await.ok();
        owner.key.verify(&owner.bank, paying("6", 64.0)).await.ok();
        eva.verify(&of_other, paying("7", 128.0)).await.ok();
        let all = recounted(&app, &marta);
        assert_eq!(all, (3, 153.75));
        let foreign = [&owner.key.id, &owner.bank, &employee.id, &other, &of_other, &eva.id];
        for group_by in GroupBy::ALL.map(GroupBy::as_str) {
            let answer = statistics(&marta, &format!("group_by={group_by}")).await;
            assert_eq!(figures(&answer), all, "{group_by}");
            let counts = groups(&answer).into_values().map(|(count, _)| count);
            assert_eq!(counts.sum::<i64>(), 3, "{answer}");
            let said = answer.to_string();
            assert!(foreign.iter().all(|id| !said.contains(id.as_str())), "{said}");
        }
        let by = async |what: &str| groups(&statistics(&marta, &format!("group_by={what}")).await);
        let id = |text: &str| Some(text.to_owned());
        assert_eq!(by("client").await, [(id(&one), all)].into());
        assert_eq!(by("bank").await, [(id(&theirs), all)].into());
        assert_eq!(by("key").await, [(None, (1, 2.0)), (id(&key.id), (2, 151.75))].into());
        assert_eq!(by("person").await, [(None, (2, 151.75)), (id(&marta.id), (1, 2.0))].into());
        // Real payments it has none of; that it has test payments is said of its own.
        let live = marta.get("/v1/statistics").await.ok();
        assert_eq!((&live["statistics"], &live["has_test_payments"]), (&json!([]), &json!(true)));
        assert_eq!(figures(&statistics(&eva, "").await), (1, 128.0));
        assert_eq!(figures(&statistics(&owner, "").await), (8, 401.75));
        key.get("/v1/statistics").await.refused(403, "FORBIDDEN");
        // What was claimed stays, though nothing more is.
        let disabled = json!({ "payments_enabled": false });
        owner.patch(&format!("/v1/clients/{one}"), disabled).await.ok();
        assert_eq!(figures(&statistics(&marta, "").await), all);
    }

    async fn what_is_not_the_clients_any_more_has_no_name(app: TestApp) {
        let owner = app.owner().await;
        let (one, other) = (owner.client(true).await, owner.client(true).await);
        let marta = owner.client_employee(&one, 1).await;
        let eva = owner.client_employee(&other, 2).await;
        let key = owner.client_key(&one).await;
        let theirs = key.link_bank().await;
        key.verify(&theirs, paying("1", 1.0)).await.ok();
        let group = async |what: &str| {
            let answer = statistics(&marta, &format!("group_by={what}")).await;
            let group = &answer["statistics"][0]["groups"][0];
            ["id", "name", "count"].map(|field| group[field].clone())
        };
        assert_eq!(group("key").await, [json!(key.id), json!("sucursal"), json!(1)]);
        assert!(group("bank").await[1].is_string());
        move_to(&owner, &theirs, json!(other)).await;
        let scope = json!({ "client_owner_id": null, "user_banks": [] });
        owner.put(&format!("/v1/api-keys/{}/scope", key.id), scope).await.ok();
        eva.verify(&theirs, paying("2", 2.0)).await.ok();
        assert_eq!(group("key").await, [json!(key.id), Value::Null, json!(1)]);
        assert_eq!(group("bank").await, [json!(theirs), Value::Null, json!(1)]);
        assert_eq!(figures(&statistics(&marta, "").await), recounted(&app, &marta));
        assert_eq!(figures(&statistics(&eva, "").await), (1, 2.0));
    }

    async fn its_subscriptions_have_names_while_their_account_is_its_own(setup: Setup) {
        let app = begin(setup).await;
        let owner = app.owner().await;
        let client = owner.client(true).await;
        let marta = owner.client_employee(&client, 1).await;
        let theirs = link_bank(&marta).await;
        let of = subscriptions::id(&subscriptions::make(&marta, &theirs, json!({})).await);
        paid_with(&app.nobody(), &subscriptions::link_of(&marta, &of, 1).await, "167890").await;
        // The owner's own, whose payer is nobody to them.
        let product = json!({ "uniqueProduct": { "productName": "Clases", "productPrice": 150.75 } });
        let own = subscriptions::id(&subscriptions::make(&owner.key, &theirs, product).await);
        paid_with(&app.nobody(), &subscriptions::link_of(&owner.key, &own, 1).await, "267890").await;
        let group = async || {
            let answer = statistics(&marta, "group_by=subscription").await;
            let all = answer["statistics"][0]["groups"].as_array().unwrap().clone();
            let [group] = all.as_slice() else { panic!("{answer}") };
            ["id", "name", "productName", "clientName"].map(|field| group[field].clone())
        };
        let named = ["Gimnasio", "Gimnasio", "Cliente de prueba"].map(|name| json!(name));
        let [id, names @ ..] = group().await;
        assert_eq!((id, names), (json!(of), named));
        // No account moves that a living subscription asks for.
        for subscription in [&of, &own] {
            act(&owner.key, subscription, "cancelbyowner", json!({})).await.ok();
        }
        move_to(&owner, &theirs, Value::Null).await;
        let [id, names @ ..] = group().await;
        assert_eq!((id, names), (json!(of), [Value::Null, Value::Null, Value::Null]));
    }
}
