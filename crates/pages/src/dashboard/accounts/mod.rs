//! Bank accounts: which are linked, linking one, and what is chosen for each.

mod client;
mod link;
mod list;
mod push;
mod secret;
mod settings;
mod show;
mod trash;

use app::accounts::Linked;
use domain::ids::BankId;
use domain::refusal::Refusal;

use super::route::PageRoute;
use super::test_mode;

const PATH: &str = "/app/accounts";

texts! {
    /// What several pages of accounts say.
    AccountsTexts {
        title: "Cuentas", "Accounts";
        works: "Activa", "Active";
        disabled: "Apagada", "Disabled";
        closed: "Su banco no está conectado aquí", "This bank is not connected here";
        push_title: "Avisos del banco", "Bank notifications";
        push_text: "Con estos datos su banco avisa cada pago apenas llega. Se muestran esta única vez: cópielos ahora en la página de su banco.", "With these details, your bank notifies each payment as soon as it arrives. They are shown only once: copy them to your bank's website now.";
        push_address: "Dirección", "URL";
        push_header: "Encabezado", "Header";
        push_secret: "Clave", "Secret";
        go_on: "Seguir a la cuenta", "Continue to the account";
    }
}

pub(super) fn routes() -> Vec<PageRoute> {
    let groups = [
        list::routes(),
        link::routes(),
        show::routes(),
        settings::routes(),
        secret::routes(),
        push::routes(),
        client::routes(),
        trash::routes(),
    ];
    groups.into_iter().flatten().collect()
}

/// The page of that account.
fn path_of(id: BankId) -> String {
    format!("{PATH}/{id}")
}

/// The account that a path names. Text of another form names none.
fn bank_id(text: &str) -> Result<BankId, Refusal> {
    text.parse().map_err(|_| Refusal::UserBankNotFound)
}

/// How an account stands, as a word and a class of the stylesheet.
fn standing(linked: &Linked, t: &AccountsTexts) -> (&'static str, &'static str) {
    match linked.bank {
        None => (t.closed, "bad"),
        Some(_) if linked.account.is_disabled => (t.disabled, "warn"),
        Some(_) => (t.works, test_mode::class("good", linked.is_test)),
    }
}
