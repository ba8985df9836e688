//! `GET /app/sessions` and `POST /app/sessions/{session_id}/end`

use app::sessions::Listed;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{EndSession, ListSessions};
use domain::ids::SessionId;
use domain::refusal::Refusal;
use http::{StatusCode, Uri};
use web::{AppState, Failure, NotTaken, Posted, Signed};

use super::frame::Frame;
use super::list::{Pager, page_of};
use super::route::PageRoute;
use super::written::instant;
use crate::checkout::see;
use crate::page::of_template;

const PATH: &str = "/app/sessions";

texts! {
    SessionsTexts {
        title: "Sesiones abiertas", "Open sessions";
        lead: "Cada entrada a Cotejo, con el navegador y la dirección desde donde se hizo. Termine las que no reconozca y cambie su contraseña.", "Every sign-in to Cotejo, with the browser and the address it came from. End any session you do not recognise, and change your password.";
        program: "Navegador", "Browser";
        unknown: "Otro programa", "Another program";
        address: "Dirección", "IP address";
        whose: "De", "Person";
        began: "Entró", "Signed in";
        used: "Último uso, aprox.", "Last used (approx.)";
        ends: "Vence", "Expires";
        current: "Esta sesión", "This session";
        mine: "Mía", "Me";
        people: "De otra persona", "Someone else";
        end: "Terminar", "End";
    }
}

#[derive(Template)]
#[template(path = "dashboard/sessions.html")]
struct SessionsPage {
    f: Frame,
    t: &'static SessionsTexts,
    rows: Vec<Row>,
    pager: Pager,
}

struct Row {
    id: SessionId,
    /// The browser and the system, as far as they are known.
    program: Option<String>,
    address: String,
    is_current: bool,
    is_mine: bool,
    began: String,
    used: String,
    ends: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ListSessions, _, _>(PATH, view),
        PageRoute::form::<EndSession, _, _>("/app/sessions/{session_id}/end", end),
    ]
}

async fn view(
    signed: Signed<ListSessions>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let t = SessionsTexts::of(signed.language());
    let number = page_of(&uri);
    let (page, _) = app::sessions::list(&state.app, &signed.act, number).await?;
    let employee = signed.caller().employee();
    let row = |listed: Listed| {
        let session = &listed.session.session;
        Row {
            id: listed.session.id,
            program: program_of(listed.session.browser, listed.session.system),
            address: listed.session.address.unwrap_or_default(),
            is_current: listed.is_current,
            is_mine: listed.session.employee == employee,
            began: instant(session.created_at),
            used: instant(session.turned_at),
            ends: instant(session.expires_at),
        }
    };
    let pager = Pager::of(&uri, number, page.total, signed.language());
    let f = Frame::of(&state.app, &signed, &uri, t.title).await?;
    let rows = page.entries.into_iter().map(row).collect();
    Ok(of_template(&SessionsPage { f, t, rows, pager }, StatusCode::OK))
}

/// The browser and its system in one text.
fn program_of(browser: Option<String>, system: Option<String>) -> Option<String> {
    let known: Vec<String> = browser.into_iter().chain(system).collect();
    (!known.is_empty()).then(|| known.join(" · "))
}

async fn end(
    State(state): State<AppState>,
    Path(id): Path<String>,
    posted: Posted<EndSession>,
) -> Result<Response, NotTaken> {
    let id: SessionId = id.parse().map_err(|_| Refusal::NotFound("session"))?;
    app::sessions::end(&state.app, &posted.signed.act, id).await?;
    Ok(see(PATH))
}
