//! What to do now, for every end that a verification can have: in Spanish and in English.

/// Steps, each in both languages.
pub(super) type Steps = &'static [(&'static str, &'static str)];

pub(super) const REPEAT: Steps = &[(
    "Si su cliente dice que pagó dos veces, pida la referencia del segundo pago: es otra.",
    "If your customer says it paid twice, ask for the reference of the second payment: it is another one.",
)];

pub(super) const NOT_FOUND: Steps = &[
    (
        "Compare los dígitos con el comprobante: seis o más del final, sin letras.",
        "Compare the digits with the receipt: six or more of its end, without letters.",
    ),
    (
        "Mire que sea la cuenta a la que le pagaron y el día del pago.",
        "See that it is the account that was paid to, and the day of the payment.",
    ),
    (
        "Espere unos minutos y verifique otra vez: algunos pagos tardan en aparecer. No se cobra lo que no se encuentra.",
        "Wait some minutes and verify again: some payments take their time to appear. What is not found is not charged.",
    ),
];

pub(super) const SAME_BANK: Steps = &[
    (
        "Búsquelo entre los movimientos de la cuenta. Si era para un enlace de pago, acéptelo en la página del enlace.",
        "Look for it among the account's movements. If it was for a payment link, accept it on the link's page.",
    ),
    (
        "Para que se confirmen solos, active en los ajustes de la cuenta la confirmación por pagador.",
        "To have them confirmed by themselves, switch on confirmation by payer in the account's settings.",
    ),
];

pub(super) const SAME_BANK_OF_LINK: Steps = &[
    (
        "Compare el comprobante de su cliente con el movimiento: monto, hora y quién pagó. Si es su pago, acéptelo.",
        "Compare your customer's receipt with the movement: amount, hour and who paid. If it is the payment, accept it.",
    ),
    (
        "No lo verifique a mano: quedaría usado y no podría pagar el enlace.",
        "Do not verify it by hand: it would be used and could not pay the link.",
    ),
];

pub(super) const OTHER_AMOUNT: Steps = &[
    (
        "Si pagó de menos, acuerde con su cliente cómo completar.",
        "If too little was paid, agree with your customer how to make up for it.",
    ),
    (
        "Si el monto del banco es el correcto, verifique otra vez con ese monto.",
        "If the bank's amount is right, verify again with that amount.",
    ),
];

pub(super) const OUTGOING: Steps = &[(
    "Pida a su cliente la referencia de su propio pago.",
    "Ask your customer for the reference of its own payment.",
)];

pub(super) const AMBIGUOUS: Steps = &[(
    "Pida a su cliente más dígitos de la referencia, o el comprobante completo.",
    "Ask your customer for more digits of the reference, or for the whole receipt.",
)];

pub(super) const CONTESTED: Steps = &[(
    "Compare el comprobante con los movimientos de abajo: monto, hora y quién pagó. Si era para un enlace, acepte el correcto en la página del enlace.",
    "Compare the receipt with the movements below: amount, hour and who paid. If it was for a link, accept the right one on the link's page.",
)];

pub(super) const ALREADY: Steps = &[(
    "Busque la referencia en Pagos para ver cuándo y para qué se usó.",
    "Search for the reference in Payments to see when and for what it was used.",
)];

pub(super) const LINK_CLOSED: Steps = &[(
    "Abra el enlace y acepte el pago, o devuelva el dinero a su cliente.",
    "Open the link and accept the payment, or give the money back to your customer.",
)];

pub(super) const REJECTED: Steps = &[(
    "Cambie la clave en la página de la cuenta, y verifique otra vez.",
    "Change the password on the account's page, and verify again.",
)];

pub(super) const UNHEARD: Steps = &[
    (
        "Verifique otra vez en unos minutos. No se cobró.",
        "Verify again in some minutes. It was not charged.",
    ),
    ("No pida a su cliente que pague otra vez.", "Do not ask your customer to pay again."),
];

/// What is verified by hand pays no link: its payer asks again.
pub(super) const NOT_FOUND_OF_LINK: Steps = &[
    (
        "Compare los dígitos con el comprobante de su cliente: seis o más del final, sin letras.",
        "Compare the digits with your customer's receipt: six or more of its end, without letters.",
    ),
    (
        "Pida a su cliente que espere unos minutos y escriba otra vez la referencia en la página del enlace.",
        "Ask your customer to wait some minutes and to type the reference again on the link's page.",
    ),
    (
        "No la verifique a mano: el pago quedaría usado y no podría pagar el enlace. Si ya llegó, acéptelo en la página del enlace.",
        "Do not verify it by hand: the payment would be used and could not pay the link. If it has come, accept it on the link's page.",
    ),
];

pub(super) const OTHER_AMOUNT_OF_LINK: Steps = &[
    (
        "Si el monto del banco es el acordado, cambie el monto del enlace y acepte el pago en su página. Si el enlace ya terminó, haga otro por ese monto y acéptelo allí.",
        "If the bank's amount is what was agreed, change the link's amount and accept the payment on its page. If the link has ended, make another of that amount and accept it there.",
    ),
    (
        "Si pagó de menos, acuerde con su cliente cómo completar.",
        "If too little was paid, agree with your customer how to make up for it.",
    ),
];

pub(super) const OUTSIDE_RATE: Steps = &[(
    "Si ese monto está bien para usted, acepte el pago en la página del enlace. Si no, acuerde con su cliente la diferencia.",
    "If that amount is right for you, accept the payment on the link's page. If not, agree with your customer on the difference.",
)];

pub(super) const UNHEARD_OF_LINK: Steps = &[
    (
        "Pida a su cliente que escriba otra vez la referencia en unos minutos. No se cobró.",
        "Ask your customer to type the reference again in some minutes. It was not charged.",
    ),
    ("Que no pague otra vez.", "It should not pay again."),
];
