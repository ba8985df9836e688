//! The tokens that an account is asked about by: the pair that it was linked with, and those that the bank gave for it
//! since.
//!
//! An access token lasts a year. The bank gives the next pair for the refresh token, and wants that done each month. It is
//! done by the first question after that, and when the bank says that the token is over: once, in the single flight of
//! [`bank::Tokens`]. Where no new pair comes, the one that is there is kept, so that nothing is lost that still works.

use std::sync::Arc;
use std::time::Duration;

use bank::{Access, IssuedToken, Obtaining, Token, Tokens};
use domain::secret::SecretText;
use domain::time::Timestamp;
use domain::verification::Failure;
use egress::BankClient;
use http::header::AUTHORIZATION;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::requests::{self, REFRESH};
use super::wire::{DONE, Envelope, Missed, missed_of_line, missed_of_page, read_list};
use super::written::Loose;
use super::{ACCESS_TOKEN, REFRESH_TOKEN};
use crate::clock::Clock;
use crate::listing::Unread;

/// How long a pair is used before the next is asked for: the bank wants that each month.
const RENEW_AFTER: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// When that is tried again if it failed.
const RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the bank may take for a new pair: less than a flight may.
const REFRESH_MAX: Duration = Duration::from_secs(15);

/// An access token, the token by which the next is had, and when it is to be.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Pair {
    access: SecretText,
    refresh: Option<SecretText>,
    renew_at: Timestamp,
}

/// A pair as it is kept, sealed.
#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    access: &'a str,
    #[serde(borrow)]
    refresh: Option<&'a str>,
    renew_at: i64,
}

/// A pair as the bank gives it.
#[derive(Deserialize)]
struct Given {
    #[serde(default)]
    token: Loose,
    #[serde(default, rename = "refresToken", alias = "refreshToken", alias = "refresh_token")]
    refresh: Loose,
}

impl Pair {
    /// The pair that an account was linked with. One without an access token is one whose token is wrong.
    ///
    /// # Errors
    /// [`Failure::RejectedCredentials`].
    pub(super) fn linked(access: Access<'_>, now: Timestamp) -> Result<Self, Failure> {
        let token = access.credentials.get(ACCESS_TOKEN).ok_or(Failure::RejectedCredentials)?;
        let refresh = access.credentials.get(REFRESH_TOKEN).cloned();
        Ok(Self { access: token.clone(), refresh, renew_at: now.plus(RENEW_AFTER) })
    }

    /// The access token.
    pub(super) fn access(&self) -> &SecretText {
        &self.access
    }

    fn issued(&self) -> Result<IssuedToken, Failure> {
        let kept = Kept {
            access: self.access.expose(),
            refresh: self.refresh.as_ref().map(SecretText::expose),
            renew_at: self.renew_at.as_micros(),
        };
        let text = serde_json::to_string(&kept).map_err(|_| Failure::BadResponse)?;
        // The bank says no when the access token is over, which is what counts.
        Ok(IssuedToken { secret: SecretText::new(text), expires_at: None })
    }

    fn of(token: &Token) -> Option<Self> {
        // Tokens have no sign that is escaped; one that has is none of the bank's.
        let kept: Kept<'_> = serde_json::from_str(token.secret().expose()).ok()?;
        Some(Self {
            access: SecretText::from(kept.access),
            refresh: kept.refresh.map(SecretText::from),
            renew_at: Timestamp::from_micros(kept.renew_at),
        })
    }

    fn is_due(&self, now: Timestamp) -> bool {
        self.refresh.is_some() && now >= self.renew_at
    }
}

/// The way to the bank.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) client: Arc<BankClient>,
    pub(super) timeout: Duration,
    pub(super) clock: Clock,
}

impl Line {
    /// Asks for a list by this pair.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn ask(
        &self,
        pair: &Pair,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Vec<Value>, Missed> {
        let bearer = bearer(&pair.access);
        let reply =
            self.client.post_json(path, &[(AUTHORIZATION, &bearer)], body, self.timeout).await;
        let reply = reply.map_err(missed_of_line)?;
        read_list(reply.status, &reply.body)
    }

    /// Gets the next pair. It is asked for once, since the bank takes a refresh token once.
    async fn refresh(&self, pair: &Pair) -> Result<Pair, Missed> {
        let refresh = pair.refresh.as_ref().ok_or(Missed::Token)?;
        let body = requests::refresh(refresh.expose())?;
        let bearer = bearer(&pair.access);
        let timeout = self.timeout.min(REFRESH_MAX);
        let reply =
            self.client.post_json_once(REFRESH, &[(AUTHORIZATION, &bearer)], body, timeout).await;
        let reply = reply.map_err(missed_of_line)?;
        read_pair(reply.status, &reply.body, self.clock.now())
    }

    /// Gets the pair that comes after one that is over, or the same again where the bank could not say: it may be needed
    /// yet.
    async fn after_the_end(self, pair: Pair) -> Result<IssuedToken, Failure> {
        match self.refresh(&pair).await {
            Ok(next) => next.issued(),
            Err(Missed::Token | Missed::Unread(Unread::Failed(Failure::RejectedCredentials))) => {
                Err(Failure::RejectedCredentials)
            }
            Err(Missed::Unread(_)) => pair.issued(),
        }
    }

    /// Gets the pair that comes after one that is due, or the same again for a day.
    async fn before_the_end(self, pair: Pair) -> Result<IssuedToken, Failure> {
        match self.refresh(&pair).await {
            Ok(next) => next.issued(),
            Err(missed) => {
                tracing::warn!(?missed, "a bank gave no new token before the former ends");
                Pair { renew_at: self.clock.now().plus(RETRY_AFTER), ..pair }.issued()
            }
        }
    }
}

/// An account's way to the bank, for a question or a list.
pub(super) struct Session {
    pub(super) line: Line,
    pub(super) tokens: Arc<dyn Tokens>,
    pub(super) linked: Pair,
}

impl Session {
    /// Asks for a list, by a renewed token if the bank says that the former is over. A bank that refuses that one, too,
    /// refuses the credentials.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn ask(&self, path: &str, body: &[u8]) -> Result<Vec<Value>, Unread> {
        let (token, pair) = self.current().await?;
        match self.line.ask(&pair, path, body.to_vec()).await {
            Ok(rows) => return Ok(rows),
            Err(Missed::Unread(unread)) => return Err(unread),
            Err(Missed::Token) => {}
        }
        let obtain: Obtaining = Box::pin(self.line.clone().after_the_end(pair.clone()));
        let (_, next) = self.opened(self.tokens.renew(&token, obtain).await?);
        if next.access == pair.access {
            return Err(Failure::Unavailable.into());
        }
        self.line.ask(&next, path, body.to_vec()).await.map_err(|missed| match missed {
            Missed::Token => Failure::RejectedCredentials.into(),
            Missed::Unread(unread) => unread,
        })
    }

    /// The pair to ask by; where it is due, the next.
    async fn current(&self) -> Result<(Token, Pair), Failure> {
        let linked = self.linked.clone();
        let obtain: Obtaining = Box::pin(async move { linked.issued() });
        let (token, pair) = self.opened(self.tokens.current(obtain).await?);
        if !pair.is_due(self.line.clock.now()) {
            return Ok((token, pair));
        }
        let obtain: Obtaining = Box::pin(self.line.clone().before_the_end(pair));
        Ok(self.opened(self.tokens.renew(&token, obtain).await?))
    }

    /// The pair in a token; the one that the account was linked with where it cannot be read.
    fn opened(&self, token: Token) -> (Token, Pair) {
        let pair = Pair::of(&token).unwrap_or_else(|| self.linked.clone());
        (token, pair)
    }
}

fn bearer(access: &SecretText) -> SecretText {
    SecretText::new(format!("Bearer {}", access.expose()))
}

/// Reads the answer to a question for the next pair.
fn read_pair(status: u16, body: &[u8], now: Timestamp) -> Result<Pair, Missed> {
    let Some(envelope) = Envelope::read(body) else { return Err(missed_of_page(status, body)) };
    if envelope.code.as_str() != DONE {
        return Err(envelope.missed(status));
    }
    let given: Given = serde_json::from_slice(body).map_err(|_| Failure::BadResponse)?;
    let text = |field: &Loose| {
        let text = field.as_str();
        (!text.is_empty()).then(|| SecretText::from(text))
    };
    let access = text(&given.token).ok_or(Failure::BadResponse)?;
    Ok(Pair { access, refresh: text(&given.refresh), renew_at: now.plus(RENEW_AFTER) })
}
