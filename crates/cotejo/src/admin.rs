//! What the operator asks for and is answered, as values: performed in this process, or by a
//! running server on the other side of its admin socket.

use anyhow::bail;
use app::admin::{
    AdminError, CreatedOwner, NewClient, NewOwner, Operator, OwnerName, create_client,
    create_owner, grant_credits,
};
use domain::money::Credits;
use domain::secret::SecretText;
use domain::text::{EmailAddress, Text};
use serde::{Deserialize, Serialize};

/// What the operator asks for. Not shown: it may hold a password.
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
}

/// What was done. Not shown: it may hold secrets.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// An owner was made.
    Owner(OwnerMade),
    /// Credits were granted.
    Credits(CreditsGranted),
    /// A client was made.
    Client(ClientMade),
}

/// A new owner, with the texts that are shown once.
#[derive(Deserialize, Serialize)]
pub(crate) struct OwnerMade {
    pub(crate) user_id: String,
    pub(crate) email: String,
    pub(crate) password: String,
    pub(crate) api_key: String,
    pub(crate) api_key_id: String,
    pub(crate) user_bank_id: String,
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
            user_bank_id: created.user_bank.to_string(),
        }
    }
}

/// Does what is asked for.
pub(crate) async fn perform(operator: &Operator<'_>, request: Request) -> anyhow::Result<Outcome> {
    match request {
        Request::CreateOwner { email, name, password, credits } => {
            let new = NewOwner {
                email: EmailAddress::parse(&email)?,
                name: name.as_deref().map(Text::parse).transpose()?,
                password: password.map(SecretText::new),
                credits: Credits::new(credits),
            };
            let created = create_owner(operator, new).await.map_err(told)?;
            Ok(Outcome::Owner((&created).into()))
        }
        Request::GrantCredits { owner, amount } => {
            let owner: OwnerName = owner.parse()?;
            let granted =
                grant_credits(operator, &owner, Credits::new(amount)).await.map_err(told)?;
            let (user_id, balance) = (granted.owner.to_string(), granted.balance.get());
            Ok(Outcome::Credits(CreditsGranted { user_id, amount, balance }))
        }
        Request::CreateClient { owner, name, payments_enabled } => {
            let new =
                NewClient { owner: owner.parse()?, name: Text::parse(&name)?, payments_enabled };
            let id = create_client(operator, new).await.map_err(told)?;
            Ok(Outcome::Client(ClientMade { client_id: id.to_string(), name, payments_enabled }))
        }
    }
}

fn told(error: AdminError) -> anyhow::Error {
    anyhow::Error::new(error)
}

/// What a server answers on its socket: one line of JSON.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// It was done.
    Done(Outcome),
    /// It was not, for this reason.
    Refused(String),
    /// Nobody knows: the database's answer was lost.
    Unknown,
}

impl Reply {
    /// The outcome, or the reason as an error.
    pub(crate) fn into_result(self) -> anyhow::Result<Outcome> {
        match self {
            Self::Done(outcome) => Ok(outcome),
            Self::Refused(reason) => bail!(reason),
            Self::Unknown => Err(told(AdminError::Unknown)),
        }
    }
}

impl From<anyhow::Result<Outcome>> for Reply {
    fn from(result: anyhow::Result<Outcome>) -> Self {
        match result {
            Ok(outcome) => Self::Done(outcome),
            Err(error) if matches!(error.downcast_ref(), Some(AdminError::Unknown)) => {
                Self::Unknown
            }
            Err(error) => Self::Refused(format!("{error:#}")),
        }
    }
}
