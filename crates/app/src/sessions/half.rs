//! Half of a sign-in: a browser whose person has shown the password, and is asked for the code alone. It is sealed for that
//! account and its password of then, and is good for five minutes; no table has it.

use std::time::Duration;

use data_encoding::BASE64URL_NOPAD;
use domain::secret::SecretText;
use sha2::{Digest, Sha256};

use crate::App;
use crate::people::Account;
use crate::vault::Place;

/// How long a person has to type the code.
const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// The longest text that is looked at as one; what is sealed here is shorter.
const LEN_MAX: usize = 256;

/// How many bytes of it are the instant at which it is over.
const INSTANT_LEN: usize = 8;

/// Seals that the password of the account was shown just now.
pub(super) fn seal(app: &App, account: &Account) -> SecretText {
    let over_at = app.clock.now().plus(LIFETIME).as_micros().to_be_bytes();
    let plain = [&over_at[..], &fingerprint(account)].concat();
    let row = account.actor().to_bytes();
    let sealed = app.vault.seal(&*app.ids, place(account, &row), &plain);
    SecretText::new(BASE64URL_NOPAD.encode(&sealed))
}

/// Tells whether `shown` says that the password which the account has was shown lately.
pub(super) fn is_good(app: &App, account: &Account, shown: &SecretText) -> bool {
    if shown.expose().len() > LEN_MAX {
        return false;
    }
    let row = account.actor().to_bytes();
    let Ok(sealed) = BASE64URL_NOPAD.decode(shown.expose().as_bytes()) else { return false };
    let Ok(plain) = app.vault.open(place(account, &row), &sealed) else { return false };
    let Some((over_at, known)) = plain.split_first_chunk::<INSTANT_LEN>() else { return false };
    let is_in_time = app.clock.now().as_micros() < i64::from_be_bytes(*over_at);
    is_in_time && known == fingerprint(account)
}

/// The password that was shown, so that another one ends what rests on it.
fn fingerprint(account: &Account) -> [u8; 32] {
    Sha256::digest(account.password_hash().unwrap_or_default()).into()
}

fn place<'a>(account: &Account, row: &'a [u8]) -> Place<'a> {
    Place { table: "sessions", column: "half_sign_in", owner: Some(account.owner_id), row }
}
