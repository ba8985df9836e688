//! What a key, a person or its sessions were charged and asked, by month.

use std::collections::HashMap;

use app::activity::{Activity, Attempt, Charged, CreditLine, PAGE};
use app::paging::PageNumber;
use app::test_mode::TestMode;
use askama::Template;
use axum::response::Response;
use domain::access::{ListBankAccounts, Operation};
use domain::ids::BankId;
use domain::language::Language;
use domain::refusal::Code;
use domain::time::{CaracasMonth, Timestamp};
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use crate::dashboard::choice::{Choice, account_name, accounts};
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::written::{count, instant};
use crate::dashboard::{links, subscriptions, test_mode};
use crate::page::of_template;

/// How many months are offered at most.
const MONTHS_MAX: usize = 60;

texts! {
    ActivityTexts {
        title: "Actividad de", "Activity of";
        lead: "Lo que se pidió a los bancos y los créditos que se gastaron. No es un registro de todas las llamadas a la API.", "Requests to banks and credits spent. This is not a log of every API call.";
        month: "Mes", "Month";
        see: "Ver", "View";
        credits: "Créditos", "Credits";
        requests: "Consultas", "Requests";
        spent: "Créditos gastados en el mes", "Credits spent in the month";
        asked: "Consultas del mes", "Requests in the month";
        date: "Fecha", "Date";
        what: "Qué", "Description";
        amount: "Créditos", "Credits";
        balance: "Saldo después", "Balance after";
        account: "Cuenta", "Account";
        result: "Resultado", "Result";
        took: "Demora", "Duration";
        link: "Enlace de pago", "Payment link";
        subscription: "Suscripción", "Subscription";
        payment: "Verificación", "Verification";
        operator: "Créditos del operador", "Credits from the operator";
        of_test: "Una cuenta de prueba", "A test account";
        of_live: "Una cuenta real", "A real account";
        no_credits: "En este mes no se gastaron créditos.", "No credits were spent in this month.";
        no_requests: "En este mes no se preguntó nada a los bancos.", "No requests were made to banks in this month.";
        confirmed: "Confirmado", "Confirmed";
        repeat: "Ya estaba confirmado", "Already confirmed";
        not_found: "No encontrado", "Not found";
        refused: "Rechazado", "Rejected";
        unknown: "Sin respuesta segura", "Result unknown";
        back: "Volver", "Back";
    }
}

#[derive(Template)]
#[template(path = "dashboard/activity/shown.html")]
struct ActivityPage {
    f: Frame,
    t: &'static ActivityTexts,
    name: String,
    /// The page that it belongs to, where it is still there.
    back: Option<String>,
    action: String,
    form: FormState,
    months: Vec<Choice>,
    tabs: [(String, &'static str, bool); 2],
    is_requests: bool,
    spent: String,
    asked: String,
    lines: Vec<Line>,
    columns: Vec<(&'static str, &'static str)>,
    /// Whether the person who looks may know the owner's balance.
    has_balance: bool,
    requests: Vec<Asked>,
    pager: Pager,
}

/// A line of the ledger.
struct Line {
    date: String,
    what: &'static str,
    /// The page of what was paid, where there is one that the person who looks may see.
    href: Option<String>,
    account: String,
    is_test: bool,
    amount: String,
    balance: String,
}

/// An attempt at a bank.
struct Asked {
    date: String,
    what: &'static str,
    account: String,
    is_test: bool,
    result: (&'static str, &'static str),
    why: Option<&'static str>,
    code: Option<String>,
    took: String,
}

/// Holder of the activity.
pub(in crate::dashboard) struct Whose {
    pub(in crate::dashboard) name: String,
    /// The page of its activity.
    pub(in crate::dashboard) action: String,
    pub(in crate::dashboard) back: Option<String>,
    /// Since when there may be any.
    pub(in crate::dashboard) since: Option<Timestamp>,
}

/// The part of it that the address asks for: a month, and a page of it.
pub(in crate::dashboard) fn part_of(uri: &Uri, now: Timestamp) -> (CaracasMonth, PageNumber) {
    let asked = web::query::find(uri, "month").and_then(|month| CaracasMonth::parse(&month).ok());
    let number = PageNumber { limit: PAGE as u32, ..page_of(uri) };
    (asked.unwrap_or_else(|| CaracasMonth::of(now)), number)
}

/// The page of that part of somebody's activity.
pub(in crate::dashboard) async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    whose: Whose,
    activity: &Activity,
) -> Result<Response, Failure> {
    let (language, now) = (signed.language(), signed.act.now);
    let t = ActivityTexts::of(language);
    let (month, number) = part_of(uri, now);
    let Whose { name, action, back, since } = whose;
    // Who may not see the accounts sees their ids.
    let linked = match signed.may::<ListBankAccounts>() {
        true => accounts(&state.app, signed).await?,
        false => Vec::new(),
    };
    let names = linked.iter().map(|linked| (linked.account.id, account_name(linked))).collect();
    let accounts = Accounts { names, mode: &signed.test_mode, t };
    let is_requests = web::query::find(uri, "list").as_deref() == Some("requests");
    let total = if is_requests { activity.request_total } else { activity.credit_lines };
    let month_text = month.to_string();
    let list = if is_requests { "requests" } else { "credits" };
    let page = ActivityPage {
        f: Frame::of(&state.app, signed, uri, format!("{} {name}", t.title)).await?,
        t,
        name,
        back,
        form: FormState::with(&[("month", &month_text), ("list", list)]),
        months: months(since, (month, now), language),
        tabs: tabs(&action, &month_text, is_requests, t),
        action,
        is_requests,
        spent: count(activity.credit_total, language),
        asked: count(activity.request_total, language),
        pager: Pager::of(uri, number, total, language),
        lines: lines(signed, activity, &accounts, t),
        columns: columns(t, signed.caller().knows_credits()),
        has_balance: signed.caller().knows_credits(),
        requests: requests(activity, &accounts, t, language),
    };
    Ok(of_template(&page, StatusCode::OK))
}

/// The columns of the list of credits.
fn columns(t: &ActivityTexts, has_balance: bool) -> Vec<(&'static str, &'static str)> {
    let balance = has_balance.then_some((t.balance, "number"));
    let columns = [(t.date, ""), (t.what, ""), (t.account, ""), (t.amount, "number")];
    columns.into_iter().chain(balance).collect()
}

/// Names of accounts. Credits are spent in either mode, so that every line stands here; one of the other mode names
/// neither account nor link.
struct Accounts<'a> {
    names: HashMap<BankId, String>,
    mode: &'a TestMode,
    t: &'a ActivityTexts,
}

impl Accounts<'_> {
    fn name(&self, id: BankId) -> String {
        match (self.is_shown(id), self.mode.is_test(id)) {
            (true, _) => self.names.get(&id).cloned().unwrap_or_else(|| id.to_string()),
            (false, true) => self.t.of_test.to_owned(),
            (false, false) => self.t.of_live.to_owned(),
        }
    }

    fn is_shown(&self, id: BankId) -> bool {
        self.mode.shows(self.mode.is_test(id))
    }
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
    let choice = |month: CaracasMonth| Choice::new(month.to_string(), month.in_words(language));
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

fn lines<O: Operation>(
    signed: &Signed<O>,
    activity: &Activity,
    accounts: &Accounts<'_>,
    t: &ActivityTexts,
) -> Vec<Line> {
    let language = signed.language();
    let line = |line: &CreditLine| {
        let charged = line.charged.as_ref();
        let shown = charged.filter(|charged| accounts.is_shown(charged.bank));
        Line {
            date: instant(line.created_at),
            what: charged.map_or(t.operator, |charged| what(charged, t)),
            href: shown.and_then(|charged| href(signed, charged)),
            account: charged.map(|charged| accounts.name(charged.bank)).unwrap_or_default(),
            is_test: charged.is_some_and(|charged| accounts.mode.is_test(charged.bank)),
            amount: count(line.amount, language),
            balance: count(line.balance_after, language),
        }
    };
    activity.credits.iter().map(line).collect()
}

fn what(charged: &Charged, t: &ActivityTexts) -> &'static str {
    match (charged.subscription, charged.link) {
        (Some(_), _) => t.subscription,
        (None, Some(_)) => t.link,
        (None, None) => t.payment,
    }
}

/// Finds the page of the subscription that was paid, or of the link.
fn href<O: Operation>(signed: &Signed<O>, charged: &Charged) -> Option<String> {
    let subscription = charged.subscription.and_then(|id| subscriptions::path_for(signed, id));
    subscription.or_else(|| links::path_for(signed, charged.link?))
}

fn requests(
    activity: &Activity,
    accounts: &Accounts<'_>,
    t: &ActivityTexts,
    language: Language,
) -> Vec<Asked> {
    let request = |entry: &Attempt| {
        let code = entry.error_code.as_deref().and_then(Code::parse);
        let (is_test, result) = (accounts.mode.is_test(entry.bank), result(&entry.status, t));
        Asked {
            date: instant(entry.created_at),
            what: if entry.request_type == "payment_link" { t.link } else { t.payment },
            account: accounts.name(entry.bank),
            is_test,
            result: (result.0, test_mode::class(result.1, is_test)),
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
