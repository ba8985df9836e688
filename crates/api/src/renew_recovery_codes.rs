//! `POST /auth/totp/recovery-codes`

use axum::extract::State;
use axum::response::Response;
use domain::access::RenewRecoveryCodes;
use domain::refusal::Code;
use http::Method;
use web::{Admitted, AppState, Failure};

use crate::confirm_second_factor::ShownRecoveryCodes;
use crate::operation::{EmptyBody, Endpoint, Group};
use crate::wire::say;

pub(crate) fn endpoint() -> Endpoint {
    let message = "códigos de recuperación nuevos: los anteriores ya no valen";
    Endpoint::strict::<RenewRecoveryCodes, _, _>(Method::POST, "/auth/totp/recovery-codes", handle)
        .does(
            Group::Sessions,
            "Da otros códigos de recuperación: los anteriores ya no valen.",
            "Gives other recovery codes: the former ones are good for nothing any more.",
        )
        .takes_nothing()
        .answers::<ShownRecoveryCodes>(ShownRecoveryCodes::example(message))
        .refuses(&[Code::Conflict])
}

async fn handle(
    admitted: Admitted<RenewRecoveryCodes>,
    State(state): State<AppState>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let codes = app::second_factor::renew_codes(&state.app, &admitted.0).await?;
    let message = say(
        admitted.language(),
        "códigos de recuperación nuevos: los anteriores ya no valen",
        "new recovery codes: the former ones are good for nothing any more",
    );
    ShownRecoveryCodes::answer(message, &codes)
}
