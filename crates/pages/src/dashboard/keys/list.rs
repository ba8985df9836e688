//! `GET /app/keys`

use app::keys::KeyRecord;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{CreateKey, ListMyKeys};
use domain::language::Language;
use domain::time::Timestamp;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::{KeysTexts, PATH, path_of, standing};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::{Tab, tabs};
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::{ago, credits};
use crate::page::of_template;

texts! {
    ListTexts {
        lead: "Con una llave, su sistema verifica pagos y crea enlaces por la API.", "With a key, your system verifies payments and makes links by the API.";
        new: "Nueva llave", "New key";
        name: "Nombre", "Name";
        value: "Llave", "Key";
        used: "Último uso", "Last use";
        limit: "Límite mensual", "Monthly limit";
        of_client: "El de su cliente", "That of its client";
        state: "Estado", "State";
        empty: "Todavía no hay llaves a su alcance.", "There are no keys within your reach yet.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/keys/list.html")]
struct ListPage {
    f: Frame,
    t: &'static ListTexts,
    k: &'static KeysTexts,
    tabs: Vec<Tab>,
    may_create: bool,
    rows: Vec<Row>,
}

struct Row {
    href: String,
    name: String,
    hint: String,
    is_default: bool,
    used: String,
    limit: String,
    state: (&'static str, &'static str),
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListMyKeys, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ListMyKeys>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (language, now) = (signed.language(), signed.act.now);
    let (t, k) = (ListTexts::of(language), KeysTexts::of(language));
    let records = app::keys::list(&state.app, &signed.act).await?;
    let rows = records.iter().map(|record| row(record, now, (t, k), language)).collect();
    let f = Frame::of(&state.app, &signed, &uri, k.title).await?;
    let may_create = signed.also::<CreateKey>().is_ok();
    let tabs = tabs(&signed, uri.path());
    Ok(of_template(&ListPage { f, t, k, tabs, may_create, rows }, StatusCode::OK))
}

fn row(
    record: &KeyRecord,
    now: Timestamp,
    (t, k): (&ListTexts, &KeysTexts),
    language: Language,
) -> Row {
    let key = &record.key;
    let limit = match (key.client, record.limit_in_force()) {
        (Some(_), _) => t.of_client.to_owned(),
        (None, Some(limit)) => credits(limit, language),
        (None, None) => k.no_limit.to_owned(),
    };
    Row {
        href: path_of(key.id),
        name: key.name.clone(),
        hint: key.hint.clone(),
        is_default: key.is_default,
        used: key.last_used_at.map_or_else(|| k.never_used.to_owned(), |at| ago(at, now, language)),
        limit,
        state: standing(record, now, k),
    }
}
