//! What an owner has chosen to get by mail, and how often.

use std::time::Duration;

use super::Kind;
use crate::language::Language;
use crate::money::Credits;

/// The least and the most minutes between two mails of a kind: five minutes and a week.
pub const EVERY_MIN: u32 = 5;
pub const EVERY_MAX: u32 = 7 * 24 * 60;

/// Below how many credits an owner is notified that few are left, unless it chooses otherwise.
pub const LOW_BALANCE_BELOW: Credits = Credits::new(20);

/// Rule for the notices of a kind: whether they go by mail, and how often at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What they are about.
    pub kind: Kind,
    /// Whether they go by mail.
    pub mail: bool,
    /// The least minutes between two mails.
    pub every: u32,
}

impl Rule {
    /// Returns the rule where the owner has chosen nothing: what waits for a person is reported within minutes, what
    /// repeats by itself once an hour or a day.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        let every = match kind {
            Kind::LinkMoneyUnclaimed
            | Kind::PaymentContested
            | Kind::SameBankPayment
            | Kind::PaymentOutsideRate => 15,
            Kind::WebhookFailing
            | Kind::WebhookExhausted
            | Kind::LinkRefusedForCredits
            | Kind::CreditsExhausted
            | Kind::SignInAttempts
            | Kind::MailGivenUp
            | Kind::RateMissing
            | Kind::AmountUnpayable
            | Kind::LinkRefusedByPlan
            | Kind::StatementRowUnread
            | Kind::ShortReferences
            | Kind::SubscriptionCanceled => 60,
            Kind::LowBalance | Kind::BankRefusesCredentials | Kind::RateInDoubt => 24 * 60,
        };
        Self { kind, mail: true, every }
    }

    /// The least time between two mails.
    #[must_use]
    pub const fn pause(self) -> Duration {
        Duration::from_secs(self.every as u64 * 60)
    }
}

/// Choices of an owner for its notices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// In which language its mails are written.
    pub language: Language,
    /// Below which balance it is notified that few credits are left; `None` is never.
    pub low_balance_below: Option<Credits>,
    /// The rule of each kind, in the order of [`Kind::ALL`].
    rules: [Rule; Kind::ALL.len()],
}

impl Default for Settings {
    fn default() -> Self {
        let rules = Kind::ALL.map(Rule::of);
        let low_balance_below = Some(LOW_BALANCE_BELOW);
        Self { language: Language::default(), low_balance_below, rules }
    }
}

impl Settings {
    /// Every rule.
    #[must_use]
    pub const fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The rule of that kind.
    #[must_use]
    pub fn rule(&self, kind: Kind) -> Rule {
        self.rules.into_iter().find(|rule| rule.kind == kind).unwrap_or(Rule::of(kind))
    }

    /// Puts a rule in the place of the one of its kind.
    pub fn set(&mut self, rule: Rule) {
        if let Some(place) = self.rules.iter_mut().find(|place| place.kind == rule.kind) {
            *place = rule;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_rule_within_the_bounds_and_another_may_be_chosen() {
        let mut settings = Settings::default();
        for kind in Kind::ALL {
            let rule = settings.rule(kind);
            assert_eq!((rule, rule.mail), (Rule::of(kind), true));
            assert!((EVERY_MIN..=EVERY_MAX).contains(&rule.every), "{kind:?}");
            settings.set(Rule { kind, mail: false, every: EVERY_MAX });
            assert_eq!(settings.rule(kind).pause(), Duration::from_secs(7 * 24 * 3_600));
        }
        assert_eq!(settings.rules().len(), Kind::ALL.len());
        assert!(settings.rules().iter().all(|rule| !rule.mail));
    }
}
