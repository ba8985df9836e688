//! What a caller asks, read from the wire.

use std::convert::Infallible;

use app::verification::VerifyRequest;
use domain::ids::BankId;
use domain::matching::{MovementKind, Query};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Phone};
use domain::reference::TypedReference;
use domain::refusal::{Problem, Refusal};
use domain::text::Text;
use domain::time::CaracasDate;
use serde::Deserialize;
use web::{Field, Fields, JsonBody};

use crate::wire::document;

/// What a shop calls the origin of a payment.
type SourceName = Text<0, 120>;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    bank_reference: Field<'a>,
    #[serde(borrow)]
    amount: Field<'a>,
    #[serde(borrow)]
    movement_type: Field<'a>,
    #[serde(borrow)]
    fecha_pago: Field<'a>,
    #[serde(borrow)]
    phone_pagador: Field<'a>,
    #[serde(borrow)]
    dni_pagador: Field<'a>,
    #[serde(borrow)]
    bank_origin: Field<'a>,
    #[serde(borrow, rename = "cuentaPagador")]
    cuenta_pagador: Field<'a>,
    #[serde(borrow)]
    source_name: Field<'a>,
}

/// Reads the request about `bank`.
///
/// # Errors
/// A refusal that tells every field that is wrong.
pub(super) fn parse(body: &JsonBody, bank: BankId) -> Result<VerifyRequest, Refusal> {
    let wire: Body<'_> = body.object()?;
    let mut fields = Fields::default();
    let reference =
        fields.required_text("bank_reference", wire.bank_reference, TypedReference::parse);
    let amount = fields.number("amount", wire.amount, Bolivars::from_number);
    let whole = |text: &str| Ok::<_, Infallible>(text.trim().to_owned());
    let kind = fields.text("movement_type", wire.movement_type, whole);
    let paid_on = fact(&mut fields, "fecha_pago", wire.fecha_pago, CaracasDate::parse);
    let phone = fact(&mut fields, "phone_pagador", wire.phone_pagador, Phone::parse);
    let document = document(&mut fields, "dni_pagador", wire.dni_pagador);
    let bank_origin = fact(&mut fields, "bank_origin", wire.bank_origin, BankCode::parse);
    let account = fact(&mut fields, "cuentaPagador", wire.cuenta_pagador, AccountNumber::parse);
    let source_name = fields.text("source_name", wire.source_name, SourceName::parse);
    let Some(reference) = reference.filter(|_| fields.are_right()) else {
        return Err(fields.refusal());
    };
    let query = Query {
        reference,
        // Zero asks for no amount in particular.
        amount: amount.filter(|amount| amount.is_positive()),
        phone,
        document,
        bank_origin,
        account,
        paid_on,
        kind: movement_kind(kind.as_deref())?,
    };
    let source_name = source_name.map(Text::into_string).filter(|name| !name.is_empty());
    Ok(VerifyRequest { bank, query, source_name })
}

/// A fact that many callers send as empty text where they do not know it.
fn fact<T, E: Into<Problem>>(
    fields: &mut Fields,
    name: &str,
    field: Field<'_>,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Option<T> {
    let parse = |text: &str| match text.trim() {
        "" => Ok(None),
        text => parse(text).map(Some),
    };
    fields.text(name, field, parse).flatten()
}

fn movement_kind(name: Option<&str>) -> Result<MovementKind, Refusal> {
    match name {
        None | Some("") => Ok(MovementKind::Generic),
        Some(name) => MovementKind::parse(name).ok_or(Refusal::MovementTypeInvalid),
    }
}

#[cfg(test)]
mod tests {
    use domain::payer::Document;

    use super::*;

    fn parsed(json: &str) -> Result<VerifyRequest, Refusal> {
        parse(&JsonBody::from(json.to_owned()), BankId::from_bytes([1; 16]))
    }

    #[test]
    fn a_reference_is_enough() {
        let request = parsed(r#"{"bank_reference": "00-1234.567 890", "amount": 0}"#).unwrap();
        let reference = TypedReference::parse("1234567890").unwrap();
        assert_eq!(request.query, Query::new(reference));
        assert_eq!(request.source_name, None);
    }

    #[test]
    fn every_fact_is_read() {
        let request = parsed(
            r#"{"bank_reference": "123456", "amount": 150.75, "movement_type": "MOVIL_PAY",
                "fecha_pago": "2026-11-20", "phone_pagador": "0414-1234567",
                "dni_pagador": {"dni_type": "V", "dni_number": "12345678"}, "bank_origin": "0102",
                "cuentaPagador": "01020000000000000001", "source_name": " caja 1 ", "other": 1}"#,
        );
        let VerifyRequest { query, source_name, .. } = request.unwrap();
        assert_eq!(query.amount, Some(Bolivars::from_hundredths(15_075)));
        assert_eq!(query.kind, MovementKind::MovilPay);
        assert_eq!(query.paid_on.unwrap().to_string(), "2026-11-20");
        assert_eq!(query.phone.unwrap().as_str(), "584141234567");
        assert_eq!(query.document, Some(Document::parse("V12345678").unwrap()));
        assert_eq!(query.bank_origin.unwrap().as_str(), "0102");
        assert_eq!(query.account.unwrap().as_str(), "01020000000000000001");
        assert_eq!(source_name.as_deref(), Some("caja 1"));
    }

    #[test]
    fn documents_come_in_three_shapes() {
        let right = Some(Document::parse("V12345678").unwrap());
        for dni in [
            r#""V-12.345.678""#,
            r#"{"dniType": "V", "dniNumber": "12345678"}"#,
            r#"{"dni_type": "V", "dni_number": 12345678}"#,
        ] {
            let json = format!(r#"{{"bank_reference": "123456", "dni_pagador": {dni}}}"#);
            assert_eq!(parsed(&json).unwrap().query.document, right, "{dni}");
        }
        for dni in [r#""""#, "null", "{}", r#"{"dni_type": "", "dni_number": ""}"#] {
            let json = format!(r#"{{"bank_reference": "123456", "dni_pagador": {dni}}}"#);
            assert_eq!(parsed(&json).unwrap().query.document, None, "{dni}");
        }
    }

    #[test]
    fn every_wrong_field_is_told() {
        let refusal = parsed(
            r#"{"bank_reference": "12a4", "amount": "1", "fecha_pago": "20/11/2026",
                "phone_pagador": "123", "dni_pagador": [], "bank_origin": "01", "cuentaPagador": "1",
                "source_name": 1}"#,
        );
        let Err(Refusal::Validation(details)) = refusal else { panic!("accepted") };
        let fields: Vec<&str> = details.iter().map(|detail| detail.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "bank_reference",
                "amount",
                "fecha_pago",
                "phone_pagador",
                "dni_pagador",
                "bank_origin",
                "cuentaPagador",
                "source_name",
            ]
        );
        assert!(matches!(parsed("{}"), Err(Refusal::Validation(_))));
    }

    #[test]
    fn an_unknown_type_of_movement_has_a_refusal_of_its_own() {
        let json = r#"{"bank_reference": "123456", "movement_type": "CASH"}"#;
        assert_eq!(parsed(json).unwrap_err(), Refusal::MovementTypeInvalid);
    }
}
