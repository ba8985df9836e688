//! Things of one owner that have ended after a copy was made, as far as is known: each is ended again, or held.

use domain::ids::{BankId, ClientId, EmployeeId, KeyId, OwnerId};
use domain::push_secret::{PushSecret, PushSecretHash};
use domain::text::EmailAddress;
use domain::time::Timestamp;
use domain::webhooks::WebhookSecret;
use store::ended::{Ended, EndedThing};
use store::fault::Fault;
use store::tx::Tx;
use store::webhook_secrets::Sealed;
use store::{
    Meter, Store, bank_push, client_webhook_secrets, employees, keys, owners, second_factors,
    webhook_secrets,
};

use crate::admin::{Operator, generate_password};
use crate::client_webhook_secrets::place as place_of_client;
use crate::emails;
use crate::error::Error;
use crate::passwords::hash_now;
use crate::vault::{Place, Vault};
use crate::webhook_secrets::current_place;

/// Source of what takes the place of passwords and secrets.
pub(super) struct Replacements<'a> {
    operator: &'a Operator<'a>,
    vault: &'a Vault,
    /// The hash of a password that nobody knows.
    hash: String,
    /// The hash of a secret that no bank shows.
    push: PushSecretHash,
}

impl<'a> Replacements<'a> {
    pub(super) fn new(operator: &'a Operator<'a>, vault: &'a Vault) -> Result<Self, Error> {
        let password = generate_password(operator.ids);
        let hash = hash_now(&password, operator.password_cost, operator.ids)?;
        let push = PushSecret::generate(operator.ids).hash();
        Ok(Self { operator, vault, hash, push })
    }

    /// A new secret, sealed to that place.
    fn secret(&self, place: Place<'_>) -> Sealed {
        let ids = self.operator.ids;
        let secret = WebhookSecret::generate(ids);
        let current = self.vault.seal(ids, place, secret.expose().as_bytes());
        Sealed { current, previous: None }
    }
}

/// Things that have ended, with what takes their place.
#[derive(Clone)]
pub(super) struct Things {
    ended: Vec<(Ended, Option<Sealed>)>,
    hash: String,
    push: PushSecretHash,
}

impl Things {
    pub(super) fn new(replacements: &Replacements<'_>, owner: OwnerId, ended: Vec<Ended>) -> Self {
        let with_secret = |ended: Ended| {
            let secret = match ended.thing {
                EndedThing::WebhookSecret => Some(replacements.secret(current_place(owner))),
                EndedThing::ClientWebhookSecret(client) => {
                    Some(replacements.secret(place_of_client(owner, &client.to_bytes())))
                }
                _ => None,
            };
            (ended, secret)
        };
        let ended = ended.into_iter().map(with_secret).collect();
        Self { ended, hash: replacements.hash.clone(), push: replacements.push }
    }

    /// Ends or holds each that is there; answers how many were.
    ///
    /// # Errors
    /// A fault of the store.
    pub(super) fn end(
        &self,
        tx: &mut Tx<'_>,
        owner: OwnerId,
        now: Timestamp,
    ) -> Result<u64, Fault> {
        let mut count = 0;
        for (Ended { thing, .. }, secret) in &self.ended {
            let was_there = match (thing, secret) {
                (EndedThing::KeyText(id), _) => hold_key(tx, owner, *id, now)?,
                (EndedThing::Key(id), _) => revoke_key(tx, owner, *id, now)?,
                (EndedThing::Person(id), _) => remove_person(tx, owner, *id, now)?,
                (EndedThing::Password(person), _) => {
                    self.replace_password(tx, owner, *person, now)?
                }
                (EndedThing::WebhookSecret, Some(secret)) => rotate_secret(tx, owner, secret, now)?,
                (EndedThing::ClientWebhookSecret(client), Some(secret)) => {
                    rotate_secret_of_client(tx, (owner, *client), secret, now)?
                }
                (EndedThing::PushSecret(bank), _) => {
                    replace_push_secret(tx, (owner, *bank), self.push, now)?
                }
                (EndedThing::WebhookSecret | EndedThing::ClientWebhookSecret(_), None) => false,
            };
            count += u64::from(was_there);
        }
        Ok(count)
    }

    /// Lets somebody else sign in with the addresses of people who were removed.
    pub(super) async fn let_addresses_go(&self, store: &Store, meter: &Meter, owner: OwnerId) {
        for (Ended { thing, .. }, _) in &self.ended {
            let EndedThing::Person(id) = *thing else { continue };
            let find = move |tx: &mut Tx<'_>| employees::find(tx, owner, id);
            // Of somebody whose address stays taken, the operator lets it go by a command.
            let Ok(Some(person)) = store.look_up(meter, find).await else { continue };
            let address: Vec<_> = EmailAddress::parse(person.email.as_str()).into_iter().collect();
            emails::settle(store, meter, (owner, id.into()), &address).await;
        }
    }

    fn replace_password(
        &self,
        tx: &mut Tx<'_>,
        owner: OwnerId,
        person: Option<EmployeeId>,
        now: Timestamp,
    ) -> Result<bool, Fault> {
        let Some(id) = person else {
            owners::set_password_hash(tx, owner, &self.hash, now)?;
            return Ok(true);
        };
        let signs_in = employees::find(tx, owner, id)?
            .is_some_and(|person| person.password_hash.is_some() && person.removed_at.is_none());
        if signs_in {
            employees::set_password_hash(tx, owner, id, &self.hash, now)?;
        }
        Ok(signs_in)
    }
}

/// Switches off a key whose text had become another: the copy has the former one.
fn hold_key(tx: &mut Tx<'_>, owner: OwnerId, id: KeyId, now: Timestamp) -> Result<bool, Fault> {
    let is_there = keys::find(tx, owner, id)?.is_some();
    keys::hold(tx, owner, id, now)?;
    Ok(is_there)
}

fn revoke_key(tx: &mut Tx<'_>, owner: OwnerId, id: KeyId, now: Timestamp) -> Result<bool, Fault> {
    let Some(key) = keys::find(tx, owner, id)? else { return Ok(false) };
    // The default key is never revoked.
    match key.is_default {
        true => keys::hold(tx, owner, id, now)?,
        false => keys::revoke(tx, owner, id, now)?,
    }
    Ok(true)
}

fn remove_person(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    id: EmployeeId,
    now: Timestamp,
) -> Result<bool, Fault> {
    let person = employees::find(tx, owner, id)?;
    let is_there = person.is_some_and(|person| person.removed_at.is_none());
    if is_there {
        employees::remove(tx, owner, id, now)?;
        second_factors::delete(tx, (owner, id.into()))?;
    }
    Ok(is_there)
}

fn rotate_secret(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    secret: &Sealed,
    now: Timestamp,
) -> Result<bool, Fault> {
    let is_there = webhook_secrets::lock(tx, owner)?.is_some();
    if is_there {
        webhook_secrets::rotate(tx, owner, secret, now)?;
    }
    Ok(is_there)
}

fn rotate_secret_of_client(
    tx: &mut Tx<'_>,
    (owner, client): (OwnerId, ClientId),
    secret: &Sealed,
    now: Timestamp,
) -> Result<bool, Fault> {
    let is_there = client_webhook_secrets::lock(tx, owner, client)?.is_some();
    if is_there {
        client_webhook_secrets::put(tx, owner, client, secret, now)?;
    }
    Ok(is_there)
}

fn replace_push_secret(
    tx: &mut Tx<'_>,
    (owner, bank): (OwnerId, BankId),
    secret: PushSecretHash,
    now: Timestamp,
) -> Result<bool, Fault> {
    let is_there = bank_push::find(tx, owner, bank)?.is_some();
    if is_there {
        bank_push::put(tx, owner, bank, secret, now)?;
    }
    Ok(is_there)
}
