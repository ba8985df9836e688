//! What lists of payments are narrowed by, as the address says it.

use app::accounts::Linked;
use domain::access::{ListClients, Operation};
use domain::ids::{BankId, ClientId};
use domain::money::Bolivars;
use domain::refusal::Refusal;
use domain::time::CaracasDate;
use http::Uri;
use web::{AppState, Failure, Signed};

use super::asked;
use crate::dashboard::choice::{Choice, of_accounts};
use crate::dashboard::form::FormState;
use crate::dashboard::money::amount;
use crate::written::encoded;

/// How much of a search is looked at.
const SEARCH_MAX: usize = 60;

/// The names of those that are folded away until one is used.
const MORE: [&str; 6] = ["user_bank_id", "client", "amount", "from", "to", "status"];

texts! {
    FilterTexts {
        more: "Monto, días y más", "Amount, dates and more";
        client: "Cliente", "Client";
        every_client: "Todos", "All";
        no_amount: "El monto no se entiende. Escríbalo como 1.234,50.", "That amount is not valid. Enter it like 1,234.50.";
        no_day: "Un día no se entiende. Escríbalo como 2026-01-31.", "One of the dates is not valid. Enter it like 2026-01-31.";
        turned: "El primer día es después del último.", "The first date is after the last date.";
    }
}

/// Filters that the address asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct Filters {
    /// A reference or the code of a link; empty where nothing is searched for.
    pub(super) search: String,
    pub(super) bank: Option<BankId>,
    pub(super) client: Option<ClientId>,
    pub(super) amount: Option<Bolivars>,
    pub(super) from: Option<CaracasDate>,
    pub(super) to: Option<CaracasDate>,
    /// What is not understood of it.
    pub(super) problem: Option<&'static str>,
}

impl Filters {
    /// Reads the address. An amount or a day that is none is reported as the problem; an account or a client of
    /// another form is refused as one that is not there.
    pub(super) fn of(uri: &Uri, t: &FilterTexts) -> Result<Self, Refusal> {
        let search: String =
            asked(uri, "search").unwrap_or_default().chars().take(SEARCH_MAX).collect();
        let day = |name| asked(uri, name).map(|text| CaracasDate::parse(&text)).transpose();
        let typed = asked(uri, "amount").map(|text| amount(&text)).transpose();
        let (from, to) = (day("from"), day("to"));
        let problem = match (&typed, &from, &to) {
            (Err(_), ..) => Some(t.no_amount),
            (_, Err(_), _) | (.., Err(_)) => Some(t.no_day),
            (_, Ok(Some(from)), Ok(Some(to))) if from > to => Some(t.turned),
            _ => None,
        };
        let bank = asked(uri, "user_bank_id").map(|id| id.parse()).transpose();
        let client = asked(uri, "client").map(|id| id.parse()).transpose();
        Ok(Self {
            search,
            bank: bank.map_err(|_| Refusal::UserBankNotFound)?,
            client: client.map_err(|_| Refusal::NotFound("client"))?,
            amount: typed.unwrap_or_default().map(Bolivars::from_hundredths),
            from: from.unwrap_or_default(),
            to: to.unwrap_or_default(),
            problem,
        })
    }

    /// Tells whether that day is among those that are asked for.
    pub(super) fn has(&self, day: CaracasDate) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day <= to)
    }
}

/// The fields of the filters as they were typed.
pub(super) struct FilterForm {
    pub(super) t: &'static FilterTexts,
    pub(super) form: FormState,
    pub(super) accounts: Vec<Choice>,
    /// Nothing where the person who looks may not see clients.
    pub(super) clients: Vec<Choice>,
    pub(super) is_filtered: bool,
    pub(super) is_more_open: bool,
}

impl FilterForm {
    pub(super) async fn of<O: Operation>(
        state: &AppState,
        signed: &Signed<O>,
        (uri, linked): (&Uri, &[Linked]),
        every_account: &'static str,
    ) -> Result<Self, Failure> {
        let t = FilterTexts::of(signed.language());
        let value = |name| (name, asked(uri, name).unwrap_or_default());
        let values: Vec<_> = ["search"].into_iter().chain(MORE).map(value).collect();
        let is_more_open = values.iter().skip(1).any(|(_, value)| !value.is_empty());
        let is_filtered = values.iter().any(|(_, value)| !value.is_empty());
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let all = Choice::new("", every_account);
        Ok(Self {
            t,
            form: FormState::with(&values),
            accounts: [vec![all], of_accounts(linked.iter())].concat(),
            clients: clients(state, signed, asked(uri, "client"), t).await?,
            is_filtered,
            is_more_open,
        })
    }
}

/// The clients, and the one that is asked for where it is not among them: more are not offered than a list can hold.
async fn clients<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    chosen: Option<String>,
    t: &FilterTexts,
) -> Result<Vec<Choice>, Failure> {
    let Ok(act) = signed.also::<ListClients>() else { return Ok(Vec::new()) };
    let found = app::clients::names(&state.app, &act).await?;
    let found: Vec<_> =
        found.into_iter().map(|(id, name)| Choice::new(id.to_string(), name)).collect();
    let missing = chosen.filter(|id| found.iter().all(|one| one.value != *id));
    if found.is_empty() && missing.is_none() {
        return Ok(Vec::new());
    }
    let missing = missing.map(|id| Choice::new(id.clone(), id));
    let every = Choice::new("", t.every_client);
    Ok([every].into_iter().chain(missing).chain(found).collect())
}

/// The same address with that value under `name`, and everything else as it is.
pub(super) fn further(uri: &Uri, name: &str, value: &str) -> String {
    let kept = web::query::pairs(uri).into_iter().filter(|(kept, _)| kept != name);
    let kept: String =
        kept.map(|(name, value)| format!("{}={}&", encoded(&name), encoded(&value))).collect();
    format!("{}?{kept}{name}={value}", uri.path())
}
