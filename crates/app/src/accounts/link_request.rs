//! What accounts are linked with: read from a request by the facts that a bank declares.

use bank::{Capabilities, CredentialFact, Credentials, Field, Format};
use domain::ids::BankId;
use domain::payer::{AccountNumber, Document, Phone};
use domain::profile::HolderName;
use domain::refusal::{Detail, Problem, Refusal};
use domain::secret::SecretText;
use domain::text::Text;
use store::bank_access::Facts;

use super::Opened;

/// The owner's label of an account.
pub type Description = Text<0, 200>;

/// Name of an account's user at its bank.
pub type Username = Text<0, 200>;

/// Request to link an account.
#[derive(Clone, Debug)]
pub struct LinkRequest {
    /// Whose account it should be, if that was said; it can be the caller's owner only.
    pub user_id: Option<String>,
    /// Which connector serves it: the provider's name on the wire, or ours.
    pub provider: String,
    /// The owner's label.
    pub description: Option<Description>,
    /// The receiving account's number, where it was said by its name.
    pub number: Option<AccountNumber>,
    /// What the account's user is called, which for some banks is the account's number, and for some secret.
    pub username: Option<SecretText>,
    /// The phone that receives mobile payments.
    pub phone: Option<Phone>,
    /// The holder's document.
    pub document: Option<Document>,
    /// The holder's name as the bank shows it to payers.
    pub holder: Option<HolderName>,
    /// The key, password or token that the bank gave its owner.
    pub secret: Option<SecretText>,
    /// The names and values that came besides, as they were sent. A bank may want some of them; any may be secret.
    pub metadata: Vec<(String, SecretText)>,
}

impl LinkRequest {
    /// The text that was sent for a fact, if it is not empty.
    fn sent(&self, fact: &CredentialFact) -> Option<SecretText> {
        let sent = match fact.field {
            Field::Username => self.username.clone(),
            Field::Password => self.secret.clone(),
            Field::Phone => self.phone.as_ref().map(|phone| SecretText::from(phone.as_str())),
            Field::Metadata(_) => {
                let entry = self.metadata.iter().find(|(name, _)| fact.field.is_entry(name));
                entry.map(|(_, value)| SecretText::from(value.expose().trim()))
            }
        };
        sent.filter(|text| !text.expose().is_empty())
    }

    /// The account's number, which may come by its own name as well as in the field that the bank has for it.
    fn number(
        &self,
        bank: &Capabilities,
        fact: &CredentialFact,
        sent: Option<SecretText>,
    ) -> Result<AccountNumber, Problem> {
        let sent = sent.and_then(|text| AccountNumber::parse(text.expose()).ok());
        let number = match (&self.number, sent) {
            (Some(named), Some(sent)) if *named != sent => {
                return Err(Problem::of(
                    "es otra cuenta que ACCOUNT_NUMBER en metadata",
                    "is another account than ACCOUNT_NUMBER in metadata",
                ));
            }
            (named, sent) => named.clone().or(sent).ok_or_else(|| fact.missing())?,
        };
        match bank.bank_code {
            Some(code) if !number.as_str().starts_with(code) => Err(Problem::made(
                format!("debe empezar con {code}, el código de este banco"),
                format!("must begin with {code}, this bank's code"),
            )),
            _ => Ok(number),
        }
    }
}

/// Credentials and metadata that an account is going to be reached with.
pub(super) struct NewAccess {
    /// The facts that its bank declares, and what payers are shown of it.
    pub(super) opened: Opened,
    /// What was sent besides, which no bank asks for.
    pub(super) metadata: Vec<(String, SecretText)>,
}

impl NewAccess {
    /// Takes from the request what the account of that id is reached with, as far as its bank wants it; `None` where it
    /// wants nothing.
    ///
    /// # Errors
    /// Every fact that is missing or wrong.
    pub(super) fn of(
        bank: &Capabilities,
        id: BankId,
        request: LinkRequest,
    ) -> Result<Option<Self>, Refusal> {
        if bank.credentials.is_empty() {
            return Ok(None);
        }
        let mut problems = Vec::new();
        let mut credentials = Credentials::default();
        let mut number = None;
        for fact in bank.credentials {
            let found = match (fact.format, request.sent(fact)) {
                (Format::AccountNumber, sent) => {
                    request.number(bank, fact, sent).map(|found| number = Some(found))
                }
                (_, None) if fact.is_required => Err(fact.missing()),
                (Format::Text, Some(text)) => {
                    fact.check(text.expose()).map(|()| credentials.set(fact.name, text))
                }
                (Format::Phone | Format::Text, _) => Ok(()),
            };
            if let Err(problem) = found {
                problems.push(Detail::new(fact.field.as_str(), problem));
            }
        }
        match number {
            Some(number) if problems.is_empty() => {
                let LinkRequest { phone, document, holder, metadata, .. } = request;
                let facts = Facts { bank: id, number, phone, document, holder };
                let is_asked_for =
                    |name: &str| bank.credentials.iter().any(|fact| fact.field.is_entry(name));
                let metadata =
                    metadata.into_iter().filter(|(name, _)| !is_asked_for(name)).collect();
                Ok(Some(Self { opened: Opened { facts, credentials }, metadata }))
            }
            _ => Err(Refusal::Validation(problems)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bank::Label;
    use domain::matching::{MovementKind, Rule};

    use super::*;

    const fn entry(name: &'static str, format: Format) -> CredentialFact {
        let label = Label { es: "lo que dio el banco", en: "what the bank gave you" };
        let field = Field::Metadata(name);
        CredentialFact {
            name,
            field,
            label,
            is_secret: true,
            format,
            max_len: 20,
            is_required: true,
        }
    }

    static BANK: Capabilities = Capabilities {
        provider: "MADE_UP",
        wire_name: "VE_BAN_MADE_UP",
        platform: "Banco imaginario",
        bank_code: None,
        livemode: false,
        rule: Rule::Exact,
        questions: &[],
        payer_facts: &[],
        days_back: 2,
        deadline: Duration::from_secs(60),
        credentials: &[
            entry("ACCOUNT_NUMBER", Format::AccountNumber),
            entry("WORKING_KEY", Format::Text),
        ],
        verifies: &MovementKind::ALL,
        has_same_bank_references: false,
    };

    #[test]
    fn what_a_bank_declares_is_kept_among_its_credentials_alone() {
        let sent = [
            ("account_number", "01990000890000000001"),
            (" Working_Key ", "made-up"),
            ("colour", "blue"),
        ];
        let request = LinkRequest {
            user_id: None,
            provider: "VE_BAN_MADE_UP".to_owned(),
            description: None,
            number: None,
            username: Some(SecretText::from("made-up-name")),
            phone: None,
            document: None,
            holder: None,
            secret: None,
            metadata: sent.map(|(name, value)| (name.to_owned(), value.into())).into(),
        };
        let shown = format!("{request:?}");
        assert!(!shown.contains("made-up"), "{shown}");
        let access = NewAccess::of(&BANK, BankId::from_bytes([1; 16]), request).unwrap().unwrap();
        let key = access.opened.credentials.get("WORKING_KEY").unwrap();
        assert_eq!(key.expose(), "made-up");
        assert_eq!(access.metadata, [("colour".to_owned(), SecretText::from("blue"))]);
    }
}
