//! A few owners who sign in: made on the command line, since only a real password opens a session.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::seed::Account;
use super::service::ask;
use crate::process;

/// How many. Fewer than the service lets one address sign in within a minute.
const COUNT: usize = 8;

/// What `owner create` answers, as far as it matters here.
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

/// Makes the owners while no server runs.
pub(super) fn make(program: &Path, data: &Path) -> Result<Vec<Owner>> {
    (0..COUNT)
        .map(|number| {
            let mut create = Command::new(program);
            create.args(["owner", "create", "--json", "--credits", "100000000"]);
            create.arg(format!("--email=signed-in-{number}@example.com")).arg("--data").arg(data);
            let output = process::run_quietly(&mut create)?;
            let created: Created = serde_json::from_slice(&output.stdout)?;
            let account = Account {
                owner: created.user_id.parse().context("user_id")?,
                key: created.api_key,
                key_id: created.api_key_id.parse().context("api_key_id")?,
                bank: created.user_bank_id.parse().context("user_bank_id")?,
                session: None,
            };
            Ok(Owner { account, email: created.email, password: created.password })
        })
        .collect()
}

/// Signs them in.
pub(super) fn sign_in(addr: SocketAddr, owners: Vec<Owner>) -> Result<Vec<Account>> {
    owners
        .into_iter()
        .map(|owner| {
            let body = serde_json::json!({ "email": owner.email, "password": owner.password });
            let body = body.to_string();
            let request = format!(
                "POST /auth/login HTTP/1.1\r\nhost: cotejo\r\n\
                 content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len(),
            );
            let session: Session = serde_json::from_str(&ask(addr, request.as_bytes())?)?;
            Ok(Account { session: Some(session.token), ..owner.account })
        })
        .collect()
}
