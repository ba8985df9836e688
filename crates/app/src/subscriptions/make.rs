//! The operation: `POST /v1/subscription/make`.

use std::fmt;
use std::sync::Arc;

use bank::Bank;
use domain::access::{Caller, MakeSubscription};
use domain::ids::{BankId, LinkId, OwnerId, PayerPageId, SubscriptionId};
use domain::language::Language;
use domain::links::Price;
use domain::secret::PersonalText;
use domain::subscriptions::{
    self as domain_subscriptions, Next, PAGE_KEPT, Step, Terms, TestClock,
};
use domain::text::{EmailAddress, Text};
use domain::url::UrlText;
use store::idempotency::Slot;
use store::subscriptions::{self, Customer, Product, Subscription};
use store::tx::Tx;
use store::{accounts, audit};

use super::steps::step;
use super::{
    PartyCode, PartyName, PhoneText, SubscriptionDescription, SubscriptionName, SubscriptionRecord,
    record,
};
use crate::accounts::reached;
use crate::audit_entry::audited;
use crate::links::usable;
use crate::locator::Locator;
use crate::outcome::{Outcome, as_answer};
use crate::{Act, App, Error, changes, kept_answers};

/// Request for a subscription.
#[derive(Clone)]
pub struct SubscriptionRequest {
    /// The account that its cycles are paid to.
    pub bank: BankId,
    /// Its label; the links of its cycles have the product's name where there is none.
    pub name: Option<SubscriptionName>,
    /// Purpose that payers read; the product's name where there is none.
    pub description: Option<SubscriptionDescription>,
    /// The name and the code of the product.
    pub product: (PartyName, Option<PartyCode>),
    /// Price of each cycle.
    pub price: Price,
    /// Name, phone and code of who pays.
    pub customer: (PartyName, PhoneText, Option<PartyCode>),
    /// Where the payer is reminded by mail.
    pub email: Option<EmailAddress>,
    /// The address that is notified of the ends of its links.
    pub webhook_url: Option<UrlText>,
    /// Its calendar and the like.
    pub terms: Terms,
}

/// Shows nothing of who pays.
impl fmt::Debug for SubscriptionRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubscriptionRequest").field("bank", &self.bank).finish_non_exhaustive()
    }
}

/// Writes a new subscription as the body of an answer.
pub type Render = fn(&SubscriptionRecord, Language) -> Vec<u8>;

/// Everything that one transaction needs to make a subscription.
struct Making {
    caller: Caller,
    owner: OwnerId,
    new: Subscription,
    slot: Option<Slot>,
    entry: audit::Entry,
    render: Render,
    language: Language,
}

/// Makes a subscription, and opens its first cycle where that is due; with an `Idempotency-Key` that was used before,
/// answers what was answered then.
///
/// # Errors
/// A refusal, or a failure of the store.
pub async fn make(
    app: &Arc<App>,
    act: &Act<MakeSubscription>,
    request: SubscriptionRequest,
    slot: Option<Slot>,
    render: Render,
) -> Result<Vec<u8>, Error> {
    let owner = act.owner();
    let id = SubscriptionId::new(&*app.ids, act.now);
    let rules = domain_subscriptions::Subscription::new(request.terms);
    let opens = matches!(rules.next(act.now), Next::Do(Step::Open(_)));
    let first_link = opens.then(|| LinkId::new(&*app.ids));
    let making = Arc::new(Making {
        caller: act.caller().clone(),
        owner,
        new: subscription(app, act, id, request),
        slot,
        entry: audited(app, act, id.to_string()),
        render,
        language: act.request.language,
    });
    // Looked at first, so that what is refused or repeated leaves no locator behind.
    let (inner, looked) = (Arc::clone(app), Arc::clone(&making));
    let look = move |tx: &mut Tx<'_>| as_answer(look(tx, &inner, &looked));
    if let Some(known) = app.store.look_up(act.meter(), look).await?? {
        return Ok(known);
    }
    if let Some(url) = &making.new.webhook_url {
        app.webhooks.check_url(url.as_str()).await?;
    }
    let first_link = match first_link {
        Some(link) => Some(Locator::claim_link(app, act.meter(), owner, link).await?),
        None => None,
    };
    let inner = Arc::clone(app);
    act.write(app, move |tx| write(tx, &inner, &making, first_link)).await
}

fn subscription(
    app: &App,
    act: &Act<MakeSubscription>,
    id: SubscriptionId,
    request: SubscriptionRequest,
) -> Subscription {
    let said = |text: String| Some(text).filter(|text| !text.is_empty());
    let code = |code: Option<PartyCode>| code.map(Text::into_string).and_then(said);
    let (product, product_code) = request.product;
    let (customer, phone, customer_code) = request.customer;
    Subscription {
        id,
        bank: request.bank,
        actor: act.actor(),
        client: act.caller().client(),
        name: request.name.map(Text::into_string).and_then(said),
        description: request.description.map(Text::into_string).and_then(said),
        product: Product { name: product.into_string(), code: code(product_code) },
        customer: Customer {
            name: PersonalText::new(customer.into_string()),
            phone: PersonalText::new(phone.into_string()),
            code: code(customer_code),
            email: request.email.map(|email| PersonalText::new(email.as_str().to_owned())),
            is_mail_off: false,
        },
        price: request.price,
        webhook_url: request.webhook_url,
        livemode: true,
        clock: TestClock::REAL,
        terms: request.terms,
        standing: domain_subscriptions::Subscription::new(request.terms).standing,
        paid: 0,
        canceled_by_payer: false,
        page: PayerPageId::new(&*app.ids),
        // The clock of a new one is the real one.
        page_until: request.terms.lapses_at(0).plus(PAGE_KEPT),
        created_at: act.now,
        updated_at: act.now,
    }
}

/// Looks for what answers the request before anything is written: the answer to the same request, or why not.
fn look(tx: &mut Tx<'_>, app: &App, making: &Making) -> Outcome<Option<Vec<u8>>> {
    if let Some(slot) = &making.slot
        && let Some(earlier) =
            kept_answers::find(tx, app, making.owner, slot, making.new.created_at)?
    {
        return Ok(Some(earlier));
    }
    payee(tx, app, making)?;
    Ok(None)
}

/// Writes the subscription, whose first cycle opens at once by that link, if any.
fn write(
    tx: &mut Tx<'_>,
    app: &App,
    making: &Making,
    first_link: Option<LinkId>,
) -> Outcome<Vec<u8>> {
    let Making { owner, new, slot, entry, .. } = making;
    let (owner, id, now) = (*owner, new.id, new.created_at);
    if let Some(made) = subscriptions::find(tx, owner, id)? {
        // The same write again: its answer was lost.
        return answer(tx, app, making, made);
    }
    let bank = payee(tx, app, making)?;
    // Only now, so that a refusal leaves no slot behind.
    if let Some(slot) = slot
        && let Some(earlier) = kept_answers::begin(tx, app, owner, slot, id.to_bytes(), now)?
    {
        return Ok(earlier);
    }
    let new = Subscription { livemode: bank.capabilities().livemode, ..new.clone() };
    subscriptions::insert(tx, owner, &new)?;
    audit::insert_change(tx, owner, entry, &changes::made(&new), now)?;
    if let Some(link) = first_link {
        step(tx, app, (owner, id), Some(link), now)?;
    }
    let made = subscriptions::find(tx, owner, id)?.unwrap_or(new);
    let body = answer(tx, app, making, made)?;
    if let Some(slot) = slot {
        kept_answers::keep(tx, app, owner, slot, &body, id.to_bytes())?;
    }
    Ok(body)
}

fn answer(tx: &mut Tx<'_>, app: &App, making: &Making, made: Subscription) -> Outcome<Vec<u8>> {
    let now = making.new.created_at;
    let record = record(tx, app, making.owner, made, now)?;
    Ok((making.render)(&record, making.language))
}

/// The bank of the account that is to be paid to, if the caller reaches it and money can come to it.
fn payee<'a>(tx: &mut Tx<'_>, app: &'a App, making: &Making) -> Outcome<&'a Arc<dyn Bank>> {
    let found = accounts::find(tx, making.owner, making.new.bank)?;
    let account = reached(found, &making.caller)?;
    Ok(usable(app, &account)?)
}
