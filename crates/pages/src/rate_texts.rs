//! What payers read of links in other currencies, in both languages.

use crate::said::{Said, said};

/// The texts about rates on the payer's page.
#[derive(Debug)]
pub(crate) struct RateTexts {
    pub(crate) none_serves: Said,
    pub(crate) unpayable: Said,
    pub(crate) outside: Said,
    pub(crate) other_amount: Said,
    pub(crate) made: &'static str,
    pub(crate) until: &'static str,
    pub(crate) offered: Said,
    pub(crate) hold: &'static str,
    pub(crate) ended: Said,
    pub(crate) again: &'static str,
    pub(crate) none: Said,
    pub(crate) ask_again: &'static str,
    pub(crate) how_much: &'static str,
    pub(crate) how_much_hint: &'static str,
    pub(crate) if_paid: &'static str,
    /// One of them, and several.
    pub(crate) minutes: [&'static str; 2],
    pub(crate) hours: [&'static str; 2],
    pub(crate) days: [&'static str; 2],
}

pub(crate) static ES: RateTexts = RateTexts {
    none_serves: said(
        "Todavía no hay una tasa de cambio",
        "No se puede saber cuántos bolívares son, y avisamos al comercio. No pague todavía. Si ya pagó, guarde su \
         comprobante: no pague de nuevo.",
    ),
    unpayable: said(
        "Este monto no se puede pagar en bolívares",
        "A la tasa de hoy es menos de un céntimo, o más de lo que un pago puede ser. Avisamos al comercio, que puede \
         cambiarlo.",
    ),
    outside: said(
        "Su pago no se hizo mientras valía ese monto",
        "Encontramos su pago por ese monto, pero no se hizo dentro del tiempo en que valía. Guarde su comprobante y \
         avise al comercio, que puede aceptarlo: no pague de nuevo.",
    ),
    other_amount: said(
        "El pago llegó con otro monto",
        "Encontramos su pago, pero no es por el monto que usted indicó. Si pagó otro de los montos que mostró este enlace, \
         elíjalo y confirme otra vez. Si no, guarde su comprobante y avise al comercio.",
    ),
    made: "Son {price} a la tasa de {rate} ({source}, fecha valor {date}).",
    until: "Este monto vale hasta el",
    offered: said(
        "Se paga en bolívares",
        "Al pulsar el botón verá cuántos bolívares son a la tasa de hoy. Ese monto vale para usted durante {minutes}.",
    ),
    hold: "Ver el monto en bolívares",
    ended: said(
        "El monto en bolívares venció",
        "Si todavía no ha pagado, pida el monto de ahora: vale durante {minutes}. Si ya pagó, no pague de nuevo y \
         confirme su pago.",
    ),
    again: "Ver el monto de ahora",
    none: said(
        "Este enlace no se puede pagar ahora",
        "El monto está en otra moneda y no hay una tasa de cambio para saber cuántos bolívares son. No pague todavía. \
         Si ya pagó, guarde su comprobante: no pague de nuevo.",
    ),
    ask_again: "Consultar la tasa otra vez",
    how_much: "Cuánto pagó",
    how_much_hint: "El monto y la hora en que lo vio.",
    if_paid: "Si ya pagó, confirme su pago",
    minutes: ["minuto", "minutos"],
    hours: ["hora", "horas"],
    days: ["día", "días"],
};

pub(crate) static EN: RateTexts = RateTexts {
    none_serves: said(
        "No exchange rate is available yet",
        "The amount in bolívares is not known, and we have notified the merchant. Do not pay yet. If you have \
         already paid, keep your receipt: do not pay again.",
    ),
    unpayable: said(
        "This amount cannot be paid in bolívares",
        "At today's exchange rate it is less than one céntimo, or more than a payment can be. We have notified the \
         merchant, who can change it.",
    ),
    outside: said(
        "Your payment was not made while that amount was valid",
        "We found your payment for that amount, but it was not made while the amount was valid. Keep your receipt \
         and contact the merchant, who can accept it. Do not pay again.",
    ),
    other_amount: said(
        "The payment is for a different amount",
        "We found your payment, but it does not match the amount you selected. If you paid another amount shown by \
         this link, select it and confirm again. Otherwise, keep your receipt and contact the merchant.",
    ),
    made: "This is {price} at an exchange rate of {rate} ({source}, value date {date}).",
    until: "This amount is valid until",
    offered: said(
        "Pay in bolívares",
        "Press the button to see the amount in bolívares at today's exchange rate. That amount is valid for you for \
         {minutes}.",
    ),
    hold: "View amount in bolívares",
    ended: said(
        "The amount in bolívares has expired",
        "If you have not paid yet, get the current amount: it is valid for {minutes}. If you have already paid, do \
         not pay again, and confirm your payment.",
    ),
    again: "View current amount",
    none: said(
        "This link cannot be paid right now",
        "The amount is in another currency, and no exchange rate is available to convert it to bolívares. Do not \
         pay yet. If you have already paid, keep your receipt: do not pay again.",
    ),
    ask_again: "Check the exchange rate again",
    how_much: "Amount paid",
    how_much_hint: "The amount, and the time you saw it.",
    if_paid: "If you have already paid, confirm your payment",
    minutes: ["minute", "minutes"],
    hours: ["hour", "hours"],
    days: ["day", "days"],
};
