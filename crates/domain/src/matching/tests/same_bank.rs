//! Payments between two customers of one bank: by receipt, and by payer.

mod any;
mod named;
mod stories;

use super::*;
use crate::ids::NotificationId;

const OWN: &str = "0102";
const MINUTE: i64 = 60_000_000;

fn same_bank(document: &str) -> PayerFacts {
    PayerFacts {
        bank: BankCode::parse(OWN).ok(),
        document: Document::parse(document).ok(),
        form: PayerForm::SameBank,
        ..PayerFacts::default()
    }
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_micros(day(20).start().as_micros() + minute * MINUTE)
}

/// A row of the extract at that minute, under a reference that no receipt has.
fn row(number: u8, minute: i64) -> Movement {
    Movement {
        paid_at: Some(at(minute)),
        payer: same_bank("V12345678"),
        ..movement(number, &format!("67720000{number:04}1"), 500)
    }
}

fn notice(number: u8, receipt: &str, minute: i64) -> SameBankNotice {
    SameBankNotice {
        id: NotificationId::from_bytes([number; 16]),
        receipt: BankReference::parse(receipt).unwrap(),
        amount: Bolivars::from_hundredths(500),
        paid_on: day(20),
        paid_at: Some(at(minute)),
        payer: PayerFacts { phone: Phone::parse("04140000002").ok(), ..same_bank("V12345678") },
        movement: None,
    }
}

/// The pairs, by the numbers of notices and rows.
fn pairs(notices: &[SameBankNotice], rows: &[Movement]) -> Vec<(u8, u8)> {
    pairs_beside(notices, rows, &[])
}

/// The same beside other movements of the account.
fn pairs_beside(
    notices: &[SameBankNotice],
    rows: &[Movement],
    others: &[Movement],
) -> Vec<(u8, u8)> {
    let pairs = pair_notices(notices, rows, &[rows, others].concat());
    pairs.iter().map(|(notice, row)| (notice.to_bytes()[0], row.to_bytes()[0])).collect()
}

#[test]
fn a_row_that_is_known_by_a_receipt_does_not_wait_for_its_owner() {
    let asked =
        Query { document: Document::parse("V12345678").ok(), ..query("79922222", Some(500)) };
    let waits = |row: Movement| waiting_for_owner(&asked, OWN, &[row], &[]).next().is_some();
    let receipt = BankReference::parse("000079911111").ok();
    assert!(waits(row(1, 0)));
    assert!(!waits(Movement { receipt, ..row(1, 0) }));
}

#[test]
fn one_notice_and_one_row_within_minutes_are_one_payment() {
    assert_eq!(pairs(&[notice(1, "79911111", 0)], &[row(7, 5)]), [(1, 7)]);
    assert_eq!(pairs(&[notice(1, "79911111", 0)], &[row(7, 6)]), []);
    let other = |change: fn(&mut Movement)| {
        let mut row = row(7, 0);
        change(&mut row);
        pairs(&[notice(1, "79911111", 0)], &[row])
    };
    assert_eq!(other(|row| row.amount = Bolivars::from_hundredths(501)), []);
    // By its minute: across midnight the bank may book it on the other day.
    assert_eq!(other(|row| row.paid_on = day(21)), [(1, 7)]);
    assert_eq!(other(|row| row.payer = same_bank("V12345679")), []);
    // The phone is the payer's to say, and some have two.
    assert_eq!(other(|row| row.payer.phone = Phone::parse("04140000003").ok()), [(1, 7)]);
    assert_eq!(other(|row| row.paid_at = None), []);
    assert_eq!(other(|row| row.receipt = BankReference::parse("79922222").ok()), []);
    // A person's tax number is the person.
    assert_eq!(other(|row| row.payer = same_bank("V123456781")), [(1, 7)]);
}

#[test]
fn several_are_paired_in_the_order_of_time_where_the_counts_agree() {
    let two = [notice(2, "79922222", 2), notice(1, "79911111", 0)];
    assert_eq!(pairs(&two, &[row(8, 2), row(7, 0)]), [(1, 7), (2, 8)]);
    assert_eq!(pairs(&two, &[row(8, 2)]), [], "a row is missing");
    assert_eq!(pairs(&two[..1], &[row(8, 2), row(7, 0)]), [], "a notice is missing");
    // Hours apart each is known by its hour, whether the other is there or not.
    let apart = [notice(1, "79911111", 0), notice(2, "79922222", 180)];
    assert_eq!(pairs(&apart, &[row(8, 180)]), [(2, 8)]);
    // One whose hour cannot be read may be any of them.
    let untimed = SameBankNotice { paid_at: None, ..notice(3, "79933333", 0) };
    assert_eq!(pairs(&[apart[0].clone(), untimed.clone()], &[row(7, 0)]), []);
    let yesterdays = SameBankNotice { paid_on: day(19), ..untimed };
    assert_eq!(pairs(&[apart[0].clone(), yesterdays], &[row(7, 0)]), [(1, 7)]);
}

#[test]
fn a_notice_of_which_it_is_not_certain_who_paid_may_be_any() {
    let sure = notice(1, "79911111", 0);
    let doubtful = |minute, amount| SameBankNotice {
        payer: PayerFacts { document: None, ..same_bank("V12345678") },
        amount: Bolivars::from_hundredths(amount),
        ..notice(2, "79922222", minute)
    };
    assert_eq!(pairs(&[sure.clone(), doubtful(3, 500)], &[row(7, 0)]), []);
    assert_eq!(pairs(&[doubtful(0, 500)], &[row(7, 0)]), []);
    for elsewhere in [doubtful(60, 500), doubtful(3, 501)] {
        assert_eq!(pairs(&[sure.clone(), elsewhere], &[row(7, 0)]), [(1, 7)]);
    }
    let paired = SameBankNotice { movement: Some(id(9)), ..doubtful(3, 500) };
    assert_eq!(pairs(&[sure, paired], &[row(7, 0)]), [(1, 7)]);
}

#[test]
fn a_row_that_is_shown_by_its_own_reference_may_be_shown_without_its_like() {
    let other = Movement { payer: same_bank("V87654321"), ..row(9, 0) };
    let asked = query(row(7, 0).reference.digits(), Some(900));
    let rows = shown_with_their_like(&asked, vec![row(7, 0), row(8, 0), other.clone()]);
    assert_eq!(rows, [other]);
    assert_eq!(shown_with_their_like(&query("79911111", None), vec![row(7, 0)]), [row(7, 0)]);
}

#[test]
fn beside_midnight_a_notice_may_name_the_other_day() {
    assert_eq!(days_of_notices(&row(7, 5)), [day(20)]);
    assert_eq!(days_of_notices(&row(7, 4)), [day(19), day(20)]);
    let late = |minute| days_of_notices(&row(7, 24 * 60 - minute));
    assert_eq!((late(6_i64), late(5)), (vec![day(20)], vec![day(20), day(21)]));
}

#[test]
fn a_pair_is_for_good() {
    let paired = SameBankNotice { movement: Some(id(7)), ..notice(1, "79911111", 0) };
    assert_eq!(pairs(std::slice::from_ref(&paired), &[row(7, 0), row(8, 0)]), []);
    let named = Movement { receipt: Some(paired.receipt.clone()), ..row(7, 0) };
    let new = notice(2, "79922222", 0);
    assert_eq!(pairs(&[paired, new], &[named, row(8, 0)]), [(2, 8)]);
}

#[test]
fn a_receipt_that_was_typed_names_the_row_that_was_confirmed_by_it() {
    let typed = |reference: &str| Movement {
        typed: TypedReference::parse(reference).ok(),
        claimed: Some(a_claim()),
        ..row(7, 0)
    };
    // Though another notice would fit by its minute.
    let two = [notice(1, "79911111", 0), notice(2, "79922222", 90)];
    assert_eq!(pairs(&two, &[typed("922222")]), [(2, 7)]);
    assert_eq!(pairs(&two, &[typed("922222"), row(8, 0)]), [(2, 7), (1, 8)]);
    // The notice may be of a payment that is not listed yet.
    assert_eq!(pairs(&two, &[typed("933333")]), []);
}

#[test]
fn a_row_that_is_confirmed_already_is_paired_with_no_notice_that_it_does_not_name() {
    let claimed = Movement { claimed: Some(a_claim()), ..row(7, 0) };
    let typed = Movement { typed: TypedReference::parse("933333").ok(), ..claimed.clone() };
    let own = notice(1, "79911111", 0);
    for first in [claimed, typed] {
        assert_eq!(pairs(std::slice::from_ref(&own), std::slice::from_ref(&first)), []);
        // It is a row all the same: a notice is missing, or the second one is that of the second row.
        assert_eq!(pairs(std::slice::from_ref(&own), &[first.clone(), row(8, 1)]), []);
        let two = [own.clone(), notice(3, "79933331", 1)];
        assert_eq!(pairs(&two, &[first, row(8, 1)]), [(3, 8)]);
    }
}

#[test]
fn an_ending_that_was_typed_names_the_row_on_its_day() {
    let typed = |reference: &str| Movement {
        typed: TypedReference::parse(reference).ok(),
        claimed: Some(a_claim()),
        ..row(7, 0)
    };
    let two = [notice(1, "79911111", 0), notice(2, "79922222", 3)];
    let rows = |reference: &str| [typed(reference), row(8, 3)];
    for (reference, expected) in [
        ("2222", [(2, 7), (1, 8)]),
        ("2", [(2, 7), (1, 8)]),
        ("1111", [(1, 7), (2, 8)]),
        ("222", [(2, 7), (1, 8)]),
    ] {
        assert_eq!(pairs(&two, &rows(reference)), expected, "{reference}");
    }
    // Where it names no receipt, the other row has its own in the order of time.
    assert_eq!(pairs(&two, &rows("3333")), [(2, 8)]);
    // And hours later on that day; on another day it is no more than a few digits.
    assert_eq!(pairs(&[notice(2, "79922222", 90)], &[typed("2222")]), [(2, 7)]);
    let tomorrow = SameBankNotice { paid_on: day(21), ..notice(2, "79922222", 1_530) };
    assert_eq!(pairs(std::slice::from_ref(&tomorrow), &[typed("2222")]), []);
    // Six digits do on any day: the owner may have accepted the row of another day.
    let its_own = Movement { paid_on: day(21), ..row(8, 1_530) };
    let both = [typed("922222"), its_own];
    assert_eq!(pairs(std::slice::from_ref(&tomorrow), &both), [(2, 7)]);
    assert_eq!(pairs_beside(&[tomorrow], &both[1..], &both[..1]), []);
    // Nor does it name one where it is the ending of two.
    let both = [notice(1, "79912222", 0), notice(2, "79922222", 3)];
    assert_eq!(pairs(&both, &rows("2222")), [(1, 7), (2, 8)]);
}

/// Checks that a receipt names one row of the account, whatever payer, amount and day the other row has.
#[test]
fn a_receipt_names_one_row_of_the_account() {
    let other = |reference: &str, change: fn(&mut Movement, &str)| {
        let mut row = Movement {
            amount: Bolivars::from_hundredths(900),
            paid_on: day(3),
            payer: same_bank("V87654321"),
            ..row(9, 0)
        };
        change(&mut row, reference);
        [row]
    };
    let one = notice(1, "1179911111", 0);
    let beside =
        |others: &[Movement]| pairs_beside(std::slice::from_ref(&one), &[row(7, 0)], others);
    for reference in ["1179911111", "79911111", "001179911111", "221179911111"] {
        let reported = other(reference, |row, text| row.receipt = BankReference::parse(text).ok());
        let typed = other(reference, |row, text| row.typed = TypedReference::parse(text).ok());
        assert_eq!((beside(&reported), beside(&typed)), (vec![], vec![]), "{reference}");
        // Nor does it count among those that are alike.
        let two = [one.clone(), notice(2, "79922222", 1)];
        assert_eq!(pairs_beside(&two, &[row(7, 0)], &reported), [(2, 7)]);
        assert_eq!(pairs_beside(&two, &[row(7, 0)], &typed), [(2, 7)]);
    }
    for reference in ["9911111", "2279911111", "79911112"] {
        let typed = other(reference, |row, text| row.typed = TypedReference::parse(text).ok());
        assert_eq!(beside(&typed), [(1, 7)], "{reference}");
    }
    // As little, where the other row is alike and not shown now.
    let alike = Movement { typed: TypedReference::parse("79911111").ok(), ..row(9, 0) };
    assert_eq!(beside(std::slice::from_ref(&alike)), []);
    // Though few digits of it were typed for the row.
    let named = Movement {
        typed: TypedReference::parse("911111").ok(),
        claimed: Some(a_claim()),
        ..row(7, 0)
    };
    let reported = other("79911111", |row, text| row.receipt = BankReference::parse(text).ok());
    let rows = std::slice::from_ref(&named);
    assert_eq!(pairs_beside(std::slice::from_ref(&one), rows, &reported), []);
    assert_eq!(pairs(std::slice::from_ref(&one), rows), [(1, 7)]);
    // Reported twice, with another day and amount, the first counts.
    let amount = Bolivars::from_hundredths(900);
    let again = SameBankNotice { amount, paid_on: day(21), ..notice(2, "79911111", 1_440) };
    let rows = [row(7, 0), Movement { amount, paid_on: day(21), ..row(8, 1_440) }];
    assert_eq!(pairs(&[again.clone(), one.clone()], &rows), [(1, 7)]);
    assert_eq!(pairs(std::slice::from_ref(&again), &rows), [(2, 8)]);
}

#[test]
fn a_reference_that_a_row_is_known_by_confirms_no_other_by_its_payer() {
    let asked = |reference: &str| Query {
        document: Document::parse("V12345678").ok(),
        paid_on: Some(day(20)),
        ..query(reference, Some(500))
    };
    let found = |reference: &str, known_by: &str, on: i32| {
        let other = Movement {
            typed: TypedReference::parse(known_by).ok(),
            claimed: Some(a_claim()),
            amount: Bolivars::from_hundredths(900),
            payer: same_bank("V87654321"),
            paid_on: day(on),
            ..row(9, 0)
        };
        let receipt = BankReference::parse(known_by).ok();
        let reported = Movement { typed: None, receipt, ..other.clone() };
        let both = [other, reported]
            .map(|other| find_by_payer(&asked(reference), OWN, &[row(7, 0), other], &[]));
        assert_eq!(both[0], both[1], "told or typed: {reference} {known_by}");
        both[0]
    };
    let one = PayerMatch::One(id(7));
    for known_by in ["1179911111", "79911111", "0079911111"] {
        assert_eq!(found("1179911111", known_by, 3), PayerMatch::None, "{known_by}");
    }
    assert_eq!(
        (found("911111", "911111", 3), found("79911111", "911111", 3)),
        (PayerMatch::None, one)
    );
    // Four digits are soon typed again.
    assert_eq!((found("1111", "1111", 20), found("1111", "1111", 3)), (PayerMatch::None, one));
    assert_eq!(found("1111", "79911111", 20), one);
}

#[test]
fn a_receipt_finds_its_row_as_a_reference_does() {
    let named = Movement { receipt: BankReference::parse("000079912345").ok(), ..row(7, 0) };
    let rows = [named.clone(), row(8, 0)];
    for reference in ["912345", "79912345", "000079912345"] {
        assert_eq!(found(&query(reference, Some(500)), SUFFIX, &rows), Verdict::One(id(7)));
    }
    assert!(whole_match(&query("79912345", None), SUFFIX, &named));
    assert!(is_certain(&query("79912345", None), SUFFIX, &named));
    assert!(!whole_match(&query("912345", None), SUFFIX, &named));
    let other = found(&query("912345", Some(501)), SUFFIX, &rows);
    assert_eq!(other, Verdict::OtherAmount { amount: Bolivars::from_hundredths(500) });
    // Another movement that ends so counts as well, and digits distinguish the two.
    let both = [named, movement(9, "88912345", 500)];
    let asked = query("912345", Some(500));
    assert_eq!(found(&asked, SUFFIX, &both), Verdict::Ambiguous { digits_needed: 7 });
}

#[test]
fn what_was_typed_is_weaker_than_what_the_bank_reports() {
    let typed = Movement {
        typed: TypedReference::parse("912345").ok(),
        claimed: Some(a_claim()),
        ..row(7, 0)
    };
    let rows = std::slice::from_ref(&typed);
    let asked = query("912345", Some(500));
    assert_eq!(found(&asked, SUFFIX, rows), Verdict::NotFound);
    assert_eq!(find_typed(&asked, SUFFIX, rows, &whole_month()), Verdict::One(id(7)));
    let other = query("912345", Some(501));
    assert_eq!(find_typed(&other, SUFFIX, rows, &whole_month()), Verdict::NotFound);
    // Without a bank it is a repeat only to a caller that names the payer too.
    assert!(!repeats_typed(&asked, SUFFIX, &typed));
    let named = Query { document: Document::parse("V12345678").ok(), ..asked };
    assert!(repeats_typed(&named, SUFFIX, &typed));
    assert!(!repeats_typed(&Query { amount: other.amount, ..named }, SUFFIX, &typed));
}

#[test]
fn what_a_notice_says_of_the_reference_decides_which_row_the_payer_means() {
    let rows = [row(7, 0), row(8, 60)];
    let asked = Query {
        document: Document::parse("V12345678").ok(),
        phone: Phone::parse("04140000002").ok(),
        paid_on: Some(day(20)),
        ..query("922222", Some(500))
    };
    let found = |notices: &[SameBankNotice]| find_by_payer(&asked, OWN, &rows, notices);
    assert_eq!(found(&[]), PayerMatch::Several);
    assert_eq!(found(&[notice(2, "79922222", 61)]), PayerMatch::One(id(8)));
    assert_eq!(found(&[notice(2, "79922222", 30)]), PayerMatch::None, "neither is near");
    let found_after = |change: fn(&mut SameBankNotice)| {
        let mut notice = notice(2, "79922222", 61);
        change(&mut notice);
        found(&[notice])
    };
    // The receipt is of somebody else's payment, of another one, or of the other row.
    assert_eq!(found_after(|one| one.payer = same_bank("V87654321")), PayerMatch::None);
    assert_eq!(
        found_after(|one| one.payer.phone = Phone::parse("04140000003").ok()),
        PayerMatch::None
    );
    assert_eq!(found_after(|one| one.payer.document = None), PayerMatch::None);
    assert_eq!(found_after(|one| one.amount = Bolivars::from_hundredths(501)), PayerMatch::None);
    assert_eq!(found_after(|one| one.paid_at = None), PayerMatch::None);
    assert_eq!(found_after(|one| one.movement = Some(id(7))), PayerMatch::None);
    // Few digits are asked about in the days of the question alone, a whole receipt on every day.
    let old = SameBankNotice { paid_on: day(9), ..notice(2, "79922222", 0) };
    let window = day(19)..=day(20);
    assert!(!old.is_asked_about(&asked, &window));
    assert!(old.is_asked_about(&query("0079922222", None), &window));
    assert!(notice(2, "79922222", 0).is_asked_about(&asked, &window));
    assert!(!notice(2, "79911111", 0).is_asked_about(&asked, &window));
}
