//! A code that somebody shows: compared with the secret outside of the transaction, taken once inside of it.

use domain::ids::{ActorId, OwnerId};
use domain::refusal::{Refusal, SecondFactorRefusal};
use domain::second_factor::{ClockSkew, RecoveryHash, ShownCode};
use domain::secret::SecretText;
use domain::time::Timestamp;
use store::fault::Fault;
use store::tx::Tx;
use store::{Meter, audit, second_factors};

use super::open;
use crate::{App, Error, refusals};

/// The outcome of a code.
#[derive(Debug)]
pub(crate) enum Checked {
    /// The person has no second factor.
    NotAsked,
    /// It was right, and nobody else can show it again.
    Right,
    /// It was not, or too many were wrong before.
    Refused(Refusal),
    /// The second factor is another than the one that was looked at, or there is none any more.
    Changed,
}

/// A code, and the second factor, as it was found, of the person who shows it.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    whose: (OwnerId, ActorId),
    /// The sealed secret, where there is one.
    secret: Option<Vec<u8>>,
    shown: Shown,
    /// What the audit trail says of a wrong one.
    wrong: audit::Entry,
}

#[derive(Clone, Copy, Debug)]
enum Shown {
    Nothing,
    /// What has not the form of a code.
    Nonsense,
    /// Six digits, the step whose code they are, and how far the clock is off that showed them.
    Totp(Option<(i64, ClockSkew)>),
    Recovery(RecoveryHash),
}

/// Which second factor a code is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// One that sign-ins ask for.
    SignIns,
    /// One that was begun and waits for its first code.
    Setup,
}

impl Check {
    /// Compares a code with the person's second factor of that kind, if it has one.
    ///
    /// # Errors
    /// A failure of the store.
    pub(crate) async fn of(
        app: &App,
        meter: &Meter,
        whose: (OwnerId, ActorId),
        (which, code): (Of, Option<&SecretText>),
        wrong: audit::Entry,
    ) -> Result<Self, Error> {
        let found = app.store.look_up(meter, move |tx| second_factors::find(tx, whose)).await?;
        // By the clock of the check: a call that was long in coming is not older than its answer.
        let now = app.clock.now();
        let found = found.filter(|found| which.has(found, now));
        let shown = match (&found, code) {
            (None, _) | (_, None) => Shown::Nothing,
            (Some(found), Some(code)) => match ShownCode::parse(code.expose()) {
                None => Shown::Nonsense,
                Some(ShownCode::Recovery(hash)) => Shown::Recovery(hash),
                Some(ShownCode::Totp(code)) => {
                    let secret = open(app, whose, &found.secret)?;
                    Shown::Totp(match which {
                        Of::SignIns => secret.step_by(&code, now, found.skew),
                        Of::Setup => secret.first_step(&code, now),
                    })
                }
            },
        };
        Ok(Self { whose, secret: found.map(|found| found.secret), shown, wrong })
    }

    /// Takes the code, once for all who show it, or counts it as wrong. What is refused is to be committed.
    ///
    /// # Errors
    /// A fault of the store.
    pub(crate) fn take(
        &self,
        tx: &mut Tx<'_>,
        which: Of,
        now: Timestamp,
    ) -> Result<Checked, Fault> {
        let present = second_factors::find(tx, self.whose)?.filter(|found| which.has(found, now));
        let (Some(secret), Some(present)) = (&self.secret, &present) else {
            let is_none = self.secret.is_none() && present.is_none();
            return Ok(if is_none { Checked::NotAsked } else { Checked::Changed });
        };
        if *secret != present.secret {
            return Ok(Checked::Changed);
        }
        let (owner, _) = self.whose;
        let is_right = match self.shown {
            Shown::Nothing => {
                return Ok(Checked::Refused(Refusal::SecondFactor(SecondFactorRefusal::Required)));
            }
            Shown::Nonsense => false,
            Shown::Recovery(hash) => {
                which == Of::SignIns && second_factors::use_code(tx, self.whose, hash)?
            }
            Shown::Totp(step) => {
                if let Err(retry_after) = present.wrong.check(now) {
                    return Ok(Checked::Refused(Refusal::TooManyRequests { retry_after }));
                }
                let is_right = match step {
                    Some((_, skew)) if !skew.is_bearable() => false,
                    Some(step) => second_factors::take_step(tx, self.whose, secret, step)?,
                    None => false,
                };
                if !is_right {
                    second_factors::count_wrong(tx, self.whose, now)?;
                }
                is_right
            }
        };
        if is_right {
            return Ok(Checked::Right);
        }
        refusals::count(tx, owner, &self.wrong, now)?;
        if let Shown::Totp(Some((_, skew))) = self.shown
            && !skew.is_bearable()
        {
            return Ok(Checked::Refused(Refusal::invalid("code", skew.problem())));
        }
        Ok(Checked::Refused(Refusal::SecondFactor(SecondFactorRefusal::CodeWrong)))
    }
}

impl Of {
    fn has(self, found: &second_factors::SecondFactor, now: Timestamp) -> bool {
        match self {
            Self::SignIns => found.confirmed_at.is_some(),
            Self::Setup => {
                let ends_at = found.begun_at.plus(domain::second_factor::SETUP_LIFETIME);
                found.confirmed_at.is_none() && now < ends_at
            }
        }
    }
}
