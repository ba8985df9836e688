//! The proof of deliveries: made with them, sealed day by day, checked and handed out.

mod check;
mod export;
mod retention;
mod thousands;

use std::time::Duration;

use app::delivery_audit::audit;
use app::delivery_days::DeliveryDay;
use app::queue::pass;
use domain::time::Timestamp;
use store::delivery_audit::Findings;
use testkit::receiver::Receiver;
use testkit::scripted::Play;
use testkit::{Owner, TestApp};
use tokio::task::yield_now;

use crate::webhooks::{Written, due_at, write};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A receiver that fails as often as that, and then is well.
fn failing(times: usize) -> Receiver {
    Receiver::answering(move |number| {
        Play::Answer(if number <= times { 500 } else { 200 }, b"made-up answer".to_vec())
    })
}

/// Moves the clock to when the one open delivery is due, and has it begin.
fn go_on(app: &TestApp) {
    app.clock().advance_to(Timestamp::from_micros(due_at(app)));
    app.app().webhooks.ring();
}

/// An event that is received at its second attempt.
async fn received_on_retry(app: &TestApp, owner: &Owner) -> Written {
    let receiver = failing(1);
    let written = write(app, owner, &receiver.url()).await;
    written.tried(app, 1).await;
    go_on(app);
    written.ended(app).await;
    written
}

/// Does the daily work until the query answers that number.
async fn work_until(app: &TestApp, query: &str, number: i64) {
    while app.database().number(query) != number {
        pass::<DeliveryDay>(app.app(), &|| false).await.unwrap();
        yield_now().await;
    }
}

/// Lets a day pass, and waits until there are so many sealed ones.
async fn next_day(app: &TestApp, sealed: i64) {
    app.clock().advance(DAY + Duration::from_secs(3 * 60 * 60));
    work_until(app, "select count(*) from webhook_days", sealed).await;
}

/// Returns the audit's findings, over all owners.
async fn found(app: &TestApp) -> Findings {
    let mut all = Findings::default();
    let audited = audit(&app.app().store, |_, found| {
        all.deliveries += found.deliveries;
        all.attempts += found.attempts;
        all.days += found.days;
        all.not_covered += found.not_covered;
        all.pruned += found.pruned;
        all.differences.extend(found.differences);
    });
    audited.await.unwrap();
    all
}
