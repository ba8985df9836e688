//! Terms of a subscription as somebody asks for them: what is not said has its usual value, and what cannot be is said by
//! its field.

use domain::refusal::Problem;
use domain::subscriptions::{
    AnchorDay, PeriodLength, PeriodUnit, Reminders, Schedule, Terms, UnpaidPolicy,
};
use domain::time::CaracasDate;

/// The most cycles that a subscription may be limited to.
pub const CYCLES_MAX: i64 = 1_000;

/// The most days that a trial lasts, and that a subscription begins ahead.
pub const AHEAD_DAYS_MAX: i64 = 730;

/// Days before a due day that a link opens, and after it that it can be paid, unless something else is said. A period of
/// days is asked for on its own day.
const LEAD_DAYS: i64 = 3;
const GRACE_DAYS: i64 = 3;

/// Terms that are asked for. Numbers are within their own bounds; what they are together is not looked at yet.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Unit of its periods.
    pub unit: PeriodUnit,
    /// Number of units that a period has.
    pub count: i64,
    /// Day of the month that periods of months and years begin on.
    pub anchor: Option<i64>,
    /// Its first day; today, where none is said.
    pub start: Option<CaracasDate>,
    /// Days of trial before the first period.
    pub trial_days: Option<i64>,
    /// Days before its due day that a cycle's link opens.
    pub lead_days: Option<i64>,
    /// Days after its due day that a cycle can be paid by its link.
    pub grace_days: Option<i64>,
    /// Number of cycles; without one, until somebody cancels.
    pub cycles: Option<i64>,
    /// Whether a cycle is paid when its period begins; otherwise when it ends.
    pub pay_first: bool,
    /// Days on which payers are reminded; the usual ones, where none are said.
    pub reminders: Option<Reminders>,
    /// Consequence of a cycle that nobody pays in time; none, where nothing is said.
    pub unpaid: Option<UnpaidPolicy>,
}

/// A term that cannot be as it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongTerm {
    /// Its periods are too long.
    Count,
    /// Its periods have no day of the month.
    Anchor,
    /// Its first day is over, or too far ahead.
    Start,
}

impl Wanted {
    /// Returns the terms that are asked for on that day.
    ///
    /// # Errors
    /// The first term that cannot be so, and why.
    pub fn terms(self, today: CaracasDate) -> Result<Terms, (WrongTerm, Problem)> {
        let Self { unit, count, anchor, start, trial_days, .. } = self;
        let length = PeriodLength::new(unit, count).ok_or_else(|| {
            (WrongTerm::Count, Problem::whole_number(1, i64::from(unit.count_max())))
        })?;
        let has_anchor = matches!(unit, PeriodUnit::Month | PeriodUnit::Year);
        if anchor.is_some() && !has_anchor {
            let problem = ("es de períodos de meses o años", "is for periods of months or years");
            return Err((WrongTerm::Anchor, problem.into()));
        }
        let start = start.unwrap_or(today);
        let last = today.plus_days(i32::try_from(AHEAD_DAYS_MAX).unwrap_or(i32::MAX));
        if start < today || start > last {
            let problem = Problem::made(
                format!("debe ser entre hoy ({today}) y {last}"),
                format!("must be from today ({today}) to {last}"),
            );
            return Err((WrongTerm::Start, problem));
        }
        let trial = trial_days.and_then(|days| i32::try_from(days).ok()).unwrap_or(0);
        let usual_lead = if unit == PeriodUnit::Day { 0 } else { LEAD_DAYS };
        let days = |days: i64| u8::try_from(days).unwrap_or(u8::MAX);
        Ok(Terms {
            schedule: Schedule::new(
                start.plus_days(trial),
                length,
                anchor.and_then(AnchorDay::new),
            ),
            pay_first: self.pay_first,
            cycles: self.cycles.and_then(|cycles| u32::try_from(cycles).ok()),
            lead_days: days(self.lead_days.unwrap_or(usual_lead)),
            grace_days: days(self.grace_days.unwrap_or(GRACE_DAYS)),
            has_trial: trial > 0,
            reminders: self.reminders.unwrap_or_default(),
            unpaid: self.unpaid.unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TODAY: &str = "2026-11-20";

    fn monthly() -> Wanted {
        Wanted {
            unit: PeriodUnit::Month,
            count: 1,
            anchor: None,
            start: None,
            trial_days: None,
            lead_days: None,
            grace_days: None,
            cycles: None,
            pay_first: true,
            reminders: None,
            unpaid: None,
        }
    }

    fn terms(wanted: Wanted) -> Result<Terms, WrongTerm> {
        wanted.terms(CaracasDate::parse(TODAY).unwrap()).map_err(|(wrong, _)| wrong)
    }

    #[test]
    fn terms_that_are_not_said_have_their_usual_values() {
        let usual = terms(monthly()).unwrap();
        assert_eq!(usual.schedule.begins().to_string(), TODAY);
        assert_eq!((usual.lead_days, usual.grace_days, usual.has_trial), (3, 3, false));
        assert_eq!((usual.reminders, usual.unpaid), (Reminders::default(), UnpaidPolicy::Stay));
        let quiet = Wanted { reminders: Some(Reminders::NONE), ..monthly() };
        assert_eq!(terms(quiet).unwrap().reminders, Reminders::NONE);
        let daily = terms(Wanted { unit: PeriodUnit::Day, ..monthly() }).unwrap();
        assert_eq!((daily.lead_days, daily.grace_days), (0, 3));
        let tried = terms(Wanted { trial_days: Some(10), anchor: Some(5), ..monthly() }).unwrap();
        assert_eq!(
            (tried.schedule.begins().to_string().as_str(), tried.has_trial),
            ("2026-12-05", true)
        );
    }

    #[test]
    fn a_term_that_cannot_be_is_named() {
        let day = |text: &str| Some(CaracasDate::parse(text).unwrap());
        let weekly = Wanted { unit: PeriodUnit::Week, ..monthly() };
        for (wanted, wrong) in [
            (Wanted { count: 61, ..monthly() }, WrongTerm::Count),
            (Wanted { count: 0, ..monthly() }, WrongTerm::Count),
            (Wanted { anchor: Some(1), ..weekly }, WrongTerm::Anchor),
            (Wanted { start: day("2026-11-19"), ..monthly() }, WrongTerm::Start),
            (Wanted { start: day("2028-11-20"), ..monthly() }, WrongTerm::Start),
        ] {
            assert_eq!(terms(wanted).unwrap_err(), wrong, "{wanted:?}");
        }
        assert!(terms(Wanted { start: day("2028-11-19"), ..monthly() }).is_ok());
    }
}
