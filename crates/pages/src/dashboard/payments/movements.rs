//! `GET /app/payments/movements`

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{AcceptMovement, Guarded, ListMovements, ListPayments, ReadStatement, Verify};
use domain::ids::BankId;
use domain::refusal::Refusal;
use http::Uri;
use web::{AppState, Failure, Signed};

use super::reading::{self, ReadingPart};
use super::{PaymentsTexts, asked, movement, tabs};
use crate::dashboard::choice::{Choice, accounts, of_accounts};
use crate::dashboard::days::Days;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::page::of_template;

pub(super) const PATH_MOVEMENTS: &str = "/app/payments/movements";

texts! {
    MovementsTexts {
        title: "Movimientos", "Movements";
        lead: "Lo que el banco ha mostrado de la cuenta, primero los últimos días. Aquí están también los pagos que nadie ha usado.", "What the bank has shown in this account, latest days first. Payments that nobody has used are also listed here.";
        when: "Cuándo", "Date";
        description: "El banco dice", "Bank description";
        used: "Usado", "Used";
        unused: "Sin usar", "Unused";
        outgoing: "Salió", "Outgoing";
        none: "El banco no ha mostrado movimientos en esos días. Aparecen cuando se verifica un pago, cuando el banco avisa o cuando usted lee un día.", "The bank has shown no movements on these days. They appear when a payment is verified, when the bank sends a notification, or when you read a day.";
        no_account: "Para ver movimientos hace falta una cuenta de banco vinculada.", "To view movements, you need a linked bank account.";
        to_accounts: "Ver las cuentas", "View accounts";
        verify: "Verificar un pago", "Verify payment";
        accept: "Aceptar como pago", "Accept as payment";
    }
}

#[derive(Template)]
#[template(path = "dashboard/payments/movements.html")]
struct MovementsPage {
    f: Frame,
    t: &'static MovementsTexts,
    p: &'static PaymentsTexts,
    tabs: Vec<Tab>,
    form: FormState,
    accounts: Vec<Choice>,
    are_days_wrong: bool,
    may_verify: bool,
    may_accept: bool,
    may_search: bool,
    rows: Vec<movement::Row>,
    pager: Pager,
    reading: Option<ReadingPart>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListMovements, _, _>(PATH_MOVEMENTS, view)]
}

async fn view(
    signed: Signed<ListMovements>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let named = asked(&uri, "user_bank_id");
    show(&state, &signed, &uri, (named, FormState::default())).await
}

/// The page again, where a day could not be had read.
pub(super) async fn show_again(
    state: &AppState,
    signed: &Signed<ReadStatement>,
    uri: &Uri,
    form: FormState,
) -> Result<Response, Failure> {
    // An account out of reach is not looked at.
    let linked = accounts(&state.app, signed).await?;
    let named = form.value("user_bank_id").to_owned();
    let is_reached = linked.iter().any(|one| one.account.id.to_string() == named);
    show(state, signed, uri, (is_reached.then_some(named), form)).await
}

async fn show<O: Guarded>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    (named, form): (Option<String>, FormState),
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, p) = (MovementsTexts::of(language), PaymentsTexts::of(language));
    let linked = accounts(&state.app, signed).await?;
    let named: Option<BankId> =
        named.map(|bank| bank.parse().map_err(|_| Refusal::UserBankNotFound)).transpose()?;
    if let Some(named) = named {
        let is_test = signed.test_mode.is_test(named);
        if let Some(instead) = test_mode::instead(state, signed, uri, is_test).await? {
            return Ok(instead);
        }
    }
    let bank = named.or_else(|| linked.first().map(|one| one.account.id));
    let (number, days) = (page_of(uri), Days::of(uri, language));
    let (rows, total) = match bank {
        Some(bank) if !days.are_wrong() => {
            let act = signed.also::<ListMovements>()?;
            let page = days.page(number);
            let found = app::accounts::list_movements(&state.app, &act, bank, page).await?;
            let row = |one| movement::row(one, !found.livemode, language);
            (found.page.entries.iter().map(row).collect(), found.page.total)
        }
        _ => (Vec::new(), 0),
    };
    let account = linked.iter().find(|one| Some(one.account.id) == bank);
    let reading = match account {
        Some(one) => {
            let of = (one.account.id, &*one.account.provider);
            reading::part(state, signed, uri, of, None).await?
        }
        None => None,
    };
    let of = bank.map(|bank| bank.to_string()).unwrap_or_default();
    let (status, form) = (form.status, form.and("user_bank_id", &of));
    let page = MovementsPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        p,
        tabs: tabs(signed, PATH_MOVEMENTS),
        form: days.beside(form),
        accounts: of_accounts(linked.iter()),
        are_days_wrong: days.are_wrong(),
        may_verify: signed.may::<Verify>(),
        may_accept: signed.may::<AcceptMovement>(),
        may_search: signed.may::<ListPayments>(),
        rows,
        pager: Pager::of(uri, number, total, language),
        reading,
    };
    Ok(of_template(&page, status))
}
