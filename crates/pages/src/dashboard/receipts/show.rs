//! `GET /app/receipts/{receipt_id}`

use app::receipts::Receipt;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{Operation, ShowReceipt, ShowVerification, VoidReceipt};
use domain::ids::ReceiptId;
use domain::language::Language;
use domain::payer::TaxNumber;
use http::Uri;
use web::{AppState, Failure, Signed};

use super::{PATH, ReceiptsTexts, path_of, payer, receipt_id, standing};
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::Tab;
use crate::dashboard::links;
use crate::dashboard::links::share::Share;
use crate::dashboard::money::bolivars;
use crate::dashboard::payments::{outcome, tabs};
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::instant;
use crate::page::of_template;
use crate::receipt::message;
use crate::written;

texts! {
    ShowTexts {
        done: "Comprobante anulado. Su página lo dice desde ahora.", "Receipt voided. Its page says so from now on.";
        is_valid: "Muestra que el banco confirmó este pago. No es una factura fiscal.", "It shows that the bank confirmed this payment. It is not a tax invoice.";
        is_void: "Anulado el", "Voided on";
        is_void_text: "Sigue en la lista con su número, y el pago no cambia.", "It stays in the list with its number, and the payment is unchanged.";
        reason: "Motivo", "Reason";
        test: "Este comprobante es de prueba: el pago no es dinero.", "This is a test receipt: the payment is not money.";
        share: "Enviar a su cliente", "Send to your customer";
        public: "Página del comprobante", "Receipt page";
        address: "Dirección", "Link URL";
        whatsapp: "Enviar por WhatsApp", "Send by WhatsApp";
        open: "Ver la página", "View page";
        pdf: "Ver el PDF", "View PDF";
        message: "Texto para enviar", "Message";
        qr: "Código QR de la página del comprobante", "QR code of the receipt page";
        qr_text: "Su cliente lo lee con la cámara y guarda el comprobante.", "Your customer scans it with the camera and keeps the receipt.";
        see_payment: "Ver el pago", "View payment";
        see_link: "Ver el enlace", "View link";
        concept: "Concepto", "Description";
        amount: "Monto", "Amount";
        price: "Precio", "Price";
        rate: "Tasa", "Exchange rate";
        value_date: "fecha valor", "value date";
        payer: "De quién", "Payer";
        bank: "Banco que lo recibió", "Receiving bank";
        reference: "Referencia del banco", "Bank reference";
        paid_at: "Pagado", "Paid";
        issued: "Emitido", "Issued";
        merchant: "Comercio", "Business";
        document: "RIF", "Tax ID (RIF)";
        void_title: "Anular este comprobante", "Void this receipt";
        void_text: "Queda en la lista con su número, y su página y su PDF dicen que está anulado y por qué. El pago no se deshace: el dinero sigue en su cuenta, y si hay que devolverlo se hace en el banco. Un comprobante anulado no vuelve a valer.", "It stays in the list with its number, and its page and PDF say that it is void and why. The payment is not undone: the money stays in your account, and a refund is made at the bank. A void receipt never becomes valid again.";
        void_reason: "Motivo", "Reason";
        void_reason_hint: "Lo lee quien tenga el comprobante.", "Anyone who has the receipt reads it.";
        void_sure: "Sí, anular este comprobante", "Yes, void this receipt";
        void: "Anular", "Void receipt";
    }
}

#[derive(Template)]
#[template(path = "dashboard/receipts/show.html")]
struct ShowPage {
    f: Frame,
    t: &'static ShowTexts,
    tabs: Vec<Tab>,
    path: String,
    name: String,
    state: (&'static str, &'static str),
    is_test: bool,
    is_done: bool,
    /// When it became void, and why.
    voided: Option<(String, String)>,
    share: Share,
    /// The verification that claimed the payment, and the link that it paid, where the person who looks sees them.
    payment: Option<String>,
    link: Option<String>,
    facts: Vec<(&'static str, String)>,
    id: String,
    may_void: bool,
    form: FormState,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ShowReceipt, _, _>("/app/receipts/{receipt_id}", view)]
}

async fn view(
    signed: Signed<ShowReceipt>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    page(&state, &signed, &uri, receipt_id(&id)?, FormState::default()).await
}

/// The page of a receipt; with a form on it, perhaps, that was refused.
pub(super) async fn page<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    id: ReceiptId,
    form: FormState,
) -> Result<Response, Failure> {
    let language = signed.language();
    let act = signed.also::<ShowReceipt>()?;
    let receipt = app::receipts::show(&state.app, &act, id).await?;
    let is_test = !receipt.livemode;
    if let Some(instead) = test_mode::instead(state, signed, uri, is_test).await? {
        return Ok(instead);
    }
    let (t, k) = (ShowTexts::of(language), ReceiptsTexts::of(language));
    let name = format!("{} {}", k.receipt, written::receipt_number(&receipt));
    let url = receipt.address.url(&state.app.settings.base_url);
    let payment = outcome::path_of(receipt.payment.verification);
    let page = ShowPage {
        f: Frame::of(&state.app, signed, uri, name.clone()).await?,
        t,
        tabs: tabs(signed, PATH),
        path: path_of(id),
        name,
        state: standing(&receipt, k),
        is_test,
        is_done: web::query::find(uri, "done").is_some(),
        voided: receipt.voided.as_ref().map(|void| (instant(void.at), void.reason.clone())),
        share: shared(&receipt, &url, language),
        payment: signed.may::<ShowVerification>().then_some(payment),
        link: receipt.link.and_then(|link| links::path_for(signed, link)),
        facts: facts(&receipt, t, language),
        id: id.to_string(),
        may_void: receipt.voided.is_none() && signed.may::<VoidReceipt>(),
        form,
    };
    Ok(of_template(&page, page.form.status))
}

/// The receipt as it is sent to whoever paid: to the phone that the bank shows, where it shows one.
fn shared(receipt: &Receipt, url: &str, language: Language) -> Share {
    let (subject, text) = message(receipt, url, language);
    let share = Share::of_text(url, text, &subject);
    match receipt.paid.payer.phone.as_deref() {
        Some(phone) => share.with_phone(phone),
        None => share,
    }
}

fn facts(receipt: &Receipt, t: &ShowTexts, language: Language) -> Vec<(&'static str, String)> {
    let payment = &receipt.payment;
    let price = payment.price.as_ref();
    let rate = price.map(|paid| {
        let (rate, day) = (written::rate(paid.rate, language), written::day(paid.value_date));
        format!("{rate} · {} {day} · {}", t.value_date, paid.source.as_str())
    });
    let some = |text: String| Some(text).filter(|text| !text.trim().is_empty());
    let facts = [
        (t.concept, receipt.concept.clone().and_then(some)),
        (t.amount, Some(bolivars(payment.amount, language))),
        (t.price, price.map(|paid| written::price(paid.price, language))),
        (t.rate, rate),
        (t.payer, some(payer(&receipt.paid.payer))),
        (t.bank, receipt.bank.map(str::to_owned)),
        (t.reference, Some(receipt.paid.reference.clone())),
        (t.paid_at, Some(instant(receipt.paid.at))),
        (t.issued, Some(instant(receipt.issued_at))),
        (t.merchant, some(receipt.merchant.clone())),
        (t.document, receipt.document.as_ref().map(TaxNumber::hyphenated)),
    ];
    facts.into_iter().filter_map(|(name, fact)| Some((name, fact?))).collect()
}
