//! Subscriptions: customers who pay the same again and again, and how each of them stands.

mod act;
mod advance;
mod clock;
mod collected;
mod cycles;
mod list;
mod new;
mod payer_page;
mod price;
mod request;
mod show;
mod sums;
mod unpaid;

use app::subscriptions::SubscriptionRecord;
use domain::access::{Operation, ShowSubscription};
use domain::ids::SubscriptionId;
use domain::language::Language;
use domain::refusal::Refusal;
use domain::subscriptions::Status;
use web::Signed;

use super::route::PageRoute;
use super::test_mode;

texts! {
    /// Texts that several pages of subscriptions have.
    SubscriptionsTexts {
        title: "Suscripciones", "Subscriptions";
        new: "Nueva suscripción", "New subscription";
        pending: "Falta el primer pago", "Awaiting first payment";
        trialing: "En prueba", "In trial";
        active: "Al día", "Up to date";
        past_due: "Atrasada", "Past due";
        paused: "En pausa", "Paused";
        completed: "Terminada", "Completed";
        canceled: "Anulada", "Cancelled";
        expired: "No se pagó a tiempo", "Not paid in time";
        back_to_all: "Volver a las suscripciones", "Back to subscriptions";
    }
}

const PATH: &str = "/app/subscriptions";

pub(super) fn routes() -> Vec<PageRoute> {
    let groups = [
        list::routes(),
        new::routes(),
        show::routes(),
        act::routes(),
        price::routes(),
        unpaid::routes(),
        advance::routes(),
    ];
    groups.into_iter().flatten().collect()
}

/// The page of that subscription; nothing where the person signed in may not see subscriptions.
pub(super) fn path_for<O: Operation>(signed: &Signed<O>, id: SubscriptionId) -> Option<String> {
    signed.may::<ShowSubscription>().then(|| path_of(id))
}

/// The page of that subscription.
fn path_of(id: SubscriptionId) -> String {
    format!("{PATH}/{id}")
}

/// The subscription that a path names. Text of another form names none.
fn subscription_id(text: &str) -> Result<SubscriptionId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("subscription"))
}

/// Returns the state of a subscription, as a word and a class of the stylesheet.
fn standing(record: &SubscriptionRecord, k: &SubscriptionsTexts) -> (&'static str, &'static str) {
    let (word, class) = match record.standing {
        Status::Pending => (k.pending, ""),
        Status::Trialing => (k.trialing, ""),
        Status::Active => (k.active, "good"),
        Status::PastDue => (k.past_due, "bad"),
        Status::Paused => (k.paused, "warn"),
        Status::Completed => (k.completed, ""),
        Status::Canceled => (k.canceled, "bad"),
        Status::Expired => (k.expired, "bad"),
    };
    (word, test_mode::class(class, !record.subscription.livemode))
}

/// Writes on which day a payer is reminded: `3 días antes`, `el día de pago`, `1 día después`.
fn reminder_day(day: i8, language: Language) -> String {
    let days = match day.unsigned_abs() {
        0 => return language.pick("el día de pago", "on the due date").to_owned(),
        1 => format!("1 {}", language.pick("día", "day")),
        days => format!("{days} {}", language.pick("días", "days")),
    };
    let when =
        if day < 0 { language.pick("antes", "before") } else { language.pick("después", "after") };
    format!("{days} {when}")
}

/// Writes how many cycles were paid, and of how many where they are limited: `3`, `3 de 12`.
fn paid(record: &SubscriptionRecord, language: Language) -> String {
    let of = &record.subscription;
    match of.terms.cycles {
        Some(cycles) => format!("{} {} {cycles}", of.paid, language.pick("de", "of")),
        None => of.paid.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_day_of_a_reminder_is_written_by_its_place() {
        for (day, es, en) in [
            (-3, "3 días antes", "3 days before"),
            (-1, "1 día antes", "1 day before"),
            (0, "el día de pago", "on the due date"),
            (1, "1 día después", "1 day after"),
            (30, "30 días después", "30 days after"),
        ] {
            assert_eq!(reminder_day(day, Language::Es), es);
            assert_eq!(reminder_day(day, Language::En), en);
        }
    }
}
