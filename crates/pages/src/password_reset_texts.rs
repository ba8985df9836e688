//! Everything that a person who sets another password reads, in both languages. A text that one of them lacks does
//! not compile.

use domain::language::Language;

use crate::said::{Said, said};

/// The texts of the page for another password.
#[derive(Debug)]
pub(crate) struct PasswordResetTexts {
    pub(crate) lang: &'static str,
    pub(crate) title: &'static str,
    pub(crate) form_title: &'static str,
    pub(crate) signs_in_with: &'static str,
    pub(crate) password: &'static str,
    pub(crate) password_hint: &'static str,
    pub(crate) password_wrong: &'static str,
    pub(crate) again: &'static str,
    pub(crate) again_wrong: &'static str,
    pub(crate) send: &'static str,
    pub(crate) footer: &'static str,
    pub(crate) sign_in: &'static str,
    pub(crate) done: Said,
    pub(crate) invalid: Said,
    pub(crate) too_many: Said,
    pub(crate) wrong_method: Said,
    pub(crate) elsewhere: Said,
    pub(crate) broken: Said,
}

impl PasswordResetTexts {
    pub(crate) const fn of(language: Language) -> &'static Self {
        match language {
            Language::Es => &ES,
            Language::En => &EN,
        }
    }
}

static ES: PasswordResetTexts = PasswordResetTexts {
    lang: "es",
    title: "Otra contraseña",
    form_title: "Elija otra contraseña",
    signs_in_with: "Para iniciar sesión con el correo",
    password: "Contraseña nueva",
    password_hint: "Doce letras o más. Una frase que solo usted conozca es buena.",
    password_wrong: "La contraseña debe tener doce letras o más, y no más de mil.",
    again: "La misma contraseña otra vez",
    again_wrong: "Las dos contraseñas no son iguales. Escríbalas otra vez.",
    send: "Cambiar la contraseña",
    footer: "Este enlace es solo para usted y sirve una vez. Al cambiar la contraseña se cierran todas sus sesiones.",
    sign_in: "Iniciar sesión",
    done: said(
        "Contraseña cambiada",
        "Inicie sesión con la nueva y mire en «Mi cuenta» las llaves y personas que se emitieron en su nombre: siguen \
         vivas. Todas sus sesiones anteriores se cerraron, y este enlace ya no sirve.",
    ),
    invalid: said(
        "Este enlace no sirve",
        "No existe, ya se usó o venció: sirve una vez, durante una hora. Si todavía necesita otra contraseña, pida \
         otro enlace.",
    ),
    too_many: said("Demasiados intentos", "Espere un minuto y abra otra vez el enlace."),
    wrong_method: said("Eso no se puede hacer aquí", "Abra el enlace en el navegador."),
    elsewhere: said(
        "El formulario no llegó de esta página",
        "Por seguridad no se aceptó. Abra el enlace y envíelo desde allí.",
    ),
    broken: said(
        "No se pudo atender ahora",
        "No sabemos si la contraseña cambió. Espere un momento y abra otra vez el enlace; si ya no sirve, inicie \
         sesión con la nueva.",
    ),
};

static EN: PasswordResetTexts = PasswordResetTexts {
    lang: "en",
    title: "Reset password",
    form_title: "Choose a new password",
    signs_in_with: "To sign in with the email address",
    password: "New password",
    password_hint: "At least twelve characters. A phrase that only you know works well.",
    password_wrong: "The password must have at least twelve characters, and at most a thousand.",
    again: "Confirm new password",
    again_wrong: "The two passwords do not match. Enter them again.",
    send: "Change password",
    footer: "This link is only for you and works once. Changing your password ends all your sessions.",
    sign_in: "Sign in",
    done: said(
        "Password changed",
        "Sign in with your new password, and check under “My account” the API keys and people issued in your name: they \
         are still live. All your previous sessions have ended, and this link no longer works.",
    ),
    invalid: said(
        "This link is not valid",
        "It does not exist, was already used or has expired: it works once, for one hour. If you still need a new \
         password, request another link.",
    ),
    too_many: said("Too many attempts", "Wait a minute and open the link again."),
    wrong_method: said("This action is not available here", "Open the link in a browser."),
    elsewhere: said(
        "The form was not sent from this page",
        "For your security, it was not accepted. Open the link and send the form from there.",
    ),
    broken: said(
        "We could not process your request",
        "We do not know whether the password was changed. Wait a moment and open the link again. If it no longer \
         works, sign in with the new password.",
    ),
};
