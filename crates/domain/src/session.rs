//! Sessions: how long they last, and what a refresh token is good for.
//!
//! A session has turns. Each refresh ends one and begins the next, and every turn has a refresh
//! token of its own, which says its number.

use std::time::Duration;

use crate::time::Timestamp;

/// How long a session token opens anything.
pub const TOKEN_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// How long a session lasts without being refreshed.
pub const IDLE_MAX: Duration = Duration::from_secs(30 * DAY_S);

/// How long a session lasts, however often it is refreshed: then somebody signs in again.
pub const AGE_MAX: Duration = Duration::from_secs(90 * DAY_S);

/// How long the refresh token of the former turn is still accepted: for a client that did not
/// receive the answer to it, or sent it twice at once.
pub const GRACE: Duration = Duration::from_secs(30);

/// How long the row of a session that is over is kept.
pub const RETENTION: Duration = Duration::from_secs(30 * DAY_S);

const DAY_S: u64 = 24 * 60 * 60;

/// A session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// When somebody signed in.
    pub created_at: Timestamp,
    /// The number of the present turn, counted from 0.
    pub turn: i64,
    /// When the present turn began.
    pub turned_at: Timestamp,
    /// From when on it is over.
    pub expires_at: Timestamp,
    /// When somebody ended it.
    pub ended_at: Option<Timestamp>,
}

/// Result of looking up a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// It is the present turn's: the session goes on like this.
    Next(Session),
    /// It is the former turn's and came within the grace: the client that sends it gets the
    /// present turn's once more.
    Again,
    /// It was used before, so that two have it and one of them has no right to: the session ends.
    Reused,
    /// The session is over, or never had such a turn.
    Over,
}

impl Session {
    /// A session that begins now.
    #[must_use]
    pub fn begin(now: Timestamp) -> Self {
        let expires_at = now.plus(IDLE_MAX);
        Self { created_at: now, turn: 0, turned_at: now, expires_at, ended_at: None }
    }

    /// Tells whether the session lets anybody in at `now`.
    #[must_use]
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.ended_at.is_none() && now < self.expires_at
    }

    /// When a session token that is issued now ends: never after the session.
    #[must_use]
    pub fn token_expires_at(&self, now: Timestamp) -> Timestamp {
        now.plus(TOKEN_LIFETIME).min(self.expires_at)
    }

    /// Decides about the refresh token of that turn.
    #[must_use]
    pub fn refresh(&self, turn: i64, now: Timestamp) -> Refresh {
        if !self.is_open(now) || turn > self.turn {
            return Refresh::Over;
        }
        let grace_ends_at = self.turned_at.plus(GRACE);
        match self.turn.saturating_sub(turn) {
            0 => Refresh::Next(self.next(now)),
            1 if now < grace_ends_at => Refresh::Again,
            _ => Refresh::Reused,
        }
    }

    fn next(&self, now: Timestamp) -> Self {
        let expires_at = now.plus(IDLE_MAX).min(self.created_at.plus(AGE_MAX));
        Self { turn: self.turn + 1, turned_at: now, expires_at, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);

    fn after(duration: Duration) -> Timestamp {
        START.plus(duration)
    }

    fn next(session: Session, now: Timestamp) -> Session {
        match session.refresh(session.turn, now) {
            Refresh::Next(next) => next,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_token_is_good_for_one_turn_and_the_former_one_for_a_while() {
        let first = Session::begin(START);
        let turned_at = after(Duration::from_secs(600));
        let second = next(first, turned_at);
        assert_eq!((second.turn, second.turned_at), (1, turned_at));
        let last = turned_at.plus(GRACE).minus(Duration::from_micros(1));
        for now in [turned_at, last] {
            assert_eq!(second.refresh(0, now), Refresh::Again);
        }
        assert_eq!(second.refresh(0, turned_at.plus(GRACE)), Refresh::Reused);
        // Two turns ago is never within the grace.
        let third = next(second, turned_at);
        assert_eq!(third.refresh(0, turned_at), Refresh::Reused);
        assert_eq!(third.refresh(1, turned_at), Refresh::Again);
    }

    #[test]
    fn a_session_that_is_over_is_not_refreshed_and_a_turn_to_come_is_unknown() {
        let session = Session::begin(START);
        assert_eq!(session.refresh(1, START), Refresh::Over);
        assert_eq!(session.refresh(0, session.expires_at), Refresh::Over);
        let ended = Session { ended_at: Some(START), ..session };
        assert_eq!(ended.refresh(0, START), Refresh::Over);
        // Nor does it end a second time.
        let ended = Session { turn: 5, ..ended };
        assert_eq!(ended.refresh(0, START), Refresh::Over);
    }

    #[test]
    fn it_lasts_while_it_is_used_but_not_for_ever() {
        let mut session = Session::begin(START);
        assert!(session.is_open(after(IDLE_MAX - Duration::from_micros(1))));
        assert!(!session.is_open(after(IDLE_MAX)));
        for day in 1..90 {
            let now = after(Duration::from_secs(day * DAY_S));
            session = next(session, now);
            assert_eq!(session.expires_at, now.plus(IDLE_MAX).min(after(AGE_MAX)));
        }
        assert!(!session.is_open(after(AGE_MAX)));
        let late = after(AGE_MAX - Duration::from_secs(60));
        assert_eq!(session.token_expires_at(late), after(AGE_MAX));
        assert_eq!(Session::begin(START).token_expires_at(START), after(TOKEN_LIFETIME));
    }
}
