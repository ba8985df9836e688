//! Payments of one or two people, all alike: each is reported by a notice and listed as a row, and asked about by its
//! receipt, by calls and on a link's page, whose owner accepts what it is offered; in whatever order.

use proptest::prelude::*;

use super::*;
use crate::reference::tail;

const DAY: i64 = 24 * 60;

/// A payment, with what is reported of it.
#[derive(Clone, Debug)]
struct Payment {
    document: &'static str,
    receipt: String,
    minute: i64,
    /// How many minutes later it is booked.
    booked: i64,
}

/// Fact that a payer states about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Document,
    Phone,
}

/// Step in the life of a payment, by its number.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The bank's notice comes.
    Notified(usize),
    /// The bank lists it.
    Listed(usize),
    /// A call of the API asks for it, by so many digits of its receipt; on the day on which it was booked, or else
    /// paid.
    Called(usize, usize, bool),
    /// Its payer types so many digits of its receipt on the page of its link, with its document or with its phone.
    Checked(usize, usize, Named),
    /// The owner accepts for its link what it was offered last.
    Accepted(usize),
    /// The owner looks itself, and accepts for its link that one of the payer's that nobody has claimed.
    Chosen(usize, usize),
}

prop_compose! {
    fn payment()(
        document in proptest::sample::select(vec!["V12345678", "V12345678", "V87654321"]),
        minute in proptest::sample::select(vec![0, 2, 4, 8, 60, 180, DAY - 5, DAY - 1, DAY, 2 * DAY]),
        booked in 0..2_i64,
        // Receipts often have a zero where six digits of them begin.
        receipt in proptest::sample::select(vec!["799", "790", "7900", "70", "09", "009"]),
    ) -> Payment {
        Payment { document, receipt: receipt.to_owned(), minute, booked }
    }
}

prop_compose! {
    fn payments()(
        mut payments in proptest::collection::vec(payment(), 1..4),
        // How many of the last digits all receipts share.
        shared in prop_oneof![3 => Just(0), 1 => 4..8_usize],
    ) -> Vec<Payment> {
        for (payment, number) in payments.iter_mut().zip(1..) {
            let other = 8 - payment.receipt.len();
            payment.receipt += &format!("{:0>other$}", number * 1_111);
            if shared > 0 {
                let ending = "5060708".split_at(7 - shared).1;
                let front = "111".repeat(3).replace('1', &number.to_string());
                payment.receipt = front.split_at(8 - shared).0.to_owned() + ending;
            }
        }
        payments
    }
}

prop_compose! {
    fn story(digits: Vec<usize>)(payments in payments())(
        steps in steps(payments.len(), digits.clone()).prop_shuffle(),
        payments in Just(payments),
    ) -> (Vec<Payment>, Vec<Step>) {
        (payments, steps)
    }
}

/// Each payment is reported and listed once; and some are asked about before the end.
fn steps(payments: usize, digits: Vec<usize>) -> impl Strategy<Value = Vec<Step>> {
    let asked = (0..payments).prop_flat_map(move |number| {
        let named = proptest::sample::select(vec![Named::Document, Named::Phone]);
        prop_oneof![
            2 => (proptest::sample::select(digits.clone()), any::<bool>())
                .prop_map(move |(digits, is_booked)| Step::Called(number, digits, is_booked)),
            1 => (proptest::sample::select(vec![6, 8]), named)
                .prop_map(move |(digits, named)| Step::Checked(number, digits, named)),
            1 => Just(Step::Accepted(number)),
            1 => (0..3_usize).prop_map(move |which| Step::Chosen(number, which)),
        ]
    });
    proptest::collection::vec(asked, 0..9).prop_map(move |asked| {
        let there = (0..payments).flat_map(|number| [Step::Notified(number), Step::Listed(number)]);
        there.chain(asked).collect()
    })
}

/// Each has a phone of its own, which only a notice says.
fn phone_of(document: &str) -> Phone {
    Phone::parse(if document == "V12345678" { "04140000002" } else { "04140000003" }).unwrap()
}

/// Answer that a call or a check gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    New,
    Known,
    /// Not found yet, or several.
    Nothing,
}

/// State that is kept of an account.
#[derive(Debug)]
struct Account {
    payments: Vec<Payment>,
    by_payer: bool,
    notices: Vec<SameBankNotice>,
    rows: Vec<Movement>,
    /// What the owner was last offered for the link of each payment.
    offered: Vec<Option<MovementId>>,
    /// What was asked on the page of the link of each payment, the latest first.
    questions: Vec<Vec<Query>>,
    /// How often the receipt of each payment was taken for a payment that is new.
    taken: Vec<usize>,
}

impl Account {
    fn new(payments: &[Payment], by_payer: bool) -> Self {
        Self {
            payments: payments.to_vec(),
            by_payer,
            notices: Vec::new(),
            rows: Vec::new(),
            offered: vec![None; payments.len()],
            questions: vec![Vec::new(); payments.len()],
            taken: vec![0; payments.len()],
        }
    }

    fn take(&mut self, step: Step) {
        let day_of = |minute: i64| day(20 + i32::try_from(minute / DAY).unwrap());
        match step {
            Step::Notified(number) => {
                let Payment { document, receipt, minute, .. } = &self.payments[number];
                self.notices.push(SameBankNotice {
                    payer: PayerFacts { phone: Some(phone_of(document)), ..same_bank(document) },
                    paid_on: day_of(*minute),
                    ..notice(u8::try_from(number).unwrap(), receipt, *minute)
                });
            }
            Step::Listed(number) => {
                let Payment { document, minute, booked, .. } = &self.payments[number];
                self.rows.push(Movement {
                    payer: same_bank(document),
                    paid_on: day_of(minute + booked),
                    ..row(u8::try_from(number + 100).unwrap(), minute + booked)
                });
            }
            Step::Called(number, digits, is_booked) => self.call(number, digits, is_booked),
            Step::Checked(number, digits, named) => self.check(number, digits, named),
            Step::Accepted(number) => self.accept(number, self.offered[number]),
            Step::Chosen(number, which) => {
                let payer = same_bank(self.payments[number].document);
                let is_of_payer =
                    |row: &&Movement| row.claimed.is_none() && !row.payer.contradict(&payer);
                let chosen = self.rows.iter().filter(is_of_payer).nth(which).map(|row| row.id);
                self.accept(number, chosen);
            }
        }
    }

    /// Returns the question that is asked by so many digits of the receipt of a payment, or by as many more as no other
    /// receipt has.
    fn asked(&self, number: usize, digits: usize) -> Query {
        let Payment { document, receipt, .. } = &self.payments[number];
        let ending = |digits: &usize| receipt.split_at(receipt.len() - digits).1;
        let is_its = |digits: &usize| {
            let digits = ending(digits).trim_start_matches('0');
            self.payments.iter().filter(|other| other.receipt.ends_with(digits)).count() == 1
        };
        let typed = ending(&(digits..=8).find(is_its).unwrap());
        Query { document: Document::parse(document).ok(), ..query(typed, Some(500)) }
    }

    fn call(&mut self, number: usize, digits: usize, is_booked: bool) {
        let Payment { minute, booked, .. } = self.payments[number];
        let at = minute + if is_booked { booked } else { 0 };
        let paid_on = Some(day(20 + i32::try_from(at / DAY).unwrap()));
        let asked = Query { paid_on, ..self.asked(number, digits) };
        let window = asked.window(day(25), 2);
        let answer = self.ask(number, &asked, &window);
        let before = self.taken[number];
        self.taken[number] += usize::from(answer == Answer::New);
        assert!(answer != Answer::New || before == 0, "the receipt of {number} is new again");
        assert!(answer != Answer::Known || before == 1, "the receipt of {number} is told as used");
    }

    /// Does what a payer's check of the link of a payment does.
    fn check(&mut self, number: usize, digits: usize, named: Named) {
        let mut asked = self.asked(number, digits);
        if named == Named::Phone {
            asked.phone = Some(phone_of(self.payments[number].document));
            asked.document = None;
        }
        self.questions[number].insert(0, asked.clone());
        let window = day(18)..=day(25);
        self.pair(&window);
        let known = self.known(&asked, &window);
        match find(&asked, SUFFIX, &known, &window) {
            Verdict::One(id) if self.row(id).claimed.is_none() => {
                self.row(id).claimed = Some(a_claim());
                self.taken[number] += 1;
            }
            Verdict::One(_) => {
                assert_eq!(self.taken[number], 1, "the receipt of {number} is told as used");
            }
            Verdict::NotFound | Verdict::TooShort => {
                let notices = self.asked_about(&asked, &window);
                let waiting = waiting_for_owner(&asked, OWN, &known, &notices);
                self.offered[number] =
                    waiting.max_by_key(|row| (row.paid_at, row.id)).map(|row| row.id);
            }
            _ => {}
        }
        assert!(self.taken[number] < 2, "the receipt of {number} is new again");
    }

    /// Does what the owner does with that movement, unless it is asked whether it means another receipt.
    fn accept(&mut self, number: usize, id: Option<MovementId>) {
        let Some(id) = id.filter(|_| !self.questions[number].is_empty()) else { return };
        let questions = &self.questions[number];
        let row = self.rows.iter().find(|row| row.id == id).unwrap().clone();
        let asked = asked_by_payer(questions, OWN, &row).cloned();
        let is_other = asked.as_ref().is_some_and(|asked| {
            names_other(asked, &row, &self.known(asked, &(row.paid_on..=row.paid_on)))
        });
        if row.claimed.is_some() || is_other {
            return;
        }
        let typed = asked.map(|asked| asked.reference);
        *self.row(id) = Movement { claimed: Some(a_claim()), typed, ..row };
        self.taken[number] += 1;
        assert_eq!(self.taken[number], 1, "the receipt of {number} is accepted again");
    }

    fn ask(
        &mut self,
        number: usize,
        asked: &Query,
        window: &RangeInclusive<CaracasDate>,
    ) -> Answer {
        self.pair(window);
        let known = self.known(asked, window);
        let (id, is_by_payer) = match find(asked, SUFFIX, &known, window) {
            Verdict::One(id) => (id, false),
            Verdict::NotFound | Verdict::TooShort => {
                match find_typed(asked, SUFFIX, &known, window) {
                    Verdict::One(id) => (id, false),
                    Verdict::NotFound if self.by_payer => {
                        let notices = self.asked_about(asked, window);
                        match find_by_payer(asked, OWN, &known, &notices) {
                            PayerMatch::One(id) => (id, true),
                            PayerMatch::None | PayerMatch::Several => return Answer::Nothing,
                        }
                    }
                    _ => return Answer::Nothing,
                }
            }
            Verdict::Ambiguous { .. } => return Answer::Nothing,
            other => panic!("{other:?} of {number}"),
        };
        if self.row(id).claimed.is_some() {
            return Answer::Known;
        }
        self.row(id).claimed = Some(a_claim());
        if is_by_payer {
            self.row(id).typed = Some(asked.reference.clone());
        }
        Answer::New
    }

    fn pair(&mut self, window: &RangeInclusive<CaracasDate>) {
        let rows = self.rows.iter().filter(|row| window.contains(&row.paid_on)).cloned();
        let open = self.notices.iter().filter(|one| one.movement.is_none());
        let open = open.filter(|one| window.contains(&one.paid_on)).cloned();
        let (rows, open): (Vec<_>, Vec<_>) = (rows.collect(), open.collect());
        for (notice_id, listed) in pair_notices(&open, &rows, &self.rows) {
            let notice = self.notices.iter_mut().find(|one| one.id == notice_id).unwrap();
            notice.movement = Some(listed);
            let receipt = notice.receipt.clone();
            let phone = notice.payer.phone.clone();
            let row = self.row(listed);
            row.payer.phone = row.payer.phone.take().or(phone);
            assert_eq!(row.receipt.replace(receipt), None);
        }
    }

    /// The rows of the days, and those that are known by what was typed, as they are looked for.
    fn known(&self, asked: &Query, window: &RangeInclusive<CaracasDate>) -> Vec<Movement> {
        let ends_so = |row: &Movement| {
            let receipt = row.receipt.as_ref().map(BankReference::digits);
            let mut known =
                receipt.into_iter().chain(row.typed.as_ref().map(TypedReference::typed));
            known.any(|known| tail(known).ends_with(asked.reference.tail()))
        };
        let is_known = |row: &&Movement| window.contains(&row.paid_on) || ends_so(row);
        self.rows.iter().filter(is_known).cloned().collect()
    }

    fn asked_about(
        &self,
        asked: &Query,
        window: &RangeInclusive<CaracasDate>,
    ) -> Vec<SameBankNotice> {
        let notices = self.notices.iter().filter(|one| one.is_asked_about(asked, window));
        notices.cloned().collect()
    }

    fn row(&mut self, id: MovementId) -> &mut Movement {
        self.rows.iter_mut().find(|row| row.id == id).unwrap()
    }
}

/// Goes through the story; then every payment is asked about until nothing is left to ask, by its whole receipt and on
/// both days, and what no call finds is the owner's to accept.
fn confirms_each_once(payments: &[Payment], steps: &[Step], by_payer: bool) {
    let mut account = Account::new(payments, by_payer);
    for step in steps {
        account.take(*step);
    }
    let all = 0..payments.len();
    for _ in all.clone() {
        for number in all.clone() {
            for is_booked in [false, true] {
                account.take(Step::Called(number, 8, is_booked));
            }
        }
        if let Some(number) = all.clone().find(|number| account.taken[*number] == 0) {
            account.take(Step::Checked(number, 8, Named::Document));
            account.take(Step::Accepted(number));
        }
    }
    assert_eq!(account.taken, vec![1; payments.len()], "{account:#?}");
    assert!(account.rows.iter().all(|row| row.claimed.is_some()));
}

proptest! {
    /// Each row is claimed once, each receipt is taken for one payment, none is reported as used before, and in the
    /// end each is confirmed.
    #[test]
    fn each_receipt_confirms_one_payment_by_payer((payments, steps) in story(vec![6, 8])) {
        confirms_each_once(&payments, &steps, true);
    }

    #[test]
    fn each_receipt_confirms_one_payment_where_the_owner_has_not_chosen((payments, steps) in story(vec![4, 6, 8])) {
        confirms_each_once(&payments, &steps, false);
    }
}

/// The payer of a link named its phone alone, and its owner accepts the payment all the same.
#[test]
fn a_receipt_that_was_typed_beside_a_phone_alone_confirms_nothing_else() {
    let pay = |receipt: &str, minute| Payment {
        document: "V12345678",
        receipt: receipt.to_owned(),
        minute,
        booked: 0,
    };
    let mut account = Account::new(&[pay("79911111", 0), pay("79922222", 180)], true);
    for step in [
        Step::Listed(0),
        Step::Listed(1),
        Step::Checked(0, 8, Named::Phone),
        Step::Chosen(0, 0),
        Step::Called(0, 8, false),
        Step::Called(1, 8, false),
    ] {
        account.take(step);
    }
    assert_eq!(account.taken, [1, 1]);
}
