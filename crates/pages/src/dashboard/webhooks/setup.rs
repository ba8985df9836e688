//! `GET /app/webhooks/setup`: what webhooks are signed with, and where the owner's systems are notified of its
//! credits.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{
    Operation, RotateWebhookSecret, SetWebhookEndpoint, ShowWebhookEndpoint, ShowWebhookSecret,
};
use domain::webhooks::Endpoint;
use http::Uri;
use web::{AppState, Failure, Signed};

use super::{Places, WebhooksTexts};
use crate::dashboard::choice::Choice;
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::instant;
use crate::page::of_template;

pub(super) const PATH: &str = "/app/webhooks/setup";

texts! {
    SetupTexts {
        secret: "Secreto de los webhooks", "Webhook secret";
        secret_text: "Con él firmamos todo lo que enviamos. Su servidor comprueba la firma y sabe que el aviso es nuestro. Guárdelo solo en su servidor.", "We sign everything we send with it. Your server verifies the signature to know that an event is ours. Keep it only on your server.";
        show: "Mostrar el secreto", "Show secret";
        rotate: "Cambiar el secreto", "Rotate secret";
        rotate_text: "Desde ese momento firma el secreto nuevo. Mientras dure el plazo, si su servidor rechaza la firma, el aviso se repite al instante con el anterior: así alcanza a cambiarlo sin perder nada.", "From that moment, events are signed with the new secret. During the overlap period, if your server rejects the signature, the event is sent again immediately with the previous secret, so you can change it without losing anything.";
        overlap: "El secreto de ahora sirve todavía", "Keep the current secret working for";
        word_hint: "No se puede deshacer.", "This cannot be undone.";
        type_word: "Escriba CAMBIAR para confirmar", "Enter CHANGE to confirm";
        of_owner: "Solo el titular ve y cambia el secreto.", "Only the owner can view and rotate the secret.";
        endpoint: "Avisos de créditos", "Credit events";
        endpoint_text: "Cotejo avisa a esta dirección cuando quedan pocos créditos, se agota un límite, empieza el mes o un destino deja de responder. Los avisos de un enlace van a la dirección de ese enlace.", "Cotejo notifies this endpoint when few credits are left, a limit is used up, a new month starts or an endpoint stops responding. A link's events are sent to that link's own webhook URL.";
        url: "Dirección", "Endpoint URL";
        url_hint: "https://… de su servidor. Vacía: no se avisa.", "https://… on your server. Empty: no events are sent.";
        levels: "Avisar cuando queden", "Notify when credits fall to";
        levels_hint: "Créditos, separados por espacios: 100 10 0", "Credits, separated by spaces: 100 10 0";
        since: "Desde", "Since";
        save: "Guardar", "Save";
        nowhere: "Todavía no hay dirección.", "No endpoint yet.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/webhooks/setup.html")]
struct SetupPage {
    f: Frame,
    t: &'static SetupTexts,
    w: &'static WebhooksTexts,
    places: Places,
    form: FormState,
    once: String,
    overlaps: Vec<Choice>,
    /// The address, its levels and since when; nothing where there is none.
    endpoint: Option<(String, String, String)>,
    may_show: bool,
    may_rotate: bool,
    may_set: bool,
    is_saved: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ShowWebhookEndpoint, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ShowWebhookEndpoint>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    page(&state, &signed, &uri, None).await
}

/// The page, with what is kept or what was typed.
pub(super) async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    typed: Option<FormState>,
) -> Result<Response, Failure> {
    let language = signed.language();
    let w = WebhooksTexts::of(language);
    let act = signed.also::<ShowWebhookEndpoint>()?;
    let endpoint = app::credits_events::show_endpoint(&state.app, &act).await?;
    let form = typed.unwrap_or_default();
    let form = form.or(kept(endpoint.as_ref()));
    let since = |endpoint: Endpoint| {
        let levels = levels(&endpoint);
        (endpoint.url.as_str().to_owned(), levels, instant(endpoint.created_at))
    };
    let page = SetupPage {
        f: Frame::of(&state.app, signed, uri, w.setup).await?,
        t: SetupTexts::of(language),
        w,
        places: Places::at(signed, PATH),
        form,
        once: once(&state.app, signed.caller()),
        overlaps: overlaps(language),
        endpoint: endpoint.map(since),
        may_show: signed.may::<ShowWebhookSecret>(),
        may_rotate: signed.may::<RotateWebhookSecret>(),
        may_set: signed.may::<SetWebhookEndpoint>(),
        is_saved: web::query::find(uri, "saved").is_some(),
    };
    Ok(of_template(&page, page.form.status))
}

fn overlaps(language: domain::language::Language) -> Vec<Choice> {
    [
        ("24", "un día", "1 day"),
        ("72", "tres días", "3 days"),
        ("168", "una semana", "1 week"),
        ("0", "nada: deja de servir al instante", "no time: it stops working immediately"),
    ]
    .map(|(hours, es, en)| Choice::new(hours, language.pick(es, en)))
    .into()
}

fn levels(endpoint: &Endpoint) -> String {
    let levels = endpoint.levels.as_slice().iter().map(|level| level.get().to_string());
    levels.collect::<Vec<_>>().join(" ")
}

/// The forms with what is kept.
pub(super) fn kept(endpoint: Option<&Endpoint>) -> FormState {
    let levels = endpoint.map(levels).unwrap_or_else(|| "100 10 0".to_owned());
    let url = endpoint.map(|endpoint| endpoint.url.as_str()).unwrap_or_default();
    FormState::changing(&[("url", url), ("low_balance_levels", &levels)])
        .or(FormState::with(&[("overlap_hours", "24")]))
}
