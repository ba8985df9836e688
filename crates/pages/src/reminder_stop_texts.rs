//! Everything that somebody who stops reminders by mail reads, in both languages. A text that one of them lacks does not
//! compile.

use domain::language::Language;

use crate::said::{Said, said};

/// The texts of the page that stops reminders.
#[derive(Debug)]
pub(crate) struct ReminderStopTexts {
    pub(crate) lang: &'static str,
    pub(crate) title: &'static str,
    pub(crate) form_title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) of: &'static str,
    pub(crate) send: &'static str,
    pub(crate) footer: &'static str,
    pub(crate) stopped: Said,
    pub(crate) unknown: Said,
    pub(crate) too_many: Said,
    pub(crate) wrong_method: Said,
    pub(crate) broken: Said,
}

impl ReminderStopTexts {
    pub(crate) const fn of(language: Language) -> &'static Self {
        match language {
            Language::Es => &ES,
            Language::En => &EN,
        }
    }
}

static ES: ReminderStopTexts = ReminderStopTexts {
    lang: "es",
    title: "Recordatorios de pago",
    form_title: "¿No quiere más recordatorios por correo?",
    lead: "Deja de recibir los correos que le recuerdan los pagos de esta suscripción.",
    of: "Los envía",
    send: "No enviar más",
    footer: "Sus pagos siguen igual: lo que se debe se debe, y los enlaces que ya recibió sirven.",
    stopped: said(
        "Listo: no recibirá más recordatorios",
        "Ya no se envían correos que le recuerden los pagos de esta suscripción. Sus pagos siguen igual.",
    ),
    unknown: said(
        "Esta dirección no detiene nada",
        "Puede estar incompleta. Ábrala otra vez desde el último correo que recibió, o pídale al comercio que no le \
         envíe más.",
    ),
    too_many: said("Demasiados intentos", "Espere un minuto y abra otra vez la dirección."),
    wrong_method: said("Eso no se puede hacer aquí", "Abra la dirección en el navegador."),
    broken: said(
        "No se pudo atender ahora",
        "Espere un momento y abra otra vez la dirección: la página dice si los recordatorios se detuvieron.",
    ),
};

static EN: ReminderStopTexts = ReminderStopTexts {
    lang: "en",
    title: "Payment reminders",
    form_title: "No more reminders by email?",
    lead: "You will stop getting the emails that remind you of the payments of this subscription.",
    of: "They are sent by",
    send: "Stop sending them",
    footer: "Your payments stay as they are: what is owed is owed, and the links that you have received still work.",
    stopped: said(
        "Done: you will get no more reminders",
        "Emails that remind you of the payments of this subscription are no longer sent. Your payments stay as they \
         are.",
    ),
    unknown: said(
        "This address stops nothing",
        "It may be incomplete. Open it again from the last email that you received, or ask the merchant to stop \
         sending them.",
    ),
    too_many: said("Too many attempts", "Wait a minute and open the address again."),
    wrong_method: said("This action is not available here", "Open the address in a browser."),
    broken: said(
        "We could not process your request",
        "Wait a moment and open the address again: the page says whether the reminders were stopped.",
    ),
};
