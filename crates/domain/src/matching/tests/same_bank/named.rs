//! What was typed names one payment, however it is written; and what its owner may accept.

use super::*;

/// A payment that was confirmed as this was typed.
fn typed(text: &str, minute: i64) -> Movement {
    let typed = TypedReference::parse(text).ok();
    Movement { typed, claimed: Some(a_claim()), ..row(7, minute) }
}

fn asked(reference: &str, on: i32) -> Query {
    let document = Document::parse("V12345678").ok();
    Query { document, paid_on: Some(day(on)), ..query(reference, Some(500)) }
}

#[test]
fn six_digits_that_begin_with_zeros_are_six() {
    for six in ["812437", "012437", "002437", "000007"] {
        let receipt = format!("34{six}");
        let rows = [typed(six, 0), row(8, 60)];
        for again in [six, &receipt, &format!("000034{six}"), &format!("77{receipt}")] {
            let asked = asked(again, 20);
            let found = find_typed(&asked, SUFFIX, &rows, &whole_month());
            assert_eq!(found, Verdict::One(id(7)), "{six} {again}");
            assert_eq!(find_by_payer(&asked, OWN, &rows, &[]), PayerMatch::None, "{six} {again}");
        }
        assert_eq!(pairs(&[notice(1, &receipt, 60)], &rows), [(1, 7)], "{six}");
        assert_eq!(find_by_payer(&asked("70235773", 20), OWN, &rows, &[]), PayerMatch::One(id(8)));
    }
    // Zeros before more than a receipt's ending fill a field.
    let rows = [typed("0000012437", 0), row(8, 60)];
    let other = asked("5500012437", 21);
    assert_eq!(find_typed(&other, SUFFIX, &rows, &whole_month()), Verdict::NotFound);
    assert!(repeats_typed(&asked("12437", 20), SUFFIX, &rows[0]));
}

#[test]
fn few_digits_are_the_same_on_their_day_alone() {
    let rows = [typed("2437", 0), Movement { paid_on: day(21), ..row(8, 1_440) }];
    let found = |on| {
        let asked = asked("2437", on);
        assert_eq!(
            repeats_typed(&asked, SUFFIX, &rows[0]),
            find_typed(&asked, SUFFIX, &rows, &asked.window(day(30), 2)) == Verdict::One(id(7))
        );
        (repeats_typed(&asked, SUFFIX, &rows[0]), find_by_payer(&asked, OWN, &rows, &[]))
    };
    assert_eq!(found(20), (true, PayerMatch::None));
    assert_eq!(found(21), (false, PayerMatch::One(id(8))));
    // Of that payer and amount they name the whole receipt on that day, and nobody else's.
    let rows = [typed("2437", 0), row(8, 60)];
    assert_eq!(find_by_payer(&asked("34812437", 20), OWN, &rows, &[]), PayerMatch::None);
    let other = Movement { payer: same_bank("V87654321"), ..typed("2437", 0) };
    let rows = [other, row(8, 60)];
    assert_eq!(find_by_payer(&asked("34812437", 20), OWN, &rows, &[]), PayerMatch::One(id(8)));
}

#[test]
fn digits_that_are_few_silence_no_conflict() {
    let receipt = BankReference::parse("79911111").ok();
    let other = Movement { receipt, ..row(7, 0) };
    let by_stranger = |reference: &str| Query {
        document: Document::parse("V87654321").ok(),
        ..asked(reference, 20)
    };
    for few in ["1", "000001", "11111", "011111"] {
        let questions = [by_stranger(few)];
        assert_eq!(asked_by_payer(&questions, OWN, &other), questions.first(), "{few}");
    }
    for enough in ["911111", "79911111", "000079911111"] {
        assert_eq!(asked_by_payer(&[by_stranger(enough)], OWN, &other), None, "{enough}");
    }
}

/// Its row was taken for another payment, and one that has its receipt by now was confirmed by an ending alike.
#[test]
fn a_payment_whose_row_was_taken_is_offered_what_is_left() {
    let receipt = BankReference::parse("79912437").ok();
    let first = Movement { receipt, ..typed("2437", 0) };
    let taken = Movement {
        typed: TypedReference::parse("79933333").ok(),
        claimed: Some(a_claim()),
        ..row(8, 60)
    };
    let rows = [first, taken, row(9, 180)];
    let notices = [notice(2, "56812437", 60), notice(3, "79933333", 180)];
    let asked = Query { paid_on: None, ..asked("56812437", 20) };
    let offered = waiting_for_owner(&asked, OWN, &rows, &notices);
    assert_eq!(offered.map(|row| row.id).collect::<Vec<_>>(), [id(9)]);
}

/// The bank booked it after midnight, and a call asks about the day before alone.
#[test]
fn a_receipt_that_was_typed_for_a_payment_of_another_day_names_no_second_row() {
    let other = Movement { paid_on: day(21), ..typed("922222", 1_440) };
    let own = notice(2, "79922222", 1_439);
    let rows = [row(8, 1_437)];
    assert_eq!(pairs_beside(std::slice::from_ref(&own), &rows, std::slice::from_ref(&other)), []);
    assert_eq!(pairs(std::slice::from_ref(&own), &rows), [(2, 8)]);
}

/// The row of the first payment was taken for the receipt of the second: the first one's means what is left.
#[test]
fn a_receipt_whose_row_was_taken_for_another_means_any_that_is_left() {
    let first = [notice(1, "79911111", 0)];
    let found = |rows: &[Movement], notices: &[SameBankNotice]| {
        find_by_payer(&asked("79911111", 20), OWN, rows, notices)
    };
    let taken = typed("79922222", 1);
    let reported = Movement { receipt: BankReference::parse("79922222").ok(), ..row(7, 1) };
    for near in [taken, reported] {
        assert_eq!(found(&[near.clone(), row(8, 60)], &first), PayerMatch::One(id(8)));
        // Nothing is left; or its own is still free, if only one of several.
        assert_eq!(found(std::slice::from_ref(&near), &first), PayerMatch::None);
        assert_eq!(found(&[near.clone(), row(9, 3), row(8, 60)], &first), PayerMatch::One(id(9)));
        let paired = [SameBankNotice { movement: Some(id(6)), ..first[0].clone() }];
        assert_eq!(found(&[near.clone(), row(8, 60)], &paired), PayerMatch::None);
        let strangers = Movement { payer: same_bank("V87654321"), ..row(8, 60) };
        assert_eq!(found(&[near, strangers], &first), PayerMatch::None);
    }
    // Confirmed without another reference, it may be the very one.
    let claimed = Movement { claimed: Some(a_claim()), ..row(7, 1) };
    assert_eq!(found(&[claimed, row(8, 60)], &first), PayerMatch::None);
    // It is not listed yet.
    assert_eq!(found(&[row(8, 60)], &first), PayerMatch::None);
}

#[test]
fn the_owner_is_offered_what_the_receipt_may_mean() {
    let page = Query { paid_on: None, ..asked("79922222", 20) };
    let offered = |rows: &[Movement], notices: &[SameBankNotice]| {
        let waiting = waiting_for_owner(&page, OWN, rows, notices);
        waiting.map(|row| row.id.to_bytes()[0]).collect::<Vec<_>>()
    };
    let rows = [row(7, 0), Movement { paid_on: day(19), ..row(8, 2) }];
    assert_eq!(offered(&rows, &[]), [7, 8]);
    assert_eq!(offered(&rows, &[notice(2, "79922222", 8)]), [], "it is not listed yet");
    assert_eq!(offered(&rows, &[notice(2, "79922222", 7)]), [8]);
    // The reference has a payment.
    assert_eq!(offered(&[typed("79922222", 0), row(8, 2)], &[]), []);
}

#[test]
fn what_is_accepted_is_of_the_receipt_that_its_payer_typed() {
    let page = |reference: &str, document: &str| Query {
        document: Document::parse(document).ok(),
        ..query(reference, Some(500))
    };
    let questions = [
        page("79944444", "V87654321"),
        Query { amount: Some(Bolivars::from_hundredths(900)), ..page("79933333", "V12345678") },
        page("922222", "V12345678"),
        page("79911111", "V12345678"),
    ];
    // The latest of its payer, of whatever amount.
    assert_eq!(asked_by_payer(&questions, OWN, &row(7, 0)), Some(&questions[1]));
    assert_eq!(asked_by_payer(&questions[..1], OWN, &row(7, 0)), None);
    // A question with a phone alone is not contradicted; one with the document goes before.
    let phone = |phone: &str| Query {
        document: None,
        phone: Phone::parse(phone).ok(),
        ..page("79966666", "V12345678")
    };
    let by_phone = [phone("04140000002"), questions[0].clone()];
    assert_eq!(asked_by_payer(&by_phone, OWN, &row(7, 0)), Some(&by_phone[0]));
    let both = [phone("04140000002"), questions[2].clone()];
    assert_eq!(asked_by_payer(&both, OWN, &row(7, 0)), Some(&both[1]));
    let known = |phone: &str| Movement {
        payer: PayerFacts { phone: Phone::parse(phone).ok(), ..same_bank("V12345678") },
        ..row(7, 0)
    };
    assert_eq!(asked_by_payer(&by_phone, OWN, &known("04140000003")), None);
    let elsewhere = PayerFacts { bank: BankCode::parse("0134").ok(), ..same_bank("V12345678") };
    let elsewhere = Movement { payer: elsewhere, ..row(7, 0) };
    assert_eq!(asked_by_payer(&questions, OWN, &elsewhere), None);

    let with_receipt =
        |receipt: &str| Movement { receipt: BankReference::parse(receipt).ok(), ..row(7, 0) };
    // Any of them may name the receipt.
    assert_eq!(asked_by_payer(&questions, OWN, &with_receipt("79911111")), None);
    let other = with_receipt("79955555");
    // Of one that none names the owner is asked again, no matter who typed what.
    for asked in [&questions[..], &questions[..1]] {
        assert_eq!(asked_by_payer(asked, OWN, &other), Some(&questions[0]));
    }
    assert_eq!(asked_by_payer(&[], OWN, &other), None);
    assert!(names_other(&questions[2], &other, &[]));
    assert!(!names_other(&questions[2], &row(7, 0), &[typed("79911111", 0)]));
    assert!(names_other(&questions[2], &row(7, 0), &[typed("79922222", 0)]));
    // Six digits of what was typed before, and not the document again.
    let before = [typed("966666", 0)];
    assert!(names_other(&by_phone[0], &row(7, 0), &before));
    let strangers = [Movement { payer: same_bank("V87654321"), ..before[0].clone() }];
    assert!(!names_other(&by_phone[0], &row(7, 0), &strangers));
}

/// Five digits and a zero in front: six digits of one receipt, or five of another that some till has filled up.
#[test]
fn a_zero_that_may_be_a_digit_names_no_other_receipt() {
    let first = typed("012437", 0);
    let own = notice(1, "34012437", 0);
    let other = notice(2, "56812437", 60);
    let both = [first.clone(), row(8, 60)];
    // While the notice of the first is late, nobody can know which of the two confirmed it.
    assert_eq!(pairs(std::slice::from_ref(&other), &both[..1]), []);
    assert_eq!(pairs(std::slice::from_ref(&other), &both), []);
    assert_eq!(pairs_beside(std::slice::from_ref(&other), &both[1..], &both[..1]), []);
    let asked_for_it = asked("56812437", 20);
    let found = |rows: &[Movement]| {
        let notices = std::slice::from_ref(&other);
        let offered = waiting_for_owner(&asked_for_it, OWN, rows, notices).count();
        (find_typed(&asked_for_it, SUFFIX, rows, &whole_month()), offered)
    };
    assert_eq!(found(&both), (Verdict::NotFound, 0));
    // Then each has its own.
    assert_eq!(pairs(&[own.clone(), other.clone()], &both), [(1, 7), (2, 8)]);
    let paired = Movement { receipt: Some(own.receipt), ..first.clone() };
    assert_eq!(pairs(std::slice::from_ref(&other), &[paired, row(8, 60)]), [(2, 8)]);
    // Within minutes it is the till.
    assert_eq!(pairs(&[notice(2, "56812437", 2)], std::slice::from_ref(&first)), [(2, 7)]);
    // A receipt that is as short has no other digit there.
    assert_eq!(pairs(&[notice(2, "12437", 60)], std::slice::from_ref(&first)), [(2, 7)]);
    // It is no second payment of another day, either.
    let tomorrow = Movement { paid_on: day(21), ..row(9, 1_440) };
    let on_another = asked("56812437", 21);
    let near = typed("012437", 58);
    let rows = [near, tomorrow];
    let notices = std::slice::from_ref(&other);
    assert_eq!(find_by_payer(&on_another, OWN, &rows, notices), PayerMatch::None);
}
