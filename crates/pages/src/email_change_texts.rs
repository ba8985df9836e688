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
    title: "Change email address",
    form_title: "Confirm your email address",
    will_sign_in_with: "From now on you will sign in with",
    account_of: "In the account of",
    send: "Confirm",
    footer: "This link is only for you. It works once, while the session in which you requested it is still open. \
             Confirming ends your other sessions.",
    done: said(
        "Email address changed",
        "Sign in with this email address from now on. The previous one no longer works.",
    ),
    invalid: said(
        "This link is not valid",
        "It does not exist, was already used or has expired: it works once, for one day, while the session in which \
         it was requested is still open. If you still want to change your email address, request the change again.",
    ),
    taken: said(
        "This email address is already in use",
        "Someone signs in with this email address. Choose another, or contact the operator of the service if it is \
         yours.",
    ),
    too_many: said("Too many attempts", "Wait a minute and open the link again."),
    wrong_method: said("This action is not available here", "Open the link in a browser."),
    elsewhere: said(
        "The form was not sent from this page",
        "For your security, it was not accepted. Open the link and confirm from there.",
    ),
    broken: said(
        "We could not process your request",
        "We do not know whether the email address was changed. Wait a moment and open the link again. If it no \
         longer works, sign in with the new email address.",
    ),
};
