//! What must hold when links were paid through a service that was killed often enough, however often
//! that was.

use std::collections::{HashMap, HashSet};
use std::thread;
use std::time::Duration;

use domain::verification::CALLS_MAX;

use crate::audit::an_hour_older;
use crate::patience::until;
use crate::payer::{Payer, Said, page_of};
use crate::program::{Node, Site};
use crate::sales::{CREDITS, Market, Sale, let_an_hour_pass};
use crate::shop::Webhook;

/// How long what was taken over may take, on a machine with other things to do.
const SOON: Duration = Duration::from_secs(20);

/// How many payers come back at once.
const PAYERS: usize = 8;

/// Everything that is wrong, once there is a service that nobody kills and a shop that listens.
pub(crate) fn violations(site: &Site, market: &Market) -> Vec<String> {
    let_an_hour_pass(site);
    market.moods.get_well();
    let node = site.start();
    wait_for_the_end(site);
    let mut wrong = market.notes.lock().unwrap().violations.clone();
    let paid = come_back(market, &node, &mut wrong);
    let pending = "select count(*) from webhook_deliveries where state = 0";
    until(SOON, "every webhook is delivered", || site.database.number(pending) == 0);
    wrong.extend(ledger(site, market, &node, paid.len()));
    wrong.extend(webhooks(&market.receiver.received(), &paid));
    node.stop();
    wrong
}

/// Waits until every check is over. What met a kill at every try waits for its deadline, and nothing
/// but the clock would change until then.
pub(crate) fn wait_for_the_end(site: &Site) {
    let asked =
        format!("select count(*) from verifications where state = 0 and calls < {CALLS_MAX}");
    until(SOON, "what was open is taken over", || site.database.number(&asked) == 0);
    site.database.execute(&an_hour_older());
    let_an_hour_pass(site);
    let open = "select count(*) from verifications where state = 0";
    until(SOON, "what was given up is let go", || site.database.number(open) == 0);
}

/// Everybody looks at the page once more, and types again what the page has not confirmed: every
/// link is paid by then whose receipts are its own, and one of two that share a receipt. Answers the
/// links that are paid.
fn come_back(market: &Market, node: &Node, wrong: &mut Vec<String>) -> HashSet<String> {
    let (sales, said_paid) = {
        let notes = market.notes.lock().unwrap();
        (notes.sales.clone(), notes.said_paid.clone())
    };
    let each = sales.len().div_ceil(PAYERS).max(1);
    let mut paid = HashSet::new();
    thread::scope(|scope| {
        let visitors: Vec<_> = sales
            .chunks(each)
            .map(|part| {
                scope.spawn(|| part.iter().map(|sale| see_to(sale, node)).collect::<Vec<_>>())
            })
            .collect();
        for (links, problem) in visitors.into_iter().flat_map(|visitor| visitor.join().unwrap()) {
            paid.extend(links);
            wrong.extend(problem);
        }
    });
    let forgotten = said_paid.difference(&paid);
    wrong.extend(forgotten.map(|link| format!("{link} was paid, as its page said, and is not")));
    paid
}

/// The links of a sale that are paid, and what is wrong with that.
fn see_to(sale: &Sale, node: &Node) -> (Vec<String>, Option<String>) {
    let payer = Payer(node.addr);
    let is_paid = |link: &str| payer.sees(&page_of(link)) == Said::Paid;
    for (link, receipt) in sale.attempts() {
        if !is_paid(link) {
            payer.pays(link, receipt);
        }
    }
    let paid: Vec<String> = sale.links.iter().filter(|link| is_paid(link)).cloned().collect();
    let problem = (paid.len() != 1).then(|| {
        format!("{:?} by {:?}: {} are paid, and not one", sale.links, sale.receipts, paid.len())
    });
    (paid, problem)
}

/// One movement, one payment, one credit and one event for each link that is paid.
fn ledger(site: &Site, market: &Market, node: &Node, paid: usize) -> Vec<String> {
    let paid = i64::try_from(paid).unwrap();
    let mut wrong = Vec::new();
    let mut expect = |what: &str, found: i64, right: i64| {
        if found != right {
            wrong.push(format!("{what}: {found}, and not {right}"));
        }
    };
    for query in [
        "select count(*) from payment_links where state = 1",
        "select count(*) from payments",
        "select count(distinct p.movement_id) from payment_links l join payments p \
         on p.owner_id = l.owner_id and p.id = l.payment_id where l.state = 1",
        "select count(*) from credit_movements where movement_type = 'debit'",
        "select count(*) from webhook_deliveries where state = 1",
        "select count(*) from webhook_deliveries",
    ] {
        expect(query, site.database.number(query), paid);
    }
    let twice = "select count(*) from (select 1 from movements \
                 group by owner_id, reference having count(*) > 1) as twice";
    expect("movements taken in twice", site.database.number(twice), 0);
    // A link has a row of the third kind until its time is over, paid or not, and an owner one of the
    // fifth for its daily work.
    let leases = "select (select count(*) from due where kind not in (3, 5)) \
                  + (select count(*) from verifications where lease_until is not null)";
    expect("leases of what has ended", site.database.number(leases), 0);
    expect("credits", market.shop.owner.balance(node.addr), CREDITS - paid);
    let (code, audit) = site.run(&["check-ledger", "--json"], "");
    if code != Some(0) || audit["overdue"].as_array().is_none_or(|overdue| !overdue.is_empty()) {
        wrong.push(format!("check-ledger: {code:?} {audit}"));
    }
    // However it was cut short, what was sent is proved.
    let (code, audit) = site.run(&["check-deliveries", "--json"], "");
    if code != Some(0) {
        wrong.push(format!("check-deliveries: {code:?} {audit}"));
    }
    wrong
}

/// Every paid link was reported, and no other; signed, and in the same words each time.
fn webhooks(received: &[Webhook], paid: &HashSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut first: HashMap<&str, &Webhook> = HashMap::new();
    for webhook in received {
        let known = *first.entry(&webhook.link).or_insert(webhook);
        if (&known.event, &known.body) != (&webhook.event, &webhook.body) {
            wrong.push(format!("{known:?}, and then {webhook:?}"));
        }
        if !webhook.is_signed || webhook.status != "paid" || !paid.contains(&webhook.link) {
            wrong.push(format!("{webhook:?}"));
        }
    }
    let unreported = paid.iter().filter(|link| !first.contains_key(link.as_str()));
    wrong.extend(unreported.map(|link| format!("{link} is paid and nobody was told")));
    wrong
}
