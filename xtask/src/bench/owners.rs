//! Owners made as anybody makes them: by the program's own commands, so that whatever its schema is, it is its own.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::requests::{form, post};
use super::seed::Account;
use super::service::{Asker, ask};
use crate::process;

/// Credits of every owner: more than any load costs.
const CREDITS: &str = "1000000000";

/// Answer of `owner create`, as far as it matters here.
#[derive(Deserialize)]
struct Created {
    user_id: String,
    email: String,
    password: String,
    api_key: String,
    api_key_id: String,
    user_bank_id: String,
}

#[derive(Deserialize)]
struct Session {
    token: String,
}

/// An owner and its password.
pub(super) struct Owner {
    pub(super) account: Account,
    email: String,
    password: String,
}

/// Makes so many owners in the database of that data folder, each with a key and an account at the test bank.
pub(super) fn create(
    program: &Path,
    data: &Path,
    database: Option<&str>,
    count: usize,
) -> Result<Vec<Owner>> {
    let one = |number| {
        let mut create = Command::new(program);
        create.args(["owner", "create", "--test-account", "--json", "--credits", CREDITS]);
        create.arg(format!("--email=owner-{number}@example.com")).arg("--data").arg(data);
        if let Some(url) = database {
            create.env("COTEJO_DATABASE", url);
        }
        let output = process::run_quietly(&mut create)?;
        let created: Created = serde_json::from_slice(&output.stdout)?;
        let account = Account {
            owner: created.user_id.parse().context("user_id")?,
            key: created.api_key,
            key_id: created.api_key_id.parse().context("api_key_id")?,
            bank: created.user_bank_id.parse().context("user_bank_id")?,
            session: None,
            cookie: None,
        };
        Ok(Owner { account, email: created.email, password: created.password })
    };
    (0..count).map(one).collect()
}

/// Signs an owner in by the API.
pub(super) fn sign_in(addr: SocketAddr, owner: &Owner) -> Result<Account> {
    let body = serde_json::json!({ "email": owner.email, "password": owner.password });
    let session = ask(addr, &post("/auth/login", None, &body.to_string()))?;
    let session: Session = serde_json::from_str(&session)?;
    Ok(Account { session: Some(session.token), ..owner.account.clone() })
}

/// Signs an owner in by the API and by a browser.
pub(super) fn sign_in_everywhere(addr: SocketAddr, owner: &Owner) -> Result<Account> {
    let encoded = owner.email.replace('@', "%40");
    let mut request = Vec::new();
    form(&mut request, "/app/sign-in", &format!("email={encoded}&password={}", owner.password));
    let cookie = Asker::connect(addr)?.cookie(&request).context("signing in by a browser")?;
    Ok(Account { cookie: Some(cookie), ..sign_in(addr, owner)? })
}
