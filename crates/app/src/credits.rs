//! The operation: `GET /v1/credits`.

use domain::access::ShowCredits;
use domain::ids::OwnerId;
use domain::money::Credits;
use domain::quota::forecast;
use domain::time::CaracasMonth;
use store::fault::Fault;
pub use store::ledger_pages::Line;
use store::{ledger_pages, owners};

use crate::{Act, App, Error};

/// Credits that an owner has, and its use of them in a month.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Whose it is.
    pub owner: OwnerId,
    /// The balance.
    pub balance: Credits,
    /// What of it open verifications hold.
    pub reserved: Credits,
    /// The month.
    pub month: CaracasMonth,
    /// Credits charged in it.
    pub used: Credits,
    /// Charged operations.
    pub operations: i64,
    /// What it comes to by its end, if it goes on so; nothing on its first day and of another month.
    pub forecast: Option<Credits>,
    /// Lines of the month, newest first.
    pub lines: Vec<Line>,
    /// Whether there are older ones.
    pub has_more: bool,
}

/// Which part of the statement is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The month; the present one, where none is said.
    pub month: Option<CaracasMonth>,
    /// Lines before this one.
    pub before: Option<i64>,
    /// How many lines.
    pub limit: u32,
}

/// Shows an owner's credits, the use of a month, and what its lines were for.
///
/// # Errors
/// A failure of the store.
pub async fn show(app: &App, act: &Act<ShowCredits>, part: Part) -> Result<Statement, Error> {
    let (owner, now) = (act.owner(), act.now);
    let month = part.month.unwrap_or_else(|| CaracasMonth::of(now));
    let limit = i64::from(part.limit);
    let read = app.store.read(act.meter(), move |tx| {
        let row = owners::find(tx, owner)?;
        let row = row.ok_or_else(|| Fault::broken("whom a caller works for is missing"))?;
        let used = ledger_pages::usage(tx, owner, month)?;
        let mut lines = ledger_pages::page(tx, owner, month, part.before, limit + 1)?;
        let has_more = lines.len() as u64 > u64::from(part.limit);
        lines.truncate(usize::try_from(part.limit).unwrap_or(usize::MAX));
        Ok(Statement {
            owner,
            balance: Credits::new(row.balance),
            reserved: Credits::new(row.reserved),
            month,
            used: used.posted,
            operations: used.operations,
            forecast: forecast(used.posted, month, now),
            lines,
            has_more,
        })
    });
    Ok(read.await?)
}

impl Statement {
    /// Returns the credits that no open verification holds.
    #[must_use]
    pub fn available(&self) -> Credits {
        self.balance.checked_sub(self.reserved).unwrap_or(Credits::ZERO)
    }
}
