//! The card of a test subscription's clock.

use app::subscriptions::{CLOCK_DAYS_MAX, SubscriptionRecord};
use domain::access::{AdvanceTestClock, Operation};
use domain::language::Language;
use domain::time::CaracasDate;
use web::Signed;

use crate::written;

texts! {
    /// Texts about the clock of a test subscription.
    ClockTexts {
        title: "Reloj de prueba", "Test clock";
        lead: "Adelántelo para ver qué hace esta suscripción con los días: los enlaces se abren y vencen, y su sistema recibe los avisos, en el mismo orden. No se atrasa.", "Advance it to see what this subscription does as days go by: links open and expire, and your system receives its webhooks, in the same order. It cannot go back.";
        shows: "Marca", "It shows";
        day: "Adelantar un día", "Advance one day";
        to_due: "Adelantar hasta el próximo día de pago:", "Advance to the next due date:";
        to: "Hasta el comienzo de este día", "To the beginning of this day";
        go: "Adelantar", "Advance";
        done: "El reloj se adelantó, y pasó todo lo que tocaba hasta entonces.", "Clock advanced. Everything due by then has happened.";
        stopped: "El reloj se detuvo antes de llegar: falta más de lo que se hace de una vez, o se está consultando un pago. Adelántelo otra vez.", "The clock stopped on the way: more is due than is done at once, or a payment is being checked. Advance it again.";
    }
}

/// The card of a clock.
pub(super) struct ClockCard {
    pub(super) t: &'static ClockTexts,
    /// The day and the minute that it shows.
    pub(super) shows: String,
    /// The next due day, and in how many days that is; nothing where it is too far.
    pub(super) due: Option<(String, u32)>,
}

impl ClockCard {
    /// The card for the person who looks. Nothing where the clock is the real one, or is not to be set any more.
    pub(super) fn of<O: Operation>(
        signed: &Signed<O>,
        record: &SubscriptionRecord,
    ) -> Option<Self> {
        let of = &record.subscription;
        let is_settable = !of.livemode && of.standing.end.is_none();
        if !is_settable || !signed.may::<AdvanceTestClock>() {
            return None;
        }
        let today = CaracasDate::of(record.now);
        let due = of.terms.due_after(today);
        let days = due.days_apart(today);
        let is_near = i64::from(days) <= CLOCK_DAYS_MAX;
        Some(Self {
            t: ClockTexts::of(signed.language()),
            shows: written::minute(record.now),
            due: is_near.then(|| (written::day(due), days)),
        })
    }
}

/// Says what an act has done that set the clock ahead.
pub(super) fn done(act: &str, language: Language) -> Option<&'static str> {
    let t = ClockTexts::of(language);
    match act {
        "clock" => Some(t.done),
        "clock-stopped" => Some(t.stopped),
        _ => None,
    }
}
