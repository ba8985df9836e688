//! Questions to the page, as its address puts them: which days, which currency, how fine the chart is, and by what the
//! list is grouped.

use domain::language::Language;
use domain::links::Currency;
use domain::statistics::{COUNTED_DAYS_MAX, DAYS, DAYS_MAX, GroupBy, Period};
use domain::time::CaracasDate;
use http::Uri;

use super::PATH;
use super::texts::SalesTexts;
use crate::dashboard::days::Days;
use crate::dashboard::form::FormState;
use crate::written::encoded;

/// How many days have a bar for each hour.
const HOURLY_DAYS_MAX: u32 = 2;

/// Parameters that a link of the page to itself keeps.
const KEPT: [&str; 6] = ["period", "from", "to", "currency", "each", "by"];

/// Groups that the list shows.
pub(super) const RANKED: [GroupBy; 6] = [
    GroupBy::Bank,
    GroupBy::Client,
    GroupBy::Key,
    GroupBy::Person,
    GroupBy::PayerBank,
    GroupBy::Subscription,
];

/// Days that are chosen in one press, or typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    Today,
    Yesterday,
    Week,
    Month,
    LastMonth,
    Typed,
}

impl Span {
    /// Choices of one press, with the words that an address has for them.
    pub(super) const CHOICES: [(Self, &str); 5] = [
        (Self::Today, "today"),
        (Self::Yesterday, "yesterday"),
        (Self::Week, "week"),
        (Self::Month, "month"),
        (Self::LastMonth, "last_month"),
    ];

    fn period(
        self,
        today: CaracasDate,
        (from, to): (Option<CaracasDate>, Option<CaracasDate>),
    ) -> Period {
        let yesterday = today.plus_days(-1);
        let of_month = today.month().day(1);
        let before_month = of_month.plus_days(-1);
        let back = 1 - i32::try_from(DAYS).unwrap_or(1);
        match self {
            Self::Today => Period { from: today, to: today },
            Self::Yesterday => Period { from: yesterday, to: yesterday },
            Self::Week => Period { from: today.plus_days(-6), to: today },
            Self::Month => Period { from: of_month, to: today },
            Self::LastMonth => Period { from: before_month.month().day(1), to: before_month },
            Self::Typed => {
                let to = to.unwrap_or_else(|| from.map_or(today, |from| from.max(today)));
                Period { from: from.unwrap_or_else(|| to.plus_days(back)), to }
            }
        }
    }
}

/// A page of sales as it is asked for.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) span: Span,
    pub(super) period: Period,
    /// Meaning of a bar.
    pub(super) each: GroupBy,
    /// Meaning of a row of the list.
    pub(super) by: GroupBy,
    /// The currency, where one is named.
    pub(super) currency: Option<Currency>,
    /// The days as they were typed, and what is wrong with them.
    pub(super) form: FormState,
    pub(super) is_wrong: bool,
}

impl Asked {
    pub(super) fn of(uri: &Uri, today: CaracasDate, language: Language) -> Self {
        let word = web::query::typed(uri, "period");
        let days = Days::of(uri, language);
        let chosen = Span::CHOICES.iter().find(|(_, of)| *of == word).map(|(span, _)| *span);
        let unchosen = if days.are_asked() { Span::Typed } else { Span::Month };
        let span = chosen.unwrap_or(unchosen);
        let period = span.period(today, days.typed());
        let mut is_wrong = span == Span::Typed && days.are_wrong();
        let mut form = days.beside(FormState::default());
        if !is_wrong && period.days() > DAYS_MAX {
            is_wrong = true;
            form = form.with_problem("from", SalesTexts::of(language).too_long);
        }
        let asked = |name| GroupBy::parse(&web::query::typed(uri, name));
        let finenesses = finenesses(period);
        let first = finenesses.first().copied().unwrap_or_default();
        Self {
            span,
            period,
            each: asked("each").filter(|each| finenesses.contains(each)).unwrap_or(first),
            by: asked("by").filter(|by| RANKED.contains(by)).unwrap_or(GroupBy::Bank),
            currency: Currency::parse(&web::query::typed(uri, "currency")),
            form,
            is_wrong,
        }
    }

    /// How the fine sums are grouped by which the period is compared, and people's hours are known: by hour, or by day
    /// where there are too many.
    pub(super) fn finest(&self) -> GroupBy {
        if self.period.days() <= COUNTED_DAYS_MAX { GroupBy::Hour } else { GroupBy::Day }
    }

    /// Tells whether the list can be grouped so for as many days.
    pub(super) fn is_ranked(&self) -> bool {
        self.period.days() <= self.by.days_max()
    }
}

/// Meanings that a bar can have in such a period, the finest first.
pub(super) fn finenesses(period: Period) -> Vec<GroupBy> {
    let days = period.days();
    let each = [
        (GroupBy::Hour, days <= HOURLY_DAYS_MAX),
        (GroupBy::Day, days <= COUNTED_DAYS_MAX),
        (GroupBy::Month, period.from.month() != period.to.month()),
    ];
    each.into_iter().filter(|(_, is_offered)| *is_offered).map(|(each, _)| each).collect()
}

/// The address of the page with that value, without what is dropped, and with everything else as it is.
pub(super) fn address(uri: &Uri, dropped: &[&str], (name, value): (&str, &str)) -> String {
    let is_kept = |of: &str| KEPT.contains(&of) && of != name && !dropped.contains(&of);
    let kept =
        web::query::pairs(uri).into_iter().filter(|(of, text)| is_kept(of) && !text.is_empty());
    let kept: String =
        kept.map(|(of, text)| format!("{}={}&", encoded(&of), encoded(&text))).collect();
    format!("{PATH}?{kept}{name}={value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> Asked {
        let today = CaracasDate::parse("2026-11-20").unwrap();
        Asked::of(&format!("{PATH}?{query}").parse().unwrap(), today, Language::Es)
    }

    #[test]
    fn days_are_those_of_the_press_or_of_what_was_typed() {
        for (query, from, to) in [
            ("", "2026-11-01", "2026-11-20"),
            ("period=today", "2026-11-20", "2026-11-20"),
            ("period=yesterday&from=2026-01-01", "2026-11-19", "2026-11-19"),
            ("period=week", "2026-11-14", "2026-11-20"),
            ("period=last_month", "2026-10-01", "2026-10-31"),
            ("from=2026-11-05", "2026-11-05", "2026-11-20"),
            ("to=2026-01-30", "2026-01-01", "2026-01-30"),
        ] {
            let Asked { period, is_wrong, .. } = asked(query);
            assert_eq!(
                (period.from.to_string(), period.to.to_string()),
                (from.to_owned(), to.to_owned()),
                "{query}"
            );
            assert!(!is_wrong, "{query}");
        }
        for query in ["from=x", "from=2026-11-02&to=2026-11-01", "from=2025-01-01&to=2026-02-05"] {
            assert!(asked(query).is_wrong, "{query}");
        }
    }

    #[test]
    fn bars_are_as_fine_as_there_is_room_for() {
        for (query, each) in [
            ("period=today", GroupBy::Hour),
            ("period=today&each=day", GroupBy::Day),
            ("period=week&each=hour", GroupBy::Day),
            ("from=2026-10-01&to=2026-11-20&each=day", GroupBy::Month),
        ] {
            assert_eq!(asked(query).each, each, "{query}");
        }
        assert!(!asked("from=2026-10-01&to=2026-11-20&by=payer_bank").is_ranked());
    }

    #[test]
    fn an_address_keeps_what_the_page_knows() {
        let uri: Uri = "/app/sales?period=week&currency=USD&page=2&x=1&each=day".parse().unwrap();
        let found = address(&uri, &["from", "to", "each"], ("period", "today"));
        assert_eq!(found, "/app/sales?currency=USD&period=today");
    }
}
