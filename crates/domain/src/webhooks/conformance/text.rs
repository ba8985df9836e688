//! What people read of each finding, and what to do about it, in both languages.

use std::time::Duration;

use super::{ANSWER_MAX, ClockCheck, Finding, Grade, Probe, grade_of_time};
use crate::language::Language;

/// The text of one of two languages.
const fn say(language: Language, es: &'static str, en: &'static str) -> &'static str {
    match language {
        Language::Es => es,
        Language::En => en,
    }
}

impl Finding {
    /// Returns what was found of a probe and what to do about it, in a sentence.
    #[must_use]
    pub fn text(self, probe: Probe, language: Language) -> String {
        let (es, en) = match self {
            Self::Taken | Self::Refused => probe.texts_of_right(),
            Self::NotTaken(status) => {
                return format!("{} ({status})", say_of(probe.texts_of_wrong(), language));
            }
            Self::Believed => probe.texts_of_wrong(),
            Self::Disbelieved => (
                "rechaza un aviso auténtico: revise que su secreto sea el de GET \
                 /me/webhook-secret, que calcule la firma sobre los bytes del cuerpo como llegaron, \
                 y que su reloj esté en hora",
                "it rejects a genuine event: check that its secret is the one from GET \
                 /me/webhook-secret, that it computes the signature over the exact bytes of the \
                 body, and that its clock is correct",
            ),
            Self::Alike => (
                "lo rechaza igual que al auténtico, y eso no prueba nada: corrija aquello primero y \
                 compruebe otra vez",
                "it rejects this just as it rejects the genuine event, which proves nothing: fix \
                 that first and check again",
            ),
            Self::Odd(status) => {
                let said = say(
                    language,
                    "no lo acepta, y debe decirlo con 401: así sabrá usted en el registro que fue la \
                     firma",
                    "it does not accept it, and should respond with 401: then the log tells you \
                     that the signature was the reason",
                );
                return format!("{said} ({status})");
            }
            Self::Unheard(trouble) => {
                let said = match probe.is_authentic() {
                    true => say(
                        language,
                        "no respondió; debe responder 2xx en 10 segundos",
                        "it did not respond; it must respond with 2xx within 10 seconds",
                    ),
                    false => say(
                        language,
                        "no lo aceptó ni lo rechazó; debe responder 401 en el acto",
                        "it neither accepted nor rejected it; it must respond with 401 immediately",
                    ),
                };
                return format!("{said}: {}", trouble.text(language));
            }
            Self::OutOfReach => (
                "no se preguntó: haga primero que su servidor responda",
                "not checked: first make your server respond",
            ),
            Self::OutOfTime => (
                "no se preguntó, porque su servidor tarda demasiado: haga que responda antes y \
                 compruebe otra vez",
                "not checked, because your server takes too long: make it respond sooner and check \
                 again",
            ),
        };
        say(language, es, en).to_owned()
    }
}

const fn say_of((es, en): (&'static str, &'static str), language: Language) -> &'static str {
    say(language, es, en)
}

impl Probe {
    const fn texts_of_right(self) -> (&'static str, &'static str) {
        match self {
            Self::Genuine => (
                "acepta un aviso bien firmado: no hay nada que hacer",
                "it accepts a correctly signed event: nothing to do",
            ),
            Self::Duplicate => (
                "acepta el mismo aviso otra vez: siga entregando una sola vez por enlace y referencia",
                "it accepts the same event again: keep fulfilling only once per link and reference",
            ),
            Self::Failed => (
                "acepta el aviso de un enlace que falló: cuide que no entregue nada por él",
                "it accepts the event of a failed link: make sure that it does not fulfil anything \
                 for it",
            ),
            Self::Expired => (
                "acepta un aviso con otro estado: cuide que no entregue nada por él",
                "it accepts an event with another status: make sure that it does not fulfil \
                 anything for it",
            ),
            Self::WrongSignature => (
                "rechaza la firma de otro secreto: no hay nada que hacer",
                "it rejects a signature made with another secret: nothing to do",
            ),
            Self::NoSignature => (
                "rechaza lo que no trae firma: no hay nada que hacer",
                "it rejects an event without a signature: nothing to do",
            ),
            Self::Stale => (
                "rechaza una firma de hace diez minutos: no hay nada que hacer",
                "it rejects a signature from ten minutes ago: nothing to do",
            ),
            Self::Altered => (
                "rechaza un cuerpo que no es el que se firmó: no hay nada que hacer",
                "it rejects a body that differs from the one signed: nothing to do",
            ),
        }
    }

    const fn texts_of_wrong(self) -> (&'static str, &'static str) {
        match self {
            Self::Genuine => (
                "responda 2xx a todo aviso auténtico, también al que no es de un pedido suyo",
                "respond with 2xx to every authentic event, even if it is not for one of your \
                 orders",
            ),
            Self::Duplicate => (
                "responda 2xx también a lo repetido, sin entregar otra vez: si no, se le repite \
                 durante dos días",
                "respond with 2xx to repeated events too, without fulfilling again: otherwise they \
                 are retried for two days",
            ),
            Self::Failed => (
                "responda 2xx también cuando `status` es `failed`, sin entregar nada: no es un pago, \
                 y es auténtico",
                "respond with 2xx also when `status` is `failed`, without fulfilling anything: it \
                 is not a payment, but it is authentic",
            ),
            Self::Expired => (
                "responda 2xx también a un `status` que no conozca, aquí `expired`, sin entregar \
                 nada",
                "respond with 2xx also to a `status` that you do not know, here `expired`, without \
                 fulfilling anything",
            ),
            Self::WrongSignature => (
                "grave: acepta una firma falsa, así que cualquiera puede avisarle pagos que no hubo; \
                 compare toda la firma y responda 401",
                "serious: it accepts a forged signature, so anyone can notify it of payments that \
                 never happened; compare the whole signature and respond with 401",
            ),
            Self::NoSignature => (
                "grave: acepta avisos sin firma, así que cualquiera puede avisarle pagos que no hubo; \
                 responda 401 cuando falte",
                "serious: it accepts events without a signature, so anyone can notify it of \
                 payments that never happened; respond with 401 when it is missing",
            ),
            Self::Stale => (
                "grave: acepta una firma de hace diez minutos, así que quien haya visto un aviso puede \
                 repetirlo; responda 401 a una hora a más de cinco minutos de la suya",
                "serious: it accepts a signature from ten minutes ago, so anyone who has seen an \
                 event can repeat it; respond with 401 if the time differs from yours by more than \
                 five minutes",
            ),
            Self::Altered => (
                "grave: acepta un monto que cambió después de firmarse; calcule la firma sobre todos \
                 los bytes del cuerpo como llegaron y responda 401",
                "serious: it accepts an amount that was changed after signing; compute the \
                 signature over all the bytes of the body as received, and respond with 401",
            ),
        }
    }
}

/// Returns the text about how long the slowest answer took.
#[must_use]
pub fn text_of_time(slowest: Option<Duration>, language: Language) -> String {
    let Some(took) = slowest else {
        return Finding::OutOfReach.text(Probe::Genuine, language);
    };
    let (ms, max) = (took.as_millis(), ANSWER_MAX.as_millis());
    let (es, en) = match grade_of_time(slowest) {
        Grade::Passed => ("no hay nada que hacer", "nothing to do"),
        _ => (
            "guarde el aviso, responda y trabaje después",
            "store the event, respond, and do the \
                                                             work afterwards",
        ),
    };
    match language {
        Language::Es => format!("la respuesta más lenta tardó {ms} ms de los {max} que hay: {es}"),
        Language::En => format!("the slowest response took {ms} ms of the {max} allowed: {en}"),
    }
}

/// Returns the text about a receiver's clock.
#[must_use]
pub fn text_of_clock(clock: ClockCheck, language: Language) -> String {
    if !clock.is_off() {
        return say(language, "en hora", "correct").to_owned();
    }
    let seconds = clock.ahead_seconds.unsigned_abs();
    let (es, en) =
        if clock.ahead_seconds > 0 { ("adelantado", "ahead") } else { ("atrasado", "behind") };
    match language {
        Language::Es => format!(
            "el reloj de su servidor está {seconds} s {es}: a los 300 s rechazaría todas las \
             firmas por su hora"
        ),
        Language::En => format!(
            "your server's clock is {seconds} s {en}: beyond 300 s it would reject every signature \
             because of its time"
        ),
    }
}

/// Returns the text about a clock that nobody shows.
#[must_use]
pub const fn text_of_no_clock(language: Language) -> &'static str {
    say(
        language,
        "sus respuestas no traen la cabecera `Date`: mantenga el reloj en hora con NTP, porque desde \
         aquí no se ve",
        "its responses have no `Date` header: keep the clock correct with NTP, because it cannot \
         be checked from here",
    )
}
