//! Lists that are read in pages, and lists of several accounts.

use domain::ids::OwnerId;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::tx::Tx;
use crate::value::{Row, Value};

/// Which page of a list is read, and where its count stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageBounds {
    /// How many entries a page has.
    pub limit: i64,
    /// How many entries lie before the page.
    pub offset: i64,
    /// Where the count stops.
    pub count_max: i64,
}

/// A page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// Its entries.
    pub entries: Vec<T>,
    /// How many the whole list has, up to where its count stops.
    pub total: i64,
}

/// The statements of a list. Both take what the list is narrowed down by; then the page takes its limit and its offset, and
/// the count where it stops.
pub(crate) struct List {
    /// Reads a page.
    pub(crate) page: &'static Sql,
    /// Counts the list, as `total`.
    pub(crate) count: &'static Sql,
}

/// The statement that counts the rows of `$rows` (`from … where …`), up to the parameter `$limit`.
macro_rules! counted {
    ($rows:expr, $limit:literal) => {
        $crate::sql::Sql::new(concat!(
            "select count(*) as total from (select 1 as one ",
            $rows,
            " limit ",
            $limit,
            ") as counted"
        ))
    };
}
pub(crate) use counted;

impl List {
    /// A page of the list and its count, in one wait.
    ///
    /// # Errors
    /// A fault of the store.
    pub(crate) fn read(
        &self,
        tx: &mut Tx<'_>,
        narrowed_by: &[Value],
        bounds: PageBounds,
    ) -> Result<Page<Row>, Fault> {
        let PageBounds { limit, offset, count_max } = bounds;
        let page = [narrowed_by, &[limit.into(), offset.into()]].concat();
        let count = [narrowed_by, &[count_max.into()]].concat();
        let mut answers = tx.query_all(&[(self.page, &page), (self.count, &count)])?.into_iter();
        let entries = answers.next().unwrap_or_default();
        Ok(Page { entries, total: total_of(&answers.next().unwrap_or_default())? })
    }
}

/// Reads the total that a count of a list answered.
pub(crate) fn total_of(rows: &[Row]) -> Result<i64, Fault> {
    rows.first().ok_or_else(|| Fault::broken("a count answered no row"))?.get("total")
}

impl<T> Page<T> {
    /// The same page with what `read` makes of each entry.
    pub(crate) fn rows<U>(
        self,
        read: impl FnMut(&T) -> Result<U, Fault>,
    ) -> Result<Page<U>, Fault> {
        let entries = self.entries.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Page { entries, total: self.total })
    }

    /// The same page without the entries of which `read` makes nothing: those of a kind that only a newer program knows.
    pub(crate) fn known<U>(
        self,
        mut read: impl FnMut(&T) -> Result<Option<U>, Fault>,
    ) -> Result<Page<U>, Fault> {
        let entries = self.entries.iter().filter_map(|entry| read(entry).transpose());
        Ok(Page { entries: entries.collect::<Result<_, _>>()?, total: self.total })
    }

    /// The same page of what `made` makes of each entry.
    pub fn map<U>(self, made: impl FnMut(T) -> U) -> Page<U> {
        Page { entries: self.entries.into_iter().map(made).collect(), total: self.total }
    }
}

/// Returns the pattern that is found wherever `text` stands.
pub(crate) fn pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.to_lowercase().chars() {
        if "%_!".contains(letter) {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// The rows of these ids, in this order, by a statement that takes the owner and one of them; in one wait.
///
/// # Errors
/// A fault of the store; an id without a row is one.
pub(crate) fn find_each<I: Into<Value>>(
    tx: &mut Tx<'_>,
    sql: &'static Sql,
    owner: OwnerId,
    ids: impl IntoIterator<Item = I>,
) -> Result<Vec<Row>, Fault> {
    let params: Vec<[Value; 2]> = ids.into_iter().map(|id| [owner.into(), id.into()]).collect();
    let finds: Vec<_> = params.iter().map(|params| (sql, params.as_slice())).collect();
    if finds.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<Row> = tx.query_all(&finds)?.into_iter().flatten().collect();
    if rows.len() != finds.len() {
        return Err(Fault::broken(format!("a listed row is missing: {}", sql.text())));
    }
    Ok(rows)
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

/// The newest `wanted` entries of all accounts, the newest first. `read` answers those of one account, as many at most, and
/// none that is older than what it is given.
///
/// # Errors
/// Those of `read`.
pub(crate) fn newest<A, K: Copy + Ord>(
    accounts: &[A],
    wanted: usize,
    mut read: impl FnMut(&A, Option<K>) -> Result<Vec<K>, Fault>,
) -> Result<Vec<K>, Fault> {
    let mut newest: Vec<K> = Vec::new();
    // Accounts are in the order in which they were linked: of the latest come most of the newest. Where it is the other
    // way round, each is read as far as all together are asked for.
    for account in accounts.iter().rev() {
        let oldest = newest.last().copied().filter(|_| newest.len() == wanted);
        newest.extend(read(account, oldest)?);
        newest.sort_unstable_by(|one, other| other.cmp(one));
        newest.truncate(wanted);
    }
    Ok(newest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_searched_for_stands_for_itself() {
        assert_eq!(pattern("50% Off_!"), "%50!% off!_!!%");
    }

    /// Reads from lists that have the newest first, and notes what it was asked for.
    fn from<'a>(
        asked: &'a mut Vec<Option<u8>>,
    ) -> impl FnMut(&&[u8], Option<u8>) -> Result<Vec<u8>, Fault> + 'a {
        |list, oldest| {
            asked.push(oldest);
            let is_wanted = |entry: &&u8| oldest.is_none_or(|oldest| **entry >= oldest);
            Ok(list.iter().filter(is_wanted).copied().take(3).collect())
        }
    }

    #[test]
    fn the_newest_of_several_accounts_are_in_one_order_and_no_more_than_wanted() {
        let mut asked = Vec::new();
        let accounts: [&[u8]; 3] = [&[6, 1], &[7, 4, 3, 2], &[9, 5]];
        assert_eq!(newest(&accounts, 3, from(&mut asked)).unwrap(), [9, 7, 6]);
        assert_eq!(asked, [None, None, Some(5)], "nothing older than what is full already");
    }

    #[test]
    fn of_no_account_nothing_is_the_newest() {
        let mut asked = Vec::new();
        assert!(newest(&[], 3, from(&mut asked)).unwrap().is_empty());
        assert!(asked.is_empty());
    }
}
