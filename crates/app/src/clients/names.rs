//! What the pages that name clients ask for: which there are, and what each is called.

use std::collections::HashMap;

use domain::access::ListClients;
use domain::client_names::plain;
use domain::ids::{ClientId, OwnerId};
use domain::refusal::Refusal;
use domain::secret::PersonalText;
use store::clients::{self, Client};
use store::tx::Tx;

use crate::outcome::Outcome;
use crate::{Act, App, Error};

/// How many clients are named at most. An owner who has more finds the others by their ids.
pub const NAMES_MAX: i64 = 1_000;

/// How many characters of an id distinguish clients that nothing else does.
const ID_CHARS: usize = 6;

/// The owner's clients by name, the newest first. Beside a name that several have stands what is known of each of them:
/// its document, or else its e-mail address, or the end of its id.
///
/// # Errors
/// A failure of the store.
pub async fn names(app: &App, act: &Act<ListClients>) -> Result<Vec<(ClientId, String)>, Error> {
    let owner = act.owner();
    let page = app.store.look_up(act.meter(), move |tx| clients::page(tx, owner, (NAMES_MAX, 0)));
    Ok(distinct(&page.await?))
}

/// Checks that a client is told apart from the others: of two of one name each has a document of its own.
///
/// # Errors
/// Another client has the name; or a fault of the store.
pub(super) fn check_distinct(tx: &mut Tx<'_>, owner: OwnerId, client: &Client) -> Outcome<()> {
    match clients::namesake(tx, owner, client)? {
        Some(other) => Err(Refusal::ClientNameTaken(other).into()),
        None => Ok(()),
    }
}

fn distinct(clients: &[Client]) -> Vec<(ClientId, String)> {
    let mut named: Vec<_> = clients.iter().map(|client| (client, client.name.clone())).collect();
    mark(&mut named, |client| {
        let known = client.document.as_ref().or(client.email.as_ref());
        known.map(|known| PersonalText::as_str(known).to_owned())
    });
    mark(&mut named, |client| Some(end_of(client.id)));
    named.into_iter().map(|(client, name)| (client.id, name)).collect()
}

/// Adds its mark, if it has one, to each name that several have.
fn mark(named: &mut [(&Client, String)], of: impl Fn(&Client) -> Option<String>) {
    let mut times: HashMap<String, usize> = HashMap::new();
    for (_, name) in named.iter() {
        *times.entry(plain(name)).or_default() += 1;
    }
    for &mut (client, ref mut name) in named {
        if times.get(&plain(name)).is_some_and(|times| *times > 1)
            && let Some(mark) = of(client)
        {
            *name = format!("{name} · {mark}");
        }
    }
}

fn end_of(id: ClientId) -> String {
    let id = id.to_string();
    let end = id.get(id.len().saturating_sub(ID_CHARS)..).unwrap_or_default();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use domain::time::Timestamp;
    use store::clients::NewClient;

    use super::*;

    fn client(number: u8, name: &str, document: Option<&str>, email: Option<&str>) -> Client {
        let text = |text: &str| PersonalText::new(text.to_owned());
        let new = NewClient {
            document: document.map(text),
            email: email.map(text),
            ..NewClient::named(ClientId::from_bytes([number; 16]), name, true)
        };
        new.made(Timestamp::from_micros(0))
    }

    #[test]
    fn clients_of_one_name_are_marked_and_others_have_their_name_alone() {
        let mail = Some("sur@tienda.example");
        let found = distinct(&[
            client(1, "Sucursal", Some("V12345678"), mail),
            client(2, "sucúrsal", None, mail),
            client(3, "Sucursal", None, None),
            client(4, "Bodega", Some("V12345678"), mail),
            client(5, "Kiosco", Some("V12345678"), None),
            client(6, "Kiosco", Some("V12345678"), None),
        ]);
        let names: Vec<_> = found.iter().map(|(_, name)| name.as_str()).collect();
        let end = |number: u8| end_of(ClientId::from_bytes([number; 16]));
        assert_eq!(
            names,
            [
                "Sucursal · V12345678",
                "sucúrsal · sur@tienda.example",
                "Sucursal",
                "Bodega",
                &format!("Kiosco · V12345678 · {}", end(5)),
                &format!("Kiosco · V12345678 · {}", end(6)),
            ]
        );
    }
}
