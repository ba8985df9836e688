//! `POST /v1/employees`

use app::employees::{EmployeeName, EmployeeRequest};
use axum::extract::State;
use axum::response::Response;
use domain::access::InviteEmployee;
use domain::refusal::{Code, Refusal};
use domain::text::EmailAddress;
use http::Method;
use serde_json::json;
use web::{Admitted, AppState, Failure, IdempotencyKey, JsonBody, answer};

use crate::operation::{Endpoint, Group, List, Optional, Request, Required, request};
use crate::wire::{EmployeeInvited, RIGHTS_MAX, RightName, rights, say};

request! {
    struct NewEmployee {
        /// Con qué entrará la persona. / What the person will sign in with.
        email: Required<EmailAddress>,
        name: Required<EmployeeName>,
        /// Lo que la persona puede hacer; `write` en un área es también `read`. Sin ninguno, solo lo que es para
        /// todos. / What the person may do; `write` in an area is `read`, too. Without any, only what is for everybody.
        permissions: Optional<List<RightName, RIGHTS_MAX>>,
    }
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<InviteEmployee, _, _>(Method::POST, "/v1/employees", handle)
        .does(
            Group::Employees,
            "Invita a una persona como empleado. La dirección para aceptar sirve una vez: va por correo o, sin él, se \
             muestra esta única vez.",
            "Invites a person as an employee. The address to accept by works once: it goes by mail, or without mail is \
             shown this once.",
        )
        .takes::<NewEmployee>(json!({
            "email": "luis@tienda.example", "name": "Luis", "permissions": ["payments:write"],
        }))
        .idempotent()
        .answers::<EmployeeInvited<'_>>(EmployeeInvited::example(
            "invitación creada: entregue la dirección a la persona, no se vuelve a mostrar",
        ))
        .refuses(&[Code::UnknownPermission, Code::Conflict])
}

async fn handle(
    admitted: Admitted<InviteEmployee>,
    State(state): State<AppState>,
    idempotency_key: IdempotencyKey,
    body: JsonBody,
) -> Result<Response, Failure> {
    let request = parse(&body)?;
    let slot = idempotency_key.slot(&admitted.0, body.bytes());
    let invitee = app::employees::invite(&state.app, &admitted.0, request, slot).await?;
    let (es, en) = match invitee.token {
        None => (
            "invitación creada: la persona recibe un enlace en su correo",
            "invitation created: the person gets a link by mail",
        ),
        Some(_) => (
            "invitación creada: entregue la dirección a la persona, no se vuelve a mostrar",
            "invitation created: hand the address to the person, it is not shown again",
        ),
    };
    let message = say(admitted.language(), es, en);
    answer::json(&EmployeeInvited::of(message, &invitee, &state.app.settings.base_url))
}

fn parse(body: &JsonBody) -> Result<EmployeeRequest, Refusal> {
    let NewEmployee { email, name, permissions } = NewEmployee::read(body)?;
    Ok(EmployeeRequest { email, name, rights: rights(&permissions.unwrap_or_default())? })
}

#[cfg(test)]
mod tests {
    use domain::rights::{Area, Rights};

    use super::*;

    fn parsed(json: &str) -> Result<EmployeeRequest, Refusal> {
        parse(&JsonBody::from(json.to_owned()))
    }

    #[test]
    fn an_address_and_a_name_are_enough_and_to_write_is_to_read() {
        let request = parsed(r#"{"email": " Luis@Tienda.example", "name": " Luis "}"#).unwrap();
        assert_eq!(
            (request.email.as_str(), request.name.as_str()),
            ("luis@tienda.example", "Luis")
        );
        assert_eq!(request.rights, Rights::NONE);
        let request =
            parsed(r#"{"email": "l@t.example", "name": "L", "permissions": ["team:write"]}"#);
        assert!(request.unwrap().rights.contains(Area::Team.read()));
    }

    #[test]
    fn every_wrong_field_is_reported_and_then_an_unknown_permission() {
        let wrong = r#"{"email": "nobody", "name": "", "permissions": [1]}"#;
        let Err(Refusal::Validation(details)) = parsed(wrong) else { panic!("accepted") };
        assert!(details.len() >= 3, "{details:?}");
        let unknown = parsed(r#"{"email": "l@t.example", "name": "L", "permissions": ["team"]}"#);
        assert_eq!(unknown.unwrap_err(), Refusal::UnknownRight { given: "team".to_owned() });
    }
}
