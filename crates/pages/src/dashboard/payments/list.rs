//! `GET /app/payments`

use app::accounts::{FoundMovement, Linked};
use app::clients::ClientRecord;
use app::paging::{LIMIT_MAX, PageNumber};
use app::payments::{Newest, Seen};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListClients, ListMovements, ListPayments};
use domain::ids::LinkId;
use domain::language::Language;
use domain::money::Bolivars;
use domain::reference::TypedReference;
use domain::refusal::Refusal;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::{PATH, PaymentsTexts, asked, day, movement, outcome, tabs};
use crate::checkout::see;
use crate::dashboard::choice::{Choice, account_name, accounts, of_accounts};
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::links;
use crate::dashboard::money::{amount, bolivars};
use crate::dashboard::route::PageRoute;
use crate::dashboard::sign_in::encoded;
use crate::dashboard::written::instant;
use crate::page::of_template;

/// How many payments a page has.
const LIMIT: usize = 25;

/// How much of a search is looked at.
const SEARCH_MAX: usize = 60;

texts! {
    ListTexts {
        lead: "Lo verificado, primero lo último. Con una referencia se busca también lo que el banco mostró y nadie ha usado.", "What was verified, the latest first. By a reference you also find what the bank has shown and nobody has used.";
        search: "Referencia o enlace", "Reference or link";
        more: "Monto, días y más", "Amount, days and more";
        for_link: "Un pago sin usar que era para un enlace se acepta en la página del enlace. Si se verifica aquí, queda usado y ya no puede pagarlo.", "A payment not used that was for a link is accepted on the link's page. Once verified here it is used, and can pay it no more.";
        client: "Cliente", "Client";
        every_client: "Todos", "All";
        when: "Verificado", "Verified";
        paid: "Pagado", "Paid";
        source: "Origen", "Origin";
        by_link: "Enlace", "Link";
        confirmed: "Verificado", "Verified";
        unused: "Llegó, sin usar", "Came, not used";
        outgoing: "Salió", "Went out";
        found: "Lo que muestra el banco", "What the bank shows";
        none_shown: "No hay ningún movimiento con esa referencia entre los que el banco ha mostrado. Verifíquela para preguntarle ahora.", "There is no movement of that reference among those that the bank has shown. Verify it to ask the bank now.";
        verify_now: "Verificar esta referencia", "Verify this reference";
        no_reference: "Escriba los dígitos de la referencia, o el código de un enlace.", "Type the digits of the reference, or the code of a link.";
        no_amount: "El monto no se entiende. Escríbalo como 1.234,50.", "The amount is not understood. Write it as 1,234.50.";
        none_yet: "Todavía no hay pagos. Verifique el primero.", "There are no payments yet. Verify the first.";
        none_found: "Ningún pago es así.", "No payment is like that.";
        older: "Más antiguos", "Older ones";
        go_on: "Seguir buscando más atrás", "Search on further back";
        newest: "Los últimos", "The latest";
        verify: "Verificar un pago", "Verify a payment";
    }
}

#[derive(Template)]
#[template(path = "dashboard/payments/list.html")]
struct ListPage {
    f: Frame,
    t: &'static ListTexts,
    p: &'static PaymentsTexts,
    tabs: Vec<Tab>,
    form: FormState,
    accounts: Vec<Choice>,
    /// Nothing where whoever looks may not see clients.
    clients: Vec<Choice>,
    problem: Option<&'static str>,
    is_filtered: bool,
    is_more_open: bool,
    /// What the bank shows of a reference, where one was searched for.
    found: Option<Vec<FoundRow>>,
    verify: String,
    rows: Vec<Row>,
    older: Option<String>,
    is_first: bool,
}

struct Row {
    href: String,
    reference: String,
    amount: String,
    paid: String,
    when: String,
    account: String,
    source: String,
    link: Option<String>,
    is_test: bool,
}

struct FoundRow {
    movement: movement::Row,
    account: String,
    /// The verification that claimed it, and the link that it paid, where whoever looks sees them.
    href: Option<String>,
    link: Option<String>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListPayments, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ListPayments>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, p) = (ListTexts::of(language), PaymentsTexts::of(language));
    let search: String =
        asked(&uri, "search").unwrap_or_default().chars().take(SEARCH_MAX).collect();
    if let Ok(link) = search.parse::<LinkId>() {
        return Ok(see(&links::path_of(link)));
    }
    let linked = accounts(&state.app, &signed).await?;
    let more = ["user_bank_id", "client", "amount", "from", "to"];
    let is_more_open = more.iter().any(|name| asked(&uri, name).is_some());
    let mut page = ListPage {
        f: Frame::of(&state.app, &signed, &uri, p.title).await?,
        t,
        p,
        tabs: tabs(&signed, PATH),
        form: filters(&uri, &search),
        accounts: [vec![Choice::new("", p.every_account)], of_accounts(linked.iter())].concat(),
        clients: clients(&state, &signed, t).await?,
        problem: None,
        is_filtered: is_more_open || !search.is_empty(),
        is_more_open,
        found: None,
        verify: super::verify::PATH_VERIFY.to_owned(),
        rows: Vec::new(),
        older: None,
        is_first: asked(&uri, "before").is_none(),
    };
    if search.is_empty() {
        newest(&state, &signed, &uri, &linked, &mut page).await?;
    } else {
        by_reference(&state, &signed, &uri, (&search, &linked), &mut page).await?;
    }
    Ok(of_template(&page, StatusCode::OK))
}

fn filters(uri: &Uri, search: &str) -> FormState {
    let value = |name| asked(uri, name).unwrap_or_default();
    FormState::with(&[
        ("search", search),
        ("user_bank_id", &value("user_bank_id")),
        ("client", &value("client")),
        ("amount", &value("amount")),
        ("from", &value("from")),
        ("to", &value("to")),
    ])
}

async fn clients(
    state: &AppState,
    signed: &Signed<ListPayments>,
    t: &ListTexts,
) -> Result<Vec<Choice>, Failure> {
    let Ok(act) = signed.also::<ListClients>() else { return Ok(Vec::new()) };
    let first = PageNumber { page: 1, limit: LIMIT_MAX };
    let found = app::clients::list(&state.app, &act, first).await?.entries;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let choice =
        |one: &ClientRecord| Choice::new(one.client.id.to_string(), one.client.name.as_str());
    Ok([vec![Choice::new("", t.every_client)], found.iter().map(choice).collect()].concat())
}

/// The latest payments that are wanted.
async fn newest(
    state: &AppState,
    signed: &Signed<ListPayments>,
    uri: &Uri,
    linked: &[Linked],
    page: &mut ListPage,
) -> Result<(), Failure> {
    let language = signed.language();
    let typed = asked(uri, "amount").map(|text| amount(&text));
    if matches!(typed, Some(Err(_))) {
        page.problem = Some(page.t.no_amount);
        return Ok(());
    }
    let wanted = Newest {
        before: asked(uri, "before").and_then(|place| place.parse().ok()),
        from: day(uri, "from"),
        to: day(uri, "to"),
        bank: bank(uri)?,
        client: asked(uri, "client")
            .map(|client| client.parse().map_err(|_| Refusal::NotFound("client")))
            .transpose()?,
        amount: typed.and_then(Result::ok).map(Bolivars::from_hundredths),
        limit: LIMIT,
    };
    let found = app::payments::newest(&state.app, &signed.act, wanted).await?;
    page.rows = found.payments.iter().map(|seen| row(seen, linked, language)).collect();
    page.older = found.next.filter(|_| found.has_more).map(|place| {
        let kept = web::query::pairs(uri).into_iter().filter(|(name, _)| name != "before");
        let kept: String =
            kept.map(|(name, value)| format!("{}={}&", encoded(&name), encoded(&value))).collect();
        format!("{PATH}?{kept}before={place}")
    });
    Ok(())
}

/// An account of another form is none.
fn bank(uri: &Uri) -> Result<Option<domain::ids::BankId>, Refusal> {
    asked(uri, "user_bank_id")
        .map(|bank| bank.parse().map_err(|_| Refusal::UserBankNotFound))
        .transpose()
}

/// What the bank has shown of a reference, and what became of it.
async fn by_reference(
    state: &AppState,
    signed: &Signed<ListPayments>,
    uri: &Uri,
    (search, linked): (&str, &[Linked]),
    page: &mut ListPage,
) -> Result<(), Failure> {
    let language = signed.language();
    let Ok(reference) = TypedReference::parse(search) else {
        page.problem = Some(page.t.no_reference);
        return Ok(());
    };
    page.verify = format!("{}?bank_reference={}", super::verify::PATH_VERIFY, encoded(search));
    let act = signed.also::<ListMovements>()?;
    let found = app::accounts::find_movements(&state.app, &act, reference, bank(uri)?).await;
    let found = match found {
        Ok(found) => found,
        Err(app::Error::Refused(Refusal::Validation(details))) => {
            let problem = details.first().map(|detail| detail.problem.text(language).to_owned());
            page.form.notice = problem;
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let ids = found.iter().filter_map(|one| one.movement.claimed).collect();
    let payments = app::payments::some(&state.app, &signed.act, ids).await?;
    let shown = |one: &FoundMovement| {
        let seen = payments.iter().find(|seen| Some(seen.payment.id) == one.movement.claimed);
        FoundRow {
            movement: movement::row(&one.movement, language),
            account: name_of(one.bank, linked),
            href: seen.map(|seen| outcome::path_of(seen.payment.verification)),
            link: seen.and_then(|seen| seen.link).map(links::path_of),
        }
    };
    page.found = Some(found.iter().map(shown).collect());
    Ok(())
}

fn row(seen: &Seen, linked: &[Linked], language: Language) -> Row {
    let payment = &seen.payment;
    Row {
        href: outcome::path_of(payment.verification),
        reference: payment.reference.clone(),
        amount: bolivars(payment.amount, language),
        paid: instant(payment.paid_at),
        when: instant(payment.created_at),
        account: name_of(payment.bank, linked),
        // A link's checks have its id there, which is shown as a link.
        source: seen.source_name.clone().filter(|_| seen.link.is_none()).unwrap_or_default(),
        link: seen.link.map(links::path_of),
        is_test: !seen.livemode,
    }
}

fn name_of(bank: domain::ids::BankId, linked: &[Linked]) -> String {
    linked.iter().find(|one| one.account.id == bank).map_or_else(String::new, account_name)
}
