//! `GET` and `POST /app/keys/{key_id}/scope`

use app::keys::Key;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ChangeKey, Operation, SetKeyScope, ShowKey};
use domain::ids::{BankId, KeyId};
use http::Uri;
use web::{AppState, Failure, NotTaken, Posted, Signed};

use super::reach::{Names, ReachTexts, beside, chosen};
use super::{key_id, path_of};
use crate::checkout::see;
use crate::dashboard::choice::Choice;
use crate::dashboard::edits::{is_edited, unless_any_overtaken};
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

const PATH_SCOPE: &str = "/app/keys/{key_id}/scope";

/// The fields of the form, which are one value.
const FIELDS: [&str; 3] = ["client_owner_id", "accounts", "user_banks"];

texts! {
    ScopeTexts {
        title: "Cliente y cuentas de", "Client and accounts of";
        before: "Antes de cambiarlo", "Before you change this";
        loses: "Con otro cliente, o sin ninguno, la llave pierde al instante los permisos que tiene. Con un cliente valen los permisos fijos de él. Sin cliente no puede hacer nada hasta que usted se los dé: se los ofrecemos al guardar.", "With a different client, or none, the key immediately loses its permissions. With a client, the client's fixed permissions apply. Without a client, the key cannot do anything until you grant it permissions: you can do so after saving.";
        keeps: "Con el mismo cliente los conserva, aunque cambie las cuentas.", "With the same client, the key keeps its permissions, even if you change its accounts.";
        limit: "Atada a un cliente, su límite propio no cuenta: vale la cuota de él. Si la suelta, el límite propio vuelve.", "While the key belongs to a client, its own limit does not apply: the client's quota does. If you remove the client, the key's own limit applies again.";
        leaves: "Sale de la selección al guardar, porque ya no está:", "Removed from the selection when you save, because it is no longer available:";
        fixed: "La llave principal alcanza todo siempre. Para una llave con menos alcance, cree otra.", "The default key always has access to everything. For a key with less access, create another.";
        save: "Guardar", "Save";
        back: "Volver a la llave", "Back to API key";
    }
}

#[derive(Template)]
#[template(path = "dashboard/keys/scope.html")]
struct ScopePage {
    f: Frame,
    t: &'static ScopeTexts,
    r: &'static ReachTexts,
    name: String,
    is_default: bool,
    clients: Vec<Choice>,
    accounts: Vec<Choice>,
    /// Accounts of the selection that nobody can choose any more.
    gone: Vec<String>,
    form: FormState,
    path: String,
    back: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        // What a page shows needs no code; its form asks for one.
        PageRoute::page::<ChangeKey, _, _>(PATH_SCOPE, view),
        PageRoute::form::<SetKeyScope, _, _>(PATH_SCOPE, set).takes(&[
            "client_owner_id",
            "accounts",
            "user_banks",
        ]),
    ]
}

async fn view(
    signed: Signed<ChangeKey>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    show(&state, &signed, &uri, key_id(&id)?, None).await
}

/// The page, with what is kept or what was typed.
async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: KeyId,
    typed: Option<FormState>,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, r) = (ScopeTexts::of(language), ReachTexts::of(language));
    let record = app::keys::show(&state.app, &signed.also::<ShowKey>()?, id).await?;
    let names = Names::all(state, signed).await?;
    let key = &record.key;
    let accounts = names.account_choices(&key.selection, r);
    let is_offered = |id: &str| accounts.iter().any(|choice| choice.value == id);
    let is_gone = |id: &BankId| !is_offered(&id.to_string());
    let gone: Vec<_> = key.selection.iter().copied().filter(is_gone).collect();
    let form = typed.unwrap_or_default().or(kept(key));
    let f = Frame::of(&state.app, signed, uri, format!("{} {}", t.title, key.name)).await?;
    let page = ScopePage {
        f,
        t,
        r,
        name: key.name.clone(),
        is_default: key.is_default,
        clients: names.client_choices(key.client, r),
        gone: names.accounts(&gone, r),
        accounts,
        form,
        path: format!("{}/scope", path_of(id)),
        back: path_of(id),
    };
    Ok(of_template(&page, page.form.status))
}

/// The form with what is kept.
fn kept(key: &Key) -> FormState {
    let client = key.client.map(|client| client.to_string()).unwrap_or_default();
    let banks: Vec<String> = key.selection.iter().map(ToString::to_string).collect();
    let accounts = if banks.is_empty() { "all" } else { "selected" };
    let mut fields =
        vec![("client_owner_id", &*client), ("accounts", accounts), ("user_banks", "")];
    fields.extend(banks.iter().map(|bank| ("user_banks", &**bank)));
    FormState::changing(&fields)
}

async fn set(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<SetKeyScope>,
) -> Result<Response, NotTaken> {
    let id = key_id(&id)?;
    let mut fields = FormFields::of(&form);
    let scope = chosen(&mut fields, &form);
    let is_as_shown = FIELDS.iter().all(|name| !is_edited(&form, name));
    let set = match fields.made(scope) {
        Ok(_) if is_as_shown => Ok(()),
        Ok(scope) => {
            let precondition = unless_any_overtaken(&form, kept);
            let set = app::keys::set_scope(&state.app, &signed.act, id, scope, precondition);
            set.await.map(drop)
        }
        Err(refusal) => Err(refusal.into()),
    };
    match set {
        Ok(()) => Ok(see(&format!("{}?saved", path_of(id)))),
        Err(error) => {
            let again = FormState::again(&form, beside(error), signed.language())?;
            Ok(show(&state, &signed, &uri, id, Some(again)).await?)
        }
    }
}
