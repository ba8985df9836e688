//! The rules, said again as simple models.

use proptest::prelude::*;

use super::*;

/// References of few digits and few forms, so that they often end alike.
fn reference() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[12]{0,4}(12345|[12]{4,6})|1?12211212").unwrap()
}

fn phone() -> impl Strategy<Value = Option<Phone>> {
    let phones = ["04141111111", "04142222222"].map(|text| Phone::parse(text).unwrap());
    proptest::option::of(proptest::sample::select(phones.to_vec()))
}

/// Two people, the first by cédula and by tax number.
fn document() -> impl Strategy<Value = Option<Document>> {
    let documents = ["V12345678", "V123456781", "V22222222"];
    let documents = documents.map(|text| Document::parse(text).unwrap());
    proptest::option::of(proptest::sample::select(documents.to_vec()))
}

/// The cédula of whom a document is.
fn holder(document: &Document) -> u64 {
    if document.number() == 123_456_781 { 12_345_678 } else { document.number() }
}

prop_compose! {
    fn a_movement()(
        reference in reference(),
        amount in proptest::sample::select(vec![-500_i64, 500, 900]),
        day_of in 18..23_i32,
        phone in phone(),
        document in document(),
        form in proptest::sample::select(PayerForm::ALL.to_vec()),
        bank in proptest::option::of(proptest::sample::select(vec!["0105", "0134"])),
        key in proptest::option::weighted(0.3, 0..3_u8),
    ) -> Movement {
        let bank = bank.map(|code| BankCode::parse(code).unwrap());
        Movement {
            bank_key: key.map(|key| key.to_string()),
            paid_on: day(day_of),
            payer: PayerFacts { phone, document, bank, form, account: None },
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
    /// The rules of absorbing, said again over one known movement at a time.
    #[test]
    fn what_is_absorbed_is_that_of_a_simple_model(known in movements(), seen in a_movement()) {
        let one_phone = |one: &Movement| {
            let (mine, theirs) = (&one.payer.phone, &seen.payer.phone);
            mine.is_none() || theirs.is_none() || mine == theirs
        };
        let holders = |one: &Movement| {
            one.payer.document.as_ref().map(holder).zip(seen.payer.document.as_ref().map(holder))
        };
        let one_person = |one: &Movement| {
            one_phone(one) && holders(one).is_none_or(|(mine, theirs)| mine == theirs)
        };
        let one_bank = |one: &Movement| {
            let (mine, theirs) = (&one.payer.bank, &seen.payer.bank);
            mine.is_none() || theirs.is_none() || mine == theirs
        };
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
            let two_ids = one.bank_key.is_some() && seen.bank_key.is_some();
            ends && days && one_person(one) && one_bank(one) && !two_ids && one.amount == seen.amount
        };
        let contradicts_itself = |one: &&Movement| {
            let (a, b) = (one.reference.digits(), seen.reference.digits());
            let eight = a.len().min(b.len()) >= 8 && (a.ends_with(b) || b.ends_with(a));
            let two_ids = one.bank_key.is_some() && seen.bank_key.is_some();
            let week = one.paid_on >= seen.paid_on.plus_days(-7)
                && one.paid_on <= seen.paid_on.plus_days(7);
            // One of the two is enough, in whatever form the bank says it.
            let one_payer = (one.payer.phone.is_some() && one.payer.phone == seen.payer.phone)
                || holders(one).is_some_and(|(mine, theirs)| mine == theirs);
            let differs = one.paid_on != seen.paid_on || !one_bank(one);
            eight && one.amount == seen.amount && !two_ids && week && one_payer && differs
        };
        let by_payer_alone = |one: &&Movement| {
            let (a, b) = (one.reference.digits(), seen.reference.digits());
            let eight = a.len().min(b.len()) >= 8 && (a.ends_with(b) || b.ends_with(a));
            let two_ids = one.bank_key.is_some() && seen.bank_key.is_some();
            let alike = one.amount == seen.amount && one.paid_on == seen.paid_on;
            (a == b || eight) && alike && !two_ids && !one_person(one) && one_bank(one)
        };
        let by_key = known.iter().find(keyed);
        let candidates: Vec<_> = known.iter().filter(alike).map(|one| one.id).collect();
        match absorb(SUFFIX, &known, &sighting(&seen)) {
            Absorption::Same { id, learned } => {
                let one = known.iter().find(|one| one.id == id).unwrap();
                let agreed = by_key.is_some_and(|by_key| by_key.id == id && one.amount == seen.amount);
                prop_assert!(agreed || exactly(&one) || candidates == [id]);
                // Nothing is unlearned: what was said once stays.
                let after = learned.as_deref().unwrap_or(one);
                prop_assert!(after.reference.digits().ends_with(one.reference.digits()) || agreed);
                let (before, now) = (&one.payer, &after.payer);
                prop_assert!(before.phone.is_none() || now.phone == before.phone);
                prop_assert!(before.document.is_none() || now.document == before.document);
                let by_phone = Query { phone: before.phone.clone(), ..query("912345", None) };
                let by_document = Query { document: before.document.clone(), ..query("912345", None) };
                for asked in [by_phone, by_document] {
                    prop_assert!(!confirms(&asked, before) || confirms(&asked, now));
                }
                prop_assert_eq!((after.amount, after.paid_on), (one.amount, one.paid_on));
            }
            Absorption::New => {
                prop_assert!(by_key.is_none() && candidates.is_empty());
                prop_assert!(!known.iter().any(|one| by_payer_alone(&one) || contradicts_itself(&one)));
            }
            Absorption::Contested(with) => match by_key {
                Some(by_key) => {
                    prop_assert_eq!(with, by_key.id);
                    prop_assert_ne!(by_key.amount, seen.amount);
                }
                None => {
                    prop_assert!(candidates.is_empty());
                    let one = known.iter().find(|one| one.id == with).unwrap();
                    prop_assert!(by_payer_alone(&one) || contradicts_itself(&one));
                }
            },
            // None of these is kept as contested.
            Absorption::ContestedAgain(_) => prop_assert!(false, "{:?}", known),
            Absorption::Ambiguous(ids) => {
                prop_assert!(ids.len() > 1);
                prop_assert_eq!(ids, candidates);
                prop_assert!(!known.iter().any(|one| exactly(&one)));
            }
        }
    }

    /// Checks that a contested sighting is never taken for a movement of its own: where nothing that is known fits, it
    /// is said to be contested; and it adds nothing to the movement that it may be.
    #[test]
    fn what_is_contested_is_never_found(
        known in movements(),
        seen in a_movement(),
        text in reference(),
        phone in phone(),
        document in document(),
    ) {
        let Absorption::Contested(with) = absorb(SUFFIX, &known, &sighting(&seen)) else {
            return Ok(());
        };
        let asked = Query { phone, document, ..query(&text, Some(500)) };
        let window = day(18)..=day(22);
        let without = find(&asked, SUFFIX, &known, &window);
        let kept = contested(Movement { id: id(99), ..seen.clone() }, with);
        let all = [&known[..], &[kept]].concat();
        // However often it is shown, it is what is kept.
        prop_assert_eq!(absorb(SUFFIX, &all, &sighting(&seen)), Absorption::ContestedAgain(id(99)));
        match find(&asked, SUFFIX, &all, &window) {
            Verdict::One(found) => prop_assert_eq!(without, Verdict::One(found)),
            Verdict::Contested { with: named, digits } => {
                prop_assert_eq!((named, digits as usize), (with, text.len()));
                let is_found = matches!(without, Verdict::One(_) | Verdict::Ambiguous { .. });
                prop_assert!(!is_found, "{:?}", without);
            }
            Verdict::Ambiguous { .. } => {
                let is_found = matches!(without, Verdict::One(_) | Verdict::Ambiguous { .. });
                prop_assert!(is_found, "{:?}", without);
            }
            Verdict::TooShort => {
                prop_assert!(matches!(without, Verdict::TooShort | Verdict::NotFound));
            }
            verdict => prop_assert_eq!(verdict, without),
        }
    }

    /// Checks that of movements that may be one, the second is claimed by nobody once the first is; and that the rule
    /// is the same from either side.
    #[test]
    fn of_rivals_one_is_claimed(movements in movements()) {
        for one in &movements {
            for other in movements.iter().filter(|other| other.id != one.id) {
                let claimed = |movement: &Movement| {
                    [Movement { claimed: Some(a_claim()), ..movement.clone() }]
                };
                let there = claimed_twin(SUFFIX, one, &claimed(other)).is_some();
                let back = claimed_twin(SUFFIX, other, &claimed(one)).is_some();
                prop_assert_eq!(there, back);
            }
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
                ingest(rule, &mut known, seen);
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

prop_compose! {
    /// Generates what a text of a bank says of one payer, in whatever form.
    fn said()(
        bank in proptest::option::of(Just("0134")),
        phone in proptest::option::of(Just("04141111111")),
        document in proptest::option::of(Just("V12345678")),
        form in proptest::sample::select(
            vec![PayerForm::Known, PayerForm::SameBank, PayerForm::Unknown]
        ),
    ) -> PayerFacts {
        PayerFacts {
            bank: bank.map(|code| BankCode::parse(code).unwrap()),
            phone: phone.map(|text| Phone::parse(text).unwrap()),
            document: document.map(|text| Document::parse(text).unwrap()),
            form,
            ..PayerFacts::default()
        }
    }
}

/// The same of customers of other banks.
fn said_of_others() -> impl Strategy<Value = PayerFacts> {
    said().prop_map(|said| match said.form {
        PayerForm::SameBank => PayerFacts { form: PayerForm::Known, ..said },
        _ => said,
    })
}

proptest! {
    /// In whichever order a bank says it, the same is known of a payer.
    #[test]
    fn of_a_payer_the_same_is_learned_in_either_order(one in said(), other in said()) {
        let learned = |mut known: PayerFacts, more: &PayerFacts| {
            known.learn(more);
            known
        };
        prop_assert_eq!(learned(one.clone(), &other), learned(other, &one));
    }

    /// The same of several: all that was said is known, and as proved what a known form said.
    #[test]
    fn of_a_payer_all_is_learned_in_every_order(
        (said, shuffled) in proptest::collection::vec(said_of_others(), 1..5)
            .prop_flat_map(|said| (Just(said.clone()), Just(said).prop_shuffle())),
    ) {
        let learned = |said: &[PayerFacts]| {
            let (first, more) = said.split_first().unwrap();
            let mut known = first.clone();
            more.iter().for_each(|one| known.learn(one));
            known
        };
        let known = learned(&said);
        prop_assert_eq!(&learned(&shuffled), &known);
        let by = |phone: &str, document: &str| Query {
            phone: Phone::parse(phone).ok(),
            document: Document::parse(document).ok(),
            ..query("912345", None)
        };
        let is_said = |has: fn(&PayerFacts) -> bool| said.iter().any(has);
        let is_proved = |has: fn(&PayerFacts) -> bool| {
            said.iter().any(|one| one.form != PayerForm::Unknown && has(one))
        };
        prop_assert_eq!(known.bank.is_some(), is_said(|one| one.bank.is_some()));
        prop_assert_eq!(known.phone.is_some(), is_said(|one| one.phone.is_some()));
        prop_assert_eq!(known.document.is_some(), is_said(|one| one.document.is_some()));
        let by_phone = confirms(&by("04141111111", ""), &known);
        prop_assert_eq!(by_phone, is_proved(|one| one.phone.is_some()));
        let by_document = confirms(&by("", "V12345678"), &known);
        prop_assert_eq!(by_document, is_proved(|one| one.document.is_some()));
    }
}

/// Does with a sighting what a store does.
fn ingest(rule: Rule, known: &mut Vec<Movement>, seen: &Movement) {
    let number = u8::try_from(known.len()).unwrap();
    match absorb(rule, known, &sighting(seen)) {
        Absorption::Same { id, learned } => {
            let movement = known.iter_mut().find(|movement| movement.id == id).unwrap();
            if let Some(learned) = learned {
                *movement = *learned;
            }
        }
        Absorption::New => known.push(Movement { id: id(number), ..seen.clone() }),
        Absorption::Contested(with) => {
            let is_taken =
                known.iter().any(|one| one.bank_key.is_some() && one.bank_key == seen.bank_key);
            let bank_key = seen.bank_key.clone().filter(|_| !is_taken);
            let kept = Movement { id: id(number), bank_key, ..seen.clone() };
            known.push(contested(kept, with));
        }
        Absorption::Ambiguous(_) | Absorption::ContestedAgain(_) => {}
    }
}
