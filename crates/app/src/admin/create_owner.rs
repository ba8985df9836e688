//! Making an owner: what it signs in with, its default key and, where asked, a test bank account.

use domain::ids::{BankId, IdSource, IdentityId, KeyId, OwnerId};
use domain::keys::KeyText;
use domain::money::Credits;
use domain::permissions::Permissions;
use domain::secret::SecretText;
use domain::text::{EmailAddress, Text};
use domain::time::Timestamp;
use store::accounts::{self, NewAccount};
use store::fault::{Fault, FaultKind, WriteError};
use store::issuers::Issuer;
use store::keys::{self, NewKey};
use store::locators::{self, Kind, Located};
use store::tx::Tx;
use store::{Lane, Meter, audit, credits, owners};

use super::{AdminError, Operator, audit_entry};
use crate::changes::{OwnerMade, made};
use crate::outcome::as_answer;
use crate::passwords::{PASSWORD_LEN_MAX, PASSWORD_LEN_MIN, hash_now};
use crate::{delivery_days, emails};

/// How many characters a generated password has, five bits each: a hundred bits.
const PASSWORD_CHARACTERS: usize = 20;

/// After how many characters a generated password has a hyphen, for the person who types it.
const PASSWORD_GROUP: usize = 5;

/// Thirty-two characters that are not taken for one another.
const PASSWORD_ALPHABET: &[u8; 32] = b"abcdefghjkmnpqrstuvwxyz023456789";

/// How often the rows are written whose commit was lost or met others.
const TRIES_MAX: usize = 3;

/// The connector of the account that a person tries the service out on.
const TEST_BANK: &str = "BANK_TEST";

/// Data from which an owner is made.
#[derive(Clone, Debug)]
pub struct NewOwner {
    /// Its e-mail address, unique in the installation.
    pub email: EmailAddress,
    /// The merchant's name; the e-mail address where there is none.
    pub name: Option<Text<1, 120>>,
    /// Its password; made up where there is none. A caller who gives one still has it where the
    /// answer is lost.
    pub password: Option<SecretText>,
    /// The credits that it begins with.
    pub credits: Credits,
    /// Says that it begins with an account at the test bank, as for somebody who only tries the service out.
    pub test_account: bool,
}

/// Result of making an owner. The texts in it are kept nowhere else and are shown once.
#[derive(Clone, Debug)]
pub struct CreatedOwner {
    /// The owner.
    pub owner: OwnerId,
    /// What it signs in with.
    pub email: EmailAddress,
    /// Its password.
    pub password: SecretText,
    /// The text of its default key.
    pub api_key: KeyText,
    /// That key's id.
    pub api_key_id: KeyId,
    /// Its test bank account, where it was to have one.
    pub user_bank: Option<BankId>,
}

/// Makes an owner with a default key of all permissions and, where asked, a test bank account.
///
/// The e-mail address is claimed first. A creation that was cut short after that left a claim that
/// leads to no owner; this one takes it over, with the owner's id in it. So it can be run again
/// however it ended, and makes one owner at most.
///
/// # Errors
/// [`AdminError::EmailTaken`] where an owner has the address, and what the store fails with. After
/// [`AdminError::Unknown`] there may be an owner, with the password that was given.
pub async fn create_owner(
    operator: &Operator<'_>,
    new: NewOwner,
) -> Result<CreatedOwner, AdminError> {
    let password = new.password.unwrap_or_else(|| generate_password(operator.ids));
    if !(PASSWORD_LEN_MIN..=PASSWORD_LEN_MAX).contains(&password.expose().len()) {
        return Err(AdminError::PasswordLength { min: PASSWORD_LEN_MIN, max: PASSWORD_LEN_MAX });
    }
    if new.credits < Credits::ZERO || new.credits > Credits::MAX {
        return Err(AdminError::Amount);
    }
    let hash = hash_now(&password, operator.password_cost, operator.ids)?;
    let owner = claim_email(operator, &new.email).await?;
    let created = CreatedOwner {
        owner,
        email: new.email,
        password,
        api_key: KeyText::generate(operator.ids),
        api_key_id: KeyId::new(operator.ids, operator.now),
        user_bank: new.test_account.then(|| BankId::new(operator.ids, operator.now)),
    };
    let name = new.name.map_or_else(|| created.email.to_string(), Text::into_string);
    insert(operator, &created, name, hash, new.credits).await?;
    Ok(created)
}

/// Claims the address, and answers the id that its owner is to have.
async fn claim_email(operator: &Operator<'_>, email: &EmailAddress) -> Result<OwnerId, AdminError> {
    let meter = Meter::default();
    let wanted = OwnerId::new(operator.ids, operator.now);
    let to = Located { owner: wanted, subject: wanted.to_bytes() };
    let Located { owner, subject } = emails::claim(operator.store, &meter, email, to).await?;
    let known = operator.store.look_up(&meter, move |tx| owners::find(tx, owner)).await?;
    let is_employees = subject != owner.to_bytes();
    if known.is_some() || is_employees {
        return Err(AdminError::EmailTaken(email.clone()));
    }
    Ok(owner)
}

/// How the writing of the rows ends.
enum End {
    /// They are there.
    Made,
    /// Those of another creation are.
    Taken,
}

/// Writes the key's locator, and then all rows of the owner at once.
async fn insert(
    operator: &Operator<'_>,
    created: &CreatedOwner,
    name: String,
    password_hash: String,
    credits: Credits,
) -> Result<(), AdminError> {
    let meter = Meter::default();
    let rows = Rows::of(operator, created, name, password_hash, credits);
    let hash = rows.key.hash.to_bytes();
    let locator = Located { owner: created.owner, subject: rows.key.id.to_bytes() };
    let claim = operator
        .store
        .write_shared(&meter, move |tx| locators::claim(tx, Kind::ApiKey, &hash, locator));
    claim.await?;
    let taken = || AdminError::EmailTaken(created.email.clone());
    let mut is_lost = false;
    for _ in 0..TRIES_MAX {
        let rows = rows.clone();
        let write =
            operator.store.write(&meter, Lane::Admission, created.owner, move |tx| rows.write(tx));
        match write.await {
            Ok(End::Made) => return Ok(()),
            Ok(End::Taken) => return Err(taken()),
            Err(WriteError::Unknown) => is_lost = true,
            // Rows came in between, of another creation or of the try whose answer was lost: the
            // next look shows which.
            Err(WriteError::Fault(fault)) if fault.kind() == FaultKind::Constraint => {}
            // A later try that failed does not say that the first one was not applied.
            Err(_) if is_lost => break,
            Err(error) => return Err(error.into()),
        }
    }
    Err(if is_lost { AdminError::Unknown } else { taken() })
}

/// Everything that one transaction needs to make an owner.
#[derive(Clone)]
struct Rows {
    owner: OwnerId,
    email: EmailAddress,
    name: String,
    password_hash: String,
    key: NewKey,
    account: Option<NewAccount>,
    credits: Credits,
    entry: audit::Entry,
    now: Timestamp,
}

impl Rows {
    fn of(
        operator: &Operator<'_>,
        created: &CreatedOwner,
        name: String,
        password_hash: String,
        credits: Credits,
    ) -> Self {
        let (owner, now) = (created.owner, operator.now);
        let key = NewKey {
            id: created.api_key_id,
            name: "Default".to_owned(),
            hash: created.api_key.hash(),
            hint: created.api_key.hint(),
            is_default: true,
            client: None,
            selection: Vec::new(),
            permissions: Permissions::ALL,
            monthly_credit_limit: None,
            expires_at: None,
            issuer: Issuer::default(),
        };
        let account = created.user_bank.map(|id| NewAccount {
            id,
            identity: IdentityId::new(operator.ids, now),
            provider: TEST_BANK.to_owned(),
            // Each link to the sandbox is an account of its own.
            account: id.to_string(),
            description: "Cuenta de prueba".to_owned(),
            client: None,
        });
        let entry = audit_entry(operator, "CreateOwner", &owner);
        let email = created.email.clone();
        Self { owner, email, name, password_hash, key, account, credits, entry, now }
    }

    fn write(&self, tx: &mut Tx<'_>) -> Result<End, Fault> {
        let (owner, now) = (self.owner, self.now);
        match keys::find_default(tx, owner)? {
            // An earlier try of this very creation was applied.
            Some(key) if key == self.key.id => return Ok(End::Made),
            Some(_) => return Ok(End::Taken),
            None => {}
        }
        // The operator may have let the address go in between.
        let to = Located { owner, subject: owner.to_bytes() };
        if as_answer(emails::check_claim(tx, &self.email, to))?.is_err() {
            return Ok(End::Taken);
        }
        owners::insert(tx, owner, self.email.as_str(), &self.name, &self.password_hash, now)?;
        delivery_days::begin(tx, owner, now)?;
        keys::insert(tx, owner, &self.key, now)?;
        if let Some(account) = &self.account {
            accounts::insert(tx, owner, account, now)?;
        }
        if self.credits > Credits::ZERO {
            credits::grant(tx, owner, self.credits, now)?;
        }
        let made = made(&OwnerMade {
            name: &self.name,
            email: self.email.as_str(),
            credits: self.credits,
        });
        audit::insert_change(tx, owner, &self.entry, &made, now)?;
        Ok(End::Made)
    }
}

/// A password of a hundred random bits, for a person who has none.
#[must_use]
pub fn generate_password(ids: &dyn IdSource) -> SecretText {
    let mut random = [0; PASSWORD_CHARACTERS];
    ids.fill(&mut random);
    let characters = random.map(|byte| PASSWORD_ALPHABET[usize::from(byte & 31)]);
    let mut text = String::with_capacity(PASSWORD_CHARACTERS * 2);
    for group in characters.chunks(PASSWORD_GROUP) {
        if !text.is_empty() {
            text.push('-');
        }
        text.extend(group.iter().copied().map(char::from));
    }
    text.into()
}
