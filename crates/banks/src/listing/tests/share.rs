//! What one account may take of what all of them share.

use super::double::{
    Double, IDENTITY, INTERVAL, PAGE_ROWS, Question, ask, asking, credit, day, look, query, set_up,
    shown,
};
use super::*;
use crate::breaker::FAILURES_MAX;
use crate::listing::day_cache::{EXCHANGES_MAX, Room};

#[test]
fn an_account_has_few_exchanges_at_once_however_many_days_are_asked_about() {
    let (_, listing, bank) = set_up([credit("912345")]);
    let wanted = query("912345");
    bank.hold(true);
    let mut questions: Vec<Question<'_>> = (0..20)
        .map(|number| {
            let (ask, day) = (ask(&bank, &wanted), day().plus_days(-number));
            let listing = &listing;
            Box::pin(async move { listing.ask(&ask, std::iter::once(day)).await }) as Question<'_>
        })
        .collect();
    assert!(questions.iter_mut().all(|question| look(question).is_none()));
    assert_eq!(bank.asked(), EXCHANGES_MAX);
    // Another account does not wait for it.
    let identity = IdentityId::from_bytes([2; 16]);
    let other = Ask { identity, ..ask(&bank, &wanted) };
    assert_eq!(listing.ask(&other, std::iter::once(day())).now_or_never(), None);
    assert_eq!(bank.asked(), EXCHANGES_MAX + 1);
    bank.hold(false);
    for question in &mut questions {
        assert_eq!(shown(look(question)), ["912345"]);
    }
}

#[test]
fn more_days_than_there_is_room_for_are_refused_and_not_kept() {
    let (_, listing, bank) = set_up([]);
    let wanted = query("912345");
    bank.hold(true);
    let days = |number| (0..number).map(|number| day().plus_days(-number));
    let whole_month = ask(&bank, &wanted);
    let mut month: Question<'_> = Box::pin(listing.ask(&whole_month, days(32)));
    assert_eq!(look(&mut month), None);
    let one_more = ask(&bank, &wanted);
    let refused = listing.ask(&one_more, days(33).skip(32)).now_or_never();
    assert_eq!(refused, Some(Answer::Failed(Failure::Unavailable)));
    drop(month);
    bank.hold(false);
    assert_eq!(shown(listing.ask(&one_more, days(33).skip(32)).now_or_never()), [""; 0]);
}

#[test]
fn a_day_that_there_is_no_room_for_is_not_read_on() {
    let (_, mut listing, bank) =
        set_up((0..5 * PAGE_ROWS).map(|number| credit(&format!("9123{number:02}"))));
    let room = Room { day_statements: 9, rows: 2 * PAGE_ROWS };
    listing.day_cache = Arc::new(DayCache::with_room(room, room));
    let answer = asking(&listing, &bank, &query("777777")).1;
    assert_eq!(answer, Some(Answer::Failed(Failure::Unavailable)));
    assert_eq!(bank.asked(), 3, "one page more than fits, and no further");
}

/// A bank that nobody asks, because too many want to.
struct Crowded(Double);

impl Extract for Crowded {
    async fn page(&self, _: CaracasDate, _: Option<&str>) -> Result<Page, Unread> {
        Err(Unread::Busy)
    }

    fn secret(&self) -> &SecretText {
        self.0.secret()
    }
}

#[test]
fn that_too_much_goes_on_here_is_not_held_against_the_bank() {
    let (time, listing, bank) = set_up([credit("912345")]);
    let wanted = query("912345");
    for _ in 0..=FAILURES_MAX {
        let extract = Arc::new(Crowded(bank.clone()));
        let ask = Ask {
            identity: IDENTITY,
            extract,
            query: &wanted,
            may_mean: None,
            is_strangers: false,
        };
        let answer = listing.ask(&ask, std::iter::once(day())).now_or_never();
        assert_eq!(answer, Some(Answer::Failed(Failure::Unavailable)));
        time.pass(INTERVAL);
    }
    assert_eq!(shown(asking(&listing, &bank, &wanted).1), ["912345"]);
}
