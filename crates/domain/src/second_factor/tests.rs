use std::sync::atomic::{AtomicU8, Ordering};

use sha2::{Digest, Sha256};

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// The secret of the examples of RFC 6238.
fn secret() -> TotpSecret {
    TotpSecret::from_bytes(b"12345678901234567890").unwrap()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

fn code(text: &str) -> TotpCode {
    let Some(ShownCode::Totp(code)) = ShownCode::parse(text) else { panic!("{text}") };
    code
}

/// The hashes of 1, 2 and so on.
struct Counting(AtomicU8);

impl IdSource for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        bytes.copy_from_slice(&Sha256::digest([number])[..bytes.len()]);
    }
}

#[test]
fn codes_are_those_of_the_standard() {
    // The last six digits of the examples of RFC 6238 for SHA-1.
    for (seconds, text) in [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_234_567_890, "005924"),
        (20_000_000_000, "353130"),
    ] {
        assert_eq!(secret().step_of(&code(text), at(seconds)), Some(seconds / 30), "{text}");
    }
}

#[test]
fn a_code_is_good_for_its_half_minute_and_the_ones_beside_it() {
    // The code of the step 37037036, which lasts from 1111111080 to 1111111110.
    let (code, step) = (code("081804"), 37_037_036);
    for (seconds, expected) in [
        (1_111_111_049, None),
        (1_111_111_050, Some(step)),
        (1_111_111_080, Some(step)),
        (1_111_111_109, Some(step)),
        (1_111_111_139, Some(step)),
        (1_111_111_140, None),
    ] {
        assert_eq!(secret().step_of(&code, at(seconds)), expected, "{seconds}");
    }
    // To the microsecond.
    let end = at(1_111_111_140);
    assert_eq!(secret().step_of(&code, end.minus(Duration::from_micros(1))), Some(step));
    assert_eq!(secret().step_of(&code, at(-1)), None);
}

#[test]
fn a_first_code_says_how_far_its_clock_is_off_and_later_ones_are_good_by_that_clock_or_ours() {
    // The code of the step 37037036.
    let (shown, step) = (code("081804"), 37_037_036);
    let middle = step * 30 + 15;
    for (steps, borne) in
        [(2, true), (-2, true), (10, true), (-10, true), (11, false), (-120, false)]
    {
        // The telephone is ahead by so many steps.
        let now = at(middle - steps * 30);
        let (found, skew) = secret().first_step(&shown, now).unwrap();
        assert_eq!((found, skew.steps(), skew.is_bearable()), (step, steps, borne));
        let kept = ClockSkew::from_steps(steps);
        let later = secret().step_by(&shown, now, kept);
        assert_eq!(later, borne.then_some((step, skew)));
        assert_eq!(secret().step_by(&shown, now, ClockSkew::NONE), None);
        // Set right since: nothing of the former clock is kept.
        assert_eq!(secret().step_by(&shown, at(middle), kept), Some((step, ClockSkew::NONE)));
    }
    for steps in [-1, 0, 1] {
        let found = secret().first_step(&shown, at(middle - steps * 30));
        assert_eq!(found, Some((step, ClockSkew::NONE)));
    }
    assert_eq!(secret().first_step(&shown, at(middle + 123 * 30)), None);
    assert!(ClockSkew(-7).problem().text(crate::language::Language::En).contains("4 minutes slow"));
}

#[test]
fn near_the_edge_the_clock_that_is_known_is_the_one_that_shows_the_code() {
    // The code of the step 37037036, which is good by both clocks.
    let (shown, step) = (code("081804"), 37_037_036);
    for steps in [2, -2_i64] {
        let known = ClockSkew::from_steps(steps);
        for behind in [1, 2_i64] {
            let now = at((step - behind * steps.signum()) * 30 + 15);
            let found = secret().step_by(&shown, now, known);
            assert_eq!(found, Some((step, known)), "{steps} {behind}");
        }
    }
}

#[test]
fn codes_are_read_as_people_type_them() {
    for text in ["287082", " 287 082", "287-082 "] {
        assert!(secret().step_of(&code(text), at(59)).is_some(), "{text}");
    }
    let recovery = RecoveryCode(SecretText::from("0123456789abcdef"));
    assert_eq!(recovery.shown().expose(), "0123-4567-89ab-cdef");
    for text in
        ["0123-4567-89ab-cdef", "o123 4567 89AB CDEF", "OI23456789abcdef", " 0l23-4567-89ab-cdef "]
    {
        let Some(ShownCode::Recovery(hash)) = ShownCode::parse(text) else { panic!("{text}") };
        assert_eq!(hash, recovery.hash(), "{text}");
    }
    let long = "0".repeat(300);
    for text in [
        "",
        "28708",
        "2870821",
        "٢٨٧٠٨٢",
        "0123-4567-89ab-cde",
        "0123-4567-89ab-cdefg",
        "0123-4567-89ab-cdeu",
        &long,
    ] {
        assert!(ShownCode::parse(text).is_none(), "{text}");
    }
}

#[test]
fn recovery_codes_differ_and_are_known_by_their_hashes() {
    let codes = RecoveryCode::generate_all(&Counting(0.into()));
    assert_eq!(codes.len(), RECOVERY_CODES);
    for (place, one) in codes.iter().enumerate() {
        let Some(ShownCode::Recovery(hash)) = ShownCode::parse(one.shown().expose()) else {
            panic!()
        };
        assert_eq!(hash, one.hash());
        assert!(codes[..place].iter().all(|other| other.hash() != hash));
    }
}

#[test]
fn an_authenticator_reads_the_address_and_no_secret_is_shown_by_accident() {
    let email = EmailAddress::parse("ana+caja@tienda.example").unwrap();
    assert_eq!(
        secret().address(&email).expose(),
        "otpauth://totp/Cotejo:ana%2Bcaja%40tienda.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Cotejo\
         &algorithm=SHA1&digits=6&period=30"
    );
    let codes = RecoveryCode::generate_all(&Counting(0.into()));
    let shown = format!("{:?} {:?} {:?}", secret(), ShownCode::parse("287082"), codes[0]);
    assert_eq!(shown, "TotpSecret(…) Some(Totp(TotpCode(…))) RecoveryCode(…)");
    assert!(TotpSecret::from_bytes(&[1; 19]).is_none());
    assert_ne!(TotpSecret::generate(&Counting(1.into())).expose(), secret().expose());
}

#[test]
fn five_wrong_codes_are_checked_and_then_each_makes_the_next_wait_twice_as_long() {
    let now = at(1_000_000);
    let wait =
        |count| WrongCodes { count, last_at: now }.check(now).err().map_or(0, |it| it.as_secs());
    let waits: Vec<u64> = (0..16).map(wait).collect();
    let expected =
        [0, 0, 0, 0, 0, 60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 21_600, 21_600];
    assert_eq!(waits, expected);
    assert_eq!(wait(i64::MAX), 21_600);
}

#[test]
fn the_wait_ends_to_the_second() {
    let now = at(1_000_000);
    for (count, wait) in [(5, 60), (6, 120), (100, 21_600)] {
        let wrong = WrongCodes { count, last_at: now };
        assert_eq!(wrong.check(now.plus((wait - 1) * SECOND)), Err(SECOND), "{count}");
        assert_eq!(wrong.check(now.plus(wait * SECOND)), Ok(()), "{count}");
    }
}

#[test]
fn a_wrong_code_that_a_clock_ahead_has_counted_is_waited_for_no_longer_than_any() {
    let now = at(1_000_000);
    let ahead = |seconds| WrongCodes { count: 5, last_at: now.plus(seconds * SECOND) }.check(now);
    assert_eq!(ahead(21_600), Err(60 * SECOND));
    assert_eq!(ahead(365 * 86_400), Ok(()));
}

#[test]
fn guessing_takes_centuries_while_nobody_shows_a_right_code() {
    let (begin, mut now) = (at(0), at(0));
    let days = 365;
    let mut wrong = WrongCodes { count: 0, last_at: at(0) };
    while now.since(begin) < days * 86_400 * SECOND {
        match wrong.check(now) {
            Ok(()) => wrong = WrongCodes { count: wrong.count + 1, last_at: now },
            Err(wait) => now = now.plus(wait),
        }
    }
    // A guess is right by three in a million: so many a year make a year's chance, and its inverse years.
    let years = 1_000_000 / (3 * wrong.count);
    assert!((200..250).contains(&years), "{years} years, {} guesses a year", wrong.count);
}

#[test]
fn a_proof_lasts_ten_minutes() {
    let given = at(1_000_000);
    let proof = Proof::Given(given);
    assert!(proof.is_fresh(given) && proof.is_fresh(given.plus(599 * SECOND)));
    assert!(!proof.is_fresh(given.plus(600 * SECOND)));
    assert!(proof.is_fresh(given.minus(SECOND)) && !proof.is_fresh(given.minus(600 * SECOND)));
    assert!(Proof::NotAsked.is_fresh(given) && !Proof::Missing.is_fresh(given));
}
