//! `GET /v1/audit`

use app::audit::AuditEntry;
use app::paging::Paging;
use app::refusals::{Source, Sources};
use axum::extract::State;
use axum::response::Response;
use domain::access::ListAudit;
use domain::ids::{AuditId, EmployeeId};
use domain::time::Timestamp;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Query};
use crate::wire::{Shown, say};

#[derive(Serialize, JsonSchema)]
struct AuditListed<'a> {
    message: &'static str,
    /// Los cambios de esta página, el más nuevo primero. / The changes of this page, the newest first.
    entries: Vec<WireEntry<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

/// Un cambio: quién lo hizo (una sesión, una llave, la línea de comandos o `payer's page`), el nombre de la operación, el id
/// de lo que cambió, y la dirección de la que vino. / A change: who made it (a session, a key, the command line, or
/// `payer's page`), the name of the operation, the id of what was changed, and the address that it came from.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AuditEntry")]
struct WireEntry<'a> {
    id: Shown<AuditId>,
    /// Quién lo hizo: el id de una sesión o de una llave, la línea de comandos, o `payer's page`. / Who did it: the id
    /// of a session or a key, the command line, or `payer's page`.
    actor: &'a str,
    /// El empleado de quien es esa sesión; `null` para cualquier otro actor. / The employee whose session that is;
    /// `null` for every other actor.
    employee: Option<WireActor<'a>>,
    /// El nombre de la operación, que no cambia nunca. / The name of the operation, which never changes.
    action: &'a str,
    /// El id de lo que cambió. / The id of what was changed.
    subject: &'a str,
    /// Lo que desde entonces es otro, como era; `null` de lo que se creó, y donde no se puede decir nada. / What is
    /// another since then, as it was; `null` of what was made, and where nothing can be told.
    #[schemars(with = "Option<Map<String, Value>>")]
    before: Option<&'a RawValue>,
    /// Los mismos nombres, como están desde entonces; `null` de lo que ya no está, y donde no se puede decir
    /// nada. / The same names, as they are since then; `null` of what is gone, and where nothing can be told.
    #[schemars(with = "Option<Map<String, Value>>")]
    after: Option<&'a RawValue>,
    /// La dirección IP de la que vino; `null` donde no vino por la red o no se sabe. / The IP address that it came
    /// from; `null` where it did not come by the network, or is not known.
    address: Option<&'a str>,
    created_at: Shown<Timestamp>,
    /// Cuántas veces se rechazó en la hora desde entonces: `WrongPassword`, `WrongPresentPassword`, `WrongCode`,
    /// `NotActive`, `FormerKey`, `NoRight`, `NoCode`; `null` donde se hizo. / How often it was refused within the hour from then on:
    /// `WrongPassword`, `WrongPresentPassword`, `WrongCode`, `NotActive`, `FormerKey`, `NoRight`,
    /// `NoCode`; `null` where it was done.
    times: Option<i64>,
    /// De dónde vinieron esos rechazos: las primeras cuatro direcciones y sesiones, y la última; `null` donde se hizo. / From
    /// where those refusals came: the first four addresses and sessions, and the latest; `null` where it was done.
    sources: Option<Vec<WireSource<'a>>>,
    /// Cuántos de `times` vinieron de otras direcciones o sesiones; `null` donde se hizo. / How many of `times` came from
    /// other addresses or sessions; `null` where it was done.
    times_elsewhere: Option<i64>,
}

/// De dónde vinieron rechazos de una hora. / From where refusals of an hour came.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AuditSource")]
struct WireSource<'a> {
    /// La dirección IP; `null` donde no se sabe. / The IP address; `null` where it is not known.
    address: Option<&'a str>,
    /// Una sesión, o `nobody` de quien no entró. / A session, or `nobody` of whoever had not signed in.
    actor: &'a str,
    /// Cuántos rechazos vinieron de ahí. / How many refusals came from there.
    times: i64,
    /// Cuándo vino el primero. / When the first one came.
    first_at: Shown<Timestamp>,
    /// Cuándo vino el último. / When the last one came.
    last_at: Shown<Timestamp>,
}

impl<'a> WireSource<'a> {
    fn of(source: &'a Source) -> Self {
        Self {
            address: source.address.as_deref(),
            actor: &source.actor,
            times: source.times,
            first_at: Shown(source.first_at()),
            last_at: Shown(source.last_at()),
        }
    }
}

impl<'a> WireEntry<'a> {
    fn of(AuditEntry { entry, sources }: &'a AuditEntry) -> Self {
        let elsewhere =
            |times: i64| times.saturating_sub(sources.as_ref().map_or(0, Sources::times));
        Self {
            id: Shown(entry.id),
            actor: &entry.actor,
            employee: entry.employee.as_ref().map(|(id, name)| WireActor { id: Shown(*id), name }),
            action: &entry.action,
            subject: &entry.subject,
            before: shown(entry.change.before.as_deref()),
            after: shown(entry.change.after.as_deref()),
            address: entry.address.as_deref(),
            created_at: Shown(entry.created_at),
            times: entry.times,
            sources: sources.as_ref().map(|it| it.as_slice().iter().map(WireSource::of).collect()),
            times_elsewhere: entry.times.map(elsewhere),
        }
    }
}

/// Un empleado que cambió algo, también si ya no está. / An employee who has changed something, removed ones among
/// them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AuditEmployee")]
struct WireActor<'a> {
    id: Shown<EmployeeId>,
    name: &'a str,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListAudit, _, _>(Method::GET, "/v1/audit", handle)
        .does(
            Group::Owner,
            "Lista quién cambió qué, cuándo y desde dónde.",
            "Lists who changed what, when and from where.",
        )
        .query::<Paging>()
        .answers::<AuditListed<'_>>(json!({
            "message": "registro de cambios",
            "entries": [{
                "id": "aud_00000000000000000000000001",
                "actor": "ses_00000000000000000000000001",
                "employee": null,
                "action": "SetCreditLimit",
                "subject": "key_00000000000000000000000001",
                "before": { "monthly_credit_limit": null },
                "after": { "monthly_credit_limit": 50 },
                "address": "203.0.113.7",
                "created_at": "2026-11-20T12:00:00.000Z",
                "times": null,
                "sources": null,
                "times_elsewhere": null,
            }],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn handle(
    admitted: Admitted<ListAudit>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let paging = Paging::read(&uri)?;
    let found = app::audit::list(&state.app, &admitted.0, paging).await?;
    let entries = found.entries.iter().map(WireEntry::of);
    answer::json(&AuditListed {
        message: say(admitted.language(), "registro de cambios", "log of changes"),
        entries: entries.collect(),
        total: found.total,
        page: paging.number.page,
        limit: paging.number.limit,
    })
}

/// JSON as it was kept.
fn shown(kept: Option<&str>) -> Option<&RawValue> {
    kept.and_then(|kept| serde_json::from_str(kept).ok())
}
