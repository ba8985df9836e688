//! `GET /app/keys/{key_id}`

use std::time::Duration;

use app::credit_limits::CreditLimit;
use app::keys::KeyRecord;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{
    ChangeKey, Operation, RevokeKey, RotateDefaultKey, RotateKey, SetCreditLimit, SetKeyScope,
    ShowActivity, ShowCreditLimit, ShowKey,
};
use domain::language::Language;
use domain::permissions::Permission;
use domain::time::Timestamp;
use http::Uri;
use web::{AppState, Failure, Signed};

use super::limit::{self, Limit};
use super::permissions::{PermissionTexts, texts_of};
use super::reach::{Names, ReachTexts};
use super::{KeysTexts, key_id, path_of, rotate, standing};
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::{Tab, tabs};
use crate::dashboard::lineage::{IssuedTable, Issuers, LineageTexts};
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::{ago, instant};
use crate::page::of_template;

/// How long before its end a key is warned of.
const ENDS_SOON: Duration = Duration::from_secs(14 * 24 * 60 * 60);

texts! {
    ShowTexts {
        value: "Llave", "API key";
        created: "Creada", "Created";
        issued: "Lo que esta llave emitió", "Issued by this API key";
        issued_text: "Llaves creadas con esta, o con otras que ella creó, y que siguen vivas.", "API keys created with this one, or with others it created, that are still live.";
        used: "Último uso", "Last used";
        ends: "Vence", "Expires";
        never: "No vence", "Never expires";
        ends_soon: "Falta poco: cree otra llave, o cambie el día.", "This key expires soon: create another, or change the date.";
        edit: "Cambiar nombre, permisos o vencimiento", "Edit name, permissions or expiry";
        scope: "Cambiar cliente y cuentas", "Edit client and accounts";
        activity: "Ver actividad", "View activity";
        limit: "Límite mensual", "Monthly limit";
        limit_lead: "Cuántos créditos puede gastar en un mes de Caracas. Vale el límite propio de esta llave.", "How many credits it can spend in a calendar month (Caracas time). The key's own limit applies.";
        limit_hint: "Vacío: sin límite. 0: no puede gastar nada.", "Empty: no limit. 0: it cannot spend anything.";
        inherited: "Vale la cuota del cliente, que comparten todas sus llaves.", "The client's quota applies, shared by all of its keys.";
        own: "Su límite propio no cuenta mientras esté atada a un cliente:", "Its own limit does not apply while it belongs to a client:";
        in_force: "En vigor", "In force";
        this_month: "Usados este mes", "Used this month";
        alone: "De esta llave", "By this key";
        left: "Quedan", "Remaining";
        operations: "Operaciones cobradas", "Charged operations";
        forecast: "Al cierre, si sigue así", "Projected month end";
        falls_short: "A este ritmo, el límite se acaba antes de fin de mes. Súbalo a tiempo si quiere seguir.", "At this rate, the limit will be used up before the end of the month. Raise it in time to keep going.";
        spent: "El límite está agotado: lo que cueste créditos se rechaza hasta el", "The limit is used up: anything that costs credits is rejected until";
        save: "Guardar", "Save";
        switch_off: "Desactivar", "Deactivate";
        switch_on: "Activar", "Activate";
        switch_off_text: "Mientras esté desactivada, nada se hace con ella.", "While it is inactive, it cannot be used.";
        rotate: "Rotar", "Rotate";
        rotate_text: "La llave recibe un valor nuevo y el de ahora deja de servir al instante en todo lo que lo use. Escriba el nombre de la llave para confirmar.", "The key gets a new value. The current value stops working immediately, everywhere it is used. Enter the key's name to confirm.";
        revoke: "Revocar para siempre", "Revoke permanently";
        revoke_text: "No se puede deshacer. Su historia queda. Escriba el nombre de la llave para confirmar.", "This cannot be undone. Its history is kept. Enter the key's name to confirm.";
        type_name: "Nombre de la llave", "API key name";
        dangers: "Con cuidado", "Sensitive actions";
        saved: "Guardado.", "Saved.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/keys/show.html")]
struct ShowPage {
    f: Frame,
    t: &'static ShowTexts,
    k: &'static KeysTexts,
    p: &'static PermissionTexts,
    r: &'static ReachTexts,
    tabs: Vec<Tab>,
    path: String,
    rotate_path: String,
    name: String,
    hint: String,
    is_default: bool,
    is_active: bool,
    is_of_client: bool,
    state: (&'static str, &'static str),
    client: Option<String>,
    accounts: Vec<String>,
    created: String,
    /// Who got its present text, and when.
    issuer: (String, String),
    issued: Option<IssuedTable>,
    l: &'static LineageTexts,
    used: String,
    ends: String,
    ends_soon: bool,
    held: Vec<(&'static str, &'static str)>,
    lacking: Vec<&'static str>,
    limit: Option<Limit>,
    may: May,
    form: FormState,
    once: String,
    is_saved: bool,
}

/// Acts that the person who looks may do with the key.
#[derive(Clone, Copy)]
struct May {
    change: bool,
    set_scope: bool,
    see_activity: bool,
    set_limit: bool,
    rotate: bool,
    revoke: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ShowKey, _, _>("/app/keys/{key_id}", view)]
}

async fn view(
    signed: Signed<ShowKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    show(&state, &signed, &uri, &id, None).await
}

/// The page of a key that a form on it has failed for.
pub(super) async fn again<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: &str,
    form: FormState,
) -> Result<Response, Failure> {
    show(state, signed, uri, id, Some(form)).await
}

async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: &str,
    typed: Option<FormState>,
) -> Result<Response, Failure> {
    let act = signed.also::<ShowKey>()?;
    let record = app::keys::show(&state.app, &act, key_id(id)?).await?;
    let issued = app::lineage::issued_by(&state.app, &act, record.key.id.into()).await?;
    let limit = match signed.also::<ShowCreditLimit>() {
        Ok(act) => Some(app::credit_limits::show(&state.app, &act, record.key.id, None).await?),
        Err(_) => None,
    };
    let form = typed.unwrap_or_default().or(limit::kept(record.limit_in_force()));
    let language = signed.language();
    let issuers =
        Issuers::of(state, &act, record.issuer.id.into_iter().collect(), language).await?;
    let lineage = Lineage {
        issuer: issuers.name(&record.issuer),
        issued: IssuedTable::of(state, &act, &issued, language).await?,
    };
    page(state, signed, uri, (record, limit, lineage), form).await
}

/// Issuer of a key, and what the key has issued.
struct Lineage {
    issuer: String,
    issued: Option<IssuedTable>,
}

async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    (record, limit, lineage): (KeyRecord, Option<CreditLimit>, Lineage),
    form: FormState,
) -> Result<Response, Failure> {
    let (language, now) = (signed.language(), signed.act.now);
    let (t, k, r) = (ShowTexts::of(language), KeysTexts::of(language), ReachTexts::of(language));
    let names = Names::of_keys(state, signed, std::slice::from_ref(&record)).await?;
    let key = &record.key;
    // A client's person sees keys of that client alone, and no limit that is not in force.
    let is_clients = signed.caller().client().is_some();
    let own = key.monthly_credit_limit.filter(|_| !is_clients);
    let page = ShowPage {
        f: Frame::of(&state.app, signed, uri, key.name.clone()).await?,
        t,
        k,
        p: PermissionTexts::of(language),
        r,
        tabs: tabs(signed, super::PATH),
        path: path_of(key.id),
        rotate_path: rotate::path_of(&record),
        state: standing(&record, now, k),
        client: key.client.filter(|_| !is_clients).map(|id| names.client(id)),
        accounts: names.accounts(&key.selection, r),
        created: instant(key.created_at),
        issuer: (lineage.issuer, instant(key.issued_at)),
        issued: lineage.issued,
        l: LineageTexts::of(language),
        used: used(&record, k, now, language),
        ends: key.expires_at.map_or_else(|| t.never.to_owned(), instant),
        ends_soon: key.expires_at.is_some_and(|end| ends_soon(end, now)),
        held: key.permissions.iter().map(|permission| texts_of(permission, language)).collect(),
        lacking: Permission::ALL
            .into_iter()
            .filter(|permission| !key.permissions.contains(*permission))
            .map(|permission| texts_of(permission, language).0)
            .collect(),
        limit: limit.map(|limit| Limit::of(&limit, own, now, (k, language))),
        may: may(signed, &record),
        form,
        once: once(&state.app, signed.caller()),
        is_saved: web::query::find(uri, "saved").is_some(),
        name: key.name.clone(),
        hint: key.hint.clone(),
        is_default: key.is_default,
        is_active: key.is_active,
        is_of_client: key.client.is_some(),
    };
    Ok(of_template(&page, page.form.status))
}

/// When a key was last used, and from where.
fn used(record: &KeyRecord, k: &KeysTexts, now: Timestamp, language: Language) -> String {
    let Some(last) = record.key.last_use else { return k.never_used.to_owned() };
    let when = format!("{} ({})", instant(last.at), ago(last.at, now, language));
    match last.from {
        Some(from) => format!("{when}, {} {from}", k.used_from),
        None => when,
    }
}

fn ends_soon(end: Timestamp, now: Timestamp) -> bool {
    end > now && end.since(now) <= ENDS_SOON
}

fn may<O: Operation>(signed: &Signed<O>, record: &KeyRecord) -> May {
    let key = &record.key;
    May {
        change: signed.may::<ChangeKey>(),
        set_scope: !key.is_default && signed.may::<SetKeyScope>(),
        see_activity: signed.may::<ShowActivity>(),
        set_limit: key.client.is_none() && signed.may::<SetCreditLimit>(),
        rotate: match key.is_default {
            true => signed.may::<RotateDefaultKey>(),
            false => signed.may::<RotateKey>(),
        },
        revoke: !key.is_default && signed.may::<RevokeKey>(),
    }
}
