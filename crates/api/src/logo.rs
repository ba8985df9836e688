//! `PUT` and `DELETE /v1/profile/logo`

use app::Precondition;
use app::logos;
use axum::extract::State;
use axum::response::Response;
use domain::access::{RemoveLogo, SetLogo};
use domain::refusal::Refusal;
use http::Method;
use web::{Admitted, AppState, Failure, PictureBody};

use crate::operation::{EmptyBody, Endpoint, Group};
use crate::profile::{ProfileAnswer, answer_of, example};
use crate::wire::say;

const PATH: &str = "/v1/profile/logo";

pub(crate) fn set_endpoint() -> Endpoint {
    Endpoint::strict::<SetLogo, _, _>(Method::PUT, PATH, set)
        .does(
            Group::Owner,
            "Pone el logo que ven los pagadores: una imagen PNG o JPEG de 2 MB a lo más, que se dibuja de nuevo.",
            "Sets the logo that payers see: a picture, PNG or JPEG, of at most 2 MB, which is drawn anew.",
        )
        .takes_picture()
        .answers::<ProfileAnswer<'_>>(example("logo guardado"))
}

async fn set(
    admitted: Admitted<SetLogo>,
    State(state): State<AppState>,
    PictureBody(file): PictureBody,
) -> Result<Response, Failure> {
    let act = &admitted.0;
    let file = file.map_err(|unfit| Refusal::invalid("logo", unfit))?;
    let kept = logos::set(&state.app, act, file, Precondition::none()).await?;
    answer_of(&state, say(admitted.language(), "logo guardado", "logo kept"), &kept)
}

pub(crate) fn remove_endpoint() -> Endpoint {
    Endpoint::strict::<RemoveLogo, _, _>(Method::DELETE, PATH, remove)
        .does(
            Group::Owner,
            "Quita el logo; si no hay, no pasa nada.",
            "Takes the logo away; where there is none, nothing happens.",
        )
        .takes_nothing()
        .answers::<ProfileAnswer<'_>>(without_logo())
}

async fn remove(
    admitted: Admitted<RemoveLogo>,
    State(state): State<AppState>,
    _: EmptyBody,
) -> Result<Response, Failure> {
    let kept = logos::remove(&state.app, &admitted.0, Precondition::none()).await?;
    answer_of(&state, say(admitted.language(), "logo quitado", "logo removed"), &kept)
}

fn without_logo() -> serde_json::Value {
    let mut example = example("logo quitado");
    example["logo_url"] = serde_json::Value::Null;
    example
}
