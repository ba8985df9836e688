//! The forms of texts by which banks tell that money came, each read whole: a text that says more or other than its form
//! is of a form that is not known.

use domain::money::Bolivars;
use domain::payer::Phone;
use domain::reference::BankReference;
use domain::time::{CaracasDate, Timestamp};

use super::cursor::{Cursor, Style, instant};

/// Facts of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reported {
    pub(super) reference: BankReference,
    pub(super) amount: Bolivars,
    /// Nothing where the text has no day: then the phone's own time of it counts.
    pub(super) when: Option<(CaracasDate, Timestamp)>,
    /// The payer's phone, where it is not hidden.
    pub(super) phone: Option<Phone>,
}

impl Reported {
    fn undated(reference: BankReference, amount: Bolivars) -> Self {
        Self { reference, amount, when: None, phone: None }
    }
}

/// Reads a plain text of one form.
pub(super) type Form = fn(Cursor<'_>) -> Option<Reported>;

/// Words of texts that tell of no money that came: secrets, and what the account's holder did.
const NO_INCOME: [&str; 10] = [
    "clave",
    "codigo",
    "desde cuenta",
    "realizaste",
    "realizado",
    "consumo",
    "compra",
    "enviaste",
    "tarjeta",
    "operaciones realizadas",
];

/// Words without which no text tells of money that came.
const INCOME: [&str; 2] = ["recib", "tpago"];

/// Tells whether a plain text of no known form may be about money that came, so that its owner should know.
pub(super) fn may_be_income(plain: &str) -> bool {
    INCOME.iter().any(|word| plain.contains(word))
        && !NO_INCOME.iter().any(|word| plain.contains(word))
        && plain.bytes().any(|byte| byte.is_ascii_digit())
}

/// The text's end, with or without a full stop.
fn end(mut text: Cursor<'_>) -> Option<()> {
    text.perhaps(".");
    text.rest().is_empty().then_some(())
}

/// The payer's phone; one that is no mobile number tells nothing.
fn phone(shown: Option<&str>) -> Option<Phone> {
    shown.and_then(|shown| Phone::parse(shown).ok())
}

/// Banco de Venezuela: a pago móvil, with the payer's phone.
pub(super) fn bdv_by_phone(mut text: Cursor<'_>) -> Option<Reported> {
    text.words("recibiste un pagomovilbdv por")?;
    let amount = text.bolivars(Style::Grouped)?;
    text.words("del")?;
    let payer = text.phone()?;
    text.words("ref")?;
    text.perhaps(":");
    let reference = text.reference(12, 12)?;
    text.words("en fecha")?;
    text.perhaps(":");
    let day = text.day("-", 2)?;
    text.words("hora")?;
    text.perhaps(":");
    let seconds = text.time(false)?;
    end(text)?;
    Some(Reported {
        reference,
        amount,
        when: Some((day, instant(day, seconds))),
        phone: phone(payer),
    })
}

/// Banco de Venezuela: a pago móvil, with the payer's name.
pub(super) fn bdv_by_name(mut text: Cursor<'_>) -> Option<Reported> {
    text.words("recibiste un pagomovilbdv de ")?;
    named(text, 12)
}

/// Banco de Venezuela: a transfer between two of its customers.
pub(super) fn bdv_transfer(mut text: Cursor<'_>) -> Option<Reported> {
    text.words("recibiste una transferencia bdv de ")?;
    named(text, 12)
}

/// Banco de Venezuela: a transfer from another bank. The balance may stand behind it.
pub(super) fn bdv_from_others(mut text: Cursor<'_>) -> Option<Reported> {
    text.words("recibiste una transferencia de otros bancos de ")?;
    named(text, 8)
}

fn named(mut text: Cursor<'_>, digits: usize) -> Option<Reported> {
    text.name(" por bs")?;
    text.perhaps(".");
    let amount = text.amount(Style::Grouped)?;
    text.words("bajo el numero de operacion")?;
    let reference = text.reference(digits, digits)?;
    text.perhaps(".");
    if text.perhaps("saldo disponible") {
        text.bolivars(Style::Grouped)?;
    }
    end(text)?;
    Some(Reported::undated(reference, amount))
}

/// BNC: a pago móvil. It ends as an outgoing one does.
pub(super) fn bnc(mut text: Cursor<'_>) -> Option<Reported> {
    text.words("bnc pago movil recibido")?;
    let amount = text.bolivars(Style::Comma)?;
    text.words("telf")?;
    text.perhaps(".");
    let payer = text.phone()?;
    text.words("dia")?;
    text.perhaps(":");
    let day = text.day("/", 2)?;
    text.words("-")?;
    let seconds = text.time(false)?;
    text.words("ref")?;
    text.perhaps(":");
    let reference = text.reference(9, 9)?;
    text.words("llamar al")?;
    text.phone()?;
    text.words("si no realizo esta operacion")?;
    end(text)?;
    Some(Reported {
        reference,
        amount,
        when: Some((day, instant(day, seconds))),
        phone: phone(payer),
    })
}

/// Banesco: a pago móvil, with or without the payer's surname.
pub(super) fn banesco(mut text: Cursor<'_>) -> Option<Reported> {
    text.words("banesco registro: pago recibido a traves de pago movil")?;
    if text.perhaps("de ") {
        text.name(" por bs")?;
    } else {
        text.words("por bs")?;
    }
    text.perhaps(".");
    let amount = text.amount(Style::Point)?;
    text.words("el")?;
    let day = text.day("/", 4)?;
    text.words(";")?;
    let seconds = text.time(false)?;
    text.words("ref")?;
    let reference = text.reference(12, 12)?;
    text.words(". para mas inf. llama")?;
    Some(Reported { reference, amount, when: Some((day, instant(day, seconds))), phone: None })
}

/// Mercantil: a Tpago. Behind it stands an advertisement.
pub(super) fn mercantil(mut text: Cursor<'_>) -> Option<Reported> {
    text.words("tpago recibido")?;
    let amount = text.bolivars(Style::Comma)?;
    text.words("del")?;
    let payer = text.phone()?;
    text.words("ref")?;
    let reference = text.reference(12, 12)?;
    text.words(",")?;
    let day = text.day("/", 4)?;
    text.words(",")?;
    let seconds = text.time(true)?;
    Some(Reported {
        reference,
        amount,
        when: Some((day, instant(day, seconds))),
        phone: phone(payer),
    })
}

/// BBVA Provincial: a Dinero Rápido from another bank. It shows two digits of the phone and no day.
pub(super) fn provincial(mut text: Cursor<'_>) -> Option<Reported> {
    text.words(
        "bbva provincial informa: has recibido un pago movil dinero rapido otros bancos ref",
    )?;
    text.perhaps(":");
    let reference = text.reference(12, 12)?;
    text.words("del tlf")?;
    text.perhaps(".");
    text.phone()?;
    text.words("por")?;
    let amount = text.bolivars(Style::Comma)?;
    end(text)?;
    Some(Reported::undated(reference, amount))
}

/// Bancaribe, by mail: a pago móvil.
pub(super) fn bancaribe(mut text: Cursor<'_>) -> Option<Reported> {
    text.up_to("bancaribe se complace en informarle que el")?;
    let day = text.day("-", 4)?;
    text.words("a las")?;
    let seconds = text.time(false)?;
    text.words(":")?;
    let more: u64 = text.digits(2)?.parse().ok()?;
    text.words(", recibio un pago movil")?;
    text.up_to("monto:")?;
    let amount = text.amount(Style::Comma)?;
    text.words("bolivares")?;
    text.words("telefono pagador:")?;
    let payer = text.phone()?;
    text.words("telefono receptor:")?;
    text.phone()?;
    text.words("referencia:")?;
    let reference = text.reference(12, 12)?;
    let seconds = (more < 60).then_some(seconds.saturating_add(more))?;
    Some(Reported {
        reference,
        amount,
        when: Some((day, instant(day, seconds))),
        phone: phone(payer),
    })
}

/// Bancamiga, by mail: a pago móvil. Its subject serves other notices, too, so that it must say that it was received.
pub(super) fn bancamiga(mut text: Cursor<'_>) -> Option<Reported> {
    if !may_be_income(text.rest()) {
        return None;
    }
    text.up_to("estimado sr(a).")?;
    text.up_to("pago movil")?;
    text.up_to(" por ")?;
    if text.perhaps("bs") {
        text.perhaps(".");
    }
    let amount = text.amount(Style::Grouped)?;
    text.up_to("ref.")?;
    let reference = text.reference(6, 12)?;
    Some(Reported::undated(reference, amount))
}
