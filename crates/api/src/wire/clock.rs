//! The clock of a receiver on the wire.

use domain::language::Language;
use domain::time::Timestamp;
use domain::webhooks::ClockCheck;
use domain::webhooks::conformance::text_of_clock;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::Shown;

/// El reloj del receptor al lado del nuestro. / The receiver's clock beside ours.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReceiverClock")]
pub(crate) struct WireClock {
    /// La hora que dijo. / The time that it said.
    time: Shown<Timestamp>,
    /// Cuántos segundos va adelantado; negativo es atrasado. / How many seconds it is ahead; negative is behind.
    ahead_seconds: i64,
    /// Si va bastante bien para comprobar firmas. / Whether it is right enough to check signatures.
    ok: bool,
    /// Lo mismo para personas. / The same for people.
    pub(crate) text: String,
}

impl WireClock {
    /// One with made-up data.
    pub(crate) fn example() -> Value {
        json!({ "time": "2026-11-20T12:00:00.000Z", "ahead_seconds": 0, "ok": true, "text": "en hora" })
    }

    pub(crate) fn of(clock: ClockCheck, language: Language) -> Self {
        Self {
            time: Shown(clock.theirs),
            ahead_seconds: clock.ahead_seconds,
            ok: !clock.is_off(),
            text: text_of_clock(clock, language),
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
