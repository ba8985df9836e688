//! Callers who reach a part of an owner's links: the key of a client with many accounts and many links, that of a
//! client with one link on an account full of others, one that is limited to the busiest account, and one that is
//! limited to an account with a single link.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::lists::Made;
use super::requests::{post, send, verify};
use super::seed::Account;
use super::service::Asker;

/// How many accounts the client has that has many.
const ACCOUNTS: usize = 50;

/// Their keys.
#[derive(Clone, Default)]
pub(super) struct Callers {
    pub(super) of_client: String,
    pub(super) of_small_client: String,
    pub(super) limited: String,
    pub(super) quiet: String,
}

#[derive(Deserialize)]
struct Created {
    client: Named,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

#[derive(Deserialize)]
struct Linked {
    userbank: Named,
}

#[derive(Deserialize)]
struct Issued {
    api_key: IssuedKey,
}

#[derive(Deserialize)]
struct IssuedKey {
    id: String,
    api_key: String,
}

impl Callers {
    /// Makes them for an owner who has signed in. The first two links are those of which there are to be many: one of
    /// the client's, and one of the owner's on the account that the small client has afterwards.
    pub(super) fn make(service: &mut Asker, owner: &Account) -> Result<Self> {
        let session = owner.session.as_deref().context("an owner who has not signed in")?;
        let (client, small) =
            (client(service, session, "Client")?, client(service, session, "Small client")?);
        let of_client = account(service, session)?;
        give(service, session, &of_client, &client)?;
        for _ in 1..ACCOUNTS {
            let another = account(service, session)?;
            give(service, session, &another, &client)?;
        }
        let (full, quiet) = (account(service, session)?, account(service, session)?);
        let of = |client| json!({ "name": "client", "client_owner_id": client });
        let limited = |bank: &str| {
            let permissions = ["payment_links"];
            json!({ "name": "limited", "permissions": permissions, "user_banks": [bank] })
        };
        let callers = Self {
            of_client: key(service, session, &of(&client))?.api_key,
            of_small_client: key(service, session, &of(&small))?.api_key,
            limited: key(service, session, &limited(&owner.bank.to_string()))?.api_key,
            quiet: key(service, session, &limited(&quiet))?.api_key,
        };
        link(service, &callers.of_client, &of_client)?;
        link(service, &owner.key, &full)?;
        give(service, session, &full, &small)?;
        link(service, &callers.of_small_client, &full)?;
        link(service, &callers.quiet, &quiet)?;
        Ok(callers)
    }
}

/// Makes the service refuse a question, by a key that may charge nothing.
pub(super) fn refused(service: &mut Asker, owner: &Account) -> Result<()> {
    let session = owner.session.as_deref().context("an owner who has not signed in")?;
    let new = json!({ "name": "spent", "permissions": ["payment_verifications"] });
    let IssuedKey { id, api_key } = key(service, session, &new)?;
    let limit = json!({ "monthly_credit_limit": 0 }).to_string();
    put(service, &format!("/v1/api-keys/{id}/credit-limit"), session, &limit)?;
    let mut request = Vec::new();
    verify(&mut request, &Account { key: api_key, ..owner.clone() }, "900000000001");
    service.refusal(&request)
}

/// Makes a client of that name; answers its id.
fn client(service: &mut Asker, session: &str, name: &str) -> Result<String> {
    let client = json!({ "name": name, "payments_enabled": true });
    let client = service.ask(&post("/v1/clients", Some(session), &client.to_string()))?;
    Ok(serde_json::from_str::<Created>(&client)?.client.id)
}

/// Gives an account to a client.
fn give(service: &mut Asker, session: &str, bank: &str, client: &str) -> Result<()> {
    let moved = json!({ "client_owner_id": client }).to_string();
    put(service, &format!("/v1/usersbank/{bank}/client"), session, &moved)
}

/// Links another account of the test bank; answers its id.
fn account(service: &mut Asker, session: &str) -> Result<String> {
    let body = json!({ "bank_provider": "BANK_TEST", "description": "Account" });
    let linked = service.ask(&post("/usersbank", Some(session), &body.to_string()))?;
    Ok(serde_json::from_str::<Linked>(&linked)?.userbank.id)
}

fn key(service: &mut Asker, session: &str, new: &Value) -> Result<IssuedKey> {
    let issued = service.ask(&post("/auth/api-key", Some(session), &new.to_string()))?;
    Ok(serde_json::from_str::<Issued>(&issued)?.api_key)
}

fn link(service: &mut Asker, key: &str, bank: &str) -> Result<Made> {
    let body = json!({ "amount": 150.75, "description": "Order", "user_bank_id": bank });
    let made = service.ask(&post("/v1/paymentlink", Some(key), &body.to_string()))?;
    Ok(serde_json::from_str(&made)?)
}

fn put(service: &mut Asker, path: &str, session: &str, body: &str) -> Result<()> {
    let mut request = Vec::new();
    send(&mut request, ("PUT", path), Some(session), "application/json", body);
    service.ask(&request)?;
    Ok(())
}
