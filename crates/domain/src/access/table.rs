//! The table of operations: each once, with who may call it. Its route is where it is served.

use std::fmt;

use super::{Caller, ProofDemand, Reason, Rule};
use crate::permissions::Permission;
use crate::refusal::Refusal;
use crate::rights::Area;
use crate::time::Timestamp;

/// An operation of the API, as a type.
pub trait Operation: fmt::Debug + Clone + Copy + Send + Sync + 'static {
    /// Its name: in logs, in metrics and beside idempotency keys. It never changes.
    const NAME: &'static str;
    /// Rule of who may call the operation.
    const RULE: Rule;
    /// Demand for a proof of the session's person.
    const DEMAND: ProofDemand;
    /// Flag of an operation that people reach by a page.
    const IS_PAGE: bool;
    /// Its row of the table.
    const ENTRY: Entry = Entry { name: Self::NAME, rule: Self::RULE, demand: Self::DEMAND };
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
    /// Which proof of the session's person it asks for.
    pub demand: ProofDemand,
}

impl Entry {
    /// Checks that `caller` may call the operation at `now`: first its rule, then the proof that the operation asks
    /// for.
    ///
    /// # Errors
    ///
    /// The refusal that the caller gets.
    pub fn check(self, caller: &Caller, now: Timestamp) -> Result<(), Refusal> {
        self.rule.check(caller)?;
        self.demand.check(caller.proof(), now)
    }

    /// Checks that `caller` may see the page of the operation's form at `now`: the form asks for its proof when it is
    /// sent.
    ///
    /// # Errors
    ///
    /// The refusal that the caller gets.
    pub fn check_view(self, caller: &Caller, now: Timestamp) -> Result<(), Refusal> {
        self.rule.check(caller)?;
        self.demand.check_view(caller.proof(), now)
    }

    const fn guarded<O: Guarded>() -> Self {
        let is_open = matches!(O::RULE, Rule::Public | Rule::Hook);
        assert!(!is_open, "a guarded operation cannot be open");
        O::ENTRY
    }
}

macro_rules! operation {
    ($(#[$doc:meta])* $name:ident $rule:expr, $demand:expr, $is_page:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Operation for $name {
            const NAME: &'static str = stringify!($name);
            const RULE: Rule = $rule;
            const DEMAND: ProofDemand = $demand;
            const IS_PAGE: bool = $is_page;
        }
    };
}

/// Reads the word with which a row of the table says what proof it asks for. A row without one reads.
macro_rules! demand {
    () => {
        ProofDemand::Reads
    };
    (reveals) => {
        ProofDemand::Reveals
    };
    (asks) => {
        ProofDemand::Asks
    };
    (asks_for_code) => {
        ProofDemand::AsksForCode
    };
    (asks_where($es:literal, $en:literal)) => {
        ProofDemand::AsksWhere { es: $es, en: $en }
    };
    (unasked($reason:ident)) => {
        ProofDemand::Unasked(Reason::$reason)
    };
}

macro_rules! operations {
    (
        public { $($(#[$open_doc:meta])* $open:ident;)+ }
        hooks { $($(#[$hook_doc:meta])* $hook:ident;)+ }
        guarded {
            $($(#[$doc:meta])* $name:ident: $rule:expr $(, $word:ident $(($($of:tt),+))?)?;)+
        }
        pages { $($(#[$page_doc:meta])* $page:ident;)+ }
    ) => {
        $(operation!($(#[$open_doc])* $open Rule::Public, demand!(unasked(Open)), false);)+
        $(operation!($(#[$hook_doc])* $hook Rule::Hook, demand!(unasked(Open)), false);)+
        $(operation!($(#[$doc])* $name $rule, demand!($($word $(($($of),+))?)?), false);)+
        $(impl Guarded for $name {})+
        $(operation!($(#[$page_doc])* $page Rule::Public, demand!(unasked(Open)), true);)+

        /// Every operation of the API. What is not in it is not served.
        pub static TABLE: &[Entry] =
            &[$($open::ENTRY,)+ $($hook::ENTRY,)+ $(Entry::guarded::<$name>(),)+];

        /// Every operation that anybody may reach by a page.
        pub static PAGES: &[Entry] = &[$($page::ENTRY,)+];
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
        /// Accepts an invitation: the person who was invited becomes an employee of the owner or of a client.
        AcceptInvitation;
        /// Sends a link to the person who signs in with an e-mail address and has lost the password.
        RequestPasswordReset;
        /// Sets a password by such a link.
        ResetPassword;
        /// Changes the address that a person signs in with, by a link that the new one got.
        ConfirmEmail;
    }
    hooks {
        /// Takes a notice of a payment from a bank.
        TakeBankNotice;
    }
    guarded {
        /// Ends the session that calls.
        Logout: Rule::Session, unasked(OwnSession);
        /// Lists the sessions that are open.
        ListSessions: Rule::Session;
        /// Ends a session.
        EndSession: Rule::Session, asks_where("otra sesión que la que llama", "a session other than the one that calls");
        /// Gives the caller another password.
        ChangePassword: Rule::Session, unasked(Proves);
        /// Changes the e-mail address that the caller signs in with.
        ChangeEmail: Rule::Session, asks_for_code;
        /// Begins a second factor: returns the secret that an authenticator is set up with.
        BeginSecondFactor: Rule::Session, unasked(Proves);
        /// Ends the setting up of a second factor by its first code; sign-ins ask for one from then on.
        ConfirmSecondFactor: Rule::Session, unasked(Proves);
        /// Ends the caller's second factor.
        EndSecondFactor: Rule::Session, asks_for_code;
        /// Gives the caller other recovery codes.
        RenewRecoveryCodes: Rule::Session, asks_for_code;
        /// Takes a code as the session's proof.
        StepUp: Rule::Session, unasked(Proves);
        /// Issues a key.
        CreateKey: Rule::Issuing, asks;
        /// Lists the keys that the caller sees.
        ListMyKeys: Rule::Listing(Area::Integrations.read());
        /// Shows one key that the caller sees.
        ShowKey: Rule::Listing(Area::Integrations.read());
        /// Shows the caller who it is.
        Me: Rule::Anyone;
        /// Shows what other currencies cost.
        ShowExchangeRate: Rule::Anyone;
        /// Lists what other currencies cost for the owner's own links, as it said so.
        ListOwnRates: Rule::OwnerSession;
        /// Says what a currency costs for the owner's own links from a day on.
        SetOwnRate: Rule::OwnerSession, asks;
        /// Chooses which rate serves a day for the owner's links.
        SetRateRule: Rule::OwnerSession, asks;
        /// Gives the default key a new text.
        RotateDefaultKey: Rule::OwnerSession, asks;
        /// Gives a key a new text.
        RotateKey: Rule::OwnerOrClient, asks;
        /// Replaces the client and the accounts that a key is bound and limited to.
        SetKeyScope: Rule::OwnerSession, asks;
        /// Changes a key's name, its permissions, its end, and whether it is switched on.
        ChangeKey: Rule::OwnerSession, asks_where("más permisos, un fin más tarde o activarla", "more permissions, a later end or switching it on");
        /// Revokes a key for good.
        RevokeKey: Rule::OwnerOrClient, unasked(TakesAway);
        /// Shows a key's limit and its use in a month.
        ShowCreditLimit: Rule::OwnerEmployeeOrClient(Area::Integrations.read());
        /// Sets a standalone key's limit.
        SetCreditLimit: Rule::OwnerOrEmployee(Area::Integrations.write()), asks_where("un límite más alto o ninguno", "a higher limit or none");
        /// Makes a client.
        CreateClient: Rule::OwnerOrEmployee(Area::Clients.write()), asks_where("una cuota, cuentas o pagos habilitados", "a quota, accounts or payments that are enabled");
        /// Lists the owner's clients.
        ListClients: Rule::OwnerOrEmployee(Area::Clients.read());
        /// Shows a client.
        ShowClient: Rule::OwnerOrEmployee(Area::Clients.read());
        /// Changes a client's facts, whether it may verify payments, and whether it may use the service; what lets
        /// more in is the owner's alone.
        ChangeClient: Rule::OwnerOrEmployee(Area::Clients.write()), asks_where("activarlo, desactivarlo o cambiar `payments_enabled`", "switching it on or off, or another `payments_enabled`");
        /// Invites a person of a client.
        InviteClientEmployee: Rule::OwnerOrEmployee(Area::Clients.write()), asks;
        /// Gives a client's person who has not accepted another invitation.
        RenewClientInvitation: Rule::OwnerOrEmployee(Area::Clients.write()), asks;
        /// Lists a client's people.
        ListClientEmployees: Rule::OwnerOrEmployee(Area::Clients.read());
        /// Changes the name of a client's person, and whether it may use the service, which only the owner gives back.
        ChangeClientEmployee: Rule::OwnerOrEmployee(Area::Clients.write()), asks;
        /// Takes the access of a client's person away for good.
        RemoveClientEmployee: Rule::OwnerOrEmployee(Area::Clients.write()), asks;
        /// Gives a bank account to a client, or takes it back.
        MoveBankAccount: Rule::OwnerSession, asks;
        /// Shows the quota that the keys of a client share, and its use in a month.
        ShowClientCreditLimit: Rule::OwnerEmployeeOrClient(Area::Clients.read());
        /// Sets the quota that the keys of a client share.
        SetClientCreditLimit: Rule::OwnerSession, asks_where("un límite más alto o ninguno", "a higher limit or none");
        /// Shows what a key did and was charged in a month.
        ShowActivity: Rule::OwnerSession;
        /// Shows what the caller's own sessions did and were charged in a month.
        ShowMyActivity: Rule::OwnerEmployeeOrClient(Area::Billing.read());
        /// Shows what an employee did and was charged in a month.
        ShowEmployeeActivity: Rule::OwnerSession;
        /// Shows the owner's credits, what it used in a month and what each line was for.
        ShowCredits: Rule::OwnerOrEmployee(Area::Billing.read());
        /// Shows the owner's plan.
        ShowPlan: Rule::OwnersKeys(Area::Billing.read());
        /// Adds payments up.
        ShowStatistics: Rule::UnlimitedOrClient(Permission::Statistics, Area::Statistics.read());
        /// Verifies a payment.
        Verify: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.write())), unasked(DaysWork);
        /// Shows a verification.
        ShowVerification: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.read()));
        /// Lists verifications and their results.
        ListVerifications: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.read()));
        /// Lists questions that were refused before a bank was asked.
        ListRefused: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.read()));
        /// Lists payments in the order in which they were verified.
        ListPayments: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.read()));
        /// Lists receipts.
        ListReceipts: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.read()));
        /// Shows a receipt.
        ShowReceipt: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.read()));
        /// Says of a receipt that it is void.
        VoidReceipt: Rule::OwnerOrEmployee(Area::Payments.write()), unasked(DaysWork);
        /// Would pay change to a payer, which the service does not do.
        PayOutChange: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.write())), unasked(DaysWork);
        /// The same by its other path.
        PayOutChangeOfAccount: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.write())), unasked(DaysWork);
        /// Would show the next invoice of an account's change.
        NextInvoiceNumber: Rule::Permission(Permission::PaymentVerifications, Some(Area::Payments.read()));
        /// Links a bank account.
        LinkBankAccount: Rule::Unlimited(Permission::BankAccountsManage, Area::BankAccounts.write()), asks;
        /// Puts a bank account into the trash.
        TrashBankAccount: Rule::Unlimited(Permission::BankAccountsManage, Area::BankAccounts.write()), unasked(TakesAway);
        /// Changes the key, password or token that a bank account is reached with.
        ChangeBankSecret: Rule::Unlimited(Permission::BankAccountsManage, Area::BankAccounts.write()), asks;
        /// Shows what the owner has chosen for a bank account.
        ShowAccountSettings: Rule::OwnerOrEmployee(Area::BankAccounts.read());
        /// Chooses how payments to a bank account may be confirmed.
        SetAccountSettings: Rule::OwnerOrEmployee(Area::BankAccounts.write()), asks;
        /// Ends the review of a bank account after the store was put back from a copy.
        CloseReview: Rule::OwnerSession, asks;
        /// Shows what the owner's webhooks are signed with.
        ShowWebhookSecret: Rule::Permission(Permission::Integrations, None), reveals;
        /// Gives the owner's webhooks another secret.
        RotateWebhookSecret: Rule::OwnerSession, asks;
        /// Shows whether webhooks of a client's links are signed for the client, too.
        ShowClientWebhookSecret: Rule::OwnerSession;
        /// Gives webhooks of a client's links a secret that signs them for the client, or another one.
        IssueClientWebhookSecret: Rule::OwnerSession, asks;
        /// Ends the secret that signs webhooks for a client.
        RevokeClientWebhookSecret: Rule::OwnerSession, asks;
        /// Gives a bank account another secret for the bank's notices.
        RotatePushSecret: Rule::Unlimited(Permission::BankAccountsManage, Area::BankAccounts.write()), asks;
        /// Lists what a bank has shown of an account.
        ListMovements: Rule::Permission(Permission::Movements, Some(Area::Payments.read()));
        /// Has a bank's statement of a day read, for a person to see what came.
        ReadStatement: Rule::OwnerEmployeeOrClient(Area::Payments.read()), unasked(DaysWork);
        /// Lists the notices of payments that banks have sent by themselves.
        ListNotifications: Rule::Permission(Permission::Notifications, Some(Area::Payments.read()));
        /// Lists the notices to the owner of what went wrong.
        ListNotices: Rule::OwnerSession;
        /// Says that a notice to the owner is settled.
        DismissNotice: Rule::OwnerSession, unasked(Marks);
        /// Shows which notices the owner gets by mail.
        ShowNoticeSettings: Rule::OwnerOrEmployee(Area::Integrations.read());
        /// Chooses which notices the owner gets by mail, and how often.
        SetNoticeSettings: Rule::OwnerSession, asks;
        /// Lists who changed what.
        ListAudit: Rule::OwnerSession;
        /// Lists what was sent to the owner's systems, and with what result.
        ListDeliveries: Rule::Deliveries(Area::Integrations.read());
        /// Shows an owner's systems again what happened, from any place on, for those that missed it.
        ListEvents: Rule::Unlimited(Permission::Integrations, Area::Integrations.read());
        /// Shows a delivery of a webhook with every attempt.
        ShowDelivery: Rule::Deliveries(Area::Integrations.read());
        /// Sends a webhook again.
        Redeliver: Rule::OwnerOrEmployee(Area::Integrations.write()), unasked(Sends);
        /// Sends every webhook again that has failed since an instant.
        RedeliverFailed: Rule::OwnerOrEmployee(Area::Integrations.write()), unasked(Sends);
        /// Shows how far that has come.
        ShowRedelivery: Rule::OwnerOrEmployee(Area::Integrations.read());
        /// Tries a receiver out.
        TestWebhook: Rule::OwnerOrEmployee(Area::Integrations.write()), unasked(Sends);
        /// Grades how a receiver keeps the rules that receivers are given.
        CheckReceiver: Rule::OwnerOrEmployee(Area::Integrations.write()), unasked(Sends);
        /// Hands out everything that proves how an event was delivered.
        ShowEvidence: Rule::OwnerOrEmployee(Area::Integrations.read());
        /// Invites a person to be an employee.
        InviteEmployee: Rule::OwnerOrEmployee(Area::Team.write()), asks;
        /// Gives a person who has not accepted another invitation.
        RenewInvitation: Rule::OwnerOrEmployee(Area::Team.write()), asks;
        /// Lists the owner's employees.
        ListEmployees: Rule::OwnerOrEmployee(Area::Team.read());
        /// Changes an employee's name, what it may do, and whether it may use the service, which only the owner gives
        /// back.
        ChangeEmployee: Rule::OwnerOrEmployee(Area::Team.write()), asks;
        /// Takes an employee's access away for good.
        RemoveEmployee: Rule::OwnerOrEmployee(Area::Team.write()), asks;
        /// Lists the bank accounts that the caller reaches.
        ListBankAccounts: Rule::Anyone;
        /// Makes a payment link.
        CreateLink: Rule::Permission(Permission::PaymentLinks, Some(Area::PaymentLinks.write())), unasked(DaysWork);
        /// Shows a payment link.
        ShowLink: Rule::Permission(Permission::PaymentLinks, Some(Area::PaymentLinks.read()));
        /// Shows a payment link, by its shorter path.
        ShowLinkByShortPath: Rule::Permission(Permission::PaymentLinks, Some(Area::PaymentLinks.read()));
        /// Changes what a payment link asks for.
        ChangeLink: Rule::Permission(Permission::PaymentLinks, Some(Area::PaymentLinks.write())), unasked(DaysWork);
        /// Lists payment links.
        ListLinks: Rule::Permission(Permission::PaymentLinks, Some(Area::PaymentLinks.read()));
        /// Calls a payment link off.
        CancelLink: Rule::Permission(Permission::PaymentLinks, Some(Area::PaymentLinks.write())), unasked(DaysWork);
        /// Lets no payer begin to pay a payment link.
        StopLink: Rule::Permission(Permission::PaymentLinks, Some(Area::PaymentLinks.write())), unasked(DaysWork);
        /// Lets payers pay a payment link again.
        ResumeLink: Rule::Permission(Permission::PaymentLinks, Some(Area::PaymentLinks.write())), unasked(DaysWork);
        /// Ends a payment link as failed.
        RejectLink: Rule::Permission(Permission::PaymentLinks, Some(Area::PaymentLinks.write())), unasked(DaysWork);
        /// Pays a payment link with a movement that a person has chosen.
        AcceptLink: Rule::OwnerOrEmployee(Area::Payments.write()), unasked(DaysWork);
        /// Makes a payment of a movement that a person has chosen.
        AcceptMovement: Rule::OwnerOrEmployee(Area::Payments.write()), unasked(DaysWork);
        /// Shows what the owner has chosen for its payment links.
        ShowLinkSettings: Rule::OwnerOrEmployee(Area::PaymentLinks.read());
        /// Sets what the owner chooses for its payment links.
        SetLinkSettings: Rule::OwnerOrEmployee(Area::PaymentLinks.write()), unasked(DaysWork);
        /// Makes a subscription.
        MakeSubscription: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Shows a subscription.
        ShowSubscription: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.read()));
        /// Lists subscriptions.
        ListSubscriptions: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.read()));
        /// Lists the cycles of a subscription.
        ListCycles: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.read()));
        /// Cancels a subscription, at once or when its period ends.
        CancelSubscription: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Takes a cancellation back that has not come yet.
        UndoCancellation: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Pauses a subscription from its next period on.
        PauseSubscription: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Resumes a subscription.
        ResumeSubscription: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Sets the price of a subscription's later cycles.
        SetSubscriptionPrice: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Sets the consequence of a subscription's cycles that nobody pays in time.
        SetUnpaidPolicy: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Sets the clock of a test subscription ahead.
        AdvanceTestClock: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Makes a new link of a cycle that was not paid in time.
        RenewCycleLink: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Waives a cycle: nobody owes it any more.
        WaiveCycle: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Gives out the address of a subscription's page for its payer, and keeps the page open.
        IssuePayerPage: Rule::Permission(Permission::Subscriptions, Some(Area::Subscriptions.write())), unasked(DaysWork);
        /// Shows what payers see of the owner.
        ShowProfile: Rule::Unlimited(Permission::Integrations, Area::Integrations.read());
        /// Sets what payers see of the owner.
        SetProfile: Rule::OwnerSession, asks;
        /// Sets the owner's logo.
        SetLogo: Rule::OwnerSession, asks;
        /// Takes the owner's logo away.
        RemoveLogo: Rule::OwnerSession, asks;
        /// Shows where the owner's systems are notified of its credits.
        ShowWebhookEndpoint: Rule::OwnerOrEmployee(Area::Integrations.read());
        /// Sets where the owner's systems are notified of its credits.
        SetWebhookEndpoint: Rule::OwnerOrEmployee(Area::Integrations.write()), asks;
    }
    pages {
        /// Shows a payer what a link asks for and how it stands.
        ViewLink;
        /// Takes the reference of a payer's payment.
        PayLink;
        /// Shows a payer the receipt of a payment.
        ViewReceipt;
        /// Shows an owner's logo by its address.
        ViewLogo;
        /// Has a rate held for a payer, and so shows what a link in another currency asks for.
        HoldRate;
        /// Makes a new link for a payer of a subscription who comes after the former one's time.
        RenewLink;
        /// Shows a payer a subscription: what is owed of it, what was paid, and what canceling it would do.
        ViewPayerPage;
        /// Cancels a subscription for its payer.
        CancelByPayer;
        /// Shows an invitation to the person who was invited.
        ViewInvitation;
        /// Takes the answer to an invitation.
        AnswerInvitation;
        /// Shows the form for another password to anybody who has a link.
        ViewPasswordReset;
        /// Takes the other password.
        AnswerPasswordReset;
        /// Shows which address a person will sign in with, to anybody who has the link that the person got.
        ViewEmailChange;
        /// Takes the confirmation.
        AnswerEmailChange;
        /// Shows whose reminders by mail an address stops, to whoever got one.
        ViewReminderStop;
        /// Stops the mails that remind whoever got one of a subscription.
        StopReminderMail;
        /// Shows the reference of the API.
        ViewReference;
        /// Shows the form to sign in with, and leads there.
        ViewSignIn;
    }
}
