use domain::bank_text::BankText;
use domain::matching::{Rule, Sighting};
use domain::money::Bolivars;
use domain::time::CaracasDate;

use super::*;
use crate::accounts::{self, NewAccount};
use crate::{Lane, Meter, owners};

const OWNER: OwnerId = OwnerId::from_bytes([1; 16]);
const IDENTITY: IdentityId = IdentityId::from_bytes([2; 16]);
const NOW: Timestamp = Timestamp::from_micros(1_763_640_000_000_000);
const SUFFIX: Rule = Rule::Suffix { min_digits: 6 };

/// Returns what a bank shows of the movement with that number, on a day of its own.
fn seen(number: u32, digits: &str) -> Sighting {
    Sighting {
        bank_key: Some(format!("key {number}")),
        reference: BankReference::parse(digits).unwrap(),
        amount: Bolivars::from_hundredths(100),
        paid_on: CaracasDate::from_days(20_000 + i64::from(number)).unwrap(),
        paid_at: None,
        payer: PayerFacts::default(),
        description: BankText::default(),
    }
}

/// The references found, the movements of an account being these.
async fn found(references: &[String], sought: ReferenceQuery) -> Vec<String> {
    let store = crate::inline().unwrap();
    let (meter, references) = (Meter::default(), references.to_vec());
    let write = store.write(&meter, Lane::Admission, OWNER, move |tx| {
        owners::insert(tx, OWNER, "a@b", "A", "", NOW)?;
        let account = NewAccount {
            id: domain::ids::BankId::from_bytes([3; 16]),
            identity: IDENTITY,
            provider: "BANK_TEST".to_owned(),
            account: "1".to_owned(),
            description: String::new(),
            client: None,
        };
        accounts::insert(tx, OWNER, &account, NOW)?;
        for (number, digits) in (0..).zip(&references) {
            let id = MovementId::from_bytes(u128::from(number).to_be_bytes());
            insert(tx, OWNER, IDENTITY, &seen(number, digits).into_movement(id), NOW)?;
        }
        let (sql, params) = candidates(OWNER, IDENTITY, &sought);
        tx.query(sql, &params)?.iter().map(read).collect::<Result<Vec<_>, _>>()
    });
    let found = write.await.unwrap();
    found.iter().map(|movement| movement.reference.digits().to_owned()).collect()
}

fn typed(digits: &str) -> TypedReference {
    TypedReference::parse(digits).unwrap()
}

/// The first search that a reference is found by, and the only one without zeros in front.
fn from_caller(rule: Rule, reference: &TypedReference) -> ReferenceQuery {
    ReferenceQuery::from_caller(rule, reference).next().unwrap()
}

/// More movements than are looked at, all of which end alike: the sandbox's do.
fn crowd() -> Vec<String> {
    (0..3 * CANDIDATES_MAX).map(|number| format!("{}067890", 1_000 + number)).collect()
}

#[tokio::test]
async fn references_that_end_alike_do_not_crowd_each_other_out() {
    for wanted in ["1000067890", "1599067890"] {
        for rule in [Rule::Exact, SUFFIX] {
            assert_eq!(found(&crowd(), from_caller(rule, &typed(wanted))).await, [wanted]);
            for sought in ReferenceQuery::from_bank(rule, &seen(0, wanted)).take(1) {
                assert_eq!(found(&crowd(), sought).await, [wanted]);
            }
        }
    }
    // In all its digits, the shorter is the ending of the longer.
    let sought = from_caller(SUFFIX, &typed("99001000067890"));
    assert_eq!(found(&crowd(), sought).await, ["1000067890"]);
}

#[tokio::test]
async fn an_ending_that_fits_too_many_finds_the_latest() {
    for ending in ["067890", "67890"] {
        let found = found(&crowd(), from_caller(SUFFIX, &typed(ending))).await;
        assert_eq!(found.len(), usize::try_from(CANDIDATES_MAX).unwrap());
        assert_eq!(found[0], "1599067890");
    }
}

#[tokio::test]
async fn a_short_ending_finds_all_that_end_in_it_and_no_other() {
    let digits = [
        "7", "70", "37", "1237", "5537", "60037", "999937", "99999937", "9000037", "9000307",
        "37000000", "1237373", "77",
    ];
    let shown: Vec<String> = digits.map(str::to_owned).to_vec();
    for ending in ["7", "37", "70", "73", "8", "937", "9937", "99937", "37373"] {
        let typed = typed(ending);
        let mut found = found(&shown, from_caller(SUFFIX, &typed)).await;
        let ends_in = |digits: &String| typed.matches(&BankReference::parse(digits).unwrap());
        let mut expected: Vec<String> =
            shown.iter().filter(|digits| ends_in(digits)).cloned().collect();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{ending}");
    }
}

#[tokio::test]
async fn zeros_in_front_are_looked_for_as_they_were_typed_and_without() {
    let shown: Vec<String> =
        ["345", "12000345", "12100345", "2100", "12012100", "12112100", "912437"]
            .map(str::to_owned)
            .to_vec();
    for (text, expected) in [
        ("000345", vec!["12000345"]),
        ("012100", vec!["12012100", "12112100"]),
        ("02100", vec!["12012100", "12112100", "2100"]),
        ("00912437", vec!["912437"]),
    ] {
        let mut all = Vec::new();
        for sought in ReferenceQuery::from_caller(SUFFIX, &typed(text)) {
            all.extend(found(&shown, sought).await);
        }
        all.sort_unstable();
        all.dedup();
        // What is found may be more than what matches as it was typed, and never less.
        for digits in &shown {
            let is_named = typed(text).matches_as_typed(&BankReference::parse(digits).unwrap());
            assert!(!is_named || all.contains(digits), "{text} {digits}");
        }
        assert_eq!(all, expected, "{text}");
    }
}

#[tokio::test]
async fn a_stable_id_is_found_under_another_reference() {
    let shown = seen(7, "55551234");
    let [reference, key] =
        ReferenceQuery::from_bank(SUFFIX, &shown).collect::<Vec<_>>().try_into().unwrap();
    assert!(found(&crowd(), reference).await.is_empty());
    assert_eq!(found(&crowd(), key).await, ["1007067890"]);
}
