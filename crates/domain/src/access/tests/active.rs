//! Whether a key that is known opens anything now.

use super::*;

#[test]
fn what_is_not_active_opens_nothing_and_the_first_reason_is_reported() {
    let good = KeyStanding {
        is_active: true,
        revoked_at: None,
        expires_at: None,
        owner_is_active: true,
        client_is_active: None,
    };
    let unknown = Err(Refusal::Unauthorized(BadCredentials::Unknown));
    let later = Timestamp::from_micros(1_001);
    let none = KeyStanding { is_active: false, owner_is_active: false, ..good };
    for (standing, result) in [
        (good, Ok(())),
        (KeyStanding { client_is_active: Some(true), expires_at: Some(later), ..good }, Ok(())),
        (KeyStanding { expires_at: Some(NOW), ..good }, unknown.clone()),
        (KeyStanding { revoked_at: Some(later), ..none }, unknown),
        (none, Err(Refusal::KeyNotActive)),
        (
            KeyStanding { is_active: true, client_is_active: Some(false), ..none },
            Err(Refusal::OwnerNotActive),
        ),
        (KeyStanding { client_is_active: Some(false), ..good }, Err(Refusal::ClientNotActive)),
    ] {
        assert_eq!(check_active(&standing, NOW), result, "{standing:?}");
    }
}
