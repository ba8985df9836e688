use domain::text::Text;

use super::*;
use crate::payment::{NewPayment, Payer};
use crate::testing::{KEY, PAYER, PHONE, RECEIPT, at, day, ledger, payment};

const PAID_AT: &str = "2026-11-20T12:00:00-04:00";

fn question() -> Question {
    Question {
        document: Document::parse("V12345678").unwrap(),
        payer_phone: Phone::parse(PAYER).unwrap(),
        phone: Phone::parse(PHONE).unwrap(),
        reference: TypedReference::parse(RECEIPT).unwrap(),
        day: day("2026-11-20"),
        amount: Bolivars::from_hundredths(15_075),
        bank: BankCode::parse("0134").unwrap(),
        compares_document: false,
    }
}

fn internal() -> NewPayment {
    let payment = payment(at(PAID_AT));
    let payer = Payer {
        bank: BankCode::parse("0102").unwrap(),
        name: Text::parse("Ana").unwrap(),
        ..payment.payer
    };
    NewPayment { payer, ..payment }
}

/// The outcome in a word, so many seconds after the payment.
fn ask(ledger: &mut Ledger, question: &Question, seconds: u64) -> &'static str {
    let now = at(PAID_AT).plus(Duration::from_secs(seconds));
    match ledger.validate(&KEY.into(), question, now) {
        Validation::NotAffiliated => "not affiliated",
        Validation::Matched(_) => "matched",
        Validation::Conciliated => "conciliated",
        Validation::OtherAmount(_) => "other amount",
        Validation::Unknown => "unknown",
    }
}

fn ask_fresh(new: NewPayment, question: &Question) -> &'static str {
    ask(&mut ledger([new]), question, 0)
}

#[test]
fn thirty_seconds_after_the_first_success_it_was_conciliated_before() {
    let mut ledger = ledger([payment(at(PAID_AT))]);
    let outcomes: Vec<_> =
        [10, 11, 39, 40, 86_400].map(|seconds| ask(&mut ledger, &question(), seconds)).into();
    assert_eq!(outcomes, ["matched", "matched", "matched", "conciliated", "conciliated"]);
}

#[test]
fn what_was_conciliated_says_so_to_every_amount() {
    let mut ledger = ledger([payment(at(PAID_AT))]);
    let other = Question { amount: Bolivars::from_hundredths(1), ..question() };
    assert_eq!(ask(&mut ledger, &other, 0), "other amount");
    assert_eq!(ask(&mut ledger, &question(), 0), "matched");
    assert_eq!(ask(&mut ledger, &other, 29), "other amount");
    assert_eq!(ask(&mut ledger, &other, 30), "conciliated");
}

#[test]
fn another_amount_conciliates_nothing() {
    let mut ledger = ledger([payment(at(PAID_AT))]);
    let other = Question { amount: Bolivars::from_hundredths(15_074), ..question() };
    assert_eq!(ask(&mut ledger, &other, 0), "other amount");
    assert_eq!(ask(&mut ledger, &question(), 3_600), "matched");
}

#[test]
fn references_are_compared_by_their_last_eight_digits() {
    for (typed, outcome) in [
        ("79912345", "matched"),
        ("00079912345", "matched"),
        ("912345", "matched"),
        ("1179912345", "matched"),
        ("12345", "unknown"),
        ("89912345", "unknown"),
        ("791234", "unknown"),
    ] {
        let reference = TypedReference::parse(typed).unwrap();
        let question = Question { reference, ..question() };
        assert_eq!(ask_fresh(payment(at(PAID_AT)), &question), outcome, "{typed}");
    }
    let short = TypedReference::parse("000012100").unwrap();
    let new = NewPayment { reference: short.clone(), ..payment(at(PAID_AT)) };
    assert_eq!(ask_fresh(new, &Question { reference: short, ..question() }), "matched");
}

#[test]
fn phone_bank_day_and_account_must_be_right() {
    let other_phone = Phone::parse("04140000003").unwrap();
    for wrong in [
        Question { payer_phone: other_phone.clone(), ..question() },
        Question { phone: other_phone, ..question() },
        Question { bank: BankCode::parse("0105").unwrap(), ..question() },
        Question { day: day("2026-11-19"), ..question() },
        Question { day: day("2026-11-21"), ..question() },
    ] {
        assert_eq!(ask_fresh(payment(at(PAID_AT)), &wrong), "unknown", "{wrong:?}");
    }
    let transfer = NewPayment { kind: Kind::Transfer, ..payment(at(PAID_AT)) };
    assert_eq!(ask_fresh(transfer, &question()), "unknown");
}

#[test]
fn the_payer_of_another_bank_has_the_digits_of_the_merchants_tax_number() {
    let with = |document: &str| Question {
        document: Document::parse(document).unwrap(),
        compares_document: true,
        ..question()
    };
    let interbank = || payment(at(PAID_AT));
    assert_eq!(ask_fresh(interbank(), &with("V12345678")), "unknown");
    assert_eq!(ask_fresh(interbank(), &with("V123456784")), "matched");
    let own = |document| Question { bank: BankCode::parse("0102").unwrap(), ..with(document) };
    assert_eq!(ask_fresh(internal(), &own("V12345678")), "matched");
    assert_eq!(ask_fresh(internal(), &own("V87654321")), "unknown");
    let unasked = Question { compares_document: false, ..own("V87654321") };
    assert_eq!(ask_fresh(internal(), &unasked), "matched");
}

#[test]
fn what_is_not_posted_is_not_there() {
    let late = NewPayment { delay: Duration::from_secs(30), ..payment(at(PAID_AT)) };
    let mut ledger = ledger([late]);
    assert_eq!(ask(&mut ledger, &question(), 29), "unknown");
    assert_eq!(ask(&mut ledger, &question(), 30), "matched");
}

#[test]
fn among_payments_that_end_alike_the_right_amount_is_meant() {
    let other = NewPayment { amount: Bolivars::from_hundredths(99), ..payment(at(PAID_AT)) };
    assert_eq!(ask(&mut ledger([other, payment(at(PAID_AT))]), &question(), 0), "matched");
}

#[test]
fn a_key_of_nobody_is_not_affiliated() {
    let mut ledger = ledger([payment(at(PAID_AT))]);
    let outcome = ledger.validate(&"otra".into(), &question(), at(PAID_AT));
    assert!(matches!(outcome, Validation::NotAffiliated));
}
