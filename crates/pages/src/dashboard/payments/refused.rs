//! `GET /app/payments/refused` and one of them: references that plan, limits or balance refused, so that no bank was
//! asked.

use app::accounts::Linked;
use app::verification::refused::{Refused, list, show};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ListRefused, Operation, ShowVerification, Verify};
use domain::ids::VerificationId;
use domain::language::Language;
use domain::money::Bolivars;
use domain::refusal::{Code, Refusal};
use domain::time::CaracasDate;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::asker::Asker;
use super::filters::{FilterForm, Filters, further};
use super::origin::origin;
use super::outcome::Word;
use super::rules::explain;
use super::show::{ShowPage, ShowTexts, again_path, typed};
use super::verifications::{Attempt, AttemptTexts, digits, question};
use super::{PaymentsTexts, asked, tabs};
use crate::dashboard::choice::{accounts, name_of};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::links;
use crate::dashboard::money::bolivars;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::instant;
use crate::page::of_template;

pub(super) const PATH_REFUSED: &str = "/app/payments/refused";

/// How many a page has.
const LIMIT: usize = 25;

texts! {
    RefusedTexts {
        title: "Sin preguntar", "Not checked";
        lead: "Referencias que se rechazaron sin preguntarle al banco: faltaban créditos, o se llegó a un límite o al del plan. No dice nada del pago. Se guardan noventa días.", "References rejected without asking the bank, because there were not enough credits, or a limit or your plan's limit was reached. This says nothing about the payment. They are kept for ninety days.";
        search: "Referencia", "Reference";
        none: "Ninguna es así.", "No references match these filters.";
        none_yet: "No se ha rechazado ninguna.", "No references have been rejected.";
        no_digits: "Escriba los dígitos de la referencia.", "Enter the digits of the reference.";
        go_on: "Seguir buscando más atrás", "Search earlier";
        older: "Más antiguas", "Older";
        newest: "Las últimas", "Newest";
    }
}

texts! {
    OneTexts {
        title: "Rechazada sin preguntar", "Rejected without asking the bank";
        refused_at: "Rechazada", "Rejected";
        code: "Regla", "Rule";
    }
}

#[derive(Template)]
#[template(path = "dashboard/payments/refused.html")]
struct RefusedPage {
    f: Frame,
    t: &'static RefusedTexts,
    a: &'static AttemptTexts,
    p: &'static PaymentsTexts,
    tabs: Vec<Tab>,
    path: &'static str,
    filters: FilterForm,
    problem: Option<&'static str>,
    attempts: Vec<Attempt>,
    older: Option<String>,
    is_first: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ListRefused, _, _>(PATH_REFUSED, view),
        PageRoute::page::<ShowVerification, _, _>(
            "/app/payments/refused/{verification_id}",
            view_one,
        ),
    ]
}

/// The page of the one of that id.
pub(in crate::dashboard) fn path_of(id: VerificationId) -> String {
    format!("{PATH_REFUSED}/{id}")
}

async fn view(
    signed: Signed<ListRefused>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, p) = (RefusedTexts::of(language), PaymentsTexts::of(language));
    let linked = accounts(&state.app, &signed).await?;
    let form = FilterForm::of(&state, &signed, (&uri, &linked), p.every_account).await?;
    let filters = Filters::of(&uri, form.t)?;
    let reference = digits(&filters.search);
    let has_no_digits = !filters.search.is_empty() && reference.is_none();
    let problem = filters.problem.or(has_no_digits.then_some(t.no_digits));
    let after = asked(&uri, "after").and_then(|place| place.parse().ok());
    let is_first = after.is_none();
    let question = app::verification::list::Question {
        after,
        reference,
        ..question(&filters, &signed, LIMIT)
    };
    let found = match problem {
        None => list(&state.app, &signed.act, question).await?,
        Some(_) => Default::default(),
    };
    let older = found.next.filter(|_| found.has_more);
    let page = RefusedPage {
        f: Frame::of(&state.app, &signed, &uri, t.title).await?,
        t,
        a: AttemptTexts::of(language),
        p,
        tabs: tabs(&signed, PATH_REFUSED),
        path: PATH_REFUSED,
        filters: form,
        problem,
        attempts: rows(&found.refused, &linked, &signed),
        older: older.map(|place| further(&uri, "after", &place.to_string())),
        is_first,
    };
    Ok(of_template(&page, StatusCode::OK))
}

/// They as rows show them. What one caller asked again and again on one day, refused by one rule, is one row.
pub(super) fn rows<O: Operation>(
    found: &[Refused],
    linked: &[Linked],
    signed: &Signed<O>,
) -> Vec<Attempt> {
    let language = signed.language();
    let mut folded: Vec<(&Refused, usize)> = Vec::new();
    for one in found {
        match folded.iter_mut().find(|(first, _)| is_same(first, one)) {
            Some((_, times)) => *times += 1,
            None => folded.push((one, 1)),
        }
    }
    let row = |(one, times): (&Refused, usize)| {
        let (source, link) = origin(signed, one.link, one.asked.source_name.as_deref());
        Attempt {
            href: path_of(one.id),
            reference: one.asked.reference.clone(),
            amount: one.asked.amount.map_or_else(String::new, |amount| {
                bolivars(Bolivars::from_hundredths(amount), language)
            }),
            when: instant(one.refused_at),
            account: name_of(one.bank, linked),
            source,
            link,
            is_test: !one.livemode,
            word: word(one.code, language),
            times,
        }
    };
    folded.into_iter().map(row).collect()
}

/// Tells whether two are one question of one caller, refused by one rule on one day.
fn is_same(one: &Refused, other: &Refused) -> bool {
    let caller = |of: &Refused| (of.link, of.key, of.employee, of.client);
    let question = |of: &Refused| (of.bank, of.code, CaracasDate::of(of.refused_at));
    caller(one) == caller(other) && question(one) == question(other) && one.asked == other.asked
}

/// The rule that refused, in a word.
pub(in crate::dashboard) fn word(code: Code, language: Language) -> Word {
    let (es, en) = match code {
        Code::NotEnoughCredits => ("Sin créditos", "No credits"),
        Code::ApiKeyMonthlyCreditLimitExceeded => ("Límite de la llave", "API key limit"),
        Code::ClientMonthlyCreditLimitExceeded => ("Límite del cliente", "Client limit"),
        Code::PlanIsNotActive => ("Plan inactivo", "Plan inactive"),
        _ => ("Límite del plan", "Plan limit"),
    };
    Word { text: language.pick(es, en), class: "bad" }
}

async fn view_one(
    signed: Signed<ShowVerification>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, p) = (ShowTexts::of(language), PaymentsTexts::of(language));
    let id: VerificationId = id.parse().map_err(|_| Refusal::NotFound("verification"))?;
    let found = show(&state.app, &signed.act, id).await?;
    let is_test = !found.livemode;
    if let Some(instead) = test_mode::instead(&state, &signed, &uri, is_test).await? {
        return Ok(instead);
    }
    let linked = accounts(&state.app, &signed).await?;
    // What is verified by hand pays no link.
    let is_by_hand = found.link.is_none() && signed.may::<Verify>();
    let one = OneTexts::of(language);
    let asker = asker(&found).named(&state, &signed).await?;
    let page = ShowPage {
        f: Frame::of(&state.app, &signed, &uri, one.title).await?,
        t,
        p,
        title: one.title,
        tabs: tabs(&signed, PATH_REFUSED),
        heading: found.asked.reference.clone(),
        is_test,
        word: word(found.code, language),
        explanation: explain(&found, &signed),
        typed: typed(&found.asked, t, p, language),
        facts: facts(&found, asker.facts, &name_of(found.bank, &linked), one, p),
        payment: None,
        movements: None,
        knows: true,
        accept: None,
        key: asker.key,
        link: found.link.and_then(|link| links::path_for(&signed, link)),
        another: None,
        again: is_by_hand.then(|| again_path(&found.asked, found.bank)),
    };
    Ok(of_template(&page, StatusCode::OK))
}

fn asker(found: &Refused) -> Asker {
    let Refused { link, key, employee, client, .. } = *found;
    Asker { link, key, employee, client }
}

fn facts(
    found: &Refused,
    asker: Vec<(&'static str, String)>,
    account: &str,
    t: &OneTexts,
    p: &PaymentsTexts,
) -> Vec<(&'static str, String)> {
    let mut facts =
        vec![(p.account, account.to_owned()), (t.refused_at, instant(found.refused_at))];
    facts.extend(asker);
    facts.push((t.code, found.code.as_str().to_owned()));
    facts
}
