//! What an account is reached with at its bank: sealed together, and opened for one use.

use std::collections::BTreeMap;

use bank::{Access, Credentials};
use domain::ids::{BankId, OwnerId};
use domain::secret::{SecretBytes, SecretText};
use serde::{Deserialize, Serialize};
use store::bank_access;
use store::fault::Fault;

use crate::App;
use crate::vault::Place;

/// The form in which facts are sealed. Another one has another number.
const VERSION: u8 = 1;

/// The facts of an account before they are sealed, by the names that its bank declares.
#[derive(Deserialize, Serialize)]
struct Kept<T: Ord> {
    version: u8,
    facts: BTreeMap<T, T>,
}

/// Credentials and facts that an account is reached with, opened for one use.
pub(crate) struct Opened {
    pub(super) facts: bank_access::Facts,
    pub(super) credentials: Credentials,
}

impl Opened {
    /// Opens what the store keeps of an account. What was sealed comes back with it, by which it is known again.
    ///
    /// # Errors
    /// What does not open is a fault: the master key is not the one it was sealed under.
    pub(crate) fn of(
        app: &App,
        owner: OwnerId,
        kept: bank_access::Access,
    ) -> Result<(Self, Vec<u8>), Fault> {
        let bank = kept.facts.bank.to_bytes();
        let plain = app.vault.open(place(owner, &bank), &kept.sealed);
        let plain = plain.map_err(|error| Fault::broken(format!("a bank secret: {error}")))?;
        let credentials = read(&SecretBytes::new(plain))?;
        Ok((Self { facts: kept.facts, credentials }, kept.sealed))
    }

    /// Returns the access in the form in which a connector takes it.
    pub(crate) fn access(&self) -> Access<'_> {
        let Self { facts, credentials } = self;
        Access { account: &facts.number, phone: facts.phone.as_ref(), credentials }
    }
}

/// Returns the place to which the credentials of an account are sealed.
pub(crate) fn place(owner: OwnerId, bank: &[u8; 16]) -> Place<'_> {
    Place { table: "bank_access", column: "credentials", owner: Some(owner), row: bank }
}

/// Returns the place to which the metadata that an account was linked with is sealed.
pub(crate) fn metadata_place(owner: OwnerId, bank: &[u8; 16]) -> Place<'_> {
    Place { column: "metadata", ..place(owner, bank) }
}

/// Seals the metadata that an account was linked with, as pairs of name and value, if there is any.
pub(super) fn seal_metadata(
    app: &App,
    owner: OwnerId,
    bank: BankId,
    metadata: &[(String, SecretText)],
) -> Option<Vec<u8>> {
    if metadata.is_empty() {
        return None;
    }
    let pairs: Vec<_> = metadata.iter().map(|(name, value)| (name, value.expose())).collect();
    let bank = bank.to_bytes();
    Some(app.vault.seal(&*app.ids, metadata_place(owner, &bank), json(&pairs).expose()))
}

/// Seals the credentials of an account.
pub(super) fn seal(app: &App, owner: OwnerId, bank: BankId, credentials: &Credentials) -> Vec<u8> {
    app.vault.seal(&*app.ids, place(owner, &bank.to_bytes()), write(credentials).expose())
}

fn write(credentials: &Credentials) -> SecretBytes {
    let facts = credentials.iter().map(|(name, value)| (name, value.expose())).collect();
    json(&Kept { version: VERSION, facts })
}

/// Nothing of what cannot be read is in the fault.
fn read(plain: &SecretBytes) -> Result<Credentials, Fault> {
    let broken = || Fault::broken("a bank secret: not in the form in which it is sealed");
    let kept: Kept<String> = serde_json::from_slice(plain.expose()).map_err(|_| broken())?;
    if kept.version != VERSION {
        return Err(broken());
    }
    let facts = kept.facts.into_iter().map(|(name, value)| (name, SecretText::new(value)));
    Ok(facts.collect())
}

/// Text and numbers: writing them as JSON cannot fail.
fn json(value: &impl Serialize) -> SecretBytes {
    SecretBytes::new(serde_json::to_vec(value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_a_version_and_any_number_of_facts() {
        let facts = [("api_key", "made-up \"ñ\""), ("client_id", "made-up-too"), ("terminal", "")];
        let facts = facts.map(|(name, value)| (name.to_owned(), SecretText::from(value)));
        let credentials: Credentials = facts.into_iter().collect();
        let written = write(&credentials);
        assert!(written.expose().starts_with(br#"{"version":1,"facts":{"api_key":"#));
        assert_eq!(read(&written).unwrap(), credentials);
        assert_eq!(read(&write(&Credentials::default())).unwrap(), Credentials::default());
    }

    #[test]
    fn what_cannot_be_read_is_a_fault_that_does_not_repeat_it() {
        for text in [
            "made-up-key",
            r#"{"version":2,"facts":{"api_key":"made-up-key"}}"#,
            r#"{"version":"made-up-key","facts":{}}"#,
            r#"{"version":1,"facts":{"api_key":["made-up-key"]}}"#,
            "",
        ] {
            let error = read(&SecretBytes::new(text.as_bytes().to_vec())).unwrap_err();
            assert!(!format!("{error:?} {error}").contains("made-up-key"), "{error:?}");
        }
    }
}
