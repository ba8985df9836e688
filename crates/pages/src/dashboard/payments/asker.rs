//! Who asked a question, as its page says it.

use domain::access::{ListEmployees, ListMyKeys, Operation, ShowClient};
use domain::ids::{ClientId, EmployeeId, KeyId, LinkId};
use web::{AppState, Failure, Signed};

texts! {
    AskerTexts {
        by: "Quién la pidió", "Requested by";
        link: "Por un enlace de pago", "A payment link";
        owner: "El titular", "The owner";
        employee: "Un empleado", "An employee";
        key: "Llave", "API key";
        see_key: "Ver la llave", "View API key";
        client: "Cuenta para el cliente", "Counts towards client";
    }
}

/// By whom a question was asked, and what for.
pub(super) struct Asker {
    /// The link that it was asked for, by a payer or by the person who accepted a payment.
    pub(super) link: Option<LinkId>,
    /// The key that asked, or made the link.
    pub(super) key: Option<KeyId>,
    /// The employee who asked, or made the link.
    pub(super) employee: Option<EmployeeId>,
    /// The client against whose quota it counts.
    pub(super) client: Option<ClientId>,
}

/// An asker, with all that the signed-in person may know of it.
#[derive(Default)]
pub(super) struct Named {
    /// A label, and what it is.
    pub(super) facts: Vec<(&'static str, String)>,
    /// The page of the key, and what leads there.
    pub(super) key: Option<(String, &'static str)>,
}

impl Asker {
    /// Names it. Parts that the signed-in person may not see are named by their ids.
    pub(super) async fn named<O: Operation>(
        &self,
        state: &AppState,
        signed: &Signed<O>,
    ) -> Result<Named, Failure> {
        let t = AskerTexts::of(signed.language());
        let key = self.key_name(state, signed).await?;
        let by = match (self.link, self.key, self.employee) {
            (Some(_), ..) => t.link.to_owned(),
            (None, Some(id), _) => {
                format!("{} {}", t.key, key.clone().unwrap_or_else(|| id.to_string()))
            }
            (None, None, Some(employee)) => {
                format!("{} ({})", t.employee, employee_name(state, signed, employee).await?)
            }
            (None, None, None) => t.owner.to_owned(),
        };
        // People of a client see the questions of that client alone.
        let client = match self.client.filter(|_| signed.caller().client().is_none()) {
            Some(client) => Some(client_name(state, signed, client).await?),
            None => None,
        };
        // Of a link: the key that made it.
        let maker = key.clone().filter(|_| self.link.is_some());
        let facts = [(t.by, Some(by)), (t.key, maker), (t.client, client)];
        let facts = facts.into_iter().filter_map(|(label, text)| Some((label, text?))).collect();
        let key = self.key.filter(|_| key.is_some());
        Ok(Named { facts, key: key.map(|key| (format!("/app/keys/{key}"), t.see_key)) })
    }

    /// The name of the key, where the signed-in person sees the key.
    async fn key_name<O: Operation>(
        &self,
        state: &AppState,
        signed: &Signed<O>,
    ) -> Result<Option<String>, Failure> {
        let (Some(key), Ok(act)) = (self.key, signed.also::<ListMyKeys>()) else { return Ok(None) };
        let keys = app::keys::list(&state.app, &act).await?;
        let record = keys.into_iter().find(|record| record.key.id == key);
        Ok(record.map(|record| record.key.name))
    }
}

async fn employee_name<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    id: EmployeeId,
) -> Result<String, Failure> {
    let Ok(act) = signed.also::<ListEmployees>() else { return Ok(id.to_string()) };
    let employee = app::employees::find(&state.app, &act, id).await?;
    Ok(employee.map_or_else(|| id.to_string(), |employee| employee.name))
}

async fn client_name<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    id: ClientId,
) -> Result<String, Failure> {
    let Ok(act) = signed.also::<ShowClient>() else { return Ok(id.to_string()) };
    Ok(app::clients::show(&state.app, &act, id).await?.client.name)
}
