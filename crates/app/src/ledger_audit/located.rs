//! That what arrives without an owner finds its row: a key, an address for signing in, an invitation, a logo, a link, an
//! account whose bank sends notifications. A locator that leads to nothing is no difference, since failures leave such.

use domain::ids::{BankId, EmployeeId, KeyId, LinkId, OwnerId};
use domain::text::EmailAddress;
use store::difference::Difference;
use store::fault::Fault;
use store::locator_audit;
use store::locators::{self, Kind, Located};
use store::tx::Tx;

use super::name;
use crate::locator::Locator;
use crate::people::email_hash;

/// How many rows are read at once.
const PAGE: i64 = 500;

/// A row that a locator must lead to.
struct Row {
    kind: Kind,
    hash: [u8; 32],
    subject: [u8; 16],
    /// What the row is, for people.
    what: String,
}

/// A kind of rows that are located: those of an owner behind an id, a page of them.
type Rows = fn(&mut Tx<'_>, OwnerId, [u8; 16]) -> Result<Vec<Row>, Fault>;

/// Everything that is located, one function for each kind.
const LOCATED: [Rows; 7] = [keys, email, employees, invitations, logo, links, pushed];

/// Names the owner's rows that nothing leads to.
pub(super) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    for rows in LOCATED {
        let mut after = [0; 16];
        loop {
            let page = rows(tx, owner, after)?;
            let wanted: Vec<_> = page.iter().map(|row| (row.kind, row.hash)).collect();
            for (row, at) in page.iter().zip(locators::find_all(tx, &wanted)?) {
                if at != Some(Located { owner, subject: row.subject }) {
                    name(found, "locators", &row.what, "no locator leads to it");
                }
            }
            match page.last() {
                Some(last) if page.len() == PAGE as usize => after = last.subject,
                _ => break,
            }
        }
    }
    Ok(())
}

fn keys(tx: &mut Tx<'_>, owner: OwnerId, after: [u8; 16]) -> Result<Vec<Row>, Fault> {
    let keys = locator_audit::keys(tx, owner, after, PAGE)?;
    let row = |(subject, hash): ([u8; 16], Vec<u8>)| Row {
        kind: Kind::ApiKey,
        // One of another length is found by nothing.
        hash: hash.try_into().unwrap_or_default(),
        subject,
        what: KeyId::from_bytes(subject).to_string(),
    };
    Ok(keys.into_iter().map(row).collect())
}

fn email(tx: &mut Tx<'_>, owner: OwnerId, _: [u8; 16]) -> Result<Vec<Row>, Fault> {
    let email = locator_audit::email(tx, owner)?;
    let row = |email: String| Row {
        kind: Kind::Email,
        // What is no address signs nobody in.
        hash: EmailAddress::parse(&email).map(|email| email_hash(&email)).unwrap_or_default(),
        subject: owner.to_bytes(),
        what: format!("the e-mail address of {owner}"),
    };
    Ok(email.into_iter().map(row).collect())
}

fn employees(tx: &mut Tx<'_>, owner: OwnerId, after: [u8; 16]) -> Result<Vec<Row>, Fault> {
    let employees = locator_audit::employees(tx, owner, after, PAGE)?;
    let row = |(id, email): (EmployeeId, String)| Row {
        kind: Kind::Email,
        // What is no address signs nobody in.
        hash: EmailAddress::parse(&email).map(|email| email_hash(&email)).unwrap_or_default(),
        subject: id.to_bytes(),
        what: format!("the e-mail address of {id}"),
    };
    Ok(employees.into_iter().map(row).collect())
}

fn invitations(tx: &mut Tx<'_>, owner: OwnerId, after: [u8; 16]) -> Result<Vec<Row>, Fault> {
    let invitations = locator_audit::invitations(tx, owner, after, PAGE)?;
    let row = |(id, hash): (EmployeeId, Vec<u8>)| Row {
        kind: Kind::Invitation,
        // One of another length is found by nothing.
        hash: hash.try_into().unwrap_or_default(),
        subject: id.to_bytes(),
        what: format!("the invitation of {id}"),
    };
    Ok(invitations.into_iter().map(row).collect())
}

fn logo(tx: &mut Tx<'_>, owner: OwnerId, _: [u8; 16]) -> Result<Vec<Row>, Fault> {
    let hash = locator_audit::logo(tx, owner)?;
    let row = |hash: Vec<u8>| Row {
        kind: Kind::Logo,
        // One of another length is found by nothing.
        hash: hash.try_into().unwrap_or_default(),
        subject: owner.to_bytes(),
        what: format!("the logo of {owner}"),
    };
    Ok(hash.into_iter().map(row).collect())
}

fn links(tx: &mut Tx<'_>, owner: OwnerId, after: [u8; 16]) -> Result<Vec<Row>, Fault> {
    let links = locator_audit::links(tx, owner, after, PAGE)?;
    let row = |id: LinkId| Row {
        kind: Kind::PaymentLink,
        hash: Locator::of_link(id).hash,
        subject: id.to_bytes(),
        what: id.to_string(),
    };
    Ok(links.into_iter().map(row).collect())
}

fn pushed(tx: &mut Tx<'_>, owner: OwnerId, after: [u8; 16]) -> Result<Vec<Row>, Fault> {
    let banks = locator_audit::pushed(tx, owner, after, PAGE)?;
    let row = |id: BankId| Row {
        kind: Kind::BankPush,
        hash: Locator::of_push(id).hash,
        subject: id.to_bytes(),
        what: format!("the notifications of {id}"),
    };
    Ok(banks.into_iter().map(row).collect())
}
