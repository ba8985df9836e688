//! Payment links: what is asked of a payer, and with what result.
//!
//! A link keeps few facts: whether it was ended, whether it is stopped, until when it is good. What
//! it *is* follows from these and the clock at every look, so that nobody has to sweep anything. A
//! check that a payer began in time counts as begun in time however long the bank takes: until it is
//! over the link does not expire.

use std::time::Duration;

use crate::language::Language;
use crate::money::grouped;
use crate::time::Timestamp;
use crate::typed::seen;

/// How many checks of one link may be under way at once.
pub const IN_FLIGHT_MAX: usize = 3;

/// How many checks of one link may begin within [`ATTEMPTS_WINDOW`].
pub const ATTEMPTS_MAX: usize = 20;

/// The time that [`ATTEMPTS_MAX`] is stated for.
pub const ATTEMPTS_WINDOW: Duration = Duration::from_secs(60 * 60);

/// How many checks of all links of one account may begin within [`ATTEMPTS_WINDOW`] that end with
/// another answer than a payment, before links that have had [`ATTEMPTS_FREE`] take no more. So many
/// references are tried out on an account, however many links there are, and after that as many as the
/// free ones of each link; who has no more than links cannot make any. A check counts while it is open.
/// One whose bank gave no usable answer shows nobody anything, and does not count: payers are not
/// locked out by an outage.
pub const ACCOUNT_ATTEMPTS_MAX: usize = 600;

/// How many checks a link takes within [`ATTEMPTS_WINDOW`] whatever goes on at the other links of its
/// account: a person who tries references out on those locks no payer out of this one.
pub const ATTEMPTS_FREE: usize = 5;

/// How long after its time, or after it was canceled, a person may still accept a payment for it.
pub const ACCEPT_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// Among how many of a link's latest checks those are counted that [`LinkSettings::max_attempts`] is
/// about: those of a day.
pub const ATTEMPTS_COUNTED: usize = 24 * ATTEMPTS_MAX;

/// The most that [`LinkSettings::max_attempts`] can be.
pub const ATTEMPTS_ALLOWED_MAX: u32 = 20;

/// How long a payer who finds too many checks under way is asked to wait.
const IN_FLIGHT_WAIT: Duration = Duration::from_secs(10);

/// The ends that a link can be given. They are kept; everything else follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It has no end yet.
    Pending,
    /// A payment was claimed for it.
    Paid,
    /// The owner rejected it, it was tried as often as its owner lets payers try, or the cycle that it is for lapsed.
    Failed,
    /// It was called off.
    Canceled,
}

impl State {
    /// Every state, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Paid, Self::Failed, Self::Canceled];

    /// The number that stores keep.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Pending => 0,
            Self::Paid => 1,
            Self::Failed => 2,
            Self::Canceled => 3,
        }
    }

    /// The state of a number that a store kept.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.number() == number)
    }
}

/// Status of a link at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// It can be paid. A check that is under way does not change that.
    Pending,
    /// It was paid, for good.
    Paid,
    /// The owner rejected it, it was tried too often, or the cycle that it is for lapsed; for good.
    Failed,
    /// Its time is over.
    Expired,
    /// It was called off, for good.
    Canceled,
    /// It takes no payment for now; its time runs on.
    Stopped,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::Paid, Self::Failed, Self::Expired, Self::Canceled, Self::Stopped];

    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Paid => "paid",
            Self::Failed => "failed",
            Self::Expired => "expired",
            Self::Canceled => "canceled",
            Self::Stopped => "stopped",
        }
    }

    /// The status of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// A number for it in statements that filter: those of [`State`] come first.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Pending => 0,
            Self::Paid => 1,
            Self::Failed => 2,
            Self::Canceled => 3,
            Self::Expired => 4,
            Self::Stopped => 5,
        }
    }
}

/// The facts of a link that decide what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The end that it was given.
    pub state: State,
    /// Whether it was stopped.
    pub is_stopped: bool,
    /// Until when it is good; `None` is for ever.
    pub expires_at: Option<Timestamp>,
    /// Whether a check of it is under way, which was then begun in time.
    pub is_checking: bool,
    /// When it was announced that its time is over. It then is over, whatever a clock says.
    pub expired_at: Option<Timestamp>,
}

impl Standing {
    /// Returns the status of the link at `now`.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> Status {
        match self.state {
            State::Paid => Status::Paid,
            State::Failed => Status::Failed,
            State::Canceled => Status::Canceled,
            State::Pending if self.is_over(now) && !self.is_checking => Status::Expired,
            State::Pending if self.is_stopped => Status::Stopped,
            State::Pending => Status::Pending,
        }
    }

    /// Tells whether a payer may begin a check. A link whose time is over is kept open only for checks that were begun
    /// before.
    #[must_use]
    pub fn takes_attempts(&self, now: Timestamp) -> bool {
        self.state == State::Pending && !self.is_stopped && !self.is_over(now)
    }

    /// Tells whether a person may accept a payment for the link: while it is pending, and for [`ACCEPT_WINDOW`] after
    /// its time, or after it was canceled. A link that failed is never paid, since receivers were notified that it
    /// failed for good. `changed_at` is when it last changed; nothing changes a link that was canceled.
    #[must_use]
    pub fn takes_accepted(&self, changed_at: Timestamp, now: Timestamp) -> bool {
        let ended_at = match self.status(now) {
            Status::Pending => return true,
            Status::Expired => self.expires_at,
            Status::Canceled => Some(changed_at),
            Status::Paid | Status::Failed | Status::Stopped => None,
        };
        ended_at.is_some_and(|ended_at| now < ended_at.plus(ACCEPT_WINDOW))
    }

    /// Tells whether the link would fail if it had been tried too often: it has not ended, its time is not over, and no
    /// check that may still be confirmed is under way.
    #[must_use]
    pub fn may_fail(&self, now: Timestamp) -> bool {
        matches!(self.status(now), Status::Pending | Status::Stopped) && !self.is_checking
    }

    /// Decides about an act of the owner's.
    #[must_use]
    pub fn decide(&self, act: LinkAct, now: Timestamp) -> Decision {
        let status = self.status(now);
        if act.result() == Some(status) {
            return Decision::Done;
        }
        let fits = match act {
            LinkAct::Cancel | LinkAct::Reject => {
                matches!(status, Status::Pending | Status::Stopped)
            }
            LinkAct::Stop | LinkAct::Change => status == Status::Pending,
            LinkAct::Resume => status == Status::Stopped,
        };
        // A payer who has paid and is being checked must not find the link gone or dearer. The owner
        // can stop it, so that no other check begins, and come back.
        let waits =
            matches!(act, LinkAct::Cancel | LinkAct::Reject | LinkAct::Change) && self.is_checking;
        match (fits, waits) {
            (false, _) => Decision::Closed,
            (true, true) => Decision::Wait,
            (true, false) => Decision::Do,
        }
    }

    fn is_over(&self, now: Timestamp) -> bool {
        let is_past = self.expires_at.is_some_and(|expires_at| now >= expires_at);
        self.expired_at.is_some() || is_past
    }
}

/// Act of an owner on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkAct {
    /// Calls it off.
    Cancel,
    /// Lets no payer begin.
    Stop,
    /// Lets payers begin again.
    Resume,
    /// Ends it as failed.
    Reject,
    /// Asks for something else.
    Change,
}

impl LinkAct {
    /// Returns the status of a link after the act; `None` where the act sets none.
    const fn result(self) -> Option<Status> {
        match self {
            Self::Cancel => Some(Status::Canceled),
            Self::Stop => Some(Status::Stopped),
            Self::Resume => Some(Status::Pending),
            Self::Reject => Some(Status::Failed),
            Self::Change => None,
        }
    }
}

/// Decision about an owner's act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is to be done.
    Do,
    /// It was done before: nothing changes.
    Done,
    /// The link is past it.
    Closed,
    /// Not while a payer is being checked.
    Wait,
}

/// Choices of an owner for its links. By default nothing happens that it did not ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkSettings {
    /// After how many references whose answer time cannot change a link fails; `None` is never.
    pub max_attempts: Option<u32>,
    /// Whether ends without a payment are reported by webhooks too.
    pub announce_expiry: bool,
}

/// A check of a link that began before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// When it began.
    pub asked_at: Timestamp,
    /// Whether it is under way.
    pub is_open: bool,
}

/// Checks that another check of the link may begin at `now`, given the latest [`ATTEMPTS_MAX`] before it, newest first.
///
/// # Errors
/// How long to wait.
pub fn may_attempt(latest: &[Attempt], now: Timestamp) -> Result<(), Duration> {
    if latest.iter().filter(|attempt| attempt.is_open).count() >= IN_FLIGHT_MAX {
        return Err(IN_FLIGHT_WAIT);
    }
    match latest.get(ATTEMPTS_MAX - 1) {
        Some(oldest) if is_recent(oldest.asked_at, now) => {
            Err(ATTEMPTS_WINDOW - now.since(oldest.asked_at))
        }
        _ => Ok(()),
    }
}

/// Tells whether the link's account has a say in whether another check may begin: the link has used its free checks.
#[must_use]
pub fn asks_account(latest: &[Attempt], now: Timestamp) -> bool {
    latest.get(ATTEMPTS_FREE - 1).is_some_and(|oldest| is_recent(oldest.asked_at, now))
}

/// Checks that another check of an account's links may begin at `now`, given when the oldest began of the latest
/// [`ACCOUNT_ATTEMPTS_MAX`] that no payment came of.
///
/// # Errors
/// How long to wait.
pub fn account_may_attempt(oldest: Option<Timestamp>, now: Timestamp) -> Result<(), Duration> {
    match oldest {
        Some(oldest) if is_recent(oldest, now) => Err(ATTEMPTS_WINDOW - now.since(oldest)),
        _ => Ok(()),
    }
}

/// Tells whether a check was asked for within the window before `now`. One ahead of `now` was asked for while a clock
/// was ahead, and is not waited for.
fn is_recent(asked_at: Timestamp, now: Timestamp) -> bool {
    !asked_at.is_beyond(now, Duration::ZERO) && now.since(asked_at) < ATTEMPTS_WINDOW
}

/// Currency that an amount is stated in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Currency {
    /// Bolívares.
    #[default]
    Vef,
    /// Dollars.
    Usd,
    /// Euros.
    Eur,
    /// Tether.
    Usdt,
}

impl Currency {
    /// Every currency.
    pub const ALL: [Self; 4] = [Self::Vef, Self::Usd, Self::Eur, Self::Usdt];

    /// Its code on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Vef => "VEF",
            Self::Usd => "USD",
            Self::Eur => "EUR",
            Self::Usdt => "USDT",
        }
    }

    /// The currency of that code; `VES` is `VEF`.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        let code = seen(code).to_ascii_uppercase();
        if code == "VES" {
            return Some(Self::Vef);
        }
        Self::ALL.into_iter().find(|currency| currency.as_str() == code)
    }
}

/// Price that a link asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// In hundredths of the currency; above zero.
    pub hundredths: i64,
    /// The currency.
    pub currency: Currency,
}

impl Price {
    /// Writes it as payers are used to reading it: `Bs. 1.234,50` in Spanish, `Bs. 1,234.50` in English.
    #[must_use]
    pub fn written(self, language: Language) -> String {
        let unit = match self.currency {
            Currency::Vef => "Bs.",
            other => other.as_str(),
        };
        format!("{unit} {}", grouped(self.hundredths, language))
    }
}

#[cfg(test)]
#[path = "links/tests.rs"]
mod tests;
