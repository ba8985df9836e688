//! The cycles of a subscription as its page lists them.

use app::subscriptions::{CycleRecord, CycleState, SubscriptionRecord};
use domain::access::{Operation, RenewCycleLink, WaiveCycle};
use domain::language::Language;
use domain::links::Status;
use domain::subscriptions::Period;
use domain::time::CaracasDate;
use web::Signed;

use super::path_of;
use crate::dashboard::{links, test_mode};
use crate::written;

texts! {
    /// Texts about cycles.
    CyclesTexts {
        title: "Períodos", "Periods";
        none: "Todavía no se ha abierto ningún período.", "No period has been opened yet.";
        number: "N.º", "No.";
        period: "Período", "Period";
        due: "Día de pago", "Due";
        status: "Estado", "Status";
        open: "Por pagar", "Awaiting payment";
        late: "Atrasado", "Overdue";
        paid: "Pagado", "Paid";
        lapsed: "Sin pagar a tiempo", "Not paid in time";
        canceled: "Anulado", "Cancelled";
        waived: "Perdonado", "Waived";
        not_owed: "No se debe", "Not owed";
        see_link: "Ver el enlace", "View link";
        renew: "Crear otro enlace", "Create another link";
        waive: "Perdonar un período", "Waive a period";
        waive_text: "Ya no se debe, y su enlace abierto se anula. Los demás quedan como están. No se puede deshacer.", "It is no longer owed, and its open link is cancelled. The others stay as they are. This cannot be undone.";
        waive_reason: "Por qué (puede quedar vacío)", "Reason (optional)";
        waive_reason_hint: "Queda en la auditoría.", "It is kept in the audit log.";
        waive_sure: "Sí, perdonar este período", "Yes, waive this period";
    }
}

/// A cycle as a row.
pub(super) struct CycleRow {
    pub(super) number: u32,
    pub(super) period: String,
    pub(super) due: String,
    pub(super) state: (&'static str, &'static str),
    /// The page of its link; nothing where the person who looks may not see links.
    pub(super) link: Option<String>,
    /// The form that gives it another link, where its own has ended and it can still be paid.
    pub(super) renew: Option<String>,
}

/// The form that waives the first cycle that is owed: the period, and where the form leads.
pub(super) struct WaiveForm {
    pub(super) period: String,
    pub(super) action: String,
}

impl WaiveForm {
    /// The form for the person who looks. Nothing where nobody owes anything, or the person may not waive it.
    pub(super) fn of<O: Operation>(
        signed: &Signed<O>,
        record: &SubscriptionRecord,
        owed: Option<&CycleRecord>,
    ) -> Option<Self> {
        let cycle = owed.filter(|_| signed.may::<WaiveCycle>())?;
        let (path, number) = (path_of(record.subscription.id), cycle.number.saturating_add(1));
        Some(Self {
            period: period(cycle.period, signed.language()),
            action: format!("{path}/cycles/{number}/waive"),
        })
    }
}

/// Lists these cycles of a subscription for the person who looks.
pub(super) fn rows<O: Operation>(
    signed: &Signed<O>,
    record: &SubscriptionRecord,
    cycles: &[CycleRecord],
) -> Vec<CycleRow> {
    let t = CyclesTexts::of(signed.language());
    let path = path_of(record.subscription.id);
    let may_renew = signed.may::<RenewCycleLink>();
    let row = |cycle: &CycleRecord| {
        let number = cycle.number.saturating_add(1);
        let is_offered = may_renew && is_renewable(record, cycle);
        CycleRow {
            number,
            period: period(cycle.period, signed.language()),
            due: written::day(cycle.due),
            state: state(record, cycle, t),
            link: links::path_for(signed, cycle.link.link.id),
            renew: is_offered.then(|| format!("{path}/cycles/{number}/link")),
        }
    };
    cycles.iter().map(row).collect()
}

/// Tells whether a cycle can be paid by another link: it is owed, and its own has ended.
fn is_renewable(record: &SubscriptionRecord, cycle: &CycleRecord) -> bool {
    let has_ended =
        matches!(cycle.link.status, Status::Failed | Status::Expired | Status::Canceled);
    is_owed(record, cycle) && has_ended
}

fn is_owed(record: &SubscriptionRecord, cycle: &CycleRecord) -> bool {
    let canceled_from = record.subscription.standing.canceled_from;
    let is_unpaid = matches!(cycle.state, CycleState::Open | CycleState::Lapsed);
    is_unpaid && canceled_from.is_none_or(|from| cycle.number < from)
}

/// Returns the state of a cycle, as a word and a class of the stylesheet.
fn state(
    record: &SubscriptionRecord,
    cycle: &CycleRecord,
    t: &CyclesTexts,
) -> (&'static str, &'static str) {
    let is_late = CaracasDate::of(record.now) > cycle.due;
    let (word, class) = match cycle.state {
        CycleState::Paid => (t.paid, "good"),
        CycleState::Canceled => (t.canceled, "bad"),
        CycleState::Waived => (t.waived, ""),
        CycleState::Open | CycleState::Lapsed if !is_owed(record, cycle) => (t.not_owed, "warn"),
        CycleState::Open if is_late => (t.late, "warn"),
        CycleState::Open => (t.open, ""),
        CycleState::Lapsed => (t.lapsed, "bad"),
    };
    (word, test_mode::class(class, !record.subscription.livemode))
}

/// Writes the days of a period, the last one included: `del 20/11/2026 al 19/12/2026`.
pub(super) fn period(of: Period, language: Language) -> String {
    let (first, last) = (of.begins, of.ends.plus_days(-1));
    if first == last {
        return written::day(first);
    }
    let (from, to) = (language.pick("del", "from"), language.pick("al", "to"));
    format!("{from} {} {to} {}", written::day(first), written::day(last))
}
