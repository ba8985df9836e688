//! `GET /app/payments`

use app::accounts::{FoundMovement, Linked};
use app::payments::Newest;
use app::verification::Whole;
use app::verification::list::{Question, list};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{
    AcceptMovement, ListMovements, ListPayments, ListRefused, ListVerifications, ShowLink, Verify,
};
use domain::ids::{BankId, LinkId};
use domain::language::Language;
use domain::money::Bolivars;
use domain::reference::{InvalidPaste, TypedReference};
use domain::refusal::{Detail, Problem, Refusal};
use domain::time::CaracasDate;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::filters::{FilterForm, Filters, further};
use super::origin::origin;
use super::refused::{self, PATH_REFUSED};
use super::verifications::{Attempt, AttemptTexts, PATH_VERIFICATIONS, attempts, digits, question};
use super::{PATH, PaymentsTexts, asked, movement, outcome, tabs};
use crate::checkout::see;
use crate::dashboard::choice::{accounts, name_of};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::links;
use crate::dashboard::money::{bolivars, in_field};
use crate::dashboard::reader::{Advice, Reader, Takes};
use crate::dashboard::receipts;
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::instant;
use crate::page::of_template;
use crate::written::encoded;

/// How many payments a page has.
const LIMIT: usize = 25;

/// How many verifications stand beside what the bank shows.
const ATTEMPTS: usize = 10;

texts! {
    ListTexts {
        lead: "Lo verificado, primero lo último. Con una referencia se busca también lo que el banco mostró y nadie ha usado.", "Verified payments, newest first. Search by reference to also find money that the bank showed and nobody has used.";
        search: "Referencia o enlace", "Reference or link";
        for_link: "Un pago sin usar que era para un enlace se acepta en la página del enlace. Si se verifica aquí, queda usado y ya no puede pagarlo.", "To use an unused payment for a link, accept it on the link's page. Once verified here, it is marked as used and can no longer pay the link.";
        when: "Verificado", "Verified";
        paid: "Pagado", "Paid";
        source: "Origen", "Source";
        by_link: "Enlace", "Link";
        receipt: "Comprobante", "Receipt";
        confirmed: "Verificado", "Verified";
        unused: "Llegó, sin usar", "Received, unused";
        outgoing: "Salió", "Outgoing";
        attempts: "Verificaciones de esa referencia", "Verifications of this reference";
        all_attempts: "Seguir buscando más atrás", "Search earlier";
        refused: "Rechazadas sin preguntarle al banco", "Rejected without asking the bank";
        all_refused: "Ver todas las rechazadas así", "View all references rejected this way";
        no_attempts: "Ninguna entre las últimas.", "None among the latest.";
        found: "Lo que muestra el banco", "Shown by the bank";
        verify_now: "Verificar esta referencia", "Verify this reference";
        accept: "Aceptar como pago", "Accept as payment";
        no_reference: "Escriba los dígitos de la referencia, o el código de un enlace.", "Enter the digits of the reference, or a link ID.";
        none_yet: "Todavía no hay pagos. Verifique el primero.", "No payments yet. Verify your first payment.";
        none_yet_ask: "Todavía no hay pagos.", "No payments yet.";
        none_found: "Ningún pago es así.", "No payments match these filters.";
        older: "Más antiguos", "Older";
        go_on: "Seguir buscando más atrás", "Search earlier";
        newest: "Los últimos", "Newest";
        verify: "Verificar un pago", "Verify payment";
    }
}

/// Advice about a reference that the bank has not shown.
const NONE_SHOWN: Advice = Advice::taking(
    Takes::Verifying,
    (
        "No hay ningún movimiento con esa referencia entre los que el banco ha mostrado. Verifíquela para preguntarle ahora.",
        "No movement that the bank has shown has this reference. Verify it to ask the bank now.",
    ),
    (
        "No hay ningún movimiento con esa referencia entre los que el banco ha mostrado. Pida {who} que la verifique para preguntarle ahora.",
        "No movement that the bank has shown has this reference. Ask {who} to verify it, to ask the bank now.",
    ),
);

#[derive(Template)]
#[template(path = "dashboard/payments/list.html")]
struct ListPage {
    f: Frame,
    t: &'static ListTexts,
    p: &'static PaymentsTexts,
    tabs: Vec<Tab>,
    a: &'static AttemptTexts,
    filters: FilterForm,
    problem: Option<&'static str>,
    /// What is known of a reference, where one was searched for.
    found: Option<Found>,
    rows: Vec<Row>,
    older: Option<String>,
    is_first: bool,
    may_verify: bool,
    may_accept: bool,
}

/// Findings about a reference.
struct Found {
    attempts: Vec<Attempt>,
    /// Where the other verifications are, if there are more.
    all_attempts: Option<String>,
    /// Those that were refused before the bank was asked, and where the others are, if there are more.
    refused: Vec<Attempt>,
    all_refused: Option<String>,
    movements: Vec<FoundRow>,
    /// What is said where there are none.
    none_shown: String,
    /// Where it is verified.
    verify: String,
}

struct Row {
    href: String,
    reference: String,
    amount: String,
    paid: String,
    when: String,
    account: String,
    source: String,
    /// The link that it paid, where the person who looks sees it.
    link: Option<String>,
    /// The receipt of it, if it has one.
    receipt: Option<String>,
    is_test: bool,
}

struct FoundRow {
    movement: movement::Row,
    /// Where it is verified: with its own account, reference and amount, so that nothing else passes for it.
    verify: String,
    account: String,
    /// The verification that claimed it, and the link that it paid, where the person who looks sees them.
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
    let linked = accounts(&state.app, &signed).await?;
    let form = FilterForm::of(&state, &signed, (&uri, &linked), p.every_account).await?;
    let filters = Filters::of(&uri, form.t)?;
    if let Ok(link) = filters.search.parse::<LinkId>()
        && signed.may::<ShowLink>()
    {
        return Ok(see(&links::path_of(link)));
    }
    let mut page = ListPage {
        f: Frame::of(&state.app, &signed, &uri, p.title).await?,
        t,
        p,
        a: AttemptTexts::of(language),
        tabs: tabs(&signed, PATH),
        filters: form,
        problem: filters.problem,
        found: None,
        rows: Vec::new(),
        older: None,
        is_first: asked(&uri, "before").is_none(),
        may_verify: signed.may::<Verify>(),
        may_accept: signed.may::<AcceptMovement>(),
    };
    let look = Look { state: &state, signed: &signed, uri: &uri, linked: &linked };
    match (page.problem, filters.search.is_empty()) {
        (Some(_), _) => {}
        (None, true) => look.newest(&filters, &mut page).await?,
        (None, false) => look.by_reference(&filters, &mut page).await?,
    }
    Ok(of_template(&page, StatusCode::OK))
}

/// Person who looks, and the accounts that are looked at.
struct Look<'a> {
    state: &'a AppState,
    signed: &'a Signed<ListPayments>,
    uri: &'a Uri,
    linked: &'a [Linked],
}

impl Look<'_> {
    /// The latest payments that are wanted.
    async fn newest(&self, filters: &Filters, page: &mut ListPage) -> Result<(), Failure> {
        let Filters { bank, client, amount, from, to, .. } = *filters;
        let before = asked(self.uri, "before").and_then(|place| place.parse().ok());
        let livemode = self.signed.test_mode.livemode();
        let wanted = Newest { before, from, to, bank, client, amount, livemode, limit: LIMIT };
        let found = app::payments::newest(&self.state.app, &self.signed.act, wanted).await?;
        page.rows = found.payments.iter().map(|seen| row(seen, self.linked, self.signed)).collect();
        let older = found.next.filter(|_| found.has_more);
        page.older = older.map(|place| further(self.uri, "before", &place.to_string()));
        Ok(())
    }

    /// Fills in what was asked about a reference, and what the bank has shown of it.
    async fn by_reference(&self, filters: &Filters, page: &mut ListPage) -> Result<(), Failure> {
        let reference = match TypedReference::pasted(&filters.search) {
            Ok(reference) => reference,
            Err(error @ InvalidPaste::Several(_)) => {
                let text = Problem::from(error).text(self.signed.language()).to_owned();
                page.filters.form.notice = Some(format!("{} {text}", page.t.search));
                return Ok(());
            }
            Err(InvalidPaste::Reference(_)) => {
                page.problem = Some(page.t.no_reference);
                return Ok(());
            }
        };
        let act = self.signed.also::<ListMovements>()?;
        let bank = filters.bank;
        let livemode = self.signed.test_mode.livemode();
        let found = app::accounts::find_movements(&self.state.app, &act, reference, bank, livemode);
        let found = found.await;
        let found = match found {
            Ok(found) => found,
            Err(app::Error::Refused(Refusal::Validation(details))) => {
                let text = |detail: &Detail| detail.problem.text(self.signed.language()).to_owned();
                page.filters.form.notice = details.first().map(text);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let (attempts, has_more) = self.attempts(filters).await?;
        let (refused, has_more_refused) = self.refused(filters).await?;
        let at = |path: &str| format!("{path}?{}", self.uri.query().unwrap_or_default());
        page.found = Some(Found {
            attempts,
            all_attempts: has_more.then(|| at(PATH_VERIFICATIONS)),
            refused,
            all_refused: has_more_refused.then(|| at(PATH_REFUSED)),
            movements: self.movements(&found, filters).await?,
            none_shown: Reader::of(self.signed).advise(&NONE_SHOWN, self.signed.language()),
            verify: verify_path(&filters.search, bank, filters.amount, self.signed.language()),
        });
        Ok(())
    }

    /// The latest verifications of the reference, and whether there may be more.
    async fn attempts(&self, filters: &Filters) -> Result<(Vec<Attempt>, bool), Failure> {
        let act = self.signed.also::<ListVerifications>()?;
        let question = Question {
            reference: digits(&filters.search),
            ..question(filters, self.signed, ATTEMPTS)
        };
        let found = list(&self.state.app, &act, question).await?;
        let rows = attempts(&found.verifications, self.linked, self.signed);
        Ok((rows, found.has_more))
    }

    /// The latest questions about the reference that were refused before the bank was asked, and whether there may be
    /// more.
    async fn refused(&self, filters: &Filters) -> Result<(Vec<Attempt>, bool), Failure> {
        let act = self.signed.also::<ListRefused>()?;
        let question = Question {
            reference: digits(&filters.search),
            ..question(filters, self.signed, ATTEMPTS)
        };
        let found = app::verification::refused::list(&self.state.app, &act, question).await?;
        let rows = refused::rows(&found.refused, self.linked, self.signed);
        Ok((rows, found.has_more))
    }

    /// The movements that are wanted, and what was done with them.
    async fn movements(
        &self,
        found: &[FoundMovement],
        filters: &Filters,
    ) -> Result<Vec<FoundRow>, Failure> {
        let ids = found.iter().filter_map(|one| one.movement.claimed).collect();
        let payments = app::payments::some(&self.state.app, &self.signed.act, ids).await?;
        let seen_of = |one: &FoundMovement| {
            payments.iter().find(|seen| Some(seen.payment.id) == one.movement.claimed)
        };
        // One that is claimed is its client's; another may become that of any client that reaches its account.
        let is_clients = |one: &FoundMovement, client| match one.movement.claimed {
            Some(_) => seen_of(one).is_some_and(|seen| seen.client == Some(client)),
            None => self.linked.iter().any(|linked| {
                linked.account.id == one.bank && linked.account.client.is_none_or(|of| of == client)
            }),
        };
        // The day on which it was verified, as for payments, or else on which it came.
        let day = |one: &FoundMovement| {
            let verified = seen_of(one).map(|seen| seen.payment.created_at);
            CaracasDate::of(verified.unwrap_or(one.recorded_at))
        };
        let is_wanted = |one: &&FoundMovement| {
            filters.has(day(one))
                && filters.amount.is_none_or(|amount| amount == one.movement.amount)
                && filters.client.is_none_or(|client| is_clients(one, client))
        };
        let shown = |one: &FoundMovement| FoundRow {
            movement: movement::row(
                &one.movement,
                self.signed.test_mode.is_test(one.bank),
                self.signed.language(),
            ),
            verify: verify_path(
                one.movement.reference.shown(),
                Some(one.bank),
                Some(one.movement.amount),
                self.signed.language(),
            ),
            account: name_of(one.bank, self.linked),
            href: seen_of(one).map(|seen| outcome::path_of(seen.payment.verification)),
            link: seen_of(one)
                .and_then(|seen| seen.link)
                .and_then(|link| links::path_for(self.signed, link)),
        };
        Ok(found.iter().filter(is_wanted).map(shown).collect())
    }
}

/// Returns the path at which that is verified, filled in with what is known.
fn verify_path(
    reference: &str,
    bank: Option<BankId>,
    amount: Option<Bolivars>,
    language: Language,
) -> String {
    let mut path = format!("{}?bank_reference={}", super::verify::PATH_VERIFY, encoded(reference));
    if let Some(bank) = bank {
        path.push_str(&format!("&user_bank_id={bank}"));
    }
    if let Some(amount) = amount {
        let amount = in_field(amount.hundredths(), language);
        path.push_str(&format!("&amount={}", encoded(&amount)));
    }
    path
}

fn row(seen: &Whole, linked: &[Linked], signed: &Signed<ListPayments>) -> Row {
    let (payment, language) = (&seen.payment, signed.language());
    let (source, link) = origin(signed, seen.link, seen.asked.source_name.as_deref());
    Row {
        href: outcome::path_of(payment.verification),
        reference: payment.reference.clone(),
        amount: bolivars(payment.amount, language),
        paid: instant(payment.paid_at),
        when: instant(payment.created_at),
        account: name_of(payment.bank, linked),
        source,
        link,
        receipt: receipts::path_for(signed, payment.receipt),
        is_test: !seen.livemode,
    }
}
