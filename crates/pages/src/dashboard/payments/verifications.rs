//! `GET /app/payments/verifications`: every question that was asked, and its result.

use app::accounts::Linked;
use app::verification::list::{Listed, Question, list};
use askama::Template;
use axum::extract::State as Extracted;
use axum::response::Response;
use domain::access::{ListVerifications, Operation, Verify};
use domain::language::Language;
use domain::money::Bolivars;
use domain::reference::TypedReference;
use domain::typed;
use domain::verification::State;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::filters::{FilterForm, Filters, further};
use super::origin::origin;
use super::outcome::{self, Word};
use super::{PaymentsTexts, asked, tabs};
use crate::dashboard::choice::{Choice, accounts, name_of};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::money::bolivars;
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::instant;
use crate::page::of_template;

pub(in crate::dashboard) const PATH_VERIFICATIONS: &str = "/app/payments/verifications";

/// How many a page has.
const LIMIT: usize = 25;

texts! {
    /// What is said of verifications in a list, wherever they stand.
    AttemptTexts {
        asked: "Cuándo", "Date";
        reference: "Escribieron", "Reference entered";
        by_link: "Enlace", "Link";
        source: "Origen", "Source";
        times: "veces en esta página", "times on this page";
    }
}

texts! {
    VerificationsTexts {
        title: "Verificaciones", "Verifications";
        lead: "Cada consulta al banco y cómo terminó, también si no se confirmó, primero las últimas. «Ver» dice por qué. Lo que no se preguntó por falta de créditos o por un límite está en «Sin preguntar».", "Every request to the bank and its result, including payments that were not confirmed, newest first. Select “View” for the reason. References that were not checked, because of credits or a limit, are under “Not checked”.";
        search: "Referencia", "Reference";
        any: "Cualquiera", "Any";
        expired: "Venció sin respuesta", "Ended without a response";
        none: "Ninguna verificación es así.", "No verifications match these filters.";
        none_yet: "Todavía no se ha verificado nada.", "No verifications yet.";
        no_digits: "Escriba los dígitos de la referencia.", "Enter the digits of the reference.";
        verify: "Verificar un pago", "Verify payment";
        go_on: "Seguir buscando más atrás", "Search earlier";
        older: "Más antiguas", "Older";
        newest: "Las últimas", "Newest";
    }
}

/// A verification as rows show it.
pub(super) struct Attempt {
    pub(super) href: String,
    pub(super) reference: String,
    pub(super) amount: String,
    pub(super) when: String,
    pub(super) account: String,
    pub(super) is_test: bool,
    pub(super) source: String,
    /// The link on whose page a payer asked, where the person who looks sees it.
    pub(super) link: Option<String>,
    pub(super) word: Word,
    /// How often it was asked in the same way.
    pub(super) times: usize,
}

#[derive(Template)]
#[template(path = "dashboard/payments/verifications.html")]
struct VerificationsPage {
    f: Frame,
    t: &'static VerificationsTexts,
    a: &'static AttemptTexts,
    p: &'static PaymentsTexts,
    tabs: Vec<Tab>,
    filters: FilterForm,
    states: Vec<Choice>,
    problem: Option<&'static str>,
    may_verify: bool,
    attempts: Vec<Attempt>,
    older: Option<String>,
    is_first: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListVerifications, _, _>(PATH_VERIFICATIONS, view)]
}

async fn view(
    signed: Signed<ListVerifications>,
    Extracted(state): Extracted<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, p) = (VerificationsTexts::of(language), PaymentsTexts::of(language));
    let linked = accounts(&state.app, &signed).await?;
    let form = FilterForm::of(&state, &signed, (&uri, &linked), p.every_account).await?;
    let filters = Filters::of(&uri, form.t)?;
    let word = asked(&uri, "status").unwrap_or_default();
    let digits = digits(&filters.search);
    let has_no_digits = !filters.search.is_empty() && digits.is_none();
    let problem = filters.problem.or(has_no_digits.then_some(t.no_digits));
    let question = Question {
        after: asked(&uri, "after").and_then(|place| place.parse().ok()),
        status: State::ALL.into_iter().find(|state| state.as_str() == word),
        reference: digits,
        ..question(&filters, &signed, LIMIT)
    };
    let is_first = question.after.is_none();
    let found = match problem {
        None => list(&state.app, &signed.act, question).await?,
        Some(_) => Default::default(),
    };
    let older = found.next.filter(|_| found.has_more);
    let page = VerificationsPage {
        f: Frame::of(&state.app, &signed, &uri, t.title).await?,
        t,
        a: AttemptTexts::of(language),
        p,
        tabs: tabs(&signed, PATH_VERIFICATIONS),
        filters: form,
        states: states(t, language),
        problem,
        may_verify: signed.may::<Verify>(),
        attempts: attempts(&found.verifications, &linked, &signed),
        older: older.map(|place| further(&uri, "after", &place.to_string())),
        is_first,
    };
    Ok(of_template(&page, StatusCode::OK))
}

/// Builds the question that the filters ask, whichever the reference.
pub(super) fn question<O: Operation>(
    filters: &Filters,
    signed: &Signed<O>,
    limit: usize,
) -> Question {
    let Filters { bank, client, amount, from, to, .. } = *filters;
    let livemode = signed.test_mode.livemode();
    Question { from, to, bank, client, amount, livemode, limit, ..Question::default() }
}

/// The digits of what was typed, without what people write between them or paste around them; nothing where there are
/// none.
pub(super) fn digits(search: &str) -> Option<String> {
    let alone = typed::digits(search, |_| false);
    let pasted = || Some(TypedReference::pasted(search).ok()?.typed().to_owned());
    let digits = alone.or_else(pasted);
    let digits = digits.unwrap_or_else(|| search.chars().filter(char::is_ascii_digit).collect());
    (!digits.is_empty()).then_some(digits)
}

fn states(t: &VerificationsTexts, language: Language) -> Vec<Choice> {
    let any = Choice::new("", t.any);
    let text = |state| match state {
        State::Expired => t.expired,
        state => outcome::word(state, None, language).text,
    };
    let one = |state: State| Choice::new(state.as_str(), text(state));
    [vec![any], State::ALL.into_iter().map(one).collect()].concat()
}

pub(super) fn attempts<O: Operation>(
    found: &[Listed],
    linked: &[Linked],
    signed: &Signed<O>,
) -> Vec<Attempt> {
    let language = signed.language();
    let attempt = |one: &Listed| {
        let (source, link) = origin(signed, one.row.link, one.asked.source_name.as_deref());
        let is_test = !one.livemode;
        Attempt {
            href: outcome::path_of(one.row.id),
            reference: one.asked.reference.clone(),
            amount: one.asked.amount.map_or_else(String::new, |asked| {
                bolivars(Bolivars::from_hundredths(asked), language)
            }),
            when: instant(one.row.asked_at),
            account: name_of(one.row.bank, linked),
            source,
            link,
            is_test,
            word: outcome::word(one.row.state, one.row.failed.as_ref(), language).of(is_test),
            times: 1,
        }
    };
    found.iter().map(attempt).collect()
}
