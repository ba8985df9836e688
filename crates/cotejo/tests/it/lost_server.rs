//! A server of a distributed database that is lost, as far as one PostgreSQL shows it: what touches a row of one owner
//! fails as it does there, and with it every statement over all owners.

use std::time::Duration;

use serde_json::json;
use store::one_by_one;
use testkit::receiver::Receiver;
use testkit::{Engine, Owner, TestApp};
use tokio::task::yield_now;

use crate::pay::make;

/// Puts a view in the place of each of these tables, which fails at a row of an owner that is lost.
const FAILING: &str = "\
    create table lost_owners (owner_id bytea primary key); \
    create function is_found(owner bytea) returns boolean language plpgsql as $$ begin \
        if exists (select 1 from lost_owners l where l.owner_id = owner) then \
            raise exception 'its server is lost' using errcode = '08006'; end if; \
        return true; \
    end $$;";

const TABLES: [&str; 4] = ["owners", "owner_profiles", "due", "verifications"];

/// Links whose end is still to be attended to.
const WAITING: &str = "select count(*) from kept_due where kind = 3";

/// Fails so many claims of locators of links with a state, and then no more: a sequence is not rolled back.
const FAILING_CLAIMS: &str = "\
    create sequence claims; \
    create function is_claimed() returns trigger language plpgsql as $$ begin \
        if new.kind = 3 and nextval('claims') <= TIMES then \
            raise exception 'not now' using errcode = 'STATE'; end if; \
        return new; \
    end $$; \
    create trigger is_claimed before insert on locators for each row execute function is_claimed()";

const CLAIMS_AS_EVER: &str =
    "drop trigger is_claimed on locators; drop function is_claimed(); drop sequence claims";

/// How long a link is good that is to end.
const MINUTE: Duration = Duration::from_secs(60);

/// Loses the server that the owner is on.
fn lose(app: &TestApp, owner: &Owner) {
    app.database().execute(FAILING);
    let views = TABLES.map(|table| {
        format!(
            "alter table {table} rename to kept_{table}; \
             create view {table} as select * from kept_{table} where is_found(owner_id);"
        )
    });
    let lost = format!(
        "insert into lost_owners select owner_id from kept_owner_profiles where email = '{}';",
        owner.email
    );
    app.database().execute(&format!("begin; {} {lost} commit", views.concat()));
}

/// Makes a link that ends in a minute, which somebody is to be notified of.
async fn ending_link(owner: &Owner) {
    let url = Receiver::with_status(200).url();
    make(&owner.key, &owner.bank, json!({ "expiration_time": 1, "webhook_url": url })).await;
}

async fn only_so_many_wait(app: &TestApp, count: i64) {
    while app.database().number(WAITING) > count {
        yield_now().await;
    }
}

/// Word of a node that misses nothing but the database's time: a test has a clock of its own.
const READY_BUT_FOR_ITS_CLOCK: &str = "this clock and the database's are too far apart";

/// Checks that this owner is served, and that the node finds nothing wrong with the database.
async fn is_served(app: &TestApp, owner: &Owner, reference: &str) {
    let ready = app.nobody().get("/health/ready").await;
    assert_eq!(ready.json()["status"], READY_BUT_FOR_ITS_CLOCK);
    let asked = json!({ "bank_reference": reference });
    owner.key.verify(&owner.bank, asked).await.ok();
}

fn fail_claims(app: &TestApp, state: &str, times: u32) {
    let failing = FAILING_CLAIMS.replace("STATE", state).replace("TIMES", &times.to_string());
    app.database().execute(&failing);
}

#[test]
fn a_link_draws_another_id_only_where_one_server_is_lost_and_others_answer() {
    testkit::run(Engine::Postgres, async |app: TestApp| {
        let owner = app.owner().await;
        // Two ids lie there, and each is tried twice.
        fail_claims(&app, "08006", 4);
        make(&owner.key, &owner.bank, json!({})).await;
        app.database().execute(CLAIMS_AS_EVER);

        fail_claims(&app, "57014", 100);
        let link = json!({ "amount": 1, "description": "Pedido 7", "user_bank_id": owner.bank });
        let refused = owner.key.post("/v1/paymentlink", link).await;
        assert_eq!(refused.status, 503, "{}", refused.text());
        // Once, and once more if it shared its first transaction with another job.
        assert!(app.database().number("select last_value from claims") < 3);
    });
}

#[test]
fn owners_on_other_servers_are_served_and_their_work_goes_on() {
    testkit::run(Engine::Postgres, async |mut app: TestApp| {
        let (lost, other) = (app.owner().await, app.owner().await);
        ending_link(&lost).await;
        ending_link(&other).await;
        one_by_one::learn(&app.app().store).await.unwrap();
        lose(&app, &lost);
        assert_eq!(app.database().number(WAITING), 2);

        let refused = lost.key.verify(&lost.bank, json!({ "bank_reference": "167890" })).await;
        assert_eq!(refused.status, 503, "{}", refused.text());
        is_served(&app, &other, "167890").await;
        app.clock().advance(MINUTE);
        only_so_many_wait(&app, 1).await;

        // A node that starts meanwhile serves them too, and learns of them by what they do.
        app.restart().await;
        is_served(&app, &other, "267890").await;
        ending_link(&other).await;
        app.clock().advance(MINUTE);
        only_so_many_wait(&app, 1).await;

        // When the server is back, nobody restarts anything.
        app.database().execute("delete from lost_owners");
        app.clock().advance(MINUTE);
        only_so_many_wait(&app, 0).await;
        is_served(&app, &lost, "367890").await;
    });
}
