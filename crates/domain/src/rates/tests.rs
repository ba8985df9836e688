use proptest::prelude::*;

use super::*;

fn rate(text: &str) -> Rate {
    Rate::parse(text).unwrap()
}

#[test]
fn a_rate_is_read_as_it_is_published() {
    for (text, shown) in [
        ("872.3927", "872.3927"),
        ("872,39270000", "872.3927"),
        (" 36 ", "36.00"),
        ("0.00000001", "0.00000001"),
        ("977.2", "977.20"),
        ("10000000", "10000000.00"),
        ("00000872.5", "872.50"),
    ] {
        assert_eq!(rate(text).to_string(), shown, "{text}");
        assert_eq!(Rate::from_units(rate(text).units()), Some(rate(text)));
    }
}

#[test]
fn what_is_no_rate_is_refused() {
    for text in [
        "",
        ".",
        ",5",
        "0",
        "0.0",
        "-1",
        "+1",
        "1e3",
        "NaN",
        "1.234,56",
        "1,234.56",
        "872.392700001",
        "10000000.00000001",
        "999999999",
        "８７２",
        "8 72",
        "0x10",
    ] {
        assert_eq!(Rate::parse(text), Err(InvalidRate), "{text}");
    }
}

#[test]
fn half_of_a_hundredth_is_owed_as_one() {
    for (price, of, owed) in [
        (100, "872.3927", Some(87_239)),
        (100, "872.395", Some(87_240)),
        (100, "872.39499999", Some(87_239)),
        // 0.60 dollars at 36.00 are 21.60, not 36.00 nor 0.60.
        (60, "36", Some(2_160)),
        (1, "0.5", Some(1)),
        (1, "0.49999999", None),
        (Bolivars::MAX.hundredths(), "1", Some(Bolivars::MAX.hundredths())),
        (Bolivars::MAX.hundredths(), "1.00000001", None),
        (i64::MAX, "10000000", None),
    ] {
        assert_eq!(rate(of).owed(price).map(Bolivars::hundredths), owed, "{price} at {of}");
    }
}

#[test]
fn a_jump_is_more_than_so_many_hundredths() {
    for (text, percent, is_jump) in [
        ("110", 10, false),
        ("110.00000001", 10, true),
        ("90", 10, false),
        ("89.99999999", 10, true),
        ("100.00000001", 0, true),
        ("100", 0, false),
        ("10000000", 9_999_900, false),
    ] {
        assert_eq!(rate(text).is_jump_from(rate("100"), percent), is_jump, "{text} by {percent}");
    }
}

/// Published on Friday 2026-11-20 at 17:00 in Caracas, for Monday.
fn of_monday(until: Option<&str>) -> ExchangeRate {
    ExchangeRate {
        id: RateId::from_bytes([1; 16]),
        currency: Currency::Usd,
        rate: rate("872.3927"),
        value_date: CaracasDate::parse("2026-11-23").unwrap(),
        until: until.map(|day| CaracasDate::parse(day).unwrap()),
        published_at: at("2026-11-20T17:00:00-04:00"),
        source: RateSource::parse("BCV").unwrap(),
        origin: RateOrigin::Operator,
    }
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

#[test]
fn the_weekend_belongs_to_monday_only_by_publication() {
    use RateRule::{ByPublication, ByValueDate};
    for (instant, rule, serves) in [
        ("2026-11-21T12:00:00-04:00", ByValueDate, false),
        ("2026-11-21T12:00:00-04:00", ByPublication, true),
        // 20:00 of Sunday in Caracas is Monday in UTC.
        ("2026-11-22T20:00:00-04:00", ByValueDate, false),
        ("2026-11-22T23:59:59-04:00", ByValueDate, false),
        ("2026-11-23T00:00:00-04:00", ByValueDate, true),
        ("2026-11-29T23:59:59-04:00", ByValueDate, true),
        ("2026-11-30T00:00:00-04:00", ByValueDate, false),
        ("2026-11-29T23:59:59-04:00", ByPublication, true),
        ("2026-11-30T00:00:00-04:00", ByPublication, false),
    ] {
        assert_eq!(of_monday(None).serves(rule, at(instant)), serves, "{instant} {rule:?}");
    }
}

#[test]
fn a_last_day_that_the_source_says_holds() {
    let of_holiday = of_monday(Some("2026-12-07"));
    assert!(of_holiday.serves(RateRule::ByValueDate, at("2026-12-07T23:59:59-04:00")));
    assert!(!of_holiday.serves(RateRule::ByValueDate, at("2026-12-08T00:00:00-04:00")));
}

#[test]
fn a_rate_is_of_a_month_at_most_and_said_a_month_ahead_at_most() {
    let day = |text| CaracasDate::parse(text).unwrap();
    let days = |last| RateDays::new(day("2026-11-20"), last);
    assert_eq!(days(Some(day("2026-11-19"))), Err(InvalidDays::Reversed));
    assert!(days(Some(day("2026-11-20"))).is_ok() && days(Some(day("2026-12-21"))).is_ok());
    assert_eq!(days(Some(day("2026-12-22"))), Err(InvalidDays::TooLong));
    assert_eq!(days(Some(day("2062-11-20"))), Err(InvalidDays::TooLong));
    let said = days(None).unwrap();
    let are_beyond = |today| said.are_beyond(day(today), DAYS_MAX);
    assert!(!are_beyond("2026-10-20") && are_beyond("2026-10-19") && !are_beyond("2030-01-01"));
}

/// `left × right` by long multiplication of decimal digits, as one does it on paper.
fn on_paper(left: u64, right: u64) -> Vec<u8> {
    let digits = |number: u64| number.to_string().bytes().rev().map(|digit| digit - b'0').collect();
    let (left, right): (Vec<u8>, Vec<u8>) = (digits(left), digits(right));
    let mut product = vec![0; left.len() + right.len()];
    for (place, digit) in left.iter().enumerate() {
        let mut carry = 0;
        for (other, with) in right.iter().enumerate() {
            let sum = product[place + other] + digit * with + carry;
            product[place + other] = sum % 10;
            carry = sum / 10;
        }
        product[place + right.len()] += carry;
    }
    product
}

/// Returns the product without its last eight digits, plus one where the first of these is five or more.
fn rounded_on_paper(product: &[u8]) -> u128 {
    let digit = |place: usize| u128::from(product.get(place).copied().unwrap_or(0));
    let whole = (DECIMALS..product.len()).rev().fold(0, |sum, place| sum * 10 + digit(place));
    whole + u128::from(digit(DECIMALS - 1) >= 5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn what_is_owed_is_what_one_computes_on_paper(
        price in 1..=Bolivars::MAX.hundredths(),
        units in 1..=Rate::MAX.units(),
        shift in 0_u32..40,
    ) {
        // Small ones as often as large ones.
        let (price, units) = ((price >> shift).max(1), (units >> (39 - shift)).max(1));
        let paper = rounded_on_paper(&on_paper(price.unsigned_abs(), units.unsigned_abs()));
        let owed = Rate::from_units(units).unwrap().owed(price);
        let is_payable = (1..=Bolivars::MAX.hundredths() as u128).contains(&paper);
        prop_assert_eq!(owed.map(|owed| owed.hundredths() as u128), is_payable.then_some(paper));
    }

    #[test]
    fn every_rate_reads_back_from_its_text(units in 1..=Rate::MAX.units()) {
        let rate = Rate::from_units(units).unwrap();
        prop_assert_eq!(Rate::parse(&rate.to_string()), Ok(rate));
    }
}
