//! `POST /app/webhooks/secret` and `POST /app/webhooks/secret/rotate`: both show a secret, in the answer alone.

use app::webhook_secrets::{ShownSecrets, rotate, show};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Operation, RotateWebhookSecret, ShowWebhookSecret};
use domain::refusal::Refusal;
use domain::webhooks::{Overlap, standard};
use http::{StatusCode, Uri};
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::setup::SetupTexts;
use super::{Places, setup};
use crate::dashboard::earlier::Makes;
use crate::dashboard::fields::FormFields;
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::instant;
use crate::page::of_template;

/// A rotation, whose answer shows the secret once. The one in force is shown again by a form beside it.
const SECRET: Makes = Makes {
    path: |_| setup::PATH.to_owned(),
    see: ("Ver los webhooks", "View webhooks"),
    lost: Some((
        "El secreto ya se cambió con este mismo envío. Si no llegó a guardarlo, muéstrelo aquí: es el que rige.",
        "The secret was already rotated when this form was first sent. If you did not save it, show it here: it is the one in force.",
    )),
};

texts! {
    SecretTexts {
        title: "Secreto de los webhooks", "Webhook secret";
        warning: "Quien lo tenga puede inventar pagos ante su servidor. No lo envíe por chat ni lo guarde en el código.", "Anyone who has it can fake payments to your server. Do not send it by chat or store it in your code.";
        value: "Secreto", "Secret";
        env: "Línea para el archivo .env", "Line for the .env file";
        standard: "Para bibliotecas de Standard Webhooks", "For Standard Webhooks libraries";
        rotated: "Este es el secreto nuevo: ya firma. Póngalo en su servidor ahora.", "This is the new secret, and it is already in use for signing. Put it on your server now.";
        until: "El anterior sirve todavía hasta", "The previous secret still works until";
        back: "Ya lo guardé", "I have saved it";
    }
}

/// The only page that shows it.
#[derive(Template)]
#[template(path = "dashboard/webhooks/secret.html")]
struct SecretPage<'a> {
    f: Frame,
    t: &'static SecretTexts,
    places: Places,
    value: &'a str,
    standard: &'a str,
    line: String,
    is_new: bool,
    until: Option<String>,
    back: &'static str,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<ShowWebhookSecret, _, _>("/app/webhooks/secret", reveal),
        PageRoute::form::<RotateWebhookSecret, _, _>("/app/webhooks/secret/rotate", change)
            .takes(&["word", "overlap_hours"])
            .labelled(|language| {
                let t = SetupTexts::of(language);
                vec![("word", t.type_word)]
            }),
    ]
}

async fn reveal(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, .. }: Posted<ShowWebhookSecret>,
) -> Result<Response, NotTaken> {
    let secrets = show(&state.app, &signed.act).await?;
    Ok(page(&state, &signed, &uri, &secrets, false).await?)
}

async fn change(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<RotateWebhookSecret>,
) -> Result<Response, NotTaken> {
    let rotated = match read(&form) {
        Ok(overlap) => rotate(&state.app, &signed.act, overlap, form.slot(&signed.act)).await,
        Err(refusal) => Err(refusal.into()),
    };
    match rotated {
        Ok(secrets) => Ok(page(&state, &signed, &uri, &secrets, true).await?),
        Err(error) => {
            let again = SECRET.again((&state, &signed), &form, error).await?;
            Ok(setup::page(&state, &signed, &uri, Some(again)).await?)
        }
    }
}

fn read(form: &FormBody) -> Result<Overlap, Refusal> {
    let mut fields = FormFields::of(form);
    let is_meant = fields.required("word", |word| match &*word.to_lowercase() {
        "cambiar" | "change" => Ok(()),
        _ => Err(("no es la palabra", "is not the word")),
    });
    let overlap = fields.required("overlap_hours", |hours| {
        let hours = hours.parse().ok().and_then(Overlap::of_hours);
        hours.ok_or(("elija un plazo", "choose a period"))
    });
    fields.made(is_meant.and(overlap))
}

async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    secrets: &ShownSecrets,
    is_new: bool,
) -> Result<Response, Failure> {
    let t = SecretTexts::of(signed.language());
    let (value, standard) = (secrets.secret.expose(), standard::secret(&secrets.secret));
    let page = SecretPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        places: Places::at(signed, setup::PATH),
        value,
        standard: standard.expose(),
        line: format!("COTEJO_WEBHOOK_SECRET={value}"),
        is_new,
        until: secrets.previous_until.map(instant),
        back: setup::PATH,
    };
    Ok(of_template(&page, StatusCode::OK))
}
