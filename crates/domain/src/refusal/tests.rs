use std::collections::{BTreeMap, HashSet};

use super::*;
use crate::ids::PaymentId;
use crate::language::Language;
use crate::links::Status;
use crate::matching::SameBank;
use crate::review::ReviewWindow;
use crate::rights::{Area, Right};

/// One of every variant, and of every form that its text or its facts take.
fn samples() -> Vec<Refusal> {
    let facts = LimitFacts {
        limit: Credits::new(37),
        used: Credits::new(36),
        remaining: Credits::new(1),
        resets_at: Timestamp::from_micros(1_796_097_600_000_000),
    };
    let details = vec![
        Detail::new("amount", ("es grande", "is large")),
        Detail::new("fecha_pago", Problem::REQUIRED),
    ];
    let issued = IssuedThing { kind: "api_key", id: "key_1".into(), name: "caja".into() };
    let credentials = [
        BadCredentials::Missing,
        BadCredentials::Malformed,
        BadCredentials::Different,
        BadCredentials::Unknown,
    ];
    let mut samples: Vec<_> = credentials.into_iter().map(Refusal::Unauthorized).collect();
    samples.extend([
        Refusal::LoginFailed,
        Refusal::SecondFactor(SecondFactorRefusal::Required),
        Refusal::SecondFactor(SecondFactorRefusal::CodeWrong),
        Refusal::SecondFactor(SecondFactorRefusal::StepUpRequired),
        Refusal::SecondFactor(SecondFactorRefusal::Active),
        Refusal::SecondFactor(SecondFactorRefusal::Absent),
        Refusal::SecondFactor(SecondFactorRefusal::NotBegun),
        Refusal::OwnerNotActive,
        Refusal::ClientNotActive,
        Refusal::KeyNotActive,
        Refusal::PermissionsNotConfigured,
        Refusal::PermissionMissing(Permission::PaymentLinks),
        Refusal::ClientPermissionMissing(Permission::PaymentLinks),
        Refusal::ClientPermissionMissing(Permission::Statistics),
        Refusal::OwnerSessionRequired,
        Refusal::KeyScopeRestricted,
        Refusal::Forbidden,
        Refusal::UserBankNotFound,
        Refusal::NotFound("api_key"),
        Refusal::RouteNotFound,
        Refusal::Validation(details.clone()),
        Refusal::BadRequest(details),
        Refusal::BadRequest(Vec::new()),
        Permission::parse("verify_payments").unwrap_err().into(),
        Permission::parse("everything").unwrap_err().into(),
        Refusal::AccountNotInClient,
        Refusal::CreditLimitInherited,
        Refusal::ClientPermissionsFixed,
        Refusal::DefaultKeyFixed,
        Refusal::DefaultKeyScopeFixed,
        Refusal::KeyCreditLimit(facts),
        Refusal::ClientCreditLimit(facts),
        Refusal::PlanNotActive,
        Refusal::PlanRequestLimit {
            limit: 1_000,
            used: 1_000,
            resets_at: Timestamp::from_micros(0),
            retry_after: Duration::from_secs(60),
        },
        Refusal::NotEnoughCredits { available: None },
        Refusal::NotEnoughCredits { available: Some(Credits::ZERO) },
        Refusal::PaymentNotFound { same_bank: None },
        Refusal::PaymentNotFound { same_bank: Some(SameBank::Unclaimed) },
        Refusal::PaymentNotFound { same_bank: Some(SameBank::Claimed) },
        Refusal::AmountNotValid { bank_amount: None },
        Refusal::AmountNotValid { bank_amount: Some(Bolivars::from_hundredths(15_075)) },
        Refusal::NotPositivePayment,
        Refusal::ReferenceTooShort,
        Refusal::ReferenceAmbiguous { digits_needed: 8 },
        Refusal::PaymentContested { digits_needed: 8 },
        Refusal::PaymentAlreadyExists,
        Refusal::BankNotAvailable,
        Refusal::BankSearching { verification: VerificationId::from_bytes([1; 16]) },
        Refusal::BankBadPassword,
        Refusal::IdempotencyKeyReused,
        Refusal::RequestInProgress,
        Refusal::Conflict { id: "key_1".into() },
        Refusal::Overtaken { fields: vec!["name".to_owned()] },
        Refusal::Link(LinkRefusal::Closed),
        Refusal::Link(LinkRefusal::TakesNoPayment(Status::Stopped)),
        Refusal::Link(LinkRefusal::TakesNoPayment(Status::Failed)),
        Refusal::Link(LinkRefusal::TakesNoPayment(Status::Paid)),
        Refusal::Link(LinkRefusal::TakesNoPayment(Status::Expired)),
        Refusal::Subscription(SubscriptionRefusal::CycleIsPaid),
        Refusal::Subscription(SubscriptionRefusal::Ended),
        Refusal::Subscription(SubscriptionRefusal::NotBegun),
        Refusal::Subscription(SubscriptionRefusal::CycleIsClosed),
        Refusal::Subscription(SubscriptionRefusal::NotATest),
        Refusal::Subscription(SubscriptionRefusal::CanceledByPayer),
        Refusal::Subscription(SubscriptionRefusal::EndsUnpaid),
        Refusal::Subscription(SubscriptionRefusal::TooManyCalendars),
        Refusal::RateNotAvailable,
        Refusal::Link(LinkRefusal::Changed),
        Refusal::Movement(MovementRefusal::FirstReportTaken),
        Refusal::Movement(MovementRefusal::RivalAccepted(PaymentId::from_bytes([1; 16]))),
        Refusal::Movement(MovementRefusal::NeedsReview(ReviewWindow {
            since: Timestamp::from_micros(0),
            until: Timestamp::from_micros(1),
        })),
        Refusal::Link(LinkRefusal::OtherReceipt),
        Refusal::ReceiptIsVoid,
        Refusal::NotPositiveAmount,
        Refusal::TooManyRequests { retry_after: Duration::from_millis(1_500) },
        Refusal::PasswordChangeTooFrequent { retry_after: Duration::from_secs(180) },
        Refusal::PayloadTooLarge,
        Refusal::UnsupportedMediaType,
        Refusal::MethodNotSupported,
        Refusal::InvalidBankProvider,
        Refusal::BankProviderNotOffered { offered: vec!["BANK_TEST".to_owned()] },
        Refusal::BankProviderNotOffered { offered: Vec::new() },
        Refusal::ChangeNotSupported,
        Refusal::BankAccountLimit,
        Refusal::UserBankAlreadyExists,
        Refusal::KeyLimit { limit: 1_000 },
        Refusal::ClientLimit { limit: 10_000 },
        Refusal::ClientNameTaken(ClientId::from_bytes([1; 16])),
        Refusal::EmployeeLimit { limit: 500 },
        Refusal::RightMissing(Area::Team.write()),
        Right::parse("everything").unwrap_err().into(),
        Refusal::Outranked,
        Refusal::EmployeeNotActive,
        Refusal::InvitationInvalid,
        Refusal::ResetInvalid,
        Refusal::EmailChangeInvalid,
        Refusal::MailNotConfigured,
        Refusal::MailLimit { retry_after: Duration::from_secs(3_600) },
        Refusal::InvitationAccepted,
        Refusal::EmailTaken,
        Refusal::AccountInUse,
        Refusal::WebhookUrlNotAllowed(Trouble::Forbidden(crate::webhooks::Zone::Private)),
        Refusal::UserBankDisabled,
        Refusal::MovementTypeInvalid,
        Refusal::ServiceUnavailable,
        Refusal::NoRoom,
        Refusal::ReachChanged,
        Refusal::Lineage(LineageRefusal::Lives { issued: vec![issued], total: 1 }),
        Refusal::Lineage(LineageRefusal::Lives { issued: Vec::new(), total: 1 }),
        Refusal::Lineage(LineageRefusal::TooMany { limit: 1_000 }),
    ]);
    samples
}

#[test]
fn every_code_has_a_name_a_status_and_a_text_in_both_languages() {
    let mut names = HashSet::new();
    for code in Code::ALL {
        let name = code.as_str();
        assert!(names.insert(name), "{name} comes twice");
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        );
        assert_eq!(Code::parse(name), Some(*code));
        for language in Language::ALL {
            assert!(code.meaning(language).ends_with('.'), "{name}");
        }
        assert_ne!(code.meaning(Language::Es), code.meaning(Language::En), "{name}");
    }
    assert_eq!(Code::parse("unauthorized"), None);
}

#[test]
fn the_list_of_codes_is_the_agreed_one() {
    let mut by_status = BTreeMap::<u16, Vec<&str>>::new();
    for code in Code::ALL {
        by_status.entry(code.status()).or_default().push(code.as_str());
    }
    let list: Vec<_> =
        by_status.iter().map(|(status, names)| format!("{status} {}", names.join(" "))).collect();
    let agreed = [
        "400 BAD_REQUEST VALIDATION_ERROR PAYMENT_AMOUNT_NOT_VALID PAYMENT_REFERENCE_TOO_SHORT MOVEMENT_TYPE_REQUIRED \
         INVALID_MOVEMENT_TYPE IS_NOT_POSITIVE_PAYMENT IS_NOT_POSITIVE_AMOUNT UNKNOWN_PERMISSION \
         ACCOUNT_NOT_IN_CLIENT WEBHOOK_URL_NOT_ALLOWED INVALID_PHONE INVALID_BANK_PROVIDER \
         C2P_NOT_SUPPORTED USER_BANCK_BAD_PASSWORD USER_BANCK_PASSWORD_EXPIRED USER_BANCK_BLOCKED \
         USER_BANK_IS_DISABLED",
        "401 UNAUTHORIZED SECOND_FACTOR_REQUIRED",
        "402 NOT_ENOUGH_CREDITS",
        "403 FORBIDDEN STEP_UP_REQUIRED USER_IS_NOT_ACTIVE CLIENT_IS_NOT_ACTIVE PLAN_IS_NOT_ACTIVE \
         API_KEY_IS_NOT_ACTIVE OWNER_SESSION_REQUIRED DEFAULT_KEY_SCOPE_FIXED \
         KEY_SCOPE_RESTRICTED PERMISSIONS_NOT_CONFIGURED BANK_ACCOUNT_LIMIT_REACHED \
         API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED",
        "404 NOT_FOUND PAYMENT_NOT_FOUND",
        "405 METHOD_NOT_SUPPORT",
        "409 CONFLICT CREDIT_LIMIT_INHERITED CLIENT_PERMISSIONS_FIXED DEFAULT_KEY_FIXED \
         PAYMENT_REFERENCE_AMBIGUOUS PAYMENT_ALREADY_EXISTS PAYMENT_NEEDS_REVIEW RATE_NOT_AVAILABLE \
         RENOVATION_IS_ALREADY_PAID REQUEST_IN_PROGRESS USER_BANK_ALREADY_EXISTS",
        "413 PAYLOAD_TOO_LARGE",
        "415 UNSUPPORTED_MEDIA_TYPE",
        "422 IDEMPOTENCY_KEY_REUSED",
        "429 REQUEST_LIMIT_REACHED BANK_TOO_MANY_REQUESTS PASSWORD_CHANGE_TRY_TOO_FREQUENT",
        "500 INTERNAL_SERVER_ERROR",
        "503 BANK_NOT_AVAILABLE SERVICE_UNAVAILABLE",
    ];
    assert_eq!(list, agreed);
}

#[test]
fn every_refusal_has_a_text_of_its_own_in_both_languages() {
    for refusal in samples() {
        let (es, en) = (refusal.message(Language::Es), refusal.message(Language::En));
        assert!(es.ends_with('.') && en.ends_with('.'), "{refusal}: {es} {en}");
        assert_ne!(es, en, "{refusal}");
        assert_eq!(refusal.status(), refusal.code().status());
        assert!(refusal.status() < 500 || refusal.status() == 503, "{refusal}");
    }
}

#[test]
fn the_phrases_that_clients_match_come_first_in_every_language() {
    for (refusal, phrase) in [
        (Refusal::UserBankNotFound, "user_bank not found"),
        (Refusal::MovementTypeInvalid, "movement_type is not available for this bank"),
        (Refusal::AmountNotValid { bank_amount: None }, "payment amount not valid"),
        (Refusal::PaymentNotFound { same_bank: None }, "payment not found"),
        (Refusal::TooManyRequests { retry_after: Duration::from_secs(9) }, "too many requests"),
    ] {
        for language in Language::ALL {
            assert!(refusal.message(language).starts_with(phrase), "{phrase}");
            let meaning = refusal.code().meaning(language);
            assert!(
                refusal == Refusal::UserBankNotFound || meaning.starts_with(phrase),
                "{phrase}"
            );
        }
    }
}

#[test]
fn texts_say_what_to_do() {
    let message = |refusal: &Refusal| refusal.message(Language::En);
    for (refusal, expected) in [
        (Permission::parse("generate_pay_link").unwrap_err().into(), "Use payment_links."),
        (
            Permission::parse("everything").unwrap_err().into(),
            "There are: payment_verifications, payment_links, subscriptions, bank_accounts_manage, \
             movements, notifications, statistics, integrations, api_keys.",
        ),
        (Refusal::ClientPermissionMissing(Permission::PaymentLinks), "The owner enables them"),
        (Refusal::ClientPermissionMissing(Permission::Statistics), "cannot have"),
        (Refusal::RouteNotFound, "Check the path"),
        (Refusal::RightMissing(Area::Payments.write()), "payments:write"),
        (Right::parse("everything").unwrap_err().into(), "There are: integrations:read, "),
        (Refusal::NoRoom, "disk is full"),
        (Refusal::ReachChanged, "again"),
        (Refusal::PermissionMissing(Permission::ApiKeys), "api_keys"),
        (Refusal::Conflict { id: "key_1".into() }, "key_1"),
        (Refusal::TooManyRequests { retry_after: Duration::from_millis(1_500) }, "2 s"),
        (Refusal::ReferenceAmbiguous { digits_needed: 8 }, "8"),
        (
            Refusal::Validation(vec![Detail::new("a", ("x", "x")), Detail::new("b", ("y", "y"))]),
            "Fields: a, b.",
        ),
        (Refusal::PaymentNotFound { same_bank: None }, "may still appear"),
    ] {
        assert!(message(&refusal).contains(expected), "{}", message(&refusal));
    }
    let limit = samples().into_iter().find(|sample| matches!(sample, Refusal::KeyCreditLimit(_)));
    let limit = message(&limit.unwrap());
    assert!(limit.contains("36 of 37") && limit.contains("2026-12-01"), "{limit}");
}

#[test]
fn facts_have_their_names_on_the_wire() {
    let names: Vec<_> = samples()
        .iter()
        .filter(|sample| !sample.facts().is_empty())
        .map(|sample| {
            let names: Vec<_> = sample.facts().into_iter().map(|(name, _)| name).collect();
            format!("{sample} {}", names.join(" "))
        })
        .collect();
    let agreed = [
        "UNKNOWN_PERMISSION permission",
        "API_KEY_MONTHLY_CREDIT_LIMIT_EXCEEDED limit used remaining resets_at",
        "CLIENT_MONTHLY_CREDIT_LIMIT_EXCEEDED limit used remaining resets_at",
        "REQUEST_LIMIT_REACHED limit used remaining resets_at",
        "NOT_ENOUGH_CREDITS available",
        "PAYMENT_NOT_FOUND same_bank",
        "PAYMENT_NOT_FOUND same_bank_claimed",
        "PAYMENT_AMOUNT_NOT_VALID bank_amount",
        "PAYMENT_REFERENCE_AMBIGUOUS digits_needed",
        "PAYMENT_REFERENCE_AMBIGUOUS digits_needed contested",
        "BANK_NOT_AVAILABLE verification_id",
        "CONFLICT id",
        "PAYMENT_ALREADY_EXISTS user_bank_payment_id",
        "PAYMENT_NEEDS_REVIEW since until",
        "VALIDATION_ERROR limit",
        "VALIDATION_ERROR limit",
        "CONFLICT client_id",
        "VALIDATION_ERROR limit",
        "CONFLICT issued total",
        "CONFLICT issued total",
        "CONFLICT limit",
    ];
    assert_eq!(names, agreed);
    let amount = Bolivars::from_hundredths(15_075);
    let refusal = Refusal::AmountNotValid { bank_amount: Some(amount) };
    assert_eq!(refusal.facts(), [("bank_amount", Fact::Amount(amount))]);
}

#[test]
fn unknown_credentials_reveal_nothing_of_what_is_known() {
    // Revoked, expired and made-up keys have one variant, so that there is no other text to give.
    for language in Language::ALL {
        let text = Refusal::Unauthorized(BadCredentials::Unknown).message(language);
        assert!(!text.contains("venc") && !text.contains("expired"));
    }
    assert_eq!(Refusal::LoginFailed.code(), Code::Unauthorized);
}
