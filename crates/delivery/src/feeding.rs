//! What comes of a line that was cut short, once its places are free: what else there is of it, read
//! for itself, since a look comes past it only when it has been past the rows of all others.

use domain::ids::OwnerId;
use store::fault::Fault;
use store::tx::Tx;
use store::{Meter, delivery_lines};

use crate::looking::REST;
use crate::turns::{Candidate, Receiver};
use crate::{Deliveries, EVERY, WAITING_IN_A_LINE_MAX};

/// How many lines are fed before those who feed them rest.
const LINES_MAX: usize = 16;

/// How much of a line is read: as much as it has room for.
const READ_MAX: usize = WAITING_IN_A_LINE_MAX;

impl Deliveries {
    /// Feeds lines that were cut short, whenever one is nearly done.
    pub(crate) async fn feed_again_and_again(&self) {
        loop {
            self.turns.hungry().await;
            // What is being kept may be found due once more, and is then read again: not at once, or
            // one reading would bring about the next without an end.
            let rest = match self.feed().await {
                Ok(()) => REST,
                Err(error) => {
                    tracing::warn!(%error, "what else is to be delivered could not be told");
                    EVERY
                }
            };
            (self.outside.wait)(rest).await;
        }
    }

    /// Has what is due of hungry lines wait for its turn.
    pub(crate) async fn feed(&self) -> Result<(), Fault> {
        for _ in 0..LINES_MAX {
            let Some((owner, receiver)) = self.turns.next_hungry() else { break };
            if let Err(fault) = self.feed_line(owner, &receiver).await {
                self.turns.is_hungry(owner, &receiver);
                return Err(fault);
            }
        }
        Ok(())
    }

    async fn feed_line(&self, owner: OwnerId, receiver: &Receiver) -> Result<(), Fault> {
        let now = self.shared((self.outside.now)());
        let to = Receiver::clone(receiver);
        let max = i64::try_from(READ_MAX).unwrap_or(i64::MAX);
        let scan = move |tx: &mut Tx<'_>| delivery_lines::scan(tx, owner, &to, now, max);
        let found = self.store.read(&Meter::default(), scan).await?;
        let may_have_more = found.len() == READ_MAX;
        for id in found {
            let receiver = Receiver::clone(receiver);
            self.turns.add(Candidate { owner, id, receiver, written: None });
        }
        if may_have_more {
            self.turns.has_more(owner, receiver);
        }
        Ok(())
    }
}
