//! Receipts: what payers keep of a payment, and what the merchant can do with it.

mod list;
mod show;
mod void;

use app::receipts::{Payer, Receipt};
use domain::access::{Operation, ShowReceipt};
use domain::ids::ReceiptId;
use domain::payer::{Document, Phone};
use domain::refusal::Refusal;
use web::Signed;

use super::route::PageRoute;
use super::test_mode;
use crate::written;

texts! {
    /// Texts that several pages of receipts have.
    ReceiptsTexts {
        title: "Comprobantes", "Receipts";
        receipt: "Comprobante", "Receipt";
        valid: "Vigente", "Valid";
        void: "Anulado", "Void";
        sale: "Pago verificado", "Verified payment";
    }
}

pub(super) const PATH: &str = "/app/receipts";

pub(super) fn routes() -> Vec<PageRoute> {
    [list::routes(), show::routes(), void::routes()].into_iter().flatten().collect()
}

/// The page of that receipt.
fn path_of(id: ReceiptId) -> String {
    format!("{PATH}/{id}")
}

/// The page of that receipt; nothing where there is none, or the person signed in may not see receipts.
pub(super) fn path_for<O: Operation>(
    signed: &Signed<O>,
    receipt: Option<ReceiptId>,
) -> Option<String> {
    receipt.filter(|_| signed.may::<ShowReceipt>()).map(path_of)
}

/// The receipt that a path names. Text of another form names none.
fn receipt_id(text: &str) -> Result<ReceiptId, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound("receipt"))
}

/// Returns the state of a receipt, as a word and a class of the stylesheet.
fn standing(receipt: &Receipt, k: &ReceiptsTexts) -> (&'static str, &'static str) {
    match receipt.voided {
        Some(_) => (k.void, "bad"),
        None => (k.valid, test_mode::class("good", !receipt.livemode)),
    }
}

/// Returns the concept of a payment or else who made it, whichever is known.
fn subject(receipt: &Receipt, k: &ReceiptsTexts) -> String {
    let concept = receipt.concept.clone().filter(|concept| !concept.trim().is_empty());
    let by_payer = || Some(payer(&receipt.paid.payer)).filter(|payer| !payer.is_empty());
    concept.or_else(by_payer).unwrap_or_else(|| k.sale.to_owned())
}

/// Writes what the bank says about the payer: `0414-1234567 · V-12345678 · 0102`. Empty where it says nothing.
fn payer(payer: &Payer) -> String {
    let phone = payer.phone.as_deref().map(|text| {
        Phone::parse(text).map_or_else(|_| text.to_owned(), |phone| written::phone(&phone))
    });
    let document = payer.document.as_deref().map(|text| {
        Document::parse(text)
            .map_or_else(|_| text.to_owned(), |document| written::document(&document))
    });
    let parts = [phone, document, payer.bank.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payer_is_written_by_what_the_bank_says() {
        let text = |text: &str| Some(text.to_owned());
        let all =
            Payer { bank: text("0102"), phone: text("584141234567"), document: text("V12345678") };
        assert_eq!(payer(&all), "0414-1234567 · V-12345678 · 0102");
        assert_eq!(payer(&Payer { bank: None, phone: None, document: text("x") }), "x");
        assert_eq!(payer(&Payer { bank: None, phone: None, document: None }), "");
    }
}
