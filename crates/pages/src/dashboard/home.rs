//! `GET /app`

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Me, ShowCredits};
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::frame::Frame;
use super::route::PageRoute;
use super::written::credits;
use crate::page::of_template;

texts! {
    HomeTexts {
        title: "Inicio", "Home";
        available: "Créditos disponibles", "Credits available";
        used: "Usados este mes", "Used this month";
        forecast: "Al cierre, si sigue así", "By its end, if it goes on so";
    }
}

#[derive(Template)]
#[template(path = "dashboard/home.html")]
struct HomePage {
    f: Frame,
    t: &'static HomeTexts,
    credits: Option<Spent>,
}

/// What there is, and what this month has used.
struct Spent {
    available: String,
    used: String,
    forecast: Option<String>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<Me, _, _>("/app", view)]
}

async fn view(
    signed: Signed<Me>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let t = HomeTexts::of(language);
    let credits = match signed.also::<ShowCredits>() {
        Ok(act) => {
            let part = app::credits::Part { month: None, before: None, limit: 1 };
            let statement = app::credits::show(&state.app, &act, part).await?;
            let available = statement.balance.get() - statement.reserved.get();
            Some(Spent {
                available: credits(domain::money::Credits::new(available), language),
                used: credits(statement.used, language),
                forecast: statement.forecast.map(|forecast| credits(forecast, language)),
            })
        }
        Err(_) => None,
    };
    let f = Frame::of(&state.app, &signed, &uri, t.title).await?;
    Ok(of_template(&HomePage { f, t, credits }, StatusCode::OK))
}
