//! `GET /app/keys/{key_id}/activity`: what a key was charged and what it asked, by month.

use std::collections::HashMap;

use app::activity::{Activity, Attempt, CreditLine, PAGE};
use app::paging::PageNumber;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ListBankAccounts, ShowActivity, ShowKey};
use domain::ids::{BankId, LinkId};
use domain::language::Language;
use domain::refusal::Code;
use domain::time::{CaracasMonth, Timestamp};
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::reach::name_of;
use super::{key_id, path_of};
use crate::dashboard::choice::Choice;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::{count, instant, month_name};
use crate::page::of_template;

/// How many months are offered at most.
const MONTHS_MAX: usize = 60;

texts! {
    ActivityTexts {
        title: "Actividad de", "Activity of";
        lead: "Lo que esta llave pidió a los bancos y los créditos que gastó. No es un registro de todas las llamadas a la API.", "What this key asked banks, and the credits that it spent. It is no log of every call of the API.";
        month: "Mes", "Month";
        see: "Ver", "See";
        credits: "Créditos", "Credits";
        requests: "Consultas", "Requests";
        spent: "Créditos gastados en el mes", "Credits spent in the month";
        asked: "Consultas del mes", "Requests of the month";
        date: "Fecha", "Date";
        what: "Qué", "What";
        amount: "Créditos", "Credits";
        balance: "Saldo después", "Balance after";
        account: "Cuenta", "Account";
        result: "Resultado", "Result";
        took: "Demora", "Took";
        link: "Enlace de pago", "Payment link";
        payment: "Verificación", "Verification";
        operator: "Créditos del operador", "Credits from the operator";
        no_credits: "En este mes no gastó créditos.", "It spent no credits in this month.";
        no_requests: "En este mes no preguntó nada a los bancos.", "It asked banks nothing in this month.";
        confirmed: "Confirmado", "Confirmed";
        repeat: "Ya estaba confirmado", "Was confirmed before";
        not_found: "No encontrado", "Not found";
        refused: "Rechazado", "Refused";
        unknown: "Sin respuesta segura", "Without a sure answer";
        back: "Volver a la llave", "Back to the key";
        other: "Llave revocada", "Revoked key";
    }
}

#[derive(Template)]
#[template(path = "dashboard/keys/activity.html")]
struct ActivityPage {
    f: Frame,
    t: &'static ActivityTexts,
    name: String,
    /// The key's page; nothing where the key was revoked.
    back: Option<String>,
    action: String,
    form: FormState,
    months: Vec<Choice>,
    tabs: [(String, &'static str, bool); 2],
    is_requests: bool,
    spent: String,
    asked: String,
    lines: Vec<Line>,
    requests: Vec<Asked>,
    pager: Pager,
}

/// A line of the ledger.
struct Line {
    date: String,
    what: &'static str,
    link: Option<LinkId>,
    account: String,
    amount: String,
    balance: String,
}

/// An attempt at a bank.
struct Asked {
    date: String,
    what: &'static str,
    account: String,
    result: (&'static str, &'static str),
    why: Option<&'static str>,
    code: Option<String>,
    took: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ShowActivity, _, _>("/app/keys/{key_id}/activity", view)]
}

async fn view(
    signed: Signed<ShowActivity>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (language, now) = (signed.language(), signed.act.now);
    let (t, id) = (ActivityTexts::of(language), key_id(&id)?);
    let number = PageNumber { limit: PAGE as u32, ..page_of(&uri) };
    let asked = web::query::find(&uri, "month").and_then(|month| CaracasMonth::parse(&month).ok());
    let month = asked.unwrap_or_else(|| CaracasMonth::of(now));
    let activity =
        app::activity::show(&state.app, &signed.act, id, Some(month), number.page).await?;
    // One that was revoked has no record any more, and what it did is still to be seen.
    let key = app::keys::show(&state.app, &signed.also::<ShowKey>()?, id).await.ok();
    let since = key.as_ref().map(|record| record.key.created_at);
    let accounts = app::accounts::list(&state.app, &signed.also::<ListBankAccounts>()?).await?;
    let accounts: Accounts =
        accounts.iter().map(|linked| (linked.account.id, name_of(linked))).collect();
    let is_requests = web::query::find(&uri, "list").as_deref() == Some("requests");
    let total = if is_requests { activity.request_total } else { activity.credit_lines };
    let name = key.map_or_else(|| format!("{} {id}", t.other), |record| record.key.name);
    let action = format!("{}/activity", path_of(id));
    let month_text = month.to_string();
    let list = if is_requests { "requests" } else { "credits" };
    let f = Frame::of(&state.app, &signed, &uri, format!("{} {name}", t.title)).await?;
    let page = ActivityPage {
        f,
        t,
        name,
        back: since.map(|_| path_of(id)),
        form: FormState::with(&[("month", &month_text), ("list", list)]),
        months: months(since, (month, now), language),
        tabs: tabs(&action, &month_text, is_requests, t),
        action,
        is_requests,
        spent: count(activity.credit_total, language),
        asked: count(activity.request_total, language),
        pager: Pager::of(&uri, number, total, language),
        lines: lines(&activity, &accounts, t, language),
        requests: requests(&activity, &accounts, t, language),
    };
    Ok(of_template(&page, StatusCode::OK))
}

/// What accounts are called.
type Accounts = HashMap<BankId, String>;

fn account(accounts: &Accounts, id: BankId) -> String {
    accounts.get(&id).cloned().unwrap_or_else(|| id.to_string())
}

/// The months in which the key was there, the newest first, and the one that is shown.
fn months(
    since: Option<Timestamp>,
    (shown, now): (CaracasMonth, Timestamp),
    language: Language,
) -> Vec<Choice> {
    let mut month = CaracasMonth::of(since.unwrap_or(shown.start()));
    let last = CaracasMonth::of(now);
    let mut months = vec![month];
    while month < last {
        month = month.next();
        months.push(month);
    }
    if !months.contains(&shown) {
        months.push(shown);
    }
    months.sort_unstable_by(|one, other| other.cmp(one));
    let choice = |month: CaracasMonth| Choice::new(month.to_string(), month_name(month, language));
    months.into_iter().take(MONTHS_MAX).map(choice).collect()
}

fn tabs(
    action: &str,
    month: &str,
    is_requests: bool,
    t: &ActivityTexts,
) -> [(String, &'static str, bool); 2] {
    let href = |list: &str| format!("{action}?month={month}&list={list}");
    [(href("credits"), t.credits, !is_requests), (href("requests"), t.requests, is_requests)]
}

fn lines(
    activity: &Activity,
    accounts: &Accounts,
    t: &ActivityTexts,
    language: Language,
) -> Vec<Line> {
    let line = |line: &CreditLine| {
        let charged = line.charged.as_ref();
        let link = charged.and_then(|charged| charged.link);
        Line {
            date: instant(line.created_at),
            what: match (charged.is_some(), link.is_some()) {
                (false, _) => t.operator,
                (true, true) => t.link,
                (true, false) => t.payment,
            },
            link,
            account: charged.map(|charged| account(accounts, charged.bank)).unwrap_or_default(),
            amount: count(line.amount, language),
            balance: count(line.balance_after, language),
        }
    };
    activity.credits.iter().map(line).collect()
}

fn requests(
    activity: &Activity,
    accounts: &Accounts,
    t: &ActivityTexts,
    language: Language,
) -> Vec<Asked> {
    let request = |entry: &Attempt| {
        let code = entry.error_code.as_deref().and_then(Code::parse);
        Asked {
            date: instant(entry.created_at),
            what: if entry.request_type == "payment_link" { t.link } else { t.payment },
            account: account(accounts, entry.bank),
            result: result(&entry.status, t),
            why: code.map(|code| without_phrase(code.meaning(language))),
            code: entry.error_code.clone(),
            took: took(entry.latency_us, language),
        }
    };
    activity.requests.iter().map(request).collect()
}

/// How an attempt ended, as a word and a class of the stylesheet.
fn result(status: &str, t: &ActivityTexts) -> (&'static str, &'static str) {
    match status {
        "confirmed" => (t.confirmed, "good"),
        "repeat" => (t.repeat, "good"),
        "not_found" => (t.not_found, "warn"),
        "refused" => (t.refused, "bad"),
        _ => (t.unknown, "warn"),
    }
}

/// Phrases that programs match, which begin the texts of some codes in every language.
const PHRASES: [&str; 3] = ["payment not found", "payment amount not valid", "user_bank not found"];

/// The text of a code for people alone.
fn without_phrase(text: &str) -> &str {
    let rest = PHRASES.iter().find_map(|phrase| text.strip_prefix(phrase)?.strip_prefix(": "));
    rest.unwrap_or(text)
}

/// `0,4 s`, and never nothing.
fn took(micros: i64, language: Language) -> String {
    let tenths = (micros / 100_000).max(1);
    format!("{}{}{} s", tenths / 10, language.pick(",", "."), tenths % 10)
}
