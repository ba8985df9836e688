//! The news that a payment is new, on its way to the one caller that is told.

use std::fmt;
use std::sync::Arc;

use domain::ids::{OwnerId, VerificationId};
use store::idempotency::Slot;
use store::{Lane, Meter, idempotency, verifications};

use crate::App;

/// A payment called new in an answer that has not reached its caller yet. Whoever drops it before
/// [`Announced::delivered`] gives the news back, so that the next call of the same kind is told;
/// wherever the answer gets lost, the channel, the handler or the connection, it is dropped.
pub struct Announced {
    news: Option<News>,
    app: Arc<App>,
}

/// Whose news it is.
#[derive(Clone, Debug)]
struct News {
    owner: OwnerId,
    /// The verification that claimed the payment.
    verification: VerificationId,
    /// Where the answer is kept for an `Idempotency-Key`.
    slot: Option<Slot>,
}

impl fmt::Debug for Announced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Announced").field("news", &self.news).finish_non_exhaustive()
    }
}

impl Announced {
    pub(super) fn new(
        app: &Arc<App>,
        owner: OwnerId,
        verification: VerificationId,
        slot: Option<Slot>,
    ) -> Self {
        Self { news: Some(News { owner, verification, slot }), app: Arc::clone(app) }
    }

    /// The answer is on its connection: the news is out.
    pub fn delivered(mut self) {
        self.news = None;
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        if let Some(news) = self.news.take() {
            self.app.tasks.spawn(Box::pin(give_back(Arc::clone(&self.app), news)));
        }
    }
}

/// Takes back that a payment was called new: nobody was there to hear so.
async fn give_back(app: Arc<App>, news: News) {
    let News { owner, verification, slot } = news;
    let written = app
        .store
        .write(&Meter::default(), Lane::Completion, owner, move |tx| {
            verifications::unannounce(tx, owner, verification)?;
            slot.as_ref().map_or(Ok(()), |slot| idempotency::forget(tx, owner, slot))
        })
        .await;
    if let Err(error) = written {
        tracing::error!(%verification, ?error, "a lost answer could not be taken back");
    }
}
