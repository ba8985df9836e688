//! `GET /app/subscriptions`

use app::subscriptions::{Listing, Status, SubscriptionRecord};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListSubscriptions, MakeSubscription};
use domain::language::Language;
use domain::text::Text;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::sums::SumsShown;
use super::{PATH, SubscriptionsTexts, paid, path_of, standing};
use crate::dashboard::choice::Choice;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::route::PageRoute;
use crate::page::of_template;
use crate::written;

/// How much of a search is looked for.
const SEARCH_MAX: usize = 120;

texts! {
    ListTexts {
        lead: "Cobre lo mismo cada cierto tiempo: cada período abre su enlace de pago, y usted ve aquí quién está al día.", "Collect the same amount on a schedule: each period opens its payment link, and you see here who is up to date.";
        search: "Cliente, producto o código", "Customer, product or ID";
        status: "Estado", "Status";
        any_status: "Todos", "All";
        is_pending: "Pendientes del primer pago", "Awaiting first payment";
        is_active: "En curso", "Active";
        is_paused: "En pausa", "Paused";
        is_completed: "Terminadas", "Completed";
        is_canceled: "Anuladas o sin pagar a tiempo", "Cancelled or not paid in time";
        find: "Buscar", "Search";
        customer: "Cliente", "Customer";
        product: "Producto", "Product";
        amount: "Monto", "Amount";
        next: "Próximo pago", "Next payment";
        paid: "Pagados", "Paid";
        none_yet: "Todavía no hay suscripciones. Cree la primera y envíe su enlace al cliente.", "No subscriptions yet. Create your first subscription and send its link to the customer.";
        none_made: "Todavía no hay suscripciones.", "No subscriptions yet.";
        none_found: "No hay suscripciones con esos filtros. Pruebe con menos palabras o quite los filtros.", "No subscriptions match these filters. Try fewer words or clear the filters.";
        all: "Quitar los filtros", "Clear filters";
    }
}

#[derive(Template)]
#[template(path = "dashboard/subscriptions/list.html")]
struct ListPage {
    f: Frame,
    t: &'static ListTexts,
    k: &'static SubscriptionsTexts,
    sums: SumsShown,
    form: FormState,
    statuses: Vec<Choice>,
    is_filtered: bool,
    may_make: bool,
    rows: Vec<SubscriptionRow>,
    pager: Pager,
}

struct SubscriptionRow {
    href: String,
    customer: String,
    product: String,
    every: String,
    amount: String,
    /// Empty where nothing is due any more.
    next: String,
    state: (&'static str, &'static str),
    paid: String,
    is_test: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListSubscriptions, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ListSubscriptions>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, k) = (ListTexts::of(language), SubscriptionsTexts::of(language));
    let asked = |name| web::query::typed(&uri, name);
    let (search, status) = (asked("search"), asked("status"));
    let search: String = search.chars().take(SEARCH_MAX).collect();
    let number = page_of(&uri);
    let listing = Listing {
        status: Status::parse(&status),
        search: Text::parse(&search).ok(),
        livemode: signed.test_mode.livemode(),
        number,
    };
    let is_filtered = listing.status.is_some() || !search.is_empty();
    let found = app::subscriptions::list(&state.app, &signed.act, listing).await?;
    let page = ListPage {
        f: Frame::of(&state.app, &signed, &uri, k.title).await?,
        t,
        k,
        sums: SumsShown::of(&state, &signed).await?,
        form: FormState::with(&[("search", &search), ("status", &status)]),
        statuses: statuses(t),
        is_filtered,
        may_make: signed.may::<MakeSubscription>(),
        rows: found.entries.iter().map(|record| row(record, k, language)).collect(),
        pager: Pager::of(&uri, number, found.total, language),
    };
    Ok(of_template(&page, StatusCode::OK))
}

fn statuses(t: &ListTexts) -> Vec<Choice> {
    let choice = |status: Status| {
        let name = match status {
            Status::Pending => t.is_pending,
            Status::Active => t.is_active,
            Status::Inactive => t.is_paused,
            Status::Completed => t.is_completed,
            Status::Cancelled => t.is_canceled,
        };
        Choice::new(status.as_str(), name)
    };
    let any = std::iter::once(Choice::new("", t.any_status));
    any.chain(Status::ALL.into_iter().map(choice)).collect()
}

fn row(record: &SubscriptionRecord, k: &SubscriptionsTexts, language: Language) -> SubscriptionRow {
    let of = &record.subscription;
    SubscriptionRow {
        href: path_of(of.id),
        customer: of.customer.name.as_str().to_owned(),
        product: of.product.name.clone(),
        every: written::every(of.terms.schedule.length(), language),
        amount: written::price(of.price, language),
        next: record.next_due.map(written::day).unwrap_or_default(),
        state: standing(record, k),
        paid: paid(record, language),
        is_test: !of.livemode,
    }
}
