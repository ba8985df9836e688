//! Links and their ends.

use std::ops::Range;

use domain::ids::{BankId, ClientId, IdentityId, LinkId, OwnerId, PaymentId};
use domain::links::{Currency, Price, Standing, State};
use domain::time::Timestamp;

use super::*;
use crate::accounts::{self, NewAccount};
use crate::fault::Fault;
use crate::link_pages::{self, Filter};
use crate::links::{self, Link, Origin};
use crate::list::{Page, PageBounds};
use crate::owners;
use crate::scope::{AccountScope, Scope, ScopedAccount};

const BANK: BankId = BankId::from_bytes([1; 16]);
const LINK: LinkId = LinkId::from_bytes([2; 16]);
const PAYMENT: PaymentId = PaymentId::from_bytes([3; 16]);

fn link() -> Link {
    Link {
        id: LINK,
        bank: BANK,
        actor: KEY.into(),
        client: None,
        name: "Caja".to_owned(),
        description: "Pedido 7".to_owned(),
        price: Price { hundredths: 15_075, currency: Currency::Vef },
        webhook_url: None,
        redirect_url: None,
        metadata: "{}".to_owned(),
        origin: Origin::Api,
        livemode: true,
        status_detail: None,
        payment: None,
        cycle: None,
        expiration_minutes: None,
        rate_minutes: 60,
        held_rate: None,
        standing: Standing {
            state: State::Pending,
            is_stopped: false,
            expires_at: None,
            is_checking: false,
            expired_at: None,
        },
        created_at: at(0),
        updated_at: at(0),
    }
}

/// An account that links are of, and its owner.
pub(super) fn insert_account(tx: &mut Tx<'_>, owner: OwnerId, id: BankId) -> Result<(), Fault> {
    if owners::find(tx, owner)?.is_none() {
        owners::insert(tx, owner, &format!("{owner}@example.com"), "", "", at(0))?;
    }
    let new = NewAccount {
        id,
        identity: IdentityId::from_bytes(id.to_bytes()),
        provider: "BANK_TEST".to_owned(),
        account: id.to_string(),
        description: String::new(),
        client: None,
    };
    accounts::insert(tx, owner, &new, at(0))
}

/// Searches read no more than so many of the newest links, and say since when these are; what only says when links were
/// made reads what it shows.
pub(crate) fn a_search_of_links_is_bounded_and_says_so(store: &Store) {
    let owner = owner();
    let listed = write(store, owner, move |tx| {
        insert_account(tx, owner, BANK)?;
        for number in 1..=5 {
            insert_made(tx, owner, number, (BANK, None))?;
        }
        let ever = || at(i64::MIN)..at(i64::MAX);
        let mut listed =
            |search, span, looked_max| list(tx, owner, Scope::All, (search, span, looked_max));
        Ok([
            listed(Some("pedido"), ever(), 2)?,
            listed(Some("pedido"), ever(), 5)?,
            listed(Some("pedido"), at(1_000)..at(4_000), 2)?,
            listed(None, ever(), 2)?,
            listed(None, at(2_000)..at(5_000), 2)?,
        ])
    });
    let expected = [
        (vec![5, 4], Some(at(4_000))),
        (vec![5, 4, 3, 2, 1], None),
        (vec![3, 2], Some(at(2_000))),
        (vec![5, 4, 3, 2, 1], None),
        (vec![4, 3, 2], None),
    ];
    assert_eq!(listed.unwrap(), expected);
}

/// A caller that reaches some accounts has their links in one order, and a client's caller those of its client; what
/// others made is neither shown nor counted, also where a search is bounded.
pub(crate) fn the_links_of_some_accounts_are_one_list(store: &Store) {
    let owner = owner();
    let (other, third) = (BankId::from_bytes([5; 16]), BankId::from_bytes([6; 16]));
    let (ours, theirs) = (ClientId::from_bytes([9; 16]), ClientId::from_bytes([10; 16]));
    write(store, owner, move |tx| {
        for bank in [BANK, other, third] {
            insert_account(tx, owner, bank)?;
        }
        let made = [
            (BANK, None),
            (other, Some(ours)),
            (third, Some(ours)),
            (BANK, Some(ours)),
            (other, Some(theirs)),
            (other, Some(ours)),
            (BANK, Some(theirs)),
            (third, None),
        ];
        for (number, whose) in (1..).zip(made) {
            insert_made(tx, owner, number, whose)?;
        }
        Ok(())
    })
    .unwrap();
    let listed = |banks: &[BankId], client, search, looked_max| {
        let scope = scope(banks, client);
        let asked = (search, at(i64::MIN)..at(i64::MAX), looked_max);
        write(store, owner, move |tx| list(tx, owner, scope.clone(), asked.clone())).unwrap()
    };
    assert_eq!(listed(&[], None, None, 9), (vec![], None));
    assert_eq!(listed(&[BANK], None, None, 9), (vec![7, 4, 1], None));
    assert_eq!(listed(&[other, BANK], None, None, 9), (vec![7, 6, 5, 4, 2, 1], None));
    assert_eq!(listed(&[BANK, other], Some(ours), None, 9), (vec![6, 4, 2], None));
    assert_eq!(listed(&[BANK, other], Some(ours), Some("pedido"), 4), (vec![6, 4, 2], None));
    let newest = (vec![6, 4, 3], Some(at(3_000)));
    assert_eq!(listed(&[BANK, other, third], Some(ours), Some("pedido"), 3), newest);
    // Of links of one instant the id decides, whatever account they are of.
    write(store, owner, move |tx| {
        for (number, bank) in [(10, other), (11, BANK), (12, other)] {
            let made = at(9_500);
            let id = LinkId::from_bytes([number; 16]);
            links::insert(
                tx,
                owner,
                &Link { id, bank, created_at: made, updated_at: made, ..link() },
            )?;
        }
        Ok(())
    })
    .unwrap();
    for accounts in [[BANK, other], [other, BANK]] {
        let ids = write(store, owner, move |tx| {
            let filter = filter(scope(&accounts, None), None, at(9_000)..at(9_999));
            link_pages::page(tx, owner, &filter, at(9_999), bounds(2, 0))
        });
        assert_eq!(numbers(&ids.unwrap()), [12, 11]);
    }
    let page = write(store, owner, move |tx| {
        let filter = filter(scope(&[other, BANK], None), None, at(2_000)..at(9_000));
        let page = |offset| link_pages::page(tx, owner, &filter, at(9_000), bounds(2, offset));
        Ok([0, 2, 4].map(page))
    });
    let ids = |page: Result<Page<Link>, Fault>| numbers(&page.unwrap());
    assert_eq!(page.unwrap().map(ids), [vec![7, 6], vec![5, 4], vec![2]], "page by page");
}

/// A link that was made in that second, with whose it is.
fn insert_made(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    number: u8,
    (bank, client): (BankId, Option<ClientId>),
) -> Result<(), Fault> {
    let made = at(i64::from(number) * 1_000);
    let id = LinkId::from_bytes([number; 16]);
    links::insert(
        tx,
        owner,
        &Link { id, bank, client, created_at: made, updated_at: made, ..link() },
    )
}

fn scope(banks: &[BankId], client: Option<ClientId>) -> Scope {
    let account = |id: &BankId| ScopedAccount { id: *id, since: None };
    Scope::Accounts(AccountScope { accounts: banks.iter().map(account).collect(), client })
}

fn bounds(limit: i64, offset: i64) -> PageBounds {
    PageBounds { limit, offset, count_max: 10 }
}

fn numbers(page: &Page<Link>) -> Vec<u8> {
    page.entries.iter().map(|link| link.id.to_bytes()[0]).collect()
}

fn filter(scope: Scope, search: Option<&str>, span: Range<Timestamp>) -> Filter {
    let search = search.map(ToOwned::to_owned);
    Filter { span, scope, origin: None, status: None, search, livemode: None }
}

/// The numbers of the links that are found, newest first, and since when they were looked at.
fn list(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    scope: Scope,
    (search, span, looked_max): (Option<&str>, Range<Timestamp>, u32),
) -> Result<(Vec<u8>, Option<Timestamp>), Fault> {
    let mut filter = filter(scope, search, span);
    let since = link_pages::bound(tx, owner, &mut filter, at(9_000), looked_max)?;
    let page = link_pages::page(tx, owner, &filter, at(9_000), bounds(10, 0))?;
    assert_eq!(page.total, i64::try_from(page.entries.len()).unwrap());
    Ok((numbers(&page), since))
}

/// A check that ends late pays nothing, and neither does a caller that believes the link to be failed.
pub(crate) fn no_statement_pays_a_failed_link(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| {
        insert_account(tx, owner, BANK)?;
        links::insert(tx, owner, &link())?;
        let mut failed = Link { updated_at: at(1), ..link() };
        failed.standing.state = State::Failed;
        failed.status_detail = Some("agotado".to_owned());
        links::end(tx, owner, &failed)
    })
    .unwrap();
    for was in State::ALL {
        let pay = move |tx: &mut Tx<'_>| links::pay(tx, owner, LINK, (was, PAYMENT, None), at(2));
        assert_eq!(write(store, owner, pay).unwrap(), None, "{was:?}");
    }
    let found = write(store, owner, move |tx| links::find(tx, owner, LINK)).unwrap().unwrap();
    assert_eq!(
        (found.standing.state, found.payment, found.updated_at),
        (State::Failed, None, at(1))
    );
}
