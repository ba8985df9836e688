//! `GET /app/keys/permissions`: which key may do what, in one table.

use app::keys::KeyRecord;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListMyKeys;
use domain::permissions::Permission;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

use super::permissions::texts_of;
use super::{KeysTexts, PATH, path_of, standing};
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::{Tab, tabs};
use crate::dashboard::list::{Pager, slice};
use crate::dashboard::route::PageRoute;
use crate::page::of_template;

texts! {
    MatrixTexts {
        lead: "Lo que puede hacer cada llave. Se cambia en la página de la llave.", "What each API key can do. To change it, open the key's page.";
        key: "Llave", "API key";
        yes: "Sí", "Yes";
        no: "No", "No";
        permissions: "Permisos", "Permissions";
        of_client: "Los fijos de su cliente", "Fixed permissions of its client";
        empty: "Todavía no hay llaves a su alcance.", "No API keys available to you yet.";
        back: "Todas las llaves", "All API keys";
    }
}

#[derive(Template)]
#[template(path = "dashboard/keys/matrix.html")]
struct MatrixPage {
    f: Frame,
    t: &'static MatrixTexts,
    k: &'static KeysTexts,
    tabs: Vec<Tab>,
    columns: Vec<(&'static str, &'static str)>,
    rows: Vec<Row>,
    pager: Pager,
    back: &'static str,
}

struct Row {
    href: String,
    name: String,
    is_default: bool,
    state: (&'static str, &'static str),
    /// Each permission, and whether the key has it; nothing where those of its client hold.
    held: Option<Vec<(&'static str, bool)>>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![PageRoute::page::<ListMyKeys, _, _>("/app/keys/permissions", view)]
}

async fn view(
    signed: Signed<ListMyKeys>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (language, now) = (signed.language(), signed.act.now);
    let (t, k) = (MatrixTexts::of(language), KeysTexts::of(language));
    let all = app::keys::list(&state.app, &signed.act).await?;
    let (records, pager) = slice(all, &uri, language);
    let names = Permission::ALL.map(|permission| (permission, texts_of(permission, language).0));
    let row = |record: KeyRecord| {
        let state = standing(&record, now, k);
        let key = record.key;
        let has = |(permission, name)| (name, key.permissions.contains(permission));
        Row {
            href: path_of(key.id),
            held: key.client.is_none().then(|| names.map(has).to_vec()),
            name: key.name,
            is_default: key.is_default,
            state,
        }
    };
    let page = MatrixPage {
        f: Frame::of(&state.app, &signed, &uri, k.matrix).await?,
        t,
        k,
        tabs: tabs(&signed, uri.path()),
        columns: [(t.key, "")].into_iter().chain(names.map(|(_, name)| (name, ""))).collect(),
        rows: records.into_iter().map(row).collect(),
        pager,
        back: PATH,
    };
    Ok(of_template(&page, StatusCode::OK))
}
