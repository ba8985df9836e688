//! A receipt as its page, its print and its PDF say it, so that none of them says more than another.

use app::receipts::{Payer, Receipt};
use domain::language::Language;
use domain::links::{Currency, Price};
use domain::time::{CaracasDate, Timestamp};

use super::texts::ReceiptTexts;
use crate::page::{Fact, Mark};
use crate::written;

/// How many characters of a payer's phone or document are shown, at most.
const SHOWN_MAX: usize = 4;

/// Texts of a receipt in one language.
pub(crate) struct Sheet {
    /// Name of the receipt with its number.
    pub(crate) title: String,
    /// Empty where the merchant had no name.
    pub(crate) merchant: String,
    /// The merchant's tax number.
    pub(crate) tax_number: Option<String>,
    /// Whatever keeps it from being a receipt for money.
    pub(crate) marks: Vec<Mark>,
    pub(crate) amount: String,
    pub(crate) facts: Vec<Fact>,
    pub(crate) notes: [&'static str; 2],
    /// Address of its page.
    pub(crate) url: String,
    pub(crate) issued_at: Timestamp,
}

impl Sheet {
    /// The receipt in that language, with its page at that address.
    pub(crate) fn of(receipt: &Receipt, url: String, language: Language) -> Self {
        let t = ReceiptTexts::of(language);
        Self {
            title: t.title.replace("{number}", &written::receipt_number(receipt)),
            merchant: receipt.merchant.clone(),
            tax_number: receipt.document.as_ref().map(|number| {
                let name = if number.is_rif() { t.rif } else { t.identity };
                format!("{name} {}", number.hyphenated())
            }),
            marks: marks(receipt, t),
            amount: amount(receipt, language),
            facts: facts(receipt, t, language),
            notes: [t.no_invoice, t.what_it_is],
            url,
            issued_at: receipt.issued_at,
        }
    }

    /// Its name and the merchant's, where only text can be shown, behind its marks: it must not be taken for a good one.
    pub(crate) fn name(&self) -> String {
        let marks = self.marks.iter().map(|mark| mark.title.to_owned());
        let merchant = Some(self.merchant.as_str()).filter(|merchant| !merchant.is_empty());
        let parts = marks.chain([self.title.clone()]).chain(merchant.map(written::isolated));
        parts.collect::<Vec<_>>().join(" · ")
    }
}

/// Marks of a receipt that is no proof of money.
pub(super) fn marks(receipt: &Receipt, t: &ReceiptTexts) -> Vec<Mark> {
    let void = receipt.voided.as_ref().map(|voided| {
        let day = written::day(CaracasDate::of(voided.at));
        let reason = t.reason.replace("{reason}", &voided.reason);
        Mark { kind: "bad", title: t.void, lines: vec![t.voided.replace("{day}", &day), reason] }
    });
    let test = (!receipt.livemode).then(|| {
        let lines = vec![t.test_text.to_owned()];
        Mark { kind: "warn", title: t.test, lines }
    });
    void.into_iter().chain(test).collect()
}

/// Amount that the bank credited.
pub(super) fn amount(receipt: &Receipt, language: Language) -> String {
    let hundredths = receipt.payment.amount.hundredths();
    written::price(Price { hundredths, currency: Currency::Vef }, language)
}

/// Facts by which a payer knows the payment again, beside its amount.
pub(super) fn of_payment(receipt: &Receipt, t: &ReceiptTexts) -> Vec<Fact> {
    let reference = &receipt.paid.reference;
    let reference =
        Fact { name: t.reference, shown: reference.clone(), copy: Some(reference.clone()) };
    let bank = receipt.bank.map(|bank| fact(t.bank, bank.to_owned()));
    let paid_at = fact(t.paid_at, moment(receipt.paid.at, t));
    [Some(reference), bank, Some(paid_at)].into_iter().flatten().collect()
}

fn facts(receipt: &Receipt, t: &ReceiptTexts, language: Language) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.extend(receipt.concept.clone().map(|concept| fact(t.concept, concept)));
    if let Some(paid) = &receipt.payment.price {
        let rate = t
            .rate_of
            .replace("{rate}", &written::rate(paid.rate, language))
            .replace("{currency}", paid.price.currency.as_str())
            .replace("{date}", &written::day(paid.value_date))
            .replace("{source}", paid.source.as_str());
        facts.push(fact(t.price, written::price(paid.price, language)));
        facts.push(fact(t.rate, rate));
    }
    facts.extend(of_payment(receipt, t));
    facts.extend(payer(&receipt.paid.payer).map(|payer| fact(t.payer, payer)));
    facts.push(fact(t.verified_at, instant(receipt.payment.created_at, t)));
    facts.extend(receipt.link.map(|link| fact(t.link, link.to_string())));
    facts
}

fn fact(name: &'static str, shown: String) -> Fact {
    Fact { name, shown, copy: None }
}

/// The bank, and the ends of phone and document: who paid knows them by these, and nobody else learns them.
fn payer(payer: &Payer) -> Option<String> {
    let Payer { bank, phone, document } = payer;
    let hidden = |text: &Option<String>| text.as_deref().and_then(masked);
    let parts = [bank.clone(), hidden(phone), hidden(document)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// A number with all but its end hidden; of a short one less than half is shown.
fn masked(text: &str) -> Option<String> {
    let known: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
    let shown = SHOWN_MAX.min(known.len() / 2);
    let (hidden, end) = known.split_at_checked(known.len() - shown)?;
    let end: String = end.iter().collect();
    (!hidden.is_empty()).then(|| format!("{}{end}", "*".repeat(hidden.len())))
}

fn instant(instant: Timestamp, t: &ReceiptTexts) -> String {
    format!("{} ({})", written::minute(instant), t.caracas)
}

/// The bank's instant, or its day where it says no more.
fn moment(paid_at: Timestamp, t: &ReceiptTexts) -> String {
    let day = CaracasDate::of(paid_at);
    if day.start() == paid_at { written::day(day) } else { instant(paid_at, t) }
}

#[cfg(test)]
pub(super) mod tests {
    use app::payments::{PaidPrice, Payment};
    use app::receipts::{Paid, Voided};
    use domain::ids::{ActorId, BankId, KeyId, MovementId, OwnerId, PaymentId, ReceiptId};
    use domain::ids::{LinkId, VerificationId};
    use domain::money::{Bolivars, Credits};
    use domain::payer::TaxNumber;
    use domain::rates::{Rate, RateSource};
    use domain::receipts::ReceiptAddress;
    use domain::secret::PersonalText;

    use super::*;

    pub(in crate::receipt) const URL: &str = "https://pagos.example/recibo/0123";

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    /// A receipt of a link for ten dollars.
    pub(in crate::receipt) fn receipt() -> Receipt {
        let price = PaidPrice {
            price: Price { hundredths: 1_000, currency: Currency::Usd },
            rate: Rate::parse("872.3927").unwrap(),
            value_date: CaracasDate::parse("2026-11-20").unwrap(),
            source: RateSource::parse("BCV").unwrap(),
        };
        let payment = Payment {
            id: PaymentId::from_bytes([1; 16]),
            movement: MovementId::from_bytes([2; 16]),
            verification: VerificationId::from_bytes([3; 16]),
            bank: BankId::from_bytes([4; 16]),
            actor: ActorId::from(KeyId::from_bytes([5; 16])),
            client: None,
            charged_client: None,
            link: None,
            credit_cost: Credits::ZERO,
            params: PersonalText::new("{}".to_owned()),
            created_at: at("2026-11-20T08:05:00-04:00"),
            updated_at: at("2026-11-20T08:05:00-04:00"),
            reference: "000079912345".to_owned(),
            amount: Bolivars::from_hundredths(872_393),
            paid_at: at("2026-11-20T08:00:00-04:00"),
            fingerprint: [6; 32],
            is_by_payer: false,
            price: Some(price),
            receipt: Some(ReceiptId::from_bytes([8; 16])),
        };
        Receipt {
            address: ReceiptAddress {
                owner: OwnerId::from_bytes([7; 16]),
                id: ReceiptId::from_bytes([8; 16]),
            },
            number: 123,
            livemode: true,
            merchant: "Tienda Ejemplo, C.A.".to_owned(),
            document: Some(TaxNumber::parse("J-12345678-4").unwrap()),
            issued_at: at("2026-11-20T08:05:01-04:00"),
            voided: None,
            payment,
            concept: Some("Pedido 7".to_owned()),
            link: Some(LinkId::from_bytes([9; 16])),
            bank: Some("Banco de Venezuela"),
            paid: Paid {
                reference: "000079912345".to_owned(),
                at: at("2026-11-20T08:00:00-04:00"),
                payer: Payer {
                    bank: Some("0134".to_owned()),
                    phone: Some("584140000002".to_owned()),
                    document: Some("V12345678".to_owned()),
                },
            },
        }
    }

    pub(in crate::receipt) fn voided(receipt: Receipt, reason: &str) -> Receipt {
        let voided = Voided { at: at("2026-11-21T12:00:00Z"), reason: reason.to_owned() };
        Receipt { voided: Some(voided), ..receipt }
    }

    fn pairs(facts: &[Fact]) -> Vec<(&str, &str)> {
        facts.iter().map(|fact| (fact.name, fact.shown.as_str())).collect()
    }

    #[test]
    fn a_receipt_says_all_that_is_known_of_the_payment() {
        let receipt = receipt();
        let sheet = Sheet::of(&receipt, URL.to_owned(), Language::Es);
        assert_eq!(sheet.title, "Comprobante de pago N.º 000123");
        assert_eq!(sheet.tax_number.as_deref(), Some("RIF J-12345678-4"));
        assert_eq!(sheet.amount, "Bs. 8.723,93");
        assert_eq!(sheet.url, URL);
        assert!(sheet.marks.is_empty() && sheet.notes[0] == "No es una factura fiscal.");
        let link = receipt.link.unwrap().to_string();
        let expected = [
            ("Concepto", "Pedido 7"),
            ("Precio", "USD 10,00"),
            ("Tasa", "Bs. 872,3927 por USD (BCV, fecha valor 20/11/2026)"),
            ("Referencia", "000079912345"),
            ("Banco que lo recibió", "Banco de Venezuela"),
            ("Fecha del pago", "20/11/2026, 08:00 (hora de Caracas)"),
            ("Quién pagó", "0134 · ********0002 · *****5678"),
            ("Verificado", "20/11/2026, 08:05 (hora de Caracas)"),
            ("Enlace de pago", link.as_str()),
        ];
        assert_eq!(pairs(&sheet.facts), expected);
        let english = Sheet::of(&receipt, URL.to_owned(), Language::En);
        assert_eq!(english.title, "Payment receipt No. 000123");
        assert_eq!(english.amount, "Bs. 8,723.93");
        assert_eq!(english.facts.len(), expected.len());
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let nobody = Payer::default();
        let known = receipt();
        let midnight = at("2026-11-20T00:00:00-04:00");
        let payment = Payment { price: None, ..known.payment.clone() };
        let paid = Paid { at: midnight, payer: nobody, ..known.paid.clone() };
        let bare = Receipt {
            payment,
            document: None,
            concept: None,
            link: None,
            bank: None,
            paid,
            merchant: String::new(),
            ..known
        };
        let sheet = Sheet::of(&bare, URL.to_owned(), Language::Es);
        let expected = [
            ("Referencia", "000079912345"),
            ("Fecha del pago", "20/11/2026"),
            ("Verificado", "20/11/2026, 08:05 (hora de Caracas)"),
        ];
        assert_eq!(pairs(&sheet.facts), expected);
        assert_eq!((sheet.tax_number.as_deref(), sheet.name()), (None, sheet.title.clone()));
    }

    #[test]
    fn what_is_no_proof_of_money_is_marked() {
        let void = voided(Receipt { livemode: false, ..receipt() }, "Pago duplicado");
        let sheet = Sheet::of(&void, URL.to_owned(), Language::Es);
        assert_eq!(sheet.title, "Comprobante de pago N.º P-000123");
        let titles: Vec<_> = sheet.marks.iter().map(|mark| mark.title).collect();
        assert_eq!(titles, ["ANULADO", "MODO DE PRUEBA"]);
        let lines = &sheet.marks[0].lines;
        assert!(lines[0].contains("21/11/2026"), "{lines:?}");
        assert_eq!(lines[1], "Motivo: Pago duplicado");
    }

    #[test]
    fn of_a_payer_only_the_ends_are_shown() {
        for (text, shown) in [
            ("584140000002", Some("********0002")),
            ("0414-0000002", Some("*******0002")),
            ("V-12.345.678", Some("*****5678")),
            ("1234", Some("**34")),
            ("7", Some("*")),
            ("", None),
            ("--", None),
        ] {
            assert_eq!(masked(text).as_deref(), shown, "{text}");
        }
    }
}
