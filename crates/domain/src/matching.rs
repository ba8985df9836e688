//! Which movement a question means.
//!
//! A typed reference is rarely whole, so that a match is a judgement: by the ending, the amount,
//! the day and what is known of the payer. Where more than one movement fits, none is chosen.

mod absorb;
mod contest;
mod find;
mod paid_within;
mod same_bank;

use std::borrow::Cow;
use std::ops::RangeInclusive;

pub use absorb::{Absorption, absorb};
pub use contest::{claimed_twin, named_with_other_payer};
pub use find::{confirms, find, find_typed, is_certain, known_claim, knows_payer};
pub use paid_within::{CLOCKS_APART_MAX, PaidWithin};
pub use same_bank::{
    PayerMatch, SameBank, SameBankNotice, asked_by_payer, asks_by_payer, days_of_notices,
    find_by_payer, is_claimed_by_payer, names_other, pair_notices, shown_with_their_like,
    waiting_for_owner,
};

use crate::bank_text::BankText;
use crate::ids::{MovementId, PaymentId};
use crate::money::Bolivars;
use crate::payer::{AccountNumber, BankCode, Document, Phone};
use crate::reference::{BankReference, SHORT_DIGITS_MIN, TypedReference};
use crate::time::{CaracasDate, Timestamp};

/// From how many digits on a reference needs no other fact beside it.
pub const STRONG_DIGITS: usize = 6;

/// From how many digits on an amount is enough beside them, where the owner chose so.
const CHOSEN_DIGITS: u32 = 4;

/// How references of an account are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Only whole references are the same, of any length and on any day: the sandbox.
    Exact,
    /// One is the ending of the other.
    Suffix {
        /// How many digits do with an amount alone: six, or four where the owner chose so. Fewer also need a phone
        /// or a document that the bank confirms.
        min_digits: u32,
    },
}

/// How the payment was made, as the caller says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MovementKind {
    /// Not said.
    #[default]
    Generic,
    /// A mobile payment.
    MovilPay,
    /// A transfer.
    Transfer,
    /// A mobile payment that the merchant drew.
    C2p,
}

impl MovementKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Generic, Self::MovilPay, Self::Transfer, Self::C2p];

    /// Its name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generic => "GENERIC",
            Self::MovilPay => "MOVIL_PAY",
            Self::Transfer => "TRANSFER",
            Self::C2p => "C2P",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Question of a caller about a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The reference, or its last digits.
    pub reference: TypedReference,
    /// What must have been paid; `None` is any amount.
    pub amount: Option<Bolivars>,
    /// The payer's phone.
    pub phone: Option<Phone>,
    /// The payer's document.
    pub document: Option<Document>,
    /// The payer's bank.
    pub bank_origin: Option<BankCode>,
    /// The payer's account.
    pub account: Option<AccountNumber>,
    /// The day of the payment.
    pub paid_on: Option<CaracasDate>,
    /// When it must have been paid; `None` is at any time.
    pub paid_within: Option<PaidWithin>,
    /// How it was paid.
    pub kind: MovementKind,
}

impl Rule {
    /// The same for an account whose owner has chosen, or not, that four digits do with an amount.
    #[must_use]
    pub const fn with_short_references(self, is_chosen: bool) -> Self {
        match self {
            Self::Suffix { .. } if is_chosen => Self::Suffix { min_digits: CHOSEN_DIGITS },
            rule => rule,
        }
    }
}

/// A fact without which a short reference names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// The amount.
    Amount,
    /// The payer's phone or document.
    Payer,
}

impl Query {
    /// The question for a reference and nothing else.
    #[must_use]
    pub const fn new(reference: TypedReference) -> Self {
        Self {
            reference,
            amount: None,
            phone: None,
            document: None,
            bank_origin: None,
            account: None,
            paid_on: None,
            paid_within: None,
            kind: MovementKind::Generic,
        }
    }

    /// Tells whether so few digits were typed that nothing is looked at, whatever is said besides.
    #[must_use]
    pub fn is_too_short(&self, rule: Rule) -> bool {
        rule != Rule::Exact && self.reference.count() < SHORT_DIGITS_MIN
    }

    /// Tells whether the digits are so few that the answer depends on what else is said: those that were typed, or
    /// those that are left without the zeros in front.
    #[must_use]
    pub fn is_short(&self, rule: Rule) -> bool {
        self.readings(rule).any(|one| !one.is_strong(rule))
    }

    /// Answers whether so few digits were typed that only a payer whom the bank confirms makes them enough.
    #[must_use]
    pub fn needs_payer(&self, rule: Rule) -> bool {
        !(self.is_strong(rule) || self.amount.is_some() && self.is_enough_with_amount(rule))
    }

    /// Returns what must be said too because so few digits were typed. A question that lacks something finds nothing.
    #[must_use]
    pub fn lacks(&self, rule: Rule) -> Option<Lacking> {
        if self.is_strong(rule) {
            None
        } else if self.amount.is_none() {
            Some(Lacking::Amount)
        } else if !self.is_enough_with_amount(rule)
            && self.phone.is_none()
            && self.document.is_none()
        {
            Some(Lacking::Payer)
        } else {
            None
        }
    }

    /// The days to search: the day said and the one before, since payments near midnight are booked
    /// on either; otherwise today and `days_back` days before.
    #[must_use]
    pub fn window(&self, today: CaracasDate, days_back: i32) -> RangeInclusive<CaracasDate> {
        match self.paid_on {
            Some(day) => day.plus_days(-1)..=day,
            None => today.plus_days(days_back.saturating_neg())..=today,
        }
    }

    /// The readings of what is asked for, in the order in which they are compared: as it was typed, and, where that fits nothing, without
    /// the zeros in front. Under [`Rule::Exact`] these never count.
    fn readings(&self, rule: Rule) -> impl Iterator<Item = Cow<'_, Self>> {
        let bare = move || self.reference.without_zeros().filter(|_| rule != Rule::Exact);
        let bare = std::iter::once_with(bare).flatten();
        let without_zeros = |reference| Cow::Owned(Self { reference, ..self.clone() });
        std::iter::once(Cow::Borrowed(self)).chain(bare.map(without_zeros))
    }

    /// Tells whether the digits alone are enough.
    fn is_strong(&self, rule: Rule) -> bool {
        rule == Rule::Exact || self.reference.count() >= STRONG_DIGITS
    }

    /// Tells whether the digits are enough together with an amount.
    fn is_enough_with_amount(&self, rule: Rule) -> bool {
        match rule {
            Rule::Exact => true,
            Rule::Suffix { min_digits } => {
                self.reference.count() >= usize::try_from(min_digits).unwrap_or(usize::MAX)
            }
        }
    }
}

/// How a bank says who paid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PayerForm {
    /// In fields of their own, or in a text of a known form.
    #[default]
    Known,
    /// The same, of a payment between two customers of the bank, which it lists under a reference that no receipt has.
    SameBank,
    /// In a text of a form that is not known: what could be read there is shown and compared, and confirms nothing.
    Unknown,
    /// The phone in a known form, and the document in a text of no known form.
    PhoneKnown,
    /// The document in a known form, and the phone in a text of no known form.
    DocumentKnown,
}

impl PayerForm {
    /// Every form, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Known, Self::SameBank, Self::Unknown, Self::PhoneKnown, Self::DocumentKnown];

    /// Answers whether a phone that it says is the payer's for certain.
    #[must_use]
    pub const fn proves_phone(self) -> bool {
        matches!(self, Self::Known | Self::SameBank | Self::PhoneKnown)
    }

    /// Answers whether a document that it says is the payer's for certain.
    #[must_use]
    pub const fn proves_document(self) -> bool {
        matches!(self, Self::Known | Self::SameBank | Self::DocumentKnown)
    }

    /// The number that stores keep.
    #[must_use]
    pub const fn number(self) -> i64 {
        match self {
            Self::Known => 0,
            Self::SameBank => 1,
            Self::Unknown => 2,
            Self::PhoneKnown => 3,
            Self::DocumentKnown => 4,
        }
    }

    /// The form of a number that a store kept.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.number() == number)
    }
}

/// Facts that a bank states about the payer; each bank states others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PayerFacts {
    /// Their bank.
    pub bank: Option<BankCode>,
    /// Their phone.
    pub phone: Option<Phone>,
    /// Their document.
    pub document: Option<Document>,
    /// Their account.
    pub account: Option<AccountNumber>,
    /// How it says that.
    pub form: PayerForm,
}

impl PayerFacts {
    /// Tells whether the two are about different people. A fact that only one of them states contradicts nothing.
    #[must_use]
    pub fn contradict(&self, other: &Self) -> bool {
        differ(self.bank.as_ref(), other.bank.as_ref(), PartialEq::eq)
            || differ(self.phone.as_ref(), other.phone.as_ref(), PartialEq::eq)
            || differ(self.document.as_ref(), other.document.as_ref(), Document::is_same_person)
            || differ(self.account.as_ref(), other.account.as_ref(), PartialEq::eq)
    }

    /// Answers whether it is a payment between two customers of the bank of that code, under a reference that no receipt has,
    /// and the bank says which of them paid.
    #[must_use]
    pub fn is_same_bank(&self, code: &str) -> bool {
        self.form == PayerForm::SameBank
            && self.document.is_some()
            && self.bank.as_ref().is_some_and(|bank| bank.as_str() == code)
    }

    /// Answers whether the two name one phone or one person, whatever else they say.
    #[must_use]
    pub fn agree(&self, other: &Self) -> bool {
        let documents = self.document.as_ref().zip(other.document.as_ref());
        let is_one_person = documents.is_some_and(|(one, other)| one.is_same_person(other));
        is_one_person || (self.phone.is_some() && self.phone == other.phone)
    }

    /// Tells whether the two name different banks, by their codes or by the accounts.
    #[must_use]
    pub fn are_of_other_bank(&self, other: &Self) -> bool {
        differ(self.bank_code(), other.bank_code(), PartialEq::eq)
    }

    fn bank_code(&self) -> Option<&str> {
        let account = self.account.as_ref().map(AccountNumber::bank);
        self.bank.as_ref().map(BankCode::as_str).or(account)
    }

    /// Takes over what `other` says and these facts do not. What is proved stays so, and what was read in a text of no
    /// known form is proved once a known form says it. In whichever order the two come, the same is known.
    pub fn learn(&mut self, other: &Self) {
        self.form = self.form_with(other);
        self.bank = self.bank.take().or_else(|| other.bank.clone());
        self.phone = self.phone.take().or_else(|| other.phone.clone());
        self.document = self.document.take().or_else(|| other.document.clone());
        self.account = self.account.take().or_else(|| other.account.clone());
    }

    /// The form in which both together say who paid.
    fn form_with(&self, other: &Self) -> PayerForm {
        let both = [self, other];
        let is_phone_proved = both.iter().any(|one| one.phone.is_some() && one.form.proves_phone());
        let is_document_proved =
            both.iter().any(|one| one.document.is_some() && one.form.proves_document());
        let is_phone_guessed = !is_phone_proved && both.iter().any(|one| one.phone.is_some());
        let is_document_guessed =
            !is_document_proved && both.iter().any(|one| one.document.is_some());
        // A text of no known form that says nobody leaves it open who paid, until a form that is known states it.
        let is_open = both.iter().any(|one| one.form == PayerForm::Unknown);
        match (is_phone_proved, is_document_proved) {
            (true, false) if is_document_guessed => PayerForm::PhoneKnown,
            (false, true) if is_phone_guessed => PayerForm::DocumentKnown,
            (false, false) if is_open => PayerForm::Unknown,
            _ if both.iter().any(|one| one.form == PayerForm::SameBank) => PayerForm::SameBank,
            _ => PayerForm::Known,
        }
    }
}

/// Tells whether both values are known and not the same.
fn differ<T: ?Sized>(one: Option<&T>, other: Option<&T>, same: impl Fn(&T, &T) -> bool) -> bool {
    matches!((one, other), (Some(one), Some(other)) if !same(one, other))
}

/// A movement that is kept: what the bank showed, once, whether claimed or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    /// Its id here.
    pub id: MovementId,
    /// The bank's reference, the fullest form seen.
    pub reference: BankReference,
    /// The bank's own stable id of it, where it has one.
    pub bank_key: Option<String>,
    /// What came in; negative where it went out.
    pub amount: Bolivars,
    /// The bank's day of it.
    pub paid_on: CaracasDate,
    /// The bank's instant of it, where it says the time.
    pub paid_at: Option<Timestamp>,
    /// What the bank says of the payer.
    pub payer: PayerFacts,
    /// The bank's own words about it. They decide nothing.
    pub description: BankText,
    /// The reference on the payer's receipt, as a notice said it, where the bank lists the movement under another.
    pub receipt: Option<BankReference>,
    /// The reference that was typed when the movement was confirmed by its payer or by its owner, not by a reference.
    pub typed: Option<TypedReference>,
    /// Says whether a question named it or a notice of the bank brought it. Of others all that is known is that the bank
    /// lists them on a day that was read.
    pub is_named: bool,
    /// The movement that it may be, of which the bank said something else: see [`Movement::is_contested`].
    pub contested_with: Option<MovementId>,
    /// The payment that claims it, if one does.
    pub claimed: Option<PaymentId>,
}

impl Movement {
    /// Every reference that the bank has reported for it.
    pub(crate) fn references(&self) -> impl Iterator<Item = &BankReference> {
        std::iter::once(&self.reference).chain(&self.receipt)
    }

    /// Answers whether it may be the same money as another movement, so that no question finds it: only a person can say
    /// whether it is. Once a person has accepted it, it is a movement like any other.
    #[must_use]
    pub const fn is_contested(&self) -> bool {
        self.contested_with.is_some() && self.claimed.is_none()
    }

    /// Answers whether it is a mobile payment between two customers of the bank of that code, and the document is the payer's.
    #[must_use]
    pub fn is_same_bank(&self, code: &str) -> bool {
        self.payer.is_same_bank(code)
    }
}

/// A movement as a bank just showed it, known already or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The bank's reference.
    pub reference: BankReference,
    /// The bank's own stable id of it, where it has one.
    pub bank_key: Option<String>,
    /// What came in; negative where it went out.
    pub amount: Bolivars,
    /// The bank's day of it.
    pub paid_on: CaracasDate,
    /// The bank's instant of it, where it says the time.
    pub paid_at: Option<Timestamp>,
    /// What the bank says of the payer.
    pub payer: PayerFacts,
    /// The bank's own words about it. They decide nothing.
    pub description: BankText,
}

impl Sighting {
    /// The movement of this id that it shows to a question, claimed by nothing.
    #[must_use]
    pub fn into_movement(self, id: MovementId) -> Movement {
        let Self { reference, bank_key, amount, paid_on, paid_at, payer, description } = self;
        Movement {
            id,
            reference,
            bank_key,
            amount,
            paid_on,
            paid_at,
            payer,
            description,
            receipt: None,
            typed: None,
            is_named: true,
            contested_with: None,
            claimed: None,
        }
    }
}

/// Verdict of an account's movements on a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This one is meant, and no other can be.
    One(MovementId),
    /// None is meant; one may still appear.
    NotFound,
    /// The reference is there, and what came in is another amount.
    OtherAmount {
        /// What came in; of several, the latest.
        amount: Bolivars,
    },
    /// The reference is there, and the money went out.
    Outgoing(MovementId),
    /// One would be meant, were more typed or said: so few digits are not enough.
    TooShort,
    /// Several fit.
    Ambiguous {
        /// How many of the last digits distinguish them, or as many as there are.
        digits_needed: u32,
    },
    /// The one that fits may be the same money as a movement of which the bank says something else: only a person can say
    /// whether it is.
    Contested {
        /// The movement that it may be.
        with: MovementId,
        /// How many digits were typed: more do not help.
        digits: u32,
    },
}

#[cfg(test)]
mod tests;
