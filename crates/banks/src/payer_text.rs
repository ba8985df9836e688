//! Documents in the texts of statements ("observación", "concepto", "descripción"), whichever bank wrote them.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::matching::PayerForm;
use domain::payer::Document;

/// How many credits this process has read in texts of no known form.
static UNKNOWN: AtomicU64 = AtomicU64::new(0);

/// How many digits a document has in a text, padding included.
const DIGITS: RangeInclusive<usize> = 6..=10;

/// The letters that documents begin with.
const LETTERS: &str = "VEJGPC";

/// Words in which something else is glued to a document: what they begin with, how many digits stand between that and
/// the document, and how many behind it.
const GLUED: [(&str, usize, usize); 3] = [("TRA", 0, 9), ("ABO.DR", 0, 0), ("I", 4, 0)];

/// Counts a credit that was read, if its text is of no known form.
pub(crate) fn count(form: PayerForm) {
    if form == PayerForm::Unknown {
        UNKNOWN.fetch_add(1, Ordering::Relaxed);
    }
}

/// How many credits this process has read in texts of no known form, each as often as it was read.
#[must_use]
pub fn unknown_forms() -> u64 {
    UNKNOWN.load(Ordering::Relaxed)
}

/// The document in a text in capitals, where there is exactly one.
pub(crate) fn document_in(words: &[&str]) -> Option<Document> {
    let mut documents = words.iter().flat_map(|word| {
        let parts = word.split([':', '/', '(', ')', ',']).filter_map(document);
        parts.chain(glued_document(word))
    });
    documents.next().filter(|_| documents.next().is_none())
}

/// Reads a word that is a document: a letter and its digits, padded with zeros.
pub(crate) fn document(word: &str) -> Option<Document> {
    let word = word.trim_end_matches(|sign: char| !sign.is_alphanumeric());
    let (letter, digits) = word.split_at_checked(1)?;
    let digits: String = digits.chars().filter(|sign| !matches!(sign, '-' | '.')).collect();
    let is_document =
        LETTERS.contains(letter) && DIGITS.contains(&digits.len()) && is_number(&digits);
    is_document.then(|| Document::parse(&format!("{letter}{digits}")).ok()).flatten()
}

fn glued_document(word: &str) -> Option<Document> {
    GLUED.iter().find_map(|(begin, before, behind)| {
        let (between, rest) = word.strip_prefix(begin)?.split_at_checked(*before)?;
        let (whole, others) = rest.split_at_checked(rest.len().checked_sub(*behind)?)?;
        let is_glued = [between, others].iter().all(|part| part.is_empty() || is_number(part));
        is_glued.then(|| document(whole)).flatten()
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<String> {
        let upper = text.to_uppercase();
        let words: Vec<_> = upper.split_whitespace().collect();
        document_in(&words).map(|document| document.to_string())
    }

    /// The forms that banks' statements were seen with, filled with what is made up.
    #[test]
    fn every_known_form_says_the_document_that_it_has() {
        for (bank, text, document) in [
            ("0102", "PAGOMOVIL OTROS BANCOS 0134 04141234567", None),
            ("0102", "PAGOMOVIL BDV V012345678 PRUEBA   FICTICIA", Some("V12345678")),
            ("0102", "TRANSF RECIBIDA BDV V11222333 PRUEBA FICTI", Some("V11222333")),
            ("0102", "PAGO RECIBIDO OTROS BANCOS 0191 J123456784", Some("J123456784")),
            ("0102", "PAGO RECIBIDO BDV E081234567 PRUEBA", Some("E81234567")),
            ("0102", "PAGO A PROVEEDORES J0123456784 EMPRESA DE PR", Some("J123456784")),
            ("0134", "Banesco Pago Movil", None),
            ("0134", "PAGO MOVIL CCE", None),
            ("0134", "PAGO MOVIL CCE 04141234567", None),
            ("0134", "TRF.MB 0134 V012345678 PRUEBA FICTICI 1234", Some("V12345678")),
            ("0134", "TRF CR INM 0105 V0012345678  PRUEBA FICTI", Some("V12345678")),
            ("0134", "CR CCE TRAN:BANCO DE PRUEBA", None),
            ("0134", "TRANS.CTAS. A TERCEROS BANESCO", None),
            ("0108", "CR.I/REC 0102 V012345678", Some("V12345678")),
            ("0108", "TRAV012345678123456789", Some("V12345678")),
            ("0108", "TRAJ0123456784123456789", Some("J123456784")),
            ("0108", "TPBW V0012345678 01081234567", Some("V12345678")),
            ("0108", "ABO.DRV0012345678", Some("V12345678")),
            ("0108", "TR/REC-AV 0102 PRUEBA FICTICIA", None),
            ("0105", "CREDITO INMEDIATO 0102", None),
            ("0105", "TRANSFERENCIA RECIBIDA 123456", None),
            ("0191", "PAGO MOVIL RECIBIDO", None),
            ("0191", "TELF.:584141234567 BANCO:0102 PMPP CAFE", None),
            ("0191", "Credito Inmediato Recibido EMISOR :V012345678", Some("V12345678")),
            (
                "0191",
                "TRANSFERENCIA RECIBIDA DE :BANCO DE PRUEBA POR CUENTA DE :J123456784 EMPRESA \
                 REFERENCIA : 12345678 - Abono Via BCV - LBTR 123456",
                Some("J123456784"),
            ),
            ("0172", "NC Credito Inmediato", None),
            ("0114", "Pago movil recibido", None),
            ("0174", "Pago Plus Comercios Recibido Otros Banco", None),
            ("0174", "NC Transferencia", None),
            ("0115", "1234 TRANSF REC V12345678", Some("V12345678")),
            ("0151", "TRF 0102 V012345678 FICTICIA", Some("V12345678")),
            ("0138", "TRF PROVIN V012345678 PRUEBA F", Some("V12345678")),
            ("0138", "TDY COBRO 123456", None),
            ("0171", "N/C CRED I0102V12345678", Some("V12345678")),
            ("0104", "CREDITO INMEDIATO ABONO", None),
            ("0156", "PagoMovil 123456", None),
        ] {
            assert_eq!(read(text).as_deref(), document, "{bank} {text}");
        }
    }

    #[test]
    fn any_text_says_a_document_where_it_has_exactly_one() {
        for (text, document) in [
            ("ABONO DE V-12.345.678, GRACIAS", Some("V12345678")),
            ("abono j-12345678-4", Some("J123456784")),
            ("PASAPORTE P123456", Some("P123456")),
            ("COMUNA C0123456789", Some("C123456789")),
            // Two, which may be of two people; even of one it is not said which of them paid.
            ("DE V12345678 PARA J123456784", None),
            ("V12345678 V12345678", None),
            // Too few digits or too many, another letter, or within a word.
            ("V12345", None),
            ("V00012345678", None),
            ("X12345678", None),
            ("REFV12345678", None),
            ("V1234567A", None),
            ("V000000000", None),
            // Other digits glued to it, in no known way.
            ("TRAV012345678", None),
            ("TRAV01234567812345678901234", None),
            ("V12345678901234567890", None),
            ("", None),
        ] {
            assert_eq!(read(text).as_deref(), document, "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_not_and_nothing_breaks(text: String, odd in "[VJTRAI.:/0-9é ]{0,30}") {
            let _ = (read(&text), read(&odd));
        }

        /// Padding says nothing, wherever the document stands.
        #[test]
        fn padding_says_nothing(number in 100_000..100_000_000_u64, width in 6..=10_usize, before in "[A-Z]{0,6}") {
            prop_assume!(number.to_string().len() <= width);
            let text = format!("{before} V{number:0width$} NOMBRE");
            prop_assert_eq!(read(&text), Some(format!("V{number}")));
        }
    }
}
