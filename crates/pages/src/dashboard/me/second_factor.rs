//! `POST /app/me/second-factor`, and `/confirm`, `/codes` and `/end` below it.

use app::second_factor::{RecoveryCodes, SecondFactorSetup, begin, confirm, end, renew_codes};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{
    BeginSecondFactor, ConfirmSecondFactor, EndSecondFactor, Operation, RenewRecoveryCodes,
};
use http::{StatusCode, Uri};
use web::{AppState, Failure, NotTaken, Posted, Signed};

use super::{PATH, show};
use crate::checkout::see;
use crate::dashboard::form::{FormState, ticked};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;
use crate::qr::Picture;

const PATH_BEGIN: &str = "/app/me/second-factor";
const PATH_CONFIRM: &str = "/app/me/second-factor/confirm";

texts! {
    SetUpTexts {
        title: "Active su segundo factor", "Set up two-step verification";
        install: "En su teléfono, abra una aplicación de códigos (como Aegis, Google Authenticator o 1Password) y lea este código, o agregue la clave a mano.", "On your phone, open an authenticator app (such as Aegis, Google Authenticator or 1Password) and scan this code, or enter the key manually.";
        qr: "Código QR con la clave", "QR code with the key";
        qr_text: "Quien lo fotografíe tiene su segundo factor: que nadie más lo vea.", "Anyone who photographs it has your second factor: do not let anyone else see it.";
        open: "Abrir la aplicación en este teléfono", "Open the app on this phone";
        secret: "Clave", "Key";
        code: "Código que muestra la aplicación", "Code shown by the app";
        confirm: "Confirmar", "Confirm";
        restart: "Empezar de nuevo", "Start over";
        codes_title: "Guarde sus códigos de recuperación", "Save your recovery codes";
        codes_text: "Se muestran esta única vez. Cada uno sirve una vez, si pierde el teléfono. Guárdelos fuera de él.", "They are shown only once. Each one works once, if you lose your phone. Keep them somewhere else.";
        codes: "Códigos", "Codes";
        stored: "Ya los guardé", "I have saved them";
    }
}

#[derive(Template)]
#[template(path = "dashboard/me/set_up.html")]
struct SetUpPage {
    f: Frame,
    t: &'static SetUpTexts,
    /// Shown once.
    begun: Option<Shown>,
    form: FormState,
    path: &'static str,
    back: &'static str,
}

/// The key of a second factor: as it is typed, as an address by which an authenticator takes it, and that as a picture.
struct Shown {
    secret: String,
    address: String,
    picture: Option<Picture>,
}

#[derive(Template)]
#[template(path = "dashboard/me/codes.html")]
struct CodesPage {
    f: Frame,
    t: &'static SetUpTexts,
    codes: String,
    back: &'static str,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<BeginSecondFactor, _, _>(PATH_BEGIN, begin_it).takes(&["password"]),
        PageRoute::form::<ConfirmSecondFactor, _, _>(PATH_CONFIRM, confirm_it).takes(&["code"]),
        PageRoute::form::<RenewRecoveryCodes, _, _>("/app/me/second-factor/codes", renew)
            .takes(&["renew_sure"]),
        PageRoute::form::<EndSecondFactor, _, _>("/app/me/second-factor/end", end_it)
            .takes(&["end_sure"]),
    ]
}

async fn begin_it(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<BeginSecondFactor>,
) -> Result<Response, NotTaken> {
    let act = &signed.act;
    state.try_password(act.actor(), act.now)?;
    match begin(&state.app, act, &form.secret("password")).await {
        Ok(SecondFactorSetup { secret, address, .. }) => {
            let begun = Some(Shown {
                secret: secret.expose().to_owned(),
                address: address.expose().to_owned(),
                picture: Picture::of(address.expose()),
            });
            let page = (begun, FormState::default());
            Ok(set_up(&state, &signed, &uri, page).await?)
        }
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show::show(&state, &signed, &uri, again).await?)
        }
    }
}

async fn set_up<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    (begun, form): (Option<Shown>, FormState),
) -> Result<Response, Failure> {
    let t = SetUpTexts::of(signed.language());
    let f = Frame::of(&state.app, signed, uri, t.title).await?;
    let page = SetUpPage { f, t, begun, form, path: PATH_CONFIRM, back: PATH };
    Ok(of_template(&page, page.form.status))
}

async fn confirm_it(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<ConfirmSecondFactor>,
) -> Result<Response, NotTaken> {
    match confirm(&state.app, &signed.act, &form.secret("code")).await {
        Ok(codes) => Ok(show_codes(&state, &signed, &uri, &codes).await?),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(set_up(&state, &signed, &uri, (None, again)).await?)
        }
    }
}

async fn renew(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<RenewRecoveryCodes>,
) -> Result<Response, NotTaken> {
    if let Err(refusal) = ticked(&form, "renew_sure") {
        let again = FormState::refused(&form, &refusal, signed.language());
        return Ok(show::show(&state, &signed, &uri, again).await?);
    }
    let codes = renew_codes(&state.app, &signed.act).await?;
    Ok(show_codes(&state, &signed, &uri, &codes).await?)
}

/// Shows recovery codes, once.
async fn show_codes<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    codes: &RecoveryCodes,
) -> Result<Response, Failure> {
    let t = SetUpTexts::of(signed.language());
    let codes: Vec<String> = codes.iter().map(|code| code.shown().expose().to_owned()).collect();
    let f = Frame::of(&state.app, signed, uri, t.codes_title).await?;
    let page = CodesPage { f, t, codes: codes.join("\n"), back: PATH };
    Ok(of_template(&page, StatusCode::OK))
}

async fn end_it(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<EndSecondFactor>,
) -> Result<Response, NotTaken> {
    if let Err(refusal) = ticked(&form, "end_sure") {
        let again = FormState::refused(&form, &refusal, signed.language());
        return Ok(show::show(&state, &signed, &uri, again).await?);
    }
    end(&state.app, &signed.act).await?;
    Ok(see("/app/me?changed"))
}
