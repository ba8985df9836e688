//! What to do now, for every end that a verification can have: in Spanish and in English, for a person who may do it
//! and for one who must ask somebody.

use crate::dashboard::reader::{Advice, Takes};

/// Steps, the first to be done first.
pub(super) type Steps = &'static [Advice];

pub(super) const REPEAT: Steps = &[Advice::of(
    "Si su cliente dice que pagó dos veces, pida la referencia del segundo pago: es otra.",
    "If your customer says they paid twice, ask for the reference of the second payment: it is a different one.",
)];

pub(super) const ASKING: Steps = &[Advice::of(
    "No pida a su cliente que pague otra vez.",
    "Do not ask your customer to pay again.",
)];

pub(super) const NOT_FOUND: Steps = &[
    Advice::of(
        "Compare los dígitos con el comprobante: seis o más del final, sin letras.",
        "Compare the digits with the receipt: the last six or more, without letters.",
    ),
    Advice::of(
        "Mire que sea la cuenta a la que le pagaron y el día del pago.",
        "Check that this is the account that was paid and the day of the payment.",
    ),
    Advice::taking(
        Takes::Verifying,
        (
            "Espere unos minutos y verifique otra vez: algunos pagos tardan en aparecer. No se cobra lo que no se encuentra.",
            "Wait a few minutes and verify again: some payments take time to appear. You are not charged for payments that are not found.",
        ),
        (
            "Espere unos minutos y pida {who} que verifique otra vez: algunos pagos tardan en aparecer. No se cobra lo que no se encuentra.",
            "Wait a few minutes and ask {who} to verify again: some payments take time to appear. You are not charged for payments that are not found.",
        ),
    ),
];

pub(super) const SAME_BANK: Steps = &[
    Advice::taking(
        Takes::AcceptingPayments,
        (
            "Búsquelo entre los movimientos de la cuenta. Si era para un enlace de pago, acéptelo en la página del enlace.",
            "Look for it in the account's movements. If it was for a payment link, accept it on the link's page.",
        ),
        (
            "Búsquelo entre los movimientos de la cuenta. Si era para un enlace de pago, pida {who} que lo acepte.",
            "Look for it in the account's movements. If it was for a payment link, ask {who} to accept it.",
        ),
    ),
    Advice::taking(
        Takes::AccountSettings,
        (
            "Para que se confirmen solos, active en los ajustes de la cuenta la confirmación por pagador.",
            "To confirm these payments automatically, turn on confirmation by payer in the account's settings.",
        ),
        (
            "Para que se confirmen solos, pida {who} que active la confirmación por pagador en los ajustes de la cuenta.",
            "To confirm these payments automatically, ask {who} to turn on confirmation by payer in the account's settings.",
        ),
    ),
];

pub(super) const SAME_BANK_CLAIMED: Steps = &[
    Advice::of(
        "No entregue todavía: puede ser el comprobante de un pago que ya se usó. Busque ese pago en la lista de pagos y compare la referencia con el comprobante.",
        "Do not hand anything over yet: this may be the receipt of a payment that has already been used. Find that payment in the payments list and compare its reference with the receipt.",
    ),
    Advice::taking(
        Takes::Verifying,
        (
            "Si su cliente pagó dos veces el mismo monto, el otro pago puede tardar en aparecer: verifique de nuevo en unos minutos.",
            "If your customer paid the same amount twice, the other payment may take time to appear: verify again in a few minutes.",
        ),
        (
            "Si su cliente pagó dos veces el mismo monto, el otro pago puede tardar en aparecer: pida {who} que verifique de nuevo en unos minutos.",
            "If your customer paid the same amount twice, the other payment may take time to appear: ask {who} to verify again in a few minutes.",
        ),
    ),
];

pub(super) const SAME_BANK_OF_LINK: Steps = &[
    Advice::taking(
        Takes::AcceptingPayments,
        (
            "Compare el comprobante de su cliente con el movimiento: monto, hora y quién pagó. Si es su pago, acéptelo.",
            "Compare your customer's receipt with the movement: amount, time and payer. If it is their payment, accept it.",
        ),
        (
            "Compare el comprobante de su cliente con el movimiento: monto, hora y quién pagó. Si es su pago, pida {who} que lo acepte.",
            "Compare your customer's receipt with the movement: amount, time and payer. If it is their payment, ask {who} to accept it.",
        ),
    ),
    Advice::of(
        "No lo verifique a mano: quedaría usado y no podría pagar el enlace.",
        "Do not verify it manually: it would be marked as used and could not pay the link.",
    ),
];

pub(super) const OTHER_AMOUNT: Steps = &[
    Advice::of(
        "Si pagó de menos, acuerde con su cliente cómo completar.",
        "If your customer paid too little, agree with them how to pay the rest.",
    ),
    Advice::taking(
        Takes::Verifying,
        (
            "Si el monto del banco es el correcto, verifique otra vez con ese monto.",
            "If the bank's amount is correct, verify again with that amount.",
        ),
        (
            "Si el monto del banco es el correcto, pida {who} que verifique otra vez con ese monto.",
            "If the bank's amount is correct, ask {who} to verify again with that amount.",
        ),
    ),
];

pub(super) const OUTGOING: Steps = &[Advice::of(
    "Pida a su cliente la referencia de su propio pago.",
    "Ask your customer for the reference of their own payment.",
)];

pub(super) const TOO_SHORT: Steps = &[Advice::of(
    "Pida a su cliente seis dígitos de la referencia o más. Con cuatro o cinco hacen falta el monto y el teléfono o el documento de quien pagó.",
    "Ask your customer for six or more digits of the reference. With four or five, you also need the amount and the payer's phone or document.",
)];

pub(super) const AMBIGUOUS: Steps = &[Advice::of(
    "Pida a su cliente más dígitos de la referencia, o el comprobante completo.",
    "Ask your customer for more digits of the reference, or for the full receipt.",
)];

pub(super) const CONTESTED: Steps = &[Advice::taking(
    Takes::AcceptingPayments,
    (
        "Compare el comprobante con los movimientos de abajo: monto, hora y quién pagó. Si era para un enlace, acepte el correcto en la página del enlace.",
        "Compare the receipt with the movements below: amount, time and payer. If it was for a link, accept the right one on the link's page.",
    ),
    (
        "Compare el comprobante con los movimientos de abajo: monto, hora y quién pagó. Si era para un enlace, pida {who} que acepte el correcto.",
        "Compare the receipt with the movements below: amount, time and payer. If it was for a link, ask {who} to accept the right one.",
    ),
)];

pub(super) const ALREADY: Steps = &[Advice::of(
    "Busque la referencia en Pagos para ver cuándo y para qué se usó.",
    "Search for the reference in Payments to see when it was used and what for.",
)];

pub(super) const IN_REVIEW: Steps = &[
    Advice::of(
        "No entregue todavía. Busque el pago en sus registros: los avisos que recibió su sistema, sus comprobantes, sus ventas.",
        "Do not hand anything over yet. Look for the payment in your records: the webhooks your system received, your receipts, your sales.",
    ),
    Advice::taking(
        Takes::AcceptingPayments,
        (
            "Si nadie lo usó, acéptelo entre los movimientos de la cuenta, o en la página del enlace. No se cobra.",
            "If nobody used it, accept it in the account's movements, or on the link's page. You are not charged.",
        ),
        (
            "Si nadie lo usó, pida {who} que lo acepte. No se cobra.",
            "If nobody used it, ask {who} to accept it. You are not charged.",
        ),
    ),
];

pub(super) const LINK_CLOSED: Steps = &[Advice::taking(
    Takes::AcceptingPayments,
    (
        "Abra el enlace y acepte el pago, o devuelva el dinero a su cliente.",
        "Open the link and accept the payment, or refund your customer.",
    ),
    (
        "Pida {who} que acepte el pago para el enlace, o que devuelva el dinero a su cliente.",
        "Ask {who} to accept the payment for the link, or to refund your customer.",
    ),
)];

pub(super) const REJECTED: Steps = &[Advice::taking(
    Takes::BankSecrets,
    (
        "Cambie la clave en la página de la cuenta, y verifique otra vez.",
        "Change the bank key on the account's page and verify again.",
    ),
    (
        "Pida {who} que cambie la clave de la cuenta. Después hay que verificar otra vez.",
        "Ask {who} to change the account's bank key. The payment must then be verified again.",
    ),
)];

pub(super) const UNHEARD: Steps = &[
    Advice::taking(
        Takes::Verifying,
        (
            "Verifique otra vez en unos minutos. No se cobró.",
            "Verify again in a few minutes. You were not charged.",
        ),
        (
            "Pida {who} que verifique otra vez en unos minutos. No se cobró.",
            "Ask {who} to verify again in a few minutes. You were not charged.",
        ),
    ),
    Advice::of(
        "No pida a su cliente que pague otra vez.",
        "Do not ask your customer to pay again.",
    ),
];

/// Steps where a check of a link found no payment. A payment verified by hand pays no link: its payer asks again.
pub(super) const NOT_FOUND_OF_LINK: Steps = &[
    Advice::of(
        "Compare los dígitos con el comprobante de su cliente: seis o más del final, sin letras.",
        "Compare the digits with your customer's receipt: the last six or more, without letters.",
    ),
    Advice::of(
        "Pida a su cliente que espere unos minutos y escriba otra vez la referencia en la página del enlace.",
        "Ask your customer to wait a few minutes and enter the reference again on the link's page.",
    ),
    Advice::taking(
        Takes::AcceptingPayments,
        (
            "No la verifique a mano: el pago quedaría usado y no podría pagar el enlace. Si ya llegó, acéptelo en la página del enlace.",
            "Do not verify it manually: the payment would be marked as used and could not pay the link. If it has already arrived, accept it on the link's page.",
        ),
        (
            "No la verifique a mano: el pago quedaría usado y no podría pagar el enlace. Si ya llegó, pida {who} que lo acepte.",
            "Do not verify it manually: the payment would be marked as used and could not pay the link. If it has already arrived, ask {who} to accept it.",
        ),
    ),
];

pub(super) const OTHER_AMOUNT_OF_LINK: Steps = &[
    Advice::taking(
        Takes::ChangingLinks,
        (
            "Si el monto del banco es el acordado, cambie el monto del enlace y acepte el pago en su página. Si el enlace ya terminó, haga otro por ese monto y acéptelo allí.",
            "If the bank's amount is the one agreed, change the link's amount and accept the payment on its page. If the link has already ended, create another for that amount and accept the payment there.",
        ),
        (
            "Si el monto del banco es el acordado, pida {who} que cambie el monto del enlace y acepte el pago. Si el enlace ya terminó, que haga otro por ese monto y lo acepte allí.",
            "If the bank's amount is the one agreed, ask {who} to change the link's amount and accept the payment. If the link has already ended, ask them to create another for that amount and accept the payment there.",
        ),
    ),
    Advice::of(
        "Si pagó de menos, acuerde con su cliente cómo completar.",
        "If your customer paid too little, agree with them how to pay the rest.",
    ),
];

pub(super) const OUTSIDE_RATE: Steps = &[Advice::taking(
    Takes::AcceptingPayments,
    (
        "Si ese monto está bien para usted, acepte el pago en la página del enlace. Si no, acuerde con su cliente la diferencia.",
        "If that amount is fine with you, accept the payment on the link's page. If not, agree on the difference with your customer.",
    ),
    (
        "Si ese monto está bien, pida {who} que acepte el pago. Si no, hay que acordar con su cliente la diferencia.",
        "If that amount is fine, ask {who} to accept the payment. If not, agree on the difference with your customer.",
    ),
)];

pub(super) const UNHEARD_OF_LINK: Steps = &[
    Advice::of(
        "Pida a su cliente que escriba otra vez la referencia en unos minutos. No se cobró.",
        "Ask your customer to enter the reference again in a few minutes. You were not charged.",
    ),
    Advice::of("Que no pague otra vez.", "They should not pay again."),
];
