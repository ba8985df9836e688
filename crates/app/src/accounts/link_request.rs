//! What accounts are linked with: read from a request by the facts that a bank declares.

use bank::{Access, Capabilities, CredentialFact, Credentials, Field, Format};
use domain::ids::BankId;
use domain::payer::{AccountNumber, Document, Phone};
use domain::profile::HolderName;
use domain::refusal::{Detail, Problem, Refusal};
use domain::secret::SecretText;
use domain::text::Text;
use store::bank_access::Facts;

/// The owner's label of an account.
pub type Description = Text<0, 200>;

/// What an account's user is called at its bank.
pub type Username = Text<0, 200>;

/// What an account is linked with.
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
    /// What the account's user is called, which for some banks is the account's number.
    pub username: Option<Username>,
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
            Field::Username => self.username.as_ref().map(|name| SecretText::from(name.as_str())),
            Field::Password => self.secret.clone(),
            Field::Phone => self.phone.as_ref().map(|phone| SecretText::from(phone.as_str())),
            Field::Metadata(wanted) => {
                let is_meant = |name: &str| name.trim().eq_ignore_ascii_case(wanted);
                let entry = self.metadata.iter().find(|(name, _)| is_meant(name));
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

/// What an account is reached with, and what payers are told of it.
pub(super) struct Reached {
    pub(super) number: AccountNumber,
    phone: Option<Phone>,
    document: Option<Document>,
    holder: Option<HolderName>,
    /// The other facts that its bank declares.
    pub(super) credentials: Credentials,
    pub(super) metadata: Vec<(String, SecretText)>,
}

impl Reached {
    /// What the account is reached with, as far as its bank wants it; nothing where it wants nothing.
    ///
    /// # Errors
    /// Every fact that is missing or wrong.
    pub(super) fn of(bank: &Capabilities, request: LinkRequest) -> Result<Option<Self>, Refusal> {
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
                Ok(Some(Self { number, phone, document, holder, credentials, metadata }))
            }
            _ => Err(Refusal::Validation(problems)),
        }
    }

    /// As a connector takes it.
    pub(super) fn access(&self) -> Access<'_> {
        let Self { number, phone, credentials, .. } = self;
        Access { account: number, phone: phone.as_ref(), credentials }
    }

    /// What of it may be shown, once it is linked under that id.
    pub(super) fn facts(&self, bank: BankId) -> Facts {
        let (number, phone) = (self.number.clone(), self.phone.clone());
        let (document, holder) = (self.document.clone(), self.holder.clone());
        Facts { bank, number, phone, document, holder }
    }
}
