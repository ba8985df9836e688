//! `GET` and `POST /app/keys/new`

use app::Error;
use app::keys::{KeyName, KeyRequest};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Caller, CreateKey, Operation};
use domain::language::Language;
use domain::permissions::{Permission, Permissions};
use domain::refusal::Refusal;
use http::{StatusCode, Uri};
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::{KeysTexts, PATH, issued, permission_name};
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{FormState, once, status};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

const PATH_NEW: &str = "/app/keys/new";

texts! {
    NewTexts {
        title: "Nueva llave", "New key";
        name: "Nombre", "Name";
        name_hint: "Para reconocerla: el sistema o el lugar donde se usará.", "To know it by: the system or the place where it will be used.";
        permissions: "Qué puede hacer", "What it may do";
        permissions_hint: "Marque solo lo que su sistema necesita. Sin permisos, la llave no sirve para nada.", "Tick only what your system needs. Without permissions the key is good for nothing.";
        expires: "Vence el día", "Ends on the day";
        expires_hint: "Sin fecha, no vence.", "Without a date it does not end.";
        create: "Crear llave", "Make the key";
        back: "Volver a las llaves", "Back to the keys";
        client: "Queda atada a su empresa, con los permisos fijos que ella tiene.", "It is bound to your company, with the fixed permissions that it has.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/keys/new.html")]
struct NewPage {
    f: Frame,
    t: &'static NewTexts,
    form: FormState,
    /// Nothing where a client's key is made, whose permissions are fixed.
    permissions: Vec<Choice>,
    once: String,
    path: &'static str,
    back: &'static str,
}

struct Choice {
    value: &'static str,
    text: &'static str,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<CreateKey, _, _>(PATH_NEW, view),
        PageRoute::form::<CreateKey, _, _>(PATH_NEW, create),
    ]
}

async fn view(
    signed: Signed<CreateKey>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let ticked = Permission::PaymentVerifications.as_str();
    let form = FormState::with(&[("permissions", ticked)]);
    show(&state, &signed, &uri, form, StatusCode::OK).await
}

async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: FormState,
    status: StatusCode,
) -> Result<Response, Failure> {
    let language = signed.language();
    let t = NewTexts::of(language);
    let permissions = match signed.caller() {
        Caller::Client(_) => Vec::new(),
        _ => choices(language),
    };
    let f = Frame::of(&state.app, signed, uri, t.title).await?;
    let once = once(&state.app);
    let page = NewPage { f, t, form, permissions, once, path: PATH_NEW, back: PATH };
    Ok(of_template(&page, status))
}

fn choices(language: Language) -> Vec<Choice> {
    let choice = |permission: Permission| Choice {
        value: permission.as_str(),
        text: permission_name(permission, language),
    };
    Permission::ALL.into_iter().map(choice).collect()
}

async fn create(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<CreateKey>,
) -> Result<Response, NotTaken> {
    let language = signed.language();
    let made = match read(&form) {
        Ok(request) => {
            app::keys::create(&state.app, &signed.act, request, form.slot(&signed.act)).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match made {
        Ok(made) => {
            let f = Frame::of(&state.app, &signed, &uri, KeysTexts::of(language).issued_title);
            Ok(issued(f.await?, &made, language))
        }
        Err(Error::Refused(refusal)) => {
            let again = FormState::refused(&form, &refusal, language);
            Ok(show(&state, &signed, &uri, again, status(&refusal)).await?)
        }
        Err(error) => Err(error.into()),
    }
}

fn read(form: &FormBody) -> Result<KeyRequest, Refusal> {
    let permissions = form.fields("permissions");
    let permissions: Permissions =
        permissions.iter().map(|name| Permission::parse(name)).collect::<Result<_, _>>()?;
    let mut fields = FormFields::of(form);
    let name = fields.required("name", KeyName::parse);
    let expires_at = fields.day("expires").map(|day| day.plus_days(1).start());
    fields.made(name.map(|name| KeyRequest {
        name,
        user_id: None,
        client: None,
        selection: Vec::new(),
        permissions,
        expires_at,
    }))
}
