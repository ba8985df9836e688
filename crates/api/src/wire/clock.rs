//! The clock of a receiver on the wire.

use domain::language::Language;
use domain::time::Timestamp;
use domain::webhooks::ClockCheck;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Shown, say};

/// The receiver's clock beside ours.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReceiverClock")]
pub(crate) struct WireClock {
    time: Shown<Timestamp>,
    ahead_seconds: i64,
    ok: bool,
    pub(crate) text: String,
}

impl WireClock {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({ "time": "2026-11-20T12:00:00.000Z", "ahead_seconds": 0, "ok": true, "text": "en hora" })
    }

    pub(crate) fn of(clock: ClockCheck, language: Language) -> Self {
        let text = match (clock.is_off(), clock.ahead_seconds > 0) {
            (false, _) => say(language, "en hora", "right").to_owned(),
            (true, is_ahead) => {
                let seconds = clock.ahead_seconds.unsigned_abs();
                let (es, en) =
                    if is_ahead { ("adelantado", "ahead") } else { ("atrasado", "behind") };
                match language {
                    Language::Es => format!(
                        "el reloj de su servidor está {seconds} s {es}: a los 300 s rechazaría \
                         todas las firmas por su hora"
                    ),
                    Language::En => format!(
                        "your server's clock is {seconds} s {en}: beyond 300 s it would refuse \
                         every signature for its time"
                    ),
                }
            }
        };
        Self {
            time: Shown(clock.theirs),
            ahead_seconds: clock.ahead_seconds,
            ok: !clock.is_off(),
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_off_is_said_to_be() {
        let clock = |ahead_seconds| {
            let theirs = Timestamp::from_micros(0);
            WireClock::of(ClockCheck { theirs, ahead_seconds }, Language::En)
        };
        assert!(clock(120).ok && clock(-120).ok);
        assert!(!clock(-121).ok && clock(-121).text.contains("121 s behind"));
        assert!(clock(400).text.contains("400 s ahead"));
    }
}
