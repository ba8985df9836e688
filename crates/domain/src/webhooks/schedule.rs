//! When a delivery that came to nothing is attempted again.

use std::time::Duration;

use super::Trouble;
use crate::time::Timestamp;

const fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

/// How long after each attempt the next one follows, at the least.
pub const DELAYS: [Duration; 8] = [
    Duration::from_secs(10),
    minutes(1),
    minutes(5),
    minutes(30),
    minutes(2 * 60),
    minutes(6 * 60),
    minutes(12 * 60),
    minutes(24 * 60),
];

/// How often a delivery is attempted in all.
pub const ATTEMPTS_MAX: u32 = DELAYS.len() as u32 + 1;

/// How long a receiver may ask us to wait.
pub const RETRY_AFTER_MAX: Duration = minutes(24 * 60);

/// The part of a delay by which chance may lengthen it at the most, so that what failed together does
/// not come again together: one fifth.
pub const JITTER: u32 = 5;

/// Judges an answer of that status.
///
/// # Errors
/// [`Trouble`] for anything but success.
pub const fn judge(status: u16) -> Result<(), Trouble> {
    match status {
        200..=299 => Ok(()),
        300..=399 => Err(Trouble::Redirected),
        410 => Err(Trouble::Gone),
        _ => Err(Trouble::Refused),
    }
}

/// How long after the `attempts`th attempt, which ended with `trouble`, the next one follows; `None`
/// where none does. A receiver that asked for more time gets it within bounds, and never less than
/// the schedule's. `chance` is any number; it lengthens the delay a little.
#[must_use]
pub fn next_delay(
    attempts: u32,
    trouble: Trouble,
    asked: Option<Duration>,
    chance: u16,
) -> Option<Duration> {
    if trouble == Trouble::Gone {
        return None;
    }
    let place = usize::try_from(attempts.checked_sub(1)?).ok()?;
    let delay = *DELAYS.get(place)?;
    let delay = delay.max(asked.unwrap_or_default().min(RETRY_AFTER_MAX));
    Some(delay + delay / JITTER * u32::from(chance) / u32::from(u16::MAX))
}

/// The longest that a delivery waits between two attempts.
pub const DELAY_MAX: Duration = minutes(24 * 60 / JITTER as u64 * (JITTER as u64 + 1));

/// Tells whether a delivery that nobody has claimed, and that is due at `due_at`, was put off while the clock was
/// ahead: further than the schedule puts anything off, or behind an attempt that is yet to begin. `step` is how far its
/// schedule has come.
#[must_use]
pub fn is_put_off_too_far(
    due_at: Timestamp,
    step: u32,
    attempted_at: Option<Timestamp>,
    now: Timestamp,
) -> bool {
    // What has not been attempted, or not since it began anew, was due when it was written.
    let longest = if step == 0 { Duration::ZERO } else { DELAY_MAX };
    due_at.is_beyond(now, longest)
        || attempted_at.is_some_and(|attempted_at| attempted_at.is_beyond(now, Duration::ZERO))
}

/// How long a `Retry-After` header asks to wait from `now` on: seconds, or an instant (RFC 9110,
/// 10.2.3). What is neither asks for nothing.
#[must_use]
pub fn retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More seconds than there are numbers for is more than anybody waits.
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    Timestamp::parse_http_date(text).map(|until| until.since(now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SKEW_MAX;

    #[test]
    fn the_schedule_is_kept_with_a_little_chance() {
        let seconds = [10, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400];
        for (attempts, seconds) in (1..).zip(seconds) {
            let least = Duration::from_secs(seconds);
            let at = |chance| next_delay(attempts, Trouble::Refused, None, chance).unwrap();
            assert_eq!(at(0), least);
            assert_eq!(at(u16::MAX), least + least / 5);
            assert!(at(30_000) > least && at(30_000) < least + least / 5);
        }
        assert_eq!(ATTEMPTS_MAX, 9);
        assert_eq!(next_delay(9, Trouble::Refused, Some(minutes(1)), 0), None);
        assert_eq!(next_delay(0, Trouble::Refused, None, 0), None);
    }

    #[test]
    fn what_no_schedule_puts_off_so_far_is_reported() {
        let now = Timestamp::from_micros(1_795_176_000_000_000);
        let hour = minutes(60);
        let longest = next_delay(8, Trouble::Refused, Some(Duration::MAX), u16::MAX).unwrap();
        assert_eq!(longest, DELAY_MAX);
        let is_too_far =
            |wait, step, attempted_at| is_put_off_too_far(now.plus(wait), step, attempted_at, now);
        assert!(!is_too_far(longest, 8, Some(now)));
        assert!(is_too_far(longest + hour, 8, Some(now)), "further than any retry");
        assert!(is_too_far(hour, 1, Some(now.plus(hour))), "behind an attempt to come");
        assert!(!is_too_far(hour, 4, Some(now.minus(hour))));
        assert!(is_too_far(hour, 0, None), "what is new waits for nothing");
        assert!(!is_too_far(2 * SKEW_MAX, 0, None), "another node's clock is a little ahead");
    }

    #[test]
    fn gone_ends_it_at_once() {
        for trouble in Trouble::ALL {
            let is_over = next_delay(1, trouble, None, 0).is_none();
            assert_eq!(is_over, trouble == Trouble::Gone, "{trouble:?}");
        }
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_within_bounds_and_not_for_less() {
        let after = |asked| next_delay(2, Trouble::Refused, Some(asked), 0).unwrap();
        assert_eq!(after(Duration::ZERO), minutes(1));
        assert_eq!(after(Duration::from_secs(59)), minutes(1));
        assert_eq!(after(minutes(7)), minutes(7));
        assert_eq!(after(Duration::from_secs(u64::MAX)), RETRY_AFTER_MAX);
    }

    #[test]
    fn retry_after_is_seconds_or_an_instant() {
        // 2026-11-20T12:00:00Z
        let now = Timestamp::from_micros(1_795_176_000_000_000);
        for (text, seconds) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("99999999999999999999999", Some(u64::MAX)),
            ("Fri, 20 Nov 2026 12:00:30 GMT", Some(30)),
            ("Fri, 20 Nov 2026 11:00:00 GMT", Some(0)),
            ("", None),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
            ("2026-11-20T12:00:30Z", None),
        ] {
            assert_eq!(retry_after(text, now), seconds.map(Duration::from_secs), "{text}");
        }
    }

    #[test]
    fn only_two_hundreds_are_success() {
        for status in 100..600 {
            let expected = match status {
                200..=299 => Ok(()),
                300..=399 => Err(Trouble::Redirected),
                410 => Err(Trouble::Gone),
                _ => Err(Trouble::Refused),
            };
            assert_eq!(judge(status), expected, "{status}");
        }
        assert!(judge(200).is_ok() && judge(204).is_ok() && judge(199).is_err());
    }
}
