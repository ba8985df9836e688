//! Refusals: what a caller gets instead of what it asked for.
//!
//! A refusal is an answer, not a failure of the service. Callers decide by its code; people read its
//! message, which says what to do.

mod code;
mod fact;
mod lineage;
mod link;
mod movement;
mod plan;
mod problem;
mod second_factor;
mod subscription;
mod team;
mod text;

use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;

pub use code::Code;
pub use fact::{Fact, LimitFacts};
pub use lineage::{IssuedThing, LineageRefusal};
pub use link::LinkRefusal;
pub use movement::MovementRefusal;
pub use problem::Problem;
pub use second_factor::SecondFactorRefusal;
pub use subscription::SubscriptionRefusal;

use crate::ids::{ClientId, VerificationId};
use crate::matching::SameBank;
use crate::money::{Bolivars, Credits};
use crate::permissions::Permission;
use crate::rights::Right;
use crate::time::Timestamp;
use crate::webhooks::Trouble;

/// Defect of the credentials of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadCredentials {
    /// There are none.
    Missing,
    /// `Authorization` is there and not of the form `Bearer <token>`.
    Malformed,
    /// `Authorization` and `appKey` are both there and differ.
    Different,
    /// Nobody is known by them: unknown, revoked and expired ones are answered alike.
    Unknown,
}

/// A field of the request and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Its name in the request.
    pub field: String,
    /// What is wrong with it.
    pub problem: Problem,
}

impl Detail {
    /// The detail that `field` has this `problem`.
    #[must_use]
    pub fn new(field: impl Into<String>, problem: impl Into<Problem>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

/// Every way in which a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The credentials will not do.
    Unauthorized(BadCredentials),
    /// E-mail or password are wrong; which, and whether the account exists, is not said.
    LoginFailed,
    /// Something about a second factor or its codes.
    SecondFactor(SecondFactorRefusal),
    /// The owner was deactivated.
    OwnerNotActive,
    /// The client was deactivated.
    ClientNotActive,
    /// The key was deactivated.
    KeyNotActive,
    /// The key has no permissions at all.
    PermissionsNotConfigured,
    /// The key has others than the one needed.
    PermissionMissing(Permission),
    /// The key is a client's, whose permissions are fixed, and this is none of them.
    ClientPermissionMissing(Permission),
    /// The employee lacks the right that it takes.
    RightMissing(Right),
    /// Somebody may do what the caller may not, or would, so that the caller decides nothing about it.
    Outranked,
    /// The employee was deactivated.
    EmployeeNotActive,
    /// An invitation that never was, was used, or is over: which, is not said.
    InvitationInvalid,
    /// A link for another password that never was, was used, or is over: which, is not said.
    ResetInvalid,
    /// A link for another address that never was, was used, or is over: which, is not said.
    EmailChangeInvalid,
    /// The service sends no mail, and this needs it.
    MailNotConfigured,
    /// The owner has caused as many mails today as it may.
    MailLimit {
        /// How long to wait.
        retry_after: Duration,
    },
    /// The e-mail address is somebody's who signs in with it.
    EmailTaken,
    /// The invitation was accepted, and there is nothing to invite to.
    InvitationAccepted,
    /// Only the owner's session may do it.
    OwnerSessionRequired,
    /// The key has a selection of accounts or a monthly limit, and may not do it for that.
    KeyScopeRestricted,
    /// Not allowed, for no reason that can be said in more detail.
    Forbidden,
    /// The bank account does not exist or is out of the caller's reach.
    UserBankNotFound,
    /// Something else does not exist or is out of reach, by its noun on the wire, such as `api_key`.
    NotFound(&'static str),
    /// Nothing is served at the path.
    RouteNotFound,
    /// Fields that must be corrected.
    Validation(Vec<Detail>),
    /// The request cannot be read; with details, where the place is known.
    BadRequest(Vec<Detail>),
    /// A name that is no right of employees.
    UnknownRight {
        /// The name given.
        given: String,
    },
    /// A name that is not in the catalogue of permissions.
    UnknownPermission {
        /// The name given.
        given: String,
        /// The one that is meant, where an older name is known.
        right: Option<Permission>,
    },
    /// An account of the selection is unknown or not the client's.
    AccountNotInClient,
    /// The limit of a client-bound key is the client's.
    CreditLimitInherited,
    /// The permissions of a client's key are fixed.
    ClientPermissionsFixed,
    /// The default key keeps its permissions and does not end.
    DefaultKeyFixed,
    /// The default key is bound and limited to nothing.
    DefaultKeyScopeFixed,
    /// The key's monthly limit has no room for the charge.
    KeyCreditLimit(LimitFacts),
    /// The client's monthly quota has no room for the charge.
    ClientCreditLimit(LimitFacts),
    /// The owner's plan is not active, and nothing is charged.
    PlanNotActive,
    /// The owner's plan has no room for another charge in the month.
    PlanRequestLimit {
        /// How many the month may have.
        limit: i64,
        /// How many it has, open reservations among them.
        used: i64,
        /// When the month ends.
        resets_at: Timestamp,
        /// How long that is.
        retry_after: Duration,
    },
    /// The owner's balance has no room for the charge.
    NotEnoughCredits {
        /// What is available, unless the caller may not know.
        available: Option<Credits>,
    },
    /// The bank does not show the payment yet.
    PaymentNotFound {
        /// One of the same bank, payer, amount and day, where the caller may know.
        same_bank: Option<SameBank>,
    },
    /// The bank shows the reference with another amount.
    AmountNotValid {
        /// The bank's amount, where the caller typed enough digits to know.
        bank_amount: Option<Bolivars>,
    },
    /// The movement went out.
    NotPositivePayment,
    /// Too few digits of the reference were typed.
    ReferenceTooShort,
    /// Several movements fit.
    ReferenceAmbiguous {
        /// How many last digits distinguish them.
        digits_needed: u32,
    },
    /// Several movements fit, or one that may be another reported differently, and digits do not
    /// distinguish them.
    PaymentContested {
        /// No more than were typed.
        digits_needed: u32,
    },
    /// The bank says that the payment was conciliated before.
    PaymentAlreadyExists,
    /// A movement cannot be accepted as a payment, or not as it was asked.
    Movement(MovementRefusal),
    /// The bank gives no usable answer, and the search is over.
    BankNotAvailable,
    /// The bank has not answered yet, and the search goes on in the background.
    BankSearching {
        /// The verification that goes on.
        verification: VerificationId,
    },
    /// The bank refuses the owner's credentials.
    BankBadPassword,
    /// An idempotency key came again with another body.
    IdempotencyKeyReused,
    /// The same request is still running.
    RequestInProgress,
    /// It was done before, and the answer is not given again.
    Conflict {
        /// The id of what was made.
        id: String,
    },
    /// Somebody else has changed meanwhile what a person wants to change who looked at it before.
    Overtaken {
        /// The fields.
        fields: Vec<String>,
    },
    /// What is to be ended has issued what lives.
    Lineage(LineageRefusal),
    /// The state of the link does not let it be paid or changed.
    Link(LinkRefusal),
    /// The state of the subscription or of its cycle does not let it.
    Subscription(SubscriptionRefusal),
    /// The receipt is void already, for another reason.
    ReceiptIsVoid,
    /// What is owed in bolívares is not known, because no rate of the currency is.
    RateNotAvailable,
    /// The amount is not above zero.
    NotPositiveAmount,
    /// Too many requests from one address.
    TooManyRequests {
        /// How long to wait.
        retry_after: Duration,
    },
    /// Somebody tried to change a password too often.
    PasswordChangeTooFrequent {
        /// How long to wait.
        retry_after: Duration,
    },
    /// The body is too large.
    PayloadTooLarge,
    /// The body is not JSON by its own account.
    UnsupportedMediaType,
    /// The path does not take the method.
    MethodNotSupported,
    /// The account's provider is closed here.
    InvalidBankProvider,
    /// There is no such provider, or it is closed here.
    BankProviderNotOffered {
        /// Those that are open here, by their names on the wire.
        offered: Vec<String>,
    },
    /// Paying change to a payer is nothing that the service does.
    ChangeNotSupported,
    /// The owner has as many bank accounts as it may link.
    BankAccountLimit,
    /// The real account is linked already.
    UserBankAlreadyExists,
    /// The owner has as many keys as it may have.
    KeyLimit {
        /// How many.
        limit: i64,
    },
    /// The owner has as many clients as it may have.
    ClientLimit {
        /// How many.
        limit: i64,
    },
    /// Another client has that name, and documents do not tell the two apart.
    ClientNameTaken(ClientId),
    /// The owner has as many employees as it may have.
    EmployeeLimit {
        /// How many.
        limit: i64,
    },
    /// The account's client has a verification or a link open on it.
    AccountInUse,
    /// Webhooks may not go to that address.
    WebhookUrlNotAllowed(Trouble),
    /// The bank account is disabled.
    UserBankDisabled,
    /// The bank does not offer that type of movement.
    MovementTypeInvalid,
    /// Too much work is waiting.
    ServiceUnavailable,
    /// Nothing can be kept: the disk is full.
    NoRoom,
    /// The rights of the caller have changed since it was admitted. The same request is admitted anew.
    ReachChanged,
}

impl Refusal {
    /// That `field` has this `problem`, and nothing else is wrong.
    #[must_use]
    pub fn invalid(field: impl Into<String>, problem: impl Into<Problem>) -> Self {
        Self::Validation(vec![Detail::new(field, problem)])
    }

    /// The code that callers decide by.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Unauthorized(_) | Self::LoginFailed => Code::Unauthorized,
            Self::SecondFactor(refusal) => refusal.code(),
            Self::OwnerNotActive | Self::EmployeeNotActive => Code::UserIsNotActive,
            Self::ClientNotActive => Code::ClientIsNotActive,
            Self::KeyNotActive => Code::ApiKeyIsNotActive,
            Self::PermissionsNotConfigured => Code::PermissionsNotConfigured,
            Self::PermissionMissing(_) | Self::ClientPermissionMissing(_) => Code::Forbidden,
            Self::RightMissing(_) | Self::Outranked | Self::Forbidden => Code::Forbidden,
            Self::OwnerSessionRequired => Code::OwnerSessionRequired,
            Self::KeyScopeRestricted => Code::KeyScopeRestricted,
            Self::UserBankNotFound | Self::NotFound(_) | Self::RouteNotFound => Code::NotFound,
            Self::InvitationInvalid | Self::ResetInvalid => Code::NotFound,
            Self::EmailChangeInvalid => Code::NotFound,
            Self::EmailTaken | Self::InvitationAccepted | Self::MailNotConfigured => Code::Conflict,
            Self::AccountInUse | Self::ReceiptIsVoid | Self::Link(_) => Code::Conflict,
            Self::ClientNameTaken(_) => Code::Conflict,
            Self::Validation(_)
            | Self::KeyLimit { .. }
            | Self::ClientLimit { .. }
            | Self::EmployeeLimit { .. } => Code::ValidationError,
            Self::BadRequest(_) => Code::BadRequest,
            Self::UnknownPermission { .. } | Self::UnknownRight { .. } => Code::UnknownPermission,
            Self::AccountNotInClient => Code::AccountNotInClient,
            Self::CreditLimitInherited => Code::CreditLimitInherited,
            Self::ClientPermissionsFixed => Code::ClientPermissionsFixed,
            Self::DefaultKeyFixed => Code::DefaultKeyFixed,
            Self::DefaultKeyScopeFixed => Code::DefaultKeyScopeFixed,
            Self::KeyCreditLimit(_) => Code::ApiKeyMonthlyCreditLimitExceeded,
            Self::ClientCreditLimit(_) => Code::ClientMonthlyCreditLimitExceeded,
            Self::PlanNotActive => Code::PlanIsNotActive,
            Self::NotEnoughCredits { .. } => Code::NotEnoughCredits,
            Self::PaymentNotFound { .. } => Code::PaymentNotFound,
            Self::AmountNotValid { .. } => Code::PaymentAmountNotValid,
            Self::NotPositivePayment => Code::IsNotPositivePayment,
            Self::ReferenceTooShort => Code::PaymentReferenceTooShort,
            Self::ReferenceAmbiguous { .. } | Self::PaymentContested { .. } => {
                Code::PaymentReferenceAmbiguous
            }
            Self::PaymentAlreadyExists => Code::PaymentAlreadyExists,
            Self::Movement(refusal) => refusal.code(),
            Self::BankNotAvailable | Self::BankSearching { .. } => Code::BankNotAvailable,
            Self::BankBadPassword => Code::UserBanckBadPassword,
            Self::IdempotencyKeyReused => Code::IdempotencyKeyReused,
            Self::RequestInProgress => Code::RequestInProgress,
            Self::Conflict { .. } | Self::Overtaken { .. } | Self::Lineage(_) => Code::Conflict,
            Self::Subscription(refusal) => refusal.code(),
            Self::RateNotAvailable => Code::RateNotAvailable,
            Self::NotPositiveAmount => Code::IsNotPositiveAmount,
            Self::PlanRequestLimit { .. }
            | Self::TooManyRequests { .. }
            | Self::MailLimit { .. } => Code::RequestLimitReached,
            Self::PasswordChangeTooFrequent { .. } => Code::PasswordChangeTryTooFrequent,
            Self::PayloadTooLarge => Code::PayloadTooLarge,
            Self::UnsupportedMediaType => Code::UnsupportedMediaType,
            Self::MethodNotSupported => Code::MethodNotSupport,
            Self::InvalidBankProvider => Code::InvalidBankProvider,
            Self::BankProviderNotOffered { .. } => Code::InvalidBankProvider,
            Self::ChangeNotSupported => Code::C2pNotSupported,
            Self::BankAccountLimit => Code::BankAccountLimitReached,
            Self::UserBankAlreadyExists => Code::UserBankAlreadyExists,
            Self::WebhookUrlNotAllowed(_) => Code::WebhookUrlNotAllowed,
            Self::UserBankDisabled => Code::UserBankIsDisabled,
            Self::MovementTypeInvalid => Code::InvalidMovementType,
            Self::ServiceUnavailable | Self::NoRoom | Self::ReachChanged => {
                Code::ServiceUnavailable
            }
        }
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.code().status()
    }

    /// The facts for machines, by their names on the wire.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, Fact)> {
        match self {
            Self::KeyCreditLimit(facts) | Self::ClientCreditLimit(facts) => vec![
                ("limit", Fact::Int(facts.limit.get())),
                ("used", Fact::Int(facts.used.get())),
                ("remaining", Fact::Int(facts.remaining.get())),
                ("resets_at", Fact::Time(facts.resets_at)),
            ],
            Self::PlanRequestLimit { limit, used, resets_at, .. } => vec![
                ("limit", Fact::Int(*limit)),
                ("used", Fact::Int(*used)),
                ("remaining", Fact::Int(0)),
                ("resets_at", Fact::Time(*resets_at)),
            ],
            Self::NotEnoughCredits { available: Some(available) } => {
                vec![("available", Fact::Int(available.get()))]
            }
            Self::AmountNotValid { bank_amount: Some(amount) } => {
                vec![("bank_amount", Fact::Amount(*amount))]
            }
            Self::ReferenceAmbiguous { digits_needed } => {
                vec![("digits_needed", Fact::Int(i64::from(*digits_needed)))]
            }
            Self::PaymentContested { digits_needed } => vec![
                ("digits_needed", Fact::Int(i64::from(*digits_needed))),
                ("contested", Fact::Bool(true)),
            ],
            Self::PaymentNotFound { same_bank: Some(of) } => vec![(of.fact(), Fact::Bool(true))],
            Self::BankSearching { verification: id } => {
                vec![("verification_id", Fact::Id(id.to_string()))]
            }
            Self::Conflict { id } => vec![("id", Fact::Id(id.clone()))],
            Self::Lineage(refusal) => refusal.facts(),
            Self::Movement(refusal) => refusal.facts(),
            Self::ClientNameTaken(client) => vec![("client_id", Fact::Id(client.to_string()))],
            Self::KeyLimit { limit }
            | Self::ClientLimit { limit }
            | Self::EmployeeLimit { limit } => {
                vec![("limit", Fact::Int(*limit))]
            }
            Self::UnknownPermission { right: Some(right), .. } => {
                vec![("permission", Fact::Text(right.as_str().to_owned()))]
            }
            _ => Vec::new(),
        }
    }

    /// The fields that must be corrected.
    #[must_use]
    pub fn details(&self) -> &[Detail] {
        static TOO_FEW_DIGITS: LazyLock<[Detail; 1]> =
            LazyLock::new(|| [Detail::new("bank_reference", Problem::TOO_FEW_DIGITS)]);
        match self {
            Self::Validation(details) | Self::BadRequest(details) => details,
            Self::ReferenceTooShort => &*TOO_FEW_DIGITS,
            _ => &[],
        }
    }

    /// How long to wait before the same request can do better, for `Retry-After`.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::TooManyRequests { retry_after }
            | Self::PlanRequestLimit { retry_after, .. }
            | Self::MailLimit { retry_after }
            | Self::PasswordChangeTooFrequent { retry_after } => Some(*retry_after),
            Self::ServiceUnavailable | Self::RequestInProgress => Some(Duration::from_secs(1)),
            Self::ReachChanged => Some(Duration::ZERO),
            Self::BankNotAvailable | Self::BankSearching { .. } => Some(Duration::from_secs(5)),
            _ => None,
        }
    }
}

impl fmt::Display for Refusal {
    /// The code, which is what logs show.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code().as_str())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
#[path = "refusal/tests.rs"]
mod tests;
