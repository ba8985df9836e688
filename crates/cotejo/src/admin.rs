//! What the operator asks for and is answered, as values: performed in this process, or by a
//! running server on the other side of its admin socket.

mod email;
mod listed;
mod plans;
mod rates;

use anyhow::bail;
use app::admin::{
    AdminError, CreatedOwner, NewClient, NewOwner, Operator, OwnerName, PasswordReset, Recording,
    SecondFactor, Whose, create_client, create_owner, grant_credits, list_clients, list_keys,
    list_owners, reset_password, revoke_key, set_owner_active,
};
use domain::money::Credits;
use domain::secret::SecretText;
use domain::text::{EmailAddress, Text};
use serde::{Deserialize, Serialize};

pub(crate) use self::email::{EmailFreed, EmailGiven};
pub(crate) use self::listed::{ClientListed, KeyListed, OwnerListed};
pub(crate) use self::plans::{OwnersPlanRow, PlanRequest, PlanRow};
pub(crate) use self::rates::{RateRow, RatesRecorded, RatesStatusRow, foreign_currency};

/// Request of the operator. Not shown: it may hold a password.
#[derive(Clone, Deserialize, Serialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Make an owner.
    CreateOwner {
        /// Its e-mail address.
        email: String,
        /// The merchant's name.
        name: Option<String>,
        /// Its password; made up where there is none.
        password: Option<String>,
        /// The credits that it begins with.
        credits: i64,
        /// Whether it begins with a test bank account.
        test_account: bool,
    },
    /// List the owners after one, or from the first.
    ListOwners {
        /// Its id.
        after: Option<String>,
    },
    /// Let an owner use the service, or no longer.
    SetOwnerActive {
        /// E-mail address or id.
        owner: String,
        /// Which of the two.
        is_active: bool,
    },
    /// Give an owner, or a person who signs in with an address, another password, and end its sessions.
    ResetPassword {
        /// The owner's e-mail address or id.
        #[serde(default)]
        owner: Option<String>,
        /// What somebody signs in with, in place of an owner.
        #[serde(default)]
        email: Option<String>,
        /// The password.
        password: String,
        /// Whether its second factor ends, too. A command of before does not say.
        #[serde(default)]
        end_second_factor: bool,
    },
    /// Give an owner, or one of its people, another address to sign in with.
    SetEmail {
        /// E-mail address or id.
        owner: String,
        /// The person's id, where it is not the owner.
        person: Option<String>,
        /// The address.
        email: String,
    },
    /// Free an address that nobody signs in with.
    FreeEmail {
        /// The address.
        email: String,
    },
    /// List the clients of an owner.
    ListClients {
        /// E-mail address or id.
        owner: String,
        /// How many were listed before. A running server of an earlier version knows it by this name.
        #[serde(rename = "told")]
        listed: u32,
    },
    /// List the keys of an owner.
    ListKeys {
        /// E-mail address or id.
        owner: String,
    },
    /// Revoke a key for good.
    RevokeKey {
        /// E-mail address or id.
        owner: String,
        /// The key's id.
        key: String,
    },
    /// Add credits, or take some away.
    GrantCredits {
        /// E-mail address or id.
        owner: String,
        /// How many.
        amount: i64,
    },
    /// Make a client.
    CreateClient {
        /// E-mail address or id.
        owner: String,
        /// The client's name.
        name: String,
        /// Whether its keys may verify payments.
        payments_enabled: bool,
    },
    /// Record rates of other currencies.
    RecordRates {
        /// The rates.
        rates: Vec<RateRow>,
        /// Whether one may be far from the one before.
        accepts_jumps: bool,
        /// Whether they are of a file. A command of before does not say.
        #[serde(default)]
        is_import: bool,
    },
    /// Something about plans.
    Plan(PlanRequest),
    /// Report how rates stand.
    RatesStatus,
    /// List the latest rates of a currency.
    ListRates {
        /// Its code.
        currency: String,
    },
}

/// Result of a command. Not shown: it may hold secrets.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CommandOutcome {
    /// An owner was made.
    Owner(OwnerMade),
    /// Credits were granted.
    Credits(CreditsGranted),
    /// A client was made.
    Client(ClientMade),
    /// Some of the owners.
    Owners(Vec<OwnerListed>),
    /// Whether an owner may use the service.
    OwnerStanding(OwnerActive),
    /// An owner has another password.
    Password(PasswordSet),
    /// Somebody signs in with another address.
    Email(EmailGiven),
    /// An address is free.
    EmailFreed(EmailFreed),
    /// Some of an owner's clients.
    Clients(Vec<ClientListed>),
    /// An owner's keys.
    Keys(Vec<KeyListed>),
    /// A key was revoked.
    Revoked(KeyRevoked),
    /// Rates were recorded.
    RatesRecorded(RatesRecorded),
    /// The latest rates of a currency.
    Rates(Vec<RateRow>),
    /// How rates stand.
    RatesStatus(RatesStatusRow),
    /// A plan was made.
    Plan(PlanRow),
    /// The plans.
    Plans(Vec<PlanRow>),
    /// What plan an owner has.
    OwnersPlan(OwnersPlanRow),
}

/// An owner that was activated or deactivated.
#[derive(Deserialize, Serialize)]
pub(crate) struct OwnerActive {
    pub(crate) user_id: String,
    pub(crate) email: String,
    pub(crate) is_active: bool,
}

/// An owner whose password was reset. The person who asked for it knows the password.
#[derive(Deserialize, Serialize)]
pub(crate) struct PasswordSet {
    pub(crate) user_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) employee_id: Option<String>,
    pub(crate) email: String,
}

impl From<PasswordReset> for PasswordSet {
    fn from(reset: PasswordReset) -> Self {
        let employee_id = reset.employee.map(|id| id.to_string());
        Self { user_id: reset.owner.to_string(), employee_id, email: reset.email }
    }
}

/// A key that opens nothing any more.
#[derive(Deserialize, Serialize)]
pub(crate) struct KeyRevoked {
    pub(crate) api_key_id: String,
    pub(crate) name: String,
    pub(crate) revoked: bool,
}

/// A new owner, with the texts that are shown once.
#[derive(Deserialize, Serialize)]
pub(crate) struct OwnerMade {
    pub(crate) user_id: String,
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) api_key: String,
    pub(crate) api_key_id: String,
    /// Its test bank account, where it was to have one.
    pub(crate) user_bank_id: Option<String>,
}

/// A grant and the balance after it.
#[derive(Deserialize, Serialize)]
pub(crate) struct CreditsGranted {
    pub(crate) user_id: String,
    pub(crate) amount: i64,
    pub(crate) balance: i64,
}

/// A new client.
#[derive(Deserialize, Serialize)]
pub(crate) struct ClientMade {
    pub(crate) client_id: String,
    pub(crate) name: String,
    pub(crate) payments_enabled: bool,
}

impl From<&CreatedOwner> for OwnerMade {
    fn from(created: &CreatedOwner) -> Self {
        Self {
            user_id: created.owner.to_string(),
            email: created.email.to_string(),
            password: created.password.expose().to_owned(),
            api_key: created.api_key.expose().to_owned(),
            api_key_id: created.api_key_id.to_string(),
            user_bank_id: created.user_bank.map(|id| id.to_string()),
        }
    }
}

/// Does what is asked for.
pub(crate) async fn perform(
    operator: &Operator<'_>,
    request: Request,
) -> anyhow::Result<CommandOutcome> {
    match request {
        Request::CreateOwner { email, name, password, credits, test_account } => {
            let email = EmailAddress::parse(&email)?;
            let name = name.as_deref().map(Text::parse).transpose()?;
            let (password, credits) = (password.map(SecretText::new), Credits::new(credits));
            let new = NewOwner { email, name, password, credits, test_account };
            let created = create_owner(operator, new).await.map_err(failed)?;
            Ok(CommandOutcome::Owner((&created).into()))
        }
        Request::GrantCredits { owner, amount } => {
            let (owner, credits): (OwnerName, _) = (owner.parse()?, Credits::new(amount));
            let granted = grant_credits(operator, &owner, credits).await.map_err(failed)?;
            let (user_id, balance) = (granted.owner.to_string(), granted.balance.get());
            Ok(CommandOutcome::Credits(CreditsGranted { user_id, amount, balance }))
        }
        Request::CreateClient { owner, name, payments_enabled } => {
            let new =
                NewClient { owner: owner.parse()?, name: Text::parse(&name)?, payments_enabled };
            let client_id = create_client(operator, new).await.map_err(failed)?.to_string();
            Ok(CommandOutcome::Client(ClientMade { client_id, name, payments_enabled }))
        }
        Request::ListOwners { after } => {
            let after = after.map(|id| id.parse()).transpose()?;
            let owners = list_owners(operator, after).await.map_err(failed)?;
            Ok(CommandOutcome::Owners(owners.into_iter().map(Into::into).collect()))
        }
        Request::SetOwnerActive { owner: id, is_active } => {
            let set = set_owner_active(operator, &id.parse()?, is_active).await.map_err(failed)?;
            let user_id = set.owner.to_string();
            Ok(CommandOutcome::OwnerStanding(OwnerActive { user_id, email: set.email, is_active }))
        }
        Request::ResetPassword { owner, email, password, end_second_factor } => {
            let whose = match email {
                Some(email) => Whose::Email(EmailAddress::parse(&email)?),
                None => Whose::Owner(owner.unwrap_or_default().parse()?),
            };
            let password = SecretText::new(password);
            let factor = if end_second_factor { SecondFactor::Ends } else { SecondFactor::Stays };
            let reset = reset_password(operator, &whose, &password, factor).await;
            Ok(CommandOutcome::Password(reset.map_err(failed)?.into()))
        }
        Request::SetEmail { owner, person, email } => {
            email::set(operator, (&owner, person), &email).await
        }
        Request::FreeEmail { email } => email::free(operator, &email).await,
        Request::ListClients { owner, listed } => {
            let clients = list_clients(operator, &owner.parse()?, listed).await.map_err(failed)?;
            Ok(CommandOutcome::Clients(clients.into_iter().map(Into::into).collect()))
        }
        Request::ListKeys { owner } => {
            let keys = list_keys(operator, &owner.parse()?).await.map_err(failed)?;
            Ok(CommandOutcome::Keys(keys.into_iter().map(Into::into).collect()))
        }
        Request::RevokeKey { owner, key } => {
            let key = revoke_key(operator, &owner.parse()?, key.parse()?).await.map_err(failed)?;
            let api_key_id = key.id.to_string();
            Ok(CommandOutcome::Revoked(KeyRevoked { api_key_id, name: key.name, revoked: true }))
        }
        Request::RecordRates { rates, accepts_jumps, is_import } => {
            rates::record(operator, &rates, Recording { accepts_jumps, is_import }).await
        }
        Request::RatesStatus => rates::status(operator).await,
        Request::Plan(request) => plans::perform(operator, request).await,
        Request::ListRates { currency } => rates::list(operator, &currency).await,
    }
}

fn failed(error: AdminError) -> anyhow::Error {
    anyhow::Error::new(error)
}

/// Answer of a server on its socket: one line of JSON.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// It was done.
    Done(CommandOutcome),
    /// It was not, for this reason.
    Refused(String),
    /// Nobody knows: the database's answer was lost.
    Unknown,
}

impl Reply {
    /// The outcome, or the reason as an error.
    pub(crate) fn into_result(self) -> anyhow::Result<CommandOutcome> {
        match self {
            Self::Done(outcome) => Ok(outcome),
            Self::Refused(reason) => bail!(reason),
            Self::Unknown => Err(failed(AdminError::Unknown)),
        }
    }
}

impl From<anyhow::Result<CommandOutcome>> for Reply {
    fn from(result: anyhow::Result<CommandOutcome>) -> Self {
        match result {
            Ok(outcome) => Self::Done(outcome),
            Err(error) if matches!(error.downcast_ref(), Some(AdminError::Unknown)) => {
                Self::Unknown
            }
            Err(error) => Self::Refused(format!("{error:#}")),
        }
    }
}
