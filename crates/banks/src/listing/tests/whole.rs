//! What a day must have been read like before something is said not to be there.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::double::{
    Double, INTERVAL, PAGE_ROWS, Row, asking, credit, look, query, reference, set_up, shown,
};
use domain::payer::{Document, Phone};

use super::*;

/// So many credits whose references none of the questions means.
fn others(count: usize) -> impl Iterator<Item = Row> {
    (0..count).map(|number| credit(&format!("91234{number}")))
}

#[test]
fn a_row_that_is_posted_late_among_those_that_are_known_is_seen() {
    let (time, listing, bank) = set_up(others(PAGE_ROWS + 1));
    let wanted = query("777777");
    assert_eq!(shown(asking(&listing, &bank, &wanted).1), [""; 0]);
    bank.books_first(credit("777777"));
    time.pass(INTERVAL);
    let (mut question, answer) = asking(&listing, &bank, &wanted);
    assert_eq!(answer, None, "what is behind the mark is not the whole day");
    time.pass(INTERVAL);
    assert_eq!(shown(look(&mut question)), ["777777"]);
}

#[test]
fn a_miss_is_said_only_of_a_day_that_was_read_from_its_beginning_since_the_question() {
    let (time, listing, bank) = set_up(others(PAGE_ROWS + 1));
    let wanted = query("777777");
    assert_eq!(shown(asking(&listing, &bank, &wanted).1), [""; 0]);
    time.pass(INTERVAL);
    let mut question = asking(&listing, &bank, &wanted).0;
    time.pass(INTERVAL);
    assert_eq!(shown(look(&mut question)), [""; 0]);
    let marks = bank.marks();
    let marks: Vec<_> = marks.iter().map(Option::as_deref).collect();
    assert_eq!(marks, [None, Some("2"), Some("2"), None, Some("2")]);
}

/// Otherwise the time that an answer takes would show a stranger which references are there.
#[test]
fn a_stranger_hears_of_what_somebody_else_paid_as_late_as_of_nothing() {
    let Row::Credit(theirs) = credit("777777") else { unreachable!() };
    let phone = |text| Phone::parse(text).ok();
    let payer = PayerFacts { phone: phone("04141111111"), ..PayerFacts::default() };
    let theirs = Row::Credit(Sighting { payer, ..theirs });
    let (time, listing, bank) = set_up(others(PAGE_ROWS + 1).chain([theirs]));
    assert_eq!(shown(asking(&listing, &bank, &query("555555")).1), [""; 0]);
    let document = Document::parse("V12345678").ok();
    for (wanted, is_at_once, found) in [
        (Query { document: document.clone(), ..query("777777") }, false, true),
        (Query { document, ..query("555555") }, false, false),
        (Query { phone: phone("04141111111"), ..query("777777") }, true, true),
    ] {
        time.pass(INTERVAL);
        let ask = Ask { is_strangers: true, ..double::ask(&bank, &wanted) };
        let mut question: double::Question<'_> =
            Box::pin(listing.ask(&ask, std::iter::once(double::day())));
        let answer = look(&mut question);
        assert_eq!(answer.is_some(), is_at_once, "{wanted:?}");
        time.pass(INTERVAL);
        let answer = answer.or_else(|| look(&mut question));
        assert_eq!(!shown(answer).is_empty(), found, "{wanted:?}");
    }
}

#[test]
fn a_page_with_fewer_rows_than_the_day_has_is_not_its_end() {
    let (time, listing, bank) = set_up(others(4).chain([credit("777777")]));
    {
        let mut state = bank.state.lock().unwrap();
        (state.cut, state.total) = (Some(PAGE_ROWS - 1), Some(5));
    }
    assert_eq!(shown(asking(&listing, &bank, &query("777777")).1), ["777777"]);
    let marks = bank.marks();
    let marks: Vec<_> = marks.iter().map(Option::as_deref).collect();
    assert_eq!(marks, [None, Some("1"), Some("3")]);
    time.pass(INTERVAL);
    assert_eq!(shown(asking(&listing, &bank, &query("888888")).1), [""; 0]);
}

#[test]
fn a_day_that_has_more_rows_than_are_shown_is_not_known() {
    for count in [0, 1, PAGE_ROWS, 2 * PAGE_ROWS - 1] {
        let (_, listing, bank) = set_up(others(count));
        bank.state.lock().unwrap().total = Some(2 * PAGE_ROWS);
        let answer = asking(&listing, &bank, &query("777777")).1;
        assert_eq!(answer, Some(Answer::Failed(Failure::BadResponse)), "{count}");
    }
}

/// Checks that a movement booked while a day is read does not make the day unreadable.
#[test]
fn a_day_is_as_long_as_its_first_page_says() {
    let (_, listing, bank) = set_up(others(PAGE_ROWS + 1));
    bank.state.lock().unwrap().total = Some(PAGE_ROWS + 1);
    bank.hold(true);
    let wanted = query("777777");
    let mut question = asking(&listing, &bank, &wanted).0;
    bank.state.lock().unwrap().total = Some(PAGE_ROWS + 2);
    bank.hold(false);
    assert_eq!(shown(look(&mut question)), [""; 0]);
}

/// A bank whose pages do not always let on that the latest come first.
struct Ambiguous(Double);

impl Extract for Ambiguous {
    async fn page(&self, day: CaracasDate, after: Option<&str>) -> Result<Page, Unread> {
        let page = self.0.page(day, after).await?;
        Ok(Page { is_latest_first: after.is_none(), ..page })
    }

    fn secret(&self) -> &SecretText {
        self.0.secret()
    }
}

#[test]
fn once_the_latest_came_first_no_page_makes_it_otherwise() {
    let (time, listing, bank) = set_up(others(2 * PAGE_ROWS + 1));
    bank.state.lock().unwrap().is_latest_first = true;
    let extract = Arc::new(Ambiguous(bank.clone()));
    let answer = |text: &str| {
        let (query, extract) = (query(text), Arc::clone(&extract));
        let ask = Ask {
            identity: double::IDENTITY,
            extract,
            query: &query,
            may_mean: None,
            is_strangers: false,
        };
        listing.ask(&ask, std::iter::once(double::day())).now_or_never()
    };
    assert_eq!(shown(answer("912340")), ["912340"]);
    bank.books(credit("777777"));
    time.pass(INTERVAL);
    assert_eq!(shown(answer("777777")), ["777777"]);
}

/// A bank that numbers its rows anew now and then, and does not know the former numbers.
struct Renumbering {
    bank: Double,
    times: AtomicUsize,
    failure: Failure,
}

impl Extract for Renumbering {
    async fn page(&self, day: CaracasDate, after: Option<&str>) -> Result<Page, Unread> {
        let times = self.times.load(Ordering::SeqCst).to_string();
        let after = match after.and_then(|mark| mark.split_once(':')) {
            Some((former, _)) if former != times => return Err(self.failure.into()),
            mark => mark.map(|(_, place)| place),
        };
        let page = self.bank.page(day, after).await?;
        Ok(Page { last: page.last.map(|place| format!("{times}:{place}")), ..page })
    }

    fn secret(&self) -> &SecretText {
        self.bank.secret()
    }
}

#[test]
fn a_mark_that_the_bank_no_longer_knows_is_forgotten() {
    for failure in [Failure::BadResponse, Failure::InvalidInput] {
        let (time, listing, bank) = set_up(others(PAGE_ROWS + 1));
        let times = AtomicUsize::new(0);
        let extract = Arc::new(Renumbering { bank: bank.clone(), times, failure });
        let answer = |text: &str| {
            let (query, extract) = (query(text), Arc::clone(&extract));
            let ask = Ask {
                identity: double::IDENTITY,
                extract,
                query: &query,
                may_mean: None,
                is_strangers: false,
            };
            listing.ask(&ask, std::iter::once(double::day())).now_or_never()
        };
        assert_eq!(shown(answer("912340")), ["912340"]);
        for text in ["777771", "777772"] {
            extract.times.fetch_add(1, Ordering::SeqCst);
            bank.books(credit(text));
            time.pass(INTERVAL);
            assert_eq!(shown(answer(text)), [text], "{failure:?}");
        }
        // Read from its beginning, the day is known well enough to say what is not there.
        extract.times.fetch_add(1, Ordering::SeqCst);
        time.pass(INTERVAL);
        assert_eq!(shown(answer("888888")), [""; 0]);
    }
}

#[test]
fn a_bank_that_is_down_does_not_make_a_mark_unknown() {
    let (time, listing, bank) = set_up(others(PAGE_ROWS + 1));
    assert_eq!(shown(asking(&listing, &bank, &query("912340")).1), ["912340"]);
    time.pass(INTERVAL);
    bank.fail(Some(Failure::TimedOut));
    let answer = asking(&listing, &bank, &query("912340")).1;
    assert_eq!(answer, Some(Answer::Failed(Failure::TimedOut)));
    bank.fail(None);
    time.pass(INTERVAL);
    assert_eq!(shown(asking(&listing, &bank, &query("912340")).1), ["912340"]);
    let marks = bank.marks();
    let marks: Vec<_> = marks.iter().map(Option::as_deref).collect();
    assert_eq!(marks, [None, Some("2"), Some("2"), Some("2")]);
}

#[test]
fn a_row_that_the_bank_corrects_is_no_longer_in_the_way() {
    let unreadable = || [Row::Unreadable(reference("777777")), Row::Nameless].into_iter();
    let (first, last) = (0, PAGE_ROWS);
    let cases = unreadable().flat_map(|row| [(row.clone(), first), (row, last)]);
    for (unreadable, place) in cases {
        let (time, listing, bank) = set_up(others(PAGE_ROWS + 1));
        bank.corrects(place, unreadable.clone());
        let wanted = query("777777");
        let failed = Some(Answer::Failed(Failure::BadResponse));
        assert_eq!(asking(&listing, &bank, &wanted).1, failed);
        // Still there: only who reads the whole day can know otherwise.
        time.pass(INTERVAL);
        let mut question = asking(&listing, &bank, &wanted).0;
        time.pass(INTERVAL);
        assert_eq!(look(&mut question), failed);
        bank.corrects(place, credit("777777"));
        time.pass(INTERVAL);
        let (mut question, answer) = asking(&listing, &bank, &wanted);
        time.pass(INTERVAL);
        let answer = answer.or_else(|| look(&mut question));
        assert_eq!(shown(answer), ["777777"], "{unreadable:?} at {place}");
        time.pass(INTERVAL);
        assert_eq!(shown(asking(&listing, &bank, &wanted).1), ["777777"]);
    }
}

/// Two payments may have one reference: that one of them can be read says nothing of the other.
#[test]
fn a_row_that_can_be_read_does_not_speak_for_another_of_its_reference() {
    let rows = [Row::Unreadable(reference("777777"))].into_iter().chain(others(PAGE_ROWS));
    let (time, listing, bank) = set_up(rows.chain([credit("777777")]));
    for _ in 0..2 {
        let wanted = query("777777");
        let (mut question, answer) = asking(&listing, &bank, &wanted);
        time.pass(INTERVAL);
        let answer = answer.or_else(|| look(&mut question));
        assert_eq!(answer, Some(Answer::Failed(Failure::BadResponse)));
        time.pass(INTERVAL);
    }
}
