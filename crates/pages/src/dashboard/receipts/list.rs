//! `GET /app/receipts`

use app::receipts::{Question, Receipt};
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListReceipts;
use domain::language::Language;
use domain::time::CaracasDate;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::{PATH, ReceiptsTexts, path_of, standing, subject};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::money::bolivars;
use crate::dashboard::payments::tabs;
use crate::dashboard::route::PageRoute;
use crate::page::of_template;
use crate::written;

/// How many receipts a page has.
const LIMIT: usize = 25;

texts! {
    ListTexts {
        lead: "Uno por cada pago de un enlace y por cada pago que verificó una persona. Su cliente lo guarda; usted lo ve aquí.", "One for each payment of a link and for each payment that a person verified. Your customer keeps it; you see it here.";
        number: "Número", "Number";
        day: "Día", "Date";
        subject: "Concepto o pagador", "Description or payer";
        amount: "Monto", "Amount";
        state: "Estado", "Status";
        none_yet: "Todavía no hay comprobantes. El primero sale con el primer pago de un enlace, o cuando alguien verifica un pago aquí.", "No receipts yet. The first one is issued with the first payment of a link, or when somebody verifies a payment here.";
        none_further: "No hay comprobantes entre los que se miraron.", "No receipts among those that were looked at.";
        go_on: "Seguir buscando más atrás", "Search earlier";
        newest: "Los últimos", "Newest";
        older: "Más antiguos", "Older";
    }
}

#[derive(Template)]
#[template(path = "dashboard/receipts/list.html")]
struct ListPage {
    f: Frame,
    t: &'static ListTexts,
    k: &'static ReceiptsTexts,
    tabs: Vec<Tab>,
    rows: Vec<ReceiptRow>,
    older: Option<String>,
    is_first: bool,
}

struct ReceiptRow {
    href: String,
    number: String,
    day: String,
    subject: String,
    amount: String,
    state: (&'static str, &'static str),
    is_test: bool,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListReceipts, _, _>(PATH, view)]
}

async fn view(
    signed: Signed<ListReceipts>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, k) = (ListTexts::of(language), ReceiptsTexts::of(language));
    let before = web::query::find(&uri, "before").and_then(|number| number.parse().ok());
    let livemode = !signed.test_mode.is_all_test();
    let asked = Question { before, livemode, limit: LIMIT };
    let found = app::receipts::list(&state.app, &signed.act, asked).await?;
    let older = found.next.filter(|_| found.has_more);
    let page = ListPage {
        f: Frame::of(&state.app, &signed, &uri, k.title).await?,
        t,
        k,
        tabs: tabs(&signed, PATH),
        rows: found.receipts.iter().map(|receipt| row(receipt, k, language)).collect(),
        older: older.map(|number| format!("{PATH}?before={number}")),
        is_first: before.is_none(),
    };
    Ok(of_template(&page, StatusCode::OK))
}

fn row(receipt: &Receipt, k: &ReceiptsTexts, language: Language) -> ReceiptRow {
    ReceiptRow {
        href: path_of(receipt.address.id),
        number: written::receipt_number(receipt),
        day: written::day(CaracasDate::of(receipt.issued_at)),
        subject: subject(receipt, k),
        amount: bolivars(receipt.payment.amount, language),
        state: standing(receipt, k),
        is_test: !receipt.livemode,
    }
}
