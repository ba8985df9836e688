//! `GET /app/webhooks/deliveries/{delivery_id}` and `POST …/redeliver`: everything that is kept of one delivery.

use std::time::Duration;

use app::Error;
use app::webhooks::{ANSWER_KEPT_MAX, Attempt, Next, Record};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{Operation, Redeliver, ShowDelivery, ShowEvidence, ShowLink};
use domain::ids::EventId;
use domain::language::Language;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use domain::webhooks::EventKind;
use http::header::REFRESH;
use http::{HeaderValue, Uri};
use web::{AppState, Failure, NotTaken, Posted, Signed};

use super::{PATH, Places, WebhooksTexts, delivery_id, event_name, path_of, standing};
use crate::checkout::see;
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::second;
use crate::page::of_template;

/// The page of a delivery that is about to go on loads itself again after so many seconds.
const AGAIN: HeaderValue = HeaderValue::from_static("3");

/// Longest time until a due attempt that the page waits for.
const SOON: Duration = Duration::from_secs(15);

texts! {
    DeliveryTexts {
        created: "Creado", "Created";
        sent: "Enviado por primera vez", "First sent";
        not_yet: "Todavía no", "Not yet";
        ended: "Terminado", "Finished";
        next: "Próximo intento", "Next attempt";
        now: "En este momento", "Now";
        none: "Ninguno", "None";
        url: "Dirección a la que se llamó", "Endpoint URL";
        about: "Enlace de pago", "Payment link";
        id: "Id del aviso", "Event ID";
        trouble: "Qué pasó", "Problem";
        redeliver: "Enviar otra vez", "Retry";
        redeliver_text: "Se envían los mismos datos, con hora y firma nuevas. Su servidor debe reconocer el id repetido y no entregar dos veces.", "Sends the same data with a new time and signature. Your server must recognise the repeated ID and not fulfil the order twice.";
        began: "Se envía otra vez. Esta página se actualiza sola.", "Retrying. This page refreshes automatically.";
        proof: "Descargar prueba de entrega", "Download proof of delivery";
        proof_text: "Un archivo JSON que demuestra qué se envió, cuándo y qué se respondió, y que se verifica sin nosotros.", "A JSON file that proves what was sent, when, and what the response was. It can be verified without us.";
        body: "Lo que se envía", "Request body";
        pruned: "Ya no se guarda: pasó el tiempo de conservación.", "No longer stored: the retention period has ended.";
        attempts: "Intentos", "Attempts";
        attempt: "Intento", "Attempt";
        no_attempts: "Todavía no se ha intentado.", "No attempts yet.";
        took: "Demora", "Duration";
        address: "IP a la que se conectó", "IP address used";
        request: "Petición", "Request";
        answer: "Respuesta", "Response";
        answer_body: "Cuerpo de la respuesta", "Response body";
        cut: "Se guarda solo el comienzo.", "Only the beginning is stored.";
        no_answer: "No hubo respuesta.", "There was no response.";
        arrived: "Aceptado", "Accepted";
        back: "Volver a las entregas", "Back to deliveries";
    }
}

#[derive(Template)]
#[template(path = "dashboard/webhooks/delivery.html")]
struct DeliveryPage {
    f: Frame,
    t: &'static DeliveryTexts,
    places: Places,
    form: FormState,
    event: &'static str,
    is_test: bool,
    id: EventId,
    state: (&'static str, &'static str),
    trouble: Option<&'static str>,
    link: Option<String>,
    url: String,
    created: String,
    sent: Option<String>,
    ended: Option<String>,
    next: String,
    body: Option<String>,
    attempts: Vec<Try>,
    path: String,
    back: &'static str,
    may_redeliver: bool,
    may_prove: bool,
    sees_links: bool,
    has_begun: bool,
    once: String,
}

/// One attempt.
struct Try {
    number: u32,
    at: String,
    took: String,
    status: Option<u16>,
    /// A word and a class of the stylesheet.
    end: (&'static str, &'static str),
    address: Option<String>,
    request: Option<String>,
    answer: Option<String>,
    answer_body: Option<String>,
    is_cut: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ShowDelivery, _, _>("/app/webhooks/deliveries/{delivery_id}", view),
        PageRoute::form::<Redeliver, _, _>(
            "/app/webhooks/deliveries/{delivery_id}/redeliver",
            redeliver,
        ),
    ]
}

async fn view(
    signed: Signed<ShowDelivery>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let form = FormState::default();
    show(&state, &signed, &uri, delivery_id(&id)?, form).await
}

async fn show<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: EventId,
    form: FormState,
) -> Result<Response, Failure> {
    let record = app::webhooks::show(&state.app, &signed.also::<ShowDelivery>()?, id).await?;
    // Credits are the same in either mode.
    let is_of_money = record.listed.link.is_some()
        || matches!(record.listed.kind, EventKind::SubscriptionReminder);
    if is_of_money
        && let Some(instead) =
            test_mode::instead(state, signed, uri, !record.listed.livemode).await?
    {
        return Ok(instead);
    }
    let (language, now) = (signed.language(), signed.act.now);
    let (t, listed) = (DeliveryTexts::of(language), &record.listed);
    let title = event_name(listed.kind, language);
    let goes_on = goes_on(listed.next, now);
    let page = DeliveryPage {
        f: Frame::of(&state.app, signed, uri, title).await?,
        t,
        places: Places::at(signed, PATH),
        form,
        event: title,
        is_test: !listed.livemode,
        id,
        state: standing(listed.state, WebhooksTexts::of(language)),
        trouble: listed.trouble.map(|trouble| trouble.text(language)),
        link: listed.link.map(|link| link.to_string()),
        url: listed.url.clone(),
        created: second(listed.created_at),
        sent: record
            .attempts
            .iter()
            .find(|attempt| attempt.number == 1)
            .map(|first| second(first.began_at)),
        ended: listed.ended_at.map(second),
        next: match listed.next {
            Next::Nothing => t.none.to_owned(),
            Next::At(at) => second(at),
            Next::UnderWay => t.now.to_owned(),
        },
        body: body(&record),
        // The latest is what the person who looks has come for.
        attempts: record.attempts.iter().rev().map(|one| attempt(one, t, language)).collect(),
        path: path_of(id),
        back: PATH,
        may_redeliver: signed.may::<Redeliver>() && !record.body.is_empty(),
        may_prove: signed.may::<ShowEvidence>(),
        sees_links: signed.may::<ShowLink>(),
        has_begun: goes_on && web::query::find(uri, "again").is_some(),
        once: once(&state.app, signed.caller()),
    };
    let mut response = of_template(&page, page.form.status);
    // The answer to a form is not loaded again: its address is the form's.
    if goes_on && !signed.is_form {
        response.headers_mut().insert(REFRESH, AGAIN);
    }
    Ok(response)
}

/// Tells whether something is about to change by itself.
fn goes_on(next: Next, now: Timestamp) -> bool {
    match next {
        Next::Nothing => false,
        Next::UnderWay => true,
        Next::At(at) => at <= now.plus(SOON),
    }
}

/// Returns what is sent, as text; nothing where it is no longer kept.
fn body(record: &Record) -> Option<String> {
    Some(&record.body)
        .filter(|body| !body.is_empty())
        .map(|body| String::from_utf8_lossy(body).into_owned())
}

fn attempt(attempt: &Attempt, t: &DeliveryTexts, language: Language) -> Try {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    let kept = |bytes: &[u8]| Some(text(bytes)).filter(|text| !text.is_empty());
    let millis = attempt.duration.as_millis();
    Try {
        number: attempt.number,
        at: second(attempt.began_at),
        took: format!("{millis} ms"),
        status: attempt.status,
        end: match attempt.trouble {
            None => (t.arrived, "good"),
            Some(trouble) => (trouble.text(language), "bad"),
        },
        address: attempt.address.map(|address| address.to_string()),
        request: attempt.sent.as_ref().and_then(|sent| kept(sent.as_bytes())),
        answer: kept(&attempt.answer_head),
        answer_body: kept(&attempt.answer),
        // What is full may have had more to come.
        is_cut: attempt.answer.len() >= ANSWER_KEPT_MAX,
    }
}

async fn redeliver(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<Redeliver>,
) -> Result<Response, NotTaken> {
    let id = delivery_id(&id)?;
    let slot = form.slot(&signed.act);
    let nothing = |_: &Record, _| Vec::new();
    match app::webhooks::redeliver(&state.app, &signed.act, id, slot, nothing).await {
        Ok(_) => Ok(see(&format!("{}?again", path_of(id)))),
        Err(Error::Refused(refusal @ Refusal::NotFound(_))) => Err(refusal.into()),
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            Ok(show(&state, &signed, &uri, id, again).await?)
        }
    }
}
