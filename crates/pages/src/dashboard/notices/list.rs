//! `GET /app/notices` and `POST /app/notices/{notice_id}/dismiss`

use app::notices::{SeenNotice, Subject};
use app::paging::Page;
use app::{Act, Error};
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{DismissNotice, ListNotices, Operation};
use domain::ids::{LinkId, NoticeId};
use domain::language::Language;
use domain::notices::Kind;
use domain::refusal::Refusal;
use http::{StatusCode, Uri};
use web::{AppState, Failure, NotTaken, Posted, Signed};

use super::{PATH, settings};
use crate::checkout::see;
use crate::dashboard::days::Days;
use crate::dashboard::edits::unless_any_overtaken;
use crate::dashboard::form::FormState;
use crate::dashboard::frame::Frame;
use crate::dashboard::integrations::{Tab, tabs};
use crate::dashboard::list::{Pager, page_of};
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::{count, instant};
use crate::page::of_template;
use crate::written::price;

texts! {
    ListTexts {
        title: "Avisos para usted", "Notices for you";
        lead: "Lo que salió mal y qué hacer. Se guardan 90 días.", "What went wrong and what to do. Notices are kept for 90 days.";
        settings: "Cuáles llegan por correo", "Choose which arrive by email";
        from: "Desde", "From";
        to: "Hasta", "To";
        filter: "Filtrar", "Filter";
        clear: "Quitar filtros", "Clear filters";
        what: "Qué pasó", "What happened";
        last: "Última vez", "Last occurred";
        times: "Veces", "Times";
        mailed: "Correo", "Email";
        not_mailed: "No se envió", "Not sent";
        settled: "Resuelto", "Resolved";
        dismiss: "Dar por resuelto", "Mark as resolved";
        again: "Ese aviso volvió a pasar después de que se abriera la página, así que no se dio por resuelto. Aquí está como es ahora.", "This notice occurred again after you opened the page, so it was not marked as resolved. This is its current state.";
        see: "Ver", "View";
        empty: "Nada salió mal. Aquí aparece lo que necesite su atención.", "Nothing has gone wrong. Anything that needs your attention appears here.";
        none: "En esos días no hubo avisos.", "No notices in those days.";
    }
}

#[derive(Template)]
#[template(path = "dashboard/notices/list.html")]
struct ListPage {
    f: Frame,
    t: &'static ListTexts,
    tabs: Vec<Tab>,
    form: FormState,
    path: &'static str,
    settings: &'static str,
    is_filtered: bool,
    are_days_wrong: bool,
    rows: Vec<Row>,
    pager: Pager,
}

struct Row {
    title: &'static str,
    text: String,
    about: Option<String>,
    /// The class of the stylesheet of one that is settled.
    settled: Option<&'static str>,
    link: Option<LinkId>,
    is_test: bool,
    href: String,
    /// Where its button leads that ends it; nothing where it has ended, or who looks may not end it.
    dismiss: Option<String>,
    last: String,
    times: String,
    /// How often it has happened, as its button says it back.
    seen_times: i64,
    mailed: Option<String>,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ListNotices, _, _>(PATH, view),
        PageRoute::form::<DismissNotice, _, _>("/app/notices/{notice_id}/dismiss", dismiss)
            .takes(&["times"]),
    ]
}

async fn view(
    signed: Signed<ListNotices>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let act = signed.also::<ListNotices>()?;
    page(&state, (&signed, &act), &uri, FormState::default()).await
}

async fn page<O: Operation>(
    state: &AppState,
    (signed, act): (&Signed<O>, &Act<ListNotices>),
    uri: &Uri,
    form: FormState,
) -> Result<Response, Failure> {
    let language = signed.language();
    let t = ListTexts::of(language);
    let (number, days) = (page_of(uri), Days::of(uri, language));
    let found = match days.are_wrong() {
        true => Page { entries: Vec::new(), total: 0 },
        false => {
            let (livemode, paging) = (signed.test_mode.livemode(), days.page(number));
            app::notices::list(&state.app, act, livemode, paging).await?
        }
    };
    let may_dismiss = signed.may::<DismissNotice>();
    let row = |SeenNotice { notice, about, is_open }: &SeenNotice| Row {
        title: notice.kind.title(language),
        text: notice.kind.text(&notice.subject, notice.trouble, language),
        about: named(about, language),
        settled: (!is_open).then(|| test_mode::class("good", !notice.livemode)),
        link: notice.link,
        is_test: !notice.livemode,
        href: href(notice.kind, notice.link, &notice.subject),
        dismiss: (*is_open && may_dismiss).then(|| format!("{PATH}/{}/dismiss", notice.id)),
        last: instant(notice.updated_at),
        times: count(notice.times, language),
        seen_times: notice.times,
        mailed: notice.mailed_at.map(instant),
    };
    let page = ListPage {
        f: Frame::of(&state.app, signed, uri, t.title).await?,
        t,
        tabs: tabs(signed, PATH),
        is_filtered: days.are_asked(),
        form: days.beside(form),
        are_days_wrong: days.are_wrong(),
        path: PATH,
        settings: settings::PATH,
        pager: Pager::of(uri, number, found.total, language),
        rows: found.entries.iter().map(row).collect(),
    };
    Ok(of_template(&page, page.form.status))
}

async fn dismiss(
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
    Posted { signed, form }: Posted<DismissNotice>,
) -> Result<Response, NotTaken> {
    let id: NoticeId = id.parse().map_err(|_| Refusal::NotFound("notice"))?;
    let unseen = unless_any_overtaken(&form, |times: &i64| {
        FormState::changing(&[("times", &times.to_string())])
    });
    match app::notices::dismiss(&state.app, &signed.act, id, unseen).await {
        Ok(()) => Ok(see(PATH)),
        Err(Error::Refused(Refusal::Overtaken { .. })) => {
            let act = signed.also::<ListNotices>()?;
            let mut form = FormState::default();
            form.status = StatusCode::CONFLICT;
            form.notice = Some(ListTexts::of(signed.language()).again.to_owned());
            Ok(page(&state, (&signed, &act), &uri, form).await?)
        }
        Err(error) => Err(error.into()),
    }
}

/// The amount, link, subscription and payer that a notice is about.
pub(in crate::dashboard) fn named(about: &Subject, language: Language) -> Option<String> {
    let Subject { amount, link_name, subscription, payer } = about;
    let subscription = subscription.as_ref().map(|of| of.as_str().to_owned());
    let amount = amount.map(|amount| price(amount, language));
    let parts = [amount, link_name.clone(), subscription, payer.clone()];
    let parts: Vec<_> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Returns the path at which something can be done about a notice.
pub(in crate::dashboard) fn href(kind: Kind, link: Option<LinkId>, subject: &str) -> String {
    let place = match (kind, link) {
        (Kind::WebhookExhausted, Some(link)) => {
            return format!("/app/webhooks?payment_link_id={link}");
        }
        (Kind::WebhookFailing | Kind::WebhookExhausted, _) => "/app/webhooks",
        (_, Some(link)) => return format!("/app/links/{link}"),
        (Kind::BankRefusesCredentials, None) => "/app/accounts",
        (Kind::PaymentContested | Kind::ShortReferences, None) => "/app/payments",
        (Kind::SignInAttempts, None) => "/app/sessions",
        (Kind::SubscriptionCanceled, None) => return format!("/app/subscriptions/{subject}"),
        _ => "/app",
    };
    place.to_owned()
}
