//! The column `observacion`, which is where the bank says who paid.

use domain::matching::PayerFacts;
use domain::payer::{BankCode, Document, Phone};

use super::BANK_CODE;

/// What it says of the payer. Text of another shape says nothing, and neither does a part that
/// cannot be read.
///
/// - `PAGOMOVIL OTROS BANCOS 0134 04141234567`: another bank's customer. The switch between banks
///   does not pass their document on.
/// - `PAGOMOVIL BDV V012345678 A NAME`: a customer of this bank, the document padded with zeros.
/// - `PAGO RECIBIDO OTROS BANCOS 0134 J123456784`: a transfer.
pub(super) fn payer(observation: &str) -> PayerFacts {
    let upper = observation.to_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    match words.as_slice() {
        ["PAGOMOVIL", "OTROS", "BANCOS", bank, rest @ ..] => PayerFacts {
            bank: bank_code(bank),
            phone: rest.first().and_then(|phone| Phone::parse(phone).ok()),
            ..PayerFacts::default()
        },
        ["PAGOMOVIL", "BDV", rest @ ..] => PayerFacts {
            bank: BankCode::parse(BANK_CODE).ok(),
            document: rest.first().and_then(|document| Document::parse(document).ok()),
            ..PayerFacts::default()
        },
        ["PAGO", "RECIBIDO", "OTROS", "BANCOS", bank, rest @ ..] => PayerFacts {
            bank: bank_code(bank),
            document: rest.first().and_then(|document| Document::parse(document).ok()),
            ..PayerFacts::default()
        },
        _ => PayerFacts::default(),
    }
}

/// A bank's code, whose leading zero a number would have lost on its way.
pub(super) fn bank_code(word: &str) -> Option<BankCode> {
    BankCode::parse(&format!("{word:0>4}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bank, phone and document, as they are written here.
    fn facts_of(observation: &str) -> [Option<String>; 3] {
        let payer = payer(observation);
        [
            payer.bank.map(|bank| bank.to_string()),
            payer.phone.map(|phone| phone.to_string()),
            payer.document.map(|document| document.to_string()),
        ]
    }

    fn some<const N: usize>(facts: [&str; N]) -> [Option<String>; N] {
        facts.map(|fact| (!fact.is_empty()).then(|| fact.to_owned()))
    }

    #[test]
    fn every_shape_says_what_it_can() {
        for (observation, facts) in [
            ("PAGOMOVIL OTROS BANCOS 0134 04141234567", ["0134", "584141234567", ""]),
            ("  pagomovil otros  bancos 0134 4141234567 ", ["0134", "584141234567", ""]),
            ("PAGOMOVIL BDV V012345678 PRUEBA FICTICIA", ["0102", "", "V12345678"]),
            ("PAGOMOVIL BDV E081234567", ["0102", "", "E81234567"]),
            ("PAGO RECIBIDO OTROS BANCOS 0191 J123456784", ["0191", "", "J123456784"]),
            ("PAGO RECIBIDO OTROS BANCOS 0191", ["0191", "", ""]),
        ] {
            assert_eq!(facts_of(observation), some(facts), "{observation}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_nothing() {
        for (observation, facts) in [
            ("", ["", "", ""]),
            ("COMISION PAGOMOVIL", ["", "", ""]),
            ("PAGOMOVIL", ["", "", ""]),
            ("PAGOMOVIL OTROS BANCOS", ["", "", ""]),
            ("PAGOMOVIL OTROS BANCOS 0134 0414***4567", ["0134", "", ""]),
            ("PAGOMOVIL OTROS BANCOS ABCD 04141234567", ["", "584141234567", ""]),
            ("PAGOMOVIL BDV V000000000 NADIE", ["0102", "", ""]),
            ("PAGOMOVIL BDV NADIE", ["0102", "", ""]),
        ] {
            assert_eq!(facts_of(observation), some(facts), "{observation}");
        }
    }
}
