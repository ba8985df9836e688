use app::verification::{Around, Asked, Whole};
use domain::ids::{
    ActorId, BankId, ClientId, KeyId, MovementId, OwnerId, PaymentId, VerificationId,
};
use domain::money::Bolivars;
use domain::secret::PersonalText;
use domain::time::Timestamp;
use serde_json::json;

use super::*;

fn confirmed() -> Confirmed {
    let at = Timestamp::from_micros(1_763_640_000_000_000);
    let payment = store::payments::Payment {
        id: PaymentId::from_bytes([3; 16]),
        movement: MovementId::from_bytes([4; 16]),
        verification: VerificationId::from_bytes([2; 16]),
        bank: BankId::from_bytes([5; 16]),
        actor: ActorId::from(KEY),
        client: Some(CLIENT),
        charged_client: Some(CLIENT),
        link: None,
        credit_cost: Credits::new(1),
        params: PersonalText::new(String::new()),
        created_at: at,
        updated_at: at,
        reference: "1234567890".to_owned(),
        amount: Bolivars::from_hundredths(15_075),
        paid_at: at,
        fingerprint: [0; 32],
        is_by_payer: false,
        price: None,
        receipt: None,
    };
    let asked = Asked {
        reference: "567890".to_owned(),
        amount: Some(15_075),
        movement_type: "GENERIC".to_owned(),
        paid_on: None,
        paid_within: None,
        phone: Some("584141234567".to_owned()),
        document: None,
        bank_origin: None,
        account: None,
        source_name: Some("caja 1".to_owned()),
    };
    let around = Around { livemode: true, base_url: "https://cotejo.example" };
    Confirmed {
        verification: payment.verification,
        is_new: true,
        is_made: false,
        credit_cost: Credits::new(1),
        balance: Some(Credits::new(99)),
        whole: Whole::of(OwnerId::from_bytes([1; 16]), payment, asked, around),
        language: Language::En,
    }
}

const KEY: KeyId = KeyId::from_bytes([6; 16]);
const CLIENT: ClientId = ClientId::from_bytes([7; 16]);

/// The shape that shops read, whole: what is added or lost here is a change of the contract.
#[test]
fn the_answer_has_the_agreed_shape() {
    let answer: serde_json::Value = serde_json::from_slice(&render(&confirmed())).unwrap();
    let at = "2025-11-20T12:00:00.000Z";
    let agreed = json!({
        "message": "payment confirmed",
        "data": {
            "is_new": true,
            "credit_cost": 1,
            "user_credits_total": 99,
            "matched_by": "reference",
            "livemode": true,
            "user_bank_payment": {
                "id": PaymentId::from_bytes([3; 16]).to_string(),
                "created_at": at,
                "updated_at": at,
                "movement_date": at,
                "bank_reference_id": "1234567890",
                "user_id": OwnerId::from_bytes([1; 16]).to_string(),
                "user_bank_id": BankId::from_bytes([5; 16]).to_string(),
                "amount": 150.75,
                "currency": "VEF",
                "status": "paid",
                "credit_cost": 1,
                "movement_type": "GENERIC",
                "confirmed_status": true,
                "evidence": "bank",
                "matched_by": "reference",
                "source_name": "caja 1",
                "details": [],
                "payment_params": {
                    "amount": 150.75,
                    "cedula_pagador": null,
                    "telefono_pagador": "584141234567",
                    "fecha_pago": "",
                    "banco_origen": "",
                    "cuenta_pagador": "",
                    "invoice_number": "",
                    "movement_type": "GENERIC",
                },
                "verification_id": VerificationId::from_bytes([2; 16]).to_string(),
                "payment_link_id": null,
                "client_owner_id": CLIENT.to_string(),
                "api_key_id": KEY.to_string(),
                "livemode": true,
            },
        },
    });
    assert_eq!(answer, agreed);
}

#[test]
fn test_money_is_called_so_behind_the_phrase_that_callers_match() {
    for (language, message) in [
        (Language::Es, "payment confirmed: prueba, no es dinero"),
        (Language::En, "payment confirmed: test, not real money"),
    ] {
        let whole = Whole { livemode: false, ..confirmed().whole };
        let confirmed = Confirmed { whole, language, ..confirmed() };
        let answer: serde_json::Value = serde_json::from_slice(&render(&confirmed)).unwrap();
        assert_eq!(answer["message"], message);
        assert_eq!(answer["data"]["livemode"], false);
    }
}

#[test]
fn a_clients_caller_is_not_shown_the_owners_credits() {
    let confirmed = Confirmed { balance: None, ..confirmed() };
    let answer: serde_json::Value = serde_json::from_slice(&render(&confirmed)).unwrap();
    assert!(answer["data"].get("user_credits_total").is_none());
}
