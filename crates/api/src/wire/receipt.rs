//! A receipt.

use app::App;
use app::receipts::Receipt;
use domain::ids::{LinkId, PaymentId, ReceiptId};
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Shown, WirePrice};

/// Un comprobante de pago. No es una factura fiscal. / A receipt of a payment. It is no tax invoice.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Receipt")]
pub(crate) struct WireReceipt<'a> {
    id: Shown<ReceiptId>,
    /// Su número: los de dinero y los de prueba van por separado, sin huecos. / Its number: those of money and those of
    /// tests are counted apart, without gaps.
    number: i64,
    /// Su página, para quien pagó. / Its page, for the payer.
    url: String,
    /// El mismo como PDF. / The same as PDF.
    pdf_url: String,
    /// `issued`, o `void` donde se anuló. / `issued`, or `void` where it was voided.
    #[schemars(extend("enum" = ["issued", "void"]))]
    status: &'static str,
    /// Cuándo salió: con el pago o, si antes lo verificó una llave, cuando una persona lo verificó. / When it was issued:
    /// with the payment or, where a key had verified that before, when a person did.
    issued_at: Shown<Timestamp>,
    /// Cuándo se anuló; `null` donde vale. / When it was voided; `null` where it is good.
    voided_at: Option<Shown<Timestamp>>,
    /// Por qué se anuló; `null` donde vale. / Why it was voided; `null` where it is good.
    void_reason: Option<&'a str>,
    /// El comercio, como se llamaba entonces. / The shop, by its name of then.
    merchant: &'a str,
    /// Su RIF de entonces. / Its RIF of then.
    document: Option<String>,
    /// Para qué era el enlace. / What the link was for.
    description: Option<&'a str>,
    /// El pago del que es. / The payment that it is of.
    user_bank_payment_id: Shown<PaymentId>,
    /// El enlace que se pagó; `null` si no fue por uno. / The link that was paid; `null` if it was not for one.
    payment_link_id: Option<Shown<LinkId>>,
    /// Lo que acreditó el banco, en bolívares. / What the bank credited, in bolívares.
    amount: f64,
    currency: &'static str,
    bank_reference_id: &'a str,
    movement_date: Shown<Timestamp>,
    livemode: bool,
    /// Solo donde el precio era en otra moneda. / Only where the price was in another currency.
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<WirePrice<'a>>,
}

impl<'a> WireReceipt<'a> {
    pub(crate) fn of(app: &App, receipt: &'a Receipt) -> Self {
        let Receipt { address, payment, voided, .. } = receipt;
        let url = address.url(&app.settings.base_url);
        Self {
            id: Shown(address.id),
            number: receipt.number,
            pdf_url: format!("{url}/pdf"),
            url,
            status: if voided.is_some() { "void" } else { "issued" },
            issued_at: Shown(receipt.issued_at),
            voided_at: voided.as_ref().map(|voided| Shown(voided.at)),
            void_reason: voided.as_ref().map(|voided| voided.reason.as_str()),
            merchant: &receipt.merchant,
            document: receipt.document.as_ref().map(ToString::to_string),
            description: receipt.concept.as_deref(),
            user_bank_payment_id: Shown(payment.id),
            payment_link_id: receipt.link.map(Shown),
            amount: payment.amount.to_number(),
            currency: "VEF",
            bank_reference_id: &receipt.paid.reference,
            movement_date: Shown(receipt.paid.at),
            livemode: receipt.livemode,
            price: payment.price.as_ref().map(WirePrice::of),
        }
    }

    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({
            "id": "rcp_00000000000000000000000001",
            "number": 123,
            "url": "https://cotejo.example/recibo/0000000000000000000000000100000000000000000000000001",
            "pdf_url": "https://cotejo.example/recibo/0000000000000000000000000100000000000000000000000001/pdf",
            "status": "issued",
            "issued_at": "2026-11-20T12:00:01.000Z",
            "voided_at": null,
            "void_reason": null,
            "merchant": "Comercio de ejemplo",
            "document": "J123456789",
            "description": "Pedido 1742",
            "user_bank_payment_id": "pay_00000000000000000000000001",
            "payment_link_id": "link_00000000000000000000000001",
            "amount": 150.75,
            "currency": "VEF",
            "bank_reference_id": "0000067890",
            "movement_date": "2026-11-20T11:58:00.000Z",
            "livemode": true,
        })
    }
}
