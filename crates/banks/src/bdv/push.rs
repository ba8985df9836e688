//! The push "Notificación de Pago": what the bank says of a pago móvil by itself.

use bank::{Notice, PushOutcome};
use domain::bank_text::BankText;
use domain::matching::{PayerFacts, Sighting};
use domain::money::Bolivars;
use domain::payer::{Document, Phone};
use domain::reference::{BankReference, TAIL_DIGITS};
use domain::secret::PersonalText;
use domain::time::CaracasDate;
use serde::Deserialize;

use super::BANK_CODE;
use super::amount::amount;
use super::extract::{instant, read_day, read_minute};
use super::observation::bank_code;
use super::wire::Loose;

/// The headers in one of which the bank shows the secret that it was given: the manual has the
/// first, and some saw the second.
pub(super) const SECRET_HEADERS: [&str; 2] = ["api-key", "x-api-key"];

/// The longest notice that is read, in bytes. The bank's own have some three hundred.
const NOTICE_LEN_MAX: usize = 4 * 1024;

/// How many of a reference's last digits the extract is sure to show behind its own prefix.
const SHOWN_DIGITS: usize = 8;

/// The body. Not read: what the merchant knows of itself.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Body {
    banco_ordenante: Loose,
    referencia_banco_ordenante: Loose,
    id_cliente: Loose,
    numero_cliente: Loose,
    fecha: Loose,
    hora: Loose,
    monto: Loose,
}

/// Reads a notice; nothing where its reference, amount or day cannot be read. Whatever else cannot
/// be read says nothing.
pub(super) fn read(body: &[u8]) -> Option<Notice> {
    if body.len() > NOTICE_LEN_MAX {
        return None;
    }
    let body: Body = serde_json::from_slice(body).ok()?;
    let reference = BankReference::parse(body.referencia_banco_ordenante.as_str()).ok()?;
    let amount = amount(body.monto.as_str()).filter(|amount| amount.is_positive())?;
    let paid_on = read_day(body.fecha.as_str())?;
    let mut payer = PayerFacts {
        bank: Some(body.banco_ordenante.as_str())
            .filter(|code| !code.is_empty())
            .and_then(bank_code),
        phone: Phone::parse(body.numero_cliente.as_str()).ok(),
        ..PayerFacts::default()
    };
    let is_same_bank = payer.bank.as_ref().is_some_and(|bank| bank.as_str() == BANK_CODE);
    // Of another bank's customer it is the merchant's own tax number.
    if is_same_bank {
        payer.document = Document::parse(body.id_cliente.as_str()).ok();
    }
    let paid_at = read_minute(body.hora.as_str()).map(|minute| instant(paid_on, minute));
    let movement = shown_reference(&reference, &payer).map(|reference| Sighting {
        reference,
        bank_key: None,
        amount,
        paid_on,
        paid_at,
        payer: payer.clone(),
        // The extract has words of its own.
        description: BankText::default(),
    });
    let message = PersonalText::new(message(&reference, amount, paid_on, &payer));
    Some(Notice { reference, amount, paid_on, paid_at, payer, is_same_bank, message, movement })
}

/// The reference by which the extract's row of the same money is known: the ending that both have.
/// There is none where the extract has a reference of its own, as between two customers of the
/// bank, or of a payer whose bank is not named; nor where so few significant digits are left that
/// two references would not be taken for one.
fn shown_reference(reference: &BankReference, payer: &PayerFacts) -> Option<BankReference> {
    payer.bank.as_ref().filter(|bank| bank.as_str() != BANK_CODE)?;
    let digits = reference.digits();
    let ending = digits.split_at(digits.len().saturating_sub(SHOWN_DIGITS)).1;
    let ending = BankReference::parse(ending).ok()?;
    (ending.digits().len() >= TAIL_DIGITS).then_some(ending)
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
        text.push_str(&format!(", teléfono 0{}", phone.parts().1));
    }
    text.push_str(&format!(", referencia {}, fecha {paid_on}", reference.digits()));
    text
}

/// The three answers that the bank knows. The third is one for every refusal, so that it shows
/// nobody whether an account is there.
pub(super) const fn answer(outcome: PushOutcome) -> &'static str {
    match outcome {
        PushOutcome::Taken => {
            r#"{"codigo":"00","mensajeCliente":"Aprobado","mensajeSistema":"Notificado"}"#
        }
        PushOutcome::Again => {
            r#"{"codigo":"01","mensajeCliente":"Pago previamente recibido","mensajeSistema":"Renotificado"}"#
        }
        PushOutcome::Refused => {
            r#"{"codigo":"99","mensajeCliente":"Error en API KEY","mensajeSistema":"Error en API KEY"}"#
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// A notice of a customer of another bank. Made up.
    fn body() -> Value {
        json!({
            "bancoOrdenante": "0134", "referenciaBancoOrdenante": "000079912345",
            "idCliente": "V12345678", "numeroCliente": "04140000002", "idComercio": "J123456784",
            "numeroComercio": "04120000001", "fecha": "20261120", "hora": "0801", "monto": "150.75",
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
        assert_eq!(notice.reference.digits(), "79912345");
        assert_eq!(notice.amount, Bolivars::from_hundredths(15_075));
        let seen = notice.movement.unwrap();
        assert_eq!(seen.reference.digits(), "79912345");
        assert_eq!(seen.paid_on, CaracasDate::parse("2026-11-20").unwrap());
        assert_eq!(seen.paid_at.unwrap().to_string(), "2026-11-20T12:01:00.000Z");
        assert_eq!(seen.payer.phone.unwrap().as_str(), "584140000002");
        assert_eq!(seen.payer.document, None, "it may be the merchant's own");
        assert_eq!(
            notice.message.as_str(),
            "Pago móvil recibido por Bs 150.75 del banco 0134, teléfono 04140000002, \
             referencia 79912345, fecha 2026-11-20"
        );
    }

    #[test]
    fn amounts_days_and_codes_come_in_every_form() {
        for monto in [json!("30.0"), json!(30), json!(30.0), json!("30,00"), json!("Bs. 30,00")] {
            let notice = with("monto", monto.clone()).unwrap();
            assert_eq!(notice.amount, Bolivars::from_hundredths(3_000), "{monto}");
        }
        for fecha in [json!("2026-11-20"), json!(20_261_120), json!("20/11/2026")] {
            assert_eq!(with("fecha", fecha).unwrap().paid_on.to_string(), "2026-11-20");
        }
        for bank in [json!("134"), json!(134), json!("0134")] {
            assert_eq!(with("bancoOrdenante", bank).unwrap().payer.bank.unwrap().as_str(), "0134");
        }
        assert!(with("hora", json!("ahora")).unwrap().movement.unwrap().paid_at.is_none());
        assert!(with("numeroCliente", json!("0414***0002")).unwrap().payer.phone.is_none());
    }

    #[test]
    fn without_reference_amount_or_day_there_is_no_notice() {
        for field in ["referenciaBancoOrdenante", "monto", "fecha"] {
            for value in [json!(null), json!(""), json!("x"), json!("0"), json!({})] {
                assert!(with(field, value.clone()).is_none(), "{field} {value}");
            }
        }
        assert!(with("monto", json!("-1.00")).is_none());
        for body in [&b""[..], b"null", b"[]", b"{", b"{}", b"\xff"] {
            assert!(read(body).is_none(), "{body:?}");
        }
        assert!(with("idComercio", json!("x".repeat(NOTICE_LEN_MAX))).is_none());
    }

    #[test]
    fn what_the_extract_shows_otherwise_is_no_movement_yet() {
        // Between two customers of the bank, or of who knows whom.
        assert!(with("bancoOrdenante", json!("0102")).unwrap().movement.is_none());
        assert!(with("bancoOrdenante", json!("")).unwrap().movement.is_none());
        for (reference, shown) in [
            ("123479912345", Some("79912345")),
            ("000000912345", Some("912345")),
            ("000000012345", None),
            ("123400012345", None),
        ] {
            let notice = with("referenciaBancoOrdenante", json!(reference)).unwrap();
            let movement = notice.movement;
            assert_eq!(movement.as_ref().map(|seen| seen.reference.digits()), shown, "{reference}");
        }
    }

    #[test]
    fn answers_are_json_with_the_banks_codes() {
        let codes =
            [(PushOutcome::Taken, "00"), (PushOutcome::Again, "01"), (PushOutcome::Refused, "99")];
        for (outcome, code) in codes {
            let body: Value = serde_json::from_str(answer(outcome)).unwrap();
            assert_eq!(body["codigo"], code);
            assert!(body["mensajeCliente"].is_string() && body["mensajeSistema"].is_string());
        }
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_not_and_nothing_breaks(
            field in "[a-zA-Z]{4,12}", value in any::<String>(), bytes in any::<Vec<u8>>(),
        ) {
            let _ = read(&bytes);
            for field in [field.as_str(), "monto", "fecha", "hora", "bancoOrdenante", "numeroCliente"] {
                let _ = with(field, json!(value));
            }
        }
    }
}
