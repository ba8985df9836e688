//! What the bank's messages say.
//!
//! One code, 1010, stands for most of what can go wrong, and the message says which. Wordings have
//! changed between versions of the manual and some arrive in a broken encoding, so that messages
//! are compared by their plain letters and digits alone.

use domain::money::Bolivars;
use domain::verification::Failure;

use super::amount::amount;

/// The message's letters and digits, in lower case and without accents. Whatever a broken encoding
/// has made of a letter is dropped.
pub(super) fn plain(message: &str) -> String {
    let folded = message.chars().flat_map(char::to_lowercase).map(|letter| match letter {
        'á' | 'à' | 'ä' => 'a',
        'é' | 'è' | 'ë' => 'e',
        'í' | 'ì' | 'ï' => 'i',
        'ó' | 'ò' | 'ö' => 'o',
        'ú' | 'ù' | 'ü' => 'u',
        'ñ' => 'n',
        other => other,
    });
    folded.filter(char::is_ascii_alphanumeric).collect()
}

/// A failure that a message names, whatever was asked.
pub(super) fn failure(plain: &str) -> Option<Failure> {
    let says = |words: &[&str]| words.iter().any(|word| plain.contains(word));
    if says(&["noafiliado"]) {
        Some(Failure::RejectedCredentials)
    } else if says(&["mantenimiento"]) {
        Some(Failure::Maintenance)
    } else if says(&["debetener", "obligatori", "requerid", "nulo", "null"]) {
        Some(Failure::InvalidInput)
    } else {
        None
    }
}

/// Tells whether the message says that the payment was conciliated before.
pub(super) fn is_conciliated(plain: &str) -> bool {
    plain.contains("yafueconciliad")
}

/// Tells whether the message says that there is no such payment.
pub(super) fn is_no_such_payment(plain: &str) -> bool {
    plain.contains("noexiste")
}

/// Tells whether the message says that a day has no movements. That something *does not exist* is not enough: it may be
/// the account.
pub(super) fn is_empty_day(plain: &str) -> bool {
    plain.contains("nohaydatos") || plain.contains("nohaymovimientos")
}

/// The amount behind the word `monto`.
pub(super) fn stated_amount(message: &str) -> Option<Bolivars> {
    let message = message.to_lowercase();
    let (_, rest) = message.split_once("monto")?;
    let rest = rest.trim_start_matches([' ', ':', '\u{a0}']);
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '.' | ','));
    let (digits, _) = rest.split_at(end.unwrap_or(rest.len()));
    amount(digits.trim_end_matches(['.', ',']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_the_same_in_any_case_accents_and_punctuation() {
        for message in [
            "Registro solicitado NO existe.",
            "registro  solicitado: no existe",
            "Régistro…no-existe",
        ] {
            assert!(is_no_such_payment(&plain(message)), "{message}");
        }
        assert_eq!(plain("Transacci¿¿n\u{fffd} Ñandú"), "transaccinnandu");
    }

    #[test]
    fn the_amount_is_the_one_behind_its_word() {
        for (message, hundredths) in [
            ("monto : 120.00 - estatus : Transacci¿¿n realizada", Some(12_000)),
            ("Monto: 120.00 - estatus: Transacción realizada", Some(12_000)),
            ("MONTO 1.234,56.", Some(123_456)),
            ("monto:36.960,41, estatus", Some(3_696_041)),
            ("monto : - estatus", None),
            ("el monto no coincide", None),
            ("120.00", None),
        ] {
            assert_eq!(stated_amount(message).map(Bolivars::hundredths), hundredths, "{message}");
        }
    }
}
