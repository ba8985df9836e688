//! The bodies of the operator's routes, read into what they mean, and what is shown of it.

use std::time::Duration;

use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::secret::SecretText;
use domain::text::Text;
use domain::time::{CaracasDate, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::bdv::written::{hour_and_minute, read_amount};
use crate::books::Delivery;
use crate::faults::{self, Fault, FaultKind, Faults};
use crate::payment::{
    self, Account, Again, Kind, NAMELESS, NewPayment, Oddities, Payer, Payment, PushTarget,
    SecretHeader,
};
use crate::rates::RateBoard;

/// The longest key or secret, in bytes.
const SECRET_LEN_MAX: usize = 200;

/// The longest address that notices go to, in bytes.
const URL_LEN_MAX: usize = 2_048;

/// `POST /admin/accounts`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewAccount {
    account: String,
    api_key: String,
    phone: String,
    rif: String,
    push: Option<NewPush>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPush {
    url: String,
    api_key: String,
    header: Option<String>,
}

impl NewAccount {
    /// Parses the account, or names the field that is wrong.
    pub(super) fn account(self) -> Result<Account, String> {
        Ok(Account {
            number: field("account", AccountNumber::parse(&self.account))?,
            api_key: secret("api_key", self.api_key)?,
            phone: field("phone", Phone::parse(&self.phone))?,
            rif: field("rif", Document::parse(&self.rif))?,
            push: self.push.map(NewPush::target).transpose()?,
        })
    }
}

impl NewPush {
    fn target(self) -> Result<PushTarget, String> {
        let is_http = self.url.starts_with("http://") && self.url.len() <= URL_LEN_MAX;
        if !is_http || !self.url.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "push.url: debe comenzar con http:// y tener hasta {URL_LEN_MAX} caracteres / \
                 must begin with http:// and have at most {URL_LEN_MAX} characters"
            ));
        }
        let header = self.header.as_deref().unwrap_or(SecretHeader::default().name());
        let header = SecretHeader::parse(header).ok_or("push.header: API-KEY, X-API-KEY")?;
        Ok(PushTarget { url: self.url, header, api_key: secret("push.api_key", self.api_key)? })
    }
}

/// `POST /admin/payments`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WirePayment {
    account: String,
    reference: String,
    /// A number, or text with a point; never taken for a binary fraction.
    amount: Value,
    payer_bank: String,
    phone: String,
    document: String,
    name: Option<String>,
    kind: Option<String>,
    at: Option<String>,
    delay_seconds: Option<u64>,
    commission: Option<bool>,
    repeated: Option<bool>,
    at_its_hour: Option<bool>,
    unreadable: Option<bool>,
    remark: Option<String>,
    again: Option<WireAgain>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireAgain {
    #[serde(default)]
    days_before: u8,
    payer_bank: Option<String>,
}

impl WireAgain {
    fn again(self) -> Result<Again, String> {
        if self.days_before > payment::AGAIN_DAYS_MAX {
            return Err(at_most("again.days_before", payment::AGAIN_DAYS_MAX.into()));
        }
        let bank = self.payer_bank.map(|code| field("again.payer_bank", BankCode::parse(&code)));
        Ok(Again { days_before: self.days_before, bank: bank.transpose()? })
    }
}

impl WirePayment {
    /// Parses the payment, or names the field that is wrong.
    pub(super) fn payment(self) -> Result<NewPayment, String> {
        let delay = Duration::from_secs(self.delay_seconds.unwrap_or(0));
        if delay > payment::DELAY_MAX {
            return Err(at_most("delay_seconds", payment::DELAY_MAX.as_secs()));
        }
        let name = self.name.as_deref().unwrap_or(NAMELESS);
        Ok(NewPayment {
            account: field("account", AccountNumber::parse(&self.account))?,
            reference: field("reference", TypedReference::parse(&self.reference))?,
            amount: amount(&self.amount)?,
            payer: Payer {
                bank: field("payer_bank", BankCode::parse(&self.payer_bank))?,
                phone: field("phone", Phone::parse(&self.phone))?,
                document: field("document", Document::parse(&self.document))?,
                name: field("name", Text::parse(name))?,
            },
            kind: kind(self.kind.as_deref())?,
            at: self.at.as_deref().map(|at| field("at", Timestamp::parse(at))).transpose()?,
            delay,
            oddities: Oddities {
                commission: self.commission,
                repeated: self.repeated,
                at_its_hour: self.at_its_hour,
                unreadable: self.unreadable,
                again: self.again.map(WireAgain::again).transpose()?,
                remark: self
                    .remark
                    .map(|remark| field("remark", Text::parse(&remark)))
                    .transpose()?,
            },
        })
    }
}

fn kind(name: Option<&str>) -> Result<Kind, String> {
    match name {
        None | Some("pago_movil") => Ok(Kind::PagoMovil),
        Some("transfer") => Ok(Kind::Transfer),
        Some(_) => Err("kind: pago_movil, transfer".to_owned()),
    }
}

fn amount(value: &Value) -> Result<Bolivars, String> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    read_amount(&text).filter(|amount| amount.is_positive()).ok_or_else(|| {
        "amount: más de cero, con dos decimales a lo sumo / above zero, with two decimals at most"
            .to_owned()
    })
}

/// `PUT /admin/faults`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewFault {
    account: Option<String>,
    kind: String,
    count: Option<u32>,
    delay_ms: Option<u64>,
}

impl NewFault {
    /// For which account, if for one, and what is set there; nothing, where it is ended.
    pub(super) fn fault(self) -> Result<(Option<AccountNumber>, Option<Fault>), String> {
        let account = self.account.as_deref().map(AccountNumber::parse).transpose();
        let account = field("account", account)?;
        if self.kind == "none" {
            return Ok((account, None));
        }
        let Some(kind) = FaultKind::parse(&self.kind) else {
            let names = FaultKind::ALL.map(|(_, name)| name).join(", ");
            return Err(format!("kind: none, {names}"));
        };
        let delay = self.delay_ms.map(Duration::from_millis);
        if delay.is_some_and(|delay| delay > faults::DELAY_MAX) {
            return Err(at_most("delay_ms", faults::DELAY_MAX.as_secs() * 1_000));
        }
        Ok((account, Some(Fault { kind, count: self.count, delay })))
    }
}

/// `PUT /admin/rates`. Rates are returned as they stand here, so that wrong ones can be.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewRates {
    pub(super) rates: Option<Vec<Value>>,
}

/// Writes the rates that the address returns, its faults, and how often it was asked.
pub(super) fn rates_shown(board: &RateBoard, now: Timestamp) -> Value {
    json!({
        "rates": board.rates(now),
        "faults": faults_shown(&board.faults)["faults"],
        "asked": board.asked,
    })
}

/// `PUT /admin/clock`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewClock {
    now: String,
}

impl NewClock {
    pub(super) fn now(&self) -> Result<Timestamp, String> {
        field("now", Timestamp::parse(&self.now))
    }
}

fn field<T, E: std::fmt::Display>(name: &str, read: Result<T, E>) -> Result<T, String> {
    read.map_err(|error| format!("{name}: no es válido / {error}"))
}

fn at_most(name: &str, most: u64) -> String {
    format!("{name}: a lo sumo {most} / at most {most}")
}

fn secret(name: &str, text: String) -> Result<SecretText, String> {
    let is_header = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_header || text.len() > SECRET_LEN_MAX {
        return Err(format!(
            "{name}: de 1 a {SECRET_LEN_MAX} caracteres visibles / visible characters"
        ));
    }
    Ok(SecretText::new(text))
}

/// An account without its secrets.
pub(super) fn account_shown(account: &Account) -> Value {
    let push =
        account.push.as_ref().map(|push| json!({"url": push.url, "header": push.header.name()}));
    json!({
        "account": account.number.as_str(),
        "phone": account.phone.as_str(),
        "rif": account.rif.to_string(),
        "push": push,
    })
}

/// A payment, whether it is posted by now, and the outcomes of its notices.
pub(super) fn payment_shown(payment: &Payment, deliveries: &[Delivery], now: Timestamp) -> Value {
    let payer = &payment.payer;
    json!({
        "id": payment.number.to_string(),
        "account": payment.account.as_str(),
        "reference": payment.reference.digits(),
        "amount": payment.amount.to_string(),
        "payer_bank": payer.bank.as_str(),
        "phone": payer.phone.as_str(),
        "document": payer.document.to_string(),
        "name": payer.name.as_str(),
        "kind": match payment.kind { Kind::PagoMovil => "pago_movil", Kind::Transfer => "transfer" },
        "at": payment.paid_at.to_string(),
        "posts_at": payment.posts_at.to_string(),
        "is_posted": payment.posts_at <= now,
        "pushes": deliveries.iter().map(delivery_shown).collect::<Vec<_>>(),
    })
}

/// The outcome of a notice: the receiver's own answer, or why there is none.
pub(super) fn delivery_shown(delivery: &Delivery) -> Value {
    match &delivery.end {
        Ok(posted) => {
            // What is no JSON is shown as the text that it is.
            let answer = serde_json::from_str(&posted.body);
            let answer: Value = answer.unwrap_or_else(|_| Value::String(posted.body.clone()));
            let (at, status) = (delivery.at.to_string(), posted.status);
            json!({"at": at, "status": status, "codigo": answer.get("codigo"), "answer": answer})
        }
        Err(reason) => json!({"at": delivery.at.to_string(), "error": reason}),
    }
}

/// The faults that are set.
pub(super) fn faults_shown(faults: &Faults) -> Value {
    let shown = faults.list().into_iter().map(|(account, fault)| {
        json!({
            "account": account.as_ref().map(AccountNumber::as_str),
            "kind": fault.kind.name(),
            "count": fault.count,
            "delay_ms": u64::try_from(fault.wait().as_millis()).ok(),
        })
    });
    json!({"faults": shown.collect::<Vec<_>>()})
}

/// The bank's clock.
pub(super) fn clock_shown(now: Timestamp, is_manual: bool) -> Value {
    json!({
        "now": now.to_string(),
        "caracas_date": CaracasDate::of(now).to_string(),
        "caracas_time": hour_and_minute(now),
        "is_manual": is_manual,
    })
}
