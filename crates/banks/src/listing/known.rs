//! What is known of an account without another look at the bank.

use domain::time::CaracasDate;
use domain::verification::Answer;

use super::day_statement::DayStatement;
use super::{Ask, Day, Extract, Listing, is_any, shown};

impl Listing {
    /// The answer that is known already, without asking the bank: a movement beside which no other can be meant. For a
    /// bank that must not be asked again so soon; it never says what is not there.
    pub(crate) fn known<E: Extract>(
        &self,
        ask: &Ask<'_, E>,
        days: impl Iterator<Item = CaracasDate>,
    ) -> Option<Answer> {
        let days: Vec<Day> =
            days.map(|date| self.day(ask.identity, date)).collect::<Option<_>>()?;
        let is_meant = |day_statement: &DayStatement| {
            day_statement.has(ask.query, ask.is_strangers) && day_statement.has_certain(ask.query)
        };
        let answer = is_any(&days, is_meant).then(|| shown(ask, &days));
        answer.and_then(Result::ok)
    }
}
