use std::collections::HashSet;

use super::*;
use crate::language::Language;
use crate::time::Timestamp;
use crate::webhooks::Phase;

const AUTHENTIC: usize = 4;

#[test]
fn what_is_authentic_is_asked_first_and_every_word_is_its_own() {
    let first = Probe::ALL.iter().take_while(|probe| probe.is_authentic()).count();
    let all = Probe::ALL.iter().filter(|probe| probe.is_authentic()).count();
    assert_eq!((first, all), (AUTHENTIC, AUTHENTIC));
    let words: HashSet<_> = Probe::ALL.map(Probe::as_str).into();
    assert_eq!(words.len(), Probe::ALL.len());
}

#[test]
fn any_success_is_one_and_only_what_is_authentic_deserves_it() {
    for probe in Probe::ALL {
        for status in [200, 201, 204, 299] {
            let found = Finding::of(probe, Ok(status), Some(200));
            let expected = if probe.is_authentic() { Finding::Taken } else { Finding::Believed };
            assert_eq!(found, expected, "{probe:?}");
        }
    }
    assert_eq!(Finding::Taken.grade(Probe::Genuine), Grade::Passed);
    assert_eq!(Finding::Believed.grade(Probe::Stale), Grade::Failed);
}

#[test]
fn what_is_forged_is_refused_in_the_words_of_the_description_or_warned_of() {
    for (status, expected) in [(401, Grade::Passed), (400, Grade::Passed), (403, Grade::Passed)]
        .into_iter()
        .chain([199, 302, 404, 410, 500, 503].map(|status| (status, Grade::Warning)))
    {
        for probe in &Probe::ALL[AUTHENTIC..] {
            let found = Finding::of(*probe, Ok(status), Some(204));
            assert_eq!(found.grade(*probe), expected, "{status}");
        }
    }
}

#[test]
fn a_receiver_that_refuses_everything_alike_has_shown_nothing() {
    for status in [400, 401, 403, 404, 500] {
        let found = Finding::of(Probe::NoSignature, Ok(status), Some(status));
        assert_eq!((found, found.grade(Probe::NoSignature)), (Finding::Alike, Grade::Warning));
    }
    assert_eq!(Finding::of(Probe::NoSignature, Ok(401), Some(500)), Finding::Refused);
    assert_eq!(Finding::of(Probe::NoSignature, Ok(200), Some(401)), Finding::Believed);
}

#[test]
fn what_is_authentic_and_not_taken_is_distinguished_from_what_is_not_believed() {
    let first = |status| Finding::of(Probe::Genuine, Ok(status), None);
    assert_eq!((first(401), first(403)), (Finding::Disbelieved, Finding::Disbelieved));
    assert_eq!((first(404), first(500)), (Finding::NotTaken(404), Finding::NotTaken(500)));
    let repeat = |status, genuine| Finding::of(Probe::Duplicate, Ok(status), Some(genuine));
    assert_eq!(repeat(401, 204), Finding::NotTaken(401), "it believed the first one");
    assert_eq!(repeat(401, 401), Finding::Disbelieved);
    assert_eq!(repeat(409, 204).grade(Probe::Duplicate), Grade::Failed);
    let other = Finding::of(Probe::Expired, Ok(400), Some(204));
    assert_eq!(other.grade(Probe::Expired), Grade::Warning, "not everybody is told of it");
}

#[test]
fn no_answer_is_a_failure_where_one_is_due_and_else_a_warning() {
    let trouble = Trouble::Timeout(Phase::Waiting);
    for probe in Probe::ALL {
        let found = Finding::of(probe, Err(trouble), Some(204));
        let expected = if probe.is_authentic() { Grade::Failed } else { Grade::Warning };
        assert_eq!((found, found.grade(probe)), (Finding::Unheard(trouble), expected));
        assert!(found.text(probe, Language::En).contains(trouble.text(Language::En)));
    }
}

#[test]
fn all_of_it_is_as_good_as_the_worst_that_was_seen() {
    use Grade::{Failed, Passed, Skipped, Warning};
    for (probes, clock, time, expected) in [
        ([Passed, Passed], Passed, Passed, Passed),
        ([Passed, Passed], Skipped, Passed, Passed),
        ([Passed, Passed], Warning, Passed, Warning),
        ([Passed, Passed], Passed, Warning, Warning),
        ([Passed, Skipped], Passed, Passed, Warning),
        ([Failed, Skipped], Skipped, Skipped, Failed),
        ([Warning, Passed], Passed, Passed, Warning),
        ([Passed, Failed], Warning, Passed, Failed),
    ] {
        assert_eq!(grade_of_all(probes, clock, time), expected, "{probes:?}");
    }
}

#[test]
fn a_slow_answer_and_a_clock_that_is_off_are_warned_of() {
    let clock =
        |ahead_seconds| Some(ClockCheck { theirs: Timestamp::from_micros(0), ahead_seconds });
    let grades = [None, clock(120), clock(-121), clock(301)].map(grade_of_clock);
    assert_eq!(grades, [Grade::Skipped, Grade::Passed, Grade::Warning, Grade::Warning]);
    let just = SLOW.checked_sub(Duration::from_millis(1));
    assert_eq!(grade_of_time(None), Grade::Skipped);
    assert_eq!((grade_of_time(just), grade_of_time(Some(SLOW))), (Grade::Passed, Grade::Warning));
    assert!(text_of_time(Some(SLOW), Language::Es).contains("5000 ms"));
}

#[test]
fn every_probe_says_what_to_do_in_words_of_its_own() {
    let mut texts = HashSet::new();
    for language in Language::ALL {
        for probe in Probe::ALL {
            let (right, wrong) = match probe.is_authentic() {
                true => (Finding::Taken, Finding::NotTaken(409)),
                false => (Finding::Refused, Finding::Believed),
            };
            for found in [right, wrong] {
                assert!(texts.insert(found.text(probe, language)), "{probe:?} {found:?}");
            }
        }
    }
    assert_eq!(texts.len(), 4 * Probe::ALL.len());
}
