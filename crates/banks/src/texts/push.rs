//! A text that was sent on, as a notice of a payment.

use bank::{Notice, Push, PushAnswer, PushOutcome};
use domain::bank_text::BankText;
use domain::matching::{PayerFacts, Sighting};
use domain::secret::PersonalText;
use domain::time::CaracasDate;

use super::cursor::{Cursor, plain};
use super::envelope::{self, Forwarded};
use super::forms::{Reported, may_be_income};
use super::originators::forms_of;

/// Texts of banks, in the forms that are known.
#[derive(Debug)]
pub(super) struct Texts;

impl Push for Texts {
    fn secret_headers(&self) -> &'static [&'static str] {
        &["x-api-key"]
    }

    fn read(&self, body: &[u8]) -> Option<Notice> {
        let forwarded = envelope::read(body)?;
        notice(&forwarded, &reported(&forwarded)?)
    }

    fn is_unread(&self, body: &[u8]) -> bool {
        let Some(forwarded) = envelope::read(body) else { return false };
        let is_listed = forms_of(&forwarded.sender).is_some();
        is_listed && plain(&forwarded.text).is_some_and(|text| may_be_income(&text))
    }

    fn answer(&self, outcome: PushOutcome, _body: &[u8]) -> PushAnswer {
        let body = match outcome {
            PushOutcome::Taken => r#"{"status":"taken"}"#,
            PushOutcome::Again => r#"{"status":"again"}"#,
            PushOutcome::Unread => r#"{"status":"unread"}"#,
            PushOutcome::Ignored | PushOutcome::Refused => r#"{"status":"ignored"}"#,
        };
        body.into()
    }

    fn refuses_by_status(&self) -> bool {
        true
    }

    fn may_double(&self) -> bool {
        true
    }
}

/// The facts of a text of a listed sender, in one of that sender's forms.
fn reported(forwarded: &Forwarded) -> Option<Reported> {
    let forms = forms_of(&forwarded.sender)?;
    let text = plain(&forwarded.text)?;
    forms.iter().find_map(|form| form(Cursor::new(&text)))
}

/// The notice; nothing where neither the text nor the phone says when it was.
fn notice(forwarded: &Forwarded, reported: &Reported) -> Option<Notice> {
    let undated = || forwarded.at.map(|at| (CaracasDate::of(at), at));
    let (paid_on, paid_at) = reported.when.or_else(undated)?;
    let payer = PayerFacts { phone: reported.phone.clone(), ..PayerFacts::default() };
    let (reference, amount) = (reported.reference.clone(), reported.amount);
    let movement = Sighting {
        reference: reference.clone(),
        bank_key: None,
        amount,
        paid_on,
        paid_at: Some(paid_at),
        payer: payer.clone(),
        description: BankText::default(),
    };
    Some(Notice {
        message: PersonalText::new(format!(
            "Aviso reenviado: pago recibido por Bs {amount}, referencia {}, fecha {paid_on}",
            reference.digits()
        )),
        reference,
        amount,
        paid_on,
        paid_at: Some(paid_at),
        payer,
        is_same_bank: false,
        movement: Some(movement),
    })
}
