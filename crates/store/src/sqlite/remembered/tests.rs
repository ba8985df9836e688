//! What is remembered and for how long; that no answer is older than what was told is a case of every engine.

use std::sync::Barrier;
use std::thread;

use domain::ids::SessionId;
use domain::session::Session;

use super::*;
use crate::conformance::{Folder, at, never_fatal, wait, write};
use crate::meter::Meter;
use crate::options::{Engine, Options};
use crate::question::{Both, Question};
use crate::sqlite::Settings;
use crate::sqlite::fault_injection::FaultInjection;
use crate::store::Store;
use crate::tx::{Expect, Tx};
use crate::{owners, sessions};

/// Three owners, no two of which share a counter.
const OWNERS: [OwnerId; 3] =
    [OwnerId::from_bytes([1; 16]), OwnerId::from_bytes([2; 16]), OwnerId::from_bytes([3; 16])];

static QUESTION: Sql = Sql::new("select balance from owners where owner_id = $1");
static OTHER: Sql = Sql::new("select name from owner_profiles where owner_id = $1");
static ACCESS: Sql = Sql::new("select name from owner_profiles where owner_id = $1").of_access();
static COUNT_UP: Sql = Sql::new("update owners set balance = balance + 1 where owner_id = $1");

fn rows(number: i64) -> Rows {
    vec![Row::new(vec![number.into()])].into()
}

/// What is remembered of an owner now, of one question.
fn known(remembered: &Remembered, owner: OwnerId) -> Option<Rows> {
    known_of(remembered, owner, &QUESTION)
}

fn known_of(remembered: &Remembered, owner: OwnerId, sql: &'static Sql) -> Option<Rows> {
    remembered.find(remembered.now(owner, sql)?, sql, &[owner.into()])
}

fn now(remembered: &Remembered, owner: OwnerId) -> Since {
    remembered.now(owner, &QUESTION).unwrap()
}

fn keep(remembered: &Remembered, owner: OwnerId, since: Since, number: i64) {
    remembered.keep(since, &QUESTION, &[owner.into()], &rows(number));
}

/// A commit of a charge of this owner; of a job of no owner where there is none.
fn charged(owner: impl Into<Option<OwnerId>>) -> Written {
    Written { owner: owner.into(), writes_access: false }
}

#[test]
fn an_answer_is_forgotten_when_a_commit_of_its_owner_begins() {
    let remembered = Remembered::new(Duration::from_hours(1));
    for owner in OWNERS {
        assert_eq!(known(&remembered, owner), None);
        keep(&remembered, owner, now(&remembered, owner), 7);
        assert_eq!(known(&remembered, owner), Some(rows(7)));
    }
    let [written, beside, _] = OWNERS;
    remembered.begin(&[charged(written), charged(written)]);
    assert!(remembered.now(written, &QUESTION).is_none());
    assert_eq!(known(&remembered, beside), Some(rows(7)));
    remembered.end(&[charged(written), charged(written)]);
    assert_eq!(known(&remembered, written), None);
    assert_eq!(known(&remembered, beside), Some(rows(7)));
    // A job of no owner may have written anybody's rows.
    remembered.begin(&[charged(None)]);
    assert!(remembered.now(beside, &QUESTION).is_none());
    remembered.end(&[charged(None)]);
    assert_eq!(known(&remembered, beside), None);
}

#[test]
fn who_may_ask_is_remembered_through_charges_and_forgotten_when_that_is_written() {
    let (remembered, [owner, beside, _]) = (Remembered::new(Duration::from_hours(1)), OWNERS);
    for owner in [owner, beside] {
        let since = remembered.now(owner, &ACCESS).unwrap();
        remembered.keep(since, &ACCESS, &[owner.into()], &rows(7));
        keep(&remembered, owner, now(&remembered, owner), 8);
    }
    remembered.begin(&[charged(owner)]);
    assert_eq!(known_of(&remembered, owner, &ACCESS), Some(rows(7)));
    assert_eq!(known(&remembered, owner), None);
    remembered.end(&[charged(owner)]);
    assert_eq!(known_of(&remembered, owner, &ACCESS), Some(rows(7)));
    assert_eq!(known(&remembered, owner), None);

    let revoked = [charged(beside), Written { owner: Some(owner), writes_access: true }];
    keep(&remembered, owner, now(&remembered, owner), 8);
    remembered.begin(&revoked);
    assert!(remembered.now(owner, &ACCESS).is_none());
    assert!(remembered.now(owner, &QUESTION).is_none());
    assert_eq!(known_of(&remembered, beside, &ACCESS), Some(rows(7)));
    remembered.end(&revoked);
    assert_eq!(known_of(&remembered, owner, &ACCESS), None);
    assert_eq!(known(&remembered, owner), None);
    assert_eq!(known_of(&remembered, beside, &ACCESS), Some(rows(7)));

    // So it is with a job of no owner, which may have written anybody's: a way to a new link, or who may ask.
    remembered.begin(&[charged(None)]);
    remembered.end(&[charged(None)]);
    assert_eq!(known_of(&remembered, beside, &ACCESS), Some(rows(7)));
    let anybodys = [Written { owner: None, writes_access: true }];
    remembered.begin(&anybodys);
    assert!(remembered.now(beside, &ACCESS).is_none());
    remembered.end(&anybodys);
    assert_eq!(known_of(&remembered, beside, &ACCESS), None);
}

#[test]
fn what_was_asked_before_a_commit_is_not_remembered_after_it() {
    let (remembered, [owner, ..]) = (Remembered::new(AGE_MAX), OWNERS);
    let before = now(&remembered, owner);
    remembered.begin(&[charged(owner)]);
    remembered.end(&[charged(owner)]);
    keep(&remembered, owner, before, 7);
    assert_eq!(known(&remembered, owner), None);
}

#[test]
fn nothing_is_remembered_for_longer_than_a_second() {
    let (remembered, [owner, ..]) = (Remembered::new(AGE_MAX), OWNERS);
    let then = now(&remembered, owner);
    let find = |now| remembered.find(now, &QUESTION, &[owner.into()]);
    keep(&remembered, owner, then, 7);
    let late = Since { at: then.at + Duration::from_millis(999), ..then };
    let too_late = Since { at: then.at + AGE_MAX, ..then };
    assert_eq!(find(late), Some(rows(7)));
    assert_eq!(find(too_late), None);
    keep(&remembered, owner, too_late, 8);
    assert_eq!(find(too_late), Some(rows(8)));
}

#[test]
fn an_answer_is_as_old_as_the_question_whoever_tells_first() {
    let (remembered, [owner, ..]) = (Remembered::new(AGE_MAX), OWNERS);
    let early = now(&remembered, owner);
    let late = Since { at: early.at + Duration::from_millis(900), ..early };
    keep(&remembered, owner, late, 7);
    remembered.keep(early, &OTHER, &[owner.into()], &rows(8));
    let now = Since { at: early.at + AGE_MAX, ..early };
    assert_eq!(remembered.find(now, &OTHER, &[owner.into()]), None);
}

#[test]
fn a_long_answer_is_not_remembered() {
    let (remembered, [owner, ..]) = (Remembered::new(AGE_MAX), OWNERS);
    let now = now(&remembered, owner);
    for (len, is_known) in [(ANSWER_BYTES_MAX, true), (ANSWER_BYTES_MAX + 1, false)] {
        let params = [owner.into(), i64::try_from(len).unwrap().into()];
        let long: Rows = vec![Row::new(vec!["a".repeat(len).into()])].into();
        remembered.keep(now, &OTHER, &params, &long);
        assert_eq!(remembered.find(now, &OTHER, &params).is_some(), is_known);
    }
}

#[test]
fn another_statement_or_another_parameter_is_another_question() {
    let (remembered, [owner, ..]) = (Remembered::new(AGE_MAX), OWNERS);
    let now = now(&remembered, owner);
    keep(&remembered, owner, now, 7);
    let find = |sql, param: i64| remembered.find(now, sql, &[owner.into(), param.into()]);
    assert_eq!(find(&OTHER, 1), None);
    remembered.keep(now, &OTHER, &[owner.into(), 1.into()], &rows(8));
    assert_eq!(find(&OTHER, 1), Some(rows(8)));
    assert_eq!(find(&OTHER, 2), None);
    assert_eq!(find(&QUESTION, 1), None);
    assert_eq!(known(&remembered, owner), Some(rows(7)));
}

#[test]
fn what_is_remembered_is_bounded() {
    let remembered = Remembered::new(AGE_MAX);
    let many = u16::try_from(3 * SUBJECTS_MAX * SHELVES).unwrap();
    for number in 0..many {
        let owner = OwnerId::from_bytes(u128::from(number).to_be_bytes());
        let now = now(&remembered, owner);
        for param in 0..=i64::try_from(ANSWERS_MAX).unwrap() {
            remembered.keep(now, &OTHER, &[owner.into(), param.into()], &rows(1));
        }
        let shelf = remembered.shelf(owner);
        assert!(shelf.young.len() <= SUBJECTS_MAX && shelf.old.len() <= SUBJECTS_MAX);
        assert_eq!(shelf.young[&now.subject].answers.len(), ANSWERS_MAX);
    }
}

#[test]
fn of_many_answers_the_one_that_was_used_longest_ago_goes() {
    let (remembered, [owner, ..]) = (Remembered::new(Duration::from_hours(1)), OWNERS);
    keep(&remembered, owner, now(&remembered, owner), 7);
    for param in 0..i64::try_from(ANSWERS_MAX).unwrap() {
        assert_eq!(known(&remembered, owner), Some(rows(7)));
        let params = [owner.into(), param.into()];
        remembered.keep(now(&remembered, owner), &OTHER, &params, &rows(param));
    }
    let find = |param: i64| {
        remembered.find(now(&remembered, owner), &OTHER, &[owner.into(), param.into()])
    };
    assert_eq!(known(&remembered, owner), Some(rows(7)));
    assert_eq!((find(0), find(1)), (None, Some(rows(1))));
}

#[test]
fn what_is_used_outlives_what_is_not() {
    let remembered = Remembered::new(Duration::from_hours(1));
    // All of one shelf, and no two share a counter.
    let owner = |number: u16| {
        let [high, low] = (number * 16).to_be_bytes();
        let mut bytes = [0; 16];
        bytes[13] = number.to_be_bytes()[0];
        bytes[14..].copy_from_slice(&[high, low]);
        OwnerId::from_bytes(bytes)
    };
    let learn = |number| keep(&remembered, owner(number), now(&remembered, owner(number)), 1);
    let max = u16::try_from(SUBJECTS_MAX).unwrap();
    (0..max).for_each(learn);
    // Whoever is learned anew takes nobody's place.
    learn(0);
    assert!(remembered.shelf(owner(0)).old.is_empty());
    learn(max);
    assert_eq!(known(&remembered, owner(0)), Some(rows(1)));
    (max + 1..2 * max).for_each(learn);
    assert_eq!(known(&remembered, owner(0)), Some(rows(1)));
    assert_eq!(known(&remembered, owner(1)), None);
}

/// A store with the owners, and the folder that it lies in.
fn store() -> (Store, Folder) {
    with_faults(FaultInjection::default())
}

fn with_faults(faults: FaultInjection) -> (Store, Folder) {
    let folder = Folder::new();
    // However long the machine takes.
    let remembers_for = Duration::from_hours(1);
    let path = folder.0.join("store.db");
    let settings = Settings { faults, remembers_for, ..Settings::new(path) };
    let options = Options { engine: Engine::Sqlite(settings), now: at(1), on_fatal: never_fatal() };
    let store = Store::open(&options).unwrap();
    for owner in OWNERS {
        let email = owner.to_string();
        write(&store, owner, move |tx| owners::insert(tx, owner, &email, "A", "", at(1))).unwrap();
    }
    (store, folder)
}

/// The owner's balance, and how many statements it took to know it.
fn balance(store: &Store, owner: OwnerId) -> (i64, u64) {
    let meter = Meter::default();
    let both = Both(owners::finding(owner), Question::nothing());
    let (found, ()) = wait(store.ask(&meter, both)).unwrap();
    (found.unwrap().balance, meter.statements())
}

fn count_up(owner: OwnerId) -> impl Fn(&mut Tx<'_>) -> Result<(), crate::fault::Fault> {
    move |tx| tx.defer(&COUNT_UP, [owner.into()], Expect::Rows(1))
}

#[test]
fn a_question_is_asked_once_until_its_owner_is_written() {
    let (store, _folder) = store();
    let [written, beside, _] = OWNERS;
    for owner in [written, beside] {
        assert_eq!(balance(&store, owner), (0, 1));
        assert_eq!(balance(&store, owner), (0, 0));
    }
    write(&store, written, count_up(written)).unwrap();
    assert_eq!(balance(&store, written), (1, 1));
    assert_eq!(balance(&store, written), (1, 0));
    assert_eq!(balance(&store, beside), (0, 0));
    // What belongs to no owner may be of any.
    wait(store.write_shared(&Meter::default(), count_up(beside))).unwrap();
    assert_eq!(balance(&store, beside), (1, 1));
    assert_eq!(balance(&store, written), (1, 1));
}

#[test]
fn a_session_is_asked_for_once_until_it_is_written_however_much_its_owner_is_charged() {
    let (store, _folder) = store();
    let ([owner, ..], session) = (OWNERS, SessionId::from_bytes([1; 16]));
    let begin = move |tx: &mut Tx<'_>| sessions::insert(tx, owner, session, &Session::begin(at(1)));
    write(&store, owner, begin).unwrap();
    let is_over = || {
        let meter = Meter::default();
        let both = Both(sessions::find(owner, session), Question::nothing());
        let (found, ()) = wait(store.ask(&meter, both)).unwrap();
        (found.unwrap().0.ended_at.is_some(), meter.statements())
    };
    assert_eq!(is_over(), (false, 1));
    for _ in 0..3 {
        write(&store, owner, count_up(owner)).unwrap();
        assert_eq!(is_over(), (false, 0));
    }
    write(&store, owner, move |tx| sessions::end(tx, owner, session, at(2))).unwrap();
    assert_eq!(is_over(), (true, 1));
    assert_eq!(is_over(), (true, 0));
}

#[test]
fn a_commit_that_can_be_seen_has_had_what_was_before_it_forgotten() {
    let faults = FaultInjection::default();
    let (store, _folder) = with_faults(faults.clone());
    let [owner, ..] = OWNERS;
    balance(&store, owner);
    assert_eq!(balance(&store, owner), (0, 0));
    let barrier = Arc::new(Barrier::new(2));
    *faults.halts_after_commit.lock().unwrap() = Some(Arc::clone(&barrier));
    thread::scope(|scope| {
        let writer = scope.spawn(|| write(&store, owner, count_up(owner)).unwrap());
        barrier.wait();
        // It is in the database, and the writer has not gone on.
        assert_eq!(balance(&store, owner), (1, 1));
        assert_eq!(balance(&store, owner), (1, 1));
        barrier.wait();
        writer.join().unwrap();
    });
    assert_eq!(balance(&store, owner), (1, 1));
    assert_eq!(balance(&store, owner), (1, 0));
}

#[test]
fn that_there_is_no_such_owner_is_forgotten_like_anything() {
    let (store, _folder) = store();
    let absent = OwnerId::from_bytes([9; 16]);
    let find = || {
        let meter = Meter::default();
        let both = Both(owners::finding(absent), Question::nothing());
        let (found, ()) = wait(store.ask(&meter, both)).unwrap();
        (found.is_some(), meter.statements())
    };
    assert_eq!(find(), (false, 1));
    assert_eq!(find(), (false, 0));
    write(&store, absent, move |tx| owners::insert(tx, absent, "new@b", "A", "", at(1))).unwrap();
    assert_eq!(find(), (true, 1));
    assert_eq!(find(), (true, 0));
}
