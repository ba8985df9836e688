//! Rates that are to be recorded, each looked at beside those of the store and those before it.

use std::collections::BTreeMap;

use domain::links::Currency;
use domain::rates::{ExchangeRate, JUMP_PERCENT, RateOrigin};
use domain::time::CaracasDate;
use store::fault::Fault;
use store::tx::Tx;
use store::{exchange_rates, rate_address};

use super::{Recorded, Recording};
use crate::admin::AdminError;

/// The rates of a day, with its corrections.
#[derive(Default)]
struct Day {
    /// Those of the store, the latest last.
    kept: Vec<ExchangeRate>,
    /// Those that come after them.
    new: Vec<ExchangeRate>,
}

impl Day {
    fn latest(&self) -> Option<&ExchangeRate> {
        self.new.last().or(self.kept.last())
    }
}

/// All of it. Nothing is written before [`Self::write`].
pub(super) struct Batch {
    recording: Recording,
    today: CaracasDate,
    days: BTreeMap<(&'static str, CaracasDate), Day>,
    recorded: Recorded,
}

impl Batch {
    /// Reads what the store has of the days from the first of `rates` to the last, and of the day before.
    pub(super) fn load(
        tx: &mut Tx<'_>,
        rates: &[ExchangeRate],
        recording: Recording,
        today: CaracasDate,
    ) -> Result<Self, Fault> {
        let mut days: BTreeMap<_, Day> = BTreeMap::new();
        for currency in Currency::ALL {
            let of_currency = rates.iter().filter(|rate| rate.currency == currency);
            let of_currency = of_currency.map(|rate| rate.value_date);
            let (Some(first), Some(last)) = (of_currency.clone().min(), of_currency.max()) else {
                continue;
            };
            let before = exchange_rates::before(tx, currency, first)?;
            let kept = exchange_rates::of_days(tx, currency, first..=last)?;
            for rate in before.into_iter().chain(kept) {
                days.entry(key(&rate)).or_default().kept.push(rate);
            }
        }
        Ok(Self { recording, today, days, recorded: Recorded::default() })
    }

    /// Takes one, unless it may be a slip.
    pub(super) fn take(&mut self, rate: &ExchangeRate) -> Result<(), AdminError> {
        let day = self.days.get(&key(rate));
        let latest = day.and_then(Day::latest);
        if latest.is_some_and(|latest| is_recorded(latest, rate)) {
            self.recorded.unchanged += 1;
            return Ok(());
        }
        if day.is_some_and(|day| self.is_superseded(day, rate)) {
            self.recorded.superseded += 1;
            return Ok(());
        }
        let jump = self.before(rate).and_then(|before| jump(before, rate, self.today));
        if let Some(jump) = jump.filter(|_| !self.recording.accepts_jumps) {
            return Err(jump);
        }
        let id = latest.map_or(rate.id, |latest| rate.id.behind(latest.id));
        match latest {
            Some(_) => self.recorded.corrected += 1,
            None => self.recorded.added += 1,
        }
        let new = ExchangeRate { id, ..rate.clone() };
        self.days.entry(key(rate)).or_default().new.push(new);
        Ok(())
    }

    /// Tells whether an import repeats a rate that was recorded once and corrected since. Once the file itself corrects
    /// the day, the file's later rates count as corrections too.
    fn is_superseded(&self, day: &Day, rate: &ExchangeRate) -> bool {
        let was_recorded = || day.kept.iter().any(|kept| is_recorded(kept, rate));
        self.recording.is_import && day.new.is_empty() && was_recorded()
    }

    /// The latest of the day before.
    fn before(&self, rate: &ExchangeRate) -> Option<&ExchangeRate> {
        let (currency, day) = key(rate);
        let earlier = self.days.range(..(currency, day)).next_back();
        earlier.filter(|((of, _), _)| *of == currency).and_then(|(_, day)| day.latest())
    }

    /// Writes what is new, of each day in its order, and answers the outcome of all.
    pub(super) fn write(self, tx: &mut Tx<'_>) -> Result<Recorded, Fault> {
        let doubtful = rate_address::doubtful(tx)?;
        for doubt in doubtful {
            let day = self.days.get(&(doubt.currency.as_str(), doubt.value_date));
            if day.is_some_and(|day| !day.new.is_empty()) {
                rate_address::settle_day(tx, doubt.currency, doubt.value_date)?;
            }
        }
        for rate in self.days.values().flat_map(|day| &day.new) {
            exchange_rates::insert(tx, rate)?;
        }
        Ok(self.recorded)
    }
}

fn key(rate: &ExchangeRate) -> (&'static str, CaracasDate) {
    (rate.currency.as_str(), rate.value_date)
}

/// Why the rate may be a slip, beside the one before: one of a day to come however long before that is, since its
/// year may be the slip.
fn jump(before: &ExchangeRate, rate: &ExchangeRate, today: CaracasDate) -> Option<AdminError> {
    let is_jump = if today < rate.value_date {
        rate.rate.is_jump_from(before.rate, JUMP_PERCENT)
    } else {
        rate.is_jump_from(before, JUMP_PERCENT)
    };
    is_jump.then(|| AdminError::RateJump {
        currency: rate.currency.as_str(),
        value_date: rate.value_date,
        rate: rate.rate,
        former: before.rate,
        former_date: before.value_date,
    })
}

/// Tells whether the operator has recorded the same before. A rate that only an address has reported does not count: it
/// is recorded anew, so that it holds whatever is reported after.
fn is_recorded(kept: &ExchangeRate, new: &ExchangeRate) -> bool {
    kept.origin == RateOrigin::Operator && kept.says_the_same_as(new)
}
