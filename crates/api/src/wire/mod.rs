//! Shapes that several operations answer.

mod account;
mod client;
mod clock;
mod credit_limit;
mod delivery;
mod document;
mod employee;
mod key;
mod lineage;
mod link;
mod object;
mod person;
mod push;
mod query;
mod receipt;
mod redelivery;
mod subscription;

pub(crate) use app::links::WireLink;
pub(crate) use app::verification::WirePayment;
pub(crate) use app::wire::WirePrice;
use axum::response::Response;
use domain::ids::BankId;
use domain::language::Language;
use domain::refusal::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use web::{Failure, answer};

pub(crate) use crate::operation::Shown;
pub(crate) use account::{BankSecret, WireBank};
pub(crate) use client::{ClientAnswer, WireClient, client_in_path, said_of_client};
pub(crate) use clock::WireClock;
pub(crate) use credit_limit::{LimitBody, WireCreditLimit};
pub(crate) use delivery::{WireDelivery, WireListed, WireTrouble, delivery_id};
pub(crate) use document::{Dni, DniChange, text_or_number};
pub(crate) use employee::{
    ClientEmployeeAnswer, ClientEmployeeInvited, EmployeeAnswer, EmployeeInvited, RIGHTS_MAX,
    RightName, WireClientEmployee, WireEmployee, employee_in_path, names, rights,
};
pub(crate) use key::{
    KeyAnswer, PERMISSIONS_MAX, PermissionName, SELECTION_MAX, WireKey, client_id, key_id,
    permissions, said_of_key, selection,
};
pub(crate) use lineage::{PasswordAnswer, WireIssued, WireIssuer};
pub(crate) use link::{CurrencyCode, LinkAmount, LinkAnswer, STATUS_CALLS, link_id, said};
pub(crate) use object::Object;
pub(crate) use person::WirePerson;
pub(crate) use push::WirePush;
pub(crate) use query::{
    after, day, days, event_kind, event_parameter, in_order, invalid, limit, limit_parameter,
    looked_back, month, month_parameter, non_empty, page, page_parameter, parameter,
};
pub(crate) use receipt::WireReceipt;
pub(crate) use redelivery::WireRedelivery;
pub(crate) use subscription::{
    SUBSCRIPTION_CALLS, SubscriptionAnswer, UnpaidPolicyWord, WireSubscription, WireTestClock,
    said_of_subscription, subscription_id,
};

/// The text of an answer, in the language of the request.
pub(crate) fn say(language: Language, es: &'static str, en: &'static str) -> &'static str {
    match language {
        Language::Es => es,
        Language::En => en,
    }
}

/// Una respuesta que es una sola frase. / An answer that is one sentence.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MessageAnswer {
    message: &'static str,
}

pub(crate) fn said_only(message: &'static str) -> Result<Response, Failure> {
    answer::json(&MessageAnswer { message })
}

/// The id of an account in a path. One of another form is an id of nothing.
pub(crate) fn bank_id(text: &str) -> Result<BankId, Refusal> {
    text.parse().map_err(|_| Refusal::UserBankNotFound)
}
