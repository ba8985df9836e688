//! What the service is asked, written as it goes over the wire.

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
        let account = spread(&self.0, number);
        get(buffer, "/me", Some(&account.key));
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
        let account = spread(&self.accounts, number);
        // The ending is what the test bank finds.
        verify(buffer, account, &format!("{}{number:09}67890", self.series));
    }
}

/// Asks for a payment of that reference, whose amount is that of every load.
pub(super) fn verify(buffer: &mut Vec<u8>, account: &Account, reference: &str) {
    let path = format!("/userbankpayment/{}/betaserio", account.bank);
    let body = format!(r#"{{"bank_reference":"{reference}","amount":150.75}}"#);
    send(buffer, ("POST", &path), Some(&account.key), "application/json", &body);
}

/// A post of JSON.
pub(super) fn post(path: &str, credential: Option<&str>, body: &str) -> Vec<u8> {
    let mut request = Vec::new();
    send(&mut request, ("POST", path), credential, "application/json", body);
    request
}

/// A form as a browser posts it.
pub(super) fn form(buffer: &mut Vec<u8>, path: &str, fields: &str) {
    send(buffer, ("POST", path), None, "application/x-www-form-urlencoded", fields);
}

pub(super) fn get(buffer: &mut Vec<u8>, path: &str, credential: Option<&str>) {
    let head = format!("GET {path} HTTP/1.1\r\nhost: cotejo\r\n{}\r\n", shown(credential));
    buffer.extend_from_slice(head.as_bytes());
}

/// A page, as a browser of that cookie asks for it.
pub(super) fn page(buffer: &mut Vec<u8>, path: &str, cookie: Option<&str>) {
    let cookie = cookie.map(|text| format!("cookie: {text}\r\n")).unwrap_or_default();
    let head = format!("GET {path} HTTP/1.1\r\nhost: cotejo\r\n{cookie}\r\n");
    buffer.extend_from_slice(head.as_bytes());
}

/// A request with a body of that kind.
pub(super) fn send(
    buffer: &mut Vec<u8>,
    (method, path): (&str, &str),
    credential: Option<&str>,
    kind: &str,
    body: &str,
) {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: cotejo\r\n{}content-type: {kind}\r\n\
         content-length: {}\r\n\r\n{body}",
        shown(credential),
        body.len(),
    );
    buffer.extend_from_slice(request.as_bytes());
}

/// The line that shows a credential.
fn shown(credential: Option<&str>) -> String {
    credential.map(|text| format!("authorization: Bearer {text}\r\n")).unwrap_or_default()
}

/// Some of something in an order without neighbours, so that a batch is spread as real calls are.
pub(super) fn spread<T>(all: &[T], number: u64) -> &T {
    let spread = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    &all[usize::try_from(spread).unwrap_or(0) % all.len()]
}

/// The first request of a load.
pub(super) fn written(requests: &dyn Requests) -> Vec<u8> {
    let mut request = Vec::new();
    requests.write(0, &mut request);
    request
}
