//! What keys are bound and limited to: their clients and accounts by name, and the fields that choose them.

use std::collections::HashMap;

use app::Error;
use app::accounts::Linked;
use app::keys::{KeyRecord, KeyScope};
use domain::access::{ListBankAccounts, ListClients, Operation};
use domain::ids::{BankId, ClientId};
use domain::language::Language;
use domain::refusal::Refusal;
use web::{AppState, Failure, FormBody, Signed};

use crate::dashboard::choice::Choice;
use crate::dashboard::fields::FormFields;

texts! {
    /// What pages say of the reach of keys.
    ReachTexts {
        client: "Cliente", "Client";
        client_hint: "Con un cliente, la llave alcanza las cuentas de él, con los permisos fijos y la cuota mensual de él.", "With a client, the key can use that client's accounts, with the client's fixed permissions and monthly quota.";
        no_client: "Ninguno: es suya", "None: it is yours";
        accounts: "Cuentas", "Accounts";
        all: "Todas las que alcance, también las que vincule después", "All accounts available to it, including those you link later";
        selected: "Solo las que marque", "Only the accounts you select";
        selected_hint: "Una cuenta que vincule después no entra sola. Si eligió un cliente, marque solo cuentas de él.", "Accounts that you link later are not added automatically. If you chose a client, select only that client's accounts.";
        no_accounts: "Todavía no hay cuentas vinculadas: alcanzará las que vincule.", "No accounts are linked yet: the key will be able to use those you link.";
        all_accounts: "Todas", "All";
        gone: "ya no está: papelera u otro cliente", "no longer available: in the trash or moved to another client";
        hidden_test: "Una cuenta de prueba", "A test account";
        hidden_real: "Una cuenta real", "A real account";
        is_test: "es de prueba", "a test account";
        is_real: "es real", "a real account";
    }
}

/// The names of clients and accounts, as far as the person signed in may know them.
#[derive(Debug, Default)]
pub(super) struct Names {
    clients: Vec<(ClientId, String)>,
    accounts: Vec<Named>,
}

#[derive(Debug)]
struct Named {
    id: BankId,
    client: Option<ClientId>,
    name: String,
    is_test: bool,
    /// True if the person's mode shows it. One that it does not show is not named.
    is_shown: bool,
}

impl Names {
    /// All of them, for a person who is to choose.
    pub(super) async fn all<O: Operation>(
        state: &AppState,
        signed: &Signed<O>,
    ) -> Result<Self, Failure> {
        Self::read(state, signed, (true, true)).await
    }

    /// Reads the names that are needed to name the reach of these keys.
    pub(super) async fn of_keys<O: Operation>(
        state: &AppState,
        signed: &Signed<O>,
        keys: &[KeyRecord],
    ) -> Result<Self, Failure> {
        let with_clients = keys.iter().any(|record| record.key.client.is_some());
        let with_accounts = keys.iter().any(|record| !record.key.selection.is_empty());
        Self::read(state, signed, (with_clients, with_accounts)).await
    }

    async fn read<O: Operation>(
        state: &AppState,
        signed: &Signed<O>,
        (with_clients, with_accounts): (bool, bool),
    ) -> Result<Self, Failure> {
        let mut names = Self::default();
        if let (true, Ok(act)) = (with_clients, signed.also::<ListClients>()) {
            names.clients = app::clients::names(&state.app, &act).await?;
        }
        if let (true, Ok(act)) = (with_accounts, signed.also::<ListBankAccounts>()) {
            let linked = app::accounts::list(&state.app, &act).await?;
            let named = |linked: &Linked| Named {
                id: linked.account.id,
                client: linked.account.client,
                name: name_of(linked),
                is_test: linked.is_test,
                is_shown: signed.test_mode.shows(linked.is_test),
            };
            names.accounts = linked.iter().map(named).collect();
        }
        Ok(names)
    }

    /// Returns what a client is called; its id where that may not be known.
    pub(super) fn client(&self, id: ClientId) -> String {
        let known = self.clients.iter().find(|(client, _)| *client == id);
        known.map_or_else(|| id.to_string(), |(_, name)| name.clone())
    }

    /// Returns what the accounts are called that a key is limited to.
    pub(super) fn accounts(&self, selection: &[BankId], t: &ReachTexts) -> Vec<String> {
        let shown = |named: &Named| match (named.is_shown, named.is_test) {
            (true, _) => named.name.clone(),
            (false, true) => t.hidden_test.to_owned(),
            (false, false) => t.hidden_real.to_owned(),
        };
        let known: HashMap<BankId, String> =
            self.accounts.iter().map(|named| (named.id, shown(named))).collect();
        let name = |id: &BankId| match known.get(id) {
            Some(name) => name.clone(),
            None => format!("{id} ({})", t.gone),
        };
        selection.iter().map(name).collect()
    }

    /// The clients that a key can be bound to, and that which it is bound to. Nothing where there are none.
    pub(super) fn client_choices(&self, bound: Option<ClientId>, t: &ReachTexts) -> Vec<Choice> {
        let missing = bound.filter(|id| self.clients.iter().all(|(client, _)| client != id));
        if self.clients.is_empty() && missing.is_none() {
            return Vec::new();
        }
        let clients = self.clients.iter().map(|(id, name)| Choice::new(id.to_string(), name));
        let missing = missing.map(|id| Choice::new(id.to_string(), id.to_string()));
        [Choice::new("", t.no_client)].into_iter().chain(missing).chain(clients).collect()
    }

    /// The accounts that a key can be limited to, each with the client that has it. Those that it is limited to are
    /// offered whatever the person's mode: they leave the selection by being unticked alone. One of the other mode says
    /// what it is.
    pub(super) fn account_choices(&self, selection: &[BankId], t: &ReachTexts) -> Vec<Choice> {
        let of_client = |named: &Named| match named.client {
            Some(client) if !self.clients.is_empty() => self.client(client),
            _ => String::new(),
        };
        let more = |named: &Named| {
            let of_mode = match (named.is_shown, named.is_test) {
                (true, _) => "",
                (false, true) => t.is_test,
                (false, false) => t.is_real,
            };
            let parts = [of_mode.to_owned(), of_client(named)];
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
        };
        let choice = |named: &Named| Choice {
            more: more(named),
            ..Choice::new(named.id.to_string(), named.name.clone())
        };
        let is_offered = |named: &&Named| named.is_shown || selection.contains(&named.id);
        self.accounts.iter().filter(is_offered).map(choice).collect()
    }
}

/// Joins what the owner calls the account, its bank and the end of its number; its id where none is there.
fn name_of(linked: &Linked) -> String {
    let digits = linked.facts.as_ref().map(|facts| {
        let number = facts.number.as_str();
        format!("…{}", number.get(number.len().saturating_sub(4)..).unwrap_or_default())
    });
    let label = Some(linked.account.description.clone()).filter(|label| !label.is_empty());
    let bank = linked.bank.map(|bank| bank.platform.to_owned());
    let parts = [label, bank, digits].into_iter().flatten();
    let name = parts.collect::<Vec<_>>().join(" · ");
    if name.is_empty() { linked.account.id.to_string() } else { name }
}

/// Reads the scope that a form has chosen. An empty selection is everything, and must be said so: boxes that nobody
/// ticked say nothing.
pub(super) fn chosen(fields: &mut FormFields<'_>, form: &FormBody) -> Option<KeyScope> {
    let client = fields.optional("client_owner_id", str::parse::<ClientId>);
    let selection = match &*form.field("accounts") {
        "all" => Some(Vec::new()),
        "selected" => ticked(fields, form),
        _ => fields.problem("accounts", ("elija cuáles", "choose which")),
    };
    selection.map(|selection| KeyScope { client, selection })
}

fn ticked(fields: &mut FormFields<'_>, form: &FormBody) -> Option<Vec<BankId>> {
    let ids = form.fields("user_banks");
    if ids.is_empty() {
        let problem = ("marque al menos una, o elija todas", "select at least one, or choose all");
        return fields.problem("accounts", problem);
    }
    let ids: Result<Vec<BankId>, _> = ids.iter().map(|id| id.parse()).collect();
    ids.map_or_else(|error| fields.problem("accounts", error), Some)
}

/// The refusal with what is wrong beside the field that it is about.
pub(super) fn beside(error: Error) -> Error {
    let Error::Refused(refusal) = error else { return error };
    let refusal = match refusal {
        Refusal::AccountNotInClient => Refusal::invalid(
            "accounts",
            (
                "hay una que no es de ese cliente o ya no está: marque solo las de él",
                "one does not belong to that client or no longer exists: select only the client's accounts",
            ),
        ),
        Refusal::NotFound("client") => {
            Refusal::invalid("client_owner_id", ("ya no existe", "no longer exists"))
        }
        other => other,
    };
    refusal.into()
}

/// How the accounts of a key are shown in a list: all, the one, or how many.
pub(super) fn in_short(names: &[String], t: &ReachTexts, language: Language) -> String {
    match names {
        [] => t.all_accounts.to_owned(),
        [one] => one.clone(),
        several => format!("{} {}", several.len(), language.pick("cuentas", "accounts")),
    }
}
