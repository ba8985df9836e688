//! What a caller asks, read from the wire.

use app::verification::{ReportedIn, VerifyRequest};
use domain::ids::BankId;
use domain::matching::{MovementKind, Query};
use domain::payer::{AccountNumber, BankCode, Phone};
use domain::reference::TypedReference;
use domain::refusal::{Problem, Refusal};
use domain::text::Text;
use domain::time::CaracasDate;
use serde_json::Value;
use web::JsonBody;

use crate::operation::{Amount, Loose, Optional, Request, Required, TextKind, one_of, request};
use crate::wire::Dni;

/// Name that a shop gives the origin of a payment.
type SourceName = Text<0, 120>;

request! {
    /// Facts that the caller knows of the payment. An empty one counts as unknown.
    pub(super) struct PaymentAsked {
        /// La referencia que tiene el pagador, o sus últimos dígitos. / The reference that the payer has, or its last
        /// digits.
        bank_reference: Required<TypedReference>,
        /// Lo que se pagó. Cero no pregunta por ningún monto en particular. / What was paid. Zero asks for no amount in
        /// particular.
        amount: Optional<Amount>,
        /// Cómo se pagó, según lo ofrece la cuenta. / How it was paid, as the account offers it.
        movement_type: Loose<MovementType>,
        /// El día del pago en Caracas. / The day of the payment in Caracas.
        fecha_pago: Loose<CaracasDate>,
        /// El teléfono del pagador. / The payer's phone.
        phone_pagador: Loose<Phone>,
        /// El documento del pagador, como V12345678. / The payer's document, such as V12345678.
        dni_pagador: Dni,
        /// Los cuatro dígitos del banco del pagador. / The four digits of the payer's bank.
        bank_origin: Loose<BankCode>,
        /// La cuenta del pagador. / The payer's account.
        cuenta_pagador as "cuentaPagador": Loose<AccountNumber>,
        /// Cómo llama la tienda al origen del pago. / What the shop calls the origin of the payment.
        source_name: Optional<SourceName>,
    }
}

/// The name of a type of movement. One that is unknown has a refusal of its own.
pub(super) struct MovementType;

impl TextKind for MovementType {
    type Value = String;

    fn parse(text: &str) -> Result<String, Problem> {
        Ok(text.to_owned())
    }

    fn schema() -> Value {
        one_of(&MovementKind::ALL.map(MovementKind::as_str))
    }
}

/// Reads the request about `bank`.
///
/// # Errors
/// A refusal that names every field that is wrong.
pub(super) fn parse(body: &JsonBody, bank: BankId) -> Result<VerifyRequest, Refusal> {
    let asked = PaymentAsked::read(body)?;
    let query = Query {
        reference: asked.bank_reference,
        amount: asked.amount.filter(|amount| amount.is_positive()),
        phone: asked.phone_pagador,
        document: asked.dni_pagador,
        bank_origin: asked.bank_origin,
        account: asked.cuenta_pagador,
        paid_on: asked.fecha_pago,
        paid_within: None,
        kind: movement_kind(asked.movement_type.as_deref())?,
    };
    let source_name = asked.source_name.map(Text::into_string).filter(|name| !name.is_empty());
    Ok(VerifyRequest { bank, query, source_name, reported_in: ReportedIn::Answer })
}

fn movement_kind(name: Option<&str>) -> Result<MovementKind, Refusal> {
    match name {
        None => Ok(MovementKind::Generic),
        Some(name) => MovementKind::parse(name).ok_or(Refusal::MovementTypeInvalid),
    }
}

#[cfg(test)]
mod tests {
    use domain::money::Bolivars;
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
    fn every_wrong_field_is_reported() {
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
