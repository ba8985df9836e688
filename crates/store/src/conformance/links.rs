//! Links and their ends.

use std::ops::Range;

use domain::ids::{BankId, ClientId, IdentityId, LinkId, OwnerId, PaymentId};
use domain::links::{Currency, Price, Standing, State};
use domain::time::Timestamp;

use super::*;
use crate::accounts::{self, NewAccount};
use crate::fault::Fault;
use crate::links::{self, Filter, Link, Origin};
use crate::owners;

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

/// The owner, and the account that its links are of.
fn insert_account(tx: &mut Tx<'_>, owner: OwnerId) -> Result<(), Fault> {
    owners::insert(tx, owner, &format!("{owner}@example.com"), "", "", at(0))?;
    let new = NewAccount {
        id: BANK,
        identity: IdentityId::from_bytes([4; 16]),
        provider: "BANK_TEST".to_owned(),
        account: BANK.to_string(),
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
        insert_account(tx, owner)?;
        for number in 1..=5_u8 {
            let id = LinkId::from_bytes([number; 16]);
            let made = at(i64::from(number) * 1_000);
            links::insert(tx, owner, &Link { id, created_at: made, updated_at: made, ..link() })?;
        }
        let of_client = Filter {
            span: at(i64::MIN)..at(i64::MAX),
            banks: None,
            client: Some(ClientId::from_bytes([9; 16])),
            origin: None,
            status: None,
            search: Some("pedido".to_owned()),
        };
        assert_eq!(links::bound(tx, owner, &mut of_client.clone(), 2)?, None, "a client's");
        let mut listed = |search: Option<&str>, span: Range<Timestamp>, looked_max| {
            let search = search.map(ToOwned::to_owned);
            let mut filter = Filter { span, client: None, search, ..of_client.clone() };
            let since = links::bound(tx, owner, &mut filter, looked_max)?;
            let page = links::page(tx, owner, &filter, at(9_000), (10, 0))?;
            let total = links::count(tx, owner, &filter, at(9_000), 10)?;
            let ids: Vec<u8> = page.iter().map(|link| link.id.to_bytes()[0]).collect();
            assert_eq!(ids.len(), usize::try_from(total).unwrap());
            Ok::<_, Fault>((ids, since))
        };
        let ever = || at(i64::MIN)..at(i64::MAX);
        Ok([
            listed(Some("pedido"), ever(), 2)?,
            listed(Some("pedido"), ever(), 6)?,
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

/// A check that ends late pays nothing, and neither does whoever believes the link to be failed.
pub(crate) fn no_statement_pays_a_failed_link(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| {
        insert_account(tx, owner)?;
        links::insert(tx, owner, &link())?;
        let mut failed = Link { updated_at: at(1), ..link() };
        failed.standing.state = State::Failed;
        failed.status_detail = Some("agotado".to_owned());
        links::end(tx, owner, &failed)
    })
    .unwrap();
    for was in State::ALL {
        let pay = move |tx: &mut Tx<'_>| links::pay(tx, owner, LINK, (was, PAYMENT, None), at(2));
        assert!(!write(store, owner, pay).unwrap(), "{was:?}");
    }
    let found = write(store, owner, move |tx| links::find(tx, owner, LINK)).unwrap().unwrap();
    assert_eq!(
        (found.standing.state, found.payment, found.updated_at),
        (State::Failed, None, at(1))
    );
}
