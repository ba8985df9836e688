//! The connectors that this installation has.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context;
use app::Clock;
use bank::Bank;
use banks::bdv::Bdv;
use banks::test_bank::TestBank;
use egress::{BankClient, Wait};

use crate::config::Banks;

/// Makes the connectors, by their providers' names on the wire.
///
/// # Errors
/// Where the machine cannot offer what a bank's address needs.
pub(super) fn connect(
    config: &Banks,
    clock: &Arc<dyn Clock>,
    wait: &Wait,
) -> anyhow::Result<HashMap<&'static str, Arc<dyn Bank>>> {
    let mut connectors: Vec<Arc<dyn Bank>> = vec![Arc::new(TestBank::new(Wait::clone(wait)))];
    if let Some(bdv) = &config.bdv {
        let client = BankClient::new(bdv.url.clone(), Wait::clone(wait));
        let client = client.context("the connection to Banco de Venezuela (bdv.url)")?;
        let now = Arc::clone(clock);
        let clock = banks::Clock { now: Arc::new(move || now.now()), wait: Wait::clone(wait) };
        connectors.push(Arc::new(Bdv::new(client, bdv.environment, clock)));
    }
    Ok(connectors.into_iter().map(|bank| (bank.capabilities().provider, bank)).collect())
}
