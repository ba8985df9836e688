//! Links and their ends.

use domain::ids::{BankId, IdentityId, LinkId, PaymentId};
use domain::links::{Currency, Price, Standing, State};

use super::*;
use crate::accounts::{self, NewAccount};
use crate::links::{self, Link, Origin};
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

/// A check that ends late pays nothing, and neither does whoever believes the link to be failed.
pub(crate) fn no_statement_pays_a_failed_link(store: &Store) {
    let owner = owner();
    write(store, owner, move |tx| {
        owners::insert(tx, owner, &format!("{owner}@example.com"), "", "", at(0))?;
        let new = NewAccount {
            id: BANK,
            identity: IdentityId::from_bytes([4; 16]),
            provider: "BANK_TEST".to_owned(),
            account: BANK.to_string(),
            description: String::new(),
            client: None,
        };
        accounts::insert(tx, owner, &new, at(0))?;
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
