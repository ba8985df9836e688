//! A call whose credential or account changes between its admission and its reservation: it is admitted anew.

use std::pin::pin;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use app::access::{Credential, admit};
use app::verification::{ReportedIn, VerifyRequest, verify};
use app::{Act, Clock, Error, RequestContext};
use domain::access::Verify;
use domain::browser::Program;
use domain::ids::OwnerId;
use domain::language::Language;
use domain::matching::Query;
use domain::reference::TypedReference;
use domain::refusal::{Code, Refusal};
use domain::secret::SecretText;
use futures_util::future::{Either, join, select};
use serde_json::json;
use store::fault::Fault;
use store::sql::Sql;
use store::tx::{Expect, Tx};
use store::{Lane, Meter, accounts};
use testkit::database::Database;
use testkit::{Owner, TestApp, both_engines};
use tokio::task::yield_now;

static SWITCH_OFF: Sql =
    Sql::new("update clients set is_active = false where owner_id = $1").writes_auth();

/// Lets a call in.
async fn let_in(app: &TestApp, credential: &str) -> Act<Verify> {
    let request = RequestContext {
        received: app.now(),
        received_uptime: app.clock().uptime(),
        request_id: "changed".to_owned(),
        address: None,
        program: Program::default(),
        language: Language::Es,
        meter: Arc::default(),
        readmitted: OnceLock::new(),
    };
    let credential = Credential::Bearer(SecretText::new(credential.to_owned()));
    admit(app.app(), credential, Arc::new(request)).await.unwrap()
}

/// Goes on with a call that was admitted.
async fn go_on(app: &TestApp, act: &Act<Verify>, bank: &str) -> Result<(), Refusal> {
    let query = Query::new(TypedReference::parse("0000067890").unwrap());
    let request = VerifyRequest {
        bank: bank.parse().unwrap(),
        query,
        source_name: None,
        reported_in: ReportedIn::Answer,
    };
    match verify(app.app(), act, request, None, |_| b"confirmed".to_vec()).await {
        Ok(answered) => {
            answered.first_report.expect("first_report").delivered();
            Ok(())
        }
        Err(Error::Refused(refusal)) => Err(refusal),
        Err(error) => panic!("{error:?}"),
    }
}

/// The same, where that change is committed after the call has read its account and before it reserves.
async fn go_on_after(
    app: &TestApp,
    act: &Act<Verify>,
    bank: &str,
    change: impl Fn(&mut Tx<'_>, OwnerId) -> Result<(), Fault> + Send + Sync + 'static,
) -> Result<(), Refusal> {
    after(app, act.owner(), change, go_on(app, act, bank)).await
}

/// Runs the call so that the change is committed after the call has read and before it writes: both are writes of one
/// owner, and the call's waits for the change.
#[expect(clippy::disallowed_methods, reason = "the clock of the test stands still")]
pub(crate) async fn after<T>(
    app: &TestApp,
    owner: OwnerId,
    change: impl Fn(&mut Tx<'_>, OwnerId) -> Result<(), Fault> + Send + Sync + 'static,
    call: impl Future<Output = T>,
) -> T {
    let (begun, has_begun) = channel();
    let (go, may_go) = channel::<()>();
    let may_go = Mutex::new(may_go);
    let store = app.app().store.clone();
    let meter = Meter::default();
    let changing = store.write(&meter, Lane::Admission, owner, move |tx| {
        begun.send(()).ok();
        // Run again, it has been let go.
        may_go.lock().unwrap().recv().ok();
        change(tx, owner)
    });
    let calling = async {
        while has_begun.try_recv().is_err() {
            yield_now().await;
        }
        let call = pin!(call);
        // Far more than it takes to come as far as its write. A call that is slower finds the change at once.
        let waited = pin!(tokio::time::sleep(Duration::from_millis(300)));
        let Either::Right(((), call)) = select(call, waited).await else {
            panic!("it did not wait")
        };
        drop(go);
        call.await
    };
    let (changed, result) = join(changing, calling).await;
    changed.unwrap();
    result
}

/// Every address that is claimed from now on leads nowhere as soon as it was, or to the owner of that address: as where
/// somebody lets it go, and somebody else claims it, before the row is written.
pub(crate) fn lose_claims(app: &TestApp, to: Option<&str>) {
    let lost = "locators where kind = 2 and hash = new.hash";
    let wanted = |to: &str| format!("(select owner_id from owner_profiles where email = '{to}')");
    let done = match to.map(wanted) {
        None => format!("delete from {lost};"),
        Some(to) => {
            let (table, which) = lost.split_once(' ').unwrap();
            format!("update {table} set owner_id = {to}, subject_id = {to} {which};")
        }
    };
    let trigger = "create trigger lost after insert on locators for each row";
    app.database().execute(&match app.database() {
        Database::Sqlite(_) => format!("{trigger} when new.kind = 2 begin {done} end"),
        Database::Postgres(_) => format!(
            "create function lost() returns trigger language plpgsql as \
             'begin {} return null; end'; {trigger} when (new.kind = 2) execute function lost()",
            done.replace('\'', "''"),
        ),
    });
}

/// Addresses that are claimed stay so again.
pub(crate) fn keep_claims(app: &TestApp) {
    app.database().execute(match app.database() {
        Database::Sqlite(_) => "drop trigger lost",
        Database::Postgres(_) => "drop function lost cascade",
    });
}

/// Gives the owner's account to the client.
async fn give(owner: &Owner, client: &str) {
    let body = json!({ "client_owner_id": client });
    owner.put(&format!("/v1/usersbank/{}/client", owner.bank), body).await.ok();
}

fn code(result: &Result<(), Refusal>) -> Option<Code> {
    result.as_ref().err().map(Refusal::code)
}

/// Nothing was reserved, and nothing noted of what began in vain.
async fn is_untouched(app: &TestApp, owner: &Owner) {
    assert_eq!(app.database().number("select count(*) from verifications"), 0);
    for table in ["owners", "actor_months"] {
        let reserved = format!("select cast(coalesce(sum(reserved), 0) as bigint) from {table}");
        assert_eq!(app.database().number(&reserved), 0, "{table}");
    }
    // By the session, since the key may have ended.
    assert_eq!(owner.get("/me").await.ok()["user"]["credits"], 1_000);
}

both_engines! {
    async fn what_has_not_changed_is_charged_once(app: TestApp) {
        let owner = app.owner().await;
        let act = let_in(&app, &owner.key.text).await;
        assert_eq!(code(&go_on(&app, &act, &owner.bank).await), None);
        assert_eq!(owner.balance().await, 999);
    }

    async fn a_key_that_ends_meanwhile_reserves_nothing(app: TestApp) {
        let owner = app.owner().await;
        let past = app.now().as_micros() - 1;
        for (change, expected) in [
            ("is_active = false".to_owned(), Code::ApiKeyIsNotActive),
            (format!("revoked_at = {past}"), Code::Unauthorized),
            (format!("expires_at = {past}"), Code::Unauthorized),
            ("permissions = 0".to_owned(), Code::PermissionsNotConfigured),
        ] {
            let key = owner.key_with(&["payment_verifications"]).await;
            let act = let_in(&app, &key.text).await;
            app.tamper(&format!("update api_keys set {change} where is_default = false")).await;
            let result = go_on(&app, &act, &owner.bank).await;
            assert_eq!(code(&result), Some(expected), "{change}");
            is_untouched(&app, &owner).await;
        }
    }

    async fn a_key_that_is_rotated_meanwhile_reserves_nothing(app: TestApp) {
        let owner = app.owner().await;
        let act = let_in(&app, &owner.key.text).await;
        owner.post("/v1/api-keys/default/rotate", json!({})).await.ok();
        let result = go_on(&app, &act, &owner.bank).await;
        assert_eq!(code(&result), Some(Code::Unauthorized));
        is_untouched(&app, &owner).await;
    }

    async fn a_session_that_ends_meanwhile_reserves_nothing(app: TestApp) {
        let owner = app.owner().await;
        let person = json!({ "email": owner.email, "password": owner.password });
        let session = owner.post("/auth/login", person).await.ok();
        let token = session["token"].as_str().unwrap();
        let act = let_in(&app, token).await;
        owner.with_bearer(token).post("/auth/logout", json!({})).await.ok();
        let result = go_on(&app, &act, &owner.bank).await;
        assert_eq!(code(&result), Some(Code::Unauthorized));
        is_untouched(&app, &owner).await;
    }

    async fn a_key_that_is_limited_to_other_accounts_meanwhile_reserves_nothing(app: TestApp) {
        let owner = app.owner().await;
        let key = owner.key_with(&["payment_verifications"]).await;
        let other = owner.key.link_bank().await;
        let narrow = owner.key_for(&[&other]).await;
        let act = let_in(&app, &key.text).await;
        app.tamper(&format!(
            "update api_keys set user_banks = (select n.user_banks from api_keys n \
             where n.hint = '{}') where is_default = false",
            narrow.text.split_at(narrow.text.len() - 4).1,
        ))
        .await;
        let result = go_on(&app, &act, &owner.bank).await;
        assert_eq!(code(&result), Some(Code::NotFound));
        is_untouched(&app, &owner).await;
    }

    async fn a_key_that_is_bound_to_a_client_meanwhile_counts_against_its_quota(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        owner.set_quota(&client, json!(0)).await.ok();
        let key = owner.key_with(&["payment_verifications"]).await;
        let bind = "update api_keys set client_id = (select id from clients) \
                    where is_default = false";
        let act = let_in(&app, &key.text).await;
        app.tamper(bind).await;
        // The account is not the client's.
        let result = go_on(&app, &act, &owner.bank).await;
        assert_eq!(code(&result), Some(Code::NotFound));
        is_untouched(&app, &owner).await;
        // Nor is a call admitted anew that was admitted as the client's.
        give(&owner, &client).await;
        let act = let_in(&app, &key.text).await;
        app.tamper("update clients set is_active = false").await;
        let result = go_on(&app, &act, &owner.bank).await;
        assert_eq!(code(&result), Some(Code::ClientIsNotActive));
        app.tamper("update clients set is_active = true").await;
        app.tamper("update clients set payments_enabled = false").await;
        let result = go_on(&app, &act, &owner.bank).await;
        assert_eq!(code(&result), Some(Code::Forbidden));
        app.tamper("update clients set payments_enabled = true").await;
        let result = go_on(&app, &act, &owner.bank).await;
        assert_eq!(code(&result), Some(Code::ClientMonthlyCreditLimitExceeded));
        assert_eq!(owner.balance().await, 1_000);
    }

    async fn an_owner_that_is_switched_off_meanwhile_reserves_nothing(app: TestApp) {
        let owner = app.owner().await;
        let person = json!({ "email": owner.email, "password": owner.password });
        let session = owner.post("/auth/login", person).await.ok();
        for credential in [&*owner.key.text, session["token"].as_str().unwrap()] {
            let act = let_in(&app, credential).await;
            app.tamper("update owner_profiles set is_active = false").await;
            let result = go_on(&app, &act, &owner.bank).await;
            assert_eq!(code(&result), Some(Code::UserIsNotActive));
            app.tamper("update owner_profiles set is_active = true").await;
            is_untouched(&app, &owner).await;
        }
    }

    async fn an_account_that_is_put_into_the_trash_before_it_is_reserved_for_is_not_charged(app: TestApp) {
        let owner = app.owner().await;
        let act = let_in(&app, &owner.key.text).await;
        let bank = owner.bank.parse().unwrap();
        let now = app.now();
        let change = move |tx: &mut Tx<'_>, owner| accounts::trash(tx, owner, bank, now).map(drop);
        let result = go_on_after(&app, &act, &owner.bank, change).await;
        assert_eq!(code(&result), Some(Code::NotFound));
        is_untouched(&app, &owner).await;
    }

    async fn a_client_that_is_switched_off_before_its_account_is_reserved_for_is_not_charged(app: TestApp) {
        let owner = app.owner().await;
        let client = owner.client(true).await;
        give(&owner, &client).await;
        let act = let_in(&app, &owner.key.text).await;
        let change = |tx: &mut Tx<'_>, owner: OwnerId| {
            tx.defer(&SWITCH_OFF, [owner.into()], Expect::Rows(1))
        };
        let result = go_on_after(&app, &act, &owner.bank, change).await;
        assert_eq!(code(&result), Some(Code::ClientIsNotActive));
        is_untouched(&app, &owner).await;
    }
}
