use std::collections::BTreeSet;
use std::time::Duration;

use domain::payer::BankCode;
use domain::reference::TypedReference;
use proptest::prelude::*;

use super::*;
use crate::payment::{Kind, NewPayment, Oddities};
use crate::testing::{KEY, at, day, ledger, number, payment};

/// Noon of the day that most of these tests are about.
const NOON: &str = "2026-11-20T12:00:00-04:00";

/// The end of that day.
const END: &str = "2026-11-20T23:59:00-04:00";

fn page(ledger: &Ledger, date: &str, after: &str, now: &str) -> Page {
    range(ledger, (date, date), after, now).unwrap()
}

fn range(
    ledger: &Ledger,
    (from, to): (&str, &str),
    after: &str,
    now: &str,
) -> Result<Page, NoExtract> {
    let (from, to) = (day(from), day(to));
    let query = Query { account: &number(), from, to, after };
    ledger.extract(&KEY.into(), &query, at(now))
}

fn with(oddities: Oddities) -> NewPayment {
    NewPayment { oddities, ..payment(at(NOON)) }
}

fn internal() -> NewPayment {
    let mut internal = payment(at(NOON));
    internal.payer.bank = BankCode::parse("0102").unwrap();
    internal
}

/// Reads a whole day, page by page, as the manual says.
fn whole_day(ledger: &Ledger, date: &str, now: &str) -> Vec<Vec<Shown>> {
    let mut pages: Vec<Vec<Shown>> = Vec::new();
    loop {
        let last = pages.last().and_then(|page| page.last()).map(|row| row.number.clone());
        let page = page(ledger, date, &last.unwrap_or_default(), now).rows;
        let is_full = page.len() == PAGE_ROWS;
        pages.push(page);
        if !is_full {
            return pages;
        }
    }
}

#[test]
fn a_payment_from_another_bank_shows_the_receipts_digits_and_the_phone() {
    let ledger = ledger([payment(at(NOON))]);
    let Page { total, rows } = page(&ledger, "2026-11-20", "", NOON);
    assert_eq!(total, 1);
    let row = &rows[0];
    assert_eq!(row.reference, "0050979912345");
    assert_eq!((row.date.as_str(), row.hour.as_str()), ("2026-11-20", "1200"));
    assert_eq!((row.amount.as_str(), row.balance.as_str()), ("150,75", "1.000.150,75"));
    assert_eq!(row.remark, "PAGOMOVIL OTROS BANCOS 0134 04140000002");
    assert!(row.is_credit);
}

#[test]
fn references_always_have_thirteen_digits_of_which_the_last_are_the_receipts() {
    for (receipt, shown) in [
        ("12100", "0050900012100"),
        ("79912345", "0050979912345"),
        ("123456789", "0509123456789"),
        ("123456789012", "9123456789012"),
        ("99123456789012", "9123456789012"),
    ] {
        let reference = TypedReference::parse(receipt).unwrap();
        let ledger = ledger([NewPayment { reference, ..payment(at(NOON)) }]);
        assert_eq!(page(&ledger, "2026-11-20", "", NOON).rows[0].reference, shown, "{receipt}");
    }
}

#[test]
fn a_payment_from_the_same_bank_has_a_reference_that_no_receipt_shows() {
    let ledger = ledger([internal(), internal()]);
    let rows = page(&ledger, "2026-11-20", "", NOON).rows;
    for row in &rows {
        assert!(row.reference.starts_with("06772") && row.reference.len() == 13, "{row:?}");
        assert!(!row.reference.ends_with("912345"), "{row:?}");
        assert_eq!(row.remark, "PAGOMOVIL BDV V012345678 PAGADOR    DE PRUEBA");
    }
    assert_ne!(rows[0].reference, rows[1].reference);
}

#[test]
fn a_transfer_shows_the_document_and_has_no_commission() {
    let transfer =
        NewPayment { kind: Kind::Transfer, oddities: Oddities::default(), ..payment(at(NOON)) };
    let rows = page(&ledger([transfer]), "2026-11-20", "", NOON).rows;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].remark, "PAGO RECIBIDO OTROS BANCOS 0134 V12345678");
}

#[test]
fn a_commission_is_a_debit_that_ends_like_its_payment() {
    for new in [payment(at(NOON)), internal()] {
        let oddities =
            Oddities { commission: Some(true), repeated: Some(false), ..Oddities::default() };
        let rows = page(&ledger([NewPayment { oddities, ..new }]), "2026-11-20", "", NOON).rows;
        let (credit, debit) = (&rows[0], &rows[1]);
        assert!(credit.is_credit && !debit.is_credit);
        assert_eq!(debit.amount, "-2.26");
        assert_eq!(debit.reference.split_at(5).1, credit.reference.split_at(5).1);
        assert_ne!(debit.reference, credit.reference);
        assert_eq!(debit.balance, "1.000.148,49");
    }
}

#[test]
fn a_commission_is_a_share_and_two_bolivars_at_least() {
    for (hundredths, commission) in [
        (100, "-2,00"),
        (13_333, "-2,00"),
        (13_400, "-2,01"),
        (1_000_000_000_099, "-150.000.000,01"),
    ] {
        let oddities =
            Oddities { commission: Some(true), repeated: Some(false), ..Oddities::default() };
        let new = NewPayment {
            amount: Bolivars::from_hundredths(hundredths),
            oddities,
            ..payment(at(NOON))
        };
        let shown = page(&ledger([new]), "2026-11-20", "", NOON).rows[1].amount.clone();
        // In this row small amounts come with a point.
        let plain = |text: &str| text.replace("-2,00", "-2.0").replace("-2,01", "-2.01");
        assert_eq!(shown, plain(commission), "{hundredths}");
    }
}

#[test]
fn a_repeated_row_has_a_number_of_its_own_and_moves_no_money() {
    let ledger = ledger([with(Oddities {
        commission: Some(false),
        repeated: Some(true),
        ..Oddities::default()
    })]);
    let rows = page(&ledger, "2026-11-20", "", NOON).rows;
    assert_eq!(rows.len(), 2);
    assert_ne!(rows[0].number, rows[1].number);
    assert_eq!(rows[0].reference, rows[1].reference);
    assert_eq!(rows[0].balance, rows[1].balance);
}

#[test]
fn a_row_whose_amount_nobody_can_read_is_there_all_the_same() {
    let unreadable = with(Oddities { unreadable: Some(true), ..payment(at(NOON)).oddities });
    let rows = page(&ledger([unreadable, payment(at(NOON))]), "2026-11-20", "", NOON).rows;
    let amounts: Vec<&str> = rows.iter().map(|row| row.amount.as_str()).collect();
    assert_eq!(amounts, ["***", "150.75"]);
    assert!(rows[0].is_credit);
}

#[test]
fn by_itself_the_bank_repeats_one_of_five_and_forgets_one_commission_of_fourteen() {
    let ledger = ledger((0..70).map(|_| with(Oddities::default())));
    let rows: Vec<Shown> = whole_day(&ledger, "2026-11-20", NOON).concat();
    assert_eq!(rows.iter().filter(|row| row.is_credit).count(), 70 + 14);
    assert_eq!(rows.iter().filter(|row| !row.is_credit).count(), 70 - 5);
    let with_point = rows.iter().filter(|row| !row.amount.contains(',')).count();
    assert!(with_point > 30 && with_point < rows.len() - 30, "{with_point} of {}", rows.len());
}

#[test]
fn large_amounts_are_written_with_a_comma_whatever_their_row() {
    let large = || NewPayment { amount: Bolivars::from_hundredths(3_696_041), ..payment(at(NOON)) };
    let rows = page(&ledger([large(), large()]), "2026-11-20", "", NOON).rows;
    assert!(rows.iter().all(|row| row.amount == "36.960,41"), "{rows:?}");
}

#[test]
fn a_day_comes_in_pages_of_a_hundred() {
    for (count, lengths) in [
        (0, vec![0]),
        (99, vec![99]),
        (100, vec![100, 0]),
        (101, vec![100, 1]),
        (250, vec![100, 100, 50]),
    ] {
        let ledger = ledger((0..count).map(|_| payment(at(NOON))));
        let pages = whole_day(&ledger, "2026-11-20", NOON);
        assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), lengths);
        let numbers: BTreeSet<_> = pages.iter().flatten().map(|row| &row.number).collect();
        assert_eq!(numbers.len(), count);
        assert_eq!(page(&ledger, "2026-11-20", "", NOON).total, count);
    }
}

#[test]
fn balances_go_on_from_page_to_page_and_from_day_to_day() {
    let yesterday = at("2026-11-19T12:00:00-04:00");
    let payments = (0..3).map(|_| payment(yesterday)).chain((0..101).map(|_| payment(at(NOON))));
    let pages = whole_day(&ledger(payments), "2026-11-20", NOON);
    // 1,000,000 + 104 × 150.75.
    assert_eq!(pages[1][0].balance, "1.015.678,00");
}

#[test]
fn a_row_is_there_from_the_instant_on_at_which_it_is_posted() {
    let late = NewPayment { delay: Duration::from_secs(30), ..payment(at(NOON)) };
    let ledger = ledger([late]);
    assert_eq!(page(&ledger, "2026-11-20", "", "2026-11-20T12:00:29.999999-04:00").total, 0);
    assert_eq!(page(&ledger, "2026-11-20", "", "2026-11-20T12:00:30-04:00").total, 1);
}

#[test]
fn a_row_that_is_posted_after_midnight_belongs_to_the_day_of_the_payment() {
    let payment = payment(at("2026-11-20T23:59:50-04:00"));
    let ledger = ledger([NewPayment { delay: Duration::from_secs(30), ..payment }]);
    let (before, after) = ("2026-11-21T00:00:19-04:00", "2026-11-21T00:00:20-04:00");
    assert_eq!(page(&ledger, "2026-11-20", "", before).total, 0);
    let rows = page(&ledger, "2026-11-20", "", after).rows;
    assert_eq!((rows[0].date.as_str(), rows[0].hour.as_str()), ("2026-11-20", "2359"));
    assert_eq!(page(&ledger, "2026-11-21", "", after).total, 0);
}

#[test]
fn the_day_changes_at_midnight_in_caracas_and_not_in_greenwich() {
    let ledger = ledger([payment(at("2026-11-20T21:30:00-04:00"))]);
    let now = "2026-11-20T22:00:00-04:00";
    assert_eq!(page(&ledger, "2026-11-20", "", now).total, 1);
    assert_eq!(page(&ledger, "2026-11-21", "", now).total, 0);
}

#[test]
fn who_goes_on_after_a_row_misses_none_that_is_posted_meanwhile() {
    let late = |seconds| NewPayment { delay: Duration::from_secs(seconds), ..payment(at(NOON)) };
    // The first to be made is the last to be posted.
    let ledger = ledger([late(60), late(0), late(0)]);
    let first = page(&ledger, "2026-11-20", "", NOON).rows;
    assert_eq!(first.len(), 2);
    let rest = page(&ledger, "2026-11-20", &first[1].number, "2026-11-20T12:01:00-04:00").rows;
    assert_eq!(rest.len(), 1);
    assert!(first.iter().all(|row| row.number != rest[0].number));
}

#[test]
fn today_is_not_asked_for_together_with_days_that_are_over() {
    let ledger = ledger([payment(at(NOON)), payment(at("2026-11-19T12:00:00-04:00"))]);
    let range = |from, to| range(&ledger, (from, to), "", NOON).map(|page| page.total);
    assert_eq!(range("2026-11-19", "2026-11-20"), Err(NoExtract::MixedDays));
    assert_eq!(range("2026-11-01", "2026-11-30"), Err(NoExtract::MixedDays));
    assert_eq!(range("2026-11-18", "2026-11-19"), Ok(1));
    assert_eq!(range("2026-11-20", "2026-11-20"), Ok(1));
    assert_eq!(range("2026-11-20", "2026-11-19"), Err(NoExtract::BackwardDays));
    assert_eq!(range("2026-11-21", "2026-11-21"), Ok(0));
}

#[test]
fn only_the_holders_key_opens_an_account() {
    let ledger = ledger([payment(at(NOON))]);
    let query =
        Query { account: &number(), from: day("2026-11-20"), to: day("2026-11-20"), after: "" };
    for key in ["", "otra", "clave "] {
        assert_eq!(ledger.extract(&key.into(), &query, at(NOON)), Err(NoExtract::NotAffiliated));
    }
    let unknown = range(&ledger, ("2026-11-20", "2026-11-20"), "1", NOON);
    assert_eq!(unknown, Err(NoExtract::UnknownRow));
}

#[test]
fn a_row_that_is_posted_late_stands_behind_the_others_or_at_its_own_hour() {
    let paid = |minutes: u64| at(NOON).plus(Duration::from_secs(minutes * 60));
    let late = |at_its_hour| NewPayment {
        delay: Duration::from_secs(3_600),
        ..with(Oddities { at_its_hour, ..payment(at(NOON)).oddities })
    };
    for (at_its_hour, place) in [(None, 2), (Some(false), 2), (Some(true), 0)] {
        let ledger = ledger([late(at_its_hour), payment(paid(1)), payment(paid(2))]);
        let numbers = |now: &str| -> Vec<String> {
            let rows = page(&ledger, "2026-11-20", "", now).rows;
            rows.into_iter().map(|row| row.number).collect()
        };
        let mut expected = numbers("2026-11-20T12:59:00-04:00");
        assert_eq!(expected.len(), 2, "it is not there before it is posted");
        let all = numbers("2026-11-20T13:00:00-04:00");
        let new = all.iter().find(|number| !expected.contains(number)).unwrap().clone();
        expected.insert(place, new);
        assert_eq!(all, expected, "{at_its_hour:?}");
        // A reader that goes on behind the last row that was there sees it only where it comes behind.
        let behind = page(&ledger, "2026-11-20", &all[if place == 0 { 2 } else { 1 }], END);
        assert_eq!(behind.rows.len(), usize::from(place == 2));
    }
}

proptest! {
    /// However payments are delayed and whatever oddities they have: at every instant the pages
    /// together hold each row once that is posted by then, and what was seen stays where it was.
    #[test]
    fn pages_are_a_beginning_of_what_is_to_come(
        delays in proptest::collection::vec(0_u64..90, 0..260),
        early in 0_u64..90,
    ) {
        let payments = delays.iter().map(|delay| {
            NewPayment { delay: Duration::from_secs(*delay), ..with(Oddities::default()) }
        });
        let ledger = ledger(payments);
        let seconds = |seconds| at(NOON).plus(Duration::from_secs(seconds)).to_string();
        let seen = whole_day(&ledger, "2026-11-20", &seconds(early)).concat();
        let all = whole_day(&ledger, "2026-11-20", &seconds(90)).concat();
        let credits: BTreeSet<_> = seen.iter().filter(|row| row.is_credit).map(|row| &row.number).collect();
        let posted = delays.iter().filter(|delay| **delay <= early).count();
        prop_assert!(credits.len() >= posted && credits.len() <= posted + delays.len() / 5);
        prop_assert!(all.starts_with(&seen));
        let numbers: BTreeSet<_> = all.iter().map(|row| &row.number).collect();
        prop_assert_eq!(numbers.len(), all.len());
    }
}
