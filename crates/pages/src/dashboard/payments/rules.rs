//! Which rule refused a reference before a bank was asked, and what to do about it.

use app::verification::refused::Refused;
use domain::access::Operation;
use domain::refusal::Code;
use web::Signed;

use super::explained::Explanation;
use crate::dashboard::reader::{Advice, Both, Reader, Takes};

/// Which rule refused, and what to do.
pub(super) fn explain<O: Operation>(found: &Refused, signed: &Signed<O>) -> Explanation {
    let (reader, language) = (Reader::of(signed), signed.language());
    let (why, step) = (why(found.code), step(found.code));
    let is_client = signed.caller().client().is_some();
    let step = if is_client { ASK_MERCHANT } else { step };
    let then = if found.link.is_some() { PAY_AGAIN } else { VERIFY_AGAIN };
    Explanation {
        why: language.pick(why.0, why.1).to_owned(),
        now: [step, then, CALM].iter().map(|step| reader.advise(step, language)).collect(),
        is_to_be_accepted: false,
        headline: None,
        class: None,
    }
}

const fn why(code: Code) -> Both {
    match code {
        Code::NotEnoughCredits => (
            "No quedaban créditos, así que no se le preguntó al banco.",
            "There were no credits left, so the bank was not asked.",
        ),
        Code::ApiKeyMonthlyCreditLimitExceeded => (
            "La llave llegó a su límite de créditos del mes, así que no se le preguntó al banco.",
            "The API key had reached its monthly credit limit, so the bank was not asked.",
        ),
        Code::ClientMonthlyCreditLimitExceeded => (
            "El cliente llegó a su límite de créditos del mes, así que no se le preguntó al banco.",
            "The client had reached its monthly credit limit, so the bank was not asked.",
        ),
        Code::PlanIsNotActive => (
            "El plan no estaba activo, así que no se le preguntó al banco.",
            "The plan was not active, so the bank was not asked.",
        ),
        _ => (
            "Se llegó al límite de verificaciones del plan en el mes, así que no se le preguntó al banco.",
            "The plan's monthly verification limit was reached, so the bank was not asked.",
        ),
    }
}

/// The first thing to do about it.
const fn step(code: Code) -> Advice {
    match code {
        Code::NotEnoughCredits => BUY,
        Code::ApiKeyMonthlyCreditLimitExceeded => RAISE,
        Code::ClientMonthlyCreditLimitExceeded => Advice::of(
            "El titular puede subir el límite del cliente. Si no, espere al mes que viene.",
            "The owner can raise the client's limit. Otherwise, wait until next month.",
        ),
        Code::PlanIsNotActive => Advice::taking(
            Takes::BeingOwner,
            ("Hable con quien le da el servicio.", "Contact your service provider."),
            ASK_OWNER,
        ),
        _ => CHANGE_PLAN,
    }
}

const BUY: Advice = Advice::taking(
    Takes::BeingOwner,
    (
        "Recargue créditos con quien le da el servicio.",
        "Buy more credits from your service provider.",
    ),
    ("Avise al titular: es quien recarga créditos.", "Tell the owner, who buys credits."),
);

const RAISE: Advice = Advice::taking(
    Takes::KeyLimits,
    (
        "Suba o quite el límite en la página de la llave, o espere al mes que viene.",
        "Raise or remove the limit on the API key's page, or wait until next month.",
    ),
    (
        "Pida {who} que suba o quite el límite de la llave, o espere al mes que viene.",
        "Ask {who} to raise or remove the API key's limit, or wait until next month.",
    ),
);

const CHANGE_PLAN: Advice = Advice::taking(
    Takes::BeingOwner,
    (
        "Hable con quien le da el servicio para cambiar de plan, o espere al mes que viene.",
        "Contact your service provider to change plan, or wait until next month.",
    ),
    ASK_OWNER,
);

const ASK_OWNER: Both = (
    "Avise al titular: el plan lo acuerda él con quien da el servicio.",
    "Tell the owner, who arranges the plan with the service provider.",
);

/// The owner agrees on credits and plan with the operator of the service; a client's person asks the merchant for
/// them.
const ASK_MERCHANT: Advice = Advice::of(
    "Avise al comercio que le da acceso: es quien puede cambiarlo.",
    "Tell the merchant that gives you access: they can change it.",
);

const PAY_AGAIN: Advice = Advice::of(
    "Después, pida a su cliente que escriba otra vez la referencia en la página del enlace.",
    "Then ask your customer to enter the reference again on the link's page.",
);

const VERIFY_AGAIN: Advice = Advice::taking(
    Takes::Verifying,
    ("Después, verifique otra vez la misma referencia.", "Then verify the same reference again."),
    (
        "Después, pida {who} que verifique otra vez la misma referencia.",
        "Then ask {who} to verify the same reference again.",
    ),
);

const CALM: Advice = Advice::of(
    "Esto no dice nada del pago: que su cliente no pague otra vez.",
    "This says nothing about the payment: your customer should not pay again.",
);
