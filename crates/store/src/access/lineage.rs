//! Lineage: what keys and people have issued. The issuer of a key is whoever got its present text, and that of a person
//! whoever invited it last. It leads through issuers that are no more as well: nothing hides behind one that was ended.

use std::collections::HashSet;

use domain::ids::{ActorId, OwnerId};
use domain::time::Timestamp;

use crate::employees::{self, Employee, employee_columns};
use crate::fault::Fault;
use crate::keys::{self, Locked, selected_keys};
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// The people `e` that live or have issued something themselves, invited since `$since`.
macro_rules! people {
    ($inviter:literal, $since:literal, $limit:literal) => {
        concat!(
            "select ",
            employee_columns!(),
            " from employees e where e.owner_id = $1 and ",
            $inviter,
            " and e.invited_at >= ",
            $since,
            " and (e.removed_at is null \
             or exists (select i.id from employees i where i.owner_id = $1 and i.invited_by = e.id) \
             or exists (select k.id from api_keys k where k.owner_id = $1 and k.issued_by = e.id)) \
             order by e.id asc limit ",
            $limit,
        )
    };
}

statements! {
    // A key that is no more and has issued nothing leads nowhere, and there may be many of them.
    KEYS = Sql::new(concat!(
        selected_keys!(),
        "and issued_by = $2 and issued_at >= $3 and (revoked_at is null \
         or exists (select c.id from api_keys c where c.owner_id = $1 and c.issued_by = api_keys.id)) \
         order by id asc limit $4",
    ));

    PEOPLE = Sql::new(people!("e.invited_by = $2", "$3", "$4"));

    PEOPLE_OF_OWNER = Sql::new(people!("e.invited_by is null", "$2", "$3"));

    KEY_NAME = Sql::new("select name from api_keys where owner_id = $1 and id = $2");

    PERSON_NAME = Sql::new("select name from employees where owner_id = $1 and id = $2");
}

/// How much that lives is found at once, and so ended at once.
pub const LIVING_MAX: usize = 1_000;

/// How many rows of one issuer are read: one more than can be told.
const ROWS_MAX: i64 = 1_001;

/// How many issuers are followed, those that are no more among them.
const FOLLOWED_MAX: usize = 10_000;

/// How many issuers are asked about for one wait.
const ASKED_AT_ONCE: usize = 100;

/// Key or person that somebody has issued, as it is now.
#[derive(Clone, Debug)]
pub enum Issued {
    /// A key.
    Key(Locked),
    /// An employee of the owner, or a person of a client.
    Person(Employee),
}

/// Result of following what somebody has issued.
#[derive(Debug, Default)]
pub struct Lineage {
    /// All that lives, generation by generation.
    pub living: Vec<Issued>,
    /// Whether there is more than is followed at once.
    pub is_cut: bool,
}

impl Issued {
    /// Its id, under which it may have issued something itself.
    #[must_use]
    pub fn id(&self) -> ActorId {
        match self {
            Self::Key(locked) => locked.key.id.into(),
            Self::Person(person) => person.id.into(),
        }
    }

    /// Tells whether it has not been revoked or removed.
    #[must_use]
    pub fn lives(&self) -> bool {
        match self {
            Self::Key(locked) => locked.revoked_at.is_none(),
            Self::Person(person) => person.removed_at.is_none(),
        }
    }

    /// When it was issued.
    #[must_use]
    pub fn issued_at(&self) -> Timestamp {
        match self {
            Self::Key(locked) => locked.key.issued_at,
            Self::Person(person) => person.invited_at,
        }
    }
}

/// Finds all that lives and was issued since then by that key or person, or by what it has issued since then, and so on.
///
/// # Errors
/// A fault of the store.
pub fn follow(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    from: ActorId,
    since: Timestamp,
) -> Result<Lineage, Fault> {
    let (mut found, mut seen) = (Lineage::default(), HashSet::from([from]));
    let mut generation = vec![from];
    while !generation.is_empty() && !found.is_cut {
        let mut next = Vec::new();
        for issuers in generation.chunks(ASKED_AT_ONCE) {
            for issued in children(tx, owner, (issuers, since), &mut found.is_cut)? {
                if !seen.insert(issued.id()) {
                    continue;
                }
                next.push(issued.id());
                if issued.lives() {
                    found.living.push(issued);
                }
            }
            found.is_cut |= found.living.len() > LIVING_MAX || seen.len() > FOLLOWED_MAX;
            if found.is_cut {
                break;
            }
        }
        generation = next;
    }
    found.living.truncate(LIVING_MAX);
    Ok(found)
}

/// The names of keys and employees, those that are no more among them; nothing for the owner.
///
/// # Errors
/// A fault of the store.
pub fn names(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    of: &[ActorId],
) -> Result<Vec<Option<String>>, Fault> {
    let params: Vec<[Value; 2]> = of.iter().map(|id| [owner.into(), (*id).into()]).collect();
    let statement = |id: &ActorId| if id.employee().is_some() { &PERSON_NAME } else { &KEY_NAME };
    let asked: Vec<(&'static Sql, &[Value])> =
        of.iter().zip(&params).map(|(id, params)| (statement(id), params.as_slice())).collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let name = |rows: &Vec<Row>| rows.first().map(|row| row.get("name")).transpose();
    tx.query_all(&asked)?.iter().map(name).collect()
}

/// A statement about one issuer, its parameters, and the reader of its rows.
type Question = (&'static Sql, Vec<Value>, fn(&Row) -> Result<Issued, Fault>);

/// Reads what these have issued themselves, and says where there is more of one than is read.
fn children(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (issuers, since): (&[ActorId], Timestamp),
    is_cut: &mut bool,
) -> Result<Vec<Issued>, Fault> {
    let questions: Vec<Question> =
        issuers.iter().flat_map(|issuer| questions(owner, *issuer, since)).collect();
    let asked: Vec<(&'static Sql, &[Value])> =
        questions.iter().map(|(sql, params, _)| (*sql, params.as_slice())).collect();
    let mut issued = Vec::new();
    for ((_, _, read), rows) in questions.iter().zip(tx.query_all(&asked)?) {
        *is_cut |= rows.len() > LIVING_MAX;
        for row in &rows {
            issued.push(read(row)?);
        }
    }
    Ok(issued)
}

/// Builds the questions about one issuer. Keys issue keys; people invite, too.
fn questions(owner: OwnerId, issuer: ActorId, since: Timestamp) -> Vec<Question> {
    let of_issuer =
        || -> Vec<Value> { vec![owner.into(), issuer.into(), since.into(), ROWS_MAX.into()] };
    let of_keys: Question = (&KEYS, of_issuer(), read_key);
    let mut questions = vec![of_keys];
    if issuer.employee().is_some() {
        questions.push((&PEOPLE, of_issuer(), read_person));
    } else if issuer.key(owner).is_none() {
        let of_owner = vec![owner.into(), since.into(), ROWS_MAX.into()];
        questions.push((&PEOPLE_OF_OWNER, of_owner, read_person));
    }
    questions
}

fn read_key(row: &Row) -> Result<Issued, Fault> {
    keys::read_locked(row).map(Issued::Key)
}

fn read_person(row: &Row) -> Result<Issued, Fault> {
    employees::read(row).map(Issued::Person)
}
