//! What mails say of changes to how people sign in. None of them has a link, but that of the change of an address.

use crate::language::Language::{self, En, Es};

/// Subject and body of a mail that says the same to everybody.
pub(super) struct Texts {
    pub(super) es: (&'static str, &'static str),
    pub(super) en: (&'static str, &'static str),
}

pub(super) const PASSWORD_REPLACED: Texts = Texts {
    es: (
        "Su contraseña cambió",
        "Su contraseña se cambió desde una sesión suya, y las demás sesiones se cerraron.\n\nSi no fue usted, alguien \
         conoce su contraseña: pida otra con un enlace a este correo, o a quien le invitó, y revise sus sesiones.\n",
    ),
    en: (
        "Your password was changed",
        "Your password was changed from a session of yours, and the others are over.\n\nIf it was not you, somebody \
         knows your password: ask for another by a link to this e-mail address, or ask whoever invited you, and look \
         at your sessions.\n",
    ),
};

pub(super) const PASSWORD_RESET_BY_OPERATOR: Texts = Texts {
    es: (
        "El operador cambió su contraseña",
        "El operador del servicio le dio otra contraseña, y todas sus sesiones se cerraron. Sus llaves siguen.\n\nSi \
         usted no se lo pidió, hable con el operador ahora.\n",
    ),
    en: (
        "The operator changed your password",
        "The operator of the service gave you another password, and all your sessions are over. Your keys go on.\n\nIf \
         you did not ask for it, talk to the operator now.\n",
    ),
};

pub(super) const SECOND_FACTOR_BEGUN: Texts = Texts {
    es: (
        "Su segundo factor está activo",
        "Desde ahora, para iniciar sesión se pide además un código de su aplicación. Guarde sus códigos de \
         recuperación.\n\nSi no fue usted, alguien conoce su contraseña: pida otra con un enlace a este correo y \
         hable con quien le invitó o con el operador del servicio.\n",
    ),
    en: (
        "Your second factor is active",
        "From now on, signing in also asks for a code of your application. Keep your recovery codes.\n\nIf it was not \
         you, somebody knows your password: ask for another by a link to this e-mail address, and talk to whoever \
         invited you or to the operator of the service.\n",
    ),
};

pub(super) const SECOND_FACTOR_ENDED: Texts = Texts {
    es: (
        "Su segundo factor ya no está activo",
        "Desde ahora, para iniciar sesión basta la contraseña.\n\nSi no fue usted, cambie su contraseña y active otra \
         vez el segundo factor.\n",
    ),
    en: (
        "Your second factor is no longer active",
        "From now on, the password alone signs in.\n\nIf it was not you, change your password and begin a second \
         factor again.\n",
    ),
};

pub(super) const EMAIL_CHANGED: Texts = Texts {
    es: (
        "Su cuenta tiene otro correo",
        "Desde ahora se inicia sesión con otro correo; con este ya no.\n\nSi no fue usted, hable ya con quien le \
         invitó o con el operador del servicio: solo ellos pueden devolverle la cuenta.\n",
    ),
    en: (
        "Your account has another e-mail address",
        "From now on another e-mail address signs in, and this one no longer does.\n\nIf it was not you, talk at once \
         to whoever invited you or to the operator of the service: they alone can give the account back to you.\n",
    ),
};

/// The mail that the present address gets when somebody asks for another.
pub(super) fn email_change_asked(merchant: &str, language: Language) -> (String, String) {
    let (subject, body) = match language {
        Es => (
            "Alguien pidió cambiar su correo",
            format!(
                "Desde una sesión suya{} y con su contraseña se pidió iniciar sesión con otro correo en lugar de este. \
                 Todavía no cambió nada: cambia cuando se confirme en el otro correo, mientras siga abierta la sesión en \
                 que se pidió.\n\nSi no fue usted, alguien conoce su contraseña: cámbiela ya. Eso anula el pedido y \
                 cierra las demás sesiones.\n",
                named(" en la cuenta de ", merchant),
            ),
        ),
        En => (
            "Somebody asked to change your e-mail address",
            format!(
                "From a session of yours{} and with your password, somebody asked to sign in with another e-mail address \
                 instead of this one. Nothing has changed yet: it does once the other address confirms it, while the \
                 session is open in which it was asked for.\n\nIf it was not you, somebody knows your password: change \
                 it at once. That takes the request back and ends the other sessions.\n",
                named(" at the account of ", merchant),
            ),
        ),
    };
    (subject.to_owned(), body)
}

/// The mail that a new address gets.
pub(super) fn email_change(merchant: &str, link: &str, language: Language) -> (String, String) {
    let (subject, body) = match language {
        Es => (
            "Confirme su correo",
            format!(
                "Alguien pidió iniciar sesión{} con este correo en lugar de otro.\n\nSi fue usted, abra este enlace y \
                 confírmelo. Sirve una vez, durante un día, mientras siga abierta la sesión en que lo pidió:\n\n{link}\n\nSi \
                 no fue usted, no haga nada: este correo no se usará.\n",
                named(" en la cuenta de ", merchant),
            ),
        ),
        En => (
            "Confirm your e-mail address",
            format!(
                "Somebody asked to sign in{} with this e-mail address instead of another.\n\nIf it was you, open this \
                 link and confirm it. It works once, for a day, while the session is open in which you asked for \
                 it:\n\n{link}\n\nIf it was not you, do nothing: this address will not be used.\n",
                named(" to the account of ", merchant),
            ),
        ),
    };
    (subject.to_owned(), body)
}

/// Which merchant it is about, where that has a name.
fn named(of: &str, merchant: &str) -> String {
    if merchant.is_empty() { String::new() } else { format!("{of}{merchant}") }
}
