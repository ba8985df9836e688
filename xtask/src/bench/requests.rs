//! What is asked of the service, written as it goes over the wire.

use std::fmt::Write;

use super::load::Requests;
use super::seed::Account;

/// One request again and again.
pub(super) struct Same(pub(super) Vec<u8>);

impl Requests for Same {
    fn write(&self, _: u64, buffer: &mut Vec<u8>) {
        buffer.extend_from_slice(&self.0);
    }
}

/// `GET /me`, each time with the key of another owner.
pub(super) struct Me(pub(super) Vec<Account>);

impl Requests for Me {
    fn write(&self, number: u64, buffer: &mut Vec<u8>) {
        let account = account(&self.0, number);
        get(buffer, "/me", &account.key);
    }
}

/// The newest page of a key's activity, in turns of those owners who have a session.
pub(super) struct Activity(pub(super) Vec<Account>);

impl Requests for Activity {
    fn write(&self, number: u64, buffer: &mut Vec<u8>) {
        let account = account(&self.0, number);
        let session = account.session.as_deref().unwrap_or_default();
        get(buffer, &format!("/v1/api-keys/{}/activity", account.key_id), session);
    }
}

/// A new payment on the test bank, each time of another owner.
pub(super) struct Verify {
    pub(super) accounts: Vec<Account>,
    /// What the references of this load begin with, so that no other load has the same.
    pub(super) series: u32,
}

impl Requests for Verify {
    fn write(&self, number: u64, buffer: &mut Vec<u8>) {
        let account = account(&self.accounts, number);
        // The ending is what the test bank finds.
        let reference = format!("{}{number:09}67890", self.series);
        let body = format!(r#"{{"bank_reference":"{reference}","amount":150.75}}"#);
        let mut head = String::with_capacity(512);
        let written = write!(
            head,
            "POST /userbankpayment/{}/betaserio HTTP/1.1\r\nhost: cotejo\r\n\
             authorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            account.bank,
            account.key,
            body.len(),
        );
        debug_assert!(written.is_ok(), "text takes what is written into it");
        buffer.extend_from_slice(head.as_bytes());
    }
}

fn get(buffer: &mut Vec<u8>, path: &str, credential: &str) {
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: cotejo\r\nauthorization: Bearer {credential}\r\n\r\n"
    );
    buffer.extend_from_slice(head.as_bytes());
}

/// Owners in an order without neighbours, so that a batch is spread as real calls are.
fn account(accounts: &[Account], number: u64) -> &Account {
    let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    &accounts[usize::try_from(spread).unwrap_or(0) % accounts.len()]
}
