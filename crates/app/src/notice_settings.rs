//! The operations `GET` and `PUT /v1/notices/settings`.

use domain::access::{SetNoticeSettings, ShowNoticeSettings};
use domain::language::Language;
use domain::money::Credits;
use domain::notices::{Kind, Rule, Settings};
use store::{audit, notice_settings, webhook_endpoints};

use crate::audit_entry::audited;
use crate::changes::changed;
use crate::{Act, App, Error, Precondition};

/// A change of an owner's choices. What it does not name stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The language of its mails.
    pub language: Option<Language>,
    /// The balance below which it is notified that few credits are left; the inner nothing is never.
    pub low_balance_below: Option<Option<Credits>>,
    /// Rules; those of other kinds stay as they are.
    pub rules: Vec<RuleChange>,
}

/// A change of the rule of one kind of notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleChange {
    /// The kind.
    pub kind: Kind,
    /// Says whether a mail is sent.
    pub mail: Option<bool>,
    /// The least number of minutes between two mails.
    pub every: Option<u32>,
}

impl From<Rule> for RuleChange {
    fn from(Rule { kind, mail, every }: Rule) -> Self {
        Self { kind, mail: Some(mail), every: Some(every) }
    }
}

impl Choice {
    fn of(&self, former: &Settings) -> Settings {
        let mut settings = former.clone();
        settings.language = self.language.unwrap_or(former.language);
        settings.low_balance_below = self.low_balance_below.unwrap_or(former.low_balance_below);
        for change in &self.rules {
            let rule = former.rules().iter().find(|rule| rule.kind == change.kind);
            let Some(rule) = rule else { continue };
            let (mail, every) =
                (change.mail.unwrap_or(rule.mail), change.every.unwrap_or(rule.every));
            settings.set(Rule { kind: change.kind, mail, every });
        }
        settings
    }
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
/// A session that ended meanwhile, what somebody else has changed meanwhile, or a failure of the store.
pub async fn set(
    app: &App,
    act: &Act<SetNoticeSettings>,
    choice: Choice,
    precondition: Precondition<Settings>,
) -> Result<Settings, Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, owner.to_string());
    act.write(app, move |tx| {
        // Charges read the line in the owner's row.
        webhook_endpoints::hold_owner(tx, owner)?;
        let former = notice_settings::find(tx, owner)?;
        precondition.check(&former)?;
        let settings = choice.of(&former);
        if former != settings {
            notice_settings::set(tx, owner, (&former, &settings), now)?;
            audit::insert_change(tx, owner, &entry, &changed(&former, &settings), now)?;
        }
        Ok(settings)
    })
    .await
}
