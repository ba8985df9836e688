//! Payments: what came, and what was asked about it.

mod accept;
mod asker;
mod explained;
mod filters;
mod list;
pub(super) mod movement;
mod movements;
mod notifications;
mod origin;
pub(super) mod outcome;
pub(super) mod reading;
pub(super) mod refused;
mod rules;
mod show;
mod steps;
mod verifications;
mod verify;

use domain::access::{
    Caller, Entry, ListMovements, ListNotifications, ListPayments, ListReceipts, ListRefused,
    ListVerifications, Operation, Verify,
};
use domain::language::Language;
use domain::time::Timestamp;
use http::Uri;
use web::Signed;

pub(super) use self::verifications::PATH_VERIFICATIONS;
use super::integrations::Tab;
use super::receipts;
use super::route::PageRoute;

texts! {
    /// What several pages of payments say.
    PaymentsTexts {
        title: "Pagos", "Payments";
        account: "Cuenta", "Account";
        every_account: "Todas", "All";
        from: "Desde el día", "From date";
        to: "Hasta el día", "To date";
        days_hint: "Del día en que se verificó, se preguntó o llegó a Cotejo, por la hora de Caracas; ese día incluido.", "The date it was verified, requested or received by Cotejo, in Caracas time. Both dates are included.";
        find: "Buscar", "Search";
        clear: "Quitar los filtros", "Clear filters";
        reference: "Referencia", "Reference";
        amount: "Monto", "Amount";
        payer: "De quién", "Payer";
        state: "Estado", "Status";
        why: "Ver", "View";
    }
}

pub(super) const PATH: &str = "/app/payments";

/// The tabs: where, what they are called, and which operation their page stands for.
const TABS: [(&str, (&str, &str), Entry); 7] = [
    (PATH, ("Pagos", "Payments"), ListPayments::ENTRY),
    (verify::PATH_VERIFY, ("Verificar", "Verify"), Verify::ENTRY),
    (receipts::PATH, ("Comprobantes", "Receipts"), ListReceipts::ENTRY),
    (PATH_VERIFICATIONS, ("Verificaciones", "Verifications"), ListVerifications::ENTRY),
    (refused::PATH_REFUSED, ("Sin preguntar", "Not checked"), ListRefused::ENTRY),
    (movements::PATH_MOVEMENTS, ("Movimientos", "Movements"), ListMovements::ENTRY),
    (
        notifications::PATH_NOTIFICATIONS,
        ("Avisos del banco", "Bank notifications"),
        ListNotifications::ENTRY,
    ),
];

pub(super) fn routes() -> Vec<PageRoute> {
    let groups = [
        list::routes(),
        verify::routes(),
        verifications::routes(),
        show::routes(),
        refused::routes(),
        movements::routes(),
        accept::routes(),
        reading::routes(),
        notifications::routes(),
    ];
    groups.into_iter().flatten().collect()
}

/// The tabs that the person signed in may see.
pub(super) fn tabs<O: Operation>(signed: &Signed<O>, path: &str) -> Vec<Tab> {
    let (caller, now, language) = (signed.caller(), signed.act.now, signed.language());
    let open = TABS.iter().filter(|(.., entry)| entry.check(caller, now).is_ok());
    let tab = |(href, (es, en), _): &(&'static str, (&'static str, &'static str), Entry)| Tab {
        href,
        text: Language::pick(language, es, en),
        is_here: path == *href,
    };
    open.map(tab).collect()
}

/// The tab that the caller sees first.
pub(super) fn first(caller: &Caller, now: Timestamp) -> Option<&'static str> {
    let mut open = TABS.iter().filter(|(.., entry)| entry.check(caller, now).is_ok());
    open.next().map(|(href, ..)| *href)
}

/// Reads what the address asks for by that name; nothing where it is empty.
fn asked(uri: &Uri, name: &str) -> Option<String> {
    let text = web::query::typed(uri, name);
    (!text.is_empty()).then_some(text)
}
