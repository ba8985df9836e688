//! `GET /app/accounts`

use app::accounts::Linked;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::{LinkBankAccount, ListBankAccounts};
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::{AccountsTexts, PATH, path_of, standing};
use crate::dashboard::choice::accounts;
use crate::dashboard::frame::Frame;
use crate::dashboard::list::{Pager, slice};
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

texts! {
    ListTexts {
        lead: "Las cuentas donde le pagan. Cotejo le pregunta al banco de cada una.", "The accounts where you get paid. Cotejo asks each account's bank.";
        new: "Vincular una cuenta", "Link an account";
        name: "Cuenta", "Account";
        bank: "Banco", "Bank";
        number: "Número", "Number";
        state: "Estado", "Status";
        empty: "Todavía no hay cuentas. Vincule la primera para verificar pagos.", "No accounts yet. Link your first account to verify payments.";
        none_linked: "Todavía no hay cuentas a su alcance.", "No accounts available to you yet.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/accounts/list.html")]
struct ListPage {
    f: Frame,
    t: &'static ListTexts,
    a: &'static AccountsTexts,
    may_link: bool,
    rows: Vec<Row>,
    pager: Pager,
    path: &'static str,
}

struct Row {
    href: String,
    name: String,
    bank: String,
    number: String,
    is_test: bool,
    state: (&'static str, &'static str),
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListBankAccounts, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ListBankAccounts>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, a) = (ListTexts::of(language), AccountsTexts::of(language));
    let all = accounts(&state.app, &signed).await?;
    let (shown, pager) = slice(all, &uri, language);
    let rows = shown.into_iter().map(|linked| row(linked, a)).collect();
    let f = Frame::of(&state.app, &signed, &uri, a.title).await?;
    let may_link = signed.may::<LinkBankAccount>();
    Ok(of_template(&ListPage { f, t, a, may_link, rows, pager, path: PATH }, StatusCode::OK))
}

fn row(linked: Linked, a: &AccountsTexts) -> Row {
    let state = standing(&linked, a);
    Row {
        href: path_of(linked.account.id),
        bank: linked.bank.map_or(linked.wire_name, |bank| bank.platform.to_owned()),
        number: linked.facts.map(|facts| facts.number.masked()).unwrap_or_default(),
        name: linked.account.description,
        is_test: linked.is_test,
        state,
    }
}
