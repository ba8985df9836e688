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
                "it refuses a genuine event: check that its secret is that of GET \
                 /me/webhook-secret, that it computes the signature over the body's bytes as they \
                 came, and that its clock is right",
            ),
            Self::Alike => (
                "lo rechaza igual que al auténtico, y eso no prueba nada: corrija aquello primero y \
                 compruebe otra vez",
                "it refuses this just as it does the genuine one, which shows nothing: put that \
                 right first, and check again",
            ),
            Self::Odd(status) => {
                let said = say(
                    language,
                    "no lo acepta, y debe decirlo con 401: así sabrá usted en el registro que fue la \
                     firma",
                    "it does not take it, and should say so with 401: then you will know from the \
                     log that it was the signature",
                );
                return format!("{said} ({status})");
            }
            Self::Unheard(trouble) => {
                let said = match probe.is_authentic() {
                    true => say(
                        language,
                        "no respondió; debe responder 2xx en 10 segundos",
                        "it gave no answer; it should answer 2xx within 10 seconds",
                    ),
                    false => say(
                        language,
                        "no lo aceptó ni lo rechazó; debe responder 401 en el acto",
                        "it neither took nor refused it; it should answer 401 at once",
                    ),
                };
                return format!("{said}: {}", trouble.text(language));
            }
            Self::OutOfReach => (
                "no se preguntó: haga primero que su servidor responda",
                "not asked: have your server answer first",
            ),
            Self::OutOfTime => (
                "no se preguntó, porque su servidor tarda demasiado: haga que responda antes y \
                 compruebe otra vez",
                "not asked, because your server takes too long: have it answer sooner, and check \
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
                "it takes what is well signed: nothing to do",
            ),
            Self::Duplicate => (
                "acepta el mismo aviso otra vez: siga entregando una sola vez por enlace y referencia",
                "it takes the same event again: go on delivering once for each link and reference",
            ),
            Self::Failed => (
                "acepta el aviso de un enlace que falló: cuide que no entregue nada por él",
                "it takes the event of a link that failed: see that it delivers nothing for it",
            ),
            Self::Expired => (
                "acepta un aviso con otro estado: cuide que no entregue nada por él",
                "it takes an event with another status: see that it delivers nothing for it",
            ),
            Self::WrongSignature => (
                "rechaza la firma de otro secreto: no hay nada que hacer",
                "it refuses the signature of another secret: nothing to do",
            ),
            Self::NoSignature => (
                "rechaza lo que no trae firma: no hay nada que hacer",
                "it refuses what bears no signature: nothing to do",
            ),
            Self::Stale => (
                "rechaza una firma de hace diez minutos: no hay nada que hacer",
                "it refuses a signature of ten minutes ago: nothing to do",
            ),
            Self::Altered => (
                "rechaza un cuerpo que no es el que se firmó: no hay nada que hacer",
                "it refuses a body that is not what was signed: nothing to do",
            ),
        }
    }

    const fn texts_of_wrong(self) -> (&'static str, &'static str) {
        match self {
            Self::Genuine => (
                "responda 2xx a todo aviso auténtico, también al que no es de un pedido suyo",
                "answer 2xx to whatever is authentic, also where it is of no order of yours",
            ),
            Self::Duplicate => (
                "responda 2xx también a lo repetido, sin entregar otra vez: si no, se le repite \
                 durante dos días",
                "answer 2xx to a repeat too, without delivering again: otherwise it is repeated for \
                 two days",
            ),
            Self::Failed => (
                "responda 2xx también cuando `status` es `failed`, sin entregar nada: no es un pago, \
                 y es auténtico",
                "answer 2xx too where `status` is `failed`, without delivering anything: it is no \
                 payment, and authentic",
            ),
            Self::Expired => (
                "responda 2xx también a un `status` que no conozca, aquí `expired`, sin entregar \
                 nada",
                "answer 2xx also to a `status` that you do not know, here `expired`, without \
                 delivering anything",
            ),
            Self::WrongSignature => (
                "grave: acepta una firma falsa, así que cualquiera puede avisarle pagos que no hubo; \
                 compare toda la firma y responda 401",
                "serious: it takes a forged signature, so that anybody can tell it of payments that \
                 never were; compare the whole signature, and answer 401",
            ),
            Self::NoSignature => (
                "grave: acepta avisos sin firma, así que cualquiera puede avisarle pagos que no hubo; \
                 responda 401 cuando falte",
                "serious: it takes events without a signature, so that anybody can tell it of \
                 payments that never were; answer 401 where it is missing",
            ),
            Self::Stale => (
                "grave: acepta una firma de hace diez minutos, así que quien haya visto un aviso puede \
                 repetirlo; responda 401 a una hora a más de cinco minutos de la suya",
                "serious: it takes a signature of ten minutes ago, so that whoever has seen an event \
                 can repeat it; answer 401 to a time more than five minutes off",
            ),
            Self::Altered => (
                "grave: acepta un monto que cambió después de firmarse; calcule la firma sobre todos \
                 los bytes del cuerpo como llegaron y responda 401",
                "serious: it takes an amount that was changed after it was signed; compute the \
                 signature over all the body's bytes as they came, and answer 401",
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
        _ => {
            ("guarde el aviso, responda y trabaje después", "keep it, answer, and work afterwards")
        }
    };
    match language {
        Language::Es => format!("la respuesta más lenta tardó {ms} ms de los {max} que hay: {es}"),
        Language::En => format!("the slowest answer took {ms} ms of the {max} there are: {en}"),
    }
}

/// Returns the text about a receiver's clock.
#[must_use]
pub fn text_of_clock(clock: ClockCheck, language: Language) -> String {
    if !clock.is_off() {
        return say(language, "en hora", "right").to_owned();
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
            "your server's clock is {seconds} s {en}: beyond 300 s it would refuse every \
             signature for its time"
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
        "its answers bear no header `Date`: keep the clock right by NTP, since it cannot be seen from \
         here",
    )
}
