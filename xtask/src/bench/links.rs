//! Payment links and their payers.

use std::net::SocketAddr;

use anyhow::Result;
use serde::Deserialize;
use serde_json::json;

use super::ROUNDS;
use super::load::Requests;
use super::requests::{form, get, post};
use super::seed::Account;
use super::service::Asker;

/// How many links are looked at.
const LOOKED_AT: usize = 100;

/// How many are paid in one round.
const PAID: usize = 1_000;

/// Links that wait for their payers.
pub(super) struct Links {
    looked_at: Vec<String>,
    paid: Vec<String>,
}

/// What the making of a link answers.
#[derive(Deserialize)]
pub(super) struct Made {
    pub(super) paymentlink: MadeLink,
}

#[derive(Deserialize)]
pub(super) struct MadeLink {
    pub(super) id: String,
}

impl Links {
    /// Makes links of these owners, in turns.
    pub(super) fn make(service: SocketAddr, owners: &[Account]) -> Result<Self> {
        let mut service = Asker::connect(service)?;
        let mut owners = owners.iter().cycle();
        let mut make = |count: usize| -> Result<Vec<String>> {
            let links = owners.by_ref().take(count).map(|owner| {
                let body = json!({
                    "amount": 150.75, "description": "Order", "user_bank_id": owner.bank.to_string(),
                });
                let made = post("/v1/paymentlink", Some(&owner.key), &body.to_string());
                let made: Made = serde_json::from_str(&service.ask(&made)?)?;
                Ok(made.paymentlink.id)
            });
            links.collect()
        };
        Ok(Self { looked_at: make(LOOKED_AT)?, paid: make(PAID * ROUNDS)? })
    }

    /// Payers who look at pages.
    pub(super) fn looks(&self) -> Look {
        Look(self.looked_at.clone())
    }

    /// Payers who pay, each another link.
    pub(super) fn payments(&self) -> Pay {
        Pay(self.paid.clone())
    }
}

/// `GET /pay/{id}` of a link that waits for its payer.
pub(super) struct Look(Vec<String>);

impl Requests for Look {
    fn write(&self, number: u64, buffer: &mut Vec<u8>) {
        get(buffer, &format!("/pay/{}", at(&self.0, number)), None);
    }
}

/// `POST /pay/{id}` with a reference that the test bank finds: the link is paid with it.
pub(super) struct Pay(Vec<String>);

impl Requests for Pay {
    fn write(&self, number: u64, buffer: &mut Vec<u8>) {
        // As in other loads, the ending is what the test bank finds; nobody else has the beginning.
        let fields = format!("reference=77{number:09}67890&seen=15075");
        form(buffer, &format!("/pay/{}", at(&self.0, number)), &fields);
    }

    fn a_round(&self) -> u64 {
        PAID as u64
    }

    fn success(&self) -> u16 {
        303
    }
}

fn at(links: &[String], number: u64) -> &str {
    &links[usize::try_from(number).unwrap_or(0) % links.len()]
}
