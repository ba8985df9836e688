//! The senders whose texts are read: short numbers, packages of apps and addresses of mail, as banks use them.
//!
//! Nothing proves them: they are words in what the phone sends. They keep out what a person's phone receives besides.

use super::forms::{self, Form};

/// A sender, and the forms of its texts about money that came.
struct Originator {
    sender: &'static str,
    forms: &'static [Form],
}

const fn of(sender: &'static str, forms: &'static [Form]) -> Originator {
    Originator { sender, forms }
}

const BDV_APP: &[Form] =
    &[forms::bdv_by_phone, forms::bdv_by_name, forms::bdv_transfer, forms::bdv_from_others];

const BDV_SMS: &[Form] = &[forms::bdv_by_phone];
const BNC: &[Form] = &[forms::bnc];
const BANESCO: &[Form] = &[forms::banesco];
const MERCANTIL: &[Form] = &[forms::mercantil];
const PROVINCIAL: &[Form] = &[forms::provincial];
const BANCARIBE: &[Form] = &[forms::bancaribe];
const BANCAMIGA: &[Form] = &[forms::bancamiga];

static ORIGINATORS: [Originator; 11] = [
    of("2661", BDV_SMS),
    of("2662", BDV_SMS),
    of("com.bancodevenezuela.bdvdigital", BDV_APP),
    of("2620", BNC),
    of("bnc.bncnet.mobile2", BNC),
    of("com.banesco.samfbancamovilunificada", BANESCO),
    of("com.mercantilbanco.mercantilmovil", MERCANTIL),
    of("com.mercantilbanco.mme.mercantilmovil", MERCANTIL),
    of("77107", PROVINCIAL),
    of("conexionmipago@bancaribe.com.ve", BANCARIBE),
    of("no-reply@bancamiga.com", BANCAMIGA),
];

/// The forms of that sender's texts; nothing where it is not listed.
pub(super) fn forms_of(sender: &str) -> Option<&'static [Form]> {
    let sender = sender.trim().to_ascii_lowercase();
    let listed = ORIGINATORS.iter().find(|one| one.sender == sender);
    listed.map(|one| one.forms)
}

/// Every form that there is.
#[cfg(test)]
pub(super) fn all_forms() -> impl Iterator<Item = Form> {
    ORIGINATORS.iter().flat_map(|one| one.forms.iter().copied())
}
