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
        "Your password was changed from one of your sessions, and the others have ended.\n\nIf it was not you, \
         someone knows your password: request a new one with a link to this email address, or from the person who \
         invited you, and review your sessions.\n",
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
        "The operator of the service set a new password for you, and all your sessions have ended. Your API keys \
         still work.\n\nIf you did not request this, contact the operator now.\n",
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
        "Two-step verification is on",
        "From now on, signing in also requires a code from your app. Keep your recovery codes safe.\n\nIf it was not \
         you, someone knows your password: request a new one with a link to this email address, and contact the \
         person who invited you or the operator of the service.\n",
    ),
};

pub(super) const SECOND_FACTOR_ENDED: Texts = Texts {
    es: (
        "Su segundo factor ya no está activo",
        "Desde ahora, para iniciar sesión basta la contraseña.\n\nSi no fue usted, cambie su contraseña y active otra \
         vez el segundo factor.\n",
    ),
    en: (
        "Two-step verification is off",
        "From now on, your password alone is enough to sign in.\n\nIf it was not you, change your password and set \
         up two-step verification again.\n",
    ),
};

pub(super) const EMAIL_CHANGED: Texts = Texts {
    es: (
        "Su cuenta tiene otro correo",
        "Desde ahora se inicia sesión con otro correo; con este ya no.\n\nSi no fue usted, hable ya con quien le \
         invitó o con el operador del servicio: solo ellos pueden devolverle la cuenta.\n",
    ),
    en: (
        "Your account's email address was changed",
        "From now on you sign in with another email address, and this one no longer works.\n\nIf it was not you, \
         contact the person who invited you or the operator of the service immediately: only they can give the \
         account back to you.\n",
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
            "Someone asked to change your email address",
            format!(
                "From one of your sessions{} and with your password, someone asked to sign in with another email \
                 address instead of this one. Nothing has changed yet: the change takes effect when it is confirmed \
                 from the other address, while the session in which it was requested is still open.\n\nIf it was not \
                 you, someone knows your password: change it immediately. That cancels the request and ends the \
                 other sessions.\n",
                named(" in the account of ", merchant),
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
            "Confirm your email address",
            format!(
                "Someone asked to sign in{} with this email address instead of another.\n\nIf it was you, open this \
                 link and confirm it. It works once, for one day, while the session in which you requested it is \
                 still open:\n\n{link}\n\nIf it was not you, you can ignore this email: this address will not be \
                 used.\n",
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
