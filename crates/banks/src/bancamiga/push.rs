//! The push: what the bank says of a pago móvil by itself.

use std::borrow::Cow;

use bank::{Notice, PushAnswer, PushOutcome};
use domain::bank_text::BankText;
use domain::matching::{PayerFacts, PayerForm, Sighting};
use domain::money::Bolivars;
use domain::payer::Phone;
use domain::reference::{BankReference, TAIL_DIGITS};
use domain::secret::PersonalText;
use domain::time::CaracasDate;
use serde::Deserialize;
use serde_json::json;

use super::rows::bank_code;
use super::written::{Loose, amount, instant, seconds};

/// The header in which the bank shows the secret that it was given, behind the word `Bearer`.
pub(super) const SECRET_HEADERS: [&str; 1] = ["authorization"];

/// The longest notice that is read, in bytes. The bank's own have some four hundred.
const NOTICE_LEN_MAX: usize = 4 * 1024;

/// How many digits `Refpk` has, and as many as are said again to whoever sends others.
const KEY_LEN: usize = 30;

/// The status of a payment that came in, which is the only one that the manual has.
const RECEIVED: &str = "000";

/// The body. Not read: what the merchant knows of itself.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct Body {
    banco_orig: Loose,
    fecha_movimiento: Loose,
    hora_movimiento: Loose,
    nro_referencia: Loose,
    phone_orig: Loose,
    status: Loose,
    amount: Loose,
    refpk: Loose,
}

/// Reads a notice; nothing where its reference, amount or day cannot be read, or where it is of a payment that did not
/// come in. Whatever else cannot be read says nothing.
pub(super) fn read(body: &[u8]) -> Option<Notice> {
    let body = parse(body)?;
    let status = body.status.as_str();
    if !status.is_empty() && status != RECEIVED {
        return None;
    }
    let reference = BankReference::parse(body.nro_referencia.as_str()).ok()?;
    let amount = amount(body.amount.as_str()).filter(|amount| amount.is_positive())?;
    let paid_on = CaracasDate::parse(body.fecha_movimiento.as_str()).ok()?;
    let phone = Phone::parse(body.phone_orig.as_str()).ok();
    let form = if phone.is_some() { PayerForm::Known } else { PayerForm::Unknown };
    let bank = bank_code(body.banco_orig.as_str());
    let payer = PayerFacts { bank, phone, form, ..PayerFacts::default() };
    let paid_at = seconds(body.hora_movimiento.as_str()).map(|seconds| instant(paid_on, seconds));
    // The list shows more digits. With fewer significant ones the two would not be taken for one, and the payment would
    // be there twice.
    let is_enough = reference.digits().len() >= TAIL_DIGITS;
    let movement = is_enough.then(|| Sighting {
        reference: reference.clone(),
        bank_key: None,
        amount,
        paid_on,
        paid_at,
        payer: payer.clone(),
        // The list has words of its own.
        description: BankText::default(),
    });
    let message = PersonalText::new(message(&reference, amount, paid_on, &payer));
    let is_same_bank = false;
    Some(Notice { reference, amount, paid_on, paid_at, payer, is_same_bank, message, movement })
}

fn parse(body: &[u8]) -> Option<Body> {
    if body.len() > NOTICE_LEN_MAX {
        return None;
    }
    serde_json::from_slice(body).ok()
}

/// Writes the message about a received payment that the account's owner reads.
fn message(
    reference: &BankReference,
    amount: Bolivars,
    paid_on: CaracasDate,
    payer: &PayerFacts,
) -> String {
    let mut text = format!("Pago móvil recibido por Bs {amount}");
    if let Some(bank) = &payer.bank {
        text.push_str(&format!(" del banco {bank}"));
    }
    if let Some(phone) = &payer.phone {
        text.push_str(&format!(", teléfono {}", phone.national()));
    }
    text.push_str(&format!(", referencia {}, fecha {paid_on}", reference.shown()));
    text
}

/// The answer: the notice's own key, without which the bank sends it again. A refusal is one for everything, so that it
/// shows nobody whether an account is there.
pub(super) fn answer(outcome: PushOutcome, body: &[u8]) -> PushAnswer {
    if outcome == PushOutcome::Refused {
        return PushAnswer { status: 401, body: Cow::Borrowed(r#"{"Code":401}"#) };
    }
    let key = parse(body).unwrap_or_default().refpk;
    let digits = key.as_str().chars().filter(char::is_ascii_digit).take(KEY_LEN);
    let key: String = digits.collect();
    PushAnswer { status: 200, body: Cow::Owned(json!({ "Code": 200, "Refpk": key }).to_string()) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// A notice in the form of the bank's sample, with made-up phones.
    fn body() -> Value {
        json!({
            "BancoOrig": "0134", "FechaMovimiento": "2026-11-20", "HoraMovimiento": "08:01:09",
            "NroReferencia": "918219", "PhoneOrig": "584140000002", "PhoneDest": "584120000001",
            "Status": "000", "Descripcion": "PAGO", "Amount": "5.64",
            "Refpk": "202611200134584140000002918219",
        })
    }

    fn with(field: &str, value: Value) -> Option<Notice> {
        let mut body = body();
        body[field] = value;
        read(body.to_string().as_bytes())
    }

    #[test]
    fn a_notice_is_read_and_said_in_a_sentence() {
        let notice = read(body().to_string().as_bytes()).unwrap();
        assert_eq!(notice.amount, Bolivars::from_hundredths(564));
        let seen = notice.movement.unwrap();
        assert_eq!(seen.reference.digits(), "918219");
        assert_eq!(seen.paid_at.unwrap().to_string(), "2026-11-20T12:01:09.000Z");
        assert_eq!(seen.payer.phone.unwrap().as_str(), "584140000002");
        assert_eq!((seen.payer.document, seen.bank_key), (None, None));
        assert_eq!(
            notice.message.as_str(),
            "Pago móvil recibido por Bs 5.64 del banco 0134, teléfono 04140000002, \
             referencia 918219, fecha 2026-11-20"
        );
    }

    #[test]
    fn a_reference_that_the_list_may_show_otherwise_is_no_movement_yet() {
        let notice = with("NroReferencia", json!("018219")).unwrap();
        assert!(notice.movement.is_none());
        assert_eq!(notice.reference.shown(), "018219");
        assert!(with("NroReferencia", json!("000000918219")).unwrap().movement.is_some());
    }

    #[test]
    fn without_reference_amount_or_day_there_is_no_notice() {
        for field in ["NroReferencia", "Amount", "FechaMovimiento"] {
            for value in [json!(null), json!(""), json!("x"), json!("0"), json!({})] {
                assert!(with(field, value.clone()).is_none(), "{field} {value}");
            }
        }
        assert!(with("Status", json!("051")).is_none(), "it did not come in");
        assert!(with("Amount", json!("-5.64")).is_none());
        for body in [&b""[..], b"null", b"[]", b"{", b"{}", b"\xff"] {
            assert!(read(body).is_none(), "{body:?}");
        }
        assert!(with("Descripcion", json!("x".repeat(NOTICE_LEN_MAX))).is_none());
    }

    #[test]
    fn what_was_taken_is_answered_by_its_key() {
        let body = body().to_string();
        for outcome in [PushOutcome::Taken, PushOutcome::Again] {
            let PushAnswer { status, body } = answer(outcome, body.as_bytes());
            let said: Value = serde_json::from_str(&body).unwrap();
            let expected = json!({ "Code": 200, "Refpk": "202611200134584140000002918219" });
            assert_eq!((status, said), (200, expected));
        }
        let refused = answer(PushOutcome::Refused, body.as_bytes());
        assert_eq!((refused.status, &*refused.body), (401, r#"{"Code":401}"#));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_not_and_nothing_breaks(value: String, bytes: Vec<u8>) {
            let _ = read(&bytes);
            let PushAnswer { body, .. } = answer(PushOutcome::Taken, &bytes);
            prop_assert!(serde_json::from_str::<Value>(&body).is_ok());
            for field in ["Amount", "FechaMovimiento", "HoraMovimiento", "BancoOrig", "PhoneOrig", "Refpk"] {
                let _ = with(field, json!(value));
            }
        }
    }
}
