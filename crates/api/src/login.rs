//! `POST /auth/login`

use app::Error;
use app::sessions::{Credentials, Opened};
use axum::extract::State;
use axum::response::Response;
use domain::access::Login;
use domain::ids::{EmployeeId, OwnerId, PlanId};
use domain::money::Credits;
use domain::refusal::{Code, Refusal};
use domain::time::Timestamp;
use http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use web::{AppState, Failure, JsonBody, Uncounted, answer};

use crate::operation::{
    AnyText, Endpoint, Group, Optional, Request, Required, SecretKind, request,
};
use crate::wire::{Shown, WirePerson, names, say};

request! {
    struct SignInRequest {
        email: Required<AnyText>,
        password: Required<SecretKind>,
        /// De quien tiene un segundo factor: seis dígitos del autenticador, o un código de recuperación. / Of whoever
        /// has a second factor: six digits of the authenticator, or a recovery code.
        code: Optional<SecretKind>,
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct SessionOpened<'a> {
    message: &'static str,
    /// Con qué llamar: `Authorization: Bearer TOKEN`. Sirve poco tiempo. / What to call with: `Authorization: Bearer
    /// TOKEN`. It is good for a short time.
    token: &'a str,
    /// Con qué pedir otro `token` en `POST /auth/refresh`, una sola vez. / What to ask for another `token` with at
    /// `POST /auth/refresh`, once.
    refresh_token: &'a str,
    /// Hasta cuándo sirve `token`. / Until when `token` is good.
    expires_at: Shown<Timestamp>,
    user: User<'a>,
    person: WirePerson<'a>,
}

/// Para quién trabaja quien llama, como lo muestran `GET /me` y esta operación: el titular, o a quien llama por un
/// cliente, el cliente; a un empleado, él mismo, con el id y el nombre del titular. Planes y créditos se le dicen al
/// titular, a sus llaves y a los empleados con `billing:read`. / Whom the caller works for, as `GET /me` and this
/// operation show it: the owner, or to a client's callers the client; to an employee itself, with the owner's id and
/// name. Plans and credits are told to the owner, to its keys and to employees with `billing:read`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct User<'a> {
    /// El titular, para quienquiera que llame. / The owner, whoever calls.
    id: Shown<OwnerId>,
    /// Lo mismo que `email`. / The same as `email`.
    username: Option<&'a str>,
    /// El correo del titular, o el del cliente; `null` donde no tiene. / The e-mail address of the owner, or the
    /// client's; `null` where there is none.
    email: Option<&'a str>,
    /// El nombre del comercio, el del cliente, o el del empleado que llama. / The name of the shop, of the client, or
    /// of the employee who calls.
    full_name: &'a str,
    /// El nombre del comercio, o el del cliente. / The name of the shop, or the client's.
    company_name: &'a str,
    #[serde(flatten)]
    standing: Option<Standing>,
    /// Siempre `false`. / Always `false`.
    is_demo: bool,
    /// Siempre `commerce`. / Always `commerce`.
    user_type: &'static str,
    /// El empleado que llama, del titular o de un cliente; no está para nadie más. / The employee who calls, of the
    /// owner or of a client; absent for every other caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    employee: Option<WireSelf>,
}

/// El empleado que llama, y lo que puede hacer. El de un cliente no tiene permisos propios: puede hacer lo que puede su
/// cliente. / The employee who calls, and what it may do. A client's has no permissions of its own: it may do what its
/// client may.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OwnEmployee")]
pub(crate) struct WireSelf {
    id: Shown<EmployeeId>,
    /// Lo que puede hacer, como `payments:write`; vacía en el de un cliente. / What it may do, such as
    /// `payments:write`; empty for a client's.
    permissions: Vec<&'static str>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Standing {
    /// El saldo del titular. / The owner's balance.
    credits: i64,
    /// El plan del titular; `null` donde no tiene ninguno. / The owner's plan; `null` where it has none.
    plan_id: Option<Shown<PlanId>>,
    /// Si el plan permite seguir; `true` sin ninguno. / Whether the plan lets it go on; `true` without one.
    plan_is_active: bool,
}

impl SessionOpened<'_> {
    /// One with made-up data.
    pub(crate) fn example(message: &str) -> Value {
        json!({
            "message": message,
            "token": "made.up.token",
            "refresh_token": "made.up.refresh-token",
            "expires_at": "2026-11-20T13:00:00.000Z",
            "user": User::example(),
            "person": WirePerson::example(),
        })
    }
}

impl<'a> User<'a> {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "own_00000000000000000000000001",
            "username": "ana@tienda.example",
            "email": "ana@tienda.example",
            "full_name": "Tienda Ejemplo",
            "company_name": "Tienda Ejemplo",
            "credits": 99,
            "plan_id": null,
            "plan_is_active": true,
            "is_demo": false,
            "user_type": "commerce",
        })
    }

    pub(crate) fn of(user: &'a app::me::User) -> Self {
        let credits = user.credits.map(Credits::get);
        let (plan, plan_is_active) = user.plan;
        let standing = |credits| Standing { credits, plan_id: plan.map(Shown), plan_is_active };
        let standing = credits.map(standing);
        Self {
            id: Shown(user.id),
            username: user.email.as_deref(),
            email: user.email.as_deref(),
            full_name: &user.name,
            company_name: &user.company,
            standing,
            is_demo: false,
            user_type: "commerce",
            employee: user
                .employee
                .map(|(id, rights)| WireSelf { id: Shown(id), permissions: names(rights) }),
        }
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<Login, _, _>(Method::POST, "/auth/login", handle)
        .does(
            Group::Sessions,
            "Abre una sesión con correo y clave.",
            "Opens a session by e-mail and password.",
        )
        .takes::<SignInRequest>(json!({ "email": "ana@tienda.example", "password": "made-up" }))
        .answers::<SessionOpened<'_>>(SessionOpened::example("sesión iniciada"))
        .refuses(&[
            Code::Unauthorized,
            Code::SecondFactorRequired,
            Code::UserIsNotActive,
            Code::ClientIsNotActive,
        ])
}

async fn handle(
    Uncounted(act): Uncounted<Login>,
    State(state): State<AppState>,
    body: JsonBody,
) -> Result<Response, Failure> {
    let parsed = parse(&body);
    let email = parsed.as_ref().ok().map(|credentials| credentials.email.as_str());
    let sign_in = state.begin_sign_in(&act.request, email)?;
    let opened = app::sessions::login(&state.app, &act, &parsed?).await;
    if let Some(sign_in) = sign_in {
        let is_wrong =
            matches!(&opened, Err(Error::Refused(refusal)) if app::sessions::is_wrong(refusal));
        state.end_sign_in(sign_in, is_wrong, act.now);
    }
    signed_in(say(act.request.language, "sesión iniciada", "signed in"), &opened?)
}

/// The answer that hands the tokens of a session over.
pub(crate) fn signed_in(message: &'static str, opened: &Opened) -> Result<Response, Failure> {
    answer::json(&SessionOpened {
        message,
        token: opened.token.expose(),
        refresh_token: opened.refresh_token.expose(),
        expires_at: Shown(opened.expires_at),
        user: User::of(&opened.user),
        person: WirePerson::of(&opened.person),
    })
}

fn parse(body: &JsonBody) -> Result<Credentials, Refusal> {
    let SignInRequest { email, password, code } = SignInRequest::read(body)?;
    Ok(Credentials { email, password, code })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_and_password_are_needed_and_a_code_may_be() {
        let body = JsonBody::from(r#"{"email": "a@b.c", "password": "x", "code": null}"#);
        let read = parse(&body).unwrap();
        assert_eq!((read.email.as_str(), read.password.expose()), ("a@b.c", "x"));
        assert!(read.code.is_none());
        let body = JsonBody::from(r#"{"email": "a@b.c", "password": "x", "code": "123 456"}"#);
        assert_eq!(parse(&body).unwrap().code.unwrap().expose(), "123 456");
        let Err(Refusal::Validation(details)) = parse(&JsonBody::from("")) else {
            panic!("accepted")
        };
        assert_eq!(details.len(), 2);
    }

    #[test]
    fn a_clients_caller_is_shown_no_credits_and_no_plan() {
        let mut user = app::me::User {
            id: OwnerId::from_bytes([1; 16]),
            email: Some("a@b.c".to_owned()),
            name: "Ana".to_owned(),
            company: "Ana".to_owned(),
            employee: None,
            credits: Some(Credits::new(7)),
            plan: (None, true),
        };
        let shown = serde_json::to_value(User::of(&user)).unwrap();
        assert_eq!(shown["credits"], 7);
        assert_eq!(shown["plan_id"], serde_json::Value::Null);
        assert_eq!(shown["user_type"], "commerce");
        user.credits = None;
        let shown = serde_json::to_value(User::of(&user)).unwrap();
        for absent in ["credits", "plan_id", "plan_is_active"] {
            assert!(shown.get(absent).is_none(), "{absent}");
        }
    }
}
