//! A link whose owner, plan or client takes no part now: its page says that it cannot be paid now, and nothing is
//! charged; as soon as they do again, it can.

use app::admin::{Operator, OwnerName, PlanChange, change_owners_plan, create_plan};
use domain::ids::{OwnerId, PlanId};
use serde_json::json;
use store::sql::Sql;
use store::tx::{Expect, Tx};
use testkit::{Owner, TestApp, either_engine};

use super::{follow, make, paid_with, pay, said, status, text};
use crate::changed::after;
use crate::v1::plans::plan;

const UNAVAILABLE: &str = "Este enlace no se puede pagar ahora";

/// Each thing that a link depends on: switched off, and on again.
static SWITCHES: [[Sql; 2]; 4] = [
    [
        Sql::new("update owner_profiles set is_active = false where owner_id = $1").writes_auth(),
        Sql::new("update owner_profiles set is_active = true where owner_id = $1").writes_auth(),
    ],
    [
        Sql::new("update owner_plans set is_active = false where owner_id = $1").writes_auth(),
        Sql::new("update owner_plans set is_active = true where owner_id = $1").writes_auth(),
    ],
    [
        Sql::new("update clients set is_active = false where owner_id = $1").writes_auth(),
        Sql::new("update clients set is_active = true where owner_id = $1").writes_auth(),
    ],
    [
        Sql::new("update clients set payments_enabled = false where owner_id = $1").writes_auth(),
        Sql::new("update clients set payments_enabled = true where owner_id = $1").writes_auth(),
    ],
];

async fn switch(app: &TestApp, owner: &Owner, statement: &'static Sql) {
    let owner: OwnerId = owner.id.parse().unwrap();
    let meter = store::Meter::default();
    let job = move |tx: &mut Tx<'_>| tx.defer(statement, [owner.into()], Expect::Rows(1));
    app.app().store.write(&meter, store::Lane::Admission, owner, job).await.unwrap();
}

/// An owner with a plan, whose client has an account and a key; answers both.
async fn with_client(app: &TestApp) -> (Owner, testkit::Key, String) {
    let owner = app.owner().await;
    let operator = Operator::of(app.app());
    let id = PlanId::new(operator.ids, operator.now);
    create_plan(&operator, plan(id, None, None)).await.unwrap();
    let name = OwnerName::Id(owner.id.parse().unwrap());
    change_owners_plan(&operator, &name, PlanChange::Set(id)).await.unwrap();
    let client = owner.client(true).await;
    let key = owner.client_key(&client).await;
    let bank = key.link_bank().await;
    (owner, key, bank)
}

/// The page that answers a payer who types a right reference.
async fn answered(app: &TestApp, id: &str, reference: &str) -> String {
    let answer = pay(&app.nobody(), id, reference).await;
    if answer.status == 303 { text(&follow(&app.nobody(), &answer).await) } else { text(&answer) }
}

/// The link waits as it was, and nothing was reserved or charged.
async fn is_untouched(app: &TestApp, owner: &Owner, id: &str) {
    assert_eq!((status(owner, id).await.as_str(), owner.balance().await), ("pending", 1_000));
    for table in ["verifications", "payments", "webhook_deliveries"] {
        assert_eq!(app.database().number(&format!("select count(*) from {table}")), 0, "{table}");
    }
}

either_engine! {
    async fn a_link_is_not_payable_while_its_owner_plan_or_client_takes_no_part(app: TestApp) {
        let (owner, key, bank) = with_client(&app).await;
        let more = json!({ "expiration_time": -1, "webhook_url": "https://shop.example/aviso" });
        let id = make(&key, &bank, more).await;
        for [off, on] in &SWITCHES {
            switch(&app, &owner, off).await;
            let page = text(&app.nobody().get(&format!("/pay/{id}")).await);
            assert_eq!(said(&page), UNAVAILABLE, "{}", off.text());
            assert!(!page.contains("<form"), "{}: {page}", off.text());
            assert_eq!(said(&answered(&app, &id, "167890").await), UNAVAILABLE, "{}", off.text());
            switch(&app, &owner, on).await;
            is_untouched(&app, &owner, &id).await;
        }
        assert_eq!(said(&paid_with(&app.nobody(), &id, "167890").await), "Pago confirmado");
    }

    async fn what_is_switched_off_between_page_and_check_is_paid_nothing(app: TestApp) {
        let (owner, key, bank) = with_client(&app).await;
        let id = make(&key, &bank, json!({ "expiration_time": -1 })).await;
        for [off, on] in &SWITCHES {
            let change = |tx: &mut Tx<'_>, owner: OwnerId| {
                tx.defer(off, [owner.into()], Expect::Rows(1))
            };
            let of = owner.id.parse().unwrap();
            let page = after(&app, of, change, answered(&app, &id, "167890")).await;
            assert_eq!(said(&page), UNAVAILABLE, "{}", off.text());
            switch(&app, &owner, on).await;
            is_untouched(&app, &owner, &id).await;
        }
    }

    async fn a_link_that_the_owner_made_needs_no_clients_payments(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(false).await;
        let body = json!({ "client_owner_id": client });
        owner.put(&format!("/v1/usersbank/{}/client", owner.bank), body).await.ok();
        let id = make(&owner.key, &owner.bank, json!({})).await;
        assert_eq!(said(&paid_with(&app.nobody(), &id, "167890").await), "Pago confirmado");
    }
}
