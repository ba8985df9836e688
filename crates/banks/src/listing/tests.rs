//! The listing against a bank in memory, moved on by hand: a question goes on only when it is looked
//! at, so that every order of events is the one that a test writes down.

mod behind;
pub(super) mod double;
mod model;
mod person;
mod share;
mod whole;

use std::sync::atomic::{AtomicUsize, Ordering};

use domain::money::Bolivars;
use domain::payer::Phone;

use self::double::{
    Double, IDENTITY, INTERVAL, PAGE_ROWS, Question, Row, asking, credit, day, look, query,
    reference, set_up, shown,
};
use super::day_statement::ROWS_OF_A_DAY_MAX;
use super::*;
use crate::breaker::{FAILURES_MAX, OPEN_FOR};

#[test]
fn many_who_ask_at_once_share_one_scan() {
    let (_, listing, bank) = set_up([credit("912345")]);
    let (right, wrong) = (query("912345"), query("777777"));
    bank.hold(true);
    let mut questions: Vec<_> = (0..40)
        .map(|number| asking(&listing, &bank, if number % 2 == 0 { &right } else { &wrong }).0)
        .collect();
    assert_eq!(bank.asked(), 1);
    bank.hold(false);
    // Callers that asked after the scan had begun get a hit of it too; a miss is for the first caller only.
    assert_eq!(shown(look(&mut questions[0])), ["912345"]);
    assert_eq!(shown(look(&mut questions[2])), ["912345"]);
    assert_eq!(look(&mut questions[1]), None);
}

#[test]
fn a_scan_that_began_before_the_question_gives_a_hit_and_never_a_miss() {
    let (time, listing, bank) = set_up([credit("912345")]);
    bank.hold(true);
    let (early, late) = (query("111111"), query("222222"));
    let mut first = asking(&listing, &bank, &early).0;
    // Booked behind the back of the scan that runs.
    bank.books(credit("222222"));
    let mut second = asking(&listing, &bank, &late).0;
    bank.hold(false);
    assert_eq!(shown(look(&mut first)), [""; 0]);
    assert_eq!(look(&mut second), None, "that scan cannot know");
    assert_eq!(bank.asked(), 1, "and the bank is not asked again so soon");
    time.pass(INTERVAL);
    assert_eq!(shown(look(&mut second)), ["222222"]);
    assert_eq!(bank.asked(), 2);
}

#[test]
fn those_who_wait_for_the_next_scan_share_it_too() {
    let (time, listing, bank) = set_up([]);
    bank.hold(true);
    let wanted = query("222222");
    let mut first = asking(&listing, &bank, &wanted).0;
    let mut others: Vec<_> = (0..10).map(|_| asking(&listing, &bank, &wanted).0).collect();
    bank.hold(false);
    assert_eq!(shown(look(&mut first)), [""; 0]);
    others.iter_mut().for_each(|other| assert_eq!(look(other), None));
    bank.books(credit("222222"));
    time.pass(INTERVAL);
    others.iter_mut().for_each(|other| assert_eq!(shown(look(other)), ["222222"]));
    assert_eq!(bank.asked(), 2);
}

#[test]
fn within_the_interval_what_is_known_answers_and_a_miss_waits() {
    let (time, listing, bank) = set_up([credit("912345")]);
    let (right, wrong) = (query("912345"), query("777777"));
    assert_eq!(shown(asking(&listing, &bank, &right).1), ["912345"]);
    assert_eq!(shown(asking(&listing, &bank, &right).1), ["912345"]);
    assert_eq!(bank.asked(), 1);
    let (mut miss, answer) = asking(&listing, &bank, &wrong);
    assert_eq!(answer, None);
    time.pass(INTERVAL);
    assert_eq!(shown(look(&mut miss)), [""; 0]);
    time.pass(INTERVAL);
    // Older knowledge is no answer: another that fits may be there by now.
    bank.books(credit("812912345"));
    assert_eq!(shown(asking(&listing, &bank, &right).1), ["912345", "812912345"]);
    assert_eq!(bank.asked(), 3);
}

#[test]
fn a_movement_of_another_payer_or_amount_is_no_hit() {
    let (time, listing, bank) = set_up([]);
    let phone = |text| Phone::parse(text).ok();
    let payer = PayerFacts { phone: phone("04141111111"), ..PayerFacts::default() };
    let Row::Credit(sighting) = credit("912345") else { unreachable!() };
    bank.books(Row::Credit(Sighting { payer, ..sighting }));
    assert_eq!(shown(asking(&listing, &bank, &query("912345")).1), ["912345"]);
    for other in [
        Query { phone: phone("04142222222"), ..query("912345") },
        Query { amount: Some(Bolivars::from_hundredths(501)), ..query("912345") },
    ] {
        let (mut question, answer) = asking(&listing, &bank, &other);
        assert_eq!(answer, None, "a later look may show the one that is meant");
        time.pass(INTERVAL);
        assert_eq!(shown(look(&mut question)), ["912345"], "the rules decide, not the listing");
    }
}

#[test]
fn one_who_leaves_takes_the_scan_from_nobody() {
    let (_, listing, bank) = set_up([credit("912345")]);
    bank.hold(true);
    let wanted = query("912345");
    let first = asking(&listing, &bank, &wanted).0;
    let mut second = asking(&listing, &bank, &wanted).0;
    drop(first);
    bank.hold(false);
    assert_eq!(shown(look(&mut second)), ["912345"]);
    assert_eq!(bank.asked(), 1);
}

#[test]
fn when_all_have_left_the_next_begins_where_they_ended() {
    let rows = (0..7).map(|number| credit(&format!("91234{number}")));
    let (time, listing, bank) = set_up(rows);
    let wanted = query("912346");
    // Two pages arrive, and the third does not.
    let pages = Arc::new(AtomicUsize::new(0));
    let question = {
        let (bank, pages) = (bank.clone(), Arc::clone(&pages));
        let query = query("912346");
        let listing = &listing;
        Box::pin(async move {
            let extract = Arc::new(Counting { bank, pages });
            let ask = Ask {
                identity: IDENTITY,
                extract,
                query: &query,
                may_mean: None,
                is_strangers: false,
            };
            listing.ask(&ask, std::iter::once(day())).await
        })
    };
    let mut question: Question<'_> = question;
    assert_eq!(look(&mut question), None);
    drop(question);
    time.pass(INTERVAL);
    assert_eq!(shown(asking(&listing, &bank, &wanted).1), ["912346"]);
    let asked = bank.state.lock().unwrap().asked.clone();
    let marks: Vec<_> = asked.iter().map(Option::as_deref).collect();
    assert_eq!(marks, [None, Some("2"), Some("5")]);
}

/// The bank, whose third page never comes.
struct Counting {
    bank: Double,
    pages: Arc<AtomicUsize>,
}

impl Extract for Counting {
    async fn page(&self, day: CaracasDate, after: Option<&str>) -> Result<Page, Unread> {
        if self.pages.fetch_add(1, Ordering::SeqCst) == 2 {
            return std::future::pending().await;
        }
        self.bank.page(day, after).await
    }

    fn secret(&self) -> &SecretText {
        self.bank.secret()
    }
}

#[test]
fn a_scan_goes_on_behind_the_last_full_page() {
    let (time, listing, bank) = set_up((0..7).map(|number| credit(&format!("91234{number}"))));
    assert_eq!(shown(asking(&listing, &bank, &query("912340")).1), ["912340"]);
    bank.books(credit("777777"));
    time.pass(INTERVAL);
    assert_eq!(shown(asking(&listing, &bank, &query("777777")).1), ["777777"]);
    let asked = bank.state.lock().unwrap().asked.clone();
    let marks: Vec<_> = asked.iter().map(Option::as_deref).collect();
    assert_eq!(marks, [None, Some("2"), Some("5"), Some("5")]);
    // What was read before is still known.
    assert_eq!(shown(asking(&listing, &bank, &query("912340")).1), ["912340"]);
}

#[test]
fn where_the_latest_come_first_a_day_is_read_from_its_beginning() {
    let (time, listing, bank) = set_up((0..4).map(|number| credit(&format!("91234{number}"))));
    bank.state.lock().unwrap().is_latest_first = true;
    assert_eq!(shown(asking(&listing, &bank, &query("912340")).1), ["912340"]);
    bank.books(credit("777777"));
    time.pass(INTERVAL);
    assert_eq!(shown(asking(&listing, &bank, &query("777777")).1), ["777777"]);
}

#[test]
fn a_scan_by_other_credentials_says_nothing_about_these() {
    let (time, listing, bank) = set_up([]);
    let refused = Double { secret: SecretText::from("wrong"), ..Double::showing([]) };
    refused.fail(Some(Failure::RejectedCredentials));
    let wanted = query("912345");
    assert_eq!(shown(asking(&listing, &bank, &wanted).1), [""; 0]);
    // Both wait for the next scan, which is the right one's; the other's comes after it.
    let mut right = asking(&listing, &bank, &wanted).0;
    let mut wrong = asking(&listing, &refused, &wanted).0;
    bank.books(credit("912345"));
    time.pass(INTERVAL);
    assert_eq!(look(&mut wrong), None, "what others see is not for these credentials");
    assert_eq!(shown(look(&mut right)), ["912345"]);
    time.pass(INTERVAL);
    assert_eq!(look(&mut wrong), Some(Answer::Failed(Failure::RejectedCredentials)));
}

#[test]
fn the_failure_of_an_earlier_scan_is_not_the_answer_to_a_later_question() {
    let (time, listing, bank) = set_up([credit("912345")]);
    let wanted = query("912345");
    bank.hold(true);
    bank.fail(Some(Failure::BadResponse));
    let mut first = asking(&listing, &bank, &wanted).0;
    let mut second = asking(&listing, &bank, &wanted).0;
    bank.hold(false);
    bank.fail(None);
    assert_eq!(look(&mut first), Some(Answer::Failed(Failure::BadResponse)));
    assert_eq!(look(&mut second), None);
    time.pass(INTERVAL);
    assert_eq!(shown(look(&mut second)), ["912345"]);
}

/// A bank that shows one day and not another, as soon as it shows anything.
struct HalfBlind(Double);

impl Extract for HalfBlind {
    async fn page(&self, asked: CaracasDate, after: Option<&str>) -> Result<Page, Unread> {
        let page = self.0.page(asked, after).await;
        if asked == day() { page } else { Err(Failure::Maintenance.into()) }
    }

    fn secret(&self) -> &SecretText {
        self.0.secret()
    }
}

#[test]
fn a_day_that_was_not_read_makes_the_whole_question_fail() {
    let (time, listing, bank) = set_up([credit("912345")]);
    for text in ["912345", "777777"] {
        time.pass(INTERVAL);
        let query = query(text);
        let extract = Arc::new(HalfBlind(bank.clone()));
        let ask =
            Ask { identity: IDENTITY, extract, query: &query, may_mean: None, is_strangers: false };
        let days = [day(), day().plus_days(-1)];
        let answer = listing.ask(&ask, days.into_iter()).now_or_never();
        assert_eq!(answer, Some(Answer::Failed(Failure::Maintenance)), "{text}");
    }
}

#[test]
fn a_row_that_cannot_be_read_is_in_the_way_of_its_own_reference_alone() {
    let unreadable = Row::Unreadable(reference("912345"));
    let (time, listing, bank) = set_up([unreadable, credit("812346")]);
    assert_eq!(shown(asking(&listing, &bank, &query("812346")).1), ["812346"]);
    time.pass(INTERVAL);
    let answer = asking(&listing, &bank, &query("12345")).1;
    assert_eq!(answer, Some(Answer::Failed(Failure::BadResponse)));
}

#[test]
fn a_hit_on_one_day_does_not_speak_for_another_whose_scan_has_failed() {
    let (time, listing, bank) = set_up([credit("912345")]);
    let query = query("912345");
    let extract = Arc::new(HalfBlind(bank.clone()));
    let ask =
        Ask { identity: IDENTITY, extract, query: &query, may_mean: None, is_strangers: false };
    let days = || [day(), day().plus_days(-1)].into_iter();
    bank.hold(true);
    let mut first: Question<'_> = Box::pin(listing.ask(&ask, days()));
    assert_eq!(look(&mut first), None);
    let mut second: Question<'_> = Box::pin(listing.ask(&ask, days()));
    assert_eq!(look(&mut second), None);
    bank.hold(false);
    assert_eq!(look(&mut first), Some(Answer::Failed(Failure::Maintenance)));
    assert_eq!(look(&mut second), None, "it waits for a scan of its own");
    time.pass(INTERVAL);
    assert_eq!(look(&mut second), Some(Answer::Failed(Failure::Maintenance)));
}

/// A bank that shows the first page of a day and fails at the second.
struct HalfDay(Double);

impl Extract for HalfDay {
    async fn page(&self, asked: CaracasDate, after: Option<&str>) -> Result<Page, Unread> {
        if after.is_none() {
            self.0.page(asked, after).await
        } else {
            Err(Failure::BadResponse.into())
        }
    }

    fn secret(&self) -> &SecretText {
        self.0.secret()
    }
}

#[test]
fn a_day_that_was_read_in_part_is_not_known() {
    let rows = (0..PAGE_ROWS + 1).map(|number| credit(&format!("91234{number}")));
    let (_, listing, bank) = set_up(rows);
    let query = query("912340");
    let extract = Arc::new(HalfDay(bank));
    let ask =
        Ask { identity: IDENTITY, extract, query: &query, may_mean: None, is_strangers: false };
    let mut questions = (0..2).map(|_| listing.ask(&ask, std::iter::once(day())).now_or_never());
    assert_eq!(questions.next(), Some(Some(Answer::Failed(Failure::BadResponse))));
    assert_eq!(questions.next(), Some(None), "what is known of it is no answer");
}

/// A bank whose pages are all full and all alike.
struct Endless(Double);

impl Extract for Endless {
    async fn page(&self, _: CaracasDate, _: Option<&str>) -> Result<Page, Unread> {
        self.0.state.lock().unwrap().asked.push(None);
        Ok(Page { last: Some("1".to_owned()), is_full: true, ..Page::default() })
    }

    fn secret(&self) -> &SecretText {
        self.0.secret()
    }
}

/// A bank that has more movements in a day than can be kept.
struct Huge(Double);

impl Extract for Huge {
    async fn page(&self, _: CaracasDate, after: Option<&str>) -> Result<Page, Unread> {
        let begin: usize = after.map_or(0, |mark| mark.parse().unwrap());
        let end = begin + ROWS_OF_A_DAY_MAX / 2;
        let rows = (begin..end).map(|number| match credit(&format!("9{number:08}")) {
            Row::Credit(sighting) => sighting,
            _ => unreachable!(),
        });
        Ok(Page {
            rows: rows.collect(),
            last: Some(end.to_string()),
            is_full: true,
            ..Page::default()
        })
    }

    fn secret(&self) -> &SecretText {
        self.0.secret()
    }
}

#[test]
fn a_day_without_an_end_is_not_read_for_ever() {
    fn answer<E: Extract>(extract: E) -> Option<Answer> {
        let (_, listing, _) = set_up([]);
        let query = query("777777");
        let extract = Arc::new(extract);
        let ask =
            Ask { identity: IDENTITY, extract, query: &query, may_mean: None, is_strangers: false };
        listing.ask(&ask, std::iter::once(day())).now_or_never()
    }
    let bad = Some(Answer::Failed(Failure::BadResponse));
    let bank = Double::showing([]);
    assert_eq!(answer(Endless(bank.clone())), bad);
    assert_eq!(bank.asked(), 2, "it led to itself");
    assert_eq!(answer(Huge(Double::showing([]))), bad);
}

#[test]
fn a_clock_that_is_set_back_delays_nobody() {
    let (time, listing, bank) = set_up([credit("912345")]);
    time.pass(INTERVAL * 1_000);
    assert_eq!(shown(asking(&listing, &bank, &query("912345")).1), ["912345"]);
    time.set_back(INTERVAL * 500);
    let wanted = query("912345");
    let (mut question, answer) = asking(&listing, &bank, &wanted);
    assert_eq!(answer, None, "what was read then is not of now");
    time.pass(INTERVAL);
    assert_eq!(shown(look(&mut question)), ["912345"]);
    assert_eq!(bank.asked(), 2);
}

#[test]
fn a_bank_that_is_down_is_spared() {
    let (time, listing, bank) = set_up([credit("912345")]);
    let wanted = query("912345");
    bank.fail(Some(Failure::TimedOut));
    for _ in 0..FAILURES_MAX {
        assert_eq!(asking(&listing, &bank, &wanted).1, Some(Answer::Failed(Failure::TimedOut)));
        time.pass(INTERVAL);
    }
    let asked = bank.asked();
    assert_eq!(asking(&listing, &bank, &wanted).1, Some(Answer::Failed(Failure::Unavailable)));
    assert_eq!(bank.asked(), asked);
    bank.fail(None);
    time.pass(OPEN_FOR);
    assert_eq!(shown(asking(&listing, &bank, &wanted).1), ["912345"]);
}

#[test]
fn an_answer_has_the_likeliest_and_not_too_many() {
    let rows = (0..2 * SIGHTINGS_MAX).map(|number| credit(&format!("{number:03}912345")));
    let (_, listing, bank) = set_up(rows);
    let exact = Bolivars::from_hundredths(777);
    let Row::Credit(sighting) = credit("999912345") else { unreachable!() };
    bank.books(Row::Credit(Sighting { amount: exact, ..sighting }));
    let query = Query { amount: Some(exact), ..query("912345") };
    let answer = shown(asking(&listing, &bank, &query).1);
    assert_eq!((answer.len(), answer[0].as_str()), (SIGHTINGS_MAX, "999912345"));
}

#[test]
fn an_answer_is_complete_where_nothing_else_can_be_meant() {
    let is_complete = |rows: Vec<Row>| {
        let (_, listing, bank) = set_up(rows);
        // Its amount is another one.
        let query = Query { amount: Some(Bolivars::from_hundredths(777)), ..query("912345") };
        match asking(&listing, &bank, &query).1 {
            Some(Answer::Shown { is_complete, .. }) => is_complete,
            other => panic!("nothing was shown: {other:?}"),
        }
    };
    let alike = |count: usize| (0..count).map(|number| credit(&format!("{number:03}912345")));
    assert!(is_complete(Vec::new()));
    assert!(is_complete(alike(SIGHTINGS_MAX).collect()));
    assert!(!is_complete(alike(SIGHTINGS_MAX + 1).collect()), "one was left out");
    let unreadable = Row::Unreadable(reference("777777"));
    assert!(!is_complete(vec![unreadable]), "it may be one that is meant");
    let Row::Credit(sighting) = credit("912345") else { unreachable!() };
    let hit = Sighting { amount: Bolivars::from_hundredths(777), ..sighting };
    assert!(!is_complete(vec![Row::Credit(hit)]), "the days were not looked at again");
}
