use super::*;
use crate::config::{Config, Flags};

fn defaults() -> Http {
    Config::load(&Flags::default(), []).unwrap().http
}

/// So many places, `share` of them for one address; two are kept.
fn places(max: usize, share: usize, trusted: &[&str]) -> Arc<Places> {
    let limits = Http {
        connections_max: max,
        connections_per_address: Some(share),
        connections_reserved: 2,
        trusted_proxies: trusted.iter().map(|text| text.parse().unwrap()).collect(),
        ..defaults()
    };
    Arc::new(Places::new(&limits, CancellationToken::new()))
}

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// A general place, with a request that never ends.
fn busy(places: &Arc<Places>, text: &str) -> Place {
    let place = general(places, text).unwrap();
    place.doing.begin();
    place
}

/// A general place that has had a request and an answer.
fn idle(places: &Arc<Places>, text: &str) -> Place {
    let place = busy(places, text);
    place.doing.answered();
    place.doing.flushed();
    place
}

fn general(places: &Arc<Places>, text: &str) -> Option<Place> {
    places.take(address(text)).filter(|place| !place.is_reserved)
}

#[test]
fn an_address_has_its_share_and_gets_it_back() {
    let places = places(10, 2, &[]);
    let held = [busy(&places, "192.0.2.1"), busy(&places, "::ffff:192.0.2.1")];
    assert!(general(&places, "192.0.2.1").is_none());
    assert!(general(&places, "192.0.2.2").is_some());
    drop(held);
    assert!(general(&places, "192.0.2.1").is_some());
    let _networks = [busy(&places, "2001:db8::1"), busy(&places, "2001:db8::2")];
    assert!(general(&places, "2001:db8::3").is_none());
    assert!(general(&places, "2001:db8:0:1::3").is_some());
}

#[test]
fn who_has_its_share_closes_its_longest_idle_connection_for_another() {
    let places = places(10, 2, &[]);
    let first = idle(&places, "192.0.2.1");
    let second = idle(&places, "192.0.2.1");
    first.doing.begin();
    first.doing.answered();
    first.doing.flushed();
    let _third = busy(&places, "192.0.2.1");
    assert!(second.leave.is_cancelled() && !first.leave.is_cancelled());
    drop(second);
    assert_eq!(places.taken(), Taken { general: 2, reserve: 0 });
    // One that has not asked yet may be about to.
    first.doing.begin();
    assert!(general(&places, "192.0.2.1").is_none());
}

#[test]
fn trusted_proxies_have_no_share_and_do_not_give_way() {
    let places = places(3, 1, &["10.0.0.0/8"]);
    let held: Vec<_> = (0..3).map(|_| idle(&places, "10.0.0.1")).collect();
    assert!(general(&places, "192.0.2.1").is_none());
    assert!(held.iter().all(|place| !place.leave.is_cancelled()));
    drop(held);
    assert_eq!(places.taken(), Taken { general: 0, reserve: 0 });
}

#[test]
fn the_address_with_the_most_gives_way_where_it_waits_for_a_request() {
    let places = places(4, 3, &[]);
    let works = busy(&places, "192.0.2.1");
    let older = general(&places, "192.0.2.1").unwrap();
    let younger = general(&places, "192.0.2.1").unwrap();
    let other = idle(&places, "192.0.2.2");
    let newcomer = general(&places, "192.0.2.3").unwrap();
    assert!(older.leave.is_cancelled(), "it has waited longest");
    for place in [&works, &younger, &other, &newcomer] {
        assert!(!place.leave.is_cancelled());
    }
    let _next = general(&places, "192.0.2.4").unwrap();
    assert!(younger.leave.is_cancelled());
    // Among equals, only what lies between two requests gives way.
    let _last = general(&places, "192.0.2.5").unwrap();
    assert!(other.leave.is_cancelled());
    assert!(!newcomer.leave.is_cancelled() && !works.leave.is_cancelled());
    assert!(general(&places, "192.0.2.6").is_none());
}

#[test]
fn who_owes_a_body_or_does_not_read_gives_way_to_those_that_have_less() {
    let places = places(5, 4, &[]);
    let works = busy(&places, "192.0.2.1");
    let owes = busy(&places, "192.0.2.1");
    owes.doing.set_wants_body(true);
    let reads_not = busy(&places, "192.0.2.1");
    reads_not.doing.answers();
    reads_not.doing.set_blocked(true);
    let asked_behind = busy(&places, "192.0.2.1");
    asked_behind.doing.set_blocked(true);
    let other = busy(&places, "192.0.2.2");
    other.doing.set_wants_body(true);
    let _first = busy(&places, "192.0.2.3");
    assert!(owes.leave.is_cancelled() && !reads_not.leave.is_cancelled());
    let _second = busy(&places, "192.0.2.4");
    assert!(reads_not.leave.is_cancelled());
    assert!(general(&places, "192.0.2.5").is_none());
    for place in [&works, &asked_behind, &other] {
        assert!(!place.leave.is_cancelled(), "a request is worked on, or it has no more");
    }
}

#[test]
fn of_kept_places_even_equals_give_way_while_they_owe_something() {
    let places = places(1, 1, &[]);
    let _held = busy(&places, "192.0.2.1");
    let take = |text: &str| places.take(address(text)).unwrap();
    let (older, younger) = (take("192.0.2.2"), take("192.0.2.3"));
    let third = take("192.0.2.4");
    assert!(older.leave.is_cancelled() && !younger.leave.is_cancelled());
    third.doing.begin();
    let _fourth = take("192.0.2.5");
    assert!(younger.leave.is_cancelled() && !third.leave.is_cancelled());
    // One address has one of the two here, and gives way to itself.
    let _fifth = take("192.0.2.5");
    assert!(!third.leave.is_cancelled());
    assert_eq!(places.taken(), Taken { general: 1, reserve: 2 });
}

#[test]
fn where_nobody_gives_way_a_kept_place_is_for_operations() {
    let places = places(2, 2, &[]);
    let held = [busy(&places, "192.0.2.1"), busy(&places, "192.0.2.2")];
    let kept = places.take(address("192.0.2.3")).unwrap();
    assert!(kept.is_reserved);
    kept.doing.begin();
    assert!(places.take(address("192.0.2.3")).is_none(), "one address has no more of them");
    let second = places.take(address("192.0.2.4")).unwrap();
    second.doing.begin();
    assert!(places.take(address("192.0.2.5")).is_none());
    assert_eq!(places.taken(), Taken { general: 2, reserve: 2 });
    drop((held, kept, second));
    assert_eq!(places.taken(), Taken { general: 0, reserve: 0 });
}

#[test]
fn a_stop_reaches_every_connection() {
    let stop = CancellationToken::new();
    let places = Arc::new(Places::new(&defaults(), stop.clone()));
    let place = places.take(address("192.0.2.1")).unwrap();
    stop.cancel();
    assert!(place.leave.is_cancelled());
}

#[test]
fn an_address_at_its_share_does_not_hide_that_all_places_are_taken() {
    let mut warned = WarnedAt::default();
    let now = Instant::now();
    assert!(warned.is_due(Short::OfShare, now));
    assert!(warned.is_due(Short::OfPlaces, now));
    assert!(!warned.is_due(Short::OfShare, now) && !warned.is_due(Short::OfPlaces, now));
    assert!(warned.is_due(Short::OfPlaces, now + WARNED_EVERY));
}
