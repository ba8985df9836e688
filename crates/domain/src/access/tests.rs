mod caller;
mod scope;
mod step_up;

use super::*;
use crate::refusal::Code;

const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
const KEY: KeyId = KeyId::from_bytes([2; 16]);
const OTHER_KEY: KeyId = KeyId::from_bytes([3; 16]);
const CLIENT: ClientId = ClientId::from_bytes([4; 16]);
const OTHER_CLIENT: ClientId = ClientId::from_bytes([5; 16]);
const BANK: BankId = BankId::from_bytes([6; 16]);
const OTHER_BANK: BankId = BankId::from_bytes([7; 16]);
const NOW: Timestamp = Timestamp::from_micros(1_000);

fn key(permissions: &[Permission]) -> KeyCaller {
    KeyCaller {
        owner: OWNER,
        key: KEY,
        hash: KeyHash::from_bytes([8; 32]),
        client: None,
        payments_enabled: false,
        selection: Vec::new(),
        permissions: permissions.iter().copied().collect(),
        is_default: false,
        has_monthly_limit: false,
        expires_at: None,
    }
}

fn client_key(payments_enabled: bool) -> KeyCaller {
    KeyCaller { client: Some(CLIENT), payments_enabled, ..key(&[]) }
}

fn limited(mut key: KeyCaller) -> KeyCaller {
    key.selection.push(BANK);
    key
}

fn employee(rights: impl IntoIterator<Item = Right>) -> EmployeeCaller {
    EmployeeCaller {
        owner: OWNER,
        session: SessionId::from_bytes([9; 16]),
        employee: EmployeeId::from_bytes([10; 16]),
        rights: rights.into_iter().collect(),
        proof: Proof::NotAsked,
    }
}

fn person(payments_enabled: bool) -> ClientCaller {
    ClientCaller {
        owner: OWNER,
        session: SessionId::from_bytes([11; 16]),
        employee: EmployeeId::from_bytes([12; 16]),
        client: CLIENT,
        payments_enabled,
        proof: Proof::NotAsked,
    }
}

fn owner() -> Caller {
    let session = SessionId::from_bytes([8; 16]);
    Caller::Owner(OwnerCaller { owner: OWNER, session, proof: Proof::NotAsked })
}

/// One caller of every kind that is answered differently somewhere.
fn callers() -> Vec<(&'static str, Caller)> {
    let all = Permission::ALL;
    let verifying = [Permission::PaymentVerifications];
    let keys = [
        ("default", KeyCaller { is_default: true, ..key(&[]) }),
        ("capped default", KeyCaller { is_default: true, has_monthly_limit: true, ..key(&[]) }),
        ("bare", key(&[])),
        ("verifying", key(&verifying)),
        ("linking", key(&[Permission::PaymentLinks])),
        ("issuing", key(&[Permission::ApiKeys])),
        ("managing", key(&[Permission::BankAccountsManage])),
        ("reading", key(&[Permission::Integrations])),
        ("capped", KeyCaller { has_monthly_limit: true, ..key(&all) }),
        ("limited", limited(key(&all))),
        ("limited bare", limited(key(&[]))),
        ("client", client_key(false)),
        ("paying client", client_key(true)),
        ("limited client", limited(client_key(true))),
    ];
    let keys = keys.into_iter().map(|(name, key)| (name, Caller::Key(key)));
    [("nobody", Caller::Nobody), ("owner", owner())].into_iter().chain(keys).collect()
}

/// Every operation and every kind of caller: a caller that is not named with a code is admitted.
#[test]
fn the_table_admits_exactly_these() {
    const OWNER_ONLY: &[(Code, &str)] = &[(
        Code::OwnerSessionRequired,
        "default, capped default, bare, verifying, linking, issuing, managing, reading, capped, \
         limited, limited bare, client, paying client, limited client",
    )];
    const VERIFYING: &[(Code, &str)] = &[
        (Code::PermissionsNotConfigured, "bare, limited bare"),
        (Code::Forbidden, "linking, issuing, managing, reading, client"),
    ];
    const LISTING: &[(Code, &str)] = &[
        (Code::PermissionsNotConfigured, "bare"),
        (Code::Forbidden, "verifying, linking, issuing, managing"),
    ];
    const READING: &[(Code, &str)] = &[
        (Code::PermissionsNotConfigured, "bare, limited bare"),
        (
            Code::Forbidden,
            "verifying, linking, issuing, managing, client, paying client, limited client",
        ),
    ];
    const READING_ALL: &[(Code, &str)] =
        &[READING[0], READING[1], (Code::KeyScopeRestricted, "limited")];
    const ISSUING: &[(Code, &str)] = &[
        (Code::PermissionsNotConfigured, "bare, limited bare"),
        (
            Code::Forbidden,
            "verifying, linking, managing, reading, client, paying client, limited client",
        ),
        (Code::KeyScopeRestricted, "capped default, capped, limited"),
    ];
    const MANAGING: &[(Code, &str)] = &[
        (Code::PermissionsNotConfigured, "bare, limited bare"),
        (Code::Forbidden, "verifying, linking, issuing, reading"),
        (Code::KeyScopeRestricted, "limited, limited client"),
    ];
    const LINKS: &[(Code, &str)] = &[
        (Code::PermissionsNotConfigured, "bare, limited bare"),
        (Code::Forbidden, "verifying, issuing, managing, reading, client"),
    ];
    const SUBSCRIPTIONS: &[(Code, &str)] = &[
        (Code::PermissionsNotConfigured, "bare, limited bare"),
        (Code::Forbidden, "verifying, linking, issuing, managing, reading, client"),
    ];
    const SEEING: &[(Code, &str)] = &[
        (Code::PermissionsNotConfigured, "bare, limited bare"),
        (Code::Forbidden, "verifying, linking, issuing, managing, reading"),
    ];
    const ADDING_UP: &[(Code, &str)] = &[
        (Code::PermissionsNotConfigured, "bare, limited bare"),
        (
            Code::Forbidden,
            "verifying, linking, issuing, managing, reading, client, paying client, limited client",
        ),
        (Code::KeyScopeRestricted, "limited"),
    ];
    let expected: &[(&str, &[(Code, &str)])] = &[
        ("Login", &[]),
        ("ListPlatforms", &[]),
        ("RefreshSession", &[]),
        ("ShowApiDocument", &[]),
        ("AcceptInvitation", &[]),
        ("RequestPasswordReset", &[]),
        ("ResetPassword", &[]),
        ("ConfirmEmail", &[]),
        ("TakeBankNotice", &[]),
        ("Logout", OWNER_ONLY),
        ("ListSessions", OWNER_ONLY),
        ("EndSession", OWNER_ONLY),
        ("ChangePassword", OWNER_ONLY),
        ("ChangeEmail", OWNER_ONLY),
        ("BeginSecondFactor", OWNER_ONLY),
        ("ConfirmSecondFactor", OWNER_ONLY),
        ("EndSecondFactor", OWNER_ONLY),
        ("RenewRecoveryCodes", OWNER_ONLY),
        ("StepUp", OWNER_ONLY),
        ("CreateKey", ISSUING),
        ("ListMyKeys", LISTING),
        ("ShowKey", LISTING),
        ("Me", &[]),
        ("ShowExchangeRate", &[]),
        ("ListOwnRates", OWNER_ONLY),
        ("SetOwnRate", OWNER_ONLY),
        ("SetRateRule", OWNER_ONLY),
        ("RotateDefaultKey", OWNER_ONLY),
        ("RotateKey", OWNER_ONLY),
        ("SetKeyScope", OWNER_ONLY),
        ("ChangeKey", OWNER_ONLY),
        ("RevokeKey", OWNER_ONLY),
        ("ShowCreditLimit", OWNER_ONLY),
        ("SetCreditLimit", OWNER_ONLY),
        ("CreateClient", OWNER_ONLY),
        ("ListClients", OWNER_ONLY),
        ("ShowClient", OWNER_ONLY),
        ("ChangeClient", OWNER_ONLY),
        ("InviteClientEmployee", OWNER_ONLY),
        ("RenewClientInvitation", OWNER_ONLY),
        ("ListClientEmployees", OWNER_ONLY),
        ("ChangeClientEmployee", OWNER_ONLY),
        ("RemoveClientEmployee", OWNER_ONLY),
        ("MoveBankAccount", OWNER_ONLY),
        ("ShowClientCreditLimit", OWNER_ONLY),
        ("SetClientCreditLimit", OWNER_ONLY),
        ("ShowActivity", OWNER_ONLY),
        ("ShowMyActivity", OWNER_ONLY),
        ("ShowEmployeeActivity", OWNER_ONLY),
        ("ShowCredits", OWNER_ONLY),
        ("ShowPlan", &[(Code::Forbidden, "client, paying client, limited client")]),
        ("ShowStatistics", ADDING_UP),
        ("Verify", VERIFYING),
        ("ShowVerification", VERIFYING),
        ("ListVerifications", VERIFYING),
        ("ListRefused", VERIFYING),
        ("ListPayments", VERIFYING),
        ("ListReceipts", VERIFYING),
        ("ShowReceipt", VERIFYING),
        ("VoidReceipt", OWNER_ONLY),
        ("PayOutChange", VERIFYING),
        ("PayOutChangeOfAccount", VERIFYING),
        ("NextInvoiceNumber", VERIFYING),
        ("LinkBankAccount", MANAGING),
        ("TrashBankAccount", MANAGING),
        ("ChangeBankSecret", MANAGING),
        ("ShowAccountSettings", OWNER_ONLY),
        ("SetAccountSettings", OWNER_ONLY),
        ("CloseReview", OWNER_ONLY),
        ("ShowWebhookSecret", READING),
        ("RotateWebhookSecret", OWNER_ONLY),
        ("ShowClientWebhookSecret", OWNER_ONLY),
        ("IssueClientWebhookSecret", OWNER_ONLY),
        ("RevokeClientWebhookSecret", OWNER_ONLY),
        ("RotatePushSecret", MANAGING),
        ("ListMovements", SEEING),
        ("ReadStatement", OWNER_ONLY),
        ("ListNotifications", SEEING),
        ("ListNotices", OWNER_ONLY),
        ("DismissNotice", OWNER_ONLY),
        ("ShowNoticeSettings", OWNER_ONLY),
        ("SetNoticeSettings", OWNER_ONLY),
        ("ListAudit", OWNER_ONLY),
        ("ListDeliveries", READING_ALL),
        ("ListEvents", READING_ALL),
        ("ShowDelivery", READING_ALL),
        ("Redeliver", OWNER_ONLY),
        ("RedeliverFailed", OWNER_ONLY),
        ("ShowRedelivery", OWNER_ONLY),
        ("TestWebhook", OWNER_ONLY),
        ("CheckReceiver", OWNER_ONLY),
        ("ShowEvidence", OWNER_ONLY),
        ("InviteEmployee", OWNER_ONLY),
        ("RenewInvitation", OWNER_ONLY),
        ("ListEmployees", OWNER_ONLY),
        ("ChangeEmployee", OWNER_ONLY),
        ("RemoveEmployee", OWNER_ONLY),
        ("ListBankAccounts", &[]),
        ("CreateLink", LINKS),
        ("ShowLink", LINKS),
        ("ShowLinkByShortPath", LINKS),
        ("ChangeLink", LINKS),
        ("ListLinks", LINKS),
        ("CancelLink", LINKS),
        ("StopLink", LINKS),
        ("ResumeLink", LINKS),
        ("RejectLink", LINKS),
        ("AcceptLink", OWNER_ONLY),
        ("AcceptMovement", OWNER_ONLY),
        ("ShowLinkSettings", OWNER_ONLY),
        ("SetLinkSettings", OWNER_ONLY),
        ("MakeSubscription", SUBSCRIPTIONS),
        ("ShowSubscription", SUBSCRIPTIONS),
        ("ListSubscriptions", SUBSCRIPTIONS),
        ("ListCycles", SUBSCRIPTIONS),
        ("CancelSubscription", SUBSCRIPTIONS),
        ("UndoCancellation", SUBSCRIPTIONS),
        ("PauseSubscription", SUBSCRIPTIONS),
        ("ResumeSubscription", SUBSCRIPTIONS),
        ("SetSubscriptionPrice", SUBSCRIPTIONS),
        ("SetUnpaidPolicy", SUBSCRIPTIONS),
        ("AdvanceTestClock", SUBSCRIPTIONS),
        ("RenewCycleLink", SUBSCRIPTIONS),
        ("WaiveCycle", SUBSCRIPTIONS),
        ("IssuePayerPage", SUBSCRIPTIONS),
        ("ShowProfile", READING_ALL),
        ("SetProfile", OWNER_ONLY),
        ("SetLogo", OWNER_ONLY),
        ("RemoveLogo", OWNER_ONLY),
        ("ShowWebhookEndpoint", OWNER_ONLY),
        ("SetWebhookEndpoint", OWNER_ONLY),
    ];
    assert_eq!(TABLE.len(), expected.len());
    for (entry, (operation, refusals)) in TABLE.iter().zip(expected) {
        assert_eq!(entry.name, *operation);
        for (name, caller) in callers() {
            let found = entry.rule.check(&caller).err().map(|refusal| refusal.code());
            let named = refusals.iter().find(|(_, names)| names.split(", ").any(|one| one == name));
            let right = match (&caller, entry.rule) {
                (_, Rule::Public | Rule::Hook) => None,
                (Caller::Nobody, _) => Some(Code::Unauthorized),
                _ => named.map(|(code, _)| *code),
            };
            assert_eq!(found, right, "{operation}, called by {name}");
        }
    }
}

/// Which right an operation asks of an employee, `own` where it is for everybody's own, and nothing where it is for the
/// owner alone.
#[test]
fn employees_are_admitted_by_exactly_these_rights() {
    let expected: &[(&str, &str)] = &[
        (
            "own",
            "Logout, ListSessions, EndSession, ChangePassword, ChangeEmail, BeginSecondFactor, ConfirmSecondFactor, EndSecondFactor, \
             RenewRecoveryCodes, StepUp, Me, ShowExchangeRate, ListBankAccounts",
        ),
        (
            "",
            "CreateKey, RotateDefaultKey, RotateKey, SetKeyScope, ChangeKey, RevokeKey, MoveBankAccount, \
             SetClientCreditLimit, ShowActivity, ShowEmployeeActivity, ShowWebhookSecret, RotateWebhookSecret, \
             ShowClientWebhookSecret, IssueClientWebhookSecret, RevokeClientWebhookSecret, CloseReview, ListNotices, \
             DismissNotice, SetNoticeSettings, ListAudit, SetProfile, SetLogo, RemoveLogo, ListOwnRates, SetOwnRate, SetRateRule",
        ),
        (
            "integrations:read",
            "ListMyKeys, ShowKey, ShowCreditLimit, ListDeliveries, ListEvents, ShowDelivery, ShowRedelivery, \
             ShowEvidence, ShowProfile, ShowWebhookEndpoint, ShowNoticeSettings",
        ),
        (
            "integrations:write",
            "SetCreditLimit, Redeliver, RedeliverFailed, TestWebhook, CheckReceiver, SetWebhookEndpoint",
        ),
        ("clients:read", "ListClients, ShowClient, ListClientEmployees, ShowClientCreditLimit"),
        (
            "clients:write",
            "CreateClient, ChangeClient, InviteClientEmployee, RenewClientInvitation, ChangeClientEmployee, \
             RemoveClientEmployee",
        ),
        ("statistics:read", "ShowStatistics"),
        ("billing:read", "ShowMyActivity, ShowCredits, ShowPlan"),
        (
            "payments:read",
            "ShowVerification, ListVerifications, ListRefused, ListPayments, ListReceipts, ShowReceipt, \
             NextInvoiceNumber, ListMovements, ReadStatement, ListNotifications",
        ),
        (
            "payments:write",
            "Verify, VoidReceipt, PayOutChange, PayOutChangeOfAccount, AcceptLink, AcceptMovement",
        ),
        ("bank_accounts:read", "ShowAccountSettings"),
        (
            "bank_accounts:write",
            "LinkBankAccount, TrashBankAccount, ChangeBankSecret, SetAccountSettings, RotatePushSecret",
        ),
        ("payment_links:read", "ShowLink, ShowLinkByShortPath, ListLinks, ShowLinkSettings"),
        (
            "payment_links:write",
            "CreateLink, ChangeLink, CancelLink, StopLink, ResumeLink, RejectLink, SetLinkSettings",
        ),
        ("subscriptions:read", "ShowSubscription, ListSubscriptions, ListCycles"),
        (
            "subscriptions:write",
            "MakeSubscription, CancelSubscription, UndoCancellation, PauseSubscription, ResumeSubscription, \
             SetSubscriptionPrice, SetUnpaidPolicy, AdvanceTestClock, RenewCycleLink, WaiveCycle, IssuePayerPage",
        ),
        ("team:read", "ListEmployees"),
        ("team:write", "InviteEmployee, RenewInvitation, ChangeEmployee, RemoveEmployee"),
    ];
    for entry in TABLE.iter().filter(|entry| !matches!(entry.rule, Rule::Public | Rule::Hook)) {
        let named = |names: &str| names.split(", ").any(|name| name == entry.name);
        let (needs, _) = expected.iter().find(|(_, names)| named(names)).expect(entry.name);
        let with = |rights: Rights| entry.rule.check(&Caller::Employee(employee(rights.iter())));
        let checked = |rights| with(rights).map_err(|refusal| refusal.code());
        match Right::parse(needs) {
            Err(_) if *needs == "own" => {
                assert_eq!(checked(Rights::NONE), Ok(()), "{}", entry.name);
            }
            Err(_) => {
                assert_eq!(checked(Rights::ALL), Err(Code::OwnerSessionRequired), "{}", entry.name);
            }
            Ok(right) => {
                assert_eq!(checked([right].into_iter().collect()), Ok(()), "{}", entry.name);
                // Nor do all the others that do not hold it.
                let others = Right::all().filter(|one| !Rights::from_iter([*one]).contains(right));
                assert_eq!(checked(others.collect()), Err(Code::Forbidden), "{}", entry.name);
            }
        }
    }
}

/// Checks what a client's people may do: what everybody may, what is theirs, and on the client's accounts what its keys
/// may.
#[test]
fn a_clients_people_are_admitted_to_exactly_these() {
    let always = "Logout, ListSessions, EndSession, ChangePassword, ChangeEmail, BeginSecondFactor, ConfirmSecondFactor, EndSecondFactor, \
        RenewRecoveryCodes, StepUp, CreateKey, ListMyKeys, ShowKey, Me, ShowExchangeRate, \
        RotateKey, RevokeKey, ShowCreditLimit, ShowClientCreditLimit, ShowMyActivity, ShowStatistics, LinkBankAccount, TrashBankAccount, ChangeBankSecret, \
        RotatePushSecret, ListMovements, ReadStatement, ListNotifications, ListBankAccounts";
    let with_payments = "Verify, ShowVerification, ListVerifications, ListRefused, ListPayments, ListReceipts, ShowReceipt, PayOutChange, PayOutChangeOfAccount, NextInvoiceNumber, CreateLink, \
        ShowLink, ShowLinkByShortPath, ChangeLink, ListLinks, CancelLink, StopLink, ResumeLink, RejectLink, \
        ListDeliveries, ShowDelivery, \
        MakeSubscription, ShowSubscription, ListSubscriptions, ListCycles, CancelSubscription, UndoCancellation, \
        PauseSubscription, ResumeSubscription, SetSubscriptionPrice, SetUnpaidPolicy, AdvanceTestClock, RenewCycleLink, WaiveCycle, \
        IssuePayerPage";
    let never = "ShowWebhookSecret, ListEvents, ShowProfile";
    let named = |names: &str, name: &str| names.split(", ").any(|one| one == name);
    for entry in TABLE.iter().filter(|entry| !matches!(entry.rule, Rule::Public | Rule::Hook)) {
        for payments_enabled in [false, true] {
            let checked = entry.rule.check(&Caller::Client(person(payments_enabled)));
            let checked = checked.map_err(|refusal| refusal.code());
            let right = if named(always, entry.name) {
                Ok(())
            } else if named(with_payments, entry.name) {
                if payments_enabled { Ok(()) } else { Err(Code::Forbidden) }
            } else if named(never, entry.name) {
                Err(Code::Forbidden)
            } else {
                Err(Code::OwnerSessionRequired)
            };
            assert_eq!(checked, right, "{}", entry.name);
        }
    }
}

#[test]
fn pages_are_for_everybody() {
    assert!(PAGES.iter().all(|entry| entry.rule == Rule::Public));
}

#[test]
fn names_of_operations_are_unique() {
    let all: Vec<_> = TABLE.iter().chain(PAGES).collect();
    for (place, entry) in all.iter().enumerate() {
        for other in &all[..place] {
            assert_ne!(entry.name, other.name);
        }
    }
}
