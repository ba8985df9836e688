//! `GET /app/activity` and below it: who used what, of people; what keys did is at each key.

mod shown;

use std::time::Duration;

use app::activity::Activity;
use app::paging::PageNumber;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use domain::access::{ListEmployees, ListMyKeys, ShowEmployeeActivity, ShowMyActivity};
use domain::ids::EmployeeId;
use domain::refusal::Refusal;
use domain::time::CaracasMonth;
use http::{StatusCode, Uri};
use web::{AppState, Failure, Signed};

pub(super) use self::shown::{Whose, page, part_of};
use super::frame::Frame;
use super::integrations::{Tab, tabs};
use super::list::{Pager, page_of};
use super::route::PageRoute;
use super::written::count;
use crate::page::of_template;

pub(super) const PATH: &str = "/app/activity";

const PATH_OWN: &str = "/app/activity/mine";

/// How far back months are offered of somebody of whom it is not known since when it is there.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

texts! {
    WhoTexts {
        title: "Quién usó qué", "Usage";
        lead: "Lo que cada persona pidió a los bancos desde esta página, y los créditos que gastó este mes.", "What each person asked the banks from this dashboard, and the credits they spent this month.";
        who: "Quién", "Person";
        credits: "Créditos", "Credits";
        requests: "Consultas", "Requests";
        mine: "Mis sesiones", "My sessions";
        of_mine: "mis sesiones", "my sessions";
        see: "Ver", "View";
        keys: "Lo que hizo cada llave está en su página.", "Each API key's activity is on its own page.";
        see_keys: "Ver las llaves", "View API keys";
    }
}

#[derive(Template)]
#[template(path = "dashboard/activity/who.html")]
struct WhoPage {
    f: Frame,
    t: &'static WhoTexts,
    tabs: Vec<Tab>,
    month: String,
    rows: Vec<Row>,
    pager: Pager,
    sees_keys: bool,
}

struct Row {
    href: String,
    name: String,
    credits: String,
    requests: String,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::page::<ShowMyActivity, _, _>(PATH, view),
        PageRoute::page::<ShowMyActivity, _, _>(PATH_OWN, own),
        PageRoute::page::<ShowEmployeeActivity, _, _>(
            "/app/activity/employees/{employee_id}",
            of_employee,
        ),
    ]
}

fn path_of(employee: EmployeeId) -> String {
    format!("{PATH}/employees/{employee}")
}

async fn view(
    signed: Signed<ShowMyActivity>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let language = signed.language();
    let (t, month) = (WhoTexts::of(language), CaracasMonth::of(signed.act.now));
    let row = |href: String, name: String, activity: &Activity| Row {
        href,
        name,
        credits: count(activity.credit_total, language),
        requests: count(activity.request_total, language),
    };
    let mine = app::activity::show_own(&state.app, &signed.act, Some(month), 1).await?;
    let mut rows = vec![row(PATH_OWN.to_owned(), t.mine.to_owned(), &mine)];
    let number = page_of(&uri);
    let mut total = 0;
    if let (Ok(act), Ok(listing)) =
        (signed.also::<ShowEmployeeActivity>(), signed.also::<ListEmployees>())
    {
        let listed = app::employees::list(&state.app, &listing, number).await?;
        total = listed.total;
        for employee in listed.entries {
            let of = app::activity::show_of_employee(&state.app, &act, employee.id, Some(month), 1);
            rows.push(row(path_of(employee.id), employee.name, &of.await?));
        }
    }
    let page = WhoPage {
        f: Frame::of(&state.app, &signed, &uri, t.title).await?,
        t,
        tabs: tabs(&signed, PATH),
        month: month.in_words(language),
        rows,
        pager: Pager::of(&uri, number, total, language),
        sees_keys: signed.may::<ListMyKeys>(),
    };
    Ok(of_template(&page, StatusCode::OK))
}

async fn own(
    signed: Signed<ShowMyActivity>,
    State(state): State<AppState>,
    uri: Uri,
) -> Result<Response, Failure> {
    let (month, PageNumber { page: number, .. }) = part_of(&uri, signed.act.now);
    let activity = app::activity::show_own(&state.app, &signed.act, Some(month), number).await?;
    let name = WhoTexts::of(signed.language()).of_mine.to_owned();
    let (action, back) = (PATH_OWN.to_owned(), Some(PATH.to_owned()));
    let since = Some(signed.act.now.minus(YEAR));
    page(&state, &signed, &uri, Whose { name, action, back, since }, &activity).await
}

async fn of_employee(
    signed: Signed<ShowEmployeeActivity>,
    State(state): State<AppState>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, Failure> {
    let id: EmployeeId = id.parse().map_err(|_| Refusal::NotFound("employee"))?;
    let (month, PageNumber { page: number, .. }) = part_of(&uri, signed.act.now);
    let activity =
        app::activity::show_of_employee(&state.app, &signed.act, id, Some(month), number).await?;
    // What one did who was removed is still to be seen.
    let employee = app::employees::find(&state.app, &signed.also::<ListEmployees>()?, id).await?;
    let since = employee.as_ref().map(|employee| employee.created_at);
    let whose = Whose {
        since: since.or(Some(signed.act.now.minus(YEAR))),
        name: employee.map_or_else(|| id.to_string(), |employee| employee.name),
        action: path_of(id),
        back: Some(PATH.to_owned()),
    };
    page(&state, &signed, &uri, whose, &activity).await
}
