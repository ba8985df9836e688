//! Questions that are asked by themselves: together with whatever others ask on PostgreSQL, and on SQLite of
//! what is remembered.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::oneshot;

use super::Store;
use crate::fault::{Fault, FaultKind};
use crate::meter::Meter;
use crate::postgres::{Ask, Asks};
use crate::question::Both;
use crate::sqlite::remembered::{Rows, Since};
use crate::tx::{Cost, Tx};

impl Store {
    /// Asks two questions, each of which sees the latest commit: what a request needs to know who asks, and about
    /// what. On PostgreSQL all that is asked at an instant travels together; on SQLite what is known from asking before
    /// costs nothing, until something that it may have read is written: anything of its owner, or for a statement
    /// [`Sql::of_access`](crate::sql::Sql::of_access) only who may ask.
    ///
    /// # Errors
    /// As [`Store::look_up`].
    pub async fn ask<A, B>(&self, meter: &Meter, both: Both<A, B>) -> Result<(A, B), Fault>
    where
        A: Send + 'static,
        B: Send + 'static,
    {
        match self.backend.asks() {
            Some(asks) => ask_together(asks, meter, both).await,
            None => self.ask_here(meter, both).await,
        }
    }

    /// Asks by a look-up, unless the answers are remembered.
    async fn ask_here<A, B>(&self, meter: &Meter, both: Both<A, B>) -> Result<(A, B), Fault>
    where
        A: Send + 'static,
        B: Send + 'static,
    {
        let Some((remembered, owner)) = self.backend.remembered().zip(both.owner()) else {
            return self.look_up(meter, move |tx| both.ask(tx)).await;
        };
        // Taken before anything is asked.
        let now: Vec<_> = both.statements().map(|(sql, _)| remembered.now(owner, sql)).collect();
        let find =
            |((sql, params), now): (_, &Option<Since>)| remembered.find((*now)?, sql, params);
        if let Some(answers) = both.statements().zip(&now).map(find).collect() {
            return both.read(answers);
        }
        let both = Arc::new(both);
        let asked = Arc::clone(&both);
        let ask = move |tx: &mut Tx<'_>| tx.query_all(&asked.statements().collect::<Vec<_>>());
        let answers: Vec<Rows> =
            self.look_up(meter, ask).await?.into_iter().map(Into::into).collect();
        for (((sql, params), rows), now) in both.statements().zip(&answers).zip(now) {
            if let Some(now) = now {
                remembered.keep(now, sql, params, rows);
            }
        }
        both.read(answers)
    }
}

/// Asks in one flight with whatever others ask.
#[expect(clippy::disallowed_methods, reason = "the store times its own queue")]
async fn ask_together<A, B>(asks: &Asks, meter: &Meter, both: Both<A, B>) -> Result<(A, B), Fault> {
    let begun = Instant::now();
    let statements: Vec<_> =
        both.statements().map(|(sql, params)| (sql, params.to_vec())).collect();
    let cost = Cost { statements: u32::try_from(statements.len()).unwrap_or(u32::MAX), waits: 1 };
    let (answer, receiver) = oneshot::channel();
    asks.push(Ask { statements, answer });
    let gone = |_| Fault::new(FaultKind::Unavailable, "the store ended during a question");
    let answers = receiver.await.map_err(gone)?;
    meter.add(cost, begun.elapsed());
    both.read(answers?)
}
