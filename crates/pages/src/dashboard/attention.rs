//! What needs somebody, on the first page.

use std::time::Duration;

use app::verification::list::{Question, list as list_verifications};
use domain::access::{ListMyKeys, ListNotices, ListVerifications, Me};
use domain::ids::BankId;
use domain::time::{CaracasDate, Timestamp};
use domain::verification::Failed;
use web::{AppState, Failure, Signed};

use super::choice::{accounts, name_of};
use super::list::{LATEST, of_days};
use super::notices::href;
use super::payments::PATH_VERIFICATIONS;
use super::written::{ago, instant};

/// How many days a notice stands on the page.
const NOTICE_DAYS: i32 = 7;

/// How many days before its end a key is told of.
const KEY_DAYS: i32 = 14;

/// For how long a bank that did not answer is told of.
const SILENT: Duration = Duration::from_secs(60 * 60);

/// Among how many of the latest verifications banks that do not answer are looked for.
const LOOKED: usize = 100;

texts! {
    AttentionTexts {
        key_ends: "vence el", "ends on";
        silent: "el banco no responde", "the bank does not answer";
    }
}

/// Something that somebody should look at.
pub(crate) struct Attention {
    pub(crate) text: String,
    pub(crate) when: String,
    pub(crate) times: i64,
    pub(crate) href: Option<String>,
}

/// What went wrong lately, banks that do not answer now, and keys that are about to end. Nothing where whoever has signed in
/// is not told all that may be wrong, and knows of nothing that is.
pub(super) async fn of(
    state: &AppState,
    signed: &Signed<Me>,
) -> Result<Option<Vec<Attention>>, Failure> {
    let t = AttentionTexts::of(signed.language());
    let parts = [
        silent_banks(state, signed, t).await?,
        notices(state, signed).await?,
        ending_keys(state, signed, t).await?,
    ];
    let parts: Vec<Attention> = parts.into_iter().flatten().collect();
    Ok((signed.may::<ListNotices>() || !parts.is_empty()).then_some(parts))
}

/// Accounts about which the last answer was none.
async fn silent_banks(
    state: &AppState,
    signed: &Signed<Me>,
    t: &AttentionTexts,
) -> Result<Vec<Attention>, Failure> {
    let Ok(act) = signed.also::<ListVerifications>() else { return Ok(Vec::new()) };
    let latest = Question { limit: LOOKED, ..Question::default() };
    let found = list_verifications(&state.app, &act, latest).await?;
    let ended = found.verifications.iter().filter_map(|one| {
        let is_silent = matches!(one.row.failed, Some(Failed::Unheard | Failed::Expired));
        Some((one.row.bank, one.row.ended_at?, is_silent))
    });
    let now = signed.act.now;
    let silent = silences(ended.collect(), now);
    if silent.is_empty() {
        return Ok(Vec::new());
    }
    let linked = accounts(&state.app, signed).await?;
    let attention = |(bank, last, times): (BankId, Timestamp, i64)| Attention {
        text: format!("{}: {}", name_of(bank, &linked), t.silent),
        when: ago(last, now, signed.language()),
        times,
        href: Some(format!("{PATH_VERIFICATIONS}?user_bank_id={bank}")),
    };
    Ok(silent.into_iter().map(attention).collect())
}

/// The accounts whose last ends, within the time for which it is told, were without an answer: when the last one was, and how
/// many came in a row.
fn silences(
    mut ended: Vec<(BankId, Timestamp, bool)>,
    now: Timestamp,
) -> Vec<(BankId, Timestamp, i64)> {
    ended.sort_by_key(|(_, at, _)| std::cmp::Reverse(*at));
    let mut silent: Vec<(BankId, Timestamp, i64)> = Vec::new();
    let mut answered = Vec::new();
    for (bank, at, is_silent) in ended {
        let told = silent.iter_mut().find(|(of, ..)| *of == bank);
        match (is_silent && !answered.contains(&bank), told) {
            (true, Some((.., times))) => *times += 1,
            (true, None) if now.since(at) <= SILENT => silent.push((bank, at, 1)),
            _ => answered.push(bank),
        }
    }
    silent
}

async fn notices(state: &AppState, signed: &Signed<Me>) -> Result<Vec<Attention>, Failure> {
    let Ok(act) = signed.also::<ListNotices>() else { return Ok(Vec::new()) };
    let (language, now) = (signed.language(), signed.act.now);
    let today = CaracasDate::of(now);
    let span = of_days(today.plus_days(-NOTICE_DAYS), today, LATEST);
    let found = app::notices::list(&state.app, &act, span).await?;
    let attention = found.entries.iter().map(|told| Attention {
        text: told.kind.text(&told.subject, told.trouble, language),
        when: ago(told.updated_at, now, language),
        times: told.times,
        // Where nothing can be done about it, this very page would be no help.
        href: Some(href(told.kind, told.link)).filter(|href| href != "/app"),
    });
    Ok(attention.collect())
}

async fn ending_keys(
    state: &AppState,
    signed: &Signed<Me>,
    t: &AttentionTexts,
) -> Result<Vec<Attention>, Failure> {
    let Ok(act) = signed.also::<ListMyKeys>() else { return Ok(Vec::new()) };
    let now = signed.act.now;
    let last = now.max(CaracasDate::of(now).plus_days(KEY_DAYS).start());
    let keys = app::keys::list(&state.app, &act).await?;
    let ending = keys.iter().filter_map(|record| {
        let end = record.key.expires_at.filter(|end| now < *end && *end < last)?;
        let text = format!("{} {} {}", record.key.name, t.key_ends, instant(end));
        let href = Some(format!("/app/keys/{}", record.key.id));
        Some(Attention { text, when: String::new(), times: 1, href })
    });
    Ok(ending.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANKS: [BankId; 3] =
        [BankId::from_bytes([1; 16]), BankId::from_bytes([2; 16]), BankId::from_bytes([3; 16])];

    #[test]
    fn a_bank_is_silent_until_it_answers_and_for_an_hour() {
        let at = |minute: u64| Timestamp::from_micros(0).plus(Duration::from_secs(minute * 60));
        let [one, two, three] = BANKS;
        let ended = vec![
            (one, at(10), true),
            (one, at(11), false),
            (two, at(50), true),
            (three, at(12), false),
            (three, at(13), true),
            (two, at(40), true),
            (two, at(30), false),
            (two, at(20), true),
        ];
        let told = silences(ended.clone(), at(60));
        assert_eq!(told, [(two, at(50), 2), (three, at(13), 1)]);
        assert_eq!(silences(ended.clone(), at(74)), [(two, at(50), 2)]);
        assert_eq!(silences(ended, at(111)), []);
    }
}
