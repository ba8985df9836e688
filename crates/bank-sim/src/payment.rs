//! Accounts, and the payments that come into them: facts that every bank would know, before any
//! bank has written them in its own way.

use std::time::Duration;

use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::secret::SecretText;
use domain::text::Text;
use domain::time::Timestamp;

/// The longest that a payment may take until it is posted.
pub const DELAY_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Name of payers who were given none.
pub const NAMELESS: &str = "PAGADOR DE PRUEBA";

/// A merchant's account at a simulated bank.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its number, of which the first four digits are the bank's.
    pub number: AccountNumber,
    /// The key that the merchant made for the bank's interface.
    pub api_key: SecretText,
    /// The phone that payments go to.
    pub phone: Phone,
    /// The merchant's tax number.
    pub rif: Document,
    /// Who is notified of payments, if anybody is.
    pub push: Option<PushTarget>,
}

/// Receiver of notices about an account's payments.
#[derive(Clone, Debug)]
pub struct PushTarget {
    /// Where notices go. It may hold a name of the account, and no secret.
    pub url: String,
    /// Where notices show the secret.
    pub header: SecretHeader,
    /// The secret that notices show.
    pub api_key: SecretText,
}

/// The header of the secret. Merchants of one bank were seen with either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecretHeader {
    /// `API-KEY`
    #[default]
    ApiKey,
    /// `X-API-KEY`
    XApiKey,
}

impl SecretHeader {
    /// The header of that name, whichever way it is written.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::ApiKey, Self::XApiKey].into_iter().find(|one| one.name().eq_ignore_ascii_case(name))
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ApiKey => "API-KEY",
            Self::XApiKey => "X-API-KEY",
        }
    }
}

/// How money was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By phone, at once.
    PagoMovil,
    /// From account to account.
    Transfer,
}

/// Sender of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payer {
    /// The bank that it was sent from.
    pub bank: BankCode,
    /// The payer's phone.
    pub phone: Phone,
    /// The payer's document.
    pub document: Document,
    /// The payer's name.
    pub name: Text<1, 60>,
}

/// Oddities that a bank adds to a payment now and then, chosen in advance; left alone, it follows a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Whether the bank books its commission beside it.
    pub commission: Option<bool>,
    /// Whether the bank shows it twice.
    pub repeated: Option<bool>,
    /// Whether it stands at its own hour once it is posted, among rows that were there before; else
    /// it stands where it was posted, behind them.
    pub at_its_hour: Option<bool>,
    /// Whether its amount is written so that nobody can read it.
    pub unreadable: Option<bool>,
    /// How the bank contradicts itself: it shows the payment once more, as if it were of another day or another bank's
    /// customer.
    pub again: Option<Again>,
    /// The bank's text about the payer, in place of the text that it usually has.
    pub remark: Option<Text<1, 200>>,
}

/// How far from that the day of a payment may be that is shown once more.
pub const AGAIN_DAYS_MAX: u8 = 31;

/// A payment as the bank shows it once more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// How many days before the first.
    pub days_before: u8,
    /// The payer's bank, where it is another.
    pub bank: Option<BankCode>,
}

/// A payment that is to be made.
#[derive(Clone, Debug)]
pub struct NewPayment {
    /// The account that the money goes to.
    pub account: AccountNumber,
    /// The reference on the payer's receipt.
    pub reference: TypedReference,
    /// How much, above zero.
    pub amount: Bolivars,
    /// Who pays.
    pub payer: Payer,
    /// How.
    pub kind: Kind,
    /// When; now, where that is not said.
    pub at: Option<Timestamp>,
    /// How long it takes until the bank shows it, at most [`DELAY_MAX`].
    pub delay: Duration,
    /// What is known of the bank's moods.
    pub oddities: Oddities,
}

/// A payment that was made. The bank shows it from [`Payment::posts_at`] on.
#[derive(Clone, Debug)]
pub struct Payment {
    /// Which one, counted over all accounts from 1.
    pub number: u64,
    /// The account that the money went to.
    pub account: AccountNumber,
    /// The reference on the payer's receipt.
    pub reference: TypedReference,
    /// How much.
    pub amount: Bolivars,
    /// Who paid.
    pub payer: Payer,
    /// How.
    pub kind: Kind,
    /// When it was made.
    pub paid_at: Timestamp,
    /// When the bank posts it.
    pub posts_at: Timestamp,
    /// What is known of the bank's moods.
    pub oddities: Oddities,
}

impl Payment {
    /// The payment that is made now.
    #[must_use]
    pub(crate) fn make(number: u64, new: NewPayment, now: Timestamp) -> Self {
        let NewPayment { account, reference, amount, payer, kind, at, delay, oddities } = new;
        let paid_at = at.unwrap_or(now);
        let posts_at = paid_at.plus(delay.min(DELAY_MAX));
        Self { number, account, reference, amount, payer, kind, paid_at, posts_at, oddities }
    }
}
