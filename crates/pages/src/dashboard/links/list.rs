//! `GET /app/links`

use app::links::{LinkRecord, Listing, Origin};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{CreateLink, ListLinks, ListOwnRates, ShowLinkSettings, ShowProfile};
use domain::language::Language;
use domain::links::Status;
use domain::text::Text;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::{LinksTexts, PATH, path_of, price, standing, status_name};
use crate::dashboard::choice::Choice;
use crate::dashboard::days::Days;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::instant;
use crate::page::of_template;

/// How much of a search is looked for.
const SEARCH_MAX: usize = 120;

texts! {
    ListTexts {
        lead: "Cobre con un enlace: su cliente paga, escribe la referencia y usted ve aquí si el dinero llegó.", "Get paid with a link: your customer pays and enters the reference, and you see here whether the money arrived.";
        search: "Nombre, descripción o código", "Name, description or ID";
        status: "Estado", "Status";
        any_status: "Todos", "All";
        origin: "Hecho por", "Created by";
        any_origin: "Cualquier lugar", "Any source";
        find: "Buscar", "Search";
        name: "Enlace", "Link";
        amount: "Monto", "Amount";
        made: "Hecho", "Created";
        ends: "Vence", "Expires";
        never: "No vence", "Never expires";
        none_yet: "Todavía no hay enlaces. Haga el primero y envíelo a un cliente.", "No links yet. Create your first link and send it to a customer.";
        none_made: "Todavía no hay enlaces.", "No links yet.";
        none_found: "Ningún enlace es así. Pruebe con menos palabras o quite los filtros.", "No links match these filters. Try fewer words or clear the filters.";
        more: "Días", "Dates";
        from: "Hecho desde", "Created from";
        to: "Hecho hasta", "Created to";
        looked: "Solo se miró hasta esta fecha; para ver lo anterior, ponga días:", "Only links back to this date were searched. To see earlier ones, enter dates:";
        all: "Quitar los filtros", "Clear filters";
        settings: "Ajustes de los enlaces", "Link settings";
        rates: "Tasas de cambio", "Exchange rates";
        profile: "Lo que ven sus clientes", "What your customers see";
    }
}

#[derive(Template)]
#[template(path = "dashboard/links/list.html")]
struct ListPage {
    f: Frame,
    t: &'static ListTexts,
    k: &'static LinksTexts,
    form: FormState,
    statuses: Vec<Choice>,
    origins: Vec<Choice>,
    is_filtered: bool,
    has_days: bool,
    are_days_wrong: bool,
    looked_since: Option<String>,
    may_create: bool,
    may_settings: bool,
    may_profile: bool,
    may_rates: bool,
    rows: Vec<Row>,
    pager: Pager,
}

struct Row {
    href: String,
    name: String,
    amount: String,
    made: String,
    ends: String,
    is_test: bool,
    state: (&'static str, &'static str),
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListLinks, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ListLinks>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, k) = (ListTexts::of(language), LinksTexts::of(language));
    let asked = |name| web::query::typed(&uri, name);
    let (search, status, origin) = (asked("search"), asked("status"), asked("type"));
    let search: String = search.chars().take(SEARCH_MAX).collect();
    let number = page_of(&uri);
    let days = Days::of(&uri, language);
    let listing = Listing {
        origin: Origin::parse(&origin),
        status: Status::parse(&status),
        search: Text::parse(&search).ok(),
        livemode: signed.test_mode.livemode(),
        paging: days.page(number),
    };
    let has_days = days.are_asked();
    let is_filtered =
        has_days || listing.origin.is_some() || listing.status.is_some() || !search.is_empty();
    let (records, total, looked_since) = if days.are_wrong() {
        (Vec::new(), 0, None)
    } else {
        let found = app::links::list(&state.app, &signed.act, listing).await?;
        (found.page.entries, found.page.total, found.looked_since)
    };
    let f = Frame::of(&state.app, &signed, &uri, k.title).await?;
    let page = ListPage {
        f,
        t,
        k,
        form: days.beside(FormState::with(&[
            ("search", &search),
            ("status", &status),
            ("type", &origin),
        ])),
        are_days_wrong: days.are_wrong(),
        statuses: statuses(t, k),
        origins: origins(t, k),
        is_filtered,
        has_days,
        looked_since: looked_since.map(instant),
        may_create: signed.may::<CreateLink>(),
        may_settings: signed.may::<ShowLinkSettings>(),
        may_profile: signed.may::<ShowProfile>(),
        may_rates: signed.may::<ListOwnRates>(),
        pager: Pager::of(&uri, number, total, language),
        rows: records.iter().map(|record| row(record, t, k, language)).collect(),
    };
    Ok(of_template(&page, StatusCode::OK))
}

fn statuses(t: &ListTexts, k: &LinksTexts) -> Vec<Choice> {
    let choice = |status: Status| Choice::new(status.as_str(), status_name(status, k));
    let any = std::iter::once(Choice::new("", t.any_status));
    any.chain(Status::ALL.into_iter().map(choice)).collect()
}

fn origins(t: &ListTexts, k: &LinksTexts) -> Vec<Choice> {
    let choice = |origin: Origin| {
        let name = match origin {
            Origin::Api => k.from_api,
            Origin::Dashboard => k.from_dashboard,
            Origin::Subscription => k.from_subscription,
        };
        Choice::new(origin.as_str(), name)
    };
    let any = std::iter::once(Choice::new("", t.any_origin));
    any.chain(Origin::ALL.into_iter().map(choice)).collect()
}

fn row(record: &LinkRecord, t: &ListTexts, k: &LinksTexts, language: Language) -> Row {
    let link = &record.link;
    Row {
        href: path_of(link.id),
        name: link.name.clone(),
        amount: price(link.price, language),
        made: instant(link.created_at),
        ends: link.standing.expires_at.map_or_else(|| t.never.to_owned(), instant),
        is_test: !link.livemode,
        state: standing(record, k),
    }
}
