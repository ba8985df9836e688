//! The form of a new subscription, read as what is asked for. What is wrong is said by its field.

use app::subscriptions::{
    AHEAD_DAYS_MAX, CYCLES_MAX, PartyCode, PartyName, PhoneText, SubscriptionRequest, Wanted,
    WrongTerm,
};
use domain::ids::BankId;
use domain::links::Price;
use domain::refusal::Refusal;
use domain::subscriptions::{
    GRACE_DAYS_MAX, InvalidReminders, LEAD_DAYS_MAX, PeriodUnit, Reminders, Terms,
};
use domain::text::EmailAddress;
use domain::time::CaracasDate;
use domain::url::UrlText;
use web::FormBody;

use super::unpaid;
use crate::dashboard::fields::FormFields;
use crate::dashboard::links::currency;
use crate::dashboard::money::amount;

/// The button that asks for the days on which the subscription would be due, and makes nothing.
pub(super) const PREVIEW: &str = "preview";

/// The fields of the form, and that button.
pub(super) const FIELDS: &[&str] = &[
    "customer_name",
    "customer_phone",
    "customer_email",
    "customer_reference",
    "product_name",
    "amount",
    "currency",
    "user_bank_id",
    "period_count",
    "period_unit",
    "pay_first",
    "reminders",
    "start_date",
    "anchor_day",
    "cycles",
    "trial_days",
    "lead_days",
    "grace_days",
    "unpaid_policy",
    "webhook_url",
    PREVIEW,
];

/// The fields of which most forms need none. They are folded while they are empty.
pub(super) const MORE: [&str; 7] =
    ["start_date", "anchor_day", "cycles", "trial_days", "lead_days", "grace_days", "webhook_url"];

/// Reads the form as it was sent on that day.
///
/// # Errors
/// All that is wrong with its fields.
pub(super) fn read(form: &FormBody, today: CaracasDate) -> Result<SubscriptionRequest, Refusal> {
    let mut fields = FormFields::of(form);
    let customer = fields.required("customer_name", PartyName::parse);
    let phone = fields.required("customer_phone", PhoneText::parse);
    let email = fields.optional("customer_email", EmailAddress::parse);
    let reference = fields.optional("customer_reference", PartyCode::parse);
    let product = fields.required("product_name", PartyName::parse);
    let hundredths = fields.required("amount", amount);
    let currency = fields.required("currency", currency);
    let bank = fields.required("user_bank_id", str::parse::<BankId>);
    let terms = terms(&mut fields, form, today);
    let webhook_url = fields.optional("webhook_url", UrlText::parse);
    let all = || {
        Some(SubscriptionRequest {
            bank: bank?,
            name: None,
            description: None,
            product: (product?, None),
            price: Price { hundredths: hundredths?, currency: currency? },
            customer: (customer?, phone?, reference),
            email,
            webhook_url,
            terms: terms?,
        })
    };
    let request = all();
    fields.made(request)
}

/// Reads the calendar alone of the form as it was sent on that day.
///
/// # Errors
/// All that is wrong with its fields.
pub(super) fn read_terms(form: &FormBody, today: CaracasDate) -> Result<Terms, Refusal> {
    let mut fields = FormFields::of(form);
    let terms = terms(&mut fields, form, today);
    fields.made(terms)
}

fn terms(fields: &mut FormFields<'_>, form: &FormBody, today: CaracasDate) -> Option<Terms> {
    let unknown = ("elija la unidad", "choose the unit");
    let unit = fields.required("period_unit", |text| PeriodUnit::parse(text).ok_or(unknown));
    let longest = i64::from(PeriodUnit::Day.count_max());
    let count = fields.number("period_count", 1, longest).unwrap_or(1);
    let pay_first = fields.yes_or_no("pay_first");
    let start = fields.day("start_date");
    let anchor = fields.number("anchor_day", 1, 31);
    let cycles = fields.number("cycles", 1, CYCLES_MAX);
    let trial_days = fields.number("trial_days", 1, AHEAD_DAYS_MAX);
    let lead_days = fields.number("lead_days", 0, i64::from(LEAD_DAYS_MAX));
    let grace_days = fields.number("grace_days", 0, i64::from(GRACE_DAYS_MAX));
    let reminders = reminders(fields, form);
    let unpaid = fields.optional("unpaid_policy", unpaid::parse);
    let wanted = Wanted {
        unit: unit?,
        count,
        anchor,
        start,
        trial_days,
        lead_days,
        grace_days,
        cycles,
        pay_first: pay_first?,
        reminders: reminders?,
        unpaid,
    };
    wanted.terms(today).map_or_else(
        |(wrong, problem)| {
            let field = match wrong {
                WrongTerm::Count => "period_count",
                WrongTerm::Anchor => "anchor_day",
                WrongTerm::Start => "start_date",
            };
            fields.problem(field, problem)
        },
        Some,
    )
}

/// Reads the days that are ticked; nothing where the form has no such boxes. `None` where something is wrong with them.
fn reminders(fields: &mut FormFields<'_>, form: &FormBody) -> Option<Option<Reminders>> {
    if !form.has("reminders") {
        return Some(None);
    }
    let day = |text: &String| text.parse::<i64>().map_err(|_| InvalidReminders::OutOfRange);
    let days: Result<Vec<i64>, _> = form.fields("reminders").iter().map(day).collect();
    let reminders = days.and_then(|days| Reminders::new(&days));
    reminders.map_or_else(|error| fields.problem("reminders", error), |days| Some(Some(days)))
}
