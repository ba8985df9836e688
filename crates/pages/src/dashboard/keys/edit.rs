//! `GET` and `POST /app/keys/{key_id}/edit`: a key's name, what it may do and when it ends.

use std::time::Duration;

use app::keys::{Key, KeyChange, KeyName, KeyRecord};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ChangeKey, ShowKey};
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::permissions::{PermissionTexts, choices, ticked};
use super::{key_id, path_of};
use crate::checkout::see;
use crate::dashboard::choice::Choice;
use crate::dashboard::edits::unless_overtaken;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

const PATH_EDIT: &str = "/app/keys/{key_id}/edit";

texts! {
    EditTexts {
        title: "Cambiar", "Edit API key";
        name: "Nombre", "Name";
        expires: "Vence al terminar el día", "Expires at the end of";
        expires_hint: "Sin fecha, no vence. Al vencer deja de servir sola.", "Empty: the key never expires. An expired key stops working automatically.";
        by_default: "La llave principal puede hacer todo y no vence: solo se le cambia el nombre.", "The default key can do everything and never expires: only its name can be changed.";
        at_once: "Vale al instante para todo lo que use esta llave.", "Changes take effect immediately for everything that uses this key.";
        save: "Guardar", "Save";
        back: "Volver a la llave", "Back to API key";
    }
}

#[derive(Template)]
#[template(path = "dashboard/keys/edit.html")]
struct EditPage {
    f: Frame,
    t: &'static EditTexts,
    p: &'static PermissionTexts,
    name: String,
    is_default: bool,
    /// Nothing where they are fixed.
    permissions: Vec<Choice>,
    form: FormState,
    path: String,
    back: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ChangeKey, _, _>(PATH_EDIT, view),
        PageRoute::form::<ChangeKey, _, _>(PATH_EDIT, change)
            .takes(&["name", "expires_at", "permissions"])
            .labelled(|language| {
                let t = EditTexts::of(language);
                vec![("name", t.name), ("expires_at", t.expires)]
            }),
    ]
}

async fn view(
    signed: Signed<ChangeKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id = key_id(&id)?;
    let record = app::keys::show(&state.app, &signed.also::<ShowKey>()?, id).await?;
    let form = kept(&record.key);
    show(&state, &signed, &uri, &record, form).await
}

async fn show(
    state: &AppState,
    signed: &Signed<ChangeKey>,
    uri: &Uri,
    record: &KeyRecord,
    form: FormState,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, key) = (EditTexts::of(language), &record.key);
    let are_fixed = key.is_default || key.client.is_some();
    let f = Frame::of(&state.app, signed, uri, format!("{} {}", t.title, key.name)).await?;
    let page = EditPage {
        f,
        t,
        p: PermissionTexts::of(language),
        name: key.name.clone(),
        is_default: key.is_default,
        permissions: if are_fixed { Vec::new() } else { choices(language) },
        form,
        path: format!("{}/edit", path_of(key.id)),
        back: path_of(key.id),
    };
    Ok(of_template(&page, page.form.status))
}

/// The form with what is kept.
fn kept(key: &Key) -> FormState {
    let last = last_day(key.expires_at);
    let mut fields = vec![("name", &*key.name), ("expires_at", &*last), ("permissions", "")];
    fields.extend(key.permissions.iter().map(|permission| ("permissions", permission.as_str())));
    FormState::changing(&fields)
}

/// The last day on which a key is good, as its field shows it.
fn last_day(end: Option<Timestamp>) -> String {
    let last = |end: Timestamp| CaracasDate::of(end.minus(Duration::from_micros(1)));
    end.map(|end| last(end).to_string()).unwrap_or_default()
}

async fn change(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<ChangeKey>,
) -> Result<Response, NotTaken> {
    let id = key_id(&id)?;
    let changed = match read(&form) {
        Ok(change) => {
            let precondition = unless_overtaken(&form, kept);
            app::keys::change(&state.app, &signed.act, id, change, precondition).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match changed {
        Ok(_) => Ok(see(&format!("{}?saved", path_of(id)))),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            let record = app::keys::show(&state.app, &signed.also::<ShowKey>()?, id).await?;
            let again = again.or(kept(&record.key));
            Ok(show(&state, &signed, &uri, &record, again).await?)
        }
    }
}

/// Reads what the form changes. A day that stands as it was shown leaves the instant as it is, which need not be a
/// day's end.
fn read(form: &FormBody) -> Result<KeyChange, Refusal> {
    let mut fields = FormFields::of(form);
    let name = fields.edited("name", |fields, name| fields.required(name, KeyName::parse));
    let end = fields.edited("expires_at", FormFields::day);
    let permissions = fields.edited("permissions", |_, _| ticked(form)).transpose()?;
    fields.made(Some(KeyChange {
        name: name.flatten(),
        is_active: None,
        permissions,
        expires_at: end.map(|day| day.map(|day| day.plus_days(1).start())),
    }))
}
