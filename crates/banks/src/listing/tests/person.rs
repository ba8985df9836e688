//! A person who has a day read, and what is handed over to be kept.

use super::double::{
    Double, IDENTITY, INTERVAL, PAGE_ROWS, Row, asking, credit, day, look, query, reference,
    set_up, shown,
};
use super::*;
use crate::breaker::FAILURES_MAX;

type Read<'a> = std::pin::Pin<Box<dyn Future<Output = Result<bank::HeldDay, Failure>> + Send + 'a>>;

fn reading<'a>(listing: &'a Listing, bank: &Double) -> Read<'a> {
    Box::pin(listing.read_day(IDENTITY, Arc::new(bank.clone()), day()))
}

fn polled(read: &mut Read<'_>) -> Option<Result<(), Failure>> {
    read.now_or_never().map(|read| read.map(drop))
}

/// The references of what nobody keeps yet, which is kept by that.
fn kept(listing: &Listing, limit: usize) -> Vec<String> {
    let unkept = listing.unkept(IDENTITY, limit);
    listing.note_kept(IDENTITY, &unkept);
    unkept.rows.iter().map(|row| row.reference.digits().to_owned()).collect()
}

#[test]
fn what_was_shown_is_handed_over_once_however_it_was_read() {
    let (time, listing, bank) = set_up([credit("912345"), Row::Debit, credit("912346")]);
    assert_eq!(shown(asking(&listing, &bank, &query("912345")).1), ["912345"]);
    assert_eq!(kept(&listing, 9), ["912345", "912346"]);
    assert_eq!(kept(&listing, 9), [""; 0]);
    bank.books(credit("912347"));
    time.pass(INTERVAL);
    assert_eq!(polled(&mut reading(&listing, &bank)), Some(Ok(())));
    assert_eq!(listing.rows_of(IDENTITY, day()).read, 3);
    assert_eq!(kept(&listing, 9), ["912347"]);
}

#[test]
fn no_more_is_handed_over_than_is_wanted_at_a_time() {
    let (_, listing, bank) = set_up((0..5).map(|number| credit(&format!("91234{number}"))));
    assert_eq!(polled(&mut reading(&listing, &bank)), Some(Ok(())));
    assert_eq!(
        [kept(&listing, 2).len(), kept(&listing, 2).len(), kept(&listing, 2).len()],
        [2, 2, 1]
    );
    assert_eq!(kept(&listing, 2), [""; 0]);
}

#[test]
fn a_row_that_cannot_be_read_is_reported_once() {
    let rows = [Row::Unreadable(reference("912345")), Row::Nameless, credit("777777")];
    let (time, listing, bank) = set_up(rows);
    let unread = |listing: &Listing| {
        let unkept = listing.unkept(IDENTITY, 9);
        listing.note_kept(IDENTITY, &unkept);
        let counted: usize = unkept.unread.iter().map(|rows| rows.count).sum();
        let named = unkept.unread.iter().flat_map(|rows| &rows.new);
        let named = named.map(|one| one.as_ref().map(|one| one.digits().to_owned()));
        (named.collect::<Vec<_>>(), counted)
    };
    assert_eq!(polled(&mut reading(&listing, &bank)), Some(Ok(())));
    assert_eq!(unread(&listing), (vec![Some("912345".to_owned()), None], 2));
    time.pass(INTERVAL);
    assert_eq!(polled(&mut reading(&listing, &bank)), Some(Ok(())));
    assert_eq!(unread(&listing), (vec![], 0));
}

#[test]
fn failures_of_what_a_person_reads_open_no_breaker() {
    let (time, listing, bank) = set_up([credit("912345")]);
    bank.fail(Some(Failure::Unavailable));
    for _ in 0..2 * FAILURES_MAX {
        assert_eq!(polled(&mut reading(&listing, &bank)), Some(Err(Failure::Unavailable)));
        time.pass(INTERVAL);
    }
    bank.fail(None);
    assert_eq!(shown(asking(&listing, &bank, &query("912345")).1), ["912345"]);
}

#[test]
fn a_person_reads_nothing_from_a_bank_that_is_known_to_be_down() {
    let (time, listing, bank) = set_up([credit("912345")]);
    bank.fail(Some(Failure::Unavailable));
    for _ in 0..FAILURES_MAX {
        drop(asking(&listing, &bank, &query("912345")));
        time.pass(INTERVAL);
    }
    let asked = bank.asked();
    assert_eq!(polled(&mut reading(&listing, &bank)), Some(Err(Failure::Unavailable)));
    assert_eq!(bank.asked(), asked);
}

/// A question about another day of the account comes first; one about the same day has the scan go on at once.
#[test]
fn a_person_waits_for_questions_unless_one_waits_for_the_same_day() {
    let (time, listing, bank) =
        set_up((0..=PAGE_ROWS).map(|number| credit(&format!("91234{number}"))));
    let (wanted, other) = (query("777777"), Double::showing([credit("777777")]));
    other.hold(true);
    let ask = double::ask(&other, &wanted);
    let mut question: double::Question<'_> =
        Box::pin(listing.ask(&ask, std::iter::once(day().plus_days(-1))));
    assert_eq!(look(&mut question), None);
    let mut read = reading(&listing, &bank);
    assert_eq!(polled(&mut read), None);
    assert_eq!(bank.asked(), 0, "the account has a question under way");
    // Somebody asks about that day: nobody waits for the other.
    let known = query("912340");
    let mut second = asking(&listing, &bank, &known).0;
    time.pass(INTERVAL);
    assert_eq!(shown(look(&mut second)), ["912340"]);
    assert_eq!(polled(&mut read), Some(Ok(())));
    other.hold(false);
    assert_eq!(shown(look(&mut question)), ["777777"]);
}

/// A page of a slow bank may take a second, and a long day fifty of them.
#[test]
fn a_question_waits_for_the_page_that_has_its_payment_while_a_person_reads_a_long_day() {
    let (time, listing, bank) = set_up((0..9).map(|number| credit(&format!("7991234{number}"))));
    bank.state.lock().unwrap().passing = Some(1);
    let mut read = reading(&listing, &bank);
    assert_eq!(polled(&mut read), None);
    let wanted = ["79912340", "912340", "79912344"].map(query);
    let [mut known, mut ending, mut of_second_page] =
        wanted.each_ref().map(|wanted| asking(&listing, &bank, wanted).0);
    assert_eq!(look(&mut known), None, "a bank that answers in time is read to the end");
    time.pass(SETTLED_AFTER);
    assert_eq!(shown(look(&mut known)), ["79912340"]);
    // Others may follow that fit six digits as well; and what was not seen yet is no miss.
    assert_eq!([look(&mut ending), look(&mut of_second_page)], [None, None]);
    bank.state.lock().unwrap().passing = Some(1);
    assert_eq!(look(&mut ending), None);
    assert_eq!(shown(look(&mut of_second_page)), ["79912344"]);
    assert_eq!(polled(&mut read), None, "the day is read on");
    bank.state.lock().unwrap().passing = None;
    assert_eq!(polled(&mut read), Some(Ok(())));
    assert_eq!(listing.rows_of(IDENTITY, day()).read, 9);
}

/// A till asks about today and the days before, whichever of them somebody reads.
#[test]
fn a_question_that_today_answers_does_not_wait_for_a_person_who_reads_yesterday() {
    let (time, listing, bank) = set_up((0..9).map(|number| credit(&format!("7991234{number}"))));
    bank.state.lock().unwrap().passing = Some(1);
    let mut read = reading(&listing, &bank);
    assert_eq!(polled(&mut read), None);
    let (wanted, today) = (query("88888888"), Double::showing([credit("88888888")]));
    let extract = Arc::new(today.clone());
    let ask = Ask { extract, ..double::ask(&bank, &wanted) };
    let days = [day().plus_days(1), day()];
    let mut question: double::Question<'_> = Box::pin(listing.ask(&ask, days.into_iter()));
    assert_eq!(look(&mut question), None);
    time.pass(SETTLED_AFTER);
    assert_eq!(shown(look(&mut question)), ["88888888"]);
}

/// Rows of before say nothing of credentials that may have been revoked, however lately they were read.
#[test]
fn a_question_waits_for_a_page_of_the_scan_that_runs_though_its_payment_was_known() {
    let (time, listing, bank) = set_up((0..4).map(|number| credit(&format!("7991234{number}"))));
    bank.state.lock().unwrap().passing = Some(1);
    let mut left = reading(&listing, &bank);
    assert_eq!(polled(&mut left), None);
    drop(left);
    bank.state.lock().unwrap().passing = None;
    bank.fail(Some(Failure::RejectedCredentials));
    // The next scan waits for the bank's interval.
    let mut read = reading(&listing, &bank);
    assert_eq!(polled(&mut read), None);
    let wanted = query("79912340");
    let mut question = asking(&listing, &bank, &wanted).0;
    bank.hold(true);
    time.pass(SETTLED_AFTER);
    assert_eq!(look(&mut question), None, "nothing was read by these credentials");
    bank.hold(false);
    assert_eq!(look(&mut question), Some(Answer::Failed(Failure::RejectedCredentials)));
}

#[test]
fn a_person_opens_no_breaker_once_the_question_that_joined_has_left() {
    let (time, listing, bank) = set_up((0..9).map(|number| credit(&format!("7991234{number}"))));
    let wanted = query("79912340");
    for _ in 0..2 * FAILURES_MAX {
        bank.fail(None);
        bank.state.lock().unwrap().passing = Some(1);
        let mut read = reading(&listing, &bank);
        assert_eq!(polled(&mut read), None);
        time.pass(INTERVAL);
        assert_eq!(polled(&mut read), None);
        let mut question = asking(&listing, &bank, &wanted).0;
        time.pass(SETTLED_AFTER);
        assert_eq!(shown(look(&mut question)), ["79912340"]);
        drop(question);
        bank.fail(Some(Failure::Unavailable));
        bank.state.lock().unwrap().passing = None;
        // The page that is under way still arrives, and the next one fails.
        assert_eq!(polled(&mut read), Some(Err(Failure::Unavailable)));
        time.pass(INTERVAL);
    }
    bank.fail(None);
    assert_eq!(shown(asking(&listing, &bank, &wanted).1), ["79912340"]);
}

#[test]
fn a_day_stays_in_memory_for_as_long_as_its_reader_holds_it() {
    let (_, listing, bank) = set_up([credit("912345")]);
    let read = Box::pin(listing.read_day(IDENTITY, Arc::new(bank.clone()), day()));
    let held = read.now_or_never().expect("an answer").expect("a day");
    // Others want all the room that there is.
    let of_others = |number: u32| {
        let identity =
            IdentityId::from_bytes([number.to_be_bytes(); 4].concat().try_into().unwrap());
        listing.day_cache.open(identity, day(), domain::time::Timestamp::from_micros(0))
    };
    let others: Vec<_> = (1_000..2_000).map_while(of_others).collect();
    assert!(others.len() > 100 && of_others(3_000).is_none());
    assert_eq!(listing.rows_of(IDENTITY, day()).read, 1);
    drop(held);
    assert!(of_others(3_000).is_some());
    assert_eq!(listing.rows_of(IDENTITY, day()).read, 0);
}
