//! The loop that asks the address of exchange rates, where one is set.

use std::sync::Arc;

use anyhow::Context;
use app::App;
use app::rate_address::{POLL_INTERVAL, RateAddress, pass};
use egress::RatesClient;
use tokio_util::sync::CancellationToken;

use super::banks::waiting_by;
use crate::config::Rates;

/// The address, as it is asked; nothing where none is set.
///
/// # Errors
/// Where the machine cannot offer what the address needs.
pub(super) fn connect(app: &App, rates: Option<&Rates>) -> anyhow::Result<Option<RateAddress>> {
    let Some(rates) = rates else { return Ok(None) };
    let client = RatesClient::new(rates.url.clone(), waiting_by(&app.clock));
    Ok(Some(RateAddress {
        client: client.context("the connection to rates.url")?,
        every: rates.every,
        timeout: rates.timeout,
        jump_percent: rates.jump_percent,
    }))
}

/// Asks until it is asked to stop; an answer that is waited for is given up, since another node, or the next start,
/// asks again.
pub(super) async fn run(app: Arc<App>, address: Option<RateAddress>, stop: CancellationToken) {
    let Some(address) = address else { return };
    let work = async {
        loop {
            if let Err(error) = pass(&app, &address).await {
                tracing::warn!(?error, "exchange rates could not be recorded");
            }
            app.clock.sleep(POLL_INTERVAL).await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = work => {}
    }
}
