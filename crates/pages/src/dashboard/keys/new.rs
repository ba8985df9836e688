//! `GET` and `POST /app/keys/new`

use app::keys::{KeyName, KeyRequest, KeyScope};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Caller, CreateKey, Operation};
use domain::ids::KeyId;
use domain::permissions::{Permission, Permissions};
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::permissions::{PermissionTexts, choices, ticked};
use super::reach::{Names, ReachTexts, beside, chosen};
use super::{KeysTexts, PATH, issued, path_of};
use crate::dashboard::choice::Choice;
use crate::dashboard::earlier::Makes;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

const PATH_NEW: &str = "/app/keys/new";

const KEY: Makes = Makes {
    path: |id| path_of(KeyId::from_bytes(id)),
    see: ("Abrir la llave que se creó", "Open the API key that was created"),
    lost: Some((
        "Esta llave ya se creó con este mismo envío, y su texto se mostró esa única vez. Si no llegó a guardarlo, ábrala y rótela: recibe un texto nuevo y el otro deja de servir.",
        "This API key was already created when this form was first sent, and its value was shown only that once. If you did not save it, open the key and rotate it: it gets a new value, and the current one stops working.",
    )),
};

texts! {
    NewTexts {
        title: "Nueva llave", "New API key";
        name: "Nombre", "Name";
        name_hint: "Para reconocerla: el sistema o el lugar donde se usará.", "To recognise it: the system or place where it will be used.";
        permissions_of_client: "Si elige un cliente, lo que marque abajo no cuenta: valen los permisos fijos de él.", "If you choose a client, the permissions selected below do not apply: the client's fixed permissions do.";
        expires: "Vence al terminar el día", "Expires at the end of";
        expires_hint: "Sin fecha, no vence.", "Empty: the key never expires.";
        create: "Crear llave", "Create API key";
        back: "Volver a las llaves", "Back to API keys";
        client: "Queda atada a su empresa, con los permisos fijos que ella tiene.", "It belongs to your company, with your company's fixed permissions.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/keys/new.html")]
struct NewPage {
    f: Frame,
    t: &'static NewTexts,
    p: &'static PermissionTexts,
    r: &'static ReachTexts,
    form: FormState,
    /// Nothing where a client's key is made, whose permissions are fixed.
    permissions: Vec<Choice>,
    clients: Vec<Choice>,
    accounts: Vec<Choice>,
    once: String,
    path: &'static str,
    back: &'static str,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<CreateKey, _, _>(PATH_NEW, view),
        PageRoute::form::<CreateKey, _, _>(PATH_NEW, create)
            .takes(&[
                "name",
                "expires_at",
                "permissions",
                "client_owner_id",
                "accounts",
                "user_banks",
            ])
            .labelled(|language| {
                let t = NewTexts::of(language);
                vec![("name", t.name), ("expires_at", t.expires)]
            }),
    ]
}

async fn view(
    signed: Signed<CreateKey>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let first = Permission::PaymentVerifications.as_str();
    let form = FormState::with(&[("permissions", first), ("accounts", "all")]);
    show(&state, &signed, &uri, form).await
}

async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: FormState,
) -> Result<Response, Failure> {
    let language = signed.language();
    let t = NewTexts::of(language);
    let permissions = match signed.caller() {
        Caller::Client(_) => Vec::new(),
        _ => choices(language),
    };
    let (p, r) = (PermissionTexts::of(language), ReachTexts::of(language));
    let names = Names::all(state, signed).await?;
    let page = NewPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        p,
        r,
        form,
        permissions,
        clients: names.client_choices(None, r),
        accounts: names.account_choices(&[], r),
        once: once(&state.app, signed.caller()),
        path: PATH_NEW,
        back: PATH,
    };
    Ok(of_template(&page, page.form.status))
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
            Ok(issued(&state, &signed, f.await?, &made).await?)
        }
        Err(error) => {
            let again = KEY.again((&state, &signed), &form, beside(error)).await?;
            Ok(show(&state, &signed, &uri, again).await?)
        }
    }
}

fn read(form: &FormBody) -> Result<KeyRequest, Refusal> {
    let mut fields = FormFields::of(form);
    let name = fields.required("name", KeyName::parse);
    let expires_at = fields.day("expires_at").map(|day| day.plus_days(1).start());
    let everything = KeyScope { client: None, selection: Vec::new() };
    let scope = match form.has("accounts") {
        true => chosen(&mut fields, form),
        false => Some(everything),
    };
    let (name, KeyScope { client, selection }) = fields.made(name.zip(scope))?;
    // Those of a client's key are fixed.
    let permissions = if client.is_some() { Permissions::NONE } else { ticked(form)? };
    let request = KeyRequest {
        name,
        user_id: None,
        client,
        selection,
        permissions,
        expires_at,
        monthly_credit_limit: None,
    };
    Ok(request)
}
