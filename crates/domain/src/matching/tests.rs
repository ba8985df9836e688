use std::ops::RangeInclusive;

use proptest::prelude::*;

use super::*;

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
        claimed: None,
    }
}

fn with_phone(movement: Movement, phone: &str) -> Movement {
    let payer = PayerFacts { phone: Phone::parse(phone).ok(), ..PayerFacts::default() };
    Movement { payer, ..movement }
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
    fn another_amount_and_money_that_went_out_are_told() {
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
        // The same digits twice: no number of them tells the two apart.
        let twins = [movement(1, "912345", 500), movement(2, "912345", 500)];
        assert_eq!(found(&query("912345", Some(500)), SUFFIX, &twins), needed(6));
    }

    #[test]
    fn a_claimed_movement_counts_among_the_candidates() {
        let claimed = Some(Claimed {
            payment: PaymentId::from_bytes([9; 16]),
            verification: VerificationId::from_bytes([9; 16]),
            fingerprint: Fingerprint::from_bytes([9; 32]),
            at: Timestamp::from_micros(0),
        });
        let one = Movement { claimed, ..movement(1, "11912345", 500) };
        let shown = [one, movement(2, "21912345", 500)];
        let several = Verdict::Ambiguous { digits_needed: 8 };
        assert_eq!(found(&query("912345", Some(500)), SUFFIX, &shown), several);
    }

    #[test]
    fn what_the_bank_tells_of_another_payer_excludes_a_movement() {
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
    fn who_paid_is_known_by_what_the_bank_tells_of_it_and_by_nothing_else() {
        let told = |phone: &str, document: &str| PayerFacts {
            phone: Phone::parse(phone).ok(),
            document: Document::parse(document).ok(),
            ..PayerFacts::default()
        };
        let asked = |phone, document| {
            let PayerFacts { phone, document, .. } = told(phone, document);
            Query { phone, document, ..query("912345", None) }
        };
        for (phone, document, payer, is_known) in [
            ("04141111111", "", told("04141111111", ""), true),
            ("", "V12345678", told("", "V12345678"), true),
            ("", "V12345678", told("", "V123456781"), true),
            // One of the two is enough, and what the bank does not tell is asked of nobody.
            ("04141111111", "", told("04141111111", "V12345678"), true),
            ("04142222222", "V12345678", told("04142222222", ""), true),
            ("", "", told("", ""), true),
            ("04142222222", "", told("", ""), true),
            ("04142222222", "", told("04141111111", ""), false),
            ("", "V12345678", told("04141111111", ""), false),
            ("04141111111", "", told("", "V12345678"), false),
            ("", "", told("", "V12345678"), false),
        ] {
            assert_eq!(knows_payer(&asked(phone, document), &payer), is_known, "{phone}{document}");
        }
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
            assert_eq!(found(&asked, SUFFIX, &shown), Verdict::NotFound);
        }
        // Leading zeros are not digits.
        assert_eq!(query("002345", None).lacks(SUFFIX), Some(Lacking::Amount));
    }

    #[test]
    fn an_owner_may_choose_that_four_digits_do_with_an_amount() {
        let shown = [movement(1, "912345", 500)];
        assert_eq!(found(&query("2345", Some(500)), OPTED_IN, &shown), Verdict::One(id(1)));
        assert_eq!(found(&query("2345", None), OPTED_IN, &shown), Verdict::NotFound);
        assert_eq!(found(&query("345", Some(500)), OPTED_IN, &shown), Verdict::NotFound);
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

    fn longer(known: &mut Movement) {
        known.reference = BankReference::parse("79912345").unwrap();
    }

    fn longest(known: &mut Movement) {
        known.reference = BankReference::parse("0079912345").unwrap();
    }

    #[test]
    fn the_same_money_seen_again_is_the_same_movement() {
        let known = [movement(1, "912345", 500)];
        for (seen, absorbed) in [
            (movement(9, "912345", 500), same(&known[0], nothing)),
            (movement(9, "0079912345", 500), same(&known[0], longest)),
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
    fn the_fullest_reference_and_the_first_words_of_the_bank_stay() {
        let written =
            |movement: Movement, text| Movement { description: BankText::clean(text), ..movement };
        let known = [movement(1, "79912345", 500)];
        let seen = written(movement(9, "0000079912345", 500), "PAGOMOVIL OTROS BANCOS");
        let learned = Movement { id: id(1), ..seen.clone() };
        let absorbed = Absorption::Same { id: id(1), learned: Some(Box::new(learned.clone())) };
        assert_eq!(absorb(SUFFIX, &known, &sighting(&seen)), absorbed);
        // Neither fewer zeros nor other words change it, and neither makes it another movement.
        let nothing_new = Absorption::Same { id: id(1), learned: None };
        for again in ["79912345", "00079912345", "912345"] {
            let again = written(movement(9, again, 500), "OTRO TEXTO");
            assert_eq!(absorb(SUFFIX, &[learned.clone()], &sighting(&again)), nothing_new);
        }
    }

    #[test]
    fn another_payer_is_another_movement() {
        let known = [with_phone(movement(1, "912345", 500), "04141111111")];
        let seen = |phone| sighting(&with_phone(movement(9, "79912345", 500), phone));
        assert_eq!(absorb(SUFFIX, &known, &seen("04142222222")), Absorption::New);
        assert_eq!(absorb(SUFFIX, &known, &seen("04141111111")), same(&known[0], longer));
    }

    #[test]
    fn a_stable_id_decides() {
        let keyed = |movement, key: &str| Movement { bank_key: Some(key.to_owned()), ..movement };
        let known = [keyed(movement(1, "912345", 500), "a"), movement(2, "812345", 500)];
        let absorbed = |movement, key| absorb(SUFFIX, &known, &sighting(&keyed(movement, key)));
        assert_eq!(absorbed(movement(9, "555555", 500), "a"), same(&known[0], nothing));
        assert_eq!(absorbed(movement(9, "912345", 500), "b"), Absorption::New);
        assert_eq!(absorbed(movement(9, "912345", 501), "a"), Absorption::Contested(vec![id(1)]));
        let named = |known: &mut Movement| known.bank_key = Some("b".to_owned());
        assert_eq!(absorbed(movement(9, "812345", 500), "b"), same(&known[1], named));
    }

    #[test]
    fn what_a_push_left_out_an_extract_adds() {
        let known = [movement(1, "912345", 500)];
        let told = with_phone(movement(9, "79912345", 500), "04141111111");
        let told = Movement { bank_key: Some("a".to_owned()), ..told };
        let learned = Movement { id: id(1), ..told.clone() };
        let absorbed = Absorption::Same { id: id(1), learned: Some(Box::new(learned.clone())) };
        assert_eq!(absorb(SUFFIX, &known, &sighting(&told)), absorbed);
        // From then on, another stable id is another movement.
        let other = Movement { bank_key: Some("b".to_owned()), ..told };
        assert_eq!(absorb(SUFFIX, &[learned], &sighting(&other)), Absorption::New);
    }

    #[test]
    fn what_may_be_several_is_kept_apart() {
        let known = [movement(1, "11912345", 500), movement(2, "21912345", 500)];
        let seen = sighting(&movement(9, "912345", 500));
        assert_eq!(absorb(SUFFIX, &known, &seen), Absorption::Contested(vec![id(1), id(2)]));
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

/// References of few digits and few forms, so that they often end alike.
fn reference() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[12]{0,2}(12345|[12]{4,6})").unwrap()
}

fn phone() -> impl Strategy<Value = Option<Phone>> {
    let phones = ["04141111111", "04142222222"].map(|text| Phone::parse(text).unwrap());
    proptest::option::of(proptest::sample::select(phones.to_vec()))
}

prop_compose! {
    fn a_movement()(
        reference in reference(),
        amount in proptest::sample::select(vec![-500_i64, 500, 900]),
        day_of in 18..23_i32,
        phone in phone(),
        key in proptest::option::weighted(0.3, 0..3_u8),
    ) -> Movement {
        Movement {
            bank_key: key.map(|key| key.to_string()),
            paid_on: day(day_of),
            payer: PayerFacts { phone, ..PayerFacts::default() },
            ..movement(0, &reference, amount)
        }
    }
}

fn movements() -> impl Strategy<Value = Vec<Movement>> {
    proptest::collection::vec(a_movement(), 0..8).prop_map(|mut movements| {
        for (number, movement) in (0..).zip(&mut movements) {
            movement.id = id(number);
        }
        movements
    })
}

proptest! {
    /// The rules of matching, said again as one sentence over one movement at a time.
    #[test]
    fn the_verdict_is_that_of_a_simple_model(
        shown in movements(),
        text in reference(),
        amount in proptest::option::of(proptest::sample::select(vec![500_i64, 900])),
        phone in phone(),
        opted_in: bool,
    ) {
        let asked = Query { phone: phone.clone(), ..query(&text, amount) };
        let rule = if opted_in { OPTED_IN } else { SUFFIX };
        let window = day(19)..=day(21);
        let meant: Vec<_> = shown.iter().filter(|known| {
            let whole = known.reference.digits();
            let ends_alike = whole.ends_with(&text) || (whole.len() >= 6 && text.ends_with(whole));
            let enough = text.len() >= 6
                || (amount.is_some() && opted_in && text.len() >= 4)
                || (amount.is_some() && phone.is_some() && phone == known.payer.phone);
            let other = phone.is_some() && known.payer.phone.is_some() && phone != known.payer.phone;
            window.contains(&known.paid_on) && ends_alike && enough && !other
        }).collect();
        let came_in: Vec<_> = meant.iter().filter(|known| known.amount.hundredths() > 0).collect();
        let fit: Vec<_> = came_in.iter()
            .filter(|known| amount.is_none_or(|amount| known.amount.hundredths() == amount))
            .collect();
        match find(&asked, rule, &shown, &window) {
            Verdict::One(found) => {
                prop_assert_eq!(fit.len(), 1);
                prop_assert_eq!(found, fit[0].id);
            }
            Verdict::Ambiguous { digits_needed } => {
                prop_assert!(fit.len() > 1);
                let longest = fit.iter().map(|known| known.reference.digits().len()).max();
                prop_assert!(digits_needed as usize <= longest.unwrap());
            }
            Verdict::OtherAmount { amount } => {
                prop_assert!(fit.is_empty());
                prop_assert!(came_in.iter().any(|known| known.amount == amount));
            }
            Verdict::Outgoing(found) => {
                prop_assert!(came_in.is_empty());
                prop_assert!(meant.iter().any(|known| known.id == found));
            }
            Verdict::NotFound => prop_assert!(meant.is_empty()),
        }
    }

    /// The rules of absorbing, said again over one known movement at a time.
    #[test]
    fn what_is_absorbed_is_that_of_a_simple_model(known in movements(), seen in a_movement()) {
        let keyed = |one: &&Movement| seen.bank_key.is_some() && one.bank_key == seen.bank_key;
        let exactly = |one: &&Movement| {
            let shown = Movement { id: one.id, bank_key: one.bank_key.clone(), ..seen.clone() };
            **one == shown && (one.bank_key.is_none() || one.bank_key == seen.bank_key)
        };
        let alike = |one: &&Movement| {
            let (a, b) = (one.reference.digits(), seen.reference.digits());
            let (longer, shorter) = if a.len() > b.len() { (a, b) } else { (b, a) };
            let ends = a == b || (shorter.len() >= 6 && longer.ends_with(shorter));
            let days = one.paid_on >= seen.paid_on.plus_days(-1)
                && one.paid_on <= seen.paid_on.plus_days(1);
            let (mine, theirs) = (&one.payer.phone, &seen.payer.phone);
            let one_payer = mine.is_none() || theirs.is_none() || mine == theirs;
            let two_ids = one.bank_key.is_some() && seen.bank_key.is_some();
            ends && days && one_payer && !two_ids && one.amount == seen.amount
        };
        let by_key = known.iter().find(keyed);
        let candidates: Vec<_> = known.iter().filter(alike).map(|one| one.id).collect();
        match absorb(SUFFIX, &known, &sighting(&seen)) {
            Absorption::Same { id, learned } => {
                let one = known.iter().find(|one| one.id == id).unwrap();
                let agreed = by_key.is_some_and(|by_key| by_key.id == id && one.amount == seen.amount);
                prop_assert!(agreed || exactly(&one) || candidates == [id]);
                // Nothing is unlearned: what was told once stays.
                let after = learned.as_deref().unwrap_or(one);
                prop_assert!(after.reference.digits().ends_with(one.reference.digits()) || agreed);
                prop_assert!(one.payer.phone.is_none() || after.payer.phone == one.payer.phone);
                prop_assert_eq!((after.amount, after.paid_on), (one.amount, one.paid_on));
            }
            Absorption::New => {
                prop_assert!(by_key.is_none() && candidates.is_empty());
            }
            Absorption::Contested(ids) => match by_key {
                Some(by_key) => {
                    prop_assert_eq!(ids, [by_key.id]);
                    prop_assert_ne!(by_key.amount, seen.amount);
                }
                None => {
                    prop_assert!(ids.len() > 1);
                    prop_assert_eq!(ids, candidates);
                    prop_assert!(!known.iter().any(|one| exactly(&one)));
                }
            },
        }
    }

    /// However often and in whatever order a bank shows the same things, what is kept of them comes
    /// to rest, and no two stable ids are ever taken for one movement.
    #[test]
    fn what_is_shown_again_and_again_is_kept_once(shown in movements(), exact: bool) {
        let rule = if exact { Rule::Exact } else { SUFFIX };
        let mut known: Vec<Movement> = Vec::new();
        for pass in 0..=shown.len() + 1 {
            let before = known.clone();
            for seen in &shown {
                take_in(rule, &mut known, seen);
            }
            if known == before {
                break;
            }
            prop_assert!(pass <= shown.len(), "{:?}", known);
        }
        for (place, one) in known.iter().enumerate() {
            let alike = |other: &Movement| one.bank_key.is_some() && one.bank_key == other.bank_key;
            prop_assert!(!known[..place].iter().any(alike));
        }
    }
}

/// Does with a sighting what a store does.
fn take_in(rule: Rule, known: &mut Vec<Movement>, seen: &Movement) {
    let number = u8::try_from(known.len()).unwrap();
    match absorb(rule, known, &sighting(seen)) {
        Absorption::Same { id, learned } => {
            let movement = known.iter_mut().find(|movement| movement.id == id).unwrap();
            if let Some(learned) = learned {
                *movement = *learned;
            }
        }
        Absorption::New => known.push(Movement { id: id(number), ..seen.clone() }),
        Absorption::Contested(_) => {}
    }
}
