//! Events made through the front door: a link that waits is paid by its payer, or rejected by its owner, and its
//! webhook says so.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::ValueEnum;
use serde_json::json;

use super::super::client::Client;
use super::super::lists::Made;
use super::super::requests::{form, post};
use super::super::seed::Account;

/// How many make links at once, before anything is measured.
const MAKERS: usize = 16;

/// How many connections an open loop has: with fewer, a server that is slow would slow it down.
const PACED: usize = 64;

/// The number of the next payment: no two have the same reference.
static PAYMENTS: AtomicU64 = AtomicU64::new(0);

/// How links end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    /// The owner rejects them: little more than the event is written.
    Rejections,
    /// Payers pay them at the test bank, each with a reference of its own: what merchants' events come from.
    Payments,
}

impl By {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Rejections => "rejections",
            Self::Payments => "payments",
        }
    }

    /// The request that ends a link, and the status that it is answered with.
    fn request(self, Link { id, key }: &Link) -> (Vec<u8>, u16) {
        match self {
            Self::Rejections => {
                (post(&format!("/v1/paymentlink/{id}/reject"), Some(key), "{}"), 200)
            }
            Self::Payments => {
                let number = PAYMENTS.fetch_add(1, Ordering::Relaxed);
                // The ending is what the test bank finds.
                let fields = format!("reference=77{number:09}67890&seen=15075");
                let mut request = Vec::new();
                form(&mut request, &format!("/pay/{id}"), &fields);
                (request, 303)
            }
        }
    }
}

/// A link that waits for its payer.
pub(super) struct Link {
    id: String,
    key: String,
}

/// A request that was answered: which link it was about, and the instant before it was sent.
pub(super) struct Sent {
    pub(super) link: String,
    pub(super) at: Instant,
}

/// How requests follow one another.
#[derive(Clone, Copy)]
pub(super) enum Pace {
    /// So many clients, each of which sends the next once its own was answered.
    Closed(usize),
    /// So many a second, whatever was answered.
    Open(f64),
}

/// Makes `count` links of these owners, in turns, whose ends are sent to `url`.
pub(super) async fn links(
    to: SocketAddr,
    owners: &[Account],
    url: &str,
    count: usize,
) -> Result<Vec<Link>> {
    let next = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..MAKERS)
        .map(|_| {
            let (owners, url, next) = (owners.to_vec(), url.to_owned(), Arc::clone(&next));
            tokio::spawn(async move {
                let (mut client, mut links) = (Client::connect(to).await?, Vec::new());
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return anyhow::Ok(links);
                    }
                    let owner = &owners[number % owners.len()];
                    let body = json!({
                        "amount": 150.75, "description": "Order", "webhook_url": url,
                        "user_bank_id": owner.bank.to_string(),
                    });
                    let make = post("/v1/paymentlink", Some(&owner.key), &body.to_string());
                    let answer = call(&mut client, &make, 200).await?;
                    let made: Made = serde_json::from_slice(&answer)?;
                    links.push(Link { id: made.paymentlink.id, key: owner.key.clone() });
                }
            })
        })
        .collect();
    let mut links = Vec::with_capacity(count);
    for task in tasks {
        links.extend(task.await??);
    }
    Ok(links)
}

/// Ends every link.
pub(super) async fn end(to: SocketAddr, by: By, links: Vec<Link>, pace: Pace) -> Result<Vec<Sent>> {
    let clients = match pace {
        Pace::Closed(clients) => clients,
        Pace::Open(_) => PACED,
    };
    let mut connections = Vec::with_capacity(clients);
    for _ in 0..clients {
        connections.push(Client::connect(to).await?);
    }
    let (links, next, begun) = (Arc::new(links), Arc::new(AtomicUsize::new(0)), Instant::now());
    let tasks: Vec<_> = connections
        .into_iter()
        .map(|client| {
            let (links, next) = (Arc::clone(&links), Arc::clone(&next));
            tokio::spawn(attend(client, by, (links, next), pace, begun))
        })
        .collect();
    let mut sent = Vec::with_capacity(links.len());
    for task in tasks {
        sent.extend(task.await??);
    }
    Ok(sent)
}

/// One client, until there is no more link to be ended.
async fn attend(
    mut client: Client,
    by: By,
    (links, next): (Arc<Vec<Link>>, Arc<AtomicUsize>),
    pace: Pace,
    begun: Instant,
) -> Result<Vec<Sent>> {
    let mut sent = Vec::new();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let Some(link) = links.get(number) else { return Ok(sent) };
        let (request, success) = by.request(link);
        let mut at = Instant::now();
        if let Pace::Open(per_second) = pace {
            let due = begun + Duration::from_secs_f64(number as f64 / per_second);
            if due > at {
                tokio::time::sleep_until(due.into()).await;
                at = Instant::now();
            } else {
                // Where all clients wait for answers, it is late, and that counts.
                at = due;
            }
        }
        call(&mut client, &request, success).await?;
        sent.push(Sent { link: link.id.clone(), at });
    }
}

async fn call(client: &mut Client, request: &[u8], success: u16) -> Result<Vec<u8>> {
    let answer = client.call(request).await?;
    if answer.status != success {
        bail!("{} {}", answer.status, String::from_utf8_lossy(answer.body));
    }
    Ok(answer.body.to_vec())
}
