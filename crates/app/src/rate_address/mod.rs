//! The address that reports exchange rates: asked by one node at a time, and what it reported is recorded.
//!
//! No node leads. A node that finds that it is due takes the turn under a fence, asks outside of any transaction, and
//! records under the same fence, so that an answer that comes too late changes nothing. A turn that its node did not
//! end is over with its lease, and another node, or the same one after a start, asks again.

mod taking;
mod wire;

use std::fmt;
use std::time::Duration;

use domain::ids::RateId;
use domain::links::Currency;
use domain::rates::{DoubtfulRate, ExchangeRate, RateOrigin, RateRule};
use domain::time::Timestamp;
use egress::RatesClient;
use store::fault::{Fault, WriteError};
use store::rate_address::{self, AddressState};
use store::tx::Tx;
use store::{Meter, exchange_rates};

use taking::{Kept, Taking};

use crate::rates::serving_all;
use crate::{App, Error};

/// How often a node looks whether it is due: not at one with those who look at whole seconds.
pub const POLL_INTERVAL: Duration = Duration::from_millis(5_300);

/// How much longer than its answer may take a node has the turn: it has to be recorded, too.
const LEASE_MORE: Duration = Duration::from_secs(30);

/// After how long it is asked again that gave no good answer, unless it is asked more often anyhow.
const ADDRESS_RETRY_DELAY: Duration = Duration::from_secs(60);

/// The address, and how it is asked.
#[derive(Debug)]
pub struct RateAddress {
    /// The way there.
    pub client: RatesClient,
    /// How long after a good answer it is asked again.
    pub every: Duration,
    /// How long an answer may take.
    pub timeout: Duration,
    /// By how many hundredths of the former a rate may be apart from it to be taken.
    pub jump_percent: u32,
}

/// Problem with an answer, in a few words that hold nothing of it but numbers of rows and names of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem(String);

impl<T: fmt::Display> From<T> for Problem {
    fn from(text: T) -> Self {
        Self(text.to_string())
    }
}

/// Asks the address where it is due, and records what it reported.
///
/// # Errors
/// A failure of the store. What is wrong with the address is kept and no error.
pub async fn pass(app: &App, address: &RateAddress) -> Result<(), Error> {
    let (meter, now) = (Meter::default(), app.clock.now());
    let latest = now.latest_believed(address.every + address.timeout + LEASE_MORE);
    let state = app.store.look_up(&meter, rate_address::state).await?;
    if state.is_some_and(|state| now < state.due_at && state.due_at <= latest) {
        return Ok(());
    }
    let until = now.plus(address.timeout + LEASE_MORE);
    let take = move |tx: &mut Tx<'_>| rate_address::take(tx, now, until, latest);
    // Another node was faster.
    let Some(fence) = app.store.write_shared(&meter, take).await? else { return Ok(()) };
    match ask(app, address).await {
        Ok(reported) => record(app, address, fence, reported).await?,
        Err(Problem(problem)) => fail(app, address, fence, problem).await?,
    }
    Ok(())
}

/// Asks the address for the rates that it reports, oldest first.
async fn ask(app: &App, address: &RateAddress) -> Result<Vec<ExchangeRate>, Problem> {
    let reply = address.client.get(address.timeout).await?;
    if reply.status != 200 {
        return Err(format!("it answered with status {}", reply.status).into());
    }
    let now = app.clock.now();
    let reported = wire::read(&reply.body, now)?;
    let rate = |reported: wire::ReportedRate| ExchangeRate {
        id: RateId::new(&*app.ids, now),
        currency: reported.currency,
        rate: reported.rate,
        value_date: reported.value_date,
        until: reported.until,
        published_at: reported.published_at,
        source: reported.source,
        origin: RateOrigin::Address,
    };
    Ok(reported.into_iter().map(rate).collect())
}

async fn fail(
    app: &App,
    address: &RateAddress,
    fence: i64,
    problem: String,
) -> Result<(), WriteError> {
    tracing::warn!(problem, "the address of exchange rates gave no good answer");
    let now = app.clock.now();
    let due_at = now.plus(address.every.min(ADDRESS_RETRY_DELAY));
    let keep = move |tx: &mut Tx<'_>| rate_address::failed(tx, fence, due_at, (&problem, now));
    app.store.write_shared(&Meter::default(), keep).await.map(drop)
}

async fn record(
    app: &App,
    address: &RateAddress,
    fence: i64,
    reported: Vec<ExchangeRate>,
) -> Result<(), WriteError> {
    let now = app.clock.now();
    let (due_at, percent) = (now.plus(address.every), address.jump_percent);
    let keep = move |tx: &mut Tx<'_>| {
        if !rate_address::answered(tx, fence, due_at, now)? {
            return Ok(None);
        }
        Taking::new(tx, percent, now)?.take_all(tx, &reported).map(Some)
    };
    let kept = app.store.write_shared(&Meter::default(), keep).await?;
    let Some(Kept { taken, corrected, doubted }) = kept else {
        tracing::warn!("the answer of the address of exchange rates came after its lease was over");
        return Ok(());
    };
    for rate in &taken {
        let (currency, day) = (rate.currency.as_str(), rate.value_date);
        tracing::info!(currency, value_date = %day, rate = %rate.rate, "exchange rate recorded");
    }
    for rate in &corrected {
        tracing::warn!(
            currency = rate.currency.as_str(),
            value_date = %rate.value_date,
            rate = %rate.rate,
            "exchange rate of one day corrected for the third time: see whether its source can be trusted; what you \
             record by `cotejo rates add` holds for that day"
        );
    }
    for rate in &doubted {
        let (currency, value_date) = (rate.currency.as_str(), rate.value_date);
        match rate.former {
            Some(former) => tracing::warn!(
                currency,
                %value_date,
                rate = %rate.rate,
                %former,
                "exchange rate not taken: it is far from the one before; if it is right, record it by \
                 `cotejo rates add --accept-jump`"
            ),
            None => tracing::warn!(
                currency,
                %value_date,
                rate = %rate.rate,
                "first exchange rate of its currency not taken yet: it waits for the next answer to agree, or for \
                 `cotejo rates add`"
            ),
        }
    }
    Ok(())
}

/// How rates stand: what serves now, what is doubtful, and how the address is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The rates that serve by value date, by currency.
    pub serving: Vec<ExchangeRate>,
    /// Number of corrections of each of them for its day.
    pub corrections: Vec<(Currency, u64)>,
    /// Those that nobody took.
    pub doubtful: Vec<DoubtfulRate>,
    /// How the address is; nothing where none was ever asked.
    pub address: Option<AddressState>,
}

/// Shows how rates stand at `now`.
///
/// # Errors
/// A fault of the store.
pub fn standing(tx: &mut Tx<'_>, now: Timestamp) -> Result<Standing, Fault> {
    let mut serving = Vec::new();
    for currency in Currency::ALL {
        serving.extend(serving_all(tx, currency, RateRule::ByValueDate, now)?);
    }
    let mut corrections = Vec::new();
    for rate in &serving {
        let day = rate.value_date..=rate.value_date;
        let recorded = exchange_rates::of_days(tx, rate.currency, day)?.len();
        corrections.push((rate.currency, recorded.saturating_sub(1) as u64));
    }
    let (doubtful, address) = (rate_address::doubtful(tx)?, rate_address::state(tx)?);
    Ok(Standing { serving, corrections, doubtful, address })
}
