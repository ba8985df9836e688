//! Who may call what: every operation of the table by every kind of caller. A new operation fails
//! here until it has a row.

use std::time::Duration;

use api::{Endpoint, endpoints};
use serde_json::{Value, json};
use testkit::{Owner, Principal, Setup, TestApp, both_engines};

/// Let in, whatever comes of it.
const IN: &str = "";

/// What callers are told who are not let in: first of all those who are nobody, or no longer.
const NOBODY: &str = "401 UNAUTHORIZED";
const INACTIVE: &str = "403 API_KEY_IS_NOT_ACTIVE";
const FORBIDDEN: &str = "403 FORBIDDEN";
const SESSION: &str = "403 OWNER_SESSION_REQUIRED";
const NONE: &str = "403 PERMISSIONS_NOT_CONFIGURED";
const SCOPE: &str = "403 KEY_SCOPE_RESTRICTED";

/// The callers, in the order of the columns.
const CALLERS: [&str; 12] = [
    "owner session",
    "default key",
    "key with the permission",
    "key with another",
    "key with none",
    "client key",
    "client key, payments enabled",
    "limited key",
    "key with a monthly limit",
    "inactive key",
    "revoked key",
    "nobody",
];

/// The operations: the name, the permission that opens it, a body that is right, and what each
/// caller is told.
fn rows() -> Vec<(&'static str, &'static str, Value, [&'static str; 12])> {
    let none = || json!({});
    let only_session = [
        IN, SESSION, SESSION, SESSION, SESSION, SESSION, SESSION, SESSION, SESSION, INACTIVE,
        NOBODY, NOBODY,
    ];
    let anyone = [IN, IN, IN, IN, IN, IN, IN, IN, IN, INACTIVE, NOBODY, NOBODY];
    let verifying = [IN, IN, IN, FORBIDDEN, NONE, FORBIDDEN, IN, IN, IN, INACTIVE, NOBODY, NOBODY];
    let listing = [IN, IN, IN, FORBIDDEN, NONE, IN, IN, IN, IN, INACTIVE, NOBODY, NOBODY];
    let reading =
        [IN, IN, IN, FORBIDDEN, NONE, FORBIDDEN, FORBIDDEN, IN, IN, INACTIVE, NOBODY, NOBODY];
    let reading_all =
        [IN, IN, IN, FORBIDDEN, NONE, FORBIDDEN, FORBIDDEN, SCOPE, IN, INACTIVE, NOBODY, NOBODY];
    let issuing =
        [IN, IN, IN, FORBIDDEN, NONE, FORBIDDEN, FORBIDDEN, SCOPE, SCOPE, INACTIVE, NOBODY, NOBODY];
    let linking = [IN, IN, IN, FORBIDDEN, NONE, IN, IN, SCOPE, IN, INACTIVE, NOBODY, NOBODY];
    // As verifying, by a permission of its own.
    let paying = verifying;
    let seeing =
        [IN, IN, IN, FORBIDDEN, NONE, IN, IN, FORBIDDEN, FORBIDDEN, INACTIVE, NOBODY, NOBODY];
    let limit = || json!({ "monthly_credit_limit": 5 });
    vec![
        ("Login", "", none(), [IN; 12]),
        ("ListPlatforms", "", none(), [IN; 12]),
        ("RefreshSession", "", none(), [IN; 12]),
        ("ShowApiDocument", "", none(), [IN; 12]),
        ("CreateKey", "api_keys", json!({ "name": "caja" }), issuing),
        ("ListMyKeys", "integrations", none(), listing),
        ("ShowKey", "integrations", none(), listing),
        ("Me", "movements", none(), anyone),
        ("ShowCreditLimit", "integrations", none(), only_session),
        ("SetCreditLimit", "integrations", limit(), only_session),
        ("SetClientCreditLimit", "integrations", limit(), only_session),
        ("CreateClient", "integrations", json!({ "name": "Sucursal" }), only_session),
        ("ListClients", "integrations", none(), only_session),
        ("ShowClient", "integrations", none(), only_session),
        ("ChangeClient", "integrations", json!({ "name": "Sucursal" }), only_session),
        (
            "MoveBankAccount",
            "bank_accounts_manage",
            json!({ "client_owner_id": null }),
            only_session,
        ),
        ("ShowActivity", "statistics", none(), only_session),
        ("ShowMyActivity", "statistics", none(), only_session),
        ("Verify", "payment_verifications", json!({ "bank_reference": "67890" }), verifying),
        ("ShowVerification", "payment_verifications", none(), verifying),
        ("PayOutChange", "payment_verifications", none(), verifying),
        ("PayOutChangeOfAccount", "payment_verifications", none(), verifying),
        ("NextInvoiceNumber", "payment_verifications", none(), verifying),
        (
            "LinkBankAccount",
            "bank_accounts_manage",
            json!({ "bank_provider": "BANK_TEST" }),
            linking,
        ),
        ("ChangeBankSecret", "bank_accounts_manage", json!({ "secret": "made-up" }), linking),
        ("ShowAccountSettings", "bank_accounts_manage", none(), only_session),
        (
            "SetAccountSettings",
            "bank_accounts_manage",
            json!({ "same_bank_by_payer": false }),
            only_session,
        ),
        ("ShowWebhookSecret", "integrations", none(), reading),
        ("ListDeliveries", "integrations", none(), reading_all),
        ("ListEvents", "integrations", none(), reading_all),
        ("ShowDelivery", "integrations", none(), reading_all),
        ("Redeliver", "integrations", none(), only_session),
        ("RedeliverFailed", "integrations", none(), only_session),
        ("ShowRedelivery", "integrations", none(), only_session),
        ("TestWebhook", "integrations", none(), only_session),
        ("CheckReceiver", "integrations", none(), only_session),
        ("RotateWebhookSecret", "integrations", none(), only_session),
        ("ListBankAccounts", "movements", none(), anyone),
        ("TrashBankAccount", "bank_accounts_manage", none(), linking),
        ("RotatePushSecret", "bank_accounts_manage", none(), linking),
        ("ListMovements", "movements", none(), seeing),
        ("ListNotifications", "notifications", none(), seeing),
        ("ListNotices", "notifications", none(), only_session),
        ("ListAudit", "integrations", none(), only_session),
        ("ShowEvidence", "integrations", none(), only_session),
        ("TakeBankNotice", "", none(), [IN; 12]),
        ("Logout", "movements", none(), only_session),
        ("ListSessions", "movements", none(), only_session),
        ("EndSession", "movements", none(), only_session),
        ("CreateLink", "payment_links", none(), paying),
        ("ShowLink", "payment_links", none(), paying),
        ("ChangeLink", "payment_links", none(), paying),
        ("ListLinks", "payment_links", none(), paying),
        ("CancelLink", "payment_links", none(), paying),
        ("StopLink", "payment_links", none(), paying),
        ("ResumeLink", "payment_links", none(), paying),
        ("RejectLink", "payment_links", none(), paying),
        ("AcceptLink", "payment_links", none(), only_session),
        ("ShowLinkSettings", "payment_links", none(), only_session),
        (
            "SetLinkSettings",
            "payment_links",
            json!({ "max_attempts": null, "announce_expiry": false }),
            only_session,
        ),
        ("ShowProfile", "integrations", none(), reading_all),
        ("SetProfile", "integrations", json!({ "public_name": "Tienda" }), only_session),
        ("ShowWebhookEndpoint", "integrations", none(), only_session),
        ("SetWebhookEndpoint", "integrations", json!({ "url": null }), only_session),
        ("RotateKey", "api_keys", none(), only_session),
        (
            "SetKeyScope",
            "api_keys",
            json!({ "client_owner_id": null, "user_banks": [] }),
            only_session,
        ),
        ("ChangeKey", "api_keys", json!({ "name": "caja" }), only_session),
        ("RevokeKey", "api_keys", none(), only_session),
        // The last, since the text of the default key ends with it.
        ("RotateDefaultKey", "api_keys", none(), only_session),
    ]
}

/// The callers for an operation that this permission opens.
async fn callers(owner: &Owner, permission: &str) -> [Principal; 12] {
    let other = if permission == "subscriptions" { "payment_links" } else { "subscriptions" };
    let right = [permission];
    let all = [
        permission,
        "payment_verifications",
        "payment_links",
        "bank_accounts_manage",
        "integrations",
        "api_keys",
    ];
    let with = owner.key_with(if permission.is_empty() { &[] } else { &right }).await;
    let limited = json!({ "name": "caja", "user_banks": [owner.bank], "permissions": all[1..] });
    let limited = owner.issue(limited).await;
    let with_limit = owner.key_with(&all[1..]).await;
    owner.set_limit(&with_limit, json!(100)).await.ok();
    let (inactive, revoked) = (owner.key_with(&all[1..]).await, owner.key_with(&all[1..]).await);
    owner.deactivate(&inactive).await;
    owner.revoke(&revoked).await;
    let (closed, open) = (owner.client(false).await, owner.client(true).await);
    let nobody = owner.without_credential();
    let keys = [
        with,
        owner.key_with(&[other]).await,
        owner.key_with(&[]).await,
        owner.client_key(&closed).await,
        owner.client_key(&open).await,
        limited,
        with_limit,
        inactive,
        revoked,
    ];
    let [with, with_other, with_none, closed, open, limited, with_limit, inactive, revoked] =
        keys.map(|key| Principal::clone(&key));
    let (session, default) = (Principal::clone(owner), Principal::clone(&owner.key));
    [
        session, default, with, with_other, with_none, closed, open, limited, with_limit, inactive,
        revoked, nobody,
    ]
}

/// The path of an operation about what this owner has.
fn path(entry: &Endpoint, owner: &Owner, client: &str) -> String {
    // Everybody else needs the account that would go.
    let bank = if entry.name == "TrashBankAccount" {
        "bank_00000000000000000000000000"
    } else {
        &owner.bank
    };
    // The default key takes none of these.
    let changes_keys = ["RotateKey", "SetKeyScope", "ChangeKey", "RevokeKey"].contains(&entry.name);
    let key = if changes_keys { "key_00000000000000000000000000" } else { &owner.key.id };
    entry
        .path
        .replace("{provider}", "bdv")
        .replace("{api_key_id}", key)
        .replace("{client_id}", client)
        .replace("{session_id}", "ses_00000000000000000000000000")
        .replace("{bank_id}", bank)
        .replace("{delivery_id}", "evt_00000000000000000000000000")
        .replace("{redelivery_id}", "redo_00000000000000000000000000")
        .replace("{verification_id}", "ver_00000000000000000000000000")
        .replace("{delivery_id}", "evt_00000000000000000000000000")
        .replace("{payment_link_id}", "link_00000000000000000000000000")
}

/// What the caller is told: nothing that speaks of access where it was let in.
async fn told(caller: &Principal, entry: &Endpoint, path: &str, body: &Value) -> String {
    let answer = caller.request(entry.method.as_str(), path).json(body).send().await;
    match answer.end() {
        (200, _) => IN.to_owned(),
        (status @ (401 | 403), code) => {
            answer.refused(status, &code);
            format!("{status} {code}")
        }
        // Let in, and then told what is wrong with the request itself.
        (400 | 404, code) => {
            let codes = ["VALIDATION_ERROR", "NOT_FOUND", "C2P_NOT_SUPPORTED"];
            assert!(codes.contains(&code.as_str()), "{code}");
            IN.to_owned()
        }
        end => format!("{end:?}"),
    }
}

both_engines! {
    async fn every_operation_by_every_caller(app: TestApp) {
        let mut owner = app.owner().await;
        let client = owner.client(true).await;
        let (rows, operations) = (rows(), endpoints());
        let listed: Vec<_> = rows.iter().map(|(name, ..)| *name).collect();
        let unlisted: Vec<_> =
            operations.iter().map(|entry| entry.name).filter(|name| !listed.contains(name)).collect();
        assert_eq!((unlisted, listed.len()), (Vec::new(), operations.len()), "the matrix is not whole");

        let mut wrong = Vec::new();
        for (name, permission, body, expected) in rows {
            let entry = operations.iter().find(|entry| entry.name == name).unwrap();
            let callers = callers(&owner, permission).await;
            let path = path(entry, &owner, &client);
            // The owner comes last: its rotation ends the default key's text.
            for ((caller, who), expected) in callers.iter().zip(CALLERS).zip(expected).rev() {
                let told = told(caller, entry, &path, &body).await;
                if told != expected {
                    wrong.push(format!("{name} by {who}: {told:?} instead of {expected:?}"));
                }
            }
            if name == "Logout" {
                owner.sign_in_again().await;
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    async fn a_key_of_a_client_that_is_not_active_is_told_so(app: TestApp) {
        let owner = app.owner().await;
        let (closed, open) = (owner.client(true).await, owner.client(true).await);
        let (key, other) = (owner.client_key(&closed).await, owner.client_key(&open).await);
        key.get("/me").await.ok();
        app.tamper("update clients set is_active = false").await;
        for key in [&key, &other] {
            key.get("/me").await.refused(403, "CLIENT_IS_NOT_ACTIVE");
            let verify = key.verify(&owner.bank, json!({})).await;
            verify.refused(403, "CLIENT_IS_NOT_ACTIVE");
        }
        // Nothing else of the owner's ends with a client.
        owner.get("/me").await.ok();
        owner.key.get("/me").await.ok();
        app.tamper("update clients set is_active = true").await;
        key.get("/me").await.ok();
    }

    async fn a_key_is_good_until_the_moment_it_expires(app: TestApp) {
        let owner = app.owner().await;
        let body = json!({ "name": "feria", "expires_at": "2026-11-20T12:01:00Z" });
        let key = owner.issue(body).await;
        key.get("/me").await.ok();
        app.clock().advance(Duration::from_millis(59_999));
        key.get("/me").await.ok();
        // Nothing is written at that moment: the clock alone ends it.
        app.clock().advance(Duration::from_millis(1));
        key.get("/me").await.refused(401, "UNAUTHORIZED");
    }

    async fn both_header_forms_of_a_key_are_one(app: TestApp) {
        let owner = app.owner().await;
        for entry in endpoints().iter().filter(|entry| entry.name != "Login") {
            let path = path(entry, &owner, "cli_00000000000000000000000000");
            let bearer = owner.key.request(entry.method.as_str(), &path).send().await.end();
            let app_key = owner.key.by_app_key().request(entry.method.as_str(), &path);
            assert_eq!(app_key.send().await.end(), bearer, "{}", entry.name);
        }
    }

    async fn what_is_not_in_the_table_is_not_served(setup: Setup) {
        let app = setup.start().await;
        let owner = app.owner().await;
        let operations = endpoints();
        for entry in &operations {
            let path = path(entry, &owner, "cli_00000000000000000000000000");
            let same_path: Vec<_> =
                operations.iter().filter(|other| other.path == entry.path).collect();
            let is_served =
                |method: &str| same_path.iter().any(|other| other.method.as_str() == method);
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                if !is_served(method) {
                    let answer = owner.request(method, &path).send().await;
                    answer.refused(405, "METHOD_NOT_SUPPORT");
                }
            }
        }
    }
}
