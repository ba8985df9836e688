//! What lists are asked for: every filter that they offer, on the first page and on the last.

use anyhow::{Context, Result};
use domain::time::{CaracasDate, Timestamp};
use serde::Deserialize;
use serde_json::json;

use super::callers::{self, Callers};
use super::load::Requests;
use super::requests::{self, get, post, spread};
use super::seed::Account;
use super::service::{Asker, Service};

/// The first page and the last that a list has.
pub(super) const PAGES: [u32; 2] = [1, LAST];
const LAST: u32 = 400;

/// How many entries a page has, where nothing is said, and how many it can have.
const PAGE: u32 = 25;
const PAGE_MAX: u32 = 100;

/// Address that the webhooks of these owners go to. Nobody listens there, and nobody delivers.
const RECEIVER: &str = "127.0.0.1:9009";

/// The key of the bank's interface, the account's number there and the phone. Made up.
const BANK_KEY: &str = "made-up-key";
const BANK_ACCOUNT: &str = "01020000890000000001";

/// A list with a filter.
pub(super) struct Question {
    pub(super) name: &'static str,
    ask: Ask,
}

/// How it is asked for. Words in braces stand for what the owner has.
enum Ask {
    Get(&'static str),
    /// A page of the dashboard.
    Page(&'static str),
    /// Payment links, by the members of a body besides the page, as the owner or by one of these keys.
    Links(Option<Whose>, &'static str),
}

type Whose = fn(&Callers) -> &str;

const fn question(name: &'static str, path: &'static str) -> Question {
    Question { name, ask: Ask::Get(path) }
}

const fn of_dashboard(name: &'static str, path: &'static str) -> Question {
    Question { name, ask: Ask::Page(path) }
}

const fn of_links(name: &'static str, filter: &'static str) -> Question {
    Question { name, ask: Ask::Links(None, filter) }
}

const fn of_links_by(whose: Whose, name: &'static str, filter: &'static str) -> Question {
    Question { name, ask: Ask::Links(Some(whose), filter) }
}

/// A word that no link has.
const NONE: &str = r#","search":"nothing has it""#;

/// Questions about lists that get entries from verifications alone.
pub(super) static OF_VERIFICATIONS: [Question; 3] = [
    question("activity", "/v1/api-keys/{key}/activity?page={page}"),
    question("movements", "/movements/{bank}?page={page}"),
    question("movements of a day", "/movements/{bank}?page={page}&from={to}&to={to}"),
];

/// The others.
pub(super) static OTHERS: [Question; 74] = [
    question("notifications", "/v1/bank-pay-notifications?page={page}"),
    question(
        "notifications of an account",
        "/v1/bank-pay-notifications?page={page}&user_bank_id={pushed}",
    ),
    question("notifications of days", "/v1/bank-pay-notifications?page={page}&from={from}&to={to}"),
    question("deliveries", "/v1/webhooks/deliveries?page={page}"),
    question("deliveries in a state", "/v1/webhooks/deliveries?page={page}&state=exhausted"),
    question(
        "deliveries of an event",
        "/v1/webhooks/deliveries?page={page}&event=payment_link.failed",
    ),
    question("deliveries of a link", "/v1/webhooks/deliveries?page={page}&payment_link_id={link}"),
    question("deliveries to a receiver", "/v1/webhooks/deliveries?page={page}&receiver={receiver}"),
    question("deliveries of days", "/v1/webhooks/deliveries?page={page}&from={from}&to={to}"),
    question("payments", "/v1/payments?limit=25{behind payments}"),
    question("payments of days", "/v1/payments?from={from}&to={to}{behind payments}"),
    question("payments of an account", "/v1/payments?user_bank_id={bank}{behind payments}"),
    question("payments of a key", "/v1/payments?api_key_id={key}{behind payments}"),
    question(
        "payments changed since",
        "/v1/payments?updated_since={from}T00:00:00Z{behind payments}",
    ),
    question("payments of no key", "/v1/payments?api_key_id=key_00000000000000000000000000"),
    question("verifications", "/v1/verifications?limit=25{behind verifications}"),
    question("verifications of a reference", "/v1/verifications?reference=0000000000"),
    question(
        "verifications of days",
        "/v1/verifications?from={from}&to={to}{behind verifications}",
    ),
    question(
        "verifications of an account",
        "/v1/verifications?user_bank_id={bank}{behind verifications}",
    ),
    question("verifications of a key", "/v1/verifications?api_key_id={key}{behind verifications}"),
    question("verifications of a link", "/v1/verifications?payment_link_id={link}"),
    question("verifications that failed", "/v1/verifications?status=not_found"),
    question(
        "verifications that were refused",
        "/v1/verifications/refused?limit=25{behind refused}",
    ),
    question(
        "refused ones of an account",
        "/v1/verifications/refused?user_bank_id={bank}{behind refused}",
    ),
    question("refused ones of a reference", "/v1/verifications/refused?reference=0000000000"),
    question("audit", "/v1/audit?page={page}"),
    question("audit of days", "/v1/audit?page={page}&from={from}&to={to}"),
    question("events", "/v1/webhooks/events?limit=25"),
    question("sessions", "/auth/sessions?page={page}"),
    question("notices", "/v1/notices?page={page}"),
    question("rates", "/v1/exchange-rates?page={page}"),
    question("lines of the statement", "/v1/credits?after={line}"),
    question("statistics by day", "/v1/statistics?livemode=false"),
    question("statistics by account", "/v1/statistics?livemode=false&group_by=bank"),
    question("statistics by client", "/v1/statistics?livemode=false&group_by=client"),
    question("statistics by key", "/v1/statistics?livemode=false&group_by=key"),
    of_links("links", ""),
    of_links("links with most status", r#","status":"failed""#),
    of_links("links with a rare status", r#","status":"canceled""#),
    of_links("links of a type", r#","type":"api""#),
    of_links("links with a word", r#","search":"order 77""#),
    of_links("links with a word of none", NONE),
    of_links_by(|by| &by.of_client, "links of a client", ""),
    of_links_by(|by| &by.of_client, "links of a client with a word of none", NONE),
    of_links_by(|by| &by.of_small_client, "links of a small client", ""),
    of_links_by(|by| &by.of_small_client, "links of a small client with a word of none", NONE),
    of_links_by(|by| &by.limited, "links of a busy account", ""),
    of_links_by(|by| &by.limited, "links of a busy account with a word of none", NONE),
    of_links_by(|by| &by.quiet, "links of a quiet account", ""),
    of_links_by(|by| &by.quiet, "links of a quiet account with a word of none", NONE),
    of_dashboard("page: home", "/app"),
    of_dashboard("page: payments", "/app/payments"),
    of_dashboard("page: payments of an amount of none", "/app/payments?amount=7,77"),
    of_dashboard("page: a reference", "/app/payments?search=0000067890"),
    of_dashboard("page: verifications", "/app/payments/verifications"),
    of_dashboard("page: verifications not found", "/app/payments/verifications?status=not_found"),
    of_dashboard("page: verifications that were refused", "/app/payments/refused"),
    of_dashboard("page: verifications of days", "/app/payments/verifications?from={from}&to={to}"),
    of_dashboard("page: refused ones of an account", "/app/payments/refused?user_bank_id={bank}"),
    of_dashboard("page: payments of an account", "/app/payments?user_bank_id={bank}"),
    of_dashboard("page: payments of days", "/app/payments?from={from}&to={to}"),
    of_dashboard("page: keys", "/app/keys?page={page}"),
    of_dashboard("page: accounts", "/app/accounts?page={page}"),
    of_dashboard("page: sessions", "/app/sessions?page={page}"),
    of_dashboard("page: notices", "/app/notices?page={page}"),
    of_dashboard("page: rates", "/app/rates?page={page}"),
    of_dashboard("page: deliveries in a state", "/app/webhooks?state=exhausted&page={page}"),
    of_dashboard("page: who used what", "/app/activity"),
    of_dashboard("page: movements", "/app/payments/movements?user_bank_id={bank}&page={page}"),
    of_dashboard("page: notifications", "/app/payments/notifications?page={page}"),
    of_dashboard("page: links", "/app/links?page={page}"),
    of_dashboard("page: links with a word", "/app/links?search=order+77&page={page}"),
    of_dashboard("page: deliveries", "/app/webhooks?page={page}"),
    of_dashboard("page: activity", "/app/keys/{key}/activity?page={page}"),
];

/// An owner, and what its lists are asked by.
#[derive(Clone)]
pub(super) struct Owner {
    pub(super) account: Account,
    /// Those who reach a part of its links.
    callers: Callers,
    /// Its account whose bank sends notifications, and a link, as text.
    pushed: String,
    link: String,
    /// What the last pages of payments, of verifications and of refused ones begin behind.
    behind: [String; 3],
}

impl Owner {
    /// Makes an owner whose lists get entries from verifications alone.
    pub(super) fn plain(account: Account) -> Self {
        Self {
            account,
            callers: Callers::default(),
            pushed: String::new(),
            link: String::new(),
            behind: Default::default(),
        }
    }

    /// Learns behind which entries the last pages begin of lists that go on behind an entry.
    pub(super) fn find_last_pages(&mut self, service: &mut Asker) -> Result<()> {
        let session = self.account.session.as_deref();
        let lists = ["payments", "verifications", "verifications/refused"];
        for (list, behind) in lists.into_iter().zip(&mut self.behind) {
            *behind = last_page(service, list, session).with_context(|| list.to_owned())?;
        }
        Ok(())
    }
}

/// A page of a list, of one owner after the other.
pub(super) struct Pages {
    pub(super) owners: Vec<Owner>,
    pub(super) question: &'static Question,
    pub(super) page: u32,
    pub(super) today: CaracasDate,
}

impl Requests for Pages {
    fn write(&self, number: u64, buffer: &mut Vec<u8>) {
        let owner = spread(&self.owners, number);
        let session = owner.account.session.as_deref();
        let page = self.page.to_string();
        match self.question.ask {
            Ask::Get(path) => get(buffer, &self.filled(path, owner), session),
            Ask::Page(path) => {
                requests::page(buffer, &self.filled(path, owner), owner.account.cookie.as_deref());
            }
            Ask::Links(whose, filter) => {
                let body = format!(r#"{{"page":{page}{filter}}}"#);
                let by = whose.map(|whose| whose(&owner.callers));
                buffer.extend(post("/me/payment-links", by.or(session), &body));
            }
        }
    }
}

impl Pages {
    /// The parameter of a page that goes on behind an entry: none of the first.
    const fn behind<'a>(&self, parameter: &'a str) -> &'a str {
        if self.page == 1 { "" } else { parameter }
    }

    /// The path with what the owner has instead of the words in braces.
    fn filled(&self, path: &str, owner: &Owner) -> String {
        path.replace("{page}", &self.page.to_string())
            .replace("{key}", &owner.account.key_id.to_string())
            .replace("{bank}", &owner.account.bank.to_string())
            .replace("{pushed}", &owner.pushed)
            .replace("{link}", &owner.link)
            .replace("{line}", &(25 * self.page + 2).to_string())
            .replace("{receiver}", RECEIVER)
            .replace("{behind payments}", self.behind(&owner.behind[0]))
            .replace("{behind verifications}", self.behind(&owner.behind[1]))
            .replace("{behind refused}", self.behind(&owner.behind[2]))
            .replace("{from}", &self.today.plus_days(-10).to_string())
            .replace("{to}", &self.today.to_string())
    }
}

#[derive(Deserialize)]
struct Listed {
    next: Option<String>,
}

/// The parameter by which the last page of a list is asked for, found as anybody finds it: page by page.
fn last_page(service: &mut Asker, list: &str, session: Option<&str>) -> Result<String> {
    let (mut left, mut behind) = ((LAST - 1) * PAGE, String::new());
    while left > 0 {
        let limit = left.min(PAGE_MAX);
        let mut request = Vec::new();
        get(&mut request, &format!("/v1/{list}?limit={limit}{behind}"), session);
        let Listed { next } = serde_json::from_str(&service.ask(&request)?)?;
        let Some(next) = next else { break };
        behind = format!("&after={next}");
        left -= limit;
    }
    Ok(behind)
}

#[derive(Deserialize)]
struct Linked {
    userbank: UserBank,
    push: Push,
}

#[derive(Deserialize)]
struct UserBank {
    id: String,
}

#[derive(Deserialize)]
struct Push {
    path: String,
    secret: String,
}

/// Answer to the making of a link.
#[derive(Deserialize)]
pub(super) struct Made {
    pub(super) paymentlink: MadeLink,
}

#[derive(Deserialize)]
pub(super) struct MadeLink {
    pub(super) id: String,
}

/// Gives owners who have signed in one entry in each of the other lists: a notification, a link that failed, the
/// delivery about it, and a question that was refused; and a link of a client's.
pub(super) fn first_entries(
    service: &Service,
    banks: &Service,
    owners: &[Account],
    now: Timestamp,
) -> Result<Vec<Owner>> {
    let account = json!({
        "account": BANK_ACCOUNT, "api_key": BANK_KEY, "phone": "04120000001", "rif": "J-12345678-4",
    });
    Asker::connect(banks.addr)?.ask(&post("/admin/accounts", None, &account.to_string()))?;
    let mut service = Asker::connect(service.addr)?;
    let owners = owners.iter().map(|account| {
        let pushed = notify(&mut service, account, now).context("a notification")?;
        let body = json!({
            "amount": 150.75, "description": "Order", "user_bank_id": account.bank.to_string(),
            "webhook_url": format!("http://{RECEIVER}/hook"),
        });
        let made = post("/v1/paymentlink", Some(&account.key), &body.to_string());
        let made: Made = serde_json::from_str(&service.ask(&made)?)?;
        let link = made.paymentlink.id;
        service.ask(&post(&format!("/v1/paymentlink/{link}/reject"), Some(&account.key), "{}"))?;
        callers::refused(&mut service, account).context("a question that is refused")?;
        let callers = Callers::make(&mut service, account).context("callers")?;
        Ok(Owner { callers, pushed, link, ..Owner::plain(account.clone()) })
    });
    owners.collect()
}

/// Links an account whose bank sends a notification; answers its id.
fn notify(service: &mut Asker, owner: &Account, now: Timestamp) -> Result<String> {
    let body = json!({
        "bank_provider": "BDV", "description": "Account", "password": BANK_KEY,
        "user_bank_phone": { "countryCode": "58", "number": "4120000001" },
        "user_bank_dni": { "dni_type": "J", "dni_number": "123456784" },
        "metadata": [{ "key_name": "account_number", "key_value": BANK_ACCOUNT }],
    });
    let linked = service.ask(&post("/usersbank", Some(&owner.key), &body.to_string()))?;
    let Linked { userbank, push } = serde_json::from_str(&linked)?;
    let notice = json!({
        "bancoOrdenante": "0134", "referenciaBancoOrdenante": "000010000000", "idCliente": "V123456784",
        "numeroCliente": "04140000002", "idComercio": "J123456784", "numeroComercio": "04120000001",
        "fecha": CaracasDate::of(now).to_string(), "hora": "1200", "monto": "150.75",
    })
    .to_string();
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: cotejo\r\napi-key: {}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        push.path,
        push.secret,
        notice.len(),
    );
    service.ask(format!("{head}{notice}").as_bytes())?;
    Ok(userbank.id)
}
