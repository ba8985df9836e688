//! Looks after what nobody carries any more: takes open verifications over, and lets reservations
//! lapse.

use std::sync::Arc;

use domain::ids::OwnerId;
use domain::verification::{
    Failed, LEASE, RESERVATION, State, Takeover, is_lease_over, on_takeover,
};
use store::fault::{Fault, WriteError};
use store::one_by_one::{self, Reach};
use store::tx::Tx;
use store::verification_leases::Open;
use store::verifications::Verification;
use store::{Lane, Meter, accounts, links, verification_leases, verifications};

use super::asked::Asked;
use super::run::Run;
use super::settle::void;
use super::settlement::EndContext;
use crate::App;
use crate::clock_skew::is_clock_near_database;
use crate::links::LinkEvents;

/// Which open verifications are looked after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those whose lease is over.
    Over,
    /// All: at the start of a node that has the data to itself, every lease is of a holder that is gone.
    All,
}

/// Takes over the open verifications that nobody carries any more, and expires those past their deadline. Where not every
/// owner can be reached, it goes through those of the others one by one.
///
/// A row that cannot be taken is logged and left for the next pass, so that it stops no other.
///
/// # Errors
/// A failure of the store to say what is due.
pub async fn pass(app: &Arc<App>, which: Which) -> Result<(), Fault> {
    let now = app.clock.now();
    let all = pass_over(app, which, None);
    match one_by_one::reach(&app.store, "verifications", now, all).await? {
        Reach::All(()) => {}
        Reach::OneByOne(owners) => {
            for owner in owners {
                if let Err(fault) = pass_over(app, which, Some(owner)).await {
                    one_by_one::note_silence(&app.store, owner, &fault, app.clock.now());
                }
            }
        }
    }
    Ok(())
}

/// Looks after the open verifications of one owner, or of all.
async fn pass_over(app: &Arc<App>, which: Which, owner: Option<OwnerId>) -> Result<(), Fault> {
    let meter = Meter::default();
    let (mut after, mut is_clock_checked) = (None, false);
    loop {
        let scan = move |tx: &mut Tx<'_>| match owner {
            Some(owner) => one_by_one::open_verifications(tx, owner, after),
            None => verification_leases::scan(tx, after),
        };
        let found = app.store.look_up(&meter, scan).await?;
        let now = app.clock.now();
        let is_over =
            |open: &Open| which == Which::All || is_lease_over(now, open.until, open.call);
        for &open in found.iter().filter(|open| is_over(open)) {
            is_clock_checked = is_clock_checked || is_clock_near_database(app).await?;
            if !is_clock_checked {
                tracing::warn!(
                    "no verification is taken over: this clock is more than two seconds off the database's"
                );
                return Ok(());
            }
            if let Err(error) = take(app, &meter, open).await {
                tracing::error!(verification = %open.id, ?error, "verification could not be taken over");
            }
        }
        after = found.last().copied();
        if after.is_none() {
            return Ok(());
        }
    }
}

async fn take(app: &Arc<App>, meter: &Meter, found: Open) -> Result<(), WriteError> {
    let now = app.clock.now();
    let events = LinkEvents::new(app, now);
    let Open { owner, id, call, .. } = found;
    let taken = app
        .store
        .write(meter, Lane::Completion, owner, move |tx| {
            let row = verifications::find(tx, owner, id)?;
            let Some(row) = row.filter(|row| row.state == State::Asking && row.calls == call)
            else {
                return Ok(None);
            };
            let account = accounts::find(tx, owner, row.bank)?;
            let provider = account.map(|account| account.provider).unwrap_or_default();
            match on_takeover(now, row.deadline, row.calls) {
                Takeover::Expire => {
                    let events = Some(&events);
                    expire(tx, &EndContext { owner, provider: &provider, events, now }, &row)?;
                    Ok(None)
                }
                Takeover::WaitUntil(deadline) => {
                    verification_leases::renew(tx, owner, id, call, deadline)?;
                    Ok(None)
                }
                Takeover::Ask => {
                    let (until, deadline) = (now.plus(LEASE), now.plus(RESERVATION));
                    let is_taken = verification_leases::take(tx, found, until, deadline)?;
                    Ok(is_taken.then_some((row, provider)))
                }
            }
        })
        .await?;
    if let Some((row, provider)) = taken {
        resume(app, owner, &row, &provider);
    }
    Ok(())
}

/// Voids a reservation whose time is over, unless its row has got an end, or more time, since it was looked at.
fn expire(tx: &mut Tx<'_>, ending: &EndContext<'_>, row: &Verification) -> Result<(), Fault> {
    if let Some(link) = row.link {
        links::find_held(tx, ending.owner, link)?;
    }
    match verifications::find_locked(tx, ending.owner, row.id)? {
        Some(row)
            if row.state == State::Asking
                && on_takeover(ending.now, row.deadline, row.calls) == Takeover::Expire =>
        {
            void(tx, ending, &row, Failed::Expired).map(drop)
        }
        _ => Ok(()),
    }
}

/// Carries a row on that was taken over. One whose connector this node does not have waits for its
/// deadline.
fn resume(app: &Arc<App>, owner: OwnerId, row: &Verification, provider: &str) {
    let Some(connector) = app.banks.get(provider).cloned() else {
        tracing::error!(verification = %row.id, provider, "verification not taken over: no connector for its bank");
        return;
    };
    match Asked::from_json(row.query.as_str()).and_then(|asked| asked.query()) {
        Ok(query) => {
            tracing::info!(verification = %row.id, calls = row.calls, "verification taken over");
            let run = Run::of_row(app, connector, owner, row, query);
            app.tasks.spawn(Box::pin(run.drive()));
        }
        Err(error) => {
            tracing::error!(verification = %row.id, %error, "verification not taken over: its question cannot be read");
        }
    }
}
