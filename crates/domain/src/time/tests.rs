use proptest::prelude::*;

use super::*;

fn at(text: &str) -> Timestamp {
    let instant: jiff::Timestamp = text.parse().unwrap();
    Timestamp::from_micros(instant.as_microsecond())
}

fn day(text: &str) -> CaracasDate {
    CaracasDate::parse(text).unwrap()
}

#[test]
fn an_instant_shows_as_utc_with_milliseconds() {
    assert_eq!(at("2026-11-20T12:00:00Z").to_string(), "2026-11-20T12:00:00.000Z");
    assert_eq!(at("2026-11-20T12:00:00.1239Z").to_string(), "2026-11-20T12:00:00.123Z");
    assert_eq!(Timestamp::from_micros(0).to_string(), "1970-01-01T00:00:00.000Z");
    let mut text = String::from("at ");
    at("2026-11-20T12:00:00.1204Z").push_to(&mut text);
    assert_eq!(text, "at 2026-11-20T12:00:00.120400Z");
    assert!(Timestamp::from_micros(i64::MAX).to_string().starts_with("9999-12-"));
}

#[test]
fn an_instant_is_read_with_its_offset() {
    let noon = at("2026-11-20T16:00:00Z");
    for text in
        ["2026-11-20T12:00:00-04:00", "2026-11-20T16:00:00Z", "2026-11-20t16:00:00.0000009Z"]
    {
        assert_eq!(Timestamp::parse(text), Ok(noon), "{text}");
    }
    for text in ["", "2026-11-20", "2026-11-20T12:00:00", "2026-11-31T12:00:00Z", "noon"] {
        assert_eq!(Timestamp::parse(text), Err(InvalidDate::Instant), "{text}");
    }
}

#[test]
fn sums_of_instants_stop_at_the_ends() {
    let now = Timestamp::from_micros(5_000_000);
    assert_eq!(now.plus(Duration::from_secs(1)).as_micros(), 6_000_000);
    assert_eq!(now.minus(Duration::from_secs(6)).as_seconds(), -1);
    assert_eq!(now.plus(Duration::MAX).as_micros(), i64::MAX);
    assert_eq!(now.since(Timestamp::from_micros(2_000_000)), Duration::from_secs(3));
    assert_eq!(now.since(Timestamp::from_micros(9_000_000)), Duration::ZERO);
}

#[test]
fn a_day_begins_four_hours_after_that_of_utc() {
    assert_eq!(CaracasDate::of(at("2026-11-20T03:59:59.999Z")), day("2026-11-19"));
    assert_eq!(CaracasDate::of(at("2026-11-20T04:00:00Z")), day("2026-11-20"));
    assert_eq!(day("2026-11-20").start(), at("2026-11-20T04:00:00Z"));
}

#[test]
fn the_years_of_the_half_hour_are_known() {
    // From 9 December 2007 to 1 May 2016 Caracas was four and a half hours behind.
    assert_eq!(day("2015-06-01").start(), at("2015-06-01T04:30:00Z"));
    assert_eq!(CaracasDate::of(at("2015-06-01T04:15:00Z")), day("2015-05-31"));
    assert_eq!(CaracasMonth::parse("2016-05").unwrap().start(), at("2016-05-01T04:30:00Z"));
    assert_eq!(CaracasMonth::parse("2016-06").unwrap().start(), at("2016-06-01T04:00:00Z"));
}

#[test]
fn only_real_dates_of_the_one_form_are_read() {
    for text in [
        "2026-02-29",
        "2026-13-01",
        "2026-1-01",
        "1999-12-31",
        "26-11-20",
        "2026-11-20 ",
        "20261120",
        "2026-11-20-",
        "+026-11-20",
        "",
    ] {
        assert_eq!(CaracasDate::parse(text), Err(InvalidDate::Date), "{text}");
    }
    for text in ["2026-00", "2026-13", "2026", "2026-11-01", "1999-12", "2026-1", ""] {
        assert_eq!(CaracasMonth::parse(text), Err(InvalidDate::Month), "{text}");
    }
    assert_eq!(day("2028-02-29").to_string(), "2028-02-29");
}

#[test]
fn the_calendar_has_two_ends() {
    assert_eq!(day("2000-01-01").days(), i64::from(FIRST_DAY));
    assert_eq!(day("9999-12-30").days(), i64::from(LAST_DAY));
    assert_eq!(CaracasDate::from_days(i64::from(LAST_DAY) + 1), None);
    assert_eq!(day("2000-01-01").plus_days(-1), day("2000-01-01"));
    assert_eq!(day("9999-12-30").plus_days(i32::MAX), day("9999-12-30"));
    assert_eq!(CaracasDate::of(Timestamp::from_micros(i64::MAX)), day("9999-12-30"));
    assert_eq!(CaracasDate::parse("9999-12-31"), Err(InvalidDate::Date));
    assert_eq!(CaracasDate::of(Timestamp::from_micros(i64::MIN)), day("2000-01-01"));
    assert_eq!(day("9999-12-30").start(), at("9999-12-30T04:00:00Z"));
}

#[test]
fn a_month_follows_a_month() {
    let november = CaracasMonth::of(at("2026-12-01T03:59:59Z"));
    assert_eq!(november.to_string(), "2026-11");
    assert_eq!(november.as_i64(), 202_611);
    assert_eq!(november.next().start(), at("2026-12-01T04:00:00Z"));
    assert_eq!(november.next().next().to_string(), "2027-01");
    let last = CaracasMonth::parse("9999-12").unwrap();
    assert_eq!(last.next(), last);
}

proptest! {
    #[test]
    fn every_instant_lies_in_its_own_day(micros in 946_699_200_000_000_i64..4_102_444_800_000_000) {
        let instant = Timestamp::from_micros(micros);
        let day = CaracasDate::of(instant);
        prop_assert!(day.start() <= instant && instant < day.plus_days(1).start());
        let month = CaracasMonth::of(instant);
        prop_assert!(month.start() <= instant && instant < month.next().start());
        prop_assert_eq!(CaracasMonth::from_i64(month.as_i64()), Some(month));
    }

    #[test]
    fn a_day_reads_back_from_its_text_and_its_number(days in FIRST_DAY..=LAST_DAY) {
        let day = CaracasDate::from_days(i64::from(days)).unwrap();
        prop_assert_eq!(CaracasDate::parse(&day.to_string()), Ok(day));
        prop_assert_eq!(CaracasDate::from_days(day.days()), Some(day));
    }
}
