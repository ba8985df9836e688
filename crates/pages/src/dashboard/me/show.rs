//! `GET /app/me`

use app::paging::PageNumber;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListSessions, Operation};
use http::Uri;
use web::{AppState, Failure, Signed};

use super::PATH;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::lineage::IssuedTable;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

texts! {
    MeTexts {
        title: "Mi cuenta", "My account";
        email: "Entra con", "Sign-in email";
        sessions: "Sesiones abiertas", "Open sessions";
        sessions_text: "Mire desde dónde se ha entrado, y termine lo que no reconozca.", "Check where your account has been signed in to, and end any session you do not recognise.";
        sessions_see: "Ver las sesiones", "View sessions";
        password: "Contraseña", "Password";
        password_text: "Al cambiarla se cierran sus otras sesiones.", "Changing your password ends your other sessions.";
        current: "Contraseña actual", "Current password";
        new: "Contraseña nueva", "New password";
        new_hint: "12 caracteres o más.", "At least 12 characters.";
        change: "Cambiar contraseña", "Change password";
        changed: "Guardado. Sus otras sesiones se cerraron.", "Saved. Your other sessions have ended.";
        issued: "Lo emitido en su nombre en los últimos 90 días", "Issued in your name in the last 90 days";
        issued_text: "Llaves y personas que siguen vivas, lo más nuevo primero. Cambiar la contraseña no las termina: si no reconoce una, revóquela.", "API keys and people that are still live, newest first. Changing your password does not end them: revoke any that you do not recognise.";
        factor: "Segundo factor", "Two-step verification";
        factor_off: "Además de la contraseña, un código de su teléfono. Protege su dinero si alguien aprende su contraseña.", "In addition to your password, sign-in requires a code from your phone. It protects your money if someone learns your password.";
        factor_begin: "Empezar", "Set up";
        factor_on: "Está activo. Le quedan estos códigos de recuperación:", "Active. Recovery codes left:";
        factor_codes: "Pedir códigos nuevos", "Get new recovery codes";
        factor_codes_text: "Los que tenga guardados dejan de servir.", "The codes you have saved stop working.";
        factor_codes_sure: "Sí, cambiar mis códigos de recuperación", "Yes, replace my recovery codes";
        factor_end_sure: "Sí, quitar el segundo factor", "Yes, turn off two-step verification";
        factor_end: "Quitar el segundo factor", "Turn off two-step verification";
        factor_end_text: "Desde entonces basta la contraseña para entrar.", "After that, your password alone is enough to sign in.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/me/show.html")]
struct MePage {
    f: Frame,
    t: &'static MeTexts,
    email: Option<String>,
    form: FormState,
    codes_left: Option<i64>,
    path: &'static str,
    is_changed: bool,
    issued: Option<IssuedTable>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListSessions, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ListSessions>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    show(&state, &signed, &uri, FormState::default()).await
}

/// The page, also of a form on it that has failed.
pub(super) async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: FormState,
) -> Result<Response, Failure> {
    let t = MeTexts::of(signed.language());
    let number = PageNumber { page: 1, limit: 1 };
    let act = signed.also::<ListSessions>()?;
    let (_, codes_left) = app::sessions::list(&state.app, &act, number).await?;
    let f = Frame::of(&state.app, signed, uri, t.title).await?;
    // To a client's person that is its client's address, by which it does not sign in.
    let email = match signed.caller().client() {
        Some(_) => None,
        None => app::me::show(&state.app, &signed.also()?).await?.email,
    };
    let is_changed = web::query::find(uri, "changed").is_some();
    let lately = app::lineage::issued_lately(&state.app, &act).await?;
    let issued = IssuedTable::of(state, &act, &lately, signed.language()).await?;
    let page = MePage { f, t, email, form, codes_left, path: PATH, is_changed, issued };
    Ok(of_template(&page, page.form.status))
}
