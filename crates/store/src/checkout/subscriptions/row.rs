//! A subscription as a row.

use domain::ids::{ActorId, BankId, ClientId, OwnerId, PayerPageId, SubscriptionId};
use domain::links::{Currency, Price};
use domain::secret::PersonalText;
use domain::subscriptions::{
    AnchorDay, Calendar, End, PAGE_KEPT, PeriodLength, PeriodUnit, Reminders, Restarts, Resumption,
    Schedule, Standing, Subscription as Rules, Terms, TestClock, UnpaidPolicy,
};
use domain::time::{CaracasDate, Timestamp};
use domain::url::UrlText;

use crate::fault::Fault;
use crate::value::{Row, Value};

/// What is read of the subscription `s`.
macro_rules! columns {
    () => {
        "s.id, s.bank_id, s.actor_id, s.client_id, s.name, s.description, s.product_name, \
         s.product_code, s.customer_name, s.customer_phone, s.customer_code, s.customer_email, \
         s.reminder_mail_off, s.amount, s.currency, \
         s.webhook_url, s.livemode, s.clock_ahead, s.period_unit, s.period_count, s.begins_on, s.anchor_day, \
         s.pay_first, s.cycles, s.lead_days, s.grace_days, s.has_trial, s.reminders, s.ended_as, s.begun, \
         s.skipped, s.paid, s.canceled_from, s.paused_from, s.is_active, s.created_at, s.updated_at, \
         s.canceled_by_payer, s.page_id, s.page_until, s.restarts, s.resumes_on, s.resumes_anew, \
         s.unpaid_policy, s.newest_settled, s.ends_unpaid"
    };
}
pub(crate) use columns;

/// Product that a subscription is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Its name.
    pub name: String,
    /// Its code at the merchant's.
    pub code: Option<String>,
}

/// Person who pays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Customer {
    /// The name.
    pub name: PersonalText,
    /// The phone, as it was typed.
    pub phone: PersonalText,
    /// The code at the merchant's.
    pub code: Option<String>,
    /// Where reminders are mailed to.
    pub email: Option<PersonalText>,
    /// Whether whoever gets them wants no more by mail.
    pub is_mail_off: bool,
}

/// A subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscription {
    /// Its id.
    pub id: SubscriptionId,
    /// The account that its cycles are paid to.
    pub bank: BankId,
    /// Who made it, and is charged for its cycles.
    pub actor: ActorId,
    /// The client of who made it.
    pub client: Option<ClientId>,
    /// Its label, where its maker gave one.
    pub name: Option<String>,
    /// What it is for, where its maker said that.
    pub description: Option<String>,
    /// The product.
    pub product: Product,
    /// Who pays.
    pub customer: Customer,
    /// What the cycles ask for that open from now on.
    pub price: Price,
    /// The address that is notified of the ends of its links.
    pub webhook_url: Option<UrlText>,
    /// Whether it is about money that exists.
    pub livemode: bool,
    /// Clock that it lives by.
    pub clock: TestClock,
    /// Its calendar and the like.
    pub terms: Terms,
    /// How it stands.
    pub standing: Standing,
    /// How many of its cycles were paid.
    pub paid: u32,
    /// Whether its payer canceled it, which the owner does not take back.
    pub canceled_by_payer: bool,
    /// The id by which anybody sees its payer's page.
    pub page: PayerPageId,
    /// Until when that page is open.
    pub page_until: Timestamp,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Subscription {
    /// Returns the label of its cycles' links.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.product.name)
    }

    /// Returns the instant of the real clock at which a cycle lapses.
    #[must_use]
    pub fn lapses_at(&self, cycle: u32) -> Timestamp {
        self.clock.real_of(self.terms.lapses_at(cycle))
    }

    /// Returns it with its payer's page open for [`PAGE_KEPT`] from that instant of the real clock on, and for no less than it was.
    #[must_use]
    pub fn with_page_kept(self, from: Timestamp) -> Self {
        Self { page_until: self.page_until.max(from.plus(PAGE_KEPT)), ..self }
    }
}

/// The text that searches for a subscription look at.
#[must_use]
pub fn search_text(of: &Subscription) -> String {
    let Customer { name, phone, code, email, .. } = &of.customer;
    let texts = [
        Some(of.label()),
        Some(of.product.name.as_str()),
        of.product.code.as_deref(),
        Some(name.as_str()),
        Some(phone.as_str()),
        code.as_deref(),
        email.as_ref().map(PersonalText::as_str),
    ];
    let mut search = of.id.to_string();
    for text in texts.into_iter().flatten() {
        search.push(' ');
        search.push_str(text);
    }
    search.to_lowercase()
}

pub(super) const fn end_number(end: End) -> i64 {
    match end {
        End::Canceled => 0,
        End::Expired => 1,
        End::Completed => 2,
    }
}

const ENDS: [End; 3] = [End::Canceled, End::Expired, End::Completed];

pub(super) fn params(owner: OwnerId, new: &Subscription) -> [Value; 33] {
    let Terms { schedule, pay_first, cycles, lead_days, grace_days, has_trial, reminders, unpaid } =
        new.terms;
    [
        owner.into(),
        new.id.into(),
        new.bank.into(),
        new.actor.into(),
        new.client.into(),
        new.name.as_deref().into(),
        new.description.as_deref().into(),
        new.product.name.as_str().into(),
        new.product.code.as_deref().into(),
        new.customer.name.as_str().into(),
        new.customer.phone.as_str().into(),
        new.customer.code.as_deref().into(),
        new.price.hundredths.into(),
        new.price.currency.as_str().into(),
        new.webhook_url.as_ref().map(UrlText::as_str).into(),
        new.livemode.into(),
        schedule.length().unit().as_str().into(),
        i64::from(schedule.length().count()).into(),
        schedule.begins().days().into(),
        i64::from(schedule.anchor().get()).into(),
        pay_first.into(),
        cycles.map(i64::from).into(),
        i64::from(lead_days).into(),
        i64::from(grace_days).into(),
        has_trial.into(),
        new.standing.is_active.into(),
        search_text(new).into(),
        new.created_at.into(),
        new.page.into(),
        new.page_until.into(),
        new.customer.email.as_ref().map(PersonalText::as_str).into(),
        reminders.to_string().into(),
        unpaid.as_str().into(),
    ]
}

pub(crate) fn read(row: &Row) -> Result<Subscription, Fault> {
    let url: Option<String> = row.get("webhook_url")?;
    let url = url.map(|text| UrlText::from_stored(&text)).transpose();
    Ok(Subscription {
        id: row.get("id")?,
        bank: row.get("bank_id")?,
        actor: row.get("actor_id")?,
        client: row.get("client_id")?,
        name: row.get("name")?,
        description: row.get("description")?,
        product: Product { name: row.get("product_name")?, code: row.get("product_code")? },
        customer: Customer {
            name: PersonalText::new(row.get("customer_name")?),
            phone: PersonalText::new(row.get("customer_phone")?),
            code: row.get("customer_code")?,
            email: row.get::<Option<String>>("customer_email")?.map(PersonalText::new),
            is_mail_off: row.get("reminder_mail_off")?,
        },
        price: Price { hundredths: row.get("amount")?, currency: currency(row)? },
        webhook_url: url.map_err(|_| broken("address"))?,
        livemode: row.get("livemode")?,
        clock: clock(row)?,
        terms: terms(row)?,
        standing: standing(row)?,
        paid: number(row, "paid")?,
        canceled_by_payer: row.get("canceled_by_payer")?,
        page: row.get("page_id")?,
        page_until: row.get("page_until")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

/// Reads the part that its rules need, as if nothing was owed.
pub(crate) fn read_rules(row: &Row) -> Result<Rules, Fault> {
    let (terms, clock, standing) = (terms(row)?, clock(row)?, standing(row)?);
    Ok(Rules { terms, clock, standing, owed: Vec::new() })
}

/// Reads the currency of its price.
pub(crate) fn currency(row: &Row) -> Result<Currency, Fault> {
    let code: String = row.get("currency")?;
    Currency::parse(&code).ok_or_else(|| broken("currency"))
}

fn clock(row: &Row) -> Result<TestClock, Fault> {
    TestClock::from_micros(row.get("clock_ahead")?).ok_or_else(|| broken("clock"))
}

fn terms(row: &Row) -> Result<Terms, Fault> {
    let unit: String = row.get("period_unit")?;
    let unit = PeriodUnit::parse(&unit).ok_or_else(|| broken("period"))?;
    let length = PeriodLength::new(unit, row.get("period_count")?);
    let begins = CaracasDate::from_days(row.get("begins_on")?);
    let anchor = AnchorDay::new(row.get("anchor_day")?).ok_or_else(|| broken("anchor"))?;
    let (reminders, restarts): (String, String) = (row.get("reminders")?, row.get("restarts")?);
    let schedule = Schedule::new(
        begins.ok_or_else(|| broken("day"))?,
        length.ok_or_else(|| broken("period"))?,
        Some(anchor),
    );
    let unpaid: String = row.get("unpaid_policy")?;
    let restarts = Restarts::from_stored(&restarts).ok_or_else(|| broken("calendar"))?;
    Ok(Terms {
        schedule: schedule.with_restarts(restarts),
        pay_first: row.get("pay_first")?,
        cycles: number_opt(row, "cycles")?,
        lead_days: number(row, "lead_days")?,
        grace_days: number(row, "grace_days")?,
        has_trial: row.get("has_trial")?,
        reminders: Reminders::from_stored(&reminders).ok_or_else(|| broken("reminder"))?,
        unpaid: UnpaidPolicy::parse(&unpaid).ok_or_else(|| broken("policy"))?,
    })
}

fn standing(row: &Row) -> Result<Standing, Fault> {
    let ended: Option<i64> = row.get("ended_as")?;
    let end = match ended {
        None => None,
        Some(number) => {
            let end = ENDS.into_iter().find(|end| end_number(*end) == number);
            Some(end.ok_or_else(|| broken("end"))?)
        }
    };
    Ok(Standing {
        end,
        begun: number(row, "begun")?,
        skipped: number(row, "skipped")?,
        newest_settled: number_opt(row, "newest_settled")?,
        canceled_from: number_opt(row, "canceled_from")?,
        ends_unpaid: row.get("ends_unpaid")?,
        paused_from: number_opt(row, "paused_from")?,
        resumes: resumes(row)?,
        is_active: row.get("is_active")?,
    })
}

fn resumes(row: &Row) -> Result<Option<Resumption>, Fault> {
    let (on, is_anew): (Option<i64>, bool) = (row.get("resumes_on")?, row.get("resumes_anew")?);
    let calendar = if is_anew { Calendar::New } else { Calendar::Same };
    let Some(on) = on else { return Ok(None) };
    let on = CaracasDate::from_days(on).ok_or_else(|| broken("end of a pause"))?;
    Ok(Some(Resumption { on, calendar }))
}

fn number<N: TryFrom<i64>>(row: &Row, column: &str) -> Result<N, Fault> {
    N::try_from(row.get(column)?).map_err(|_| broken(column))
}

fn number_opt(row: &Row, column: &str) -> Result<Option<u32>, Fault> {
    let found: Option<i64> = row.get(column)?;
    found.map(|number| u32::try_from(number).map_err(|_| broken(column))).transpose()
}

fn broken(what: &str) -> Fault {
    Fault::broken(format!("a subscription with a broken {what}"))
}
