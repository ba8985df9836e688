//! The notice that somebody sees the owner's secret: written before it is shown, once for each key or person and day, so
//! that a program that reads it at each start costs one read more.

use domain::access::ShowWebhookSecret;
use domain::ids::NoticeId;
use domain::notices::Notice;
use store::notices;

use crate::{Act, App, Error};

/// Notifies the owner, unless it was of the same today.
///
/// # Errors
/// A caller who is not admitted any more, or a failure of the store; the secret is not shown then.
pub(super) async fn notify(app: &App, act: &Act<ShowWebhookSecret>) -> Result<(), Error> {
    let (owner, now) = (act.owner(), act.now);
    let from = act.request.address_shown();
    let notice = Notice::webhook_secret_seen((owner, act.actor()), from.as_deref(), now);
    let asked = notice.clone();
    let find = app.store.look_up(act.meter(), move |tx| notices::is_notified(tx, owner, &asked));
    if find.await? {
        return Ok(());
    }
    let id = NoticeId::new(&*app.ids, now);
    let write = act.write(app, move |tx| {
        // Of two that see it at once one notifies.
        if !notices::is_notified(tx, owner, &notice)? {
            notices::notify(tx, owner, id, &notice, now)?;
        }
        Ok(())
    });
    write.await
}
