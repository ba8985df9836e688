//! What a copy says of itself.

use std::collections::BTreeMap;

use domain::ids::{AuditId, OwnerId, StoreId};
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use store::value::Value;

/// The manifest.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Manifest {
    /// An instant at which nothing later was read yet: what ended after it may be in the copy or not.
    pub(crate) copied_at: String,
    /// The program that made it.
    pub(crate) version: String,
    /// The engine that it was read from.
    pub(crate) engine: String,
    /// The store's id.
    pub(crate) store_id: Option<String>,
    /// The digest of the schema.
    pub(crate) schema: String,
    /// The SHA-256 of everything before the manifest.
    pub(crate) content: String,
    /// Never: without the key the secrets in the copy open to nobody.
    pub(crate) has_master_key: bool,
    /// How many rows each table has.
    pub(crate) tables: BTreeMap<String, u64>,
    /// How far the ledger and the audit trail of each owner went.
    pub(crate) owners: Vec<Head>,
}

/// The ends of what only grows of an owner.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Head {
    owner: String,
    /// The latest line of its ledger.
    ledger_line: Option<i64>,
    /// The latest entry of its audit trail.
    audit_id: Option<String>,
}

/// Facts about a copy that its rows do not say.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) copied_at: Timestamp,
    pub(crate) engine: &'static str,
    pub(crate) schema: [u8; 32],
}

/// Progress of an owner's ledger and trail.
#[derive(Default)]
struct Reached {
    line: Option<i64>,
    audit: Option<[u8; 16]>,
}

/// Facts that are gathered from the rows.
#[derive(Default)]
pub(super) struct Gathered {
    store: Option<StoreId>,
    tables: BTreeMap<String, u64>,
    heads: BTreeMap<[u8; 16], Reached>,
    table: String,
    /// Places of the columns that say something, in the table that is read.
    places: Option<[usize; 2]>,
}

impl Gathered {
    pub(super) fn begin(&mut self, table: &str, columns: &[String]) {
        let names = match table {
            "installation" => Some(["name", "value"]),
            "owners" => Some(["owner_id", "owner_id"]),
            "credit_movements" => Some(["owner_id", "line"]),
            "audit" => Some(["owner_id", "id"]),
            _ => None,
        };
        let place = |name: &str| columns.iter().position(|column| column == name);
        self.places = names.and_then(|[one, other]| Some([place(one)?, place(other)?]));
        table.clone_into(&mut self.table);
        self.tables.insert(self.table.clone(), 0);
    }

    pub(super) fn row(&mut self, row: &[Value]) {
        if let Some(rows) = self.tables.get_mut(&self.table) {
            *rows += 1;
        }
        let Some([one, other]) = self.places else { return };
        match (self.table.as_str(), row.get(one), row.get(other)) {
            ("installation", Some(Value::Text(name)), Some(value))
                if name == app::admin::installation::STORE_ID =>
            {
                self.store = id_of(value).map(StoreId::from_bytes);
            }
            ("owners", Some(owner), _) => {
                if let Some(owner) = id_of(owner) {
                    self.heads.entry(owner).or_default();
                }
            }
            ("credit_movements", Some(owner), Some(Value::Int(line))) => {
                if let Some(owner) = id_of(owner) {
                    let head = self.heads.entry(owner).or_default();
                    head.line = head.line.max(Some(*line));
                }
            }
            ("audit", Some(owner), Some(id)) => {
                if let Some((owner, id)) = id_of(owner).zip(id_of(id)) {
                    let head = self.heads.entry(owner).or_default();
                    head.audit = head.audit.max(Some(id));
                }
            }
            _ => {}
        }
    }

    /// The manifest of what was gathered; `content` is the digest of all that was written.
    pub(super) fn manifest(self, about: &About, content: &[u8]) -> Manifest {
        let head = |(owner, Reached { line, audit })| Head {
            owner: OwnerId::from_bytes(owner).to_string(),
            ledger_line: line,
            audit_id: audit.map(|id| AuditId::from_bytes(id).to_string()),
        };
        Manifest {
            copied_at: about.copied_at.to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            engine: about.engine.to_owned(),
            store_id: self.store.map(|id| id.to_string()),
            schema: hex(&about.schema),
            content: hex(content),
            has_master_key: false,
            tables: self.tables,
            owners: self.heads.into_iter().map(head).collect(),
        }
    }
}

fn id_of(value: &Value) -> Option<[u8; 16]> {
    match value {
        Value::Bytes(bytes) => bytes.as_slice().try_into().ok(),
        Value::Id(bytes) => Some(*bytes),
        _ => None,
    }
}

/// The bytes as digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Manifest {
    /// Tells whether it is of the schema with that digest.
    pub(crate) fn has_schema(&self, schema: &[u8]) -> bool {
        self.schema == hex(schema)
    }
}
