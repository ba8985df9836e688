//! A row that is seen beside the movements that are known.

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
    assert_eq!(absorb(SUFFIX, &known, &seen("04141111111")), same(&known[0], shown("79912345")));
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
        (of(movement(1, "79912345", 500), one, "0134"), movement(9, "79912345", 500), &contested),
        (of(movement(1, "9912345", 500), one, ""), movement(9, "79912345", 500), &Absorption::New),
        (of(movement(1, "79912345", 500), one, ""), movement(9, "79912345", 501), &Absorption::New),
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
        let claimed = [kept.clone(), claimed];
        let twin = claimed_twin(SUFFIX, &kept, &claimed);
        assert_eq!(twin.is_some(), *absorbed == contested);
        assert_eq!(claimed_twin(SUFFIX, &kept, &known), None, "it is not claimed");
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
            let rows = [claimed, seen.clone()];
            let twin = claimed_twin(SUFFIX, &seen, &rows);
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
fn a_movement_is_no_new_money_once_a_row_that_was_contested_with_it_is_claimed() {
    let certain = movement(1, "0079912345", 500);
    // The bank showed the same stable id with another amount.
    let other = contested(movement(2, "0079912345", 600), id(1));
    assert_eq!(claimed_twin(SUFFIX, &certain, &[certain.clone(), other.clone()]), None);
    let claimed = Movement { claimed: Some(a_claim()), ..other };
    let known = [certain.clone(), claimed.clone()];
    assert_eq!(claimed_twin(SUFFIX, &certain, &known).map(|twin| twin.id), Some(id(2)));
    // It is no other amount: a question about it is left to whoever looks for the twin.
    assert_eq!(found(&query("79912345", Some(500)), SUFFIX, &known), Verdict::One(id(1)));
    // Nor does a question that fits both wait for more digits: the payment that was accepted is known.
    let alike = [certain, Movement { amount: Bolivars::from_hundredths(500), ..claimed }];
    let asked = query("79912345", Some(500));
    assert_eq!(found(&asked, SUFFIX, &alike), Verdict::One(id(2)));
    assert_eq!(known_claim(&asked, SUFFIX, &alike), Some(a_claim()));
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
