//! The digests, against what Python's hashlib makes of the same fields.

use super::*;

fn event() -> Digest {
    let facts = EventFacts {
        owner: OwnerId::from_bytes([1; 16]),
        id: EventId::from_bytes([2; 16]),
        kind: "payment_link.paid",
        subject: [3; 16],
        created_at: Timestamp::from_micros(1_763_726_400_000_000),
        url: Digest::of(b"https://shop.example/hook"),
        body: Digest::of(br#"{"status":"paid"}"#),
    };
    facts.digest()
}

fn first() -> Digest {
    let facts = AttemptFacts {
        number: 1,
        began_at: Timestamp::from_micros(1_763_726_400_500_000),
        duration_micros: 120_000,
        status: Some(503),
        trouble: Some("refused"),
        address: Some("192.0.2.7"),
        is_reused: Some(false),
        phases: Some(&[0; 20]),
        sent: Some(Digest::of(b"POST /hook HTTP/1.1\r\n")),
        answer: answer_digest(b"HTTP/1.1 503 Service Unavailable\r\n", b"busy"),
    };
    facts.digest(event())
}

/// One that came to nothing before anything was sent.
fn second() -> Digest {
    let facts = AttemptFacts {
        number: 2,
        began_at: Timestamp::from_micros(1_763_726_405_500_000),
        duration_micros: 7,
        status: None,
        trouble: Some("unknown_name"),
        address: None,
        is_reused: None,
        phases: None,
        sent: None,
        answer: answer_digest(&[], &[]),
    };
    facts.digest(first())
}

fn root(leaves: impl IntoIterator<Item = Digest>) -> Digest {
    let mut tree = Tree::default();
    leaves.into_iter().for_each(|leaf| tree.push(leaf));
    tree.end().unwrap().0
}

fn leaves(count: u8) -> Vec<Digest> {
    (0..count).map(|number| Digest::of(&[number])).collect()
}

#[test]
fn digests_are_those_that_another_tool_computes() {
    for (digest, known) in [
        (event(), "a23cc24a08b4986a4f09659214171c0d93607f62b671136fd53f0fa2813c6b7d"),
        (
            answer_digest(b"HTTP/1.1 503 Service Unavailable\r\n", b"busy"),
            "bfcdc5f69e448c3adf443a6d551d7f3a7a1c2ddb2d01a8b41884b7e8392900ea",
        ),
        (first(), "84ca901caf8366d735ce77bf45d4f8c9a9554b4dec6b68de3386dbb13cafb84f"),
        (second(), "bc20a92e44262bd95f1dcad03571a5b634bafc1d0ac67d6ae784be63ed562986"),
    ] {
        assert_eq!(digest.to_string(), known);
    }
}

#[test]
fn a_day_stands_behind_the_one_before() {
    let day = |day: &str, before| DayFacts {
        owner: OwnerId::from_bytes([1; 16]),
        day: CaracasDate::parse(day).unwrap(),
        attempts: 2,
        root: root([first(), second()]),
        before,
    };
    let earlier = day("2026-11-20", None).digest();
    let later = day("2026-11-22", Some(earlier)).digest();
    assert_eq!(
        [earlier, later].map(|digest| digest.to_string()),
        [
            "ea1e3b502c3e8c664bb65bf6d30e60a8fccb49dec65c5e85bb234aec0893eede",
            "37bf92d97ea19627ef53e7a9418f75ec4d637552f7ddd6cea2909eae8f7b1b97",
        ]
    );
}

#[test]
fn roots_are_those_that_another_tool_computes() {
    for (count, known) in [
        (1, "d9de27625445003d8a9739a851e3ff8d41c0683630b4d63a88327a6aaa37c409"),
        (2, "604d540f09268b91672ab011394d5266ccd7d4484d0d109411a55848126a1b2c"),
        (3, "d1f13800048f5909d4043fc0c152f6643280cba608b672715e56ce159a20629f"),
        (5, "6b313b611b40676b9e1dfd70c4503f2379f88f0f1c2740fb7e1cacc32c113465"),
        (8, "80e139b44c90f91edebec705cc7586c3d90f4bdadd49628d25c20d4b03419287"),
        (13, "8759c611964a1e257c11aab61dcd8206d01ae8c29799365f8f1b94045c0a9db2"),
    ] {
        assert_eq!(root(leaves(count)).to_string(), known);
    }
    assert!(Tree::default().end().is_none());
}

#[test]
fn every_leaf_is_led_to_the_root() {
    for count in 1..=33 {
        let leaves = leaves(count);
        let mut tree = Tree::following(leaves.clone());
        leaves.iter().for_each(|leaf| tree.push(*leaf));
        assert_eq!(tree.leaves(), i64::from(count));
        let (root, paths) = tree.end().unwrap();
        for (leaf, path) in leaves.iter().zip(paths) {
            let leaf = Digest::of(&[&[0], leaf.to_bytes().as_slice()].concat());
            let reached = path.iter().fold(leaf, |reached, step| {
                let (left, right) = match step.side {
                    Side::Left => (step.digest, reached),
                    Side::Right => (reached, step.digest),
                };
                let (left, right) = (left.to_bytes(), right.to_bytes());
                Digest::of(&[&[1], left.as_slice(), right.as_slice()].concat())
            });
            assert_eq!(reached, root);
            assert!(path.len() <= 6);
        }
    }
}

/// Checks that the roots are enough for parts that hold none of the leaves that are followed.
#[test]
fn a_tree_of_parts_is_the_tree_of_their_leaves() {
    const PART: usize = 4;
    for count in 1..=33 {
        let leaves = leaves(count);
        for followed in &leaves {
            let (mut whole, mut of_parts) =
                (Tree::following(vec![*followed]), Tree::following(vec![*followed]));
            leaves.iter().for_each(|leaf| whole.push(*leaf));
            for part in leaves.chunks(PART) {
                if part.len() == PART && !part.contains(followed) {
                    of_parts.push_part(PART as i64, root(part.iter().copied()));
                } else {
                    part.iter().for_each(|leaf| of_parts.push(*leaf));
                }
            }
            assert_eq!(of_parts.leaves(), i64::from(count));
            assert_eq!(of_parts.end(), whole.end(), "{count}");
        }
    }
}

#[test]
fn what_is_not_there_is_not_the_same_as_what_is_empty() {
    let mut absent = Fields::of("a");
    absent.maybe(None);
    let mut empty = Fields::of("a");
    empty.maybe(Some(""));
    assert_ne!(absent.end(), empty.end());
    assert_ne!(answer_digest(b"ab", b"c"), answer_digest(b"a", b"bc"));
}
