//! Who issued keys and people, what lives of what somebody has issued, and what becomes of it when its issuer ends.

mod end;
mod lately;

use std::collections::HashMap;

use domain::access::Guarded;
use domain::ids::{ActorId, ClientId, OwnerId, SessionId};
use domain::time::Timestamp;
use store::issuers::{Inviter, Issuer};
use store::lineage::{self as lineages, Issued, Lineage};
use store::tx::Tx;

pub(crate) use end::{Ending, INVITERS_OF_CLIENTS, end_key, end_person, release};
pub use lately::issued_lately;
pub(crate) use lately::lately;

use crate::{Act, App, Error};

/// The instant before everything.
pub(crate) const EVER: Timestamp = Timestamp::from_micros(i64::MIN);

/// Choice of what becomes of what a key or a person has issued that ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WithIssued {
    /// Nothing was chosen: where something lives, nothing ends.
    #[default]
    Unsaid,
    /// It stays.
    Stays,
    /// It ends as well.
    Ends,
}

/// Kind of an issuer, as callers are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssuerKind {
    /// The owner.
    Owner,
    /// An employee of the owner, or a person of a client.
    Person,
    /// A key.
    Key,
    /// The operator, by the command line.
    Operator,
    /// The owner or whatever is the owner's, to callers of a client.
    Merchant,
}

impl IssuerKind {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Person => "person",
            Self::Key => "key",
            Self::Operator => "operator",
            Self::Merchant => "merchant",
        }
    }
}

/// Issuer, as a caller may know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownIssuer {
    /// Its kind.
    pub kind: IssuerKind,
    /// The employee or the key, where the caller may know which.
    pub id: Option<ActorId>,
    /// The same as callers know it.
    pub known_as: Option<String>,
}

/// Reader of what was issued: an owner's caller, or one of that client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    pub(crate) owner: OwnerId,
    pub(crate) client: Option<ClientId>,
}

impl Reader {
    pub(crate) fn of<O: Guarded>(act: &Act<O>) -> Self {
        Self { owner: act.owner(), client: act.caller().client() }
    }

    /// Tells whether it is told of this at all: callers of a client know its keys alone.
    fn knows(self, issued: &Issued) -> bool {
        match (self.client, issued) {
            (None, _) => true,
            (client, Issued::Key(locked)) => locked.key.client == client,
            (Some(_), Issued::Person(_)) => false,
        }
    }
}

impl ShownIssuer {
    /// The issuer of a key.
    pub(crate) fn of(by: Option<ActorId>, reader: Reader) -> Self {
        let kind = match by {
            None => IssuerKind::Operator,
            Some(by) if by.employee().is_some() => IssuerKind::Person,
            Some(by) if by.key(reader.owner).is_some() => IssuerKind::Key,
            Some(_) => IssuerKind::Owner,
        };
        // A client's callers know no person, and nothing of the owner's.
        let kind = match kind {
            IssuerKind::Person => kind,
            _ if reader.client.is_some() => IssuerKind::Merchant,
            _ => kind,
        };
        let is_named = reader.client.is_none() && kind != IssuerKind::Owner;
        let id = by.filter(|_| is_named);
        Self { kind, id, known_as: id.map(|id| id.known_as(reader.owner)) }
    }

    /// The person who has invited somebody, as people of the owner know it.
    #[must_use]
    pub fn of_inviter(inviter: &Inviter) -> Self {
        let kind = match inviter.employee {
            Some(_) => IssuerKind::Person,
            None => IssuerKind::Owner,
        };
        let known_as = inviter.employee.map(|employee| employee.to_string());
        Self { kind, id: inviter.employee.map(ActorId::from), known_as }
    }
}

/// Kind of what was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssuedKind {
    /// A key.
    Key,
    /// An employee of the owner, or a person of a client.
    Person,
}

impl IssuedKind {
    /// The noun on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "api_key",
            Self::Person => "employee",
        }
    }
}

/// Key or person that was issued and lives.
#[derive(Clone, Debug)]
pub struct IssuedRecord {
    /// Its kind.
    pub kind: IssuedKind,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The client that it is bound to, or whose person it is.
    pub client: Option<ClientId>,
    /// Who issued it.
    pub issuer: ShownIssuer,
    /// When.
    pub issued_at: Timestamp,
    /// In which session, where it was a person.
    pub session: Option<SessionId>,
    /// From which address.
    pub address: Option<String>,
}

/// Keys and people that were issued and live, the newest first.
#[derive(Clone, Debug, Default)]
pub struct IssuedList {
    /// At most [`lineages::LIVING_MAX`] of them.
    pub entries: Vec<IssuedRecord>,
    /// Whether there are more.
    pub is_cut: bool,
}

impl IssuedList {
    pub(crate) fn of(lineage: Lineage, reader: Reader) -> Self {
        let Lineage { living, is_cut } = lineage;
        let known = living.iter().filter(|issued| reader.knows(issued));
        let mut entries: Vec<_> = known.map(|issued| IssuedRecord::of(issued, reader)).collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.issued_at));
        Self { entries, is_cut }
    }
}

impl IssuedRecord {
    fn of(issued: &Issued, reader: Reader) -> Self {
        match issued {
            Issued::Key(locked) => {
                let Issuer { by, session, address } = locked.key.issuer.clone();
                // To a client's callers it may be the merchant's people who called from there.
                let from = reader.client.is_none().then_some((session, address));
                let (session, address) = from.unwrap_or_default();
                Self {
                    kind: IssuedKind::Key,
                    id: locked.key.id.to_string(),
                    name: locked.key.name.clone(),
                    client: locked.key.client,
                    issuer: ShownIssuer::of(by, reader),
                    issued_at: locked.key.issued_at,
                    session,
                    address,
                }
            }
            Issued::Person(person) => Self {
                kind: IssuedKind::Person,
                id: person.id.to_string(),
                name: person.name.clone(),
                client: person.client,
                issuer: ShownIssuer::of_inviter(&person.inviter),
                issued_at: person.invited_at,
                session: person.inviter.session,
                address: person.inviter.address.clone(),
            },
        }
    }
}

/// The caller as the issuer of a key's text.
pub(crate) fn issuer<O: Guarded>(act: &Act<O>) -> Issuer {
    let (by, session) = (Some(act.actor()), act.caller().session());
    Issuer { by, session, address: act.request.address_shown() }
}

/// The caller as a person who invites.
pub(crate) fn inviter<O: Guarded>(act: &Act<O>) -> Inviter {
    let (employee, session) = (act.caller().employee(), act.caller().session());
    Inviter { employee, session, address: act.request.address_shown() }
}

/// Finds all that the key or person of that id has issued itself or by what it has issued, as far as it lives and the
/// caller may know of it.
///
/// # Errors
/// A failure of the store.
pub async fn issued_by<O: Guarded>(
    app: &App,
    act: &Act<O>,
    of: ActorId,
) -> Result<IssuedList, Error> {
    let (owner, reader) = (act.owner(), Reader::of(act));
    let follow = move |tx: &mut Tx<'_>| lineages::follow(tx, owner, of, EVER);
    Ok(IssuedList::of(app.store.read(act.meter(), follow).await?, reader))
}

/// Names of those keys and employees, also of those that are no more.
///
/// # Errors
/// A failure of the store.
pub async fn names<O: Guarded>(
    app: &App,
    act: &Act<O>,
    of: Vec<ActorId>,
) -> Result<HashMap<ActorId, String>, Error> {
    let (owner, ids) = (act.owner(), of.clone());
    let find = move |tx: &mut Tx<'_>| lineages::names(tx, owner, &ids);
    let names = app.store.look_up(act.meter(), find).await?;
    Ok(of.into_iter().zip(names).filter_map(|(id, name)| Some((id, name?))).collect())
}
