//! How far a receiver's clock is off: one that is too far off takes every signature for an old one.

use std::time::Duration;

use crate::time::Timestamp;

/// How far a clock may be off before its owner is warned: receivers refuse what is five minutes off.
pub const CLOCK_OFF_MAX: Duration = Duration::from_secs(2 * 60);

/// A receiver's clock beside ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockCheck {
    /// What the receiver says the time is, to the second.
    pub theirs: Timestamp,
    /// By how many whole seconds that is ahead of ours; less than zero where it is behind.
    pub ahead_seconds: i64,
}

impl ClockCheck {
    /// Reads the header `Date` of an answer whose head came at `now`. An answer without one says
    /// nothing.
    #[must_use]
    pub fn of(head: &[u8], now: Timestamp) -> Option<Self> {
        let head = String::from_utf8_lossy(head);
        let date = head.lines().skip(1).find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.trim().eq_ignore_ascii_case("date").then(|| value.trim().to_owned())
        })?;
        let theirs = Timestamp::parse_http_date(&date)?;
        let ahead_seconds = theirs.as_seconds() - now.as_seconds();
        Some(Self { theirs, ahead_seconds })
    }

    /// Tells whether the clock is so far off that its owner is to be warned.
    #[must_use]
    pub fn is_off(self) -> bool {
        self.ahead_seconds.unsigned_abs() > CLOCK_OFF_MAX.as_secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_compared_with_the_time_at_which_it_came() {
        let now = Timestamp::parse("2026-11-20T12:00:00.900Z").unwrap();
        let check = |date: &str| {
            let head = format!("HTTP/1.1 204 No Content\r\nServer: date\r\n{date}\r\n");
            ClockCheck::of(head.as_bytes(), now)
        };
        for (date, ahead, is_off) in [
            ("Date: Fri, 20 Nov 2026 12:00:00 GMT", 0, false),
            ("date:Fri, 20 Nov 2026 12:02:00 GMT", 120, false),
            ("DATE: Fri, 20 Nov 2026 12:02:01 GMT", 121, true),
            ("Date: Fri, 20 Nov 2026 11:57:59 GMT", -121, true),
        ] {
            let check = check(date).unwrap();
            assert_eq!((check.ahead_seconds, check.is_off()), (ahead, is_off), "{date}");
        }
        assert_eq!(check("Date: today"), None);
        assert_eq!(check("X-Date: Fri, 20 Nov 2026 12:00:00 GMT"), None);
    }
}
