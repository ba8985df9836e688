//! Pages of what banks have told of payments, the newest first.
//!
//! Ids begin with the instant at which a notice came, so that a span of time is a range of ids, and
//! every statement reads a piece of an index.

use domain::ids::{BankId, NotificationId, OwnerId};
use domain::money::Bolivars;
use domain::secret::PersonalText;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// The notices of the owner `$1`, in the order of `read`.
macro_rules! selected {
    () => {
        "select id, bank_id, status, reference, amount, payer_bank, payer_phone, message, \
         created_at from bank_notifications where owner_id = $1 "
    };
}

statements! {
    PAGE = Sql::new(concat!(
        selected!(),
        "and id >= $2 and id < $3 order by id desc limit $4 offset $5"
    ));

    PAGE_OF_BANK = Sql::new(concat!(
        selected!(),
        "and id >= $2 and id < $3 and bank_id = $4 order by id desc limit $5 offset $6"
    ));

    FIND = Sql::new(concat!(selected!(), "and id = $2"));

    NEWEST_OF_BANK = Sql::new(
        "select id from bank_notifications where owner_id = $1 and id >= $2 and id < $3 \
         and bank_id = $4 order by id desc limit $5",
    );

    // Counts stop where nobody counts any more.
    COUNT = Sql::new(
        "select count(*) from (select id from bank_notifications where owner_id = $1 \
         and id >= $2 and id < $3 limit $4) as counted",
    );

    COUNT_OF_BANK = Sql::new(
        "select count(*) from (select id from bank_notifications where owner_id = $1 \
         and id >= $2 and id < $3 and bank_id = $4 limit $5) as counted",
    );
}

/// A notice as it is listed.
#[derive(Clone, Debug)]
pub struct Notification {
    /// Its id.
    pub id: NotificationId,
    /// The account as it is linked.
    pub bank: BankId,
    /// What the bank says of the money.
    pub status: String,
    /// The bank's reference.
    pub reference: String,
    /// What came in.
    pub amount: Bolivars,
    /// The payer's phone, or where that is not told their bank.
    pub from: Option<PersonalText>,
    /// The same for people.
    pub message: PersonalText,
    /// When it came.
    pub created_at: Timestamp,
}

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// From this instant on.
    pub from: Option<Timestamp>,
    /// Up to this instant, without it.
    pub to: Option<Timestamp>,
    /// How many entries.
    pub limit: i64,
    /// How many newer ones are left out.
    pub offset: i64,
    /// Where the count stops.
    pub count_max: i64,
}

/// A page of all of the owner's, and how many there are.
///
/// # Errors
/// A fault of the store.
pub fn of_owner(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    part: Part,
) -> Result<(Vec<Notification>, i64), Fault> {
    let rows = part.place(owner, None, &[part.limit, part.offset]);
    let count = part.place(owner, None, &[part.count_max]);
    let mut answers = tx.query_all(&[(&PAGE, &rows), (&COUNT, &count)])?.into_iter();
    let page = answers.next().unwrap_or_default();
    Ok((page.iter().map(read).collect::<Result<_, _>>()?, counted(answers.next())?))
}

/// A page of those of these accounts, of each from an instant on, if one is named; and how many there are. As many entries
/// are looked at for each account as lie before the page's end.
///
/// # Errors
/// A fault of the store.
pub fn of_accounts(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    banks: &[(BankId, Option<Timestamp>)],
    part: Part,
) -> Result<(Vec<Notification>, i64), Fault> {
    if let [(bank, since)] = banks {
        return of_account(tx, owner, *bank, part.since(*since));
    }
    let (mut ids, mut total) = (Vec::new(), 0);
    for (bank, since) in banks {
        let shown = part.since(*since);
        let newest = shown.place(owner, Some(*bank), &[part.offset + part.limit]);
        let count = shown.place(owner, Some(*bank), &[part.count_max]);
        let mut answers =
            tx.query_all(&[(&NEWEST_OF_BANK, &newest), (&COUNT_OF_BANK, &count)])?.into_iter();
        for row in answers.next().unwrap_or_default() {
            ids.push(row.get::<NotificationId>(0)?);
        }
        total += counted(answers.next())?;
    }
    ids.sort_unstable_by(|one, other| other.cmp(one));
    let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let wanted = ids.into_iter().skip(count(part.offset)).take(count(part.limit));
    let params: Vec<[Value; 2]> = wanted.map(|id| [owner.into(), id.into()]).collect();
    let finds: Vec<(&'static Sql, &[Value])> =
        params.iter().map(|params| (&FIND, params.as_slice())).collect();
    if finds.is_empty() {
        return Ok((Vec::new(), total.min(part.count_max)));
    }
    let rows = tx.query_all(&finds)?.into_iter().flatten();
    let page = rows.map(|row| read(&row)).collect::<Result<_, _>>()?;
    Ok((page, total.min(part.count_max)))
}

fn of_account(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    bank: BankId,
    part: Part,
) -> Result<(Vec<Notification>, i64), Fault> {
    let rows = part.place(owner, Some(bank), &[part.limit, part.offset]);
    let count = part.place(owner, Some(bank), &[part.count_max]);
    let mut answers =
        tx.query_all(&[(&PAGE_OF_BANK, &rows), (&COUNT_OF_BANK, &count)])?.into_iter();
    let page = answers.next().unwrap_or_default();
    Ok((page.iter().map(read).collect::<Result<_, _>>()?, counted(answers.next())?))
}

impl Part {
    /// Of the same, what came from that instant on.
    fn since(self, since: Option<Timestamp>) -> Self {
        Self { from: self.from.max(since), ..self }
    }

    /// The parameters of a statement: owner, the ids between, the account, and these numbers.
    fn place(self, owner: OwnerId, bank: Option<BankId>, numbers: &[i64]) -> Vec<Value> {
        let first = self.from.map_or([0; 16], first_id);
        let end = self.to.map_or([u8::MAX; 16], first_id);
        let mut params = vec![owner.into(), first.into(), end.into()];
        params.extend(bank.map(Value::from));
        params.extend(numbers.iter().copied().map(Value::from));
        params
    }
}

/// The least id of that millisecond; the greatest of all for one that no id has.
pub(crate) fn first_id(at: Timestamp) -> [u8; 16] {
    let millis = u64::try_from(at.as_micros().div_euclid(1_000)).unwrap_or(0);
    let [0, 0, rest @ ..] = millis.to_be_bytes() else { return [u8::MAX; 16] };
    let mut id = [0; 16];
    for (slot, byte) in id.iter_mut().zip(rest) {
        *slot = byte;
    }
    id
}

fn counted(rows: Option<Vec<Row>>) -> Result<i64, Fault> {
    let row = rows.and_then(|mut rows| rows.pop());
    row.ok_or_else(|| Fault::broken("the count returned no row"))?.get(0)
}

fn read(row: &Row) -> Result<Notification, Fault> {
    let (bank, phone): (Option<String>, Option<String>) = (row.get(5)?, row.get(6)?);
    Ok(Notification {
        id: row.get(0)?,
        bank: row.get(1)?,
        status: row.get(2)?,
        reference: row.get(3)?,
        amount: Bolivars::from_hundredths(row.get(4)?),
        from: phone.or(bank).map(PersonalText::new),
        message: PersonalText::new(row.get(7)?),
        created_at: row.get(8)?,
    })
}
