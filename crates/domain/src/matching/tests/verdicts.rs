//! The rules by which a movement is meant, said again in plain words over texts, for references with zeros in every
//! place, payers of every shape, and short references with and without the owner's leave.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Two people, one of them by cédula and by tax number, and a company.
const DOCUMENTS: [&str; 4] = ["V12345678", "V0123456781", "V22222222", "J123456784"];
const PHONES: [&str; 2] = ["04141111111", "04142222222"];
const BANKS: [&str; 2] = ["0102", "0134"];

/// Who paid, as texts: bank, phone and document.
type Person = (Option<&'static str>, Option<&'static str>, Option<&'static str>);

fn person() -> impl Strategy<Value = Person> {
    let one_of = |texts: &[&'static str]| proptest::option::weighted(0.4, select(texts.to_vec()));
    (one_of(&BANKS), one_of(&PHONES), one_of(&DOCUMENTS))
}

fn facts((bank, phone, document): Person) -> PayerFacts {
    PayerFacts {
        bank: bank.map(|text| BankCode::parse(text).unwrap()),
        phone: phone.map(|text| Phone::parse(text).unwrap()),
        document: document.map(|text| Document::parse(text).unwrap()),
        ..PayerFacts::default()
    }
}

/// What a bank shows: few digits and many zeros, so that references often end alike.
fn shown() -> impl Strategy<Value = String> {
    let text = "(0{0,5}|0050[01]|9{1,3})[012]{0,3}(0{0,3}[12]{1,4}|[012]{5,6})";
    proptest::string::string_regex(text).unwrap().prop_filter("zeros alone", |text| has_digit(text))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte != b'0')
}

/// A movement as it is written here: what the bank shows, hundredths, day, and who paid.
type Row = (String, i64, i32, Person);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (shown(), select(vec![-500_i64, 500, 500, 900]), 18..23_i32, person());
    proptest::collection::vec(row, 1..7)
}

fn movements(rows: &[Row]) -> Vec<Movement> {
    let movement = |(number, (shown, amount, on, person)): (u8, &Row)| Movement {
        paid_on: day(*on),
        payer: facts(*person),
        ..movement(number, shown, *amount)
    };
    (0..).zip(rows).map(movement).collect()
}

/// A question as it is written here, of which some were made of what the bank shows.
#[derive(Clone, Debug)]
struct Question {
    text: String,
    amount: Option<i64>,
    person: Person,
    may_be_short: bool,
}

impl Question {
    fn query(&self) -> Query {
        let PayerFacts { bank, phone, document, .. } = facts(self.person);
        Query { bank_origin: bank, phone, document, ..query(&self.text, self.amount) }
    }

    fn rule(&self) -> Rule {
        if self.may_be_short { OPTED_IN } else { SUFFIX }
    }

    /// "Up to eight digits are counted as typed, leading zeros included." Of longer ones they are padding.
    fn counted(&self) -> &str {
        if self.text.len() <= 8 { &self.text } else { self.text.trim_start_matches('0') }
    }

    /// "Fewer than 6 digits only with an amount and a phone or document that the bank confirms; an opt-in lowers that
    /// to 4 digits with an amount. Fewer than 4 digits: nothing is looked at."
    fn may_mean(&self, digits: &str, row: &Row) -> bool {
        let is_chosen = self.may_be_short && self.amount == Some(row.1);
        let is_short_taken = digits.len() >= 4
            && self.amount.is_some()
            && (is_confirmed(self.person, row.3) || is_chosen);
        self.could_mean(digits, row) && (digits.len() >= 6 || is_short_taken)
    }

    /// The same, were there digits enough.
    fn could_mean(&self, digits: &str, row: &Row) -> bool {
        (19..=21).contains(&row.2) && is_suffix(digits, &row.0) && !is_refuted(self.person, row.3)
    }

    /// "4 or 5 without what they need: 404 where nothing fits, PAYMENT_REFERENCE_TOO_SHORT where one would."
    fn is_too_short(&self, rows: &[Row]) -> bool {
        let fits = |row: &Row| row.1 > 0 && self.amount.is_none_or(|amount| amount == row.1);
        self.counted().len() < 6
            && rows.iter().any(|row| self.could_mean(self.counted(), row) && fits(row))
    }

    /// The rows that are meant: by the digits as they count, and where these mean nothing, without the zeros.
    fn meant<'a>(&self, rows: &'a [Row]) -> Vec<(u8, &'a Row)> {
        let by = |digits: &str| -> Vec<_> {
            (0..).zip(rows).filter(|(_, row)| self.may_mean(digits, row)).collect()
        };
        let first = by(self.counted());
        let bare = self.counted().trim_start_matches('0');
        // "Fewer than 4 digits: nothing is looked at."
        if first.is_empty() && bare.len() >= 4 { by(bare) } else { first }
    }
}

/// "A match is a suffix either way (of at least 6 when the bank's is the shorter)."
fn is_suffix(digits: &str, shown: &str) -> bool {
    let bank = shown.trim_start_matches('0');
    shown.ends_with(digits) || (bank.len() >= 6 && digits.ends_with(bank))
}

/// Who a document is of: the first two are one person's.
fn holder(document: &str) -> usize {
    DOCUMENTS.iter().position(|one| *one == document).unwrap().max(1)
}

fn is_confirmed(asked: Person, bank: Person) -> bool {
    let phone = asked.1.is_some() && asked.1 == bank.1;
    phone || asked.2.zip(bank.2).is_some_and(|(one, other)| holder(one) == holder(other))
}

fn is_refuted(asked: Person, bank: Person) -> bool {
    let differ =
        |one: Option<&str>, other: Option<&str>| one.zip(other).is_some_and(|(a, b)| a != b);
    let documents = asked.2.map(holder).zip(bank.2.map(holder));
    differ(asked.0, bank.0) || differ(asked.1, bank.1) || documents.is_some_and(|(a, b)| a != b)
}

prop_compose! {
    /// A question about one of the rows, mostly: an ending of it, zeros before it, or other digits.
    fn asked(rows: Vec<Row>)(
        of in 0..rows.len(),
        keeps in 1..14_usize,
        before in select(vec!["", "", "", "0", "00", "000", "1", "00000000"]),
        other in proptest::option::weighted(0.1, shown()),
        amount in select(vec![None, Some(500_i64), Some(500), Some(900)]),
        knows: bool,
        person in person(),
        may_be_short: bool,
        rows in Just(rows),
    ) -> (Vec<Row>, Question) {
        let whole = other.unwrap_or_else(|| rows[of].0.clone());
        let (_, ending) = whole.split_at(whole.len().saturating_sub(keeps));
        let text = format!("{before}{ending}");
        let text = if has_digit(&text) { text } else { format!("{text}1") };
        let person = if knows { rows[of].3 } else { person };
        (rows, Question { text, amount, person, may_be_short })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_verdict_is_that_of_a_simple_model(
        (rows, question) in rows().prop_flat_map(asked),
    ) {
        let window = day(19)..=day(21);
        let found = find(&question.query(), question.rule(), &movements(&rows), &window);
        let meant = question.meant(&rows);
        let came_in: Vec<_> = meant.iter().filter(|(_, row)| row.1 > 0).collect();
        let fits: Vec<_> = came_in
            .iter()
            .filter(|(_, row)| question.amount.is_none_or(|amount| amount == row.1))
            .collect();
        match found {
            Verdict::One(found) => {
                prop_assert_eq!(fits.len(), 1);
                prop_assert_eq!(found, id(fits[0].0));
            }
            Verdict::Ambiguous { digits_needed } => {
                prop_assert!(fits.len() > 1);
                let longest = fits.iter().map(|(_, row)| row.0.len()).max();
                prop_assert!(digits_needed as usize <= longest.unwrap());
            }
            Verdict::OtherAmount { amount } => {
                prop_assert!(fits.is_empty());
                prop_assert!(came_in.iter().any(|(_, row)| row.1 == amount.hundredths()));
            }
            Verdict::Outgoing(found) => {
                prop_assert!(came_in.is_empty());
                prop_assert!(meant.iter().any(|(number, _)| id(*number) == found));
            }
            Verdict::TooShort => {
                prop_assert!(meant.is_empty() && question.is_too_short(&rows));
            }
            Verdict::NotFound => {
                prop_assert!(meant.is_empty() && !question.is_too_short(&rows), "{:?}", meant);
            }
            Verdict::Contested { .. } => prop_assert!(false, "nothing is contested"),
        }
    }
}
