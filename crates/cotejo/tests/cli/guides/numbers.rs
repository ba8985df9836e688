//! The numbers of a guide, held to those of the program, in both languages.

use std::time::Duration;

use app::webhooks::CHECK_MAX;
use delivery::{
    LEASE, NOT_QUICK_MAX, NOT_QUICK_OF_ONE_OWNER_MAX, OF_ONE_OWNER_MAX,
    OF_ONE_OWNER_TO_ONE_RECEIVER_MAX, POLL_INTERVAL, QUICK_AGAIN, QUICK_MAX, SLOW_MAX,
    SLOW_OF_ONE_OWNER_MAX, TO_ONE_RECEIVER_MAX, UNDER_WAY_MAX,
};
use domain::webhooks::conformance::{Probe, SLOW, STALE};
use domain::webhooks::{
    ATTEMPTS_MAX, DELAYS, JITTER, OVERLAP_HOURS, OVERLAP_HOURS_MAX, RETRY_AFTER_MAX,
};
use egress::DEADLINE;

use super::guide;

/// A guide in Spanish and in English, each as one line.
fn in_both(spanish: &str, english: &str) -> [String; 2] {
    [spanish, english].map(|name| guide(name).split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A time as guides spell it, such as `1 h 12 min`.
fn spelled(time: Duration) -> String {
    let seconds = time.as_secs();
    let parts = [(seconds / 3_600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    parts.map(|(number, unit)| format!("{number} {unit}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_at_least_once_means_is_said_in_the_programs_numbers() {
    let longest = |delay: Duration| delay + delay / JITTER;
    let mut rows = "| 1 | | | |".to_owned();
    for (place, delay) in DELAYS.into_iter().enumerate() {
        let since: Duration = DELAYS[..=place].iter().sum();
        let (least, most, since) = (spelled(delay), spelled(longest(delay)), spelled(since));
        rows.push_str(&format!(" | {} | {least} | {most} | {since} |", place + 2));
    }
    let (most, deadline) = (spelled(longest(DELAYS.iter().sum())), spelled(DEADLINE));
    let (lease, asked, every) =
        (spelled(LEASE), spelled(RETRY_AFTER_MAX), POLL_INTERVAL.as_millis());
    let (one, owner, all) = (TO_ONE_RECEIVER_MAX, OF_ONE_OWNER_MAX, UNDER_WAY_MAX);
    let quick = spelled(QUICK_MAX);
    let (of_it, repeats) = (OF_ONE_OWNER_TO_ONE_RECEIVER_MAX, ATTEMPTS_MAX - 1);
    assert_eq!((JITTER, LEASE), (5, 3 * DEADLINE), "it says a fifth, and three times");

    let [spanish, english] = in_both("al-menos-una-vez.md", "at-least-once.md");
    for said in [
        rows.clone(),
        format!("otro nodo, {every} ms después"),
        format!("Un intento tiene {deadline} en total"),
        format!("Son {ATTEMPTS_MAX} intentos"),
        format!("pasan a lo más {most}, "),
        format!("hasta {asked} cada vez"),
        format!(
            "{one} intentos a un mismo receptor (servidor y puerto), de ellos {of_it} de un mismo titular; \
             {owner} de un mismo titular y {all} en total"
        ),
        format!(
            "más de {quick} la última vez es lento hasta que responda a tiempo {QUICK_AGAIN} veces"
        ),
        format!("van {SLOW_MAX} intentos a lo más, {SLOW_OF_ONE_OWNER_MAX} de un titular"),
        format!("no se conocen, {NOT_QUICK_MAX} y {NOT_QUICK_OF_ONE_OWNER_MAX}"),
        format!("llegó después de los {deadline}."),
        format!("{repeats} repeticiones por aviso, a lo más"),
        format!("{owner} avisos por titular y {all} por proceso, a lo más"),
        format!("la tiene {lease}, el triple"),
        format!("cuando vencen esos {lease}"),
    ] {
        assert!(spanish.contains(&said), "{said}");
    }
    for said in [
        rows,
        format!(
            "more than {quick} the last time is slow until it has answered in time {QUICK_AGAIN} times"
        ),
        format!("{SLOW_MAX} attempts at most go to slow ones, {SLOW_OF_ONE_OWNER_MAX} of an owner"),
        format!("not known yet, {NOT_QUICK_MAX} and {NOT_QUICK_OF_ONE_OWNER_MAX}"),
        format!("another node wrote it, {every} ms later"),
        format!("An attempt has {deadline} in all"),
        format!("That is {ATTEMPTS_MAX} attempts"),
        format!("it is {most} at most, "),
        format!("up to {asked} each time"),
        format!(
            "{one} attempts to one receiver (host and port), of which {of_it} of one owner; \
             {owner} of one owner and {all} in all"
        ),
        format!("came after the {deadline}."),
        format!("{repeats} repeats of an event at most"),
        format!("{owner} events for an owner and {all} for a process, at most"),
        format!("has it for {lease}, three times"),
        format!("when those {lease} are over"),
    ] {
        assert!(english.contains(&said), "{said}");
    }
}

#[test]
fn how_long_two_secrets_are_good_is_said_in_the_programs_numbers() {
    let (usual, most) = (OVERLAP_HOURS, OVERLAP_HOURS_MAX);
    let [spanish, english] = in_both("webhooks.md", "webhooks.en.md");
    assert!(spanish.contains(&format!("(0 a {most} horas enteras; {usual} si no se dice)")));
    assert!(english.contains(&format!("(0 to {most} whole hours, {usual} where nothing is said)")));
}

#[test]
fn what_a_check_of_a_receiver_takes_is_said_in_the_programs_numbers() {
    let (all, slow, stale) = (CHECK_MAX.as_secs(), SLOW.as_secs(), STALE.as_secs() / 60);
    assert_eq!((Probe::ALL.len(), stale), (8, 10), "it says eight, and ten minutes");
    let [spanish, english] = in_both("webhooks.md", "webhooks.en.md");
    assert!(spanish.contains(&format!("dura {all} segundos a lo más")));
    assert!(spanish.contains(&format!("de la que se advierte desde {slow} segundos")));
    assert!(english.contains(&format!("takes {all} seconds at most")));
    assert!(english.contains(&format!("which is warned of from {slow} seconds on")));
}
