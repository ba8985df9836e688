//! Integrations: the API keys.

mod activity;
mod change;
mod edit;
mod limit;
mod list;
mod matrix;
mod new;
mod permissions;
mod reach;
mod revoke;
mod rotate;
mod scope;
mod show;

use app::Error;
use app::keys::{Issued, KeyRecord};
use askama::Template;
use axum::response::Response;
use domain::access::Guarded;
use domain::ids::KeyId;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use http::StatusCode;
use web::{AppState, FormBody, Signed};

use super::frame::Frame;
use super::lineage::IssuedTable;
use super::route::PageRoute;
use crate::page::of_template;

texts! {
    /// What several pages of keys say.
    KeysTexts {
        title: "Llaves", "API keys";
        matrix: "Permisos de cada llave", "Permissions by API key";
        active: "Activa", "Active";
        inactive: "Desactivada", "Inactive";
        expired: "Vencida", "Expired";
        by_default: "Principal", "Default";
        never_used: "Sin uso", "Never used";
        used_from: "desde", "from";
        no_limit: "Sin límite", "No limit";
        issued_title: "Guarde esta llave ahora", "Save this API key now";
        issued_text: "Se muestra esta única vez. Quien la tenga puede llamar a la API en su nombre: no la envíe por chat ni la guarde en el código.", "It is shown only once. Anyone who has it can call the API on your behalf: do not send it by chat or store it in your code.";
        value: "Llave", "API key";
        env: "Línea para el archivo .env", "Line for the .env file";
        stored: "Ya la guardé", "I have saved it";
        lives: "Lo que esta llave emitió sigue funcionando", "What this API key issued still works";
        lives_text: "Rotarla no lo termina. Si alguien más tuvo el valor de antes, revoque aquí lo que no reconozca.", "Rotating the key does not end it. If someone else had the earlier value, revoke anything here that you do not recognise.";
        issued_by: "La emitió", "Issued by";
    }
}

pub(super) const PATH: &str = "/app/keys";

pub(super) fn routes() -> Vec<PageRoute> {
    let groups = [
        list::routes(),
        matrix::routes(),
        new::routes(),
        show::routes(),
        edit::routes(),
        scope::routes(),
        activity::routes(),
        change::routes(),
        limit::routes(),
        rotate::routes(),
        revoke::routes(),
    ];
    groups.into_iter().flatten().collect()
}

/// The page of that key.
fn path_of(id: KeyId) -> String {
    format!("{PATH}/{id}")
}

/// The key that a path names. Text of another form names none.
fn key_id(text: &str) -> Result<KeyId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("api_key"))
}

/// How a key stands, as a word and a class of the stylesheet.
fn standing(record: &KeyRecord, now: Timestamp, t: &KeysTexts) -> (&'static str, &'static str) {
    let key = &record.key;
    if key.expires_at.is_some_and(|end| end <= now) {
        (t.expired, "bad")
    } else if key.is_active {
        (t.active, "good")
    } else {
        (t.inactive, "warn")
    }
}

/// The only page that shows the text of a key.
#[derive(Template)]
#[template(path = "dashboard/keys/issued.html")]
struct IssuedPage<'a> {
    f: Frame,
    t: &'static KeysTexts,
    name: &'a str,
    value: &'a str,
    line: String,
    path: String,
    /// Everything that the key has issued.
    issued: Option<IssuedTable>,
}

/// Shows the text of a key that was issued or rotated, once, and what the key has issued itself: whoever had the former
/// text may have left it.
async fn issued<O: Guarded>(
    state: &AppState,
    signed: &Signed<O>,
    f: Frame,
    issued: &Issued,
) -> Result<Response, Error> {
    let language = signed.language();
    let t = KeysTexts::of(language);
    let key = &issued.record.key;
    let (value, path) = (issued.text.expose(), path_of(key.id));
    let line = format!("COTEJO_API_KEY={value}");
    let issued = IssuedTable::of(state, &signed.act, &issued.issued, language).await?;
    let page = IssuedPage { f, t, name: &key.name, value, line, path, issued };
    Ok(of_template(&page, StatusCode::OK))
}

/// Checks that somebody typed the key's name to confirm what cannot be undone.
fn confirmed(form: &FormBody, field: &str, name: &str) -> Result<(), Refusal> {
    if form.field(field) == name {
        return Ok(());
    }
    let problem = ("no es el nombre de la llave", "is not the API key's name");
    Err(Refusal::invalid(field, problem))
}
