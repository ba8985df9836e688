//! The operations `GET` and `PUT /v1/notices/settings`.

use domain::access::{SetNoticeSettings, ShowNoticeSettings};
use domain::language::Language;
use domain::money::Credits;
use domain::notices::{Rule, Settings};
use store::{audit, notice_settings, webhook_endpoints};

use crate::audit_entry::audited;
use crate::changes::changed;
use crate::{Act, App, Error};

/// What an owner chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// In which language its mails are written.
    pub language: Language,
    /// Below which balance it is notified that few credits are left; `None` is never.
    pub low_balance_below: Option<Credits>,
    /// Rules; those of other kinds stay as they are.
    pub rules: Vec<Rule>,
}

/// Shows which notices the owner receives by mail.
///
/// # Errors
/// A failure of the store.
pub async fn show(app: &App, act: &Act<ShowNoticeSettings>) -> Result<Settings, Error> {
    let owner = act.owner();
    Ok(app.store.look_up(act.meter(), move |tx| notice_settings::find(tx, owner)).await?)
}

/// Keeps which notices the owner receives by mail. What is so already, such as a balance below the new line, is not
/// reported. What changes nothing leaves no line in the audit trail either.
///
/// # Errors
/// A session that ended meanwhile, or a failure of the store.
pub async fn set(
    app: &App,
    act: &Act<SetNoticeSettings>,
    choice: Choice,
) -> Result<Settings, Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, owner.to_string());
    act.write(app, move |tx| {
        // Charges read the line in the owner's row.
        webhook_endpoints::hold_owner(tx, owner)?;
        let former = notice_settings::find(tx, owner)?;
        let mut settings = former.clone();
        settings.language = choice.language;
        settings.low_balance_below = choice.low_balance_below;
        for rule in &choice.rules {
            settings.set(*rule);
        }
        if former != settings {
            notice_settings::set(tx, owner, (&former, &settings), now)?;
            audit::insert_change(tx, owner, &entry, &changed(&former, &settings), now)?;
        }
        Ok(settings)
    })
    .await
}
