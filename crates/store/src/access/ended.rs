//! Things that have ended and that a copy of before still takes for good. They are published after the commit, for the file
//! that is beside the data and not in it.

use std::fmt;
use std::str::FromStr;

use domain::ids::{BankId, ClientId, EmployeeId, KeyId, OwnerId};
use domain::time::Timestamp;

use crate::CommittedEvent;
use crate::tx::Tx;

/// Kind of a thing that ended, and its id where the owner has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedThing {
    /// The text that a key had.
    KeyText(KeyId),
    /// A key, for good.
    Key(KeyId),
    /// A person's access, for good.
    Person(EmployeeId),
    /// The password that the owner had, or one of its people.
    Password(Option<EmployeeId>),
    /// What webhooks were signed with.
    WebhookSecret,
    /// What webhooks were signed with for a client.
    ClientWebhookSecret(ClientId),
    /// What a bank showed when it reported payments of an account.
    PushSecret(BankId),
}

/// Event: something of an owner has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Whose it was.
    pub owner: OwnerId,
    /// The thing.
    pub thing: EndedThing,
    /// When.
    pub at: Timestamp,
}

impl CommittedEvent for Ended {}

/// Publishes after the commit that this has ended.
pub fn note(tx: &mut Tx<'_>, owner: OwnerId, thing: EndedThing, at: Timestamp) {
    tx.after_commit(Ended { owner, thing, at });
}

impl fmt::Display for Ended {
    /// A line: the instant, a word, the owner, and the id of the thing where it has one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { owner, thing, at } = self;
        match thing {
            EndedThing::KeyText(id) => write!(f, "{at} key_text {owner} {id}"),
            EndedThing::Key(id) => write!(f, "{at} key {owner} {id}"),
            EndedThing::Person(id) => write!(f, "{at} person {owner} {id}"),
            EndedThing::Password(None) => write!(f, "{at} password {owner}"),
            EndedThing::Password(Some(id)) => write!(f, "{at} password {owner} {id}"),
            EndedThing::WebhookSecret => write!(f, "{at} webhook_secret {owner}"),
            EndedThing::ClientWebhookSecret(id) => write!(f, "{at} webhook_secret {owner} {id}"),
            EndedThing::PushSecret(id) => write!(f, "{at} push_secret {owner} {id}"),
        }
    }
}

/// A line that says of nothing that it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidEnded;

impl fmt::Display for InvalidEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a line of what has ended")
    }
}

impl std::error::Error for InvalidEnded {}

impl FromStr for Ended {
    type Err = InvalidEnded;

    fn from_str(line: &str) -> Result<Self, InvalidEnded> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let (at, word, owner, id) = match words.as_slice() {
            [at, word, owner] => (*at, *word, *owner, None),
            [at, word, owner, id] => (*at, *word, *owner, Some(*id)),
            _ => return Err(InvalidEnded),
        };
        let thing = match (word, id) {
            ("key_text", Some(id)) => EndedThing::KeyText(parsed(id)?),
            ("key", Some(id)) => EndedThing::Key(parsed(id)?),
            ("person", Some(id)) => EndedThing::Person(parsed(id)?),
            ("password", id) => EndedThing::Password(id.map(parsed).transpose()?),
            ("webhook_secret", None) => EndedThing::WebhookSecret,
            ("webhook_secret", Some(id)) => EndedThing::ClientWebhookSecret(parsed(id)?),
            ("push_secret", Some(id)) => EndedThing::PushSecret(parsed(id)?),
            _ => return Err(InvalidEnded),
        };
        let at = Timestamp::parse(at).map_err(|_| InvalidEnded)?;
        Ok(Self { owner: parsed(owner)?, thing, at })
    }
}

fn parsed<T: FromStr>(text: &str) -> Result<T, InvalidEnded> {
    text.parse().map_err(|_| InvalidEnded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_and_has_nothing_but_ids_and_an_instant() {
        let (key, client) = (KeyId::from_bytes([7; 16]), ClientId::from_bytes([8; 16]));
        let (person, bank) = (EmployeeId::from_bytes([9; 16]), BankId::from_bytes([6; 16]));
        for thing in [
            EndedThing::KeyText(key),
            EndedThing::Key(key),
            EndedThing::Person(person),
            EndedThing::Password(None),
            EndedThing::Password(Some(person)),
            EndedThing::WebhookSecret,
            EndedThing::ClientWebhookSecret(client),
            EndedThing::PushSecret(bank),
        ] {
            let at = Timestamp::from_micros(1_796_097_600_000_000);
            let ended = Ended { owner: OwnerId::from_bytes([1; 16]), thing, at };
            assert_eq!(ended.to_string().parse(), Ok(ended));
        }
        for line in ["", "key", "x key own_1 key_1", "2026-12-01T00:00:00Z nothing own_1"] {
            assert_eq!(line.parse::<Ended>(), Err(InvalidEnded), "{line}");
        }
    }
}
