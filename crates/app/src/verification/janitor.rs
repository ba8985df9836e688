//! Looks after what nobody carries any more: takes open verifications over, and lets reservations
//! lapse.

use std::sync::Arc;
use std::time::Duration;

use domain::ids::{OwnerId, VerificationId};
use domain::time::Timestamp;
use domain::verification::{Failed, LEASE, RESERVATION, State, Takeover, on_takeover};
use store::fault::{Fault, WriteError};
use store::tx::Tx;
use store::verification_leases::Open;
use store::verifications::Verification;
use store::{Lane, Meter, accounts, links, verification_leases, verifications};

use super::asked::Asked;
use super::run::Run;
use super::settle::{Ending, void};
use crate::App;
use crate::links::Teller;

/// Takes over every open verification whose lease ends before `ahead` from now, and expires those
/// past their deadline. `ahead` is zero but for the start of a node that has the data to itself:
/// there every lease is of a holder that is gone, and none is longer than [`LEASE`].
///
/// A row that cannot be taken is logged and left for the next pass, so that it stops no other.
///
/// # Errors
/// A failure of the store to tell what is due.
pub async fn pass(app: &Arc<App>, ahead: Duration) -> Result<(), Fault> {
    let meter = Meter::default();
    let horizon = app.clock.now().plus(ahead);
    let mut after = None;
    loop {
        let scan = move |tx: &mut Tx<'_>| verification_leases::scan(tx, after);
        let found = app.store.look_up(&meter, scan).await?;
        for &Open { owner, id, .. } in found.iter().filter(|open| open.until <= horizon) {
            if let Err(error) = take(app, &meter, owner, id, horizon).await {
                tracing::error!(verification = %id, ?error, "could not be taken over");
            }
        }
        after = found.last().copied();
        if after.is_none() {
            return Ok(());
        }
    }
}

async fn take(
    app: &Arc<App>,
    meter: &Meter,
    owner: OwnerId,
    id: VerificationId,
    horizon: Timestamp,
) -> Result<(), WriteError> {
    let now = app.clock.now();
    let teller = Teller::new(app, now);
    let taken = app
        .store
        .write(meter, Lane::Completion, owner, move |tx| {
            let row = verifications::find(tx, owner, id)?;
            let Some(row) = row.filter(|row| row.state == State::Asking) else { return Ok(None) };
            let account = accounts::find(tx, owner, row.bank)?;
            let provider = account.map(|account| account.provider).unwrap_or_default();
            match on_takeover(now, row.deadline, row.calls) {
                Takeover::Expire => {
                    let teller = Some(&teller);
                    expire(tx, &Ending { owner, provider: &provider, teller, now }, &row)?;
                    Ok(None)
                }
                Takeover::WaitUntil(deadline) => {
                    verification_leases::renew(tx, owner, id, row.calls, deadline)?;
                    Ok(None)
                }
                Takeover::Ask => {
                    let (until, deadline) = (now.plus(LEASE), now.plus(RESERVATION));
                    let call = row.calls;
                    let is_taken =
                        verification_leases::take(tx, owner, id, call, horizon, until, deadline)?;
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
fn expire(tx: &mut Tx<'_>, ending: &Ending<'_>, row: &Verification) -> Result<(), Fault> {
    if let Some(link) = row.link {
        links::find_held(tx, ending.owner, link)?;
    }
    match verifications::find_locked(tx, ending.owner, row.id)? {
        Some(row) if row.state == State::Asking && row.deadline <= ending.now => {
            void(tx, ending, &row, Failed::Expired).map(drop)
        }
        _ => Ok(()),
    }
}

/// Carries a row on that was taken over. One whose connector this node does not have waits for its
/// deadline.
fn resume(app: &Arc<App>, owner: OwnerId, row: &Verification, provider: &str) {
    let Some(connector) = app.banks.get(provider).cloned() else {
        tracing::error!(verification = %row.id, provider, "no connector to take it over with");
        return;
    };
    match Asked::from_json(row.query.as_str()).and_then(|asked| asked.query()) {
        Ok(query) => {
            tracing::info!(verification = %row.id, calls = row.calls, "taken over");
            let run = Run::of_row(app, connector, owner, row, query);
            app.tasks.spawn(Box::pin(run.drive()));
        }
        Err(error) => tracing::error!(verification = %row.id, %error, "cannot be asked again"),
    }
}
