//! The address of a payer's page, as the page of its subscription shows it.

use app::subscriptions::SubscriptionRecord;
use domain::access::{IssuePayerPage, Operation};
use domain::language::Language;
use web::Signed;

use crate::dashboard::links::share::sent_to;
use crate::dashboard::written::instant;
use crate::written::test_mark;

texts! {
    /// Texts about the page of a payer.
    PayerPageTexts {
        title: "Página de su cliente", "Your customer's page";
        text: "Ahí ve la suscripción, paga lo que deba y puede anularla. Quien tenga la dirección puede hacer lo mismo: envíela solo a su cliente.", "There they see the subscription, pay what they owe and can cancel it. Anyone who has the address can do the same, so send it to your customer only.";
        address: "Dirección", "Address";
        whatsapp: "Enviar por WhatsApp", "Send by WhatsApp";
        open: "Ver la página", "View page";
        until: "Abre hasta el", "It opens until";
        over: "Dejó de abrir el", "It stopped opening on";
        renew: "Renovar por 30 días", "Renew for 30 days";
        replace: "Reemplazar dirección", "Replace address";
        replace_text: "Si la dirección llegó a otras manos: se crea otra, y la anterior deja de abrir. Su cliente no la recibe hasta que usted se la envíe.", "If the address got into other hands: another one is created, and the former one stops opening. Your customer does not receive it until you send it.";
        replace_sure: "Sí, reemplazar la dirección", "Yes, replace the address";
        canceled: "La anuló su cliente, desde su página.", "Your customer cancelled it, on their page.";
    }
}

/// Address of a payer's page as the merchant shares it.
pub(super) struct PayerShare {
    pub(super) url: String,
    /// Sends it; nothing where it opens nothing any more.
    pub(super) whatsapp: Option<String>,
    /// Until when it opens.
    pub(super) until: String,
}

impl PayerShare {
    /// Returns what the person who looks may share; nothing where it may not.
    pub(super) fn of<O: Operation>(
        signed: &Signed<O>,
        record: &SubscriptionRecord,
        company: &str,
    ) -> Option<Self> {
        let (of, language) = (&record.subscription, signed.language());
        let url = record.payer_url.clone().filter(|_| signed.may::<IssuePayerPage>())?;
        let t = PayerPageTexts::of(language);
        let is_open = signed.act.now < of.page_until;
        let until = if is_open { t.until } else { t.over };
        let text = message(record, company, &url, language);
        Some(Self {
            whatsapp: is_open.then(|| sent_to(of.customer.phone.as_str(), &text)),
            until: format!("{until} {}", instant(of.page_until)),
            url,
        })
    }
}

/// The message that the address is sent with.
fn message(record: &SubscriptionRecord, company: &str, url: &str, language: Language) -> String {
    let of = &record.subscription;
    let from = if company.is_empty() { String::new() } else { format!("{company}: ") };
    let test = test_mark(of.livemode, language);
    let see = language.pick("Vea aquí su suscripción", "See your subscription here");
    format!("{test}{from}{}. {see}: {url}", of.label())
}
