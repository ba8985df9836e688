//! `POST /app/webhooks/check`: how a receiver keeps the rules, with a grade for each.

use app::Error;
use app::webhooks::{Checked, Step};
use axum::extract::State;
use axum::response::Response;
use domain::access::CheckReceiver;
use domain::language::Language;
use domain::refusal::Refusal;
use domain::url::UrlText;
use domain::webhooks::conformance::{
    Grade, Probe, grade_of_clock, grade_of_time, text_of_clock, text_of_no_clock, text_of_time,
};
use http::Uri;
use web::{AppState, FormBody, NotTaken, Posted};

use super::beside_url;
use super::trial::TrialTexts;
use super::trial::{Shown, page, typed};
use crate::dashboard::fields::FormFields;
use crate::dashboard::form::FormState;
use crate::dashboard::route::PageRoute;

pub(super) const PATH: &str = "/app/webhooks/check";

texts! {
    CheckTexts {
        result: "Resultado de la revisión", "Check results";
        passes: "Su servidor cumple todo.", "Your server passes every check.";
        warns: "Su servidor cumple, con advertencias: mire las marcadas.", "Your server passes, with warnings: review the marked checks.";
        fails: "Su servidor no cumple: corrija lo marcado antes de que dependa dinero de ello.", "Your server does not pass: fix the marked checks before money depends on it.";
        unreached: "No se pudo revisar:", "The check could not be completed:";
        what: "Revisión", "Check";
        grade: "Nota", "Grade";
        advice: "Qué hacer", "What to do";
        passed: "Bien", "Passed";
        skipped: "Sin ver", "Not checked";
        warning: "Advertencia", "Warning";
        failed: "Mal", "Failed";
        genuine: "Un aviso de pago", "A payment event";
        duplicate: "El mismo aviso, otra vez", "The same event again";
        failed_link: "Un enlace que falló", "A failed link";
        expired: "Un estado que quizás no conoce", "A status it may not know";
        wrong_signature: "Una firma falsa", "A forged signature";
        no_signature: "Sin firma", "No signature";
        stale: "Una firma vieja", "An old signature";
        altered: "Un monto alterado", "An altered amount";
        clock: "Su reloj", "Its clock";
        time: "Cuánto tarda", "Response time";
    }
}

/// Result of a check, as the page shows it.
pub(super) struct Graded {
    pub(super) t: &'static CheckTexts,
    pub(super) kind: &'static str,
    pub(super) text: String,
    pub(super) rows: Vec<Row>,
}

/// One thing that was checked.
pub(super) struct Row {
    pub(super) what: &'static str,
    pub(super) grade: (&'static str, &'static str),
    pub(super) advice: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::form::<CheckReceiver, _, _>(PATH, check).takes(&["url", "event"]).labelled(
        |language| {
            let t = TrialTexts::of(language);
            vec![("url", t.url)]
        },
    )]
}

async fn check(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<CheckReceiver>,
) -> Result<Response, NotTaken> {
    let language = signed.language();
    let checked = match read(&form) {
        Ok(url) => app::webhooks::check(&state.app, &signed.act, url, None).await,
        Err(refusal) => Err(refusal.into()),
    };
    match checked {
        Ok(checked) => {
            let shown = Shown::Graded(graded(&checked, language));
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

fn read(form: &FormBody) -> Result<UrlText, Refusal> {
    let mut fields = FormFields::of(form);
    let url = fields.required("url", UrlText::parse);
    fields.made(url)
}

fn graded(checked: &Checked, language: Language) -> Graded {
    let t = CheckTexts::of(language);
    let (kind, text) = match (checked.out_of_reach(), checked.grade()) {
        (Some(trouble), _) => ("bad", format!("{} {}", t.unreached, trouble.text(language))),
        (None, Grade::Passed) => ("good", t.passes.to_owned()),
        (None, Grade::Warning | Grade::Skipped) => ("warn", t.warns.to_owned()),
        (None, Grade::Failed) => ("bad", t.fails.to_owned()),
    };
    let mut rows: Vec<Row> = checked.steps.iter().map(|step| row(step, t, language)).collect();
    let no_clock = || text_of_no_clock(language).to_owned();
    rows.push(Row {
        what: t.clock,
        grade: of_grade(grade_of_clock(checked.clock), t),
        advice: checked.clock.map_or_else(no_clock, |clock| text_of_clock(clock, language)),
    });
    rows.push(Row {
        what: t.time,
        grade: of_grade(grade_of_time(checked.slowest), t),
        advice: text_of_time(checked.slowest, language),
    });
    Graded { t, kind, text, rows }
}

fn row(step: &Step, t: &CheckTexts, language: Language) -> Row {
    let what = match step.probe {
        Probe::Genuine => t.genuine,
        Probe::Duplicate => t.duplicate,
        Probe::Failed => t.failed_link,
        Probe::Expired => t.expired,
        Probe::WrongSignature => t.wrong_signature,
        Probe::NoSignature => t.no_signature,
        Probe::Stale => t.stale,
        Probe::Altered => t.altered,
    };
    let advice = step.finding.text(step.probe, language);
    Row { what, grade: of_grade(step.grade(), t), advice }
}

/// A grade as a word and a class of the stylesheet.
const fn of_grade(grade: Grade, t: &CheckTexts) -> (&'static str, &'static str) {
    match grade {
        Grade::Passed => (t.passed, "good"),
        Grade::Skipped => (t.skipped, "hint"),
        Grade::Warning => (t.warning, "warn"),
        Grade::Failed => (t.failed, "bad"),
    }
}
