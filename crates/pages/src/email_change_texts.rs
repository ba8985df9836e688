//! Everything that a person who confirms another address reads, in both languages. A text that one of them lacks does
//! not compile.

use domain::language::Language;

use crate::said::{Said, said};

/// The texts of the page for another address.
#[derive(Debug)]
pub(crate) struct EmailChangeTexts {
    pub(crate) lang: &'static str,
    pub(crate) title: &'static str,
    pub(crate) form_title: &'static str,
    pub(crate) will_sign_in_with: &'static str,
    pub(crate) account_of: &'static str,
    pub(crate) send: &'static str,
    pub(crate) footer: &'static str,
    pub(crate) done: Said,
    pub(crate) invalid: Said,
    pub(crate) taken: Said,
    pub(crate) too_many: Said,
    pub(crate) wrong_method: Said,
    pub(crate) elsewhere: Said,
    pub(crate) broken: Said,
}

impl EmailChangeTexts {
    pub(crate) const fn of(language: Language) -> &'static Self {
        match language {
            Language::Es => &ES,
            Language::En => &EN,
        }
    }
}

static ES: EmailChangeTexts = EmailChangeTexts {
    lang: "es",
    title: "Otro correo",
    form_title: "Confirme su correo",
    will_sign_in_with: "Desde ahora iniciará sesión con",
    account_of: "En la cuenta de",
    send: "Confirmar",
    footer: "Este enlace es solo para usted y sirve una vez, mientras siga abierta la sesión en que lo pidió. Al confirmar se cierran \
             sus otras sesiones.",
    done: said(
        "Correo cambiado",
        "Desde ahora inicie sesión con este correo. El anterior ya no sirve.",
    ),
    invalid: said(
        "Este enlace no sirve",
        "No existe, ya se usó o venció: sirve una vez, durante un día, mientras siga abierta la sesión en que se pidió. Si todavía \
         quiere cambiar su correo, pídalo otra vez.",
    ),
    taken: said(
        "Este correo ya se usa",
        "Alguien inicia sesión con este correo. Elija otro, o hable con el operador del servicio si es suyo.",
    ),
    too_many: said("Demasiados intentos", "Espere un minuto y abra otra vez el enlace."),
    wrong_method: said("Eso no se puede hacer aquí", "Abra el enlace en el navegador."),
    elsewhere: said(
        "El formulario no llegó de esta página",
        "Por seguridad no se aceptó. Abra el enlace y confírmelo desde allí.",
    ),
    broken: said(
        "No se pudo atender ahora",
        "No sabemos si el correo cambió. Espere un momento y abra otra vez el enlace; si ya no sirve, inicie sesión \
         con el nuevo.",
    ),
};

static EN: EmailChangeTexts = EmailChangeTexts {
    lang: "en",
    title: "Another e-mail address",
    form_title: "Confirm your e-mail address",
    will_sign_in_with: "From now on you will sign in with",
    account_of: "At the account of",
    send: "Confirm",
    footer: "This link is for you alone and works once, while the session is open in which you asked for it. Confirming ends your \
             other sessions.",
    done: said(
        "E-mail address changed",
        "Sign in with this address from now on. The former one no longer works.",
    ),
    invalid: said(
        "This link does not work",
        "It does not exist, was used or has expired: it works once, for a day, while the session is open in which it was asked for. If \
         you still want to change your address, ask for it again.",
    ),
    taken: said(
        "This address is in use",
        "Somebody signs in with this address. Choose another, or talk to the operator of the service if it is yours.",
    ),
    too_many: said("Too many tries", "Wait a minute and open the link again."),
    wrong_method: said("That cannot be done here", "Open the link in a browser."),
    elsewhere: said(
        "The form did not come from this page",
        "It was not accepted, for safety. Open the link and confirm it from there.",
    ),
    broken: said(
        "It could not be served now",
        "We do not know whether the address was changed. Wait a moment and open the link again; if it no longer works, \
         sign in with the new one.",
    ),
};
