//! `GET` and `POST /app/webhooks/test`: something made up is sent to a receiver.

use app::Error;
use app::webhooks::{End, Tried};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{Operation, TestWebhook};
use domain::language::Language;
use domain::refusal::Refusal;
use domain::url::UrlText;
use domain::webhooks::DeliveryState;
use domain::webhooks::conformance::text_of_clock;
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::check::{Graded, PATH as PATH_CHECK};
use super::{Places, beside_url, path_of};
use crate::dashboard::choice::Choice;
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

pub(super) const PATH: &str = "/app/webhooks/test";

texts! {
    TrialTexts {
        title: "Probar un servidor", "Test an endpoint";
        lead: "Enviamos a la dirección un aviso inventado, firmado como los de verdad, con «livemode»: false. No cuesta créditos.", "We send the endpoint a made-up event, signed like a real one, with “livemode”: false. It costs no credits.";
        url: "Dirección de su servidor", "Endpoint URL";
        url_hint: "La misma que pone en sus enlaces: https://…", "The same as in your links: https://…";
        event: "Qué se avisa", "Event";
        paid: "Un enlace pagado", "A paid link";
        failed: "Un enlace que falló", "A failed link";
        send: "Enviar prueba", "Send test event";
        check: "Revisar a fondo", "Run full check";
        check_text: "La revisión pregunta ocho cosas, también con firmas falsas, y dice qué corregir. Tarda hasta 25 segundos.", "The check sends eight requests, including some with forged signatures, and says what to fix. It takes up to 25 seconds.";
        taken: "Llegó, y su servidor lo aceptó.", "Delivered: your server accepted it.";
        under_way: "Todavía en curso: véalo en un momento.", "Still in progress: check again in a moment.";
        not_taken: "No llegó bien:", "Not delivered correctly:";
        details: "Ver lo que enviamos y lo que respondió", "View request and response";
        clock: "Reloj de su servidor:", "Your server's clock:";
    }
}

#[derive(Template)]
#[template(path = "dashboard/webhooks/trial.html")]
struct TrialPage {
    f: Frame,
    t: &'static TrialTexts,
    places: Places,
    form: FormState,
    events: Vec<Choice>,
    path: &'static str,
    path_check: &'static str,
    outcome: Option<Outcome>,
    graded: Option<Graded>,
}

/// Result of a test.
pub(super) struct Outcome {
    kind: &'static str,
    text: String,
    clock: Option<String>,
    href: String,
}

/// Part that the page shows besides its form.
pub(super) enum Shown {
    Nothing,
    Outcome(Outcome),
    Graded(Graded),
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<TestWebhook, _, _>(PATH, view),
        PageRoute::form::<TestWebhook, _, _>(PATH, test).takes(&["url", "event"]).labelled(
            |language| {
                let t = TrialTexts::of(language);
                vec![("url", t.url)]
            },
        ),
    ]
}

async fn view(
    signed: Signed<TestWebhook>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let url = web::query::find(&uri, "url").unwrap_or_default();
    let form = FormState::with(&[("url", &url), ("event", "paid")]);
    page(&state, &signed, &uri, form, Shown::Nothing).await
}

pub(super) async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    form: FormState,
    shown: Shown,
) -> Result<Response, Failure> {
    let t = TrialTexts::of(signed.language());
    let (outcome, graded) = match shown {
        Shown::Nothing => (None, None),
        Shown::Outcome(outcome) => (Some(outcome), None),
        Shown::Graded(graded) => (None, Some(graded)),
    };
    let page = TrialPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        places: Places::at(signed, PATH),
        form,
        events: vec![Choice::new("paid", t.paid), Choice::new("failed", t.failed)],
        path: PATH,
        path_check: PATH_CHECK,
        outcome,
        graded,
    };
    Ok(of_template(&page, page.form.status))
}

/// The form as it was sent.
pub(super) fn typed(form: &FormBody) -> FormState {
    let (url, event) = (form.field("url"), form.field("event"));
    FormState::with(&[("url", &url), ("event", &event)])
}

async fn test(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<TestWebhook>,
) -> Result<Response, NotTaken> {
    let language = signed.language();
    let tried = match read(&form) {
        Ok((url, end)) => app::webhooks::test(&state.app, &signed.act, url, end, None).await,
        Err(refusal) => Err(refusal.into()),
    };
    match tried {
        Ok(tried) => {
            let shown = Shown::Outcome(outcome(&tried, language));
            Ok(page(&state, &signed, &uri, typed(&form), shown).await?)
        }
        Err(Error::Refused(refusal)) => {
            let refusal = beside_url(refusal);
            let again = FormState::refused(&form, &refusal, language);
            Ok(page(&state, &signed, &uri, again, Shown::Nothing).await?)
        }
        Err(error) => Err(error.into()),
    }
}

fn read(form: &FormBody) -> Result<(UrlText, End), Refusal> {
    let mut fields = FormFields::of(form);
    let url = fields.required("url", UrlText::parse);
    let end = fields.required("event", |word| match word {
        "paid" => Ok(End::Paid),
        "failed" => Ok(End::Failed),
        _ => Err(("elija una", "choose one")),
    });
    fields.made(url.zip(end))
}

fn outcome(tried: &Tried, language: Language) -> Outcome {
    let (t, listed) = (TrialTexts::of(language), &tried.record.listed);
    let status = tried.record.attempts.last().and_then(|attempt| attempt.status);
    let status = status.map(|status| format!(" (HTTP {status})")).unwrap_or_default();
    let (kind, text) = match (listed.state, listed.trouble) {
        (DeliveryState::Delivered, _) => ("good", format!("{}{status}", t.taken)),
        (DeliveryState::Pending, _) | (_, None) => ("warn", t.under_way.to_owned()),
        (_, Some(trouble)) => {
            ("bad", format!("{} {}{status}", t.not_taken, trouble.text(language)))
        }
    };
    let clock = tried.clock.map(|clock| format!("{} {}", t.clock, text_of_clock(clock, language)));
    Outcome { kind, text, clock, href: path_of(listed.id) }
}
