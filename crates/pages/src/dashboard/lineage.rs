//! Keys and people that somebody has issued, as several pages list them, and the names of who issued them.

use std::collections::HashMap;

use app::lineage::{
    IssuedKind, IssuedList, IssuedRecord, IssuerKind, ShownIssuer, WithIssued, names,
};
use app::{Act, Error};
use domain::access::Guarded;
use domain::ids::ActorId;
use domain::language::Language;
use web::{AppState, FormBody};

use super::written::instant;

texts! {
    /// What pages say of what was issued.
    LineageTexts {
        name: "Nombre", "Name";
        what: "Qué es", "Type";
        by: "La emitió", "Issued by";
        at: "Cuándo", "Date";
        from: "Desde", "IP address";
        key: "Llave", "API key";
        person: "Persona", "Person";
        owner: "El titular", "The owner";
        operator: "El operador del servicio", "The service operator";
        merchant: "El comercio", "The merchant";
        somebody: "Alguien del cliente", "Someone at the client";
        more: "Hay más: revoque primero las que más emitieron.", "There are more: first revoke those that issued the most.";
        ask: "Qué pasa con lo que emitió", "What happens to what it issued";
        ask_hint: "Si le robaron la llave, termínelo también.", "If this key was stolen, end them too.";
        ends: "También se termina", "End them too";
        stays: "Sigue funcionando", "Keep them working";
    }
}

/// A list of what was issued, as a page shows it.
pub(super) struct IssuedTable {
    pub(super) t: &'static LineageTexts,
    pub(super) rows: Vec<IssuedRow>,
    pub(super) is_cut: bool,
}

/// A key or a person that was issued.
pub(super) struct IssuedRow {
    /// The page about it; people have none.
    pub(super) href: Option<String>,
    pub(super) name: String,
    pub(super) what: &'static str,
    pub(super) by: String,
    pub(super) at: String,
    /// Nothing where it is not known.
    pub(super) from: String,
}

/// Names of issuers.
#[derive(Debug)]
pub(super) struct Issuers {
    names: HashMap<ActorId, String>,
    t: &'static LineageTexts,
}

impl Issuers {
    /// Reads the names of these.
    pub(super) async fn of<O: Guarded>(
        state: &AppState,
        act: &Act<O>,
        mut ids: Vec<ActorId>,
        language: Language,
    ) -> Result<Self, Error> {
        ids.sort_unstable();
        ids.dedup();
        let names = names(&state.app, act, ids).await?;
        Ok(Self { names, t: LineageTexts::of(language) })
    }

    /// The issuer in words.
    pub(super) fn name(&self, issuer: &ShownIssuer) -> String {
        let named = issuer.id.and_then(|id| self.names.get(&id));
        match (issuer.kind, named) {
            (IssuerKind::Owner, _) => self.t.owner.to_owned(),
            (IssuerKind::Operator, _) => self.t.operator.to_owned(),
            (IssuerKind::Merchant, _) => self.t.merchant.to_owned(),
            (IssuerKind::Person, Some(name)) => name.clone(),
            (IssuerKind::Person, None) => self.t.somebody.to_owned(),
            (IssuerKind::Key, Some(name)) => format!("{} {name}", self.t.key),
            (IssuerKind::Key, None) => self.t.key.to_owned(),
        }
    }
}

impl IssuedTable {
    /// The table of a list; nothing where there is nothing to list.
    pub(super) async fn of<O: Guarded>(
        state: &AppState,
        act: &Act<O>,
        list: &IssuedList,
        language: Language,
    ) -> Result<Option<Self>, Error> {
        if list.entries.is_empty() && !list.is_cut {
            return Ok(None);
        }
        let ids = list.entries.iter().filter_map(|entry| entry.issuer.id).collect();
        let issuers = Issuers::of(state, act, ids, language).await?;
        let t = LineageTexts::of(language);
        let rows = list.entries.iter().map(|entry| IssuedRow::of(entry, &issuers, t)).collect();
        Ok(Some(Self { t, rows, is_cut: list.is_cut }))
    }
}

impl IssuedRow {
    fn of(entry: &IssuedRecord, issuers: &Issuers, t: &LineageTexts) -> Self {
        let (href, what) = match entry.kind {
            IssuedKind::Key => (Some(format!("/app/keys/{}", entry.id)), t.key),
            IssuedKind::Person => (None, t.person),
        };
        Self {
            href,
            name: entry.name.clone(),
            what,
            by: issuers.name(&entry.issuer),
            at: instant(entry.issued_at),
            from: entry.address.clone().unwrap_or_default(),
        }
    }
}

/// Choice of a form of what becomes of what was issued.
pub(super) fn chosen(form: &FormBody) -> WithIssued {
    match form.field("with_issued").as_str() {
        "yes" => WithIssued::Ends,
        "no" => WithIssued::Stays,
        _ => WithIssued::Unsaid,
    }
}
