use super::*;
use crate::bank_text::BankText;
use crate::ids::{MovementId, RateId};
use crate::matching::{PayerFacts, Sighting};
use crate::rates::RateOrigin;
use crate::reference::BankReference;

const TEN_DOLLARS: Price = Price { hundredths: 1_000, currency: Currency::Usd };

fn at(text: &str) -> Timestamp {
    Timestamp::parse(&format!("2026-11-{text}-04:00")).unwrap()
}

fn rate(rate: &str) -> ExchangeRate {
    ExchangeRate {
        id: RateId::from_bytes([1; 16]),
        currency: Currency::Usd,
        rate: Rate::parse(rate).unwrap(),
        value_date: CaracasDate::parse("2026-11-20").unwrap(),
        until: None,
        published_at: at("19T17:00:00"),
        source: RateSource::parse("BCV").unwrap(),
        origin: RateOrigin::Operator,
    }
}

fn lock(number: u8, of: &str, from: &str) -> RateLock {
    let id = RateLockId::from_bytes([number; 16]);
    RateLock::begin(id, TEN_DOLLARS, &rate(of), (60, None), at(from)).unwrap()
}

/// A movement of that time, or of some time of that day.
fn movement(at: Option<Timestamp>, day: &str) -> Movement {
    let sighting = Sighting {
        reference: BankReference::parse("123456").unwrap(),
        bank_key: None,
        amount: Bolivars::from_hundredths(872_393),
        paid_on: CaracasDate::parse(day).unwrap(),
        paid_at: at,
        payer: PayerFacts::default(),
        description: BankText::default(),
    };
    sighting.into_movement(MovementId::from_bytes([1; 16]))
}

#[test]
fn what_is_owed_is_rounded_once_and_holds_for_as_long_as_the_link_says() {
    let lock = lock(1, "872.3927", "20T10:00:00");
    assert_eq!(lock.owed, Bolivars::from_hundredths(872_393));
    assert_eq!((lock.locked_at, lock.ends_at), (at("20T10:00:00"), at("20T11:00:00")));
    assert!(lock.holds(at("20T09:59:58")) && lock.holds(at("20T10:59:59")));
    assert!(!lock.holds(at("20T11:00:00")));
    // A clock was ahead when it began.
    assert!(!lock.holds(at("20T09:00:00")));
}

#[test]
fn no_lock_outlives_its_link_and_none_is_of_what_cannot_be_paid() {
    let id = RateLockId::from_bytes([1; 16]);
    let begin = |price, rate: &str, end| {
        let end = Some(at(end));
        RateLock::begin(id, price, &self::rate(rate), (60, end), at("20T10:00:00"))
    };
    assert_eq!(begin(TEN_DOLLARS, "1", "20T10:30:00").unwrap().ends_at, at("20T10:30:00"));
    assert_eq!(begin(TEN_DOLLARS, "1", "21T10:30:00").unwrap().ends_at, at("20T11:00:00"));
    assert_eq!(begin(TEN_DOLLARS, "1", "20T10:00:00"), None);
    let cent = Price { hundredths: 1, ..TEN_DOLLARS };
    assert_eq!(begin(cent, "0.4", "21T10:30:00"), None);
    let most = Price { hundredths: 99_999_999_999_999, ..TEN_DOLLARS };
    assert_eq!(begin(most, "1.01", "21T10:30:00"), None);
}

#[test]
fn bolivares_are_owed_as_they_are_at_any_time() {
    let price = Price { hundredths: 15_075, currency: Currency::Vef };
    let amount = Bolivars::from_hundredths(15_075);
    let asked = Some(Owed { amount, paid_within: None });
    assert_eq!(owed(price, &[], None), asked);
    assert_eq!(owed(price, &[], Some(amount)), asked);
    assert_eq!(owed(price, &[], Some(Bolivars::from_hundredths(15_076))), None);
}

#[test]
fn in_another_currency_nothing_is_owed_before_a_rate_was_held() {
    assert_eq!(owed(TEN_DOLLARS, &[], None), None);
    assert_eq!(owed(TEN_DOLLARS, &[], Some(Bolivars::from_hundredths(1_000))), None);
}

#[test]
fn each_amount_was_owed_while_a_rate_of_it_was_held() {
    let locks = [
        lock(4, "880", "21T09:00:00"),
        lock(3, "872.3927", "20T13:00:00"),
        lock(2, "872.3927", "20T11:00:00"),
        lock(1, "872.3927", "20T10:00:00"),
    ];
    assert_eq!(owed(TEN_DOLLARS, &locks, None), None, "nobody says which");
    let latest = owed(TEN_DOLLARS, &locks[..1], None).unwrap();
    assert_eq!(latest.amount, Bolivars::from_hundredths(880_000));
    let former = Bolivars::from_hundredths(872_393);
    let within = owed(TEN_DOLLARS, &locks, Some(former)).unwrap().paid_within.unwrap();
    // Two that follow one another are one time.
    let times = [(at("20T10:00:00"), at("20T12:00:00")), (at("20T13:00:00"), at("20T14:00:00"))];
    assert_eq!(within.times(), times);
    assert_eq!(owed(TEN_DOLLARS, &locks, Some(Bolivars::from_hundredths(872_394))), None);
    // What was held for another price is owed no more.
    let twenty = Price { hundredths: 2_000, ..TEN_DOLLARS };
    assert_eq!(owed(twenty, &locks, Some(former)), None);
    let euros = Price { currency: Currency::Eur, ..TEN_DOLLARS };
    assert_eq!(owed(euros, &locks, Some(former)), None);
}

#[test]
fn a_payment_is_in_time_within_minutes_or_where_only_its_day_is_known() {
    let locks = [lock(1, "872.3927", "20T23:30:00")];
    let within = owed(TEN_DOLLARS, &locks, None).unwrap().paid_within.unwrap();
    for (time, is_in_time) in [
        ("20T23:24:59", false),
        ("20T23:25:00", true),
        ("20T23:45:00", true),
        ("21T00:34:59", true),
        ("21T00:35:00", false),
    ] {
        let paid = movement(Some(at(time)), "2026-11-20");
        assert_eq!(within.contains(&paid), is_in_time, "{time}");
        assert_eq!(locks[0].was_in_force(&paid), is_in_time, "{time}");
    }
    // It was held on both days, though it is another day in UTC.
    for (day, is_in_time) in
        [("2026-11-19", false), ("2026-11-20", true), ("2026-11-21", true), ("2026-11-22", false)]
    {
        assert_eq!(within.contains(&movement(None, day)), is_in_time, "{day}");
    }
}

#[test]
fn a_payer_is_asked_about_each_amount_of_late_once() {
    let locks = [
        lock(4, "880", "21T09:00:00"),
        lock(3, "872.3927", "20T13:00:00"),
        lock(2, "880", "20T11:00:00"),
        lock(1, "860", "17T08:00:00"),
    ];
    let owed = |now: &str| -> Vec<_> {
        let amounts = amounts(TEN_DOLLARS, &locks, at(now));
        amounts.into_iter().map(|lock| lock.owed.hundredths()).collect()
    };
    assert_eq!(owed("20T08:59:59"), [880_000, 872_393, 860_000]);
    assert_eq!(owed("20T09:00:00"), [880_000, 872_393]);
    assert_eq!(owed("24T10:00:00"), [0_i64; 0]);
}

#[test]
fn a_lock_that_is_ended_early_was_in_force_until_then() {
    let ended = lock(1, "872.3927", "20T10:00:00").ended(at("20T10:20:00"));
    assert_eq!(ended.ends_at, at("20T10:20:00"));
    assert!(!ended.holds(at("20T10:20:00")) && !ended.holds(at("20T10:21:00")));
    assert_eq!(ended.clone().ended(at("20T12:00:00")), ended);
    assert_eq!(ended.clone().ended(at("20T09:00:00")).ends_at, ended.locked_at);
}
