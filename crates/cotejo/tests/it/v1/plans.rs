//! `GET /me/plan`, and what an owner's plan limits.

use app::admin::{Operator, OwnerName, PlanChange, change_owners_plan, create_plan};
use domain::ids::PlanId;
use domain::plans::{Period, Plan, PlanType};
use domain::text::Text;
use domain::time::Timestamp;
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{Owner, Setup, TestApp, both_engines};

use crate::pay::{make, paid_with, pay, status, text};
use crate::slow_bank::{SLOW_REFERENCE, about, let_answer, time_out};

/// 1 December 2026 in Caracas.
const DECEMBER: Timestamp = Timestamp::from_micros(1_796_097_600_000_000);

pub(crate) fn plan(
    id: PlanId,
    request_limit: Option<i64>,
    bank_account_limit: Option<i64>,
) -> Plan {
    Plan {
        id,
        name: Text::parse("Comercio").unwrap(),
        description: Text::parse("Para una tienda").unwrap(),
        kind: PlanType::Counter,
        period: Period::SixMonths,
        price: 2_500,
        request_limit,
        bank_account_limit,
        initial_credits: 100,
        max_accumulated_credits: None,
        benefits: vec![Text::parse("Soporte").unwrap(), Text::parse("Dos sedes").unwrap()],
        is_salient: true,
        is_hidden: false,
    }
}

async fn change(app: &TestApp, owner: &Owner, change: PlanChange) {
    let name = OwnerName::Id(owner.id.parse().unwrap());
    change_owners_plan(&Operator::of(app.app()), &name, change).await.unwrap();
}

/// Makes a plan as the operator and gives it to the owner; returns its id.
async fn give(app: &TestApp, owner: &Owner, requests: Option<i64>, banks: Option<i64>) -> PlanId {
    let operator = Operator::of(app.app());
    let id = PlanId::new(operator.ids, operator.now);
    create_plan(&operator, plan(id, requests, banks)).await.unwrap();
    change(app, owner, PlanChange::Set(id)).await;
    id
}

fn paying(number: u32) -> Value {
    about(&format!("{number}67890"))
}

both_engines! {
    async fn it_is_shown_to_the_owner_and_its_own_keys(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&[]).await;
        let none = key.get("/me/plan").await.ok();
        assert_eq!((&none["planType"], &none["plan"]["id"]), (&json!("unlimited"), &Value::Null));
        assert_eq!(none["plan"]["requestLimit"], -1);
        let user = owner.get("/me").await.ok()["user"].clone();
        assert_eq!((&user["plan_id"], &user["plan_is_active"]), (&Value::Null, &json!(true)));

        let id = give(&app, &owner, Some(1_000), None).await;
        let answer = key.get("/me/plan").await.ok();
        assert_eq!((&answer["name"], &answer["planType"]), (&json!("Comercio"), &json!("counter")));
        assert_eq!(answer["plan"], json!({
            "id": id.to_string(),
            "name": "Comercio",
            "description": "Para una tienda",
            "planType": "counter",
            "period": "six_months",
            "price": 25.0,
            "requestLimit": 1_000,
            "bankAccountLimit": -1,
            "initialCredits": 100,
            "maxAcumulatedCredits": -1,
            "benefits": [
                { "description": "Soporte", "contain": true },
                { "description": "Dos sedes", "contain": true },
            ],
            "salient": true,
            "hidden": false,
        }));
        // Nothing is granted by itself.
        assert_eq!(owner.balance().await, 1_000);
        change(&app, &owner, PlanChange::Deactivate).await;
        let user = key.get("/me").await.ok()["user"].clone();
        assert_eq!((&user["plan_id"], &user["plan_is_active"]), (&json!(id.to_string()), &json!(false)));
        let of_client = owner.client_key(&owner.client(true).await).await;
        of_client.get("/me/plan").await.refused(403, "FORBIDDEN");
    }

    async fn a_month_has_as_many_charges_as_the_plan_says_and_no_more(setup: Setup) {
        let app = setup.from(Timestamp::from_micros(DECEMBER.as_micros() - 60_000_000)).start().await;
        let owner = app.owner().await;
        let other = owner.key_with(&["payment_verifications"]).await;
        owner.key.verify(&owner.bank, paying(1)).await.ok();
        give(&app, &owner, Some(3), None).await;
        other.verify(&owner.bank, paying(2)).await.ok();
        // What is not found is no charge, nor is a repeat.
        other.verify(&owner.bank, about("555555")).await.refused(404, "PAYMENT_NOT_FOUND");
        owner.verify(&owner.bank, paying(3)).await.ok();
        let refused = owner.key.verify(&owner.bank, paying(4)).await;
        let body = refused.refused(429, "REQUEST_LIMIT_REACHED");
        assert_eq!(refused.header("retry-after"), Some("60"));
        assert_eq!(body["facts"], json!({
            "limit": 3, "used": 3, "remaining": 0, "resets_at": "2026-12-01T04:00:00.000Z",
        }));
        assert_eq!(owner.key.verify(&owner.bank, paying(1)).await.ok()["data"]["credit_cost"], 0);
        // With the month the count begins anew; without the plan there is none.
        app.clock().advance_to(DECEMBER);
        owner.key.verify(&owner.bank, paying(4)).await.ok();
        change(&app, &owner, PlanChange::Remove).await;
        for number in 5..10 {
            owner.key.verify(&owner.bank, paying(number)).await.ok();
        }
    }

    async fn what_is_open_counts_and_is_given_back(app: TestApp) {
        let owner = app.owner().await;
        give(&app, &owner, Some(1), None).await;
        time_out(&app, &owner.key, &owner.bank, SLOW_REFERENCE).await;
        let refused = owner.key.verify(&owner.bank, paying(1)).await;
        refused.refused(429, "REQUEST_LIMIT_REACHED");
        let_answer(&app).await;
        owner.key.verify(&owner.bank, paying(1)).await.refused(429, "REQUEST_LIMIT_REACHED");
        assert_eq!(owner.balance().await, 999);
    }

    async fn however_many_ask_at_once_no_more_is_charged_than_the_plan_has(setup: Setup) {
        let app = setup.in_real_time().start().await;
        let owner = app.owner().await;
        let keys = [owner.key.clone(), owner.key_with(&["payment_verifications"]).await];
        give(&app, &owner, Some(10), None).await;
        let calls = (0..40).map(|n| keys[n as usize % 2].verify(&owner.bank, paying(n)));
        let answers = join_all(calls).await;
        let charged = answers.iter().filter(|answer| answer.status == 200).count();
        let refused = answers.iter().filter(|answer| answer.status == 429).count();
        assert_eq!((charged, refused), (10, 30));
        assert_eq!(owner.balance().await, 990);
    }

    async fn an_inactive_plan_refuses_new_charges_alone(app: TestApp) {
        let owner = app.owner().await;
        owner.key.verify(&owner.bank, paying(1)).await.ok();
        let link = make(&owner.key, &owner.bank, json!({})).await;
        give(&app, &owner, None, None).await;
        change(&app, &owner, PlanChange::Deactivate).await;
        owner.key.verify(&owner.bank, paying(2)).await.refused(403, "PLAN_IS_NOT_ACTIVE");
        owner.verify(&owner.bank, paying(2)).await.refused(403, "PLAN_IS_NOT_ACTIVE");
        assert_eq!(owner.key.verify(&owner.bank, paying(1)).await.ok()["data"]["is_new"], false);
        owner.key.get("/v1/payments").await.ok();
        // Links are made, and wait.
        make(&owner.key, &owner.bank, json!({})).await;
        let page = app.nobody().get(&format!("/pay/{link}")).await;
        assert!(!text(&page).contains("name=\"reference\""), "it asks for a reference");
        pay(&app.nobody(), &link, "367890").await;
        assert_eq!(status(&owner.key, &link).await, "pending");
        assert_eq!(owner.balance().await, 999);
        change(&app, &owner, PlanChange::Activate).await;
        paid_with(&app.nobody(), &link, "367890").await;
        assert_eq!(status(&owner.key, &link).await, "paid");
    }

    async fn a_payer_sees_nothing_of_a_plan_that_is_used_up(app: TestApp) {
        let owner = app.owner().await;
        let link = make(&owner.key, &owner.bank, json!({})).await;
        give(&app, &owner, Some(0), None).await;
        let answer = pay(&app.nobody(), &link, "167890").await;
        assert_eq!((answer.status, answer.header("retry-after")), (503, None));
        assert_eq!(status(&owner.key, &link).await, "pending");
        // The owner does, once for all the payers of the link.
        pay(&app.nobody(), &link, "267890").await;
        let notices = owner.get("/v1/notices").await.ok()["notices"].clone();
        let notice = &notices[0];
        assert_eq!(notices.as_array().unwrap().len(), 1, "{notices}");
        let about = (&notice["kind"], &notice["subject"], &notice["payment_link_id"], &notice["times"]);
        assert_eq!(about, (&json!("link_refused_by_plan"), &json!(link), &json!(link), &json!(2)));
        assert!(notice["text"].as_str().unwrap().contains("plan"), "{notices}");
        change(&app, &owner, PlanChange::Remove).await;
        paid_with(&app.nobody(), &link, "167890").await;
        assert_eq!(status(&owner.key, &link).await, "paid");
    }

    async fn a_plan_limits_the_accounts_that_are_linked(app: TestApp) {
        let owner = app.owner().await;
        give(&app, &owner, None, Some(2)).await;
        let second = owner.key.link_bank().await;
        let body = json!({ "bank_provider": "BANK_TEST" });
        owner.post("/usersbank", body.clone()).await.refused(403, "BANK_ACCOUNT_LIMIT_REACHED");
        // What goes into the trash makes room.
        owner.delete(&format!("/usersbank/{second}/to-trash")).await.ok();
        owner.post("/usersbank", body.clone()).await.ok();
        owner.post("/usersbank", body).await.refused(403, "BANK_ACCOUNT_LIMIT_REACHED");
    }

    async fn a_plan_waives_no_balance(app: TestApp) {
        let owner = app.owner_with(1).await;
        give(&app, &owner, None, None).await;
        owner.key.verify(&owner.bank, paying(1)).await.ok();
        owner.key.verify(&owner.bank, paying(2)).await.refused(402, "NOT_ENOUGH_CREDITS");
    }
}
