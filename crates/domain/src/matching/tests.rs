use std::ops::RangeInclusive;

use super::find::{repeats_typed, whole_match};
use super::*;

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
        typed: None,
        claimed: None,
    }
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
    find(query, rule, movements, &[], &whole_month())
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
        use PayerForm::{Known, Unknown};
        let (known, guessed) = (phone(Known), document("V12345678", Unknown));
        assert_eq!(learned(known.clone(), &guessed), known);
        // The guess is still compared, and proved by nothing that does not say it.
        let both = PayerFacts { phone: known.phone.clone(), ..guessed.clone() };
        assert_eq!(learned(guessed.clone(), &known), both);
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
            |reference| find(&query(reference, None), Rule::Exact, &shown, &[], &(day(1)..=day(2)));
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
            assert_eq!(find(&asked, SUFFIX, &shown, &[], &window), verdict, "{window:?}");
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

mod absorbing {
    use super::*;

    fn same(known: &Movement, learn: impl FnOnce(&mut Movement)) -> Absorption {
        let mut learned = known.clone();
        learn(&mut learned);
        let is_more = learned != *known;
        Absorption::Same { id: known.id, learned: is_more.then(|| Box::new(learned)) }
    }

    fn nothing(_: &mut Movement) {}

    fn shown(digits: &str) -> impl FnOnce(&mut Movement) {
        let reference = BankReference::parse(digits).unwrap();
        move |known| known.reference = reference
    }

    #[test]
    fn the_same_money_seen_again_is_the_same_movement() {
        let known = [movement(1, "912345", 500)];
        for (seen, absorbed) in [
            (movement(9, "912345", 500), same(&known[0], nothing)),
            (movement(9, "0079912345", 500), same(&known[0], shown("0079912345"))),
            (Movement { paid_on: day(21), ..movement(9, "912345", 500) }, same(&known[0], nothing)),
            (Movement { paid_on: day(22), ..movement(9, "912345", 500) }, Absorption::New),
            (movement(9, "912345", 501), Absorption::New),
            (movement(9, "912346", 500), Absorption::New),
            (movement(9, "12345", 500), Absorption::New),
        ] {
            assert_eq!(absorb(SUFFIX, &known, &sighting(&seen)), absorbed, "{seen:?}");
        }
    }

    #[test]
    fn another_payer_is_another_movement_where_fewer_than_eight_digits_are_shared() {
        let known = [with_phone(movement(1, "912345", 500), "04141111111")];
        let seen = |phone| sighting(&with_phone(movement(9, "79912345", 500), phone));
        assert_eq!(absorb(SUFFIX, &known, &seen("04142222222")), Absorption::New);
        assert_eq!(
            absorb(SUFFIX, &known, &seen("04141111111")),
            same(&known[0], shown("79912345"))
        );
    }

    #[test]
    fn what_differs_by_the_payer_alone_is_contested() {
        let of = |movement: Movement, phone, bank| {
            let bank = BankCode::parse(bank).ok();
            let phone = Phone::parse(phone).ok();
            Movement { payer: PayerFacts { phone, bank, ..PayerFacts::default() }, ..movement }
        };
        let (one, other) = ("04141111111", "04142222222");
        let contested = Absorption::Contested(id(1));
        for (first, second, absorbed) in [
            (of(movement(1, "79912345", 500), one, ""), movement(9, "79912345", 500), &contested),
            (of(movement(1, "79912345", 500), one, ""), movement(9, "1279912345", 500), &contested),
            (of(movement(1, "912345", 500), one, ""), movement(9, "912345", 500), &contested),
            (
                of(movement(1, "79912345", 500), one, "0134"),
                movement(9, "79912345", 500),
                &contested,
            ),
            (
                of(movement(1, "9912345", 500), one, ""),
                movement(9, "79912345", 500),
                &Absorption::New,
            ),
            (
                of(movement(1, "79912345", 500), one, ""),
                movement(9, "79912345", 501),
                &Absorption::New,
            ),
            (
                of(movement(1, "79912345", 500), one, "0105"),
                movement(9, "79912345", 500),
                &Absorption::New,
            ),
        ] {
            let known = [first];
            let seen = sighting(&of(second, other, "0134"));
            assert_eq!(absorb(SUFFIX, &known, &seen), *absorbed, "{known:?} {seen:?}");
            let kept = Movement { id: id(9), payer: seen.payer.clone(), ..known[0].clone() };
            let kept = Movement { reference: seen.reference, amount: seen.amount, ..kept };
            let claimed = Movement { claimed: Some(a_claim()), ..known[0].clone() };
            let claimed_twin = claimed_twin(SUFFIX, &kept, &[kept.clone(), claimed]);
            assert_eq!(claimed_twin.is_some(), *absorbed == contested);
            assert_eq!(
                super::super::claimed_twin(SUFFIX, &kept, &known),
                None,
                "it is not claimed"
            );
        }
        // Another day of another payer, another stable id, the sandbox.
        let known = [of(movement(1, "79912345", 500), one, "")];
        let seen = of(movement(9, "79912345", 500), other, "");
        let later = sighting(&Movement { paid_on: day(21), ..seen.clone() });
        assert_eq!(absorb(SUFFIX, &known, &later), Absorption::New);
        let keyed = |movement, key: &str| Movement { bank_key: Some(key.to_owned()), ..movement };
        let keyed = ([keyed(known[0].clone(), "a")], sighting(&keyed(seen.clone(), "b")));
        assert_eq!(absorb(SUFFIX, &keyed.0, &keyed.1), Absorption::New);
        assert!(matches!(absorb(Rule::Exact, &known, &sighting(&seen)), Absorption::Same { .. }));
    }

    #[test]
    fn what_differs_by_day_or_bank_and_not_by_the_payer_is_contested() {
        let facts = |phone: &str, document: &str, bank: &str| PayerFacts {
            phone: Phone::parse(phone).ok(),
            document: Document::parse(document).ok(),
            bank: BankCode::parse(bank).ok(),
            ..PayerFacts::default()
        };
        let phone = facts("04141111111", "", "0134");
        let document = facts("", "V12345678", "0134");
        let (contested, new) = (Absorption::Contested(id(1)), Absorption::New);
        for (first, second, days, reference, absorbed) in [
            (&phone, phone.clone(), 2, "79912345", &contested),
            (&phone, phone.clone(), 7, "1279912345", &contested),
            (&document, facts("", "V123456781", "0134"), 7, "79912345", &contested),
            (&phone, facts("04141111111", "", "0105"), 0, "79912345", &contested),
            (&document, facts("", "V12345678", "0105"), 1, "79912345", &contested),
            (&phone, facts("04141111111", "V1234567", ""), 3, "79912345", &contested),
            // More than a week, another payer or nobody's, or less than the whole reference.
            (&phone, phone.clone(), 8, "79912345", &new),
            (&phone, facts("04142222222", "", "0134"), 2, "79912345", &new),
            (&phone, facts("04142222222", "", "0105"), 0, "79912345", &new),
            (&phone, PayerFacts::default(), 2, "79912345", &new),
            (&phone, phone.clone(), 2, "9912345", &new),
        ] {
            let known = Movement { payer: first.clone(), ..movement(1, "79912345", 500) };
            for sign in [-1, 1] {
                let seen = Movement {
                    paid_on: day(20 + sign * days),
                    payer: second.clone(),
                    ..movement(9, reference, 500)
                };
                let found = absorb(SUFFIX, std::slice::from_ref(&known), &sighting(&seen));
                assert_eq!(found, *absorbed, "{seen:?}");
                let claimed = Movement { claimed: Some(a_claim()), ..known.clone() };
                let twin = claimed_twin(SUFFIX, &seen, &[claimed, seen.clone()]);
                assert_eq!(twin.is_some(), *absorbed == contested, "{seen:?}");
            }
            let other =
                Movement { payer: second, paid_on: day(20 + days), ..movement(9, reference, 501) };
            assert_eq!(absorb(SUFFIX, &[known], &sighting(&other)), Absorption::New);
        }
    }

    #[test]
    fn an_account_shows_its_bank() {
        let of = |account: &str| PayerFacts {
            account: AccountNumber::parse(account).ok(),
            ..PayerFacts::default()
        };
        let bank = PayerFacts { bank: BankCode::parse("0134").ok(), ..PayerFacts::default() };
        assert!(of("01050000000000000001").are_of_other_bank(&bank));
        assert!(!of("01340000000000000001").are_of_other_bank(&bank));
        assert!(!of("01340000000000000001").are_of_other_bank(&PayerFacts::default()));
    }

    #[test]
    fn a_stable_id_decides() {
        let keyed = |movement, key: &str| Movement { bank_key: Some(key.to_owned()), ..movement };
        let known = [keyed(movement(1, "912345", 500), "a"), movement(2, "812345", 500)];
        let absorbed = |movement, key| absorb(SUFFIX, &known, &sighting(&keyed(movement, key)));
        assert_eq!(absorbed(movement(9, "555555", 500), "a"), same(&known[0], nothing));
        assert_eq!(absorbed(movement(9, "912345", 500), "b"), Absorption::New);
        assert_eq!(absorbed(movement(9, "912345", 501), "a"), Absorption::Contested(id(1)));
        let named = |known: &mut Movement| known.bank_key = Some("b".to_owned());
        assert_eq!(absorbed(movement(9, "812345", 500), "b"), same(&known[1], named));
    }

    #[test]
    fn what_a_push_left_out_an_extract_adds() {
        let known = [movement(1, "912345", 500)];
        let listed = with_phone(movement(9, "79912345", 500), "04141111111");
        let listed = Movement { bank_key: Some("a".to_owned()), ..listed };
        let learned = Movement { id: id(1), ..listed.clone() };
        let absorbed = Absorption::Same { id: id(1), learned: Some(Box::new(learned.clone())) };
        assert_eq!(absorb(SUFFIX, &known, &sighting(&listed)), absorbed);
        // From then on, another stable id is another movement.
        let other = Movement { bank_key: Some("b".to_owned()), ..listed };
        assert_eq!(absorb(SUFFIX, &[learned], &sighting(&other)), Absorption::New);
    }

    #[test]
    fn what_may_be_several_is_kept_apart() {
        let known = [movement(1, "11912345", 500), movement(2, "21912345", 500)];
        let seen = sighting(&movement(9, "912345", 500));
        assert_eq!(absorb(SUFFIX, &known, &seen), Absorption::Ambiguous(vec![id(1), id(2)]));
        // Once kept, it is known.
        let [one, two] = known;
        let known = [one, two, movement(3, "912345", 500)];
        assert_eq!(absorb(SUFFIX, &known, &seen), same(&known[2], nothing));
    }

    #[test]
    fn in_the_sandbox_the_first_sighting_fixes_everything() {
        let known = [movement(1, "67890", 500)];
        let seen = Movement { paid_on: day(28), ..movement(9, "67890", 900) };
        assert_eq!(absorb(Rule::Exact, &known, &sighting(&seen)), same(&known[0], nothing));
        for other in ["1167890", "7890", "167890"] {
            let seen = sighting(&movement(9, other, 500));
            assert_eq!(absorb(Rule::Exact, &known, &seen), Absorption::New);
        }
    }
}
