//! The reader of a page: what it may do about what the page says, and whom it asks for the rest.

use domain::access::{
    AcceptLink, Caller, ChangeBankSecret, ChangeLink, CreateLink, LinkBankAccount, Operation,
    SetAccountSettings, SetCreditLimit, Verify,
};
use domain::language::Language;
use web::Signed;

/// A text in Spanish and in English.
pub(super) type Both = (&'static str, &'static str);

/// Act that advice takes, which not everybody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Verifying,
    AcceptingPayments,
    MakingLinks,
    /// Changing what a link asks for, and accepting a payment of that.
    ChangingLinks,
    LinkingAccounts,
    AccountSettings,
    BankSecrets,
    KeyLimits,
    /// What is between the owner and the operator of the service.
    BeingOwner,
}

/// Text of what to do, and what to say instead to somebody who may not do it. `{who}` there is whom to ask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Advice {
    pub(super) takes: Takes,
    pub(super) text: Both,
    pub(super) ask: Both,
}

impl Advice {
    /// Makes advice that everybody may follow.
    pub(super) const fn of(es: &'static str, en: &'static str) -> Self {
        Self { takes: Takes::Nothing, text: (es, en), ask: (es, en) }
    }

    pub(super) const fn taking(takes: Takes, text: Both, ask: Both) -> Self {
        Self { takes, text, ask }
    }
}

/// A person who reads a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    may: Vec<Takes>,
    is_client: bool,
}

impl Reader {
    /// The person signed in.
    pub(super) fn of<O: Operation>(signed: &Signed<O>) -> Self {
        let accepts = signed.may::<AcceptLink>();
        let all = [
            (Takes::Nothing, true),
            (Takes::Verifying, signed.may::<Verify>()),
            (Takes::AcceptingPayments, accepts),
            (Takes::MakingLinks, signed.may::<CreateLink>()),
            (Takes::ChangingLinks, accepts && signed.may::<ChangeLink>()),
            (Takes::LinkingAccounts, signed.may::<LinkBankAccount>()),
            (Takes::AccountSettings, signed.may::<SetAccountSettings>()),
            (Takes::BankSecrets, signed.may::<ChangeBankSecret>()),
            (Takes::KeyLimits, signed.may::<SetCreditLimit>()),
            (Takes::BeingOwner, matches!(signed.caller(), Caller::Owner(_))),
        ];
        let may = all.into_iter().filter(|(_, may)| *may).map(|(takes, _)| takes).collect();
        Self { may, is_client: signed.caller().client().is_some() }
    }

    /// Tells whether the reader may do what takes that.
    pub(super) fn may(&self, takes: Takes) -> bool {
        self.may.contains(&takes)
    }

    /// The advice, or whom to ask.
    pub(super) fn advise(&self, advice: &Advice, language: Language) -> String {
        match self.may(advice.takes) {
            true => language.pick(advice.text.0, advice.text.1).to_owned(),
            false => self.asking(language.pick(advice.ask.0, advice.ask.1), language),
        }
    }

    /// The text with whom to ask in the place of `{who}`: a client's person knows nobody but the merchant.
    pub(super) fn asking(&self, text: &str, language: Language) -> String {
        let (es, en) = match self.is_client {
            true => ("al comercio que le da acceso", "the merchant that gives you access"),
            false => {
                ("al titular o a quien tenga el permiso", "the owner or someone with permission")
            }
        };
        text.replace("{who}", language.pick(es, en))
    }
}

#[cfg(test)]
impl Reader {
    /// Somebody who may do all of it.
    pub(super) fn who_may(takes: &[Takes]) -> Self {
        let may = takes.iter().copied().chain([Takes::Nothing]).collect();
        Self { may, is_client: false }
    }
}
