//! What is taken of an answer of the address, and what is doubted: what is too far from what was known before it.

use domain::rates::{DoubtfulRate, ExchangeRate, Rate, RateOrigin, RateRule, SERVES_DAYS};
use domain::time::{CaracasDate, Timestamp};
use store::fault::Fault;
use store::tx::Tx;
use store::{exchange_rates, rate_address};

/// Corrections of a day's rate from which on the operator is asked to look at its source.
const CORRECTIONS_NOTED: usize = 3;

/// Days before today within which a rate stood that another one is compared with.
const STOOD_DAYS: i32 = 31;

/// The result of an answer: what was recorded, and what was not and no earlier answer had reported.
pub(super) struct Kept {
    pub(super) taken: Vec<ExchangeRate>,
    /// Rates among them that correct their day once too often.
    pub(super) corrected: Vec<ExchangeRate>,
    pub(super) doubted: Vec<DoubtfulRate>,
}

/// An answer that is looked at, rate by rate.
pub(super) struct Taking {
    percent: u32,
    now: Timestamp,
    /// What earlier answers reported and nobody took.
    known: Vec<DoubtfulRate>,
    new: Vec<ExchangeRate>,
    corrected: Vec<ExchangeRate>,
    doubted: Vec<DoubtfulRate>,
}

/// Reason for not taking a rate.
enum Doubt {
    /// It is too far from that one.
    FarFrom(Rate),
    /// It is the first, and no earlier answer agrees with it.
    First,
}

impl Taking {
    /// Takes a rate that is within so many hundredths of those before.
    pub(super) fn new(tx: &mut Tx<'_>, percent: u32, now: Timestamp) -> Result<Self, Fault> {
        let known = rate_address::doubtful(tx)?;
        let (new, corrected, doubted) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { percent, now, known, new, corrected, doubted })
    }

    /// Takes what can be taken of the rates, which come oldest first.
    pub(super) fn take_all(
        mut self,
        tx: &mut Tx<'_>,
        reported: &[ExchangeRate],
    ) -> Result<Kept, Fault> {
        reported.iter().try_for_each(|rate| self.take(tx, rate))?;
        self.new.iter().try_for_each(|rate| exchange_rates::insert(tx, rate))?;
        self.forget(tx, reported)?;
        Ok(Kept { taken: self.new, corrected: self.corrected, doubted: self.doubted })
    }

    fn take(&mut self, tx: &mut Tx<'_>, rate: &ExchangeRate) -> Result<(), Fault> {
        let of_day = exchange_rates::of_day(tx, rate.currency, rate.value_date)?;
        let is_said = |kept: &ExchangeRate| {
            kept.origin == RateOrigin::Operator || kept.says_the_same_as(rate)
        };
        if of_day.as_ref().is_some_and(is_said) {
            return self.settle(tx, rate);
        }
        match self.doubt_of(tx, rate)? {
            Some(Doubt::FarFrom(former)) => self.doubt(tx, doubtful(rate, Some(former), self.now)),
            Some(Doubt::First) => self.doubt(tx, doubtful(rate, None, self.now)),
            None => {
                let day = rate.value_date..=rate.value_date;
                let recorded = exchange_rates::of_days(tx, rate.currency, day)?.len();
                let id = of_day.map_or(rate.id, |of_day| rate.id.behind(of_day.id));
                let rate = ExchangeRate { id, ..rate.clone() };
                if recorded == CORRECTIONS_NOTED {
                    self.corrected.push(rate.clone());
                }
                self.settle(tx, &rate)?;
                self.new.push(rate);
                Ok(())
            }
        }
    }

    /// Finds why the rate is doubtful, if it is. Small steps lead as far as one great one, so that the latest alone is no
    /// measure: not the latest correction of the day, nor the day before where the same answer reported it, nor, for
    /// what was doubtful once, what was taken since, nor, for a day to come, the day before it where that is yet to
    /// come, too, nor, for a day that nobody recorded in its time, what was taken today of the days before it. What the
    /// operator said of the day before ends such a doubt. Where nothing is known to compare it with, an answer of
    /// before must have agreed with it.
    fn doubt_of(&self, tx: &mut Tx<'_>, rate: &ExchangeRate) -> Result<Option<Doubt>, Fault> {
        let first = exchange_rates::first_of_day(tx, rate.currency, rate.value_date)?;
        let before = exchange_rates::before(tx, rate.currency, rate.value_date)?;
        let earlier = before.as_ref().map(|before| before.value_date);
        let in_answer = self.new.iter().rev().find(|new| new.currency == rate.currency);
        let in_answer = in_answer.filter(|new| earlier < Some(new.value_date));
        let doubt = self.known.iter().find(|known| is_of_day(known, rate));
        let is_looked_at = before.as_ref().is_some_and(|one| one.origin == RateOrigin::Operator);
        let doubt = doubt.filter(|_| !is_looked_at).and_then(|doubt| doubt.former);
        let is_to_come = CaracasDate::of(self.now) < rate.value_date && !is_looked_at;
        let today = if is_to_come {
            exchange_rates::latest(tx, rate.currency, RateRule::ByValueDate, self.now)?
        } else {
            None
        };
        let is_missed = first.is_none() && !is_to_come && !is_looked_at;
        let stood = if is_missed { self.stood(tx, rate)? } else { None };
        let formers = [first.as_ref(), before.as_ref(), today.as_ref(), stood.as_ref(), in_answer];
        let formers = formers.into_iter().flatten();
        let formers: Vec<Rate> = doubt.into_iter().chain(formers.map(|one| one.rate)).collect();
        if formers.is_empty() {
            return Ok((!self.is_agreed(rate)).then_some(Doubt::First));
        }
        let far = formers.into_iter().find(|former| rate.rate.is_jump_from(*former, self.percent));
        Ok(far.map(Doubt::FarFrom))
    }

    /// Finds what served of the currency when this day began, or what the operator has said since, where the rate would serve
    /// after it. Where all was recorded today, it is the latest of what came first.
    fn stood(&self, tx: &mut Tx<'_>, rate: &ExchangeRate) -> Result<Option<ExchangeRate>, Fault> {
        let today = CaracasDate::of(self.now);
        let days = today.plus_days(-STOOD_DAYS)..=today;
        let recorded = exchange_rates::of_days(tx, rate.currency, days)?;
        let is_of_before = |one: &&ExchangeRate| {
            one.origin == RateOrigin::Operator || one.id.made_at() < today.start()
        };
        let first_at = recorded.iter().map(|one| one.id.made_at()).min();
        let stood = recorded.iter().rfind(is_of_before);
        let stood =
            stood.or_else(|| recorded.iter().rfind(|one| Some(one.id.made_at()) == first_at));
        Ok(stood.filter(|one| one.value_date < rate.value_date).cloned())
    }

    /// Says whether an answer of before reported a first rate of the currency that this one is near to.
    fn is_agreed(&self, rate: &ExchangeRate) -> bool {
        let agrees = |known: &DoubtfulRate| {
            known.currency == rate.currency
                && known.former.is_none()
                && !rate.rate.is_jump_from(known.rate, self.percent)
        };
        self.known.iter().any(agrees)
    }

    fn doubt(&mut self, tx: &mut Tx<'_>, doubt: DoubtfulRate) -> Result<(), Fault> {
        let is_known = |known: &DoubtfulRate| {
            (known.currency, known.value_date, known.rate)
                == (doubt.currency, doubt.value_date, doubt.rate)
        };
        if self.known.iter().any(is_known) {
            return Ok(());
        }
        rate_address::doubt(tx, &doubt)?;
        self.doubted.push(doubt);
        Ok(())
    }

    /// Forgets doubts that this answer does not repeat and that nobody waits for any more: their day is over, and the
    /// rate of a later one serves, or they would be too old to serve.
    fn forget(&self, tx: &mut Tx<'_>, reported: &[ExchangeRate]) -> Result<(), Fault> {
        let today = CaracasDate::of(self.now);
        for doubt in &self.known {
            let is_repeated = reported.iter().any(|rate| is_of_day(doubt, rate));
            if is_repeated || today <= doubt.value_date {
                continue;
            }
            let rule = RateRule::ByValueDate;
            let serving = exchange_rates::latest(tx, doubt.currency, rule, self.now)?;
            let is_followed = serving.is_some_and(|rate| doubt.value_date < rate.value_date);
            if is_followed || doubt.value_date.days_apart(today) >= SERVES_DAYS {
                rate_address::settle_day(tx, doubt.currency, doubt.value_date)?;
            }
        }
        Ok(())
    }

    /// Forgets what was doubtful of the rate's day.
    fn settle(&self, tx: &mut Tx<'_>, rate: &ExchangeRate) -> Result<(), Fault> {
        if self.known.iter().any(|known| is_of_day(known, rate)) {
            rate_address::settle_day(tx, rate.currency, rate.value_date)?;
        }
        Ok(())
    }
}

fn is_of_day(doubt: &DoubtfulRate, rate: &ExchangeRate) -> bool {
    (doubt.currency, doubt.value_date) == (rate.currency, rate.value_date)
}

fn doubtful(rate: &ExchangeRate, former: Option<Rate>, now: Timestamp) -> DoubtfulRate {
    DoubtfulRate {
        currency: rate.currency,
        value_date: rate.value_date,
        until: rate.until,
        rate: rate.rate,
        published_at: rate.published_at,
        source: rate.source.clone(),
        former,
        since: now,
    }
}
