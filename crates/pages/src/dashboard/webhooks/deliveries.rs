//! `GET /app/webhooks`: the webhooks that were sent, the newest first.

use app::paging::Page;
use app::webhooks::{Filter, Found, Listed, Next};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListDeliveries, TestWebhook};
use domain::ids::LinkId;
use domain::language::Language;
use domain::webhooks::{DeliveryState, EventKind};
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::{PATH, Places, WebhooksTexts, event_name, path_of, standing};
use crate::dashboard::choice::Choice;
use crate::dashboard::days::Days;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::{count, instant};
use crate::page::of_template;

texts! {
    DeliveriesTexts {
        title: "Entregas", "Deliveries";
        more: "Más filtros", "More filters";
        lead: "Cada aviso que Cotejo envió a sus servidores, y qué resultó.", "Every event that Cotejo sent to your servers, and its result.";
        link: "Id del enlace", "Link ID";
        state: "Estado", "Status";
        event: "Aviso", "Event";
        receiver: "Destino", "Destination";
        from: "Desde", "From";
        to: "Hasta", "To";
        any: "Todos", "All";
        filter: "Filtrar", "Filter";
        clear: "Quitar filtros", "Clear filters";
        created: "Creado", "Created";
        attempts: "Intentos", "Attempts";
        next: "Sigue", "Next attempt";
        now: "En este momento", "Now";
        needs_link: "Escriba el id de un enlace suyo para ver sus avisos.", "Enter the ID of one of your links to view its events.";
        no_link: "Eso no es el id de un enlace. Cópielo del enlace: empieza por link_", "That is not a link ID. Copy it from the link: it starts with link_";
        empty: "Todavía no hay avisos. Se envían cuando un enlace con webhook se paga o falla.", "No events yet. They are sent when a link with a webhook is paid or fails.";
        try_out: "Probar mi servidor", "Test my server";
        none: "Ningún aviso es así.", "No events match these filters.";
        looked: "Con estos filtros solo se miró hasta esta fecha; para ver lo anterior, ponga fechas:", "With these filters, only events back to this date were searched. To see earlier ones, enter dates:";
    }
}

#[derive(Template)]
#[template(path = "dashboard/webhooks/deliveries.html")]
struct DeliveriesPage {
    f: Frame,
    t: &'static DeliveriesTexts,
    places: Places,
    form: FormState,
    states: Vec<Choice>,
    events: Vec<Choice>,
    path: &'static str,
    is_filtered: bool,
    /// Whether one of those is set that are folded.
    has_more: bool,
    /// Where nobody is shown anything without a link.
    asks_link: bool,
    are_days_wrong: bool,
    looked_since: Option<String>,
    /// Where an owner that has sent no webhook yet can begin.
    try_out: Option<&'static str>,
    rows: Vec<Row>,
    pager: Pager,
}

struct Row {
    href: String,
    created: String,
    event: &'static str,
    is_test: bool,
    receiver: String,
    state: (&'static str, &'static str),
    trouble: Option<&'static str>,
    attempts: String,
    next: String,
}

/// The fields of the filters.
const FIELDS: [&str; 6] = ["payment_link_id", "state", "event", "receiver", "from", "to"];

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListDeliveries, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ListDeliveries>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let t = DeliveriesTexts::of(language);
    let typed = |name: &str| web::query::typed(&uri, name);
    let values = FIELDS.map(|name| (name, typed(name)));
    let pairs: Vec<_> = values.iter().map(|(name, value)| (*name, &**value)).collect();
    let number = page_of(&uri);
    let (wanted, days) = (wanted(&typed), Days::of(&uri, language));
    let asks_link = signed.caller().client().is_some() && typed("payment_link_id").is_empty();
    let mut form = days.beside(FormState::with(&pairs));
    let found = match (wanted, asks_link || days.are_wrong()) {
        (Some(filter), false) => {
            let filter = Filter { livemode: signed.test_mode.livemode(), ..filter };
            app::webhooks::list(&state.app, &signed.act, filter, days.page(number)).await?
        }
        (wanted, _) => {
            if wanted.is_none() {
                form = form.with_problem("payment_link_id", t.no_link);
            }
            Found { page: Page { entries: Vec::new(), total: 0 }, looked_since: None }
        }
    };
    let w = WebhooksTexts::of(language);
    let page = DeliveriesPage {
        f: Frame::of(&state.app, &signed, &uri, w.title).await?,
        t,
        places: Places::at(&signed, PATH),
        states: states(t, w),
        events: events(t, language),
        path: PATH,
        has_more: pairs.iter().any(|(name, value)| *name != "payment_link_id" && !value.is_empty()),
        is_filtered: pairs.iter().any(|(_, value)| !value.is_empty()),
        asks_link,
        are_days_wrong: days.are_wrong(),
        looked_since: found.looked_since.map(instant),
        try_out: signed.may::<TestWebhook>().then_some(super::trial::PATH),
        pager: Pager::of(&uri, number, found.page.total, language),
        rows: found.page.entries.iter().map(|listed| row(listed, (t, w), language)).collect(),
        form,
    };
    Ok(of_template(&page, StatusCode::OK))
}

/// Reads what the filters say; nothing where they name a link that is none. A word that nothing offers filters nothing.
fn wanted(typed: &impl Fn(&str) -> String) -> Option<Filter> {
    let link = Some(typed("payment_link_id")).filter(|link| !link.is_empty());
    let link = link.map(|link| link.parse::<LinkId>()).transpose().ok()?;
    let receiver = Some(typed("receiver").to_ascii_lowercase());
    Some(Filter {
        state: DeliveryState::parse(&typed("state")),
        event: EventKind::parse(&typed("event")),
        link,
        receiver: receiver.filter(|receiver| !receiver.is_empty()),
        livemode: None,
    })
}

fn states(t: &DeliveriesTexts, w: &WebhooksTexts) -> Vec<Choice> {
    let choice = |state: DeliveryState| Choice::new(state.as_str(), standing(state, w).0);
    let all = [Choice::new("", t.any)];
    all.into_iter().chain(DeliveryState::ALL.into_iter().map(choice)).collect()
}

fn events(t: &DeliveriesTexts, language: Language) -> Vec<Choice> {
    let choice = |kind: EventKind| Choice::new(kind.as_str(), event_name(kind, language));
    let all = [Choice::new("", t.any)];
    // What nobody writes any more is not offered.
    let kinds = EventKind::ALL.into_iter().filter(|kind| *kind != EventKind::Link);
    all.into_iter().chain(kinds.map(choice)).collect()
}

fn row(listed: &Listed, (t, w): (&DeliveriesTexts, &WebhooksTexts), language: Language) -> Row {
    Row {
        href: path_of(listed.id),
        created: instant(listed.created_at),
        event: event_name(listed.kind, language),
        is_test: !listed.livemode,
        receiver: listed.receiver.clone(),
        state: standing(listed.state, w),
        trouble: listed.trouble.map(|trouble| trouble.text(language)),
        attempts: count(i64::from(listed.attempts), language),
        next: next(listed.next, t.now),
    }
}

/// When it is tried next; empty where it is not.
fn next(next: Next, now: &str) -> String {
    match next {
        Next::Nothing => String::new(),
        Next::At(at) => instant(at),
        Next::UnderWay => now.to_owned(),
    }
}
