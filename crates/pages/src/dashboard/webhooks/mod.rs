//! Integrations: what is sent to the owner's systems, and how that went.

mod check;
mod deliveries;
mod delivery;
mod endpoint;
mod evidence;
mod redeliveries;
mod secret;
mod setup;
mod trial;

use domain::access::{
    Entry, ListDeliveries, Operation, RedeliverFailed, ShowWebhookEndpoint, TestWebhook,
};
use domain::ids::EventId;
use domain::language::Language;
use domain::refusal::{Problem, Refusal};
use domain::webhooks::{DeliveryState, EventKind};
use web::Signed;

use super::integrations::{Tab, tabs};
use super::route::PageRoute;

texts! {
    /// What several pages of webhooks say.
    WebhooksTexts {
        title: "Webhooks", "Webhooks";
        places: "Páginas de webhooks", "Webhook pages";
        deliveries: "Entregas", "Deliveries";
        test: "Probar", "Test";
        again: "Reenviar", "Retry failed";
        setup: "Ajustes", "Settings";
        pending: "En curso", "In progress";
        delivered: "Entregado", "Delivered";
        exhausted: "No entregado", "Not delivered";
        saved: "Guardado.", "Saved.";
    }
}

pub(super) const PATH: &str = "/app/webhooks";

pub(super) fn routes() -> Vec<PageRoute> {
    let groups = [
        deliveries::routes(),
        delivery::routes(),
        evidence::routes(),
        trial::routes(),
        check::routes(),
        redeliveries::routes(),
        setup::routes(),
        secret::routes(),
        endpoint::routes(),
    ];
    groups.into_iter().flatten().collect()
}

/// The head of each of these pages: the tabs, the title, and the way to the others.
#[derive(Debug)]
struct Places {
    w: &'static WebhooksTexts,
    tabs: Vec<Tab>,
    all: Vec<Tab>,
}

/// Name of a page, in the language of the texts.
type Name = fn(&'static WebhooksTexts) -> &'static str;

/// The pages: where, what each is called, and the operation that it stands for.
const PLACES: [(&str, Name, Entry); 4] = [
    (PATH, |t| t.deliveries, ListDeliveries::ENTRY),
    (trial::PATH, |t| t.test, TestWebhook::ENTRY),
    (redeliveries::PATH, |t| t.again, RedeliverFailed::ENTRY),
    (setup::PATH, |t| t.setup, ShowWebhookEndpoint::ENTRY),
];

impl Places {
    /// Lists the pages that the person signed in may see, at one of them.
    fn at<O: Operation>(signed: &Signed<O>, here: &str) -> Self {
        let (caller, now) = (signed.caller(), signed.act.now);
        let w = WebhooksTexts::of(signed.language());
        let open = PLACES.iter().filter(|(.., entry)| entry.check(caller, now).is_ok());
        let place = |(href, name, _): &(&'static str, Name, Entry)| Tab {
            href,
            text: name(w),
            is_here: *href == here,
        };
        Self { w, tabs: tabs(signed, PATH), all: open.map(place).collect() }
    }
}

/// The delivery that a path names. Text of another form names none.
fn delivery_id(text: &str) -> Result<EventId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("webhook_delivery"))
}

/// The page of that delivery.
fn path_of(id: EventId) -> String {
    format!("{PATH}/deliveries/{id}")
}

/// How a delivery stands, as a word and a class of the stylesheet.
const fn standing(state: DeliveryState, w: &WebhooksTexts) -> (&'static str, &'static str) {
    match state {
        DeliveryState::Pending => (w.pending, "warn"),
        DeliveryState::Delivered => (w.delivered, "good"),
        DeliveryState::Exhausted => (w.exhausted, "bad"),
    }
}

/// Returns what an event is about, in words.
const fn event_name(kind: EventKind, language: Language) -> &'static str {
    let (es, en) = match kind {
        EventKind::Link => ("Enlace de pago", "Payment link"),
        EventKind::LinkPaid => ("Enlace pagado", "Link paid"),
        EventKind::LinkFailed => ("Enlace fallido", "Link failed"),
        EventKind::LinkExpired => ("Enlace vencido", "Link expired"),
        EventKind::LinkCanceled => ("Enlace anulado", "Link cancelled"),
        EventKind::LowBalance => ("Quedan pocos créditos", "Few credits left"),
        EventKind::KeyLimitReached => ("Límite de una llave agotado", "API key limit used up"),
        EventKind::ClientQuotaReached => ("Cuota de un cliente agotada", "Client quota used up"),
        EventKind::MonthTurned => ("Empezó otro mes", "New month started"),
        EventKind::DestinationFailing => {
            ("Un destino dejó de responder", "An endpoint stopped responding")
        }
        EventKind::SubscriptionReminder => ("Recordatorio de pago", "Payment reminder"),
        EventKind::Test => ("Prueba", "Test"),
    };
    language.pick(es, en)
}

/// The refusal with what is wrong with an address beside its field.
fn beside_url(refusal: Refusal) -> Refusal {
    match refusal {
        Refusal::WebhookUrlNotAllowed(trouble) => {
            let text = |language| trouble.text(language).to_owned();
            Refusal::invalid("url", Problem::made(text(Language::Es), text(Language::En)))
        }
        other => other,
    }
}
