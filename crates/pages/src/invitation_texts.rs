//! Everything that an invited person reads, in both languages. A text that one of them lacks does not compile.

use domain::language::Language;

use crate::said::{Said, said};

/// The texts of the page of an invitation.
#[derive(Debug)]
pub(crate) struct InvitationTexts {
    pub(crate) lang: &'static str,
    pub(crate) title: &'static str,
    pub(crate) accept_title: &'static str,
    pub(crate) works_for: &'static str,
    pub(crate) signs_in_with: &'static str,
    pub(crate) name: &'static str,
    pub(crate) name_wrong: &'static str,
    pub(crate) password: &'static str,
    pub(crate) password_hint: &'static str,
    pub(crate) password_wrong: &'static str,
    pub(crate) again: &'static str,
    pub(crate) again_wrong: &'static str,
    pub(crate) accept: &'static str,
    pub(crate) footer: &'static str,
    pub(crate) sign_in: &'static str,
    pub(crate) accepted: Said,
    pub(crate) invalid: Said,
    pub(crate) taken: Said,
    pub(crate) too_many: Said,
    pub(crate) wrong_method: Said,
    pub(crate) elsewhere: Said,
    pub(crate) broken: Said,
}

impl InvitationTexts {
    pub(crate) const fn of(language: Language) -> &'static Self {
        match language {
            Language::Es => &ES,
            Language::En => &EN,
        }
    }
}

static ES: InvitationTexts = InvitationTexts {
    lang: "es",
    title: "Invitación",
    accept_title: "Elija su contraseña",
    works_for: "Tendrá acceso a lo de",
    signs_in_with: "Iniciará sesión con el correo",
    name: "Su nombre",
    name_wrong: "Escriba su nombre: de 1 a 120 letras.",
    password: "Contraseña",
    password_hint: "Doce letras o más. Una frase que solo usted conozca es buena.",
    password_wrong: "La contraseña debe tener doce letras o más, y no más de mil.",
    again: "La misma contraseña otra vez",
    again_wrong: "Las dos contraseñas no son iguales. Escríbalas otra vez.",
    accept: "Aceptar la invitación",
    footer: "Este enlace es solo para usted y sirve una vez. No lo comparta.",
    sign_in: "Iniciar sesión",
    accepted: said(
        "Invitación aceptada",
        "Ya puede iniciar sesión con su correo y su contraseña. Este enlace ya no sirve.",
    ),
    invalid: said(
        "Esta invitación no sirve",
        "No existe, ya se usó o venció. Si ya eligió su contraseña, inicie sesión. Si no, pida otra invitación a quien \
         le invitó.",
    ),
    taken: said(
        "Ese correo ya tiene acceso",
        "Con ese correo ya se inicia sesión en este servicio, y no puede tener dos accesos. Pida que le inviten con \
         otro correo.",
    ),
    too_many: said(
        "Demasiados intentos",
        "Espere un minuto y abra otra vez el enlace de su invitación.",
    ),
    wrong_method: said(
        "Eso no se puede hacer aquí",
        "Abra el enlace de su invitación en el navegador.",
    ),
    elsewhere: said(
        "El formulario no llegó de esta página",
        "Por seguridad no se aceptó. Abra el enlace de su invitación y envíelo desde allí.",
    ),
    broken: said(
        "No se pudo atender ahora",
        "No sabemos si se aceptó. Espere un momento y abra otra vez el enlace de su invitación; si ya no sirve, \
         inicie sesión.",
    ),
};

static EN: InvitationTexts = InvitationTexts {
    lang: "en",
    title: "Invitation",
    accept_title: "Choose your password",
    works_for: "You will have access to",
    signs_in_with: "You will sign in with the email address",
    name: "Your name",
    name_wrong: "Enter your name: 1 to 120 characters.",
    password: "Password",
    password_hint: "At least twelve characters. A phrase that only you know works well.",
    password_wrong: "The password must have at least twelve characters, and at most a thousand.",
    again: "Confirm password",
    again_wrong: "The two passwords do not match. Enter them again.",
    accept: "Accept invitation",
    footer: "This link is only for you and works once. Do not share it.",
    sign_in: "Sign in",
    accepted: said(
        "Invitation accepted",
        "You can now sign in with your email address and your password. This link no longer works.",
    ),
    invalid: said(
        "This invitation is not valid",
        "It does not exist, was already used or has expired. If you have already chosen your password, sign in. If \
         not, ask the person who invited you for another invitation.",
    ),
    taken: said(
        "This email address already has access",
        "Someone already signs in to this service with that email address, and it cannot be used for two accounts. \
         Ask to be invited with another email address.",
    ),
    too_many: said("Too many attempts", "Wait a minute and open your invitation link again."),
    wrong_method: said(
        "This action is not available here",
        "Open your invitation link in a browser.",
    ),
    elsewhere: said(
        "The form was not sent from this page",
        "For your security, it was not accepted. Open your invitation link and send the form from there.",
    ),
    broken: said(
        "We could not process your request",
        "We do not know whether the invitation was accepted. Wait a moment and open your invitation link again. If \
         it no longer works, sign in.",
    ),
};
