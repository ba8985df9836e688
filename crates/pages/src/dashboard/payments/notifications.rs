//! `GET /app/payments/notifications`

use app::paging::Page;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListNotifications;
use domain::ids::BankId;
use domain::refusal::Refusal;
use domain::secret::PersonalText;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::{PaymentsTexts, asked, tabs};
use crate::dashboard::choice::{Choice, account_name, accounts, of_accounts};
use crate::dashboard::days::Days;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::money::bolivars;
use crate::dashboard::route::PageRoute;
use crate::dashboard::written::instant;
use crate::page::of_template;

pub(super) const PATH_NOTIFICATIONS: &str = "/app/payments/notifications";

texts! {
    NotificationsTexts {
        title: "Avisos del banco", "Bank notifications";
        lead: "Lo que los bancos avisaron por sí mismos, primero lo último. Un aviso solo no confirma nada: hace falta la referencia y el monto.", "Notifications that banks sent on their own, newest first. A notification alone does not confirm a payment: the reference and amount are also needed.";
        when: "Recibido", "Received";
        message: "Mensaje", "Message";
        none: "Ningún aviso todavía. Llegan cuando el banco sabe la dirección de avisos de la cuenta.", "No notifications yet. They arrive once the bank has the account's notification URL.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/payments/notifications.html")]
struct NotificationsPage {
    f: Frame,
    t: &'static NotificationsTexts,
    p: &'static PaymentsTexts,
    tabs: Vec<Tab>,
    form: FormState,
    accounts: Vec<Choice>,
    are_days_wrong: bool,
    rows: Vec<Row>,
    pager: Pager,
}

struct Row {
    reference: String,
    amount: String,
    when: String,
    from: String,
    message: String,
    account: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListNotifications, _, _>(PATH_NOTIFICATIONS, view)]
}

async fn view(
    signed: Signed<ListNotifications>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, p) = (NotificationsTexts::of(language), PaymentsTexts::of(language));
    let linked = accounts(&state.app, &signed).await?;
    let bank: Option<BankId> = asked(&uri, "user_bank_id")
        .map(|bank| bank.parse().map_err(|_| Refusal::UserBankNotFound))
        .transpose()?;
    let (number, days) = (page_of(&uri), Days::of(&uri, language));
    // The test bank sends none.
    let found = match days.are_wrong() || signed.test_mode.is_on() {
        true => Page { entries: Vec::new(), total: 0 },
        false => app::notifications::list(&state.app, &signed.act, bank, days.page(number)).await?,
    };
    let name = |bank: BankId| {
        let one = linked.iter().find(|one| one.account.id == bank);
        one.map_or_else(String::new, account_name)
    };
    let rows = found.entries.iter().map(|one| Row {
        reference: one.reference.clone(),
        amount: bolivars(one.amount, language),
        when: instant(one.created_at),
        from: one.from.as_ref().map_or("", PersonalText::as_str).to_owned(),
        message: one.message.as_str().to_owned(),
        account: name(one.bank),
    });
    let of = asked(&uri, "user_bank_id").unwrap_or_default();
    let page = NotificationsPage {
        f: Frame::of(&state.app, &signed, &uri, t.title).await?,
        t,
        p,
        tabs: tabs(&signed, PATH_NOTIFICATIONS),
        form: days.beside(FormState::with(&[("user_bank_id", &*of)])),
        accounts: [vec![Choice::new("", p.every_account)], of_accounts(linked.iter())].concat(),
        are_days_wrong: days.are_wrong(),
        rows: rows.collect(),
        pager: Pager::of(&uri, number, found.total, language),
    };
    Ok(of_template(&page, StatusCode::OK))
}
