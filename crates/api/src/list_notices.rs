//! `GET /v1/notices`

use app::notices::SeenNotice;
use app::paging::Paging;
use axum::extract::State;
use axum::response::Response;
use domain::access::ListNotices;
use domain::ids::{LinkId, NoticeId};
use domain::money::Bolivars;
use domain::time::Timestamp;
use http::{Method, Uri};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use web::{Admitted, AppState, Failure, answer};

use crate::operation::{Endpoint, Group, Query};
use crate::wire::{Shown, say};

#[derive(Serialize, JsonSchema)]
struct NoticesListed<'a> {
    message: &'static str,
    /// Los avisos de esta página, el más nuevo primero. / The notices of this page, the newest first.
    notices: Vec<WireNotice<'a>>,
    total: i64,
    page: u32,
    limit: u32,
}

/// Lo que se le avisó al titular: los programas miran el tipo, las personas el texto. / What the owner was told:
/// programs go by the kind, people by the text.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Notice")]
struct WireNotice<'a> {
    id: Shown<NoticeId>,
    /// De qué trata, en una palabra que no cambia. / What it is about, by a word that never changes.
    kind: &'static str,
    /// Lo mismo para personas, en el idioma de quien llama. / The same for people, in the caller's language.
    text: String,
    /// De qué trata en particular: un servidor, un saldo, una moneda y un día, o el id de algo. / What it is about in
    /// particular: a host, a balance, a currency and a day, or the id of something.
    subject: &'a str,
    /// El enlace de que trata; `null` si no es de ninguno. / The link that it is about; `null` if it is about none.
    payment_link_id: Option<Shown<LinkId>>,
    /// Cuántas veces pasó. / How often it happened.
    times: i64,
    created_at: Shown<Timestamp>,
    /// Cuándo pasó la última vez. / When it happened last.
    updated_at: Shown<Timestamp>,
    /// Cuándo se mandó el último correo que lo cuenta; `null` donde no se mandó ninguno. / When a mail that tells of it
    /// was sent last; `null` where none was.
    mailed_at: Option<Shown<Timestamp>>,
    /// Si todavía necesita a alguien: no lo dio usted por resuelto, ni lo está aquello de lo que trata. / Whether it still
    /// needs somebody: you did not dismiss it, and what it is about is not settled.
    is_open: bool,
    /// El monto del pago o del enlace de que trata. / The amount of the payment or link that it is about.
    amount: Option<f64>,
    /// La moneda de ese monto; `null` sin monto. / The currency of that amount; `null` without one.
    #[schemars(extend("enum" = ["VEF", "USD", "EUR", "USDT", null]))]
    currency: Option<&'static str>,
    /// El nombre del enlace de que trata. / The name of the link that it is about.
    payment_link_name: Option<&'a str>,
    /// El documento de quien pagó, o su teléfono. / The payer's document, or phone.
    payer: Option<&'a str>,
    /// `false` donde trata de un enlace del banco de prueba, que no es dinero. / `false` where it is about a link of the test
    /// bank, which is no money.
    livemode: bool,
}

pub(crate) fn endpoint() -> Endpoint {
    Endpoint::strict::<ListNotices, _, _>(Method::GET, "/v1/notices", handle)
        .does(
            Group::Owner,
            "Lista lo que se avisó al titular de lo que salió mal.",
            "Lists what the owner was told of what went wrong.",
        )
        .query::<Paging>()
        .answers::<NoticesListed<'_>>(json!({
            "message": "avisos para el titular",
            "notices": [{
                "id": "ntc_00000000000000000000000001",
                "kind": "webhook_exhausted",
                "text": "un aviso no llegó a su servidor",
                "subject": "tienda.example",
                "payment_link_id": "link_00000000000000000000000001",
                "times": 1,
                "created_at": "2026-11-20T12:00:00.000Z",
                "updated_at": "2026-11-20T12:00:00.000Z",
                "mailed_at": "2026-11-20T12:00:03.000Z",
                "is_open": true,
                "amount": 150.75,
                "currency": "VEF",
                "payment_link_name": "Pedido 1742",
                "payer": null,
                "livemode": true,
            }],
            "total": 1,
            "page": 1,
            "limit": 25,
        }))
}

async fn handle(
    admitted: Admitted<ListNotices>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (paging, language) = (Paging::read(&uri)?, admitted.language());
    let found = app::notices::list(&state.app, &admitted.0, None, paging).await?;
    let notices = found.entries.iter().map(|SeenNotice { notice, about, is_open }| WireNotice {
        id: Shown(notice.id),
        kind: notice.kind.as_str(),
        text: notice.kind.text(&notice.subject, notice.trouble, language),
        subject: &notice.subject,
        payment_link_id: notice.link.map(Shown),
        times: notice.times,
        created_at: Shown(notice.created_at),
        updated_at: Shown(notice.updated_at),
        mailed_at: notice.mailed_at.map(Shown),
        is_open: *is_open,
        amount: about.amount.map(|amount| Bolivars::from_hundredths(amount.hundredths).to_number()),
        currency: about.amount.map(|amount| amount.currency.as_str()),
        payment_link_name: about.link_name.as_deref(),
        payer: about.payer.as_deref(),
        livemode: notice.livemode,
    });
    answer::json(&NoticesListed {
        message: say(language, "avisos para el titular", "notices to the owner"),
        notices: notices.collect(),
        total: found.total,
        page: paging.number.page,
        limit: paging.number.limit,
    })
}
