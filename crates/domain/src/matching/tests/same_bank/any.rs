//! Whatever is reported, listed and asked, in whatever order.

use proptest::prelude::*;

use super::*;

/// One of three payers, amounts and minutes, so that many are alike.
fn payer() -> impl Strategy<Value = (&'static str, i64, i64)> {
    (
        proptest::sample::select(vec!["V12345678", "V123456781", "V87654321"]),
        proptest::sample::select(vec![500_i64, 900]),
        proptest::sample::select(vec![0_i64, 3, 5, 60, 63, 300]),
    )
}

prop_compose! {
    fn rows()(
        facts in proptest::collection::vec((payer(), 0..4_u8), 0..7),
    ) -> Vec<Movement> {
        (0..).zip(facts).map(|(number, ((document, amount, minute), state))| Movement {
            amount: Bolivars::from_hundredths(amount),
            payer: same_bank(document),
            receipt: (state == 1).then(|| BankReference::parse("99999999").unwrap()),
            typed: (state == 2).then(|| TypedReference::parse(&format!("7990000{}", number + 1)).unwrap()),
            claimed: (state >= 2).then(a_claim),
            ..row(number + 100, minute)
        }).collect()
    }
}

prop_compose! {
    fn notices()(facts in proptest::collection::vec(payer(), 0..7)) -> Vec<SameBankNotice> {
        (0..).zip(facts).map(|(number, (document, amount, minute))| SameBankNotice {
            amount: Bolivars::from_hundredths(amount),
            payer: same_bank(document),
            ..notice(number, &format!("7990000{}", number + 1), minute)
        }).collect()
    }
}

proptest! {
    /// However many are alike: a row has one receipt, a receipt names one row, what is paired has one payer,
    /// amount and day, and what a row was typed with decides before the minute does.
    #[test]
    fn receipts_and_rows_are_paired_one_to_one(notices in notices(), rows in rows()) {
        let pairs = pair_notices(&notices, &rows, &rows);
        let mut notified: Vec<_> = pairs.iter().map(|(notice, _)| *notice).collect();
        let mut listed: Vec<_> = pairs.iter().map(|(_, row)| *row).collect();
        notified.sort_unstable();
        notified.dedup();
        listed.sort_unstable();
        listed.dedup();
        prop_assert_eq!((notified.len(), listed.len()), (pairs.len(), pairs.len()));
        for (notice, row) in &pairs {
            let notice = notices.iter().find(|one| one.id == *notice).unwrap();
            let row = rows.iter().find(|one| one.id == *row).unwrap();
            let person = notice.payer.document.as_ref().unwrap();
            prop_assert!(row.receipt.is_none());
            prop_assert!(person.is_same_person(row.payer.document.as_ref().unwrap()));
            prop_assert_eq!((notice.amount, notice.paid_on), (row.amount, row.paid_on));
            let is_typed = row.typed.as_ref().is_some_and(|typed| typed.is_whole(&notice.receipt));
            let apart = notice.paid_at.unwrap().as_micros() - row.paid_at.unwrap().as_micros();
            prop_assert!(is_typed || apart.abs() <= 5 * MINUTE);
            prop_assert!(is_typed || row.claimed.is_none(), "it may be of a row that is not there yet");
            // What was typed for another row of that payer and amount is that row's.
            for other in rows.iter().filter(|other| notice.is_alike(&other.payer, other.amount)) {
                let names = other.typed.as_ref().is_some_and(|typed| typed.is_whole(&notice.receipt));
                prop_assert!(!names || other.id == row.id);
            }
        }
        // Whatever order they are reported in.
        let mut reversed = (notices.clone(), rows.clone());
        reversed.0.reverse();
        reversed.1.reverse();
        let mut again = pair_notices(&reversed.0, &reversed.1, &reversed.1);
        let mut pairs = pairs;
        again.sort_unstable();
        pairs.sort_unstable();
        prop_assert_eq!(again, pairs);
    }

    /// The rule of the payer, said again over one row at a time.
    #[test]
    fn the_payer_finds_what_a_simple_model_finds(
        rows in rows(),
        document in proptest::option::of(proptest::sample::select(vec!["V12345678", "V87654321"])),
        amount in proptest::option::of(proptest::sample::select(vec![500_i64, 900])),
        paid_on in proptest::option::of(19..22_i32),
        bank in proptest::option::of(proptest::sample::select(vec![OWN, "0134"])),
    ) {
        let asked = Query {
            document: document.map(|text| Document::parse(text).unwrap()),
            paid_on: paid_on.map(day),
            bank_origin: bank.map(|code| BankCode::parse(code).unwrap()),
            ..query("55555555", amount)
        };
        let is_person = |row: &Movement| match (document, row.payer.document.as_ref()) {
            (Some("V12345678"), Some(one)) => one.to_string() != "V87654321",
            (Some(asked), Some(one)) => one.to_string() == asked,
            _ => false,
        };
        let meant: Vec<_> = rows.iter().filter(|row| {
            row.claimed.is_none() && row.receipt.is_none() && is_person(row)
                && amount == Some(row.amount.hundredths())
                && paid_on == Some(20) && bank != Some("0134")
        }).collect();
        let expected = match meant.as_slice() {
            [] => PayerMatch::None,
            [one] => PayerMatch::One(one.id),
            _ => PayerMatch::Several,
        };
        prop_assert_eq!(find_by_payer(&asked, OWN, &rows, &[]), expected);
    }
}
