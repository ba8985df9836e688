//! `GET /app/keys/{key_id}`

use app::credit_limits::CreditLimit;
use app::keys::KeyRecord;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{
    ChangeKey, Operation, RevokeKey, RotateKey, SetCreditLimit, ShowCreditLimit, ShowKey,
};
use domain::language::Language;
use domain::permissions::Permission;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::{KeysTexts, key_id, path_of, permission_name, standing};
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::{Tab, tabs};
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::{ago, credits, instant};
use crate::page::of_template;

texts! {
    ShowTexts {
        value: "Llave", "Key";
        created: "Creada", "Made";
        used: "Último uso", "Last use";
        ends: "Vence", "Ends";
        never: "No vence", "Does not end";
        permissions: "Qué puede hacer", "What it may do";
        nothing: "Nada: no tiene permisos.", "Nothing: it has no permissions.";
        fixed: "Lo que su cliente tiene: los permisos son fijos.", "What its client has: the permissions are fixed.";
        limit: "Límite mensual", "Monthly limit";
        limit_lead: "Cuántos créditos puede gastar en un mes de Caracas.", "How many credits it may spend in a month of Caracas.";
        limit_hint: "Vacío: sin límite. 0: no puede gastar nada.", "Empty: no limit. 0: it can spend nothing.";
        inherited: "Vale el límite de su cliente, que comparten todas las llaves de él.", "The limit of its client holds, which all keys of it share.";
        in_force: "En vigor", "In force";
        this_month: "Este mes", "This month";
        left: "Quedan", "Left";
        operations: "Operaciones cobradas", "Operations charged";
        save: "Guardar", "Save";
        switch_off: "Desactivar", "Deactivate";
        switch_on: "Activar", "Activate";
        switch_off_text: "Mientras esté desactivada, nada se hace con ella.", "While it is deactivated, nothing is done with it.";
        rotate: "Rotar", "Rotate";
        rotate_text: "La llave recibe un valor nuevo y el de ahora deja de servir al instante. Escriba el nombre de la llave para confirmar.", "The key gets another value, and the present one is good for nothing at once. Type the key's name to confirm.";
        revoke: "Revocar para siempre", "Revoke for good";
        revoke_text: "No se puede deshacer. Su historia queda. Escriba el nombre de la llave para confirmar.", "It cannot be undone. Its history stays. Type the key's name to confirm.";
        type_name: "Nombre de la llave", "The key's name";
        dangers: "Con cuidado", "With care";
        saved: "Guardado.", "Saved.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/keys/show.html")]
struct ShowPage {
    f: Frame,
    t: &'static ShowTexts,
    k: &'static KeysTexts,
    tabs: Vec<Tab>,
    path: String,
    name: String,
    hint: String,
    is_default: bool,
    is_active: bool,
    is_of_client: bool,
    state: (&'static str, &'static str),
    created: String,
    used: String,
    ends: String,
    permissions: Vec<&'static str>,
    limit: Option<Limit>,
    may: May,
    form: FormState,
    is_saved: bool,
}

/// The limit that is in force, and what this month has used of it.
struct Limit {
    in_force: String,
    is_inherited: bool,
    used: String,
    left: Option<String>,
    operations: i64,
    /// How much of it is used, in hundredths.
    share: Option<i64>,
}

/// What whoever looks may do with the key.
#[derive(Clone, Copy)]
struct May {
    change: bool,
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
    let limit = signed.also::<ShowCreditLimit>();
    let record = app::keys::show(&state.app, &signed.act, key_id(&id)?).await?;
    let shown = match limit {
        Ok(act) => Some(app::credit_limits::show(&state.app, &act, record.key.id, None).await?),
        Err(_) => None,
    };
    let own = record.limit_in_force().map(|limit| limit.get().to_string());
    let form = FormState::with(&[("limit", own.as_deref().unwrap_or_default())]);
    page(&state, &signed, &uri, (record, shown), (form, StatusCode::OK)).await
}

/// The page of a key that a form on it has failed for.
pub(super) async fn again<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: &str,
    form: (FormState, StatusCode),
) -> Result<Response, Failure> {
    let record = app::keys::show(&state.app, &signed.also::<ShowKey>()?, key_id(id)?).await?;
    let shown = match signed.also::<ShowCreditLimit>() {
        Ok(act) => Some(app::credit_limits::show(&state.app, &act, record.key.id, None).await?),
        Err(_) => None,
    };
    page(state, signed, uri, (record, shown), form).await
}

async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    (record, limit): (KeyRecord, Option<CreditLimit>),
    (form, status): (FormState, StatusCode),
) -> Result<Response, Failure> {
    let (language, now) = (signed.language(), signed.act.now);
    let (t, k) = (ShowTexts::of(language), KeysTexts::of(language));
    let f = Frame::of(&state.app, signed, uri, record.key.name.clone()).await?;
    let key = &record.key;
    let of_permission = |permission: Permission| permission_name(permission, language);
    let page = ShowPage {
        f,
        t,
        k,
        tabs: tabs(signed, super::PATH),
        path: path_of(key.id),
        state: standing(&record, now, k),
        created: instant(key.created_at),
        used: key.last_used_at.map_or_else(|| k.never_used.to_owned(), |at| ago(at, now, language)),
        ends: key.expires_at.map_or_else(|| t.never.to_owned(), instant),
        permissions: key.permissions.iter().map(of_permission).collect(),
        limit: limit.map(|limit| shown(&limit, k, language)),
        may: may(signed, &record),
        form,
        is_saved: web::query::find(uri, "saved").is_some(),
        name: key.name.clone(),
        hint: key.hint.clone(),
        is_default: key.is_default,
        is_active: key.is_active,
        is_of_client: key.client.is_some(),
    };
    Ok(of_template(&page, status))
}

fn may<O: Operation>(signed: &Signed<O>, record: &KeyRecord) -> May {
    let key = &record.key;
    May {
        change: signed.also::<ChangeKey>().is_ok(),
        set_limit: key.client.is_none() && signed.also::<SetCreditLimit>().is_ok(),
        // One that asks for a code is offered: it asks then.
        rotate: RotateKey::RULE.check(signed.caller()).is_ok(),
        revoke: !key.is_default && signed.also::<RevokeKey>().is_ok(),
    }
}

fn shown(limit: &CreditLimit, k: &KeysTexts, language: Language) -> Limit {
    let cap = limit.monthly_credit_limit;
    let share = cap.map(|cap| {
        let used = limit.quota_used.get().min(cap.get());
        if cap.get() == 0 { 100 } else { used.saturating_mul(100) / cap.get() }
    });
    Limit {
        in_force: cap.map_or_else(|| k.no_limit.to_owned(), |cap| credits(cap, language)),
        is_inherited: limit.inherited,
        used: credits(limit.quota_used, language),
        left: limit.remaining.map(|left| credits(left, language)),
        operations: limit.operations,
        share,
    }
}
