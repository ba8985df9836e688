//! The column `observacion`, which is where the bank says who paid.

use domain::matching::PayerForm::{Known, SameBank};
use domain::matching::{PayerFacts, PayerForm};
use domain::payer::{BankCode, Document, Phone};

use super::BANK_CODE;
use crate::payer_text::{document, document_in};

/// Reads the payer in it.
///
/// - `PAGOMOVIL OTROS BANCOS 0134 04141234567`: another bank's customer. The switch between banks
///   does not pass their document on.
/// - `PAGOMOVIL BDV V012345678 A NAME`: a customer of this bank, the document padded with zeros. The bank lists it under
///   a reference that no receipt has.
/// - `TRANSF RECIBIDA BDV V012345678 A NAME`, `PAGO RECIBIDO BDV V012345678 A NAME`: a transfer of one.
/// - `PAGO RECIBIDO OTROS BANCOS 0134 J123456784`, `PAGO A PROVEEDORES J123456784 A NAME`: a transfer.
///
/// Any other text, and one of these with a place that cannot be read, says the one document that it has, and this bank
/// where it names itself: that is compared, and proves nothing to a stranger.
pub(super) fn payer(observation: &str) -> PayerFacts {
    let upper = observation.to_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    let Some((facts, is_whole)) = by_form(&words) else {
        let bank = own_bank().filter(|_| words.contains(&"BDV"));
        return unknown(PayerFacts { bank, ..PayerFacts::default() }, &words);
    };
    if is_whole { facts } else { unknown(facts, &words) }
}

/// Reads a text of a known form at its places, and whether all of these could be read.
fn by_form(words: &[&str]) -> Option<(PayerFacts, bool)> {
    let (bank, phone, payer, form) = match words {
        ["PAGOMOVIL", "OTROS", "BANCOS", rest @ ..] => {
            (code_in(rest), rest.get(1).and_then(|phone| Phone::parse(phone).ok()), None, Known)
        }
        ["PAGOMOVIL", "BDV", rest @ ..] => (own_bank(), None, document_at(rest, 0), SameBank),
        ["TRANSF" | "PAGO", "RECIBIDA" | "RECIBIDO", "BDV", rest @ ..] => {
            (own_bank(), None, document_at(rest, 0), Known)
        }
        ["PAGO", "RECIBIDO", "OTROS", "BANCOS", rest @ ..] => {
            (code_in(rest), None, document_at(rest, 1), Known)
        }
        ["PAGO", "A", "PROVEEDORES", rest @ ..] => (None, None, document_at(rest, 0), Known),
        _ => return None,
    };
    let is_payer_read = phone.is_some() || payer.is_some();
    // Of one form alone the bank is not said.
    let is_bank_read = bank.is_some() || words.contains(&"PROVEEDORES");
    let facts = PayerFacts { bank, phone, document: payer, form, ..PayerFacts::default() };
    Some((facts, is_payer_read && is_bank_read))
}

/// The same of a text that could not be read by its form.
fn unknown(facts: PayerFacts, words: &[&str]) -> PayerFacts {
    let document = facts.document.or_else(|| document_in(words));
    PayerFacts { document, form: PayerForm::Unknown, ..facts }
}

fn code_in(rest: &[&str]) -> Option<BankCode> {
    rest.first().and_then(|code| bank_code(code))
}

fn document_at(rest: &[&str], place: usize) -> Option<Document> {
    rest.get(place).and_then(|word| document(word))
}

fn own_bank() -> Option<BankCode> {
    BankCode::parse(BANK_CODE).ok()
}

/// A bank's code, whose leading zero a number would have lost on its way.
pub(super) fn bank_code(word: &str) -> Option<BankCode> {
    BankCode::parse(&format!("{word:0>4}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bank, phone and document, as they are written here.
    fn facts_of(observation: &str) -> ([Option<String>; 3], PayerForm) {
        let payer = payer(observation);
        let facts = [
            payer.bank.map(|bank| bank.to_string()),
            payer.phone.map(|phone| phone.to_string()),
            payer.document.map(|document| document.to_string()),
        ];
        (facts, payer.form)
    }

    fn some<const N: usize>(facts: [&str; N]) -> [Option<String>; N] {
        facts.map(|fact| (!fact.is_empty()).then(|| fact.to_owned()))
    }

    #[test]
    fn every_known_form_says_what_it_can() {
        for (observation, facts, form) in [
            ("PAGOMOVIL OTROS BANCOS 0134 04141234567", ["0134", "584141234567", ""], Known),
            ("  pagomovil otros  bancos 0134 4141234567 ", ["0134", "584141234567", ""], Known),
            ("PAGOMOVIL OTROS BANCOS 134 04141234567", ["0134", "584141234567", ""], Known),
            ("PAGOMOVIL BDV V012345678 PRUEBA FICTICIA", ["0102", "", "V12345678"], SameBank),
            ("PAGOMOVIL BDV E081234567", ["0102", "", "E81234567"], SameBank),
            ("TRANSF RECIBIDA BDV V11222333 PRUEBA", ["0102", "", "V11222333"], Known),
            ("PAGO RECIBIDO BDV G0200000007 ENTE", ["0102", "", "G200000007"], Known),
            ("PAGO RECIBIDO OTROS BANCOS 0191 J123456784", ["0191", "", "J123456784"], Known),
            ("PAGO A PROVEEDORES J123456784 EMPRESA", ["", "", "J123456784"], Known),
            // The place counts: a name is the payer's to choose.
            ("TRANSF RECIBIDA BDV V11222333 DE V12345678", ["0102", "", "V11222333"], Known),
        ] {
            assert_eq!(facts_of(observation), (some(facts), form), "{observation}");
        }
    }

    #[test]
    fn any_other_text_says_the_one_document_in_it() {
        for (observation, facts) in [
            ("", ["", "", ""]),
            ("COMISION PAGOMOVIL", ["", "", ""]),
            ("PAGOMOVIL OTROS BANCOS 0134 0414***4567", ["0134", "", ""]),
            ("PAGOMOVIL OTROS BANCOS ABCD 04141234567", ["", "584141234567", ""]),
            ("PAGOMOVIL OTROS BANCOS", ["", "", ""]),
            ("PAGOMOVIL OTROS BANCOS 0134 V11222333", ["0134", "", "V11222333"]),
            ("TRANSF RECIBIDA BDV DE V11222333", ["0102", "", "V11222333"]),
            ("PAGOMOVIL BDV V000000000 NADIE", ["0102", "", ""]),
            ("PAGOMOVIL BDV NADIE", ["0102", "", ""]),
            ("PAGO RECIBIDO OTROS BANCOS 0191", ["0191", "", ""]),
            ("TRASPASO BDV DE V11222333", ["0102", "", "V11222333"]),
            ("ABONO V11222333 PRUEBA", ["", "", "V11222333"]),
            ("TRAV011222333123456789", ["", "", "V11222333"]),
            ("ABONO V11222333 J123456784", ["", "", ""]),
        ] {
            assert_eq!(facts_of(observation), (some(facts), PayerForm::Unknown), "{observation}");
        }
    }
}
