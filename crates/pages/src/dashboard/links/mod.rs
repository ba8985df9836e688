//! Payment links: what is asked of payers, and the result.

pub(super) mod accept;
mod act;
mod change;
mod list;
mod new;
mod settings;
pub(super) mod share;
mod show;

use app::links::LinkRecord;
use domain::access::{Operation, ShowLink};
use domain::ids::LinkId;
use domain::language::Language;
use domain::links::{Currency, Price, Status};
use domain::refusal::Refusal;
use web::Signed;

use super::choice::Choice;
use super::route::PageRoute;
use super::test_mode;
use crate::written;

texts! {
    /// What several pages of links say.
    LinksTexts {
        title: "Enlaces de pago", "Payment links";
        new: "Nuevo enlace", "New link";
        pending: "Por pagar", "Awaiting payment";
        checking: "Revisando", "Checking";
        paid: "Pagado", "Paid";
        failed: "Rechazado", "Rejected";
        expired: "Vencido", "Expired";
        canceled: "Anulado", "Cancelled";
        stopped: "Detenido", "Paused";
        from_api: "Su sistema (API)", "Your system (API)";
        from_dashboard: "Esta página", "Dashboard";
        from_subscription: "Suscripción", "Subscription";
        back: "Volver al enlace", "Back to link";
        back_to_all: "Volver a los enlaces", "Back to links";
        save: "Guardar", "Save";
        saved: "Guardado.", "Saved.";
    }
}

pub(super) const PATH: &str = "/app/links";

pub(super) fn routes() -> Vec<PageRoute> {
    let groups = [
        list::routes(),
        new::routes(),
        settings::routes(),
        show::routes(),
        act::routes(),
        change::routes(),
        accept::routes(),
    ];
    groups.into_iter().flatten().collect()
}

/// The page of that link.
pub(super) fn path_of(id: LinkId) -> String {
    format!("{PATH}/{id}")
}

/// The page of that link; nothing where the person signed in may not see links.
pub(super) fn path_for<O: Operation>(signed: &Signed<O>, id: LinkId) -> Option<String> {
    signed.may::<ShowLink>().then(|| path_of(id))
}

/// The link that a path names. Text of another form names none.
fn link_id(text: &str) -> Result<LinkId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("payment_link"))
}

/// Returns the state of a link, as a word and a class of the stylesheet.
fn standing(record: &LinkRecord, t: &LinksTexts) -> (&'static str, &'static str) {
    match record.status {
        Status::Pending if record.link.standing.is_checking => (t.checking, "warn"),
        status => (status_name(status, t), test_mode::class(class(status), !record.link.livemode)),
    }
}

const fn status_name(status: Status, t: &LinksTexts) -> &'static str {
    match status {
        Status::Pending => t.pending,
        Status::Paid => t.paid,
        Status::Failed => t.failed,
        Status::Expired => t.expired,
        Status::Canceled => t.canceled,
        Status::Stopped => t.stopped,
    }
}

const fn class(status: Status) -> &'static str {
    match status {
        Status::Pending => "",
        Status::Paid => "good",
        Status::Failed | Status::Canceled => "bad",
        Status::Expired | Status::Stopped => "warn",
    }
}

/// The amount that a link asks for, and its state: `USD 25,00 · Vencido`.
pub(super) fn summary(record: &LinkRecord, language: Language) -> String {
    let (word, _) = standing(record, LinksTexts::of(language));
    format!("{} · {word}", price(record.link.price, language))
}

/// Writes what a link asks for: `Bs. 1.234,50`.
fn price(price: Price, language: Language) -> String {
    written::price(price, language)
}

/// Lists the currencies that amounts can be stated in.
pub(super) fn currencies(language: Language) -> Vec<Choice> {
    let choice =
        |currency: Currency| Choice::new(currency.as_str(), name_of_currency(currency, language));
    Currency::ALL.into_iter().map(choice).collect()
}

/// Returns what a currency is called.
pub(super) fn name_of_currency(currency: Currency, language: Language) -> &'static str {
    match currency {
        Currency::Vef => language.pick("Bolívares", "Bolívares"),
        Currency::Usd => language.pick("Dólares (USD)", "Dollars (USD)"),
        Currency::Eur => language.pick("Euros (EUR)", "Euros (EUR)"),
        Currency::Usdt => "Tether (USDT)",
    }
}

/// Reads the currency of a form.
pub(super) fn currency(text: &str) -> Result<Currency, (&'static str, &'static str)> {
    Currency::parse(text).ok_or(("no es una de las monedas", "is not one of the currencies"))
}
