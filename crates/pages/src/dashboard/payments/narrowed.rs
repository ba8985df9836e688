//! The group of statistics that the list of payments is narrowed to: how an address names it, and how the list says it.

use std::str::FromStr;

use app::payments::GroupFilter;
use domain::language::Language;
use domain::links::Currency;
use domain::statistics::{Period, WeekHour};
use domain::time::Timestamp;
use http::Uri;

use super::{PATH, asked};
use crate::dashboard::links::name_of_currency;
use crate::written::{encoded, minute};

/// The value of a parameter that asks for the payments which have none of the kind.
const NONE: &str = "none";

texts! {
    NarrowedTexts {
        only: "Solo", "Only";
        hour: "la hora que empieza el", "the hour starting";
        hour_of_day: "a las", "at";
        payer_bank: "desde el banco", "from bank";
        no_payer_bank: "sin banco del pagador", "without the payer's bank";
        no_client: "sin cliente", "without a client";
        key: "de una llave", "of one API key";
        no_key: "sin llave", "without an API key";
        person: "de una persona", "of one person";
        no_person: "sin persona", "without a person";
        subscription: "de una suscripción", "of one subscription";
        no_subscription: "sin suscripción", "without a subscription";
    }
}

/// The days of the week, Monday first: in full, and as short as a column takes them.
const WEEKDAYS: [[(&str, &str); 2]; 7] = [
    [("lunes", "Monday"), ("lun", "Mon")],
    [("martes", "Tuesday"), ("mar", "Tue")],
    [("miércoles", "Wednesday"), ("mié", "Wed")],
    [("jueves", "Thursday"), ("jue", "Thu")],
    [("viernes", "Friday"), ("vie", "Fri")],
    [("sábado", "Saturday"), ("sáb", "Sat")],
    [("domingo", "Sunday"), ("dom", "Sun")],
];

/// A day of the week, Monday being 0, in full and short.
pub(in crate::dashboard) fn weekday(day: u8, language: Language) -> [&'static str; 2] {
    let names = WEEKDAYS.get(usize::from(day)).copied().unwrap_or_default();
    names.map(|(es, en)| language.pick(es, en))
}

/// The hour of the day as a clock shows it.
pub(in crate::dashboard) fn clock(hour: u8) -> String {
    format!("{hour:02}:00")
}

/// Reads a group from the value of its parameter.
type Read = fn(&str) -> Option<GroupFilter>;

/// The parameters, each with how it is read. The first that an address has counts.
const PARAMETERS: [(&str, Read); 8] = [
    ("hour", |text| Timestamp::parse(text).ok().map(GroupFilter::Hour)),
    ("hour_of_day", |text| number(text, 24).map(GroupFilter::HourOfDay)),
    ("weekday", |text| number(text, 7).map(GroupFilter::Weekday)),
    ("payer_bank", |text| one_or_none(text).map(GroupFilter::PayerBank)),
    ("no_client", |text| (text == NONE).then_some(GroupFilter::NoClient)),
    ("key", |text| one_or_none(text).map(GroupFilter::Key)),
    ("person", |text| one_or_none(text).map(GroupFilter::Person)),
    ("subscription", |text| one_or_none(text).map(GroupFilter::Subscription)),
];

fn number(text: &str, below: u8) -> Option<u8> {
    text.parse().ok().filter(|number| *number < below)
}

fn one_or_none<I: FromStr>(text: &str) -> Option<Option<I>> {
    match text {
        NONE => Some(None),
        id => id.parse().ok().map(Some),
    }
}

/// A filter of an address that is not understood.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unclear;

/// The currency and the group that an address narrows the list to.
#[derive(Clone, Debug, Default)]
pub(super) struct Narrowed {
    pub(super) currency: Option<Currency>,
    pub(super) group: Option<GroupFilter>,
}

impl Narrowed {
    pub(super) fn of(uri: &Uri) -> Result<Self, Unclear> {
        let currency = match asked(uri, "currency") {
            Some(code) => Some(Currency::parse(&code).ok_or(Unclear)?),
            None => None,
        };
        let named = PARAMETERS.iter().find_map(|(name, read)| Some((asked(uri, name)?, read)));
        let group = match named {
            Some((text, read)) => Some(read(&text).ok_or(Unclear)?),
            None => None,
        };
        Ok(Self { currency, group })
    }

    /// Says what the list is narrowed to; nothing where it is not.
    pub(super) fn said(&self, language: Language) -> Option<String> {
        let t = NarrowedTexts::of(language);
        let currency = self.currency.map(|of| name_of_currency(of, language).to_owned());
        let group = self.group.as_ref().map(|group| said(group, t, language));
        let parts: Vec<_> = currency.into_iter().chain(group).collect();
        (!parts.is_empty()).then(|| format!("{}: {}", t.only, parts.join(" · ")))
    }
}

fn said(group: &GroupFilter, t: &NarrowedTexts, language: Language) -> String {
    match group {
        GroupFilter::Hour(begins) => format!("{} {}", t.hour, minute(*begins)),
        GroupFilter::HourOfDay(hour) => format!("{} {}", t.hour_of_day, clock(*hour)),
        GroupFilter::Weekday(day) => {
            let [name, _] = weekday(*day, language);
            name.to_owned()
        }
        GroupFilter::PayerBank(Some(code)) => format!("{} {code}", t.payer_bank),
        GroupFilter::PayerBank(None) => t.no_payer_bank.to_owned(),
        GroupFilter::NoClient => t.no_client.to_owned(),
        GroupFilter::Key(of) => either(of.is_some(), t.key, t.no_key),
        GroupFilter::Person(of) => either(of.is_some(), t.person, t.no_person),
        GroupFilter::Subscription(of) => either(of.is_some(), t.subscription, t.no_subscription),
    }
}

fn either(is_one: bool, one: &str, none: &str) -> String {
    let text = if is_one { one } else { none };
    text.to_owned()
}

/// The way to the payments that a figure counts: days, a currency, and a parameter of the list.
#[derive(Clone, Debug)]
pub(in crate::dashboard) struct Rows {
    query: String,
}

impl Rows {
    /// The payments of these days that are priced in the currency.
    pub(in crate::dashboard) fn of(period: Period, currency: Currency) -> Self {
        let Period { from, to } = period;
        Self { query: format!("from={from}&to={to}&currency={}", currency.as_str()) }
    }

    /// The way to all of them.
    pub(in crate::dashboard) fn all(&self) -> String {
        format!("{PATH}?{}", self.query)
    }

    /// The way to those of them that have this value of a parameter, or with no value to those that have none.
    pub(in crate::dashboard) fn with(&self, name: &str, value: Option<&str>) -> String {
        format!("{}&{name}={}", self.all(), encoded(value.unwrap_or(NONE)))
    }

    /// The way to those of that day of the week.
    pub(in crate::dashboard) fn on(&self, of: WeekHour) -> String {
        self.with("weekday", Some(&of.weekday.to_string()))
    }

    /// The way to those of that hour of any day.
    pub(in crate::dashboard) fn at(&self, of: WeekHour) -> String {
        self.with("hour_of_day", Some(&of.hour.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use domain::time::CaracasDate;

    use super::*;

    fn read(query: &str) -> Result<Narrowed, Unclear> {
        Narrowed::of(&format!("/a?{query}").parse().unwrap())
    }

    #[test]
    fn the_way_to_rows_is_read_as_it_was_written() {
        let day = |text| CaracasDate::parse(text).unwrap();
        let period = Period { from: day("2026-11-01"), to: day("2026-11-20") };
        let rows = Rows::of(period, Currency::Usd);
        let at = WeekHour { weekday: 6, hour: 23 };
        let hour = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        for (path, group) in [
            (rows.all(), None),
            (rows.on(at), Some(GroupFilter::Weekday(6))),
            (rows.at(at), Some(GroupFilter::HourOfDay(23))),
            (rows.with("hour", Some(&hour.to_string())), Some(GroupFilter::Hour(hour))),
            (
                rows.with("payer_bank", Some("0134")),
                Some(GroupFilter::PayerBank(Some("0134".to_owned()))),
            ),
            (rows.with("payer_bank", None), Some(GroupFilter::PayerBank(None))),
            (rows.with("no_client", None), Some(GroupFilter::NoClient)),
            (rows.with("key", None), Some(GroupFilter::Key(None))),
            (rows.with("person", None), Some(GroupFilter::Person(None))),
            (rows.with("subscription", None), Some(GroupFilter::Subscription(None))),
        ] {
            assert!(path.starts_with("/app/payments?from=2026-11-01&to=2026-11-20&"), "{path}");
            let narrowed = Narrowed::of(&path.parse().unwrap()).unwrap();
            assert_eq!((narrowed.currency, narrowed.group), (Some(Currency::Usd), group), "{path}");
        }
    }

    #[test]
    fn what_is_no_filter_is_said_to_be_none() {
        for query in
            ["currency=XXX", "hour=noon", "hour_of_day=24", "weekday=7", "key=x", "no_client=yes"]
        {
            assert!(read(query).is_err(), "{query}");
        }
        let none = read("currency=&key=").unwrap();
        assert_eq!(none.said(Language::Es), None);
        let said = read("currency=VEF&weekday=0").unwrap().said(Language::Es);
        assert_eq!(said.as_deref(), Some("Solo: Bolívares · lunes"));
    }
}
