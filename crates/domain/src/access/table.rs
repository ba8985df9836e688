//! The table of operations: each once, with its method, its path and who may call it.

use std::fmt;

use super::Rule;
use crate::permissions::Permission;

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Reads.
    Get,
    /// Makes or does.
    Post,
    /// Replaces.
    Put,
    /// Changes in part.
    Patch,
    /// Ends.
    Delete,
}

impl Method {
    /// Its name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An operation of the API, as a type.
pub trait Operation: fmt::Debug + Clone + Copy + Send + Sync + 'static {
    /// Its name: in logs, in metrics and beside idempotency keys. It never changes.
    const NAME: &'static str;
    /// Its method.
    const METHOD: Method;
    /// Its path, with placeholders in braces.
    const PATH: &'static str;
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
    /// Its method.
    pub method: Method,
    /// Its path.
    pub path: &'static str,
    /// Who may call it.
    pub rule: Rule,
}

impl Entry {
    const fn of<O: Operation>() -> Self {
        Self { name: O::NAME, method: O::METHOD, path: O::PATH, rule: O::RULE }
    }

    const fn guarded<O: Guarded>() -> Self {
        let is_open = matches!(O::RULE, Rule::Public | Rule::Hook);
        assert!(!is_open, "a guarded operation cannot be open");
        Self::of::<O>()
    }
}

macro_rules! operation {
    ($(#[$doc:meta])* $name:ident $method:ident $path:literal $rule:expr, $is_page:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Operation for $name {
            const NAME: &'static str = stringify!($name);
            const METHOD: Method = Method::$method;
            const PATH: &'static str = $path;
            const RULE: Rule = $rule;
            const IS_PAGE: bool = $is_page;
        }
    };
}

macro_rules! operations {
    (
        public { $($(#[$open_doc:meta])* $open:ident: $open_method:ident $open_path:literal;)+ }
        hooks { $($(#[$hook_doc:meta])* $hook:ident: $hook_method:ident $hook_path:literal;)+ }
        guarded { $($(#[$doc:meta])* $name:ident: $method:ident $path:literal, $rule:expr;)+ }
        pages { $($(#[$page_doc:meta])* $page:ident: $page_method:ident $page_path:literal;)+ }
    ) => {
        $(operation!($(#[$open_doc])* $open $open_method $open_path Rule::Public, false);)+
        $(operation!($(#[$hook_doc])* $hook $hook_method $hook_path Rule::Hook, false);)+
        $(operation!($(#[$doc])* $name $method $path $rule, false);)+
        $(impl Guarded for $name {})+
        $(operation!($(#[$page_doc])* $page $page_method $page_path Rule::Public, true);)+

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
        Login: Post "/auth/login";
        /// Lists the banks that accounts can be linked at.
        ListPlatforms: Get "/v1/platforms";
        /// Changes a session's refresh token for the next one, and for a session token.
        RefreshSession: Post "/auth/refresh";
        /// Shows the OpenAPI document of the API.
        ShowApiDocument: Get "/openapi.json";
    }
    hooks {
        /// Takes a notice of a payment from a bank.
        TakeBankNotice: Post "/hooks/bank/{provider}/{bank_id}";
    }
    guarded {
        /// Ends the session that calls.
        Logout: Post "/auth/logout", Rule::OwnerSession;
        /// Issues a key.
        CreateKey: Post "/auth/api-key", Rule::Issuing;
        /// Lists the keys that the caller sees.
        ListMyKeys: Get "/me/api-keys", Rule::Listing;
        /// Shows one key that the caller sees.
        ShowKey: Get "/api-keys/{api_key_id}", Rule::Listing;
        /// Tells the caller who it is.
        Me: Get "/me", Rule::Anyone;
        /// Gives the default key a new text.
        RotateDefaultKey: Post "/v1/api-keys/default/rotate", Rule::OwnerSession;
        /// Gives a key a new text.
        RotateKey: Post "/v1/api-keys/{api_key_id}/rotate", Rule::OwnerSession;
        /// Replaces the client and the accounts that a key is bound and limited to.
        SetKeyScope: Put "/v1/api-keys/{api_key_id}/scope", Rule::OwnerSession;
        /// Changes a key's name, its permissions, its end, and whether it is switched on.
        ChangeKey: Patch "/v1/api-keys/{api_key_id}", Rule::OwnerSession;
        /// Revokes a key for good.
        RevokeKey: Delete "/v1/api-keys/{api_key_id}", Rule::OwnerSession;
        /// Shows a key's limit and its use in a month.
        ShowCreditLimit: Get "/v1/api-keys/{api_key_id}/credit-limit", Rule::OwnerSession;
        /// Sets a standalone key's limit.
        SetCreditLimit: Put "/v1/api-keys/{api_key_id}/credit-limit", Rule::OwnerSession;
        /// Makes a client.
        CreateClient: Post "/v1/clients", Rule::OwnerSession;
        /// Lists the owner's clients.
        ListClients: Get "/v1/clients", Rule::OwnerSession;
        /// Shows a client.
        ShowClient: Get "/v1/clients/{client_id}", Rule::OwnerSession;
        /// Changes a client's facts, whether it may verify payments, and whether it may use the service.
        ChangeClient: Patch "/v1/clients/{client_id}", Rule::OwnerSession;
        /// Gives a bank account to a client, or takes it back.
        MoveBankAccount: Put "/v1/usersbank/{bank_id}/client", Rule::OwnerSession;
        /// Sets the quota that the keys of a client share.
        SetClientCreditLimit: Put "/v1/clients/{client_id}/credit-limit", Rule::OwnerSession;
        /// Shows what a key did and was charged in a month.
        ShowActivity: Get "/v1/api-keys/{api_key_id}/activity", Rule::OwnerSession;
        /// Shows what the caller's own sessions did and were charged in a month.
        ShowMyActivity: Get "/me/activity", Rule::OwnerSession;
        /// Verifies a payment.
        Verify: Post "/userbankpayment/{bank_id}/betaserio",
            Rule::Permission(Permission::PaymentVerifications);
        /// Shows a verification.
        ShowVerification: Get "/v1/verifications/{verification_id}",
            Rule::Permission(Permission::PaymentVerifications);
        /// Would pay change to a payer, which the service does not do.
        PayOutChange: Post "/v1/transactionchange/userbank/{bank_id}",
            Rule::Permission(Permission::PaymentVerifications);
        /// The same by its other path.
        PayOutChangeOfAccount: Post "/v1/user-bank-accounts/{bank_id}/transaction-change",
            Rule::Permission(Permission::PaymentVerifications);
        /// Would tell the next invoice of an account's change.
        NextInvoiceNumber: Get "/userbankpayment/{bank_id}/get-next-invoice-number",
            Rule::Permission(Permission::PaymentVerifications);
        /// Links a bank account.
        LinkBankAccount: Post "/usersbank", Rule::Unlimited(Permission::BankAccountsManage);
        /// Puts a bank account into the trash.
        TrashBankAccount: Delete "/usersbank/{bank_id}/to-trash",
            Rule::Unlimited(Permission::BankAccountsManage);
        /// Changes the key, password or token that a bank account is reached with.
        ChangeBankSecret: Put "/v1/usersbank/{bank_id}/change-secret",
            Rule::Unlimited(Permission::BankAccountsManage);
        /// Shows what the owner has chosen for a bank account.
        ShowAccountSettings: Get "/v1/usersbank/{bank_id}/settings", Rule::OwnerSession;
        /// Chooses how payments to a bank account may be confirmed.
        SetAccountSettings: Put "/v1/usersbank/{bank_id}/settings", Rule::OwnerSession;
        /// Tells what the owner's webhooks are signed with.
        ShowWebhookSecret: Get "/me/webhook-secret", Rule::Permission(Permission::Integrations);
        /// Gives the owner's webhooks another secret.
        RotateWebhookSecret: Post "/me/webhook-secret/rotate", Rule::OwnerSession;
        /// Gives a bank account another secret for the bank's notices.
        RotatePushSecret: Post "/v1/usersbank/{bank_id}/push-secret/rotate",
            Rule::Unlimited(Permission::BankAccountsManage);
        /// Lists what a bank has shown of an account.
        ListMovements: Get "/movements/{bank_id}", Rule::Permission(Permission::Movements);
        /// Lists what banks have told of payments by themselves.
        ListNotifications: Get "/v1/bank-pay-notifications",
            Rule::Permission(Permission::Notifications);
        /// Lists what the owner was told of what went wrong.
        ListNotices: Get "/v1/notices", Rule::OwnerSession;
        /// Lists what was told to the owner's systems, and what came of it.
        ListDeliveries: Get "/v1/webhooks/deliveries", Rule::Unlimited(Permission::Integrations);
        /// Tells an owner's systems again what happened, from any place on, for those that missed it.
        ListEvents: Get "/v1/webhooks/events", Rule::Unlimited(Permission::Integrations);
        /// Shows a delivery of a webhook with every attempt.
        ShowDelivery: Get "/v1/webhooks/deliveries/{delivery_id}",
            Rule::Unlimited(Permission::Integrations);
        /// Sends a webhook again.
        Redeliver: Post "/v1/webhooks/deliveries/{delivery_id}/redeliver", Rule::OwnerSession;
        /// Sends every webhook again that has failed since an instant.
        RedeliverFailed: Post "/v1/webhooks/redeliveries", Rule::OwnerSession;
        /// Shows how far that has come.
        ShowRedelivery: Get "/v1/webhooks/redeliveries/{redelivery_id}", Rule::OwnerSession;
        /// Tries a receiver out.
        TestWebhook: Post "/v1/webhooks/test", Rule::OwnerSession;
        /// Grades how a receiver keeps the rules that receivers are told.
        CheckReceiver: Post "/v1/webhooks/check", Rule::OwnerSession;
        /// Hands out everything that proves how an event was delivered.
        ShowEvidence: Get "/v1/webhooks/deliveries/{delivery_id}/evidence", Rule::OwnerSession;
        /// Lists the bank accounts that the caller reaches.
        ListBankAccounts: Get "/me/usersbank", Rule::Anyone;
        /// Makes a payment link.
        CreateLink: Post "/v1/paymentlink", Rule::Permission(Permission::PaymentLinks);
        /// Shows a payment link.
        ShowLink: Get "/paymentlink/{payment_link_id}/info",
            Rule::Permission(Permission::PaymentLinks);
        /// Changes what a payment link asks for.
        ChangeLink: Patch "/paymentlink/{payment_link_id}/patch",
            Rule::Permission(Permission::PaymentLinks);
        /// Lists payment links.
        ListLinks: Post "/me/payment-links", Rule::Permission(Permission::PaymentLinks);
        /// Calls a payment link off.
        CancelLink: Post "/v1/paymentlink/{payment_link_id}/cancel",
            Rule::Permission(Permission::PaymentLinks);
        /// Lets no payer begin to pay a payment link.
        StopLink: Post "/v1/paymentlink/{payment_link_id}/stop",
            Rule::Permission(Permission::PaymentLinks);
        /// Lets payers pay a payment link again.
        ResumeLink: Post "/v1/paymentlink/{payment_link_id}/resume",
            Rule::Permission(Permission::PaymentLinks);
        /// Ends a payment link as failed.
        RejectLink: Post "/v1/paymentlink/{payment_link_id}/reject",
            Rule::Permission(Permission::PaymentLinks);
        /// Pays a payment link with a movement that a person has chosen.
        AcceptLink: Post "/v1/paymentlink/{payment_link_id}/accept", Rule::OwnerSession;
        /// Shows what the owner has chosen for its payment links.
        ShowLinkSettings: Get "/v1/payment-link-settings", Rule::OwnerSession;
        /// Sets what the owner chooses for its payment links.
        SetLinkSettings: Put "/v1/payment-link-settings", Rule::OwnerSession;
        /// Shows what payers are told of the owner.
        ShowProfile: Get "/v1/profile", Rule::Unlimited(Permission::Integrations);
        /// Sets what payers are told of the owner.
        SetProfile: Put "/v1/profile", Rule::OwnerSession;
        /// Shows where the owner's systems are told of its credits.
        ShowWebhookEndpoint: Get "/v1/webhooks/endpoint", Rule::OwnerSession;
        /// Sets where the owner's systems are told of its credits.
        SetWebhookEndpoint: Put "/v1/webhooks/endpoint", Rule::OwnerSession;
    }
    pages {
        /// Shows a payer what a link asks for and how it stands.
        ViewLink: Get "/pay/{payment_link_id}";
        /// Takes the reference of a payer's payment.
        PayLink: Post "/pay/{payment_link_id}";
    }
}
