//! The hours of a week as a strip: a row for each day, a column for each hour, the fuller the darker.

use domain::language::Language;
use domain::statistics::WeekHour;

use crate::dashboard::payments::narrowed::{Rows, clock, weekday};
use crate::dashboard::written::count;

/// How many shades there are.
const SHADES: usize = 4;

/// A strip.
#[derive(Clone, Debug)]
pub(crate) struct Week {
    pub(crate) title: String,
    /// Text that leads to the numbers.
    pub(crate) numbers: &'static str,
    /// Name of the first column of the table.
    pub(crate) when: &'static str,
    pub(crate) is_test: bool,
    /// The drawing of each shade, the lightest first.
    pub(crate) shades: Vec<String>,
    /// The days, from Monday on: in full, short, and where their rows are.
    pub(crate) days: Vec<Heading>,
    /// The hours in which something was, with the number of each day.
    pub(crate) hours: Vec<Line>,
}

/// Heading of a column or a line.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    pub(crate) name: String,
    pub(crate) short: String,
    pub(crate) href: Option<String>,
}

/// An hour of the day.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) heading: Heading,
    /// How many there were on each day; empty where there were none.
    pub(crate) counts: Vec<String>,
}

/// How many there were in an hour of the week.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) at: WeekHour,
    pub(crate) count: i64,
}

impl Week {
    /// The strip of these, each hour of the week once at most.
    pub(crate) fn of(
        slots: &[Slot],
        rows: Option<&Rows>,
        (title, numbers, when): (String, &'static str, &'static str),
        language: Language,
    ) -> Self {
        let count_at = |weekday: u8, hour: u8| {
            let mut found = slots.iter().filter(|slot| slot.at == WeekHour { weekday, hour });
            found.next().map_or(0, |slot| slot.count)
        };
        let day = |day: u8| {
            let [name, short] = weekday(day, language).map(str::to_owned);
            let is_there = slots.iter().any(|slot| slot.at.weekday == day && slot.count > 0);
            let at = WeekHour { weekday: day, hour: 0 };
            Heading { name, short, href: rows.filter(|_| is_there).map(|rows| rows.on(at)) }
        };
        let line = |hour: u8| {
            let counts: Vec<_> = (0..7).map(|day| count_at(day, hour)).collect();
            let is_there = counts.iter().any(|count| *count > 0);
            let written = |of: &i64| if *of > 0 { count(*of, language) } else { String::new() };
            let href = rows.map(|rows| rows.at(WeekHour { weekday: 0, hour }));
            let heading = Heading { name: clock(hour), short: clock(hour), href };
            is_there.then(|| Line { heading, counts: counts.iter().map(written).collect() })
        };
        Self {
            title,
            numbers,
            when,
            is_test: false,
            shades: shades(slots),
            days: (0..7).map(day).collect(),
            hours: (0..24).filter_map(line).collect(),
        }
    }
}

/// The drawing of each shade: a square of nine for each hour, ten from one to the next.
fn shades(slots: &[Slot]) -> Vec<String> {
    let most = slots.iter().map(|slot| slot.count).max().unwrap_or(0).max(1);
    let mut shades = vec![String::new(); SHADES];
    for slot in slots.iter().filter(|slot| slot.count > 0) {
        let share = i128::from(slot.count) * SHADES as i128;
        let shade = usize::try_from((share - 1) / i128::from(most)).unwrap_or_default();
        let (x, y) = (u32::from(slot.at.hour) * 10, u32::from(slot.at.weekday) * 10);
        if let Some(drawing) = shades.get_mut(shade) {
            drawing.push_str(&format!("M{x} {y}h9v9h-9z"));
        }
    }
    shades
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_hour_is_the_darkest_and_an_empty_one_is_not_drawn() {
        let slot = |weekday, hour, count| Slot { at: WeekHour { weekday, hour }, count };
        let slots = [slot(0, 0, 1), slot(6, 23, 100), slot(3, 12, 0), slot(4, 9, 50)];
        assert_eq!(shades(&slots), ["M0 0h9v9h-9z", "M90 40h9v9h-9z", "", "M230 60h9v9h-9z"]);
        let texts = (String::new(), "", "");
        let week = Week::of(&slots, None, texts, Language::Es);
        let hours: Vec<_> = week.hours.iter().map(|line| line.heading.name.clone()).collect();
        assert_eq!(hours, ["00:00", "09:00", "23:00"]);
        assert_eq!(week.hours[0].counts, ["1", "", "", "", "", "", ""]);
        assert_eq!(week.days[6].name, "domingo");
    }
}
