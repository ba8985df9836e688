//! What the check of deliveries finds: nothing where nothing was touched, and else everything.

use std::process::Command;

use serde_json::Value;
use testkit::{TestApp, both_engines};

use super::{found, next_day, received_on_retry};
use crate::webhooks::Written;

/// Runs the command beside the service; answers its report and its exit code.
fn check(app: &TestApp) -> (Value, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cotejo"));
    command.arg("check-deliveries").args(app.arguments()).arg("--json");
    let output = command.output().unwrap();
    let report = serde_json::from_slice(&output.stdout);
    let report = report.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (report, output.status.code().unwrap())
}

/// Two events of two days, both sealed.
async fn two_days(app: &TestApp) -> [Written; 2] {
    let owner = app.owner().await;
    let first = received_on_retry(app, &owner).await;
    next_day(app, 1).await;
    let second = received_on_retry(app, &owner).await;
    next_day(app, 2).await;
    [first, second]
}

/// Puts aside what is there, to be put back.
const KEEP: &str = "create table kept_w as select * from webhook_deliveries; \
                    create table kept_a as select * from webhook_attempts; \
                    create table kept_d as select * from webhook_days;";

const RESTORE: &str = "delete from webhook_attempts; delete from webhook_deliveries; \
                       delete from webhook_days; delete from due where kind = 2; \
                       insert into webhook_deliveries select * from kept_w; \
                       insert into webhook_attempts select * from kept_a; \
                       insert into webhook_days select * from kept_d;";

/// The first of the two events, in SQL.
const FIRST: &str = "(select id from kept_w order by id asc limit 1)";
const SECOND: &str = "(select id from kept_w order by id desc limit 1)";

const ALTERED: &str = "it, or what comes before it, is not what was written";
const ENDS: &str = "its chain ends elsewhere";
const COUNTS: &str = "it counts other attempts than there are";
const OTHER_DAY: &str = "it was sealed with other attempts than there are";

/// Alterations of the first event's row, and what is said of each.
const TO_THE_EVENT: &[(&str, &str)] = &[
    ("body = url_digest", "its body is not what was written"),
    ("url = 'https://elsewhere.example/'", "its address is not what was written"),
    ("body = url_digest, digest = url_digest", "its body is not what was written"),
    ("event = 'payment_link.failed'", ALTERED),
    ("subject_id = owner_id", ALTERED),
    ("created_at = created_at + 1", ALTERED),
    ("url_digest = chain", ALTERED),
    ("chain = digest", ENDS),
    ("chain = null", "its chain was taken away"),
    ("chain = null, digest = null, url_digest = null", "its chain was taken away"),
    ("digest = null", "the digest of its body or of its address was taken away"),
    ("attempts = 1", COUNTS),
    ("attempts = 3", COUNTS),
    ("state = 2", "it is marked as given up, and its last attempt did not fail"),
    ("state = 0", "it is to be sent, and nobody will send it"),
    ("state = 9", "its state means nothing"),
    ("pruned_at = created_at + 1", "its contents were deleted before their time"),
    (
        "pruned_at = created_at + 864000000000",
        "its contents are said to be deleted, and some are there",
    ),
];

/// Alterations of its first attempt, and what is said of each.
const TO_AN_ATTEMPT: &[(&str, &str)] = &[
    ("status = 200", ALTERED),
    ("status = null", ALTERED),
    ("trouble = null", ALTERED),
    ("began_at = began_at + 1", ALTERED),
    ("duration = duration + 1", ALTERED),
    ("address = '192.0.2.1'", ALTERED),
    ("address = null", ALTERED),
    ("is_reused = not is_reused", ALTERED),
    ("phases = digest", ALTERED),
    ("sent_digest = digest", ALTERED),
    ("answer_digest = digest", ALTERED),
    ("digest = answer_digest", ALTERED),
    ("digest = null", "its digest was taken away"),
    ("day = day + 1", "it is counted in another day than it ended in"),
    ("sent = 'POST / HTTP/1.1'", "the request's head is not what was written"),
    ("sent = null", "the request's head is not what was written"),
    ("answer_head = digest", "the answer is not what was written"),
    ("answer_head = null", "the answer is not what was written"),
    ("answer = digest", "the answer is not what was written"),
];

/// Whatever else is done, and what is said of which place.
fn to_the_rest() -> Vec<(String, &'static str, &'static str)> {
    let of_first = |number: u8| {
        format!("delete from webhook_attempts where delivery_id = {FIRST} and number = {number}")
    };
    let days = |change: &str| {
        format!(
            "update webhook_days set {change} where day = \
                                       (select min(day) from kept_d)"
        )
    };
    vec![
        (of_first(1), "attempt 1", "it is missing"),
        (of_first(1), "attempt 2", ALTERED),
        (of_first(2), "evt_", ENDS),
        (of_first(2), "day ", OTHER_DAY),
        (
            format!(
                "{}; update webhook_deliveries set attempts = 1 where id = {FIRST}",
                of_first(2)
            ),
            "evt_",
            "it is marked as delivered, and its last attempt did not succeed",
        ),
        (
            format!(
                "update webhook_attempts set number = 3 where delivery_id = {FIRST} and number = 2"
            ),
            "attempt 2",
            "it is missing",
        ),
        (
            format!(
                "update webhook_attempts set number = 3, delivery_id = {SECOND} \
                 where delivery_id = {FIRST} and number = 2"
            ),
            "attempt 3",
            ALTERED,
        ),
        (
            format!(
                "delete from webhook_attempts where delivery_id = {FIRST}; \
                 delete from webhook_deliveries where id = {FIRST}"
            ),
            "day ",
            OTHER_DAY,
        ),
        (
            format!(
                "insert into due (owner_id, kind, subject_id, due_at, fence, tries) select owner_id, \
                 2, id, 9000000000000000, 1, 1 from webhook_deliveries where id = {FIRST}"
            ),
            "evt_",
            "it has ended, and is still to be sent",
        ),
        (days("attempts = attempts + 1"), "day ", OTHER_DAY),
        (days("root = digest"), "day ", "its root is not that of its attempts"),
        (
            days("digest = root"),
            "day ",
            "its digest is not what follows from it and the day before",
        ),
        (
            "delete from webhook_days where day = (select min(day) from kept_d)".to_owned(),
            "day ",
            "it has attempts and is not sealed, and a later day is",
        ),
    ]
}

both_engines! {
    async fn what_nobody_touched_has_no_difference(app: TestApp) {
        two_days(&app).await;
        let (report, code) = check(&app);
        assert_eq!(code, 0, "{report}");
        let figures = ["deliveries", "attempts", "days", "not_covered", "pruned", "differences_found"];
        assert_eq!(figures.map(|name| report[name].as_i64().unwrap()), [2, 4, 2, 0, 0, 0]);
        // The first owner of the installation is looked at too.
        assert_eq!(report["owners"], 2);
    }

    async fn whatever_was_altered_is_named(mut app: TestApp) {
        app.expect_disorder();
        let [first, _] = two_days(&app).await;
        app.database().execute(KEEP);
        let event = TO_THE_EVENT.iter().map(|(change, what)| {
            let sql = format!("update webhook_deliveries set {change} where id = {FIRST}");
            // The event is seen in its first attempt, which follows from it.
            let place = if *what == ALTERED { " attempt 1" } else { "" };
            (sql, format!("{}{place}", first.id), *what)
        });
        let attempts = TO_AN_ATTEMPT.iter().map(|(change, what)| {
            let of = format!("where delivery_id = {FIRST} and number = 1");
            let sql = format!("update webhook_attempts set {change} {of}");
            (sql, format!("{} attempt 1", first.id), *what)
        });
        let rest = to_the_rest().into_iter().map(|(sql, place, what)| (sql, place.to_owned(), what));
        for (sql, place, what) in event.chain(attempts).chain(rest) {
            app.database().execute(&sql);
            let found = found(&app).await.differences;
            let is_named = found
                .iter()
                .any(|found| found.place.contains(&place) && found.what.starts_with(what));
            assert!(is_named, "{sql}: {place}: {what}, and not {found:?}");
            app.database().execute(RESTORE);
        }
        assert_eq!(super::found(&app).await.differences, []);
    }

    async fn the_command_names_what_was_altered_and_fails(mut app: TestApp) {
        app.expect_disorder();
        let owner = app.owner().await;
        let written = received_on_retry(&app, &owner).await;
        app.database().execute("update webhook_deliveries set url = 'https://elsewhere.example/'");
        let (report, code) = check(&app);
        assert_eq!((code, report["differences_found"].as_i64()), (1, Some(1)));
        let named = &report["differences"][0];
        assert_eq!(named["owner"], owner.id);
        assert_eq!(named["place"], written.id.to_string());
        assert_eq!(named["what"], "its address is not what was written");
    }

    async fn what_is_older_than_the_proof_is_counted_and_fails_nothing(app: TestApp) {
        let owner = app.owner().await;
        received_on_retry(&app, &owner).await;
        app.database().execute(
            "update webhook_deliveries set digest = null, url_digest = null, chain = null; \
             update webhook_attempts set sent_digest = null, answer_digest = null, digest = null, \
             day = null",
        );
        received_on_retry(&app, &owner).await;
        let (report, code) = check(&app);
        assert_eq!(code, 0, "{report}");
        assert_eq!((&report["not_covered"], &report["deliveries"]), (&1.into(), &2.into()));
    }

    async fn a_day_that_no_node_saw_the_end_of_is_sealed_later(mut app: TestApp) {
        let owner = app.owner().await;
        received_on_retry(&app, &owner).await;
        app.stop().await;
        app.clock().advance(super::DAY * 3);
        app.start_again().await;
        received_on_retry(&app, &owner).await;
        next_day(&app, 2).await;
        let apart = "select max(day) - min(day) from webhook_days";
        assert_eq!(app.database().number(apart), 3);
        assert_eq!(found(&app).await.differences, []);
        // A day that is not over, or hardly, is not sealed.
        received_on_retry(&app, &owner).await;
        app::queue::pass::<app::delivery_days::DeliveryDay>(app.app(), &|| false).await.unwrap();
        assert_eq!(found(&app).await.days, 2);
    }
}
