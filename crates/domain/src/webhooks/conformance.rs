//! Whether a receiver keeps the rules that receivers are given: what it is asked, and what its
//! answers are worth.
//!
//! The rules are those of the guide, `docs/guide/webhooks.en.md`: a signature that is missing, wrong or too
//! old is answered with 401, and what cannot be read with 400; everything else with any 2xx within ten
//! seconds, and a repeat too.

mod text;

use std::time::Duration;

pub use self::text::{text_of_clock, text_of_no_clock, text_of_time};
use super::{ClockCheck, Trouble};

/// Time that a receiver has for its answer: the deadline of an attempt.
pub const ANSWER_MAX: Duration = Duration::from_secs(10);

/// From when on an answer is warned of: half of that.
pub const SLOW: Duration = Duration::from_secs(ANSWER_MAX.as_secs() / 2);

/// How old the signature is that a receiver is to refuse: its five minutes, and as much again, so that
/// neither a clock that is a little off nor a window that is a little wider decides it.
pub const STALE: Duration = Duration::from_secs(10 * 60);

/// Request that the conformance check sends to a receiver, in this order: first what it is to take, since one that
/// keeps out a sender that shows it something false would then refuse the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Probe {
    /// That a link was paid, as it is always sent.
    Genuine,
    /// The same again: same id and bytes, with a new time and signature.
    Duplicate,
    /// That a link failed.
    Failed,
    /// That a link expired: a status that not every receiver knows.
    Expired,
    /// Signed with another secret.
    WrongSignature,
    /// Signed with none.
    NoSignature,
    /// Signed well, a good while ago.
    Stale,
    /// With another amount than what was signed.
    Altered,
}

impl Probe {
    /// Every one of them.
    pub const ALL: [Self; 8] = [
        Self::Genuine,
        Self::Duplicate,
        Self::Failed,
        Self::Expired,
        Self::WrongSignature,
        Self::NoSignature,
        Self::Stale,
        Self::Altered,
    ];

    /// The word that callers read. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Genuine => "genuine",
            Self::Duplicate => "duplicate",
            Self::Failed => "failed_status",
            Self::Expired => "other_status",
            Self::WrongSignature => "wrong_signature",
            Self::NoSignature => "no_signature",
            Self::Stale => "stale_timestamp",
            Self::Altered => "altered_body",
        }
    }

    /// Tells whether a careful receiver takes the probe.
    #[must_use]
    pub const fn is_authentic(self) -> bool {
        matches!(self, Self::Genuine | Self::Duplicate | Self::Failed | Self::Expired)
    }
}

/// How well a receiver does, the better first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// As it should.
    Passed,
    /// It could not be seen.
    Skipped,
    /// No harm now, and worth a look.
    Warning,
    /// To be corrected before money depends on it.
    Failed,
}

impl Grade {
    /// The word that callers read. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Skipped => "skipped",
            Self::Warning => "warning",
            Self::Failed => "failed",
        }
    }
}

/// Finding about a receiver, from its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It takes what is authentic.
    Taken,
    /// It refuses what is authentic as if it were not.
    Disbelieved,
    /// It answers what is authentic with something else than success.
    NotTaken(u16),
    /// It refuses what is not authentic.
    Refused,
    /// It takes what is not authentic.
    Believed,
    /// It refuses what is not authentic just as it does what is, which shows nothing.
    Alike,
    /// It does not take what is not authentic, in other words than it should.
    Odd(u16),
    /// It gives no answer.
    Unheard(Trouble),
    /// It was not asked, since it cannot be reached.
    OutOfReach,
    /// It was not asked, since the time was over.
    OutOfTime,
}

impl Finding {
    /// Returns the finding from the answer to a probe; `genuine` is the status that answered the first one, once it
    /// was.
    #[must_use]
    pub fn of(probe: Probe, answer: Result<u16, Trouble>, genuine: Option<u16>) -> Self {
        let status = match answer {
            Ok(status) => status,
            Err(trouble) => return Self::Unheard(trouble),
        };
        let is_success = matches!(status, 200..=299);
        let is_refusal = matches!(status, 400 | 401 | 403);
        let is_as_genuine = genuine.is_none_or(|genuine| genuine == status);
        match (probe.is_authentic(), is_success) {
            (true, true) => Self::Taken,
            (true, false) if is_refusal && is_as_genuine => Self::Disbelieved,
            (true, false) => Self::NotTaken(status),
            (false, true) => Self::Believed,
            (false, false) if is_as_genuine => Self::Alike,
            (false, false) if is_refusal => Self::Refused,
            (false, false) => Self::Odd(status),
        }
    }

    /// How good that is.
    #[must_use]
    pub const fn grade(self, probe: Probe) -> Grade {
        match self {
            Self::Taken | Self::Refused => Grade::Passed,
            Self::OutOfReach | Self::OutOfTime => Grade::Skipped,
            Self::Disbelieved | Self::Believed => Grade::Failed,
            // Nobody is notified of it who has not asked for that.
            Self::NotTaken(_) if matches!(probe, Probe::Expired) => Grade::Warning,
            Self::Unheard(_) if !probe.is_authentic() => Grade::Warning,
            Self::NotTaken(_) | Self::Unheard(_) => Grade::Failed,
            Self::Alike | Self::Odd(_) => Grade::Warning,
        }
    }
}

/// How good a clock is that shows this, if it shows anything. One that is further off than a signature
/// may be old is no more than a warning too: it may be that of whatever stands before the receiver.
#[must_use]
pub fn grade_of_clock(clock: Option<ClockCheck>) -> Grade {
    match clock {
        None => Grade::Skipped,
        Some(clock) if clock.is_off() => Grade::Warning,
        Some(_) => Grade::Passed,
    }
}

/// How good it is that the slowest answer took so long, if there was one.
#[must_use]
pub fn grade_of_time(slowest: Option<Duration>) -> Grade {
    match slowest {
        None => Grade::Skipped,
        Some(slowest) if slowest >= SLOW => Grade::Warning,
        Some(_) => Grade::Passed,
    }
}

/// How good all of it is: as good as the worst of it. What was not asked is worth a look; a clock that
/// nobody shows is none.
#[must_use]
pub fn grade_of_all(probes: impl IntoIterator<Item = Grade>, clock: Grade, time: Grade) -> Grade {
    let shown = [clock, time].into_iter().filter(|grade| *grade != Grade::Skipped);
    let of_probes = probes.into_iter().map(|grade| match grade {
        Grade::Skipped => Grade::Warning,
        grade => grade,
    });
    of_probes.chain(shown).max().unwrap_or(Grade::Skipped)
}

#[cfg(test)]
mod tests;
