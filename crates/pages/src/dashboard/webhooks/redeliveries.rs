//! `GET` and `POST /app/webhooks/redeliveries`, and `GET …/{redelivery_id}`: everything that failed is sent again.

use std::time::Duration;

use app::Error;
use app::webhooks::{Job, Wanted};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{RedeliverFailed, ShowRedelivery};
use domain::ids::RedeliveryId;
use domain::refusal::Refusal;
use domain::time::Timestamp;
use http::header::REFRESH;
use http::{HeaderValue, StatusCode, Uri};
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::Places;
use crate::checkout::see;
use crate::dashboard::earlier::Makes;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::{FormState, once};
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::{count, field_instant, instant};
use crate::page::of_template;

pub(super) const PATH: &str = "/app/webhooks/redeliveries";

/// How far back is offered.
const BACK: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the name of a destination may be.
const RECEIVER_LEN_MAX: usize = 300;

/// A job that runs is looked at again after so many seconds.
const AGAIN: HeaderValue = HeaderValue::from_static("2");

const JOB: Makes = Makes {
    path: |id| format!("{PATH}/{}", RedeliveryId::from_bytes(id)),
    see: ("Ver el reenvío que empezó", "View the retry that was started"),
    lost: None,
};

texts! {
    RedeliveriesTexts {
        title: "Reenviar lo que no llegó", "Retry failed deliveries";
        lead: "Si su servidor estuvo caído, aquí se envía otra vez cada aviso que no se entregó en ese tiempo. Lo que ya se entregó no se repite.", "If your server was down, this retries every event that was not delivered in that period. Events that were already delivered are not sent again.";
        since: "Desde", "From";
        since_hint: "Cuándo empezó la falla, con hora de Caracas.", "When the failure started, in Caracas time.";
        until: "Hasta", "To";
        until_hint: "Vacío: hasta ahora.", "Empty: until now.";
        receiver: "Solo a este destino", "Only this destination";
        receiver_hint: "Como está en la lista de entregas: tienda.example. Vacío: todos.", "As shown in the deliveries list: shop.example. Empty: all destinations.";
        begin: "Reenviar todo", "Retry all";
        progress: "Reenvío", "Retry";
        running: "En curso. Esta página se actualiza sola; puede cerrarla y el trabajo sigue.", "In progress. This page refreshes automatically. You can close it and the retry continues.";
        done: "Terminado.", "Finished.";
        period: "Avisos de", "Events from";
        counting: "Contando…", "Counting…";
        looked: "Revisados", "Checked";
        of: "de", "of";
        redelivered: "Enviados otra vez", "Retried";
        destination: "Destino", "Destination";
        see: "Ver las entregas", "View deliveries";
    }
}

#[derive(Template)]
#[template(path = "dashboard/webhooks/redeliveries.html")]
struct NewPage {
    f: Frame,
    t: &'static RedeliveriesTexts,
    places: Places,
    form: FormState,
    path: &'static str,
    once: String,
}

#[derive(Template)]
#[template(path = "dashboard/webhooks/redelivery.html")]
struct JobPage {
    f: Frame,
    t: &'static RedeliveriesTexts,
    places: Places,
    is_running: bool,
    since: String,
    until: String,
    receiver: Option<String>,
    total: Option<String>,
    looked: String,
    redelivered: String,
    /// How much of it is done, in hundredths.
    share: Option<i64>,
    list: &'static str,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<RedeliverFailed, _, _>(PATH, view),
        PageRoute::form::<RedeliverFailed, _, _>(PATH, begin)
            .takes(&["since", "until", "receiver"])
            .labelled(|language| {
                let t = RedeliveriesTexts::of(language);
                vec![("since", t.since), ("until", t.until), ("receiver", t.receiver)]
            }),
        PageRoute::page::<ShowRedelivery, _, _>(
            "/app/webhooks/redeliveries/{redelivery_id}",
            progress,
        ),
    ]
}

async fn view(
    signed: Signed<RedeliverFailed>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let since = field_instant(signed.act.now.minus(BACK));
    let receiver = web::query::find(&uri, "receiver").unwrap_or_default();
    let form = FormState::with(&[("since", &since), ("receiver", &receiver)]);
    show(&state, &signed, &uri, form).await
}

async fn show(
    state: &AppState,
    signed: &Signed<RedeliverFailed>,
    uri: &Uri,
    form: FormState,
) -> Result<Response, Failure> {
    let t = RedeliveriesTexts::of(signed.language());
    let f = Frame::of(&state.app, signed, uri, t.title).await?;
    let (places, once) = (Places::at(signed, PATH), once(&state.app, signed.caller()));
    let page = NewPage { f, t, places, form, path: PATH, once };
    Ok(of_template(&page, page.form.status))
}

async fn begin(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<RedeliverFailed>,
) -> Result<Response, NotTaken> {
    let id = |job: &Job, _| job.id.to_string().into_bytes();
    let begun = match read(&form, signed.act.now) {
        Ok(wanted) => {
            let slot = form.slot(&signed.act);
            app::webhooks::redeliver_failed(&state.app, &signed.act, wanted, slot, id).await
        }
        Err(refusal) => Err(refusal.into()),
    };
    match begun {
        Ok(id) => Ok(see(&format!("{PATH}/{}", String::from_utf8_lossy(&id)))),
        // One that runs already is what there is to see.
        Err(Error::Refused(Refusal::Conflict { id })) => Ok(see(&format!("{PATH}/{id}"))),
        Err(error) => {
            let again = JOB.again((&state, &signed), &form, error).await?;
            Ok(show(&state, &signed, &uri, again).await?)
        }
    }
}

fn read(form: &FormBody, now: Timestamp) -> Result<Wanted, Refusal> {
    let mut fields = FormFields::of(form);
    let until = fields.instant("until").unwrap_or(now);
    let since = match form.field("since").is_empty() {
        true => fields.problem("since", ("falta", "is missing")),
        false => fields.instant("since"),
    };
    let since = match since {
        Some(since) if since >= until => fields.problem(
            "since",
            ("debe ser antes del final, y en el pasado", "must be before the end, and in the past"),
        ),
        since => since,
    };
    let receiver = Some(form.field("receiver").to_ascii_lowercase());
    let receiver = receiver.filter(|receiver| !receiver.is_empty());
    if receiver.as_ref().is_some_and(|text| text.len() > RECEIVER_LEN_MAX) {
        fields.problem::<()>("receiver", ("es demasiado largo", "is too long"));
    }
    fields.made(since.map(|since| Wanted { since, until, receiver }))
}

async fn progress(
    signed: Signed<ShowRedelivery>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id: RedeliveryId = id.parse().map_err(|_| Refusal::NotFound("webhook_redelivery"))?;
    let job = app::webhooks::show_redelivery(&state.app, &signed.act, id).await?;
    let language = signed.language();
    let t = RedeliveriesTexts::of(language);
    let is_running = job.ended_at.is_none();
    let page = JobPage {
        f: Frame::of(&state.app, &signed, &uri, t.progress).await?,
        t,
        places: Places::at(&signed, PATH),
        is_running,
        since: instant(job.wanted.since),
        until: instant(job.wanted.until),
        receiver: job.wanted.receiver.clone(),
        total: job.total.map(|total| count(total, language)),
        looked: count(job.looked, language),
        redelivered: count(job.redelivered, language),
        share: share(&job),
        list: super::PATH,
    };
    let mut response = of_template(&page, StatusCode::OK);
    if is_running {
        response.headers_mut().insert(REFRESH, AGAIN);
    }
    Ok(response)
}

fn share(job: &Job) -> Option<i64> {
    match (job.ended_at, job.total) {
        (Some(_), _) => Some(100),
        (None, Some(0)) => Some(100),
        (None, Some(total)) => Some(job.looked.saturating_mul(100) / total),
        (None, None) => None,
    }
}
