use std::ops::RangeInclusive;

use super::find::{repeats_typed, whole_match};
use super::*;

mod absorbing;
mod properties;
mod same_bank;
mod verdicts;

const SUFFIX: Rule = Rule::Suffix { min_digits: 6 };
const OPTED_IN: Rule = Rule::Suffix { min_digits: 4 };

fn day(day: i32) -> CaracasDate {
    CaracasDate::parse("2026-11-20").unwrap().plus_days(day - 20)
}

fn whole_month() -> RangeInclusive<CaracasDate> {
    day(1)..=day(30)
}

fn id(number: u8) -> MovementId {
    MovementId::from_bytes([number; 16])
}

fn query(reference: &str, amount: Option<i64>) -> Query {
    let amount = amount.map(Bolivars::from_hundredths);
    Query { amount, ..Query::new(TypedReference::parse(reference).unwrap()) }
}

fn movement(number: u8, reference: &str, amount: i64) -> Movement {
    Movement {
        id: id(number),
        reference: BankReference::parse(reference).unwrap(),
        bank_key: None,
        amount: Bolivars::from_hundredths(amount),
        paid_on: day(20),
        paid_at: None,
        payer: PayerFacts::default(),
        description: BankText::default(),
        receipt: None,
        is_named: true,
        typed: None,
        contested_with: None,
        claimed: None,
    }
}

/// The movement as it is kept where it may be that other one.
fn contested(movement: Movement, with: MovementId) -> Movement {
    Movement { contested_with: Some(with), ..movement }
}

fn with_phone(movement: Movement, phone: &str) -> Movement {
    let payer = PayerFacts { phone: Phone::parse(phone).ok(), ..PayerFacts::default() };
    Movement { payer, ..movement }
}

fn a_claim() -> PaymentId {
    PaymentId::from_bytes([1; 16])
}

fn sighting(movement: &Movement) -> Sighting {
    Sighting {
        reference: movement.reference.clone(),
        bank_key: movement.bank_key.clone(),
        amount: movement.amount,
        paid_on: movement.paid_on,
        paid_at: movement.paid_at,
        payer: movement.payer.clone(),
        description: movement.description.clone(),
    }
}

fn found(query: &Query, rule: Rule, movements: &[Movement]) -> Verdict {
    find(query, rule, movements, &whole_month())
}

mod finding {
    use super::*;

    #[test]
    fn an_ending_of_six_digits_finds_its_movement() {
        let shown = [movement(1, "0079912345", 500), movement(2, "0079912346", 500)];
        for reference in ["912345", "79912345", "00079912345", "1279912345"] {
            assert_eq!(found(&query(reference, Some(500)), SUFFIX, &shown), Verdict::One(id(1)));
            assert_eq!(found(&query(reference, None), SUFFIX, &shown), Verdict::One(id(1)));
        }
        assert_eq!(found(&query("912347", Some(500)), SUFFIX, &shown), Verdict::NotFound);
    }

    #[test]
    fn another_amount_and_money_that_went_out_are_reported() {
        let shown = [movement(1, "912345", 500), movement(2, "777777", -500)];
        let other = Verdict::OtherAmount { amount: Bolivars::from_hundredths(500) };
        assert_eq!(found(&query("912345", Some(501)), SUFFIX, &shown), other);
        assert_eq!(found(&query("777777", Some(500)), SUFFIX, &shown), Verdict::Outgoing(id(2)));
        assert_eq!(found(&query("777777", None), SUFFIX, &shown), Verdict::Outgoing(id(2)));
    }

    #[test]
    fn a_reversal_does_not_hide_what_came_in() {
        let shown = [movement(1, "912345", -500), movement(2, "912345", 500)];
        assert_eq!(found(&query("912345", Some(500)), SUFFIX, &shown), Verdict::One(id(2)));
    }

    #[test]
    fn several_that_fit_are_never_guessed() {
        let shown = [
            movement(1, "11912345", 500),
            movement(2, "21912345", 500),
            movement(3, "22912345", 900),
        ];
        let needed = |digits_needed| Verdict::Ambiguous { digits_needed };
        assert_eq!(found(&query("912345", Some(500)), SUFFIX, &shown), needed(8));
        assert_eq!(found(&query("912345", None), SUFFIX, &shown), needed(8));
        assert_eq!(found(&query("912345", Some(900)), SUFFIX, &shown), Verdict::One(id(3)));
        assert_eq!(found(&query("11912345", None), SUFFIX, &shown), Verdict::One(id(1)));
        // Not even where one of them is whole: the other's payer may have typed its ending.
        let whole = [movement(1, "912345", 500), movement(2, "7912345", 500)];
        assert_eq!(found(&query("912345", Some(500)), SUFFIX, &whole), needed(7));
        // The same digits twice: no number of them distinguishes the two.
        let twins = [movement(1, "912345", 500), movement(2, "912345", 500)];
        assert_eq!(found(&query("912345", Some(500)), SUFFIX, &twins), needed(6));
    }

    #[test]
    fn a_claimed_movement_counts_among_the_candidates() {
        let one = Movement { claimed: Some(a_claim()), ..movement(1, "11912345", 500) };
        let shown = [one, movement(2, "21912345", 500)];
        let several = Verdict::Ambiguous { digits_needed: 8 };
        assert_eq!(found(&query("912345", Some(500)), SUFFIX, &shown), several);
    }

    #[test]
    fn what_the_bank_says_of_another_payer_excludes_a_movement() {
        let shown = [
            with_phone(movement(1, "11912345", 500), "04141111111"),
            with_phone(movement(2, "21912345", 500), "04142222222"),
        ];
        let asked = |phone| Query { phone: Phone::parse(phone).ok(), ..query("912345", Some(500)) };
        assert_eq!(found(&asked("04142222222"), SUFFIX, &shown), Verdict::One(id(2)));
        assert_eq!(found(&asked("04143333333"), SUFFIX, &shown), Verdict::NotFound);
        let document = Query { document: Document::parse("V1").ok(), ..query("11912345", None) };
        assert_eq!(found(&document, SUFFIX, &shown), Verdict::One(id(1)));
    }

    #[test]
    fn who_paid_is_known_by_what_the_bank_says_of_it_and_by_nothing_else() {
        let facts = |phone: &str, document: &str| PayerFacts {
            phone: Phone::parse(phone).ok(),
            document: Document::parse(document).ok(),
            ..PayerFacts::default()
        };
        let asked = |phone, document| {
            let PayerFacts { phone, document, .. } = facts(phone, document);
            Query { phone, document, ..query("912345", None) }
        };
        for (phone, document, payer, is_known) in [
            ("04141111111", "", facts("04141111111", ""), true),
            ("", "V12345678", facts("", "V12345678"), true),
            ("", "V12345678", facts("", "V123456781"), true),
            // One of the two is enough, and nobody is asked for what the bank does not say.
            ("04141111111", "", facts("04141111111", "V12345678"), true),
            ("04142222222", "V12345678", facts("04142222222", ""), true),
            ("", "", facts("", ""), true),
            ("04142222222", "", facts("", ""), true),
            ("04142222222", "", facts("04141111111", ""), false),
            ("", "V12345678", facts("04141111111", ""), false),
            ("04141111111", "", facts("", "V12345678"), false),
            ("", "", facts("", "V12345678"), false),
        ] {
            assert_eq!(knows_payer(&asked(phone, document), &payer), is_known, "{phone}{document}");
        }
    }

    #[test]
    fn what_was_read_in_no_known_form_is_compared_and_proves_nothing() {
        let facts = |form| PayerFacts {
            document: Document::parse("V12345678").ok(),
            form,
            ..PayerFacts::default()
        };
        let by = |document: &str, reference| Query {
            document: Document::parse(document).ok(),
            ..query(reference, Some(500))
        };
        for (form, proves) in
            [(PayerForm::Known, true), (PayerForm::SameBank, true), (PayerForm::Unknown, false)]
        {
            let shown = [Movement { payer: facts(form), ..movement(1, "79912345", 500) }];
            let verdict = |query: &Query| found(query, SUFFIX, &shown);
            assert_eq!(verdict(&by("V12345678", "912345")), Verdict::One(id(1)), "{form:?}");
            assert_eq!(verdict(&by("V87654321", "912345")), Verdict::NotFound, "{form:?}");
            let short = verdict(&by("V12345678", "12345"));
            assert_eq!(short, if proves { Verdict::One(id(1)) } else { Verdict::TooShort });
            assert_eq!(knows_payer(&by("V12345678", "912345"), &shown[0].payer), proves);
            assert_eq!(is_certain(&by("V12345678", "912345"), SUFFIX, &shown[0]), proves);
        }
        // Of a text that says nothing it is not known who paid, unless its form says nobody.
        let silent = |form| PayerFacts { form, ..PayerFacts::default() };
        assert!(knows_payer(&by("V12345678", "912345"), &silent(PayerForm::Known)));
        assert!(!knows_payer(&by("V12345678", "912345"), &silent(PayerForm::Unknown)));
    }

    #[test]
    fn what_was_proved_of_a_payer_stays_proved() {
        let document = |text: &str, form| PayerFacts {
            document: Document::parse(text).ok(),
            form,
            ..PayerFacts::default()
        };
        let phone = |form| PayerFacts {
            phone: Phone::parse("04141111111").ok(),
            form,
            ..PayerFacts::default()
        };
        let learned = |mut one: PayerFacts, other: &PayerFacts| {
            one.learn(other);
            one
        };
        use PayerForm::{Known, PhoneKnown, SameBank, Unknown};
        let (known, guessed) = (phone(Known), document("V12345678", Unknown));
        // The guess is compared, and proved by nothing that does not say it; the phone stays proved.
        let document_of = guessed.document.clone();
        let both = PayerFacts { document: document_of, form: PhoneKnown, ..known.clone() };
        assert_eq!(learned(known.clone(), &guessed), both);
        assert_eq!(learned(guessed.clone(), &known), both);
        let by = |phone: &str, document: &str| Query {
            phone: Phone::parse(phone).ok(),
            document: Document::parse(document).ok(),
            ..query("912345", None)
        };
        assert!(confirms(&by("04141111111", ""), &both));
        assert!(!confirms(&by("", "V12345678"), &both));
        assert_eq!(learned(both, &document("V12345678", SameBank)).form, SameBank);
        // Who is silent in a known form says nothing against the guess.
        let silent = PayerFacts::default();
        assert_eq!(learned(silent.clone(), &guessed), guessed);
        assert_eq!(learned(guessed.clone(), &silent), guessed);
        let stated = document("V12345678", Known);
        assert_eq!(learned(guessed, &stated), stated);
        assert_eq!(learned(PayerFacts { form: Unknown, ..PayerFacts::default() }, &known), known);
    }

    #[test]
    fn fewer_than_six_digits_need_an_amount_and_a_payer_that_the_bank_confirms() {
        let shown =
            [with_phone(movement(1, "912345", 500), "04141111111"), movement(2, "82345", 500)];
        let by = |text, amount| Query { phone: Phone::parse(text).ok(), ..query("2345", amount) };
        let right = by("04141111111", Some(500));
        assert_eq!(found(&right, SUFFIX, &shown), Verdict::One(id(1)));
        assert_eq!(right.lacks(SUFFIX), None);
        for (asked, lacking) in [
            (query("2345", None), Some(Lacking::Amount)),
            (query("2345", Some(500)), Some(Lacking::Payer)),
            (by("04141111111", None), Some(Lacking::Amount)),
            (by("04142222222", Some(500)), None),
        ] {
            assert_eq!(asked.lacks(SUFFIX), lacking);
            assert_eq!(found(&asked, SUFFIX, &shown), Verdict::TooShort);
        }
        // Nothing would fit either, were there more digits.
        for asked in [query("2346", None), query("2345", Some(501)), by("04142222222", Some(501))] {
            assert_eq!(found(&asked, SUFFIX, &shown), Verdict::NotFound);
        }
        let theirs = with_phone(movement(1, "912345", 500), "04141111111");
        assert_eq!(found(&by("04142222222", Some(500)), SUFFIX, &[theirs]), Verdict::NotFound);
        // Zeros that were typed are digits, until there are so many that they fill a field.
        assert_eq!(query("002345", None).lacks(SUFFIX), None);
        assert_eq!(query("000002345", None).lacks(SUFFIX), Some(Lacking::Amount));
    }

    #[test]
    fn zeros_among_the_last_digits_are_digits_and_count_for_nothing_where_they_fit_nothing() {
        let shown = [
            movement(1, "0050912012100", 500),
            movement(2, "0050912000345", 500),
            with_phone(movement(3, "0050911112437", 500), "04141111111"),
            movement(4, "0050955812437", 900),
        ];
        let verdict = |reference| found(&query(reference, Some(500)), SUFFIX, &shown);
        for (reference, number) in [("012100", 1), ("12012100", 1), ("000345", 2)] {
            assert_eq!(verdict(reference), Verdict::One(id(number)), "{reference}");
        }
        assert_eq!(verdict("00345"), Verdict::TooShort);
        assert_eq!(verdict("00346"), Verdict::NotFound);
        // Six digits are left without the zeros, which were typed to fill a field.
        assert_eq!(verdict("00112437"), Verdict::One(id(3)));
        // Fewer are left: they need what so few digits need.
        let known =
            |phone: &str| Query { phone: Phone::parse(phone).ok(), ..query("012437", Some(500)) };
        assert_eq!(verdict("012437"), Verdict::NotFound);
        assert_eq!(found(&known("04142222222"), SUFFIX, &shown), Verdict::NotFound);
        assert_eq!(found(&known("04141111111"), SUFFIX, &shown), Verdict::One(id(3)));
        assert_eq!(found(&query("012437", Some(500)), OPTED_IN, &shown), Verdict::One(id(3)));
        // As it was typed it is there, with another amount: that is what is meant.
        let other = Verdict::OtherAmount { amount: Bolivars::from_hundredths(900) };
        let shown = [movement(1, "0050900812437", 900), movement(2, "0050955812437", 500)];
        assert_eq!(found(&query("00812437", Some(500)), SUFFIX, &shown), other);
    }

    #[test]
    fn an_owner_may_choose_that_four_digits_do_with_an_amount() {
        let shown = [movement(1, "912345", 500)];
        assert_eq!(found(&query("2345", Some(500)), OPTED_IN, &shown), Verdict::One(id(1)));
        assert_eq!(found(&query("2345", None), OPTED_IN, &shown), Verdict::TooShort);
        // The amount is part of what names it.
        assert_eq!(found(&query("2345", Some(501)), OPTED_IN, &shown), Verdict::NotFound);
        assert_eq!(SUFFIX.with_short_references(true), OPTED_IN);
        assert_eq!(SUFFIX.with_short_references(false), SUFFIX);
        assert_eq!(Rule::Exact.with_short_references(true), Rule::Exact);
        // Three never do.
        assert!(
            query("345", None).is_too_short(OPTED_IN) && !query("0345", None).is_too_short(SUFFIX)
        );
        assert!(query("000000345", None).is_too_short(SUFFIX));
        assert!(!query("5", None).is_too_short(Rule::Exact));
        let known = with_phone(movement(1, "912345", 500), "04141111111");
        let by = Query { phone: Phone::parse("04141111111").ok(), ..query("345", Some(500)) };
        for rule in [SUFFIX, OPTED_IN] {
            assert_eq!(found(&by, rule, std::slice::from_ref(&known)), Verdict::TooShort);
        }
        assert_eq!(query("345", Some(500)).lacks(OPTED_IN), Some(Lacking::Payer));
    }

    #[test]
    fn the_sandbox_compares_whole_references_of_any_length_on_any_day() {
        let shown = [movement(1, "67890", 500), movement(2, "1167890", 500)];
        let found =
            |reference| find(&query(reference, None), Rule::Exact, &shown, &(day(1)..=day(2)));
        assert_eq!(found("0000067890"), Verdict::One(id(1)));
        assert_eq!(found("1167890"), Verdict::One(id(2)));
        assert_eq!(found("167890"), Verdict::NotFound);
    }

    #[test]
    fn only_the_days_of_the_window_count() {
        let shown = [movement(1, "912345", 500)];
        let dated = |number| Query { paid_on: Some(day(number)), ..query("912345", None) };
        for (asked, today, back, verdict) in [
            (query("912345", None), 22, 2, Verdict::One(id(1))),
            (query("912345", None), 23, 2, Verdict::NotFound),
            (query("912345", None), 19, 2, Verdict::NotFound),
            (dated(20), 29, 2, Verdict::One(id(1))),
            (dated(21), 29, 2, Verdict::One(id(1))),
            (dated(22), 29, 2, Verdict::NotFound),
            (dated(19), 29, 2, Verdict::NotFound),
        ] {
            let window = asked.window(day(today), back);
            assert_eq!(find(&asked, SUFFIX, &shown, &window), verdict, "{window:?}");
        }
    }

    #[test]
    fn what_may_be_another_payment_is_not_certain() {
        let known = with_phone(movement(1, "79912345", 500), "04141111111");
        let certain = |reference, phone: &str| {
            let asked = Query { phone: Phone::parse(phone).ok(), ..query(reference, Some(500)) };
            is_certain(&asked, SUFFIX, &known)
        };
        assert!(certain("79912345", "") && certain("0079912345", "") && certain("1179912345", ""));
        assert!(!certain("912345", "") && !certain("9912345", ""));
        assert!(certain("912345", "04141111111") && !certain("912345", "04142222222"));
        assert!(!certain("2345", "04141111111"), "fewer than six digits say too little");
        assert!(!certain("012345", "04141111111"), "no more than five of these are the bank's");
        // So few digits are not the whole reference, though they are all that is known of it.
        let short = movement(1, "912345", 500);
        assert!(!is_certain(&query("912345", Some(500)), SUFFIX, &short));
        assert!(is_certain(&query("912345", Some(500)), Rule::Exact, &short));
    }

    #[test]
    fn only_the_whole_reference_is_a_repeat() {
        let known = with_phone(movement(1, "79912345", 500), "04141111111");
        let is_whole = |query: &Query| whole_match(query, SUFFIX, &known);
        assert!(is_whole(&query("0079912345", Some(500))) && is_whole(&query("79912345", None)));
        assert!(!is_whole(&query("912345", Some(500))));
        assert!(!is_whole(&query("79912345", Some(501))));
        let phone = Phone::parse("04142222222").ok();
        assert!(!is_whole(&Query { phone, ..query("79912345", Some(500)) }));
        for (number, whole) in [(19, true), (20, true), (21, true), (22, false)] {
            let dated = Query { paid_on: Some(day(number)), ..query("79912345", None) };
            assert_eq!(is_whole(&dated), whole);
            assert!(whole_match(&dated, Rule::Exact, &known));
        }
    }

    #[test]
    fn a_claim_is_known_only_where_no_other_movement_has_the_whole_reference() {
        let claimed = |movement: Movement| Movement { claimed: Some(a_claim()), ..movement };
        let (one, other) = (movement(1, "79912345", 500), movement(2, "79912345", 500));
        let known =
            |movements: &[Movement]| known_claim(&query("79912345", Some(500)), SUFFIX, movements);
        assert_eq!(known(&[]), None);
        assert_eq!(known(std::slice::from_ref(&one)), None);
        assert_eq!(known(&[claimed(one.clone())]), Some(a_claim()));
        assert_eq!(known(&[claimed(one.clone()), other.clone()]), None);
        assert_eq!(known(&[one.clone(), claimed(other.clone())]), None);
        assert_eq!(known(&[claimed(one.clone()), claimed(other)]), None);
        let elsewhere = movement(3, "88812345", 500);
        assert_eq!(known(&[elsewhere, claimed(one)]), Some(a_claim()));
    }
}
