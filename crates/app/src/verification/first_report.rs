//! The first report of a payment, on its way to the one caller that gets it.

use std::fmt;
use std::sync::Arc;

use domain::ids::{FirstReportId, OwnerId, VerificationId};
use store::idempotency::Slot;
use store::tx::Tx;
use store::{Lane, Meter, idempotency, verifications};

use super::call::Call;
use super::settlement::SettleResult;
use crate::App;

/// A payment called new in an answer that has not reached its caller yet. Dropped before
/// [`FirstReportGuard::delivered`], it gives the report back, and the next call of the same kind gets it; wherever the
/// answer gets lost, the channel, the handler or the connection, it is dropped.
pub struct FirstReportGuard {
    report: Option<Report>,
    app: Arc<App>,
}

/// First report of a payment, and the verification and the slot that it belongs to.
#[derive(Clone, Debug)]
struct Report {
    owner: OwnerId,
    id: FirstReportId,
    /// The verification that claimed the payment.
    verification: VerificationId,
    /// Where the answer is kept for an `Idempotency-Key`.
    slot: Option<Slot>,
}

impl fmt::Debug for FirstReportGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FirstReportGuard").field("report", &self.report).finish_non_exhaustive()
    }
}

impl FirstReportGuard {
    /// The one of a settled answer, if that reports its payment as new.
    pub(super) fn of(app: &Arc<App>, call: &Call, settling: &SettleResult) -> Option<Self> {
        let payment = settling.payment.as_ref().filter(|_| settling.settled.is_new)?;
        let (owner, id, slot) = (call.owner, call.first_report?, call.slot.clone());
        let report = Some(Report { owner, id, verification: payment.verification, slot });
        Some(Self { report, app: Arc::clone(app) })
    }

    /// The one of the page of a verification, which no slot keeps.
    pub(super) fn of_page(
        app: &Arc<App>,
        owner: OwnerId,
        verification: VerificationId,
        id: FirstReportId,
    ) -> Self {
        let report = Some(Report { owner, id, verification, slot: None });
        Self { report, app: Arc::clone(app) }
    }

    /// The answer is on its connection: the payment was reported.
    pub fn delivered(mut self) {
        self.report = None;
    }
}

impl Drop for FirstReportGuard {
    fn drop(&mut self) {
        if let Some(report) = self.report.take() {
            self.app.tasks.spawn(Box::pin(give_back_report(Arc::clone(&self.app), report)));
        }
    }
}

/// Takes back that a payment was called new, since nobody was there to receive that report; unless
/// the report was handed to a call that came for the same answer.
async fn give_back_report(app: Arc<App>, report: Report) {
    let Report { owner, id, verification, slot } = report;
    let job = move |tx: &mut Tx<'_>| {
        if verifications::unannounce(tx, owner, verification, id)?
            && let Some(slot) = &slot
        {
            idempotency::forget_first_report(tx, owner, slot, id)?;
        }
        Ok(())
    };
    let written = app.store.write_again(&Meter::default(), Lane::Completion, owner, job).await;
    if let Err(error) = written {
        tracing::error!(%verification, ?error, "the first report of an undelivered answer could not be given back");
    }
}
