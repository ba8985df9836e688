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
        "There is no exchange rate yet",
        "Nobody can know how many bolívares that is, and we have told the merchant. Do not pay yet. If you have paid, \
         keep your receipt: do not pay again.",
    ),
    unpayable: said(
        "This amount cannot be paid in bolívares",
        "At the rate of today it is less than a hundredth, or more than a payment can be. We have told the merchant, who \
         can change it.",
    ),
    outside: said(
        "Your payment was not made while that amount was good",
        "We found your payment of that amount, but it was not made within the time that it was good for. Keep your \
         receipt and tell the merchant, who can accept it: do not pay again.",
    ),
    other_amount: said(
        "The payment came with another amount",
        "We found your payment, but it is not of the amount that you told. If you paid another of the amounts that this link \
         has shown, choose that one and confirm again. Otherwise keep your receipt and tell the merchant.",
    ),
    made: "That is {price} at the rate of {rate} ({source}, value date {date}).",
    until: "This amount is good until",
    offered: said(
        "Paid in bolívares",
        "Press the button to see how many bolívares that is at the rate of today. The amount is good for you for \
         {minutes}.",
    ),
    hold: "See the amount in bolívares",
    ended: said(
        "The amount in bolívares is over",
        "If you have not paid yet, ask for the amount of now: it is good for {minutes}. If you have paid, do not pay \
         again, and confirm your payment.",
    ),
    again: "See the amount of now",
    none: said(
        "This link cannot be paid now",
        "The amount is in another currency, and there is no exchange rate to tell how many bolívares that is. Do not \
         pay yet. If you have paid, keep your receipt: do not pay again.",
    ),
    ask_again: "Ask for the rate again",
    how_much: "How much you paid",
    how_much_hint: "The amount, and when you saw it.",
    if_paid: "If you have paid, confirm your payment",
    minutes: ["minute", "minutes"],
    hours: ["hour", "hours"],
    days: ["day", "days"],
};
