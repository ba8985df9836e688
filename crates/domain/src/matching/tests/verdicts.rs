//! The rules by which a movement is meant, said again in plain words over texts, for references with zeros in every
//! place, payers of every shape, and short references with and without the owner's leave.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// Two people, one of them by cédula and by tax number, and a company.
const DOCUMENTS: [&str; 4] = ["V12345678", "V0123456781", "V22222222", "J123456784"];
const PHONES: [&str; 2] = ["04141111111", "04142222222"];
const BANKS: [&str; 2] = ["0102", "0134"];
const ACCOUNTS: [&str; 2] = ["01020000000000000001", "01340000000000000002"];

/// A payer, as texts.
#[derive(Clone, Copy, Debug)]
struct Person {
    bank: Option<&'static str>,
    phone: Option<&'static str>,
    document: Option<&'static str>,
    account: Option<&'static str>,
}

prop_compose! {
    fn person()(
        bank in one_of(0.4, &BANKS),
        phone in one_of(0.4, &PHONES),
        document in one_of(0.4, &DOCUMENTS),
        account in one_of(0.2, &ACCOUNTS),
    ) -> Person {
        Person { bank, phone, document, account }
    }
}

fn one_of(
    likely: f64,
    texts: &[&'static str],
) -> impl Strategy<Value = Option<&'static str>> + use<> {
    proptest::option::weighted(likely, select(texts.to_vec()))
}

fn facts(person: Person, form: PayerForm) -> PayerFacts {
    PayerFacts {
        bank: person.bank.map(|text| BankCode::parse(text).unwrap()),
        phone: person.phone.map(|text| Phone::parse(text).unwrap()),
        document: person.document.map(|text| Document::parse(text).unwrap()),
        account: person.account.map(|text| AccountNumber::parse(text).unwrap()),
        form,
    }
}

/// Generates what a bank shows: few digits and many zeros, so that references often end alike.
fn shown() -> impl Strategy<Value = String> {
    let text = "(0{0,5}|0050[01]|9{1,3})[012]{0,3}(0{0,3}[12]{1,4}|[012]{5,6})";
    proptest::string::string_regex(text).unwrap().prop_filter("zeros alone", |text| has_digit(text))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte != b'0')
}

/// A movement as it is written here.
#[derive(Clone, Debug)]
struct Row {
    shown: String,
    /// Hundredths.
    amount: i64,
    day: i32,
    person: Person,
    form: PayerForm,
}

prop_compose! {
    fn row()(
        shown in shown(),
        amount in select(vec![-500_i64, 500, 500, 900]),
        day in 18..23_i32,
        person in person(),
        form in select(PayerForm::ALL.to_vec()),
    ) -> Row {
        Row { shown, amount, day, person, form }
    }
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(row(), 1..7)
}

fn movements(rows: &[Row]) -> Vec<Movement> {
    let movement = |(number, row): (u8, &Row)| Movement {
        paid_on: day(row.day),
        payer: facts(row.person, row.form),
        ..movement(number, &row.shown, row.amount)
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
        let PayerFacts { bank, phone, document, account, .. } =
            facts(self.person, PayerForm::Known);
        Query { bank_origin: bank, phone, document, account, ..query(&self.text, self.amount) }
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
        let is_chosen = self.may_be_short && self.amount == Some(row.amount);
        let is_short_taken = digits.len() >= 4
            && self.amount.is_some()
            && (is_confirmed(self.person, row) || is_chosen);
        self.could_mean(digits, row) && (digits.len() >= 6 || is_short_taken)
    }

    /// The same, were there digits enough.
    fn could_mean(&self, digits: &str, row: &Row) -> bool {
        (19..=21).contains(&row.day)
            && is_suffix(digits, &row.shown)
            && !is_refuted(self.person, row.person)
    }

    /// "4 or 5 without what they need: 404 where nothing fits, PAYMENT_REFERENCE_TOO_SHORT where one would."
    fn is_too_short(&self, rows: &[Row]) -> bool {
        let fits =
            |row: &Row| row.amount > 0 && self.amount.is_none_or(|amount| amount == row.amount);
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

/// Returns the number of the person that a document is of: the first two are one person's.
fn holder(document: &str) -> usize {
    DOCUMENTS.iter().position(|one| *one == document).unwrap().max(1)
}

/// "A payer of an unknown form is shown and contradicts a caller; it confirms nothing." Where a known form says one of
/// phone and document and a text the other, the one confirms and the other does not.
fn is_confirmed(asked: Person, row: &Row) -> bool {
    let (is_phone_said, is_document_said) = match row.form {
        PayerForm::Known | PayerForm::SameBank => (true, true),
        PayerForm::PhoneKnown => (true, false),
        PayerForm::DocumentKnown => (false, true),
        PayerForm::Unknown => (false, false),
    };
    let phones = asked.phone.zip(row.person.phone);
    let documents = asked.document.zip(row.person.document);
    (is_phone_said && phones.is_some_and(|(one, other)| one == other))
        || (is_document_said && documents.is_some_and(|(one, other)| holder(one) == holder(other)))
}

/// "Contradicts a caller", in whatever form the bank says it.
fn is_refuted(asked: Person, bank: Person) -> bool {
    let differ =
        |one: Option<&str>, other: Option<&str>| one.zip(other).is_some_and(|(a, b)| a != b);
    let documents = asked.document.map(holder).zip(bank.document.map(holder));
    differ(asked.bank, bank.bank)
        || differ(asked.phone, bank.phone)
        || differ(asked.account, bank.account)
        || documents.is_some_and(|(a, b)| a != b)
}

/// "Only rows that the bank marks so count", and of these the one of that document and amount, whose payer is not
/// another one.
fn is_found_by_payer(question: &Question, row: &Row) -> bool {
    let Person { bank, phone, document, .. } = question.person;
    let documents = document.zip(row.person.document);
    row.form == PayerForm::SameBank
        && row.person.bank == Some("0102")
        && bank.is_none_or(|bank| bank == "0102")
        && row.amount > 0
        && question.amount == Some(row.amount)
        && documents.is_some_and(|(one, other)| holder(one) == holder(other))
        && phone.zip(row.person.phone).is_none_or(|(one, other)| one == other)
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
        let whole = other.unwrap_or_else(|| rows[of].shown.clone());
        let (_, ending) = whole.split_at(whole.len().saturating_sub(keeps));
        let text = format!("{before}{ending}");
        let text = if has_digit(&text) { text } else { format!("{text}1") };
        let person = if knows { rows[of].person } else { person };
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
        let came_in: Vec<_> = meant.iter().filter(|(_, row)| row.amount > 0).collect();
        let fits: Vec<_> = came_in
            .iter()
            .filter(|(_, row)| question.amount.is_none_or(|amount| amount == row.amount))
            .collect();
        match found {
            Verdict::One(found) => {
                prop_assert_eq!(fits.len(), 1);
                prop_assert_eq!(found, id(fits[0].0));
            }
            Verdict::Ambiguous { digits_needed } => {
                prop_assert!(fits.len() > 1);
                let longest = fits.iter().map(|(_, row)| row.shown.len()).max();
                prop_assert!(digits_needed as usize <= longest.unwrap());
            }
            Verdict::OtherAmount { amount } => {
                prop_assert!(fits.is_empty());
                prop_assert!(came_in.iter().any(|(_, row)| row.amount == amount.hundredths()));
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

    /// The same of one row at a time, for everything that asks who paid: a link, a stranger, an answer that ends a
    /// search early, and a payment within one bank.
    #[test]
    fn who_paid_is_known_by_a_known_form_alone((rows, question) in rows().prop_flat_map(asked)) {
        let query = question.query();
        for (row, movement) in rows.iter().zip(movements(&rows)) {
            let is_confirmed = is_confirmed(question.person, row);
            prop_assert_eq!(confirms(&query, &movement.payer), is_confirmed);
            let is_known = knows_payer(&query, &movement.payer);
            match (row.person.phone.or(row.person.document), row.form) {
                (Some(_), _) => prop_assert_eq!(is_known, is_confirmed),
                // A form that is known says that it is nobody's; of another text that is not known.
                (None, PayerForm::Known) => prop_assert!(is_known),
                (None, PayerForm::Unknown) => prop_assert!(!is_known),
                // No bank says nobody in these.
                (None, _) => {}
            }
            let is_whole = question.counted().len() >= 8;
            let is_certain = is_certain(&query, question.rule(), &movement);
            prop_assert!(!is_certain || is_confirmed || is_whole);
            let of_day = Query { paid_on: Some(day(row.day)), account: None, ..query.clone() };
            let by_payer = find_by_payer(&of_day, "0102", std::slice::from_ref(&movement), &[]);
            let is_found = is_found_by_payer(&question, row);
            let expected = if is_found { PayerMatch::One(movement.id) } else { PayerMatch::None };
            prop_assert_eq!(by_payer, expected);
        }
    }
}

/// A case that the model has found once. Its seed draws another one since rows have a form.
#[test]
fn two_digits_and_a_payer_do_not_mean_what_went_out() {
    let document = Document::parse("V12345678").ok();
    let payer = PayerFacts { document: document.clone(), ..PayerFacts::default() };
    let shown = [Movement { payer, ..movement(1, "1", -500) }];
    let asked = Query { document, ..query("01", Some(500)) };
    assert_eq!(found(&asked, SUFFIX, &shown), Verdict::NotFound);
}
