//! `GET /app/payments/movements`

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{ListMovements, Verify};
use domain::ids::BankId;
use domain::refusal::Refusal;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

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
        lead: "Lo que el banco ha mostrado de la cuenta, primero los últimos días. Aquí están también los pagos que nadie ha usado.", "What the bank has shown of the account, the latest days first. Payments that nobody has used are here too.";
        when: "Cuándo", "When";
        description: "El banco dice", "The bank says";
        used: "Usado", "Used";
        unused: "Sin usar", "Not used";
        outgoing: "Salió", "Went out";
        none: "El banco no ha mostrado movimientos en esos días. Aparecen cuando se verifica un pago o el banco avisa.", "The bank has shown no movements of these days. They appear when a payment is verified, or when the bank tells of one.";
        no_account: "Para ver movimientos hace falta una cuenta de banco vinculada.", "To see movements you need a bank account that is linked.";
        to_accounts: "Ver las cuentas", "See the accounts";
        verify: "Verificar un pago", "Verify a payment";
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
    rows: Vec<movement::Row>,
    pager: Pager,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListMovements, _, _>(PATH_MOVEMENTS, view)]
}

async fn view(
    signed: Signed<ListMovements>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, p) = (MovementsTexts::of(language), PaymentsTexts::of(language));
    let linked = accounts(&state.app, &signed).await?;
    let named: Option<BankId> = asked(&uri, "user_bank_id")
        .map(|bank| bank.parse().map_err(|_| Refusal::UserBankNotFound))
        .transpose()?;
    if let Some(named) = named {
        let is_test = signed.test_mode.is_test(named);
        if let Some(instead) = test_mode::instead(&state, &signed, &uri, is_test).await? {
            return Ok(instead);
        }
    }
    let bank = named.or_else(|| linked.first().map(|one| one.account.id));
    let (number, days) = (page_of(&uri), Days::of(&uri, language));
    let (rows, total) = match bank {
        Some(bank) if !days.are_wrong() => {
            let found =
                app::accounts::list_movements(&state.app, &signed.act, bank, days.page(number))
                    .await?;
            let is_test = signed.test_mode.is_test(bank);
            let row = |one| movement::row(one, is_test, language);
            let rows = found.entries.iter().map(row).collect();
            (rows, found.total)
        }
        _ => (Vec::new(), 0),
    };
    let of = bank.map(|bank| bank.to_string()).unwrap_or_default();
    let page = MovementsPage {
        f: Frame::of(&state.app, &signed, &uri, t.title).await?,
        t,
        p,
        tabs: tabs(&signed, PATH_MOVEMENTS),
        form: days.beside(FormState::with(&[("user_bank_id", &*of)])),
        accounts: of_accounts(linked.iter()),
        are_days_wrong: days.are_wrong(),
        may_verify: signed.may::<Verify>(),
        rows,
        pager: Pager::of(&uri, number, total, language),
    };
    Ok(of_template(&page, StatusCode::OK))
}
