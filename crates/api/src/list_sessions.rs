//! `GET /auth/sessions`

use app::paging::PageNumber;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListSessions;
use domain::ids::{EmployeeId, SessionId};
use domain::time::Timestamp;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Query};
use crate::wire::{Shown, say};

#[derive(Serialize, JsonSchema)]
struct SessionsListed<'a> {
    message: &'static str,
    /// Las sesiones de esta página. / The sessions of this page.
    sessions: Vec<WireSession<'a>>,
    total: i64,
    page: u32,
    limit: u32,
    second_factor: WireSecondFactor,
}

/// El segundo factor de quien llama. / The caller's own second factor.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SecondFactorState")]
struct WireSecondFactor {
    /// Si al entrar se le pide un código a quien llama. / Whether sign-ins ask the caller for a code.
    active: bool,
    /// Cuántos códigos de recuperación quedan sin usar. / How many recovery codes were not used yet.
    recovery_codes_left: i64,
}

/// Una sesión abierta: desde qué dirección se entró, cuándo se renovó por última vez, y cuándo termina por sí sola. / A
/// session that is open: from which address somebody signed in, when it was last refreshed, and when it ends by itself.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Session")]
struct WireSession<'a> {
    id: Shown<SessionId>,
    /// Si es la de esta llamada. / Whether it is that of this call.
    is_current: bool,
    /// El empleado de quien es, del titular o de un cliente; `null` donde es del titular mismo. / The employee whose it
    /// is, of the owner or of a client; `null` where it is the owner's own.
    employee_id: Option<Shown<EmployeeId>>,
    /// La dirección IP desde donde se entró; `null` donde no se sabe. / The IP address that was signed in from; `null`
    /// where it is not known.
    address: Option<&'a str>,
    /// La red de esa dirección, como la sesión se reconoce: la misma dirección, o de una IPv6 sus primeros 64 bits. / The
    /// network of that address, by which a session is recognised: the address itself, or the first 64 bits of an IPv6.
    network: Option<String>,
    /// El navegador con que se entró, en una palabra; `null` donde no se reconoce. / The browser that was signed in with,
    /// in a word; `null` where it is not recognised.
    browser: Option<&'a str>,
    /// El sistema en que anda. / The system that it runs on.
    system: Option<&'a str>,
    /// Cuándo se entró. / When it was signed in.
    created_at: Shown<Timestamp>,
    /// Cuándo se renovó por última vez. / When it was last refreshed.
    refreshed_at: Shown<Timestamp>,
    /// Hasta cuándo se puede renovar, si no se usa antes. / Until when it can be refreshed, unless that is done before.
    expires_at: Shown<Timestamp>,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListSessions, _, _>(Method::GET, "/auth/sessions", handle)
        .does(
            Group::Sessions,
            "Lista las sesiones abiertas: al titular, las suyas y las de su gente y de sus clientes; a los demás, las suyas.",
            "Lists the open sessions: to the owner its own, its people's and its clients', to others their own.",
        )
        .query::<PageNumber>()
        .answers::<SessionsListed<'_>>(json!({
            "message": "sesiones abiertas",
            "sessions": [{
                "id": "ses_00000000000000000000000001",
                "is_current": true,
                "employee_id": null,
                "address": "203.0.113.7",
                "network": "203.0.113.7",
                "browser": "Firefox",
                "system": "Android",
                "created_at": "2026-11-20T12:00:00.000Z",
                "refreshed_at": "2026-11-20T12:10:00.000Z",
                "expires_at": "2026-12-20T12:10:00.000Z",
            }],
            "total": 1,
            "page": 1,
            "limit": 25,
            "second_factor": { "active": true, "recovery_codes_left": 10 },
        }))
}

async fn handle(
    admitted: Admitted<ListSessions>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let number = PageNumber::read(&uri)?;
    let (found, codes_left) = app::sessions::list(&state.app, &admitted.0, number).await?;
    let sessions = found.entries.iter().map(|listed| WireSession {
        id: Shown(listed.session.id),
        is_current: listed.is_current,
        employee_id: listed.session.employee.map(Shown),
        address: listed.session.address.as_deref(),
        network: listed.network(),
        browser: listed.session.browser.as_deref(),
        system: listed.session.system.as_deref(),
        created_at: Shown(listed.session.session.created_at),
        refreshed_at: Shown(listed.session.session.turned_at),
        expires_at: Shown(listed.session.session.expires_at),
    });
    answer::json(&SessionsListed {
        message: say(admitted.language(), "sesiones abiertas", "open sessions"),
        sessions: sessions.collect(),
        total: found.total,
        page: number.page,
        limit: number.limit,
        second_factor: WireSecondFactor {
            active: codes_left.is_some(),
            recovery_codes_left: codes_left.unwrap_or_default(),
        },
    })
}
