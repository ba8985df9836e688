//! What an owner has chosen of its notices. The balance below which it is notified stands in its own row, where
//! charges see it.

use domain::ids::OwnerId;
use domain::language::Language;
use domain::money::Credits;
use domain::notices::{Kind, Rule, Settings};
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};

statements! {
    FIND = Sql::new(
        "select o.notice_below, s.language from owners o \
         left join notice_settings s on s.owner_id = $1 where o.owner_id = $1",
    );

    RULES = Sql::new("select kind, is_mailed, every_minutes from notice_rules where owner_id = $1");

    SET = Sql::new(
        "insert into notice_settings (owner_id, language, updated_at) values ($1, $2, $3) \
         on conflict (owner_id) do update set language = excluded.language, \
         updated_at = excluded.updated_at",
    );

    SET_BELOW = Sql::new("update owners set notice_below = $2 where owner_id = $1");

    SET_RULE = Sql::new(
        "insert into notice_rules (owner_id, kind, is_mailed, every_minutes, updated_at) \
         values ($1, $2, $3, $4, $5) on conflict (owner_id, kind) do update \
         set is_mailed = excluded.is_mailed, every_minutes = excluded.every_minutes, \
         updated_at = excluded.updated_at",
    );
}

/// Reads the settings that the owner has chosen; the service's own where it has chosen nothing.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId) -> Result<Settings, Fault> {
    let mut settings = Settings::default();
    let mut answers =
        tx.query_all(&[(&FIND, &[owner.into()]), (&RULES, &[owner.into()])])?.into_iter();
    if let Some(row) = answers.next().and_then(|mut rows| rows.pop()) {
        settings.low_balance_below = row.get::<Option<i64>>("notice_below")?.map(Credits::new);
        let language: Option<String> = row.get("language")?;
        settings.language = language.and_then(|code| Language::parse(&code)).unwrap_or_default();
    }
    for row in answers.next().unwrap_or_default() {
        let kind: String = row.get("kind")?;
        // A kind that this program does not know is of a newer one.
        let Some(kind) = Kind::parse(&kind) else { continue };
        let every = u32::try_from(row.get::<i64>("every_minutes")?);
        let every = every.map_err(|_| Fault::broken("a broken number of minutes"))?;
        settings.set(Rule { kind, mail: row.get("is_mailed")?, every });
    }
    Ok(settings)
}

/// Keeps what the owner has chosen where that is another than it was. The caller holds the owner's row.
///
/// # Errors
/// A fault of the store.
pub fn set(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    (former, settings): (&Settings, &Settings),
    now: Timestamp,
) -> Result<(), Fault> {
    let row = [owner.into(), settings.language.as_str().into(), now.into()];
    tx.defer(&SET, row, Expect::Rows(1))?;
    if former.low_balance_below != settings.low_balance_below {
        let below = settings.low_balance_below.map(Credits::get);
        tx.defer(&SET_BELOW, [owner.into(), below.into()], Expect::Rows(1))?;
    }
    for rule in settings.rules() {
        if former.rule(rule.kind) != *rule {
            let Rule { kind, mail, every } = *rule;
            let row = [
                owner.into(),
                kind.as_str().into(),
                mail.into(),
                i64::from(every).into(),
                now.into(),
            ];
            tx.defer(&SET_RULE, row, Expect::Rows(1))?;
        }
    }
    Ok(())
}
