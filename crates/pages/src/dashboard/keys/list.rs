//! `GET /app/keys`

use app::keys::KeyRecord;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{CreateKey, ListMyKeys, ShowActivity};
use domain::language::Language;
use domain::time::Timestamp;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::reach::{Names, ReachTexts, in_short};
use super::{KeysTexts, PATH, path_of, standing};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::{Tab, tabs};
use crate::dashboard::lineage::Issuers;
use crate::dashboard::list::{Pager, slice};
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::{ago, credits};
use crate::page::of_template;

texts! {
    ListTexts {
        lead: "Con una llave, su sistema verifica pagos y crea enlaces por la API.", "With an API key, your system verifies payments and creates links through the API.";
        new: "Nueva llave", "New API key";
        name: "Nombre", "Name";
        value: "Llave", "API key";
        reach: "Alcance", "Access";
        used: "Último uso", "Last used";
        limit: "Límite mensual", "Monthly limit";
        of_client: "El del cliente", "The client's";
        state: "Estado", "Status";
        revoked: "Llave revocada: ya no abre nada. Lo que hizo se sigue viendo:", "API key revoked: it no longer works. You can still view its history:";
        activity: "su actividad", "its activity";
        empty: "Todavía no hay llaves a su alcance.", "No API keys available to you yet.";
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
    /// Where the activity is of the key that was just revoked.
    revoked: Option<String>,
    rows: Vec<Row>,
    pager: Pager,
}

struct Row {
    href: String,
    name: String,
    hint: String,
    issuer: String,
    is_default: bool,
    /// The client that it is bound to.
    client: Option<String>,
    accounts: String,
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
    let (t, k, r) = (ListTexts::of(language), KeysTexts::of(language), ReachTexts::of(language));
    let all = app::keys::list(&state.app, &signed.act).await?;
    let (records, pager) = slice(all, &uri, language);
    let names = Names::of_keys(&state, &signed, &records).await?;
    let ids = records.iter().filter_map(|record| record.issuer.id).collect();
    let issuers = Issuers::of(&state, &signed.act, ids, language).await?;
    let row = |record: &KeyRecord| {
        let key = &record.key;
        let accounts = names.accounts(&key.selection, r);
        // A client's person sees keys of that client alone.
        let client = key.client.filter(|_| signed.caller().client().is_none());
        let reach = (client.map(|id| names.client(id)), in_short(&accounts, r, language));
        row(record, (reach, issuers.name(&record.issuer)), now, (t, k), language)
    };
    let rows = records.iter().map(row).collect();
    let revoked = web::query::find(&uri, "revoked").and_then(|id| id.parse().ok());
    let revoked = revoked.filter(|_| signed.may::<ShowActivity>());
    let revoked = revoked.map(|id| format!("{}/activity", path_of(id)));
    let f = Frame::of(&state.app, &signed, &uri, k.title).await?;
    let may_create = signed.may::<CreateKey>();
    let tabs = tabs(&signed, uri.path());
    Ok(of_template(&ListPage { f, t, k, tabs, may_create, revoked, rows, pager }, StatusCode::OK))
}

fn row(
    record: &KeyRecord,
    ((client, accounts), issuer): ((Option<String>, String), String),
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
        issuer,
        is_default: key.is_default,
        client,
        accounts,
        used: key
            .last_use
            .map_or_else(|| k.never_used.to_owned(), |last| ago(last.at, now, language)),
        limit,
        state: standing(record, now, k),
    }
}
