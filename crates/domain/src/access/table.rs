//! The table of operations: each once, with who may call it. Its route is where it is served.

use std::fmt;

use super::Rule;
use crate::permissions::Permission;

/// An operation of the API, as a type.
pub trait Operation: fmt::Debug + Clone + Copy + Send + Sync + 'static {
    /// Its name: in logs, in metrics and beside idempotency keys. It never changes.
    const NAME: &'static str;
    /// Who may call it.
    const RULE: Rule;
    /// Whether people reach it by a page.
    const IS_PAGE: bool;
}

/// An operation that nobody without credentials may call.
pub trait Guarded: Operation {}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The operation's name.
    pub name: &'static str,
    /// Who may call it.
    pub rule: Rule,
}

impl Entry {
    const fn of<O: Operation>() -> Self {
        Self { name: O::NAME, rule: O::RULE }
    }

    const fn guarded<O: Guarded>() -> Self {
        let is_open = matches!(O::RULE, Rule::Public | Rule::Hook);
        assert!(!is_open, "a guarded operation cannot be open");
        Self::of::<O>()
    }
}

macro_rules! operation {
    ($(#[$doc:meta])* $name:ident $rule:expr, $is_page:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Operation for $name {
            const NAME: &'static str = stringify!($name);
            const RULE: Rule = $rule;
            const IS_PAGE: bool = $is_page;
        }
    };
}

macro_rules! operations {
    (
        public { $($(#[$open_doc:meta])* $open:ident;)+ }
        hooks { $($(#[$hook_doc:meta])* $hook:ident;)+ }
        guarded { $($(#[$doc:meta])* $name:ident: $rule:expr;)+ }
        pages { $($(#[$page_doc:meta])* $page:ident;)+ }
    ) => {
        $(operation!($(#[$open_doc])* $open Rule::Public, false);)+
        $(operation!($(#[$hook_doc])* $hook Rule::Hook, false);)+
        $(operation!($(#[$doc])* $name $rule, false);)+
        $(impl Guarded for $name {})+
        $(operation!($(#[$page_doc])* $page Rule::Public, true);)+

        /// Every operation of the API. What is not in it is not served.
        pub static TABLE: &[Entry] =
            &[$(Entry::of::<$open>(),)+ $(Entry::of::<$hook>(),)+ $(Entry::guarded::<$name>(),)+];

        /// Every operation that people reach by a page, whoever they are.
        pub static PAGES: &[Entry] = &[$(Entry::of::<$page>(),)+];
    };
}

operations! {
    public {
        /// Opens a session by e-mail and password.
        Login;
        /// Lists the banks that accounts can be linked at.
        ListPlatforms;
        /// Changes a session's refresh token for the next one, and for a session token.
        RefreshSession;
        /// Shows the OpenAPI document of the API.
        ShowApiDocument;
    }
    hooks {
        /// Takes a notice of a payment from a bank.
        TakeBankNotice;
    }
    guarded {
        /// Ends the session that calls.
        Logout: Rule::OwnerSession;
        /// Lists the sessions that are open.
        ListSessions: Rule::OwnerSession;
        /// Ends a session.
        EndSession: Rule::OwnerSession;
        /// Issues a key.
        CreateKey: Rule::Issuing;
        /// Lists the keys that the caller sees.
        ListMyKeys: Rule::Listing;
        /// Shows one key that the caller sees.
        ShowKey: Rule::Listing;
        /// Tells the caller who it is.
        Me: Rule::Anyone;
        /// Gives the default key a new text.
        RotateDefaultKey: Rule::OwnerSession;
        /// Gives a key a new text.
        RotateKey: Rule::OwnerSession;
        /// Replaces the client and the accounts that a key is bound and limited to.
        SetKeyScope: Rule::OwnerSession;
        /// Changes a key's name, its permissions, its end, and whether it is switched on.
        ChangeKey: Rule::OwnerSession;
        /// Revokes a key for good.
        RevokeKey: Rule::OwnerSession;
        /// Shows a key's limit and its use in a month.
        ShowCreditLimit: Rule::OwnerSession;
        /// Sets a standalone key's limit.
        SetCreditLimit: Rule::OwnerSession;
        /// Makes a client.
        CreateClient: Rule::OwnerSession;
        /// Lists the owner's clients.
        ListClients: Rule::OwnerSession;
        /// Shows a client.
        ShowClient: Rule::OwnerSession;
        /// Changes a client's facts, whether it may verify payments, and whether it may use the service.
        ChangeClient: Rule::OwnerSession;
        /// Gives a bank account to a client, or takes it back.
        MoveBankAccount: Rule::OwnerSession;
        /// Sets the quota that the keys of a client share.
        SetClientCreditLimit: Rule::OwnerSession;
        /// Shows what a key did and was charged in a month.
        ShowActivity: Rule::OwnerSession;
        /// Shows what the caller's own sessions did and were charged in a month.
        ShowMyActivity: Rule::OwnerSession;
        /// Verifies a payment.
        Verify: Rule::Permission(Permission::PaymentVerifications);
        /// Shows a verification.
        ShowVerification: Rule::Permission(Permission::PaymentVerifications);
        /// Would pay change to a payer, which the service does not do.
        PayOutChange: Rule::Permission(Permission::PaymentVerifications);
        /// The same by its other path.
        PayOutChangeOfAccount: Rule::Permission(Permission::PaymentVerifications);
        /// Would tell the next invoice of an account's change.
        NextInvoiceNumber: Rule::Permission(Permission::PaymentVerifications);
        /// Links a bank account.
        LinkBankAccount: Rule::Unlimited(Permission::BankAccountsManage);
        /// Puts a bank account into the trash.
        TrashBankAccount: Rule::Unlimited(Permission::BankAccountsManage);
        /// Changes the key, password or token that a bank account is reached with.
        ChangeBankSecret: Rule::Unlimited(Permission::BankAccountsManage);
        /// Shows what the owner has chosen for a bank account.
        ShowAccountSettings: Rule::OwnerSession;
        /// Chooses how payments to a bank account may be confirmed.
        SetAccountSettings: Rule::OwnerSession;
        /// Tells what the owner's webhooks are signed with.
        ShowWebhookSecret: Rule::Permission(Permission::Integrations);
        /// Gives the owner's webhooks another secret.
        RotateWebhookSecret: Rule::OwnerSession;
        /// Gives a bank account another secret for the bank's notices.
        RotatePushSecret: Rule::Unlimited(Permission::BankAccountsManage);
        /// Lists what a bank has shown of an account.
        ListMovements: Rule::Permission(Permission::Movements);
        /// Lists what banks have told of payments by themselves.
        ListNotifications: Rule::Permission(Permission::Notifications);
        /// Lists what the owner was told of what went wrong.
        ListNotices: Rule::OwnerSession;
        /// Lists who changed what.
        ListAudit: Rule::OwnerSession;
        /// Lists what was told to the owner's systems, and what came of it.
        ListDeliveries: Rule::Unlimited(Permission::Integrations);
        /// Tells an owner's systems again what happened, from any place on, for those that missed it.
        ListEvents: Rule::Unlimited(Permission::Integrations);
        /// Shows a delivery of a webhook with every attempt.
        ShowDelivery: Rule::Unlimited(Permission::Integrations);
        /// Sends a webhook again.
        Redeliver: Rule::OwnerSession;
        /// Sends every webhook again that has failed since an instant.
        RedeliverFailed: Rule::OwnerSession;
        /// Shows how far that has come.
        ShowRedelivery: Rule::OwnerSession;
        /// Tries a receiver out.
        TestWebhook: Rule::OwnerSession;
        /// Grades how a receiver keeps the rules that receivers are told.
        CheckReceiver: Rule::OwnerSession;
        /// Hands out everything that proves how an event was delivered.
        ShowEvidence: Rule::OwnerSession;
        /// Lists the bank accounts that the caller reaches.
        ListBankAccounts: Rule::Anyone;
        /// Makes a payment link.
        CreateLink: Rule::Permission(Permission::PaymentLinks);
        /// Shows a payment link.
        ShowLink: Rule::Permission(Permission::PaymentLinks);
        /// Changes what a payment link asks for.
        ChangeLink: Rule::Permission(Permission::PaymentLinks);
        /// Lists payment links.
        ListLinks: Rule::Permission(Permission::PaymentLinks);
        /// Calls a payment link off.
        CancelLink: Rule::Permission(Permission::PaymentLinks);
        /// Lets no payer begin to pay a payment link.
        StopLink: Rule::Permission(Permission::PaymentLinks);
        /// Lets payers pay a payment link again.
        ResumeLink: Rule::Permission(Permission::PaymentLinks);
        /// Ends a payment link as failed.
        RejectLink: Rule::Permission(Permission::PaymentLinks);
        /// Pays a payment link with a movement that a person has chosen.
        AcceptLink: Rule::OwnerSession;
        /// Shows what the owner has chosen for its payment links.
        ShowLinkSettings: Rule::OwnerSession;
        /// Sets what the owner chooses for its payment links.
        SetLinkSettings: Rule::OwnerSession;
        /// Shows what payers are told of the owner.
        ShowProfile: Rule::Unlimited(Permission::Integrations);
        /// Sets what payers are told of the owner.
        SetProfile: Rule::OwnerSession;
        /// Shows where the owner's systems are told of its credits.
        ShowWebhookEndpoint: Rule::OwnerSession;
        /// Sets where the owner's systems are told of its credits.
        SetWebhookEndpoint: Rule::OwnerSession;
    }
    pages {
        /// Shows a payer what a link asks for and how it stands.
        ViewLink;
        /// Takes the reference of a payer's payment.
        PayLink;
    }
}
