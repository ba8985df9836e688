//! The operations: `GET /v1/notices`, and `POST /v1/notices/{notice_id}/dismiss`.
//!
//! A notice is open until what it is about is settled, or the owner says that it is. Whether it is settled follows, at
//! every look, from the link, the movement, the account or the balance that it is about: nobody has to end it.

mod subject;

use domain::access::{DismissNotice, ListNotices};
use domain::ids::NoticeId;
use domain::refusal::Refusal;
use store::notices::ListedNotice;
use store::{audit, notices};

use crate::audit_entry::audited;
use crate::paging::{Page, Paging};
use crate::{Act, App, Error, Precondition};

pub use self::subject::Subject;

/// How many of the latest notices are looked at for those that are open.
const OPEN_LOOKED_MAX: u32 = 100;

/// A notice, and what it is about as that is now.
#[derive(Clone, Debug)]
pub struct SeenNotice {
    /// The notice.
    pub notice: ListedNotice,
    /// Its subject.
    pub about: Subject,
    /// Says whether it needs somebody still.
    pub is_open: bool,
}

/// Lists the owner's notices of what went wrong, what happened last first: all, or those alone of money that exists or
/// does not.
///
/// # Errors
/// A failure of the store.
pub async fn list(
    app: &App,
    act: &Act<ListNotices>,
    livemode: Option<bool>,
    paging: Paging,
) -> Result<Page<SeenNotice>, Error> {
    let (owner, now, price) = (act.owner(), act.now, app.settings.verification_price);
    let (bounds, span) = (paging.number.bounds(), paging.span());
    let read = app.store.read(act.meter(), move |tx| {
        let Page { entries, total } = notices::page(tx, owner, &span, livemode, bounds)?;
        let mut seen = Vec::with_capacity(entries.len());
        for notice in entries {
            let (about, is_settled) = subject::look(tx, owner, &notice, price, now)?;
            let is_open = notice.dismissed_at.is_none() && !is_settled;
            seen.push(SeenNotice { notice, about, is_open });
        }
        Ok(Page { entries: seen, total })
    });
    Ok(read.await?)
}

/// Lists the open ones among the latest notices of these days, the latest first, `limit` at most: all, or only those of
/// money that exists or does not.
///
/// # Errors
/// A failure of the store.
pub async fn open(
    app: &App,
    act: &Act<ListNotices>,
    livemode: Option<bool>,
    days: Paging,
    limit: usize,
) -> Result<Vec<SeenNotice>, Error> {
    let (owner, now, price) = (act.owner(), act.now, app.settings.verification_price);
    let mut paging = days;
    (paging.number.page, paging.number.limit) = (1, OPEN_LOOKED_MAX);
    let (bounds, span) = (paging.number.bounds(), paging.span());
    let read = app.store.read(act.meter(), move |tx| {
        let latest = notices::page(tx, owner, &span, livemode, bounds)?.entries.into_iter();
        let mut open = Vec::new();
        for notice in latest.filter(|notice| notice.dismissed_at.is_none()) {
            let (about, is_settled) = subject::look(tx, owner, &notice, price, now)?;
            if !is_settled {
                open.push(SeenNotice { notice, about, is_open: true });
            }
            if open.len() == limit {
                break;
            }
        }
        Ok(open)
    });
    Ok(read.await?)
}

/// Ends a notice, until what it is about happens again. To end it again is answered alike. The condition is on how often
/// it has happened: a person ends what was seen.
///
/// # Errors
/// Not found; that it has happened again since the person looked; or a failure of the store.
pub async fn dismiss(
    app: &App,
    act: &Act<DismissNotice>,
    id: NoticeId,
    precondition: Precondition<i64>,
) -> Result<(), Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, id.to_string());
    let write = act.write(app, move |tx| {
        let standing = notices::standing_held(tx, owner, id)?.ok_or(Refusal::NotFound("notice"))?;
        if standing.is_dismissed {
            return Ok(());
        }
        precondition.check(&standing.times)?;
        notices::dismiss(tx, owner, id, now)?;
        audit::insert(tx, owner, &entry, now)?;
        Ok(())
    });
    write.await
}
