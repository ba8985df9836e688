//! What the audit trail says of a change: what is another now, as it was and as it is, by the names of the wire. What
//! is recorded is chosen here, thing by thing. No secret is, nor an address of a webhook, which may hold one.

mod subscription;

use domain::ids::{BankId, ClientId, MovementId, PaymentId};
use domain::links::{LinkSettings, Status};
use domain::money::{Bolivars, Credits};
use domain::notices::Settings;
use domain::payer::Phone;
use domain::permissions::Permission;
use domain::plans::Plan;
use domain::profile::{PublicProfile, SupportPhone, SupportUrl};
use domain::rates::{OwnRate, RateRule};
use domain::review::ReviewWindow;
use domain::rights::Right;
use domain::secret::PersonalText;
use domain::text::{EmailAddress, Text};
use domain::time::Timestamp;
use domain::webhooks::{Endpoint, receiver};
use serde_json::{Map, Value, json};
use store::accounts::Account;
use store::audit::Change;
use store::clients::Client;
use store::employees::Employee;
use store::keys::Key;
use store::links::Link;

pub(crate) use self::subscription::{
    ClockAdvances, CycleWaives, PayerPageStands, ReminderMailStops, SubscriptionStands,
};

/// How many accounts of a key's selection are named; of others only how many there are.
const SELECTION_SHOWN: usize = 50;

/// Facts that the audit trail records of a thing, keyed by API field names.
pub(crate) trait Facts {
    fn facts(&self) -> Value;

    /// Fields that may hold a secret, by the names under which is recorded that it is another.
    fn untold(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }
}

/// Returns the fields whose values differ between `before` and `after`.
pub(crate) fn changed<T: Facts>(before: &T, after: &T) -> Change {
    let was = before.untold();
    let is_another =
        |(name, is): &(&str, &str)| was.iter().any(|(former, was)| former == name && was != is);
    let others: Vec<_> = after.untold().into_iter().filter(is_another).collect();
    let (mut before, mut after) = (object(before), object(after));
    let same: Vec<String> =
        before.iter().filter(|(name, was)| after.get(*name) == Some(was)).map(name).collect();
    for name in same {
        before.remove(&name);
        after.remove(&name);
    }
    for (name, _) in others {
        after.insert(name.to_owned(), true.into());
    }
    Change { before: Some(text(before)), after: Some(text(after)) }
}

/// Returns the facts of a thing that was made.
pub(crate) fn made<T: Facts>(made: &T) -> Change {
    Change { before: None, after: Some(text(object(made))) }
}

/// Returns the facts of a thing that is gone.
pub(crate) fn gone<T: Facts>(gone: &T) -> Change {
    Change { before: Some(text(object(gone))), after: None }
}

fn name((name, _): (&String, &Value)) -> String {
    name.clone()
}

fn object<T: Facts>(of: &T) -> Map<String, Value> {
    match of.facts() {
        Value::Object(facts) => facts,
        _ => Map::new(),
    }
}

fn text(facts: Map<String, Value>) -> String {
    Value::Object(facts).to_string()
}

fn personal(text: Option<&PersonalText>) -> Option<&str> {
    text.map(PersonalText::as_str)
}

impl Facts for Key {
    fn facts(&self) -> Value {
        let shown: Vec<String> =
            self.selection.iter().take(SELECTION_SHOWN).map(BankId::to_string).collect();
        let mut facts = json!({
            "name": self.name,
            "is_active": self.is_active,
            "client_owner_id": self.client.map(|client| client.to_string()),
            "user_banks": shown,
            "permissions": self.permissions.iter().map(Permission::as_str).collect::<Vec<_>>(),
            "expires_at": self.expires_at.map(|end| end.to_string()),
        });
        if self.selection.len() > SELECTION_SHOWN {
            facts["user_banks_total"] = self.selection.len().into();
        }
        with_limit(facts, self.monthly_credit_limit)
    }
}

impl Facts for Client {
    fn facts(&self) -> Value {
        let facts = json!({
            "name": self.name,
            "email": personal(self.email.as_ref()),
            "document": personal(self.document.as_ref()),
            "is_active": self.is_active,
            "payments_enabled": self.payments_enabled,
        });
        with_limit(facts, self.monthly_credit_limit)
    }
}

/// The facts and the monthly limit, where there is one.
fn with_limit(mut facts: Value, limit: Option<i64>) -> Value {
    if let Some(limit) = limit {
        facts["monthly_credit_limit"] = limit.into();
    }
    facts
}

impl Facts for Employee {
    fn facts(&self) -> Value {
        let mut facts = json!({
            "name": self.name,
            "email": self.email.as_str(),
            "is_active": self.is_active,
        });
        match self.client {
            Some(client) => facts["client_id"] = client.to_string().into(),
            None => {
                let names: Vec<_> = self.rights.iter().map(Right::as_str).collect();
                facts["permissions"] = names.into();
            }
        }
        facts
    }
}

/// E-mail address that somebody signs in with.
pub(crate) struct SignsInWith<'a>(pub(crate) &'a str);

impl Facts for SignsInWith<'_> {
    fn facts(&self) -> Value {
        json!({ "email": self.0 })
    }
}

/// Name of a person.
pub(crate) struct PersonsName<'a>(pub(crate) &'a str);

impl Facts for PersonsName<'_> {
    fn facts(&self) -> Value {
        json!({ "name": self.0 })
    }
}

/// Until when an invitation is good; nothing where there is none.
pub(crate) struct InvitationEnds(pub(crate) Option<Timestamp>);

impl Facts for InvitationEnds {
    fn facts(&self) -> Value {
        json!({ "invitation_expires_at": self.0.map(|end| end.to_string()) })
    }
}

/// An owner, as the operator makes it.
pub(crate) struct OwnerMade<'a> {
    pub(crate) name: &'a str,
    pub(crate) email: &'a str,
    pub(crate) credits: Credits,
}

impl Facts for OwnerMade<'_> {
    fn facts(&self) -> Value {
        json!({ "name": self.name, "email": self.email, "credits": self.credits.get() })
    }
}

/// A limit of a month.
pub(crate) struct MonthlyLimit(pub(crate) Option<i64>);

impl Facts for MonthlyLimit {
    fn facts(&self) -> Value {
        json!({ "monthly_credit_limit": self.0 })
    }
}

/// Client that an account belongs to, if any.
pub(crate) struct ClientOfAccount(pub(crate) Option<ClientId>);

impl Facts for ClientOfAccount {
    fn facts(&self) -> Value {
        json!({ "client_owner_id": self.0.map(|client| client.to_string()) })
    }
}

impl Facts for Settings {
    fn facts(&self) -> Value {
        let mut facts = json!({
            "language": self.language.as_str(),
            "low_balance_below": self.low_balance_below.map(Credits::get),
        });
        for rule in self.rules() {
            facts[rule.kind.as_str()] =
                json!({ "mail": rule.mail, "at_most_every_minutes": rule.every });
        }
        facts
    }
}

impl Facts for LinkSettings {
    fn facts(&self) -> Value {
        json!({ "max_attempts": self.max_attempts, "announce_expiry": self.announce_expiry })
    }
}

impl Facts for Link {
    fn facts(&self) -> Value {
        json!({
            "amount": Bolivars::from_hundredths(self.price.hundredths).to_number(),
            "currency": self.price.currency.as_str(),
            "name": self.name,
            "description": self.description,
            "expires_at": self.standing.expires_at.map(|end| end.to_string()),
            // Their hosts alone: what stands behind may be a secret of the merchant's.
            "webhook_url": self.webhook_url.as_ref().map(|url| receiver(url.as_str())),
            "redirect_url": self.redirect_url.as_ref().map(|url| receiver(url.as_str())),
        })
    }

    fn untold(&self) -> Vec<(&'static str, &str)> {
        let urls = [
            ("webhook_url_changed", self.webhook_url.as_ref()),
            ("redirect_url_changed", self.redirect_url.as_ref()),
        ];
        let urls = urls.into_iter().filter_map(|(name, url)| Some((name, url?.as_str())));
        urls.chain([("metadata_changed", self.metadata.as_str())]).collect()
    }
}

/// How a link stands.
pub(crate) struct LinkStands(pub(crate) Status);

impl Facts for LinkStands {
    fn facts(&self) -> Value {
        json!({ "status": self.0.as_str() })
    }
}

/// An account as it is linked, without what it is reached with.
impl Facts for Account {
    fn facts(&self) -> Value {
        json!({
            "bank_provider": self.provider,
            "description": self.description,
            "client_owner_id": self.client.map(|client| client.to_string()),
        })
    }
}

/// Fact that tells whether an owner may use the service.
pub(crate) struct IsActive(pub(crate) bool);

impl Facts for IsActive {
    fn facts(&self) -> Value {
        json!({ "is_active": self.0 })
    }
}

/// How a link stands, and the movement that a person pays it with.
pub(crate) struct LinkPaid(pub(crate) Status, pub(crate) Option<MovementId>);

impl Facts for LinkPaid {
    fn facts(&self) -> Value {
        json!({
            "status": self.0.as_str(),
            "movement_id": self.1.map(|movement| movement.to_string()),
        })
    }
}

/// The payment that was made of a movement, and whether its first report was left to the next caller.
pub(crate) struct MovementAccepted(pub(crate) PaymentId, pub(crate) bool);

impl Facts for MovementAccepted {
    fn facts(&self) -> Value {
        json!({ "user_bank_payment_id": self.0.to_string(), "for_caller": self.1 })
    }
}

impl Facts for ReviewWindow {
    fn facts(&self) -> Value {
        json!({ "since": self.since.to_string(), "until": self.until.to_string() })
    }
}

/// How many credits an owner has.
pub(crate) struct Balance(pub(crate) Credits);

impl Facts for Balance {
    fn facts(&self) -> Value {
        json!({ "credits": self.0.get() })
    }
}

/// What an owner has agreed, and whether it is active; nothing where it has no plan.
impl Facts for Option<(Plan, bool)> {
    fn facts(&self) -> Value {
        let plan = self.as_ref();
        json!({
            "plan_id": plan.map(|(plan, _)| plan.id.to_string()),
            "plan": plan.map(|(plan, _)| plan.name.as_str()),
            "is_active": plan.map(|(_, is_active)| *is_active),
        })
    }
}

impl Facts for OwnRate {
    fn facts(&self) -> Value {
        json!({
            "currency": self.currency.as_str(),
            "value_date": self.value_date.to_string(),
            "until": self.until.map(|day| day.to_string()),
            "rate": self.rate.map(|rate| rate.to_string()),
            "source": self.source.as_str(),
        })
    }
}

impl Facts for RateRule {
    fn facts(&self) -> Value {
        json!({ "rate_rule": self.as_str() })
    }
}

impl Facts for PublicProfile {
    fn facts(&self) -> Value {
        json!({
            "public_name": self.public_name.as_ref().map(Text::as_str),
            "document": self.document.as_ref().map(ToString::to_string),
            "support_phone": self.support_phone.as_ref().map(SupportPhone::as_str),
            "whatsapp": self.whatsapp.as_ref().map(Phone::as_str),
            "support_email": self.support_email.as_ref().map(EmailAddress::as_str),
            "support_url": self.support_url.as_ref().map(SupportUrl::as_str),
            "brand_colour": self.brand_colour.map(|colour| colour.to_string()),
            "logo": self.logo.map(|logo| logo.hash.to_string()),
        })
    }
}

/// An address may hold a secret of the receiver's: its host is recorded.
impl Facts for Option<Endpoint> {
    fn facts(&self) -> Value {
        let levels = self.as_ref().map(|endpoint| {
            endpoint.levels.as_slice().iter().map(|level| level.get()).collect::<Vec<_>>()
        });
        json!({
            "host": self.as_ref().map(|endpoint| endpoint.url.host()),
            "low_balance_levels": levels,
        })
    }

    fn untold(&self) -> Vec<(&'static str, &str)> {
        self.iter().map(|endpoint| ("url_changed", endpoint.url.as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: Option<&String>) -> Value {
        text.map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
    }

    #[test]
    fn what_has_changed_is_shown_and_nothing_else() {
        let former = LinkSettings { max_attempts: None, announce_expiry: true };
        let new = LinkSettings { max_attempts: Some(3), ..former };
        let change = changed(&former, &new);
        assert_eq!(parsed(change.before.as_ref()), json!({ "max_attempts": null }));
        assert_eq!(parsed(change.after.as_ref()), json!({ "max_attempts": 3 }));
        assert_eq!(parsed(changed(&new, &new).after.as_ref()), json!({}));
    }

    #[test]
    fn that_an_address_has_changed_is_shown_and_the_address_is_not() {
        let endpoint = |url: &str| {
            let url = domain::url::UrlText::parse(url).unwrap();
            let levels = domain::webhooks::LowBalanceLevels::default();
            let at = Timestamp::from_micros(1);
            Some(Endpoint { url, levels, created_at: at, updated_at: at })
        };
        let (former, new) = (endpoint("https://a.example/x"), endpoint("https://a.example/y"));
        let change = changed(&former, &new);
        assert_eq!(parsed(change.before.as_ref()), json!({}));
        assert_eq!(parsed(change.after.as_ref()), json!({ "url_changed": true }));
        assert_eq!(parsed(changed(&new, &new).after.as_ref()), json!({}));
        let ended = changed(&new, &None);
        assert_eq!(parsed(ended.before.as_ref())["host"], "a.example");
        assert_eq!(
            parsed(ended.after.as_ref()),
            json!({ "host": null, "low_balance_levels": null })
        );
    }

    #[test]
    fn what_was_made_has_no_before_and_what_is_gone_no_after() {
        let limit = MonthlyLimit(Some(5));
        let (made, gone) = (made(&limit), gone(&limit));
        assert_eq!(
            (parsed(made.before.as_ref()), parsed(gone.after.as_ref())),
            (json!(null), json!(null))
        );
        assert_eq!(made.after, gone.before);
    }
}
