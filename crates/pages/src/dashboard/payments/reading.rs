//! `POST /app/payments/movements/read`: a person has the bank read for what came on a day. The pages that show what
//! came have the form, and how far the reading is.

use app::statement::{DAYS_BACK, Reading, ReadingState};
use axum::extract::State;
use axum::response::Response;
use domain::access::{Guarded, ReadStatement};
use domain::ids::{BankId, LinkId};
use domain::refusal::Refusal;
use domain::time::{CaracasDate, Timestamp};
use http::Uri;
use web::{AppState, Failure, FormBody, NotTaken, Posted, Signed};

use super::{asked, movements};
use crate::checkout::see;
use crate::dashboard::choice::Choice;
use crate::dashboard::form::FormState;
use crate::dashboard::links;
use crate::dashboard::route::PageRoute;
use crate::dashboard::test_mode;
use crate::dashboard::written::instant;

const PATH_READ: &str = "/app/payments/movements/read";

/// The parameter of a page's address that says which day is being read.
const DAY_READ: &str = "read";

texts! {
    ReadingTexts {
        hint: "Trae todo lo que llegó ese día, también lo que nadie ha verificado. No cuesta créditos.", "Gets everything that arrived that day, including payments nobody has verified. It costs no credits.";
        day: "Día", "Day";
        today: "Hoy", "Today";
        read: "Leer del banco", "Read from the bank";
        running: "Leyendo en el banco el {day}… {rows} pagos hasta ahora. Esta página se actualiza sola.", "Reading {day} from the bank… {rows} payments so far. This page refreshes automatically.";
        done: "Se leyó el {at}: están todos los pagos que el banco muestra del {day}.", "Read on {at}: this includes all the payments the bank shows for {day}.";
        partly: "Se leyó el {at}, pero {unread} filas del {day} no se pudieron leer: mírelas en la página del banco. El resto está aquí.", "Read on {at}, but {unread} rows of {day} could not be read: check them on the bank's website. The rest are here.";
        failed: "El banco no respondió hasta el final sobre el {day}. Se ve lo que alcanzó a mostrar: intente otra vez en unos minutos.", "The bank did not finish responding about {day}. The movements it did show are here. Try again in a few minutes.";
        unfinished: "No se pudo guardar todo lo que el banco mostró del {day}. Léalo otra vez en unos minutos.", "Some of what the bank showed for {day} could not be saved. Read that day again in a few minutes.";
    }
}

/// The form, and how far the reading is.
pub(crate) struct ReadingPart {
    pub(crate) t: &'static ReadingTexts,
    pub(crate) bank: String,
    /// The link whose page it is on; empty where it is on none.
    pub(crate) link: String,
    pub(crate) days: Vec<Choice>,
    pub(crate) is_running: bool,
    /// How far the reading is, if the address is about one.
    pub(crate) progress: Option<String>,
    pub(crate) class: &'static str,
}

pub(super) fn routes() -> Vec<PageRoute> {
    vec![
        PageRoute::form::<ReadStatement, _, _>(PATH_READ, read)
            .takes(&["link", "user_bank_id", "day"])
            .labelled(|language| vec![("day", ReadingTexts::of(language).day)]),
    ]
}

/// The part of a page about that account; nothing where its bank shows no statement, or the person may not have it
/// read.
///
/// # Errors
/// A failure of the store.
pub(crate) async fn part<O: Guarded>(
    state: &AppState,
    signed: &Signed<O>,
    uri: &Uri,
    (bank, provider): (BankId, &str),
    link: Option<LinkId>,
) -> Result<Option<ReadingPart>, Failure> {
    if !app::statement::has_statement(&state.app, provider) {
        return Ok(None);
    }
    let Ok(act) = signed.also::<ReadStatement>() else { return Ok(None) };
    let (language, now) = (signed.language(), act.now);
    let t = ReadingTexts::of(language);
    let day = asked(uri, DAY_READ).and_then(|day| CaracasDate::parse(&day).ok());
    let reading = match day {
        Some(day) => app::statement::find_reading(&state.app, &act, bank, day).await?,
        None => None,
    };
    let is_whole = reading.is_some_and(|reading| reading.unread == 0);
    Ok(Some(ReadingPart {
        t,
        bank: bank.to_string(),
        link: link.map(|link| link.to_string()).unwrap_or_default(),
        days: days(now, t),
        is_running: reading.is_some_and(|reading| reading.state == ReadingState::Running),
        class: match reading.map(|reading| reading.state) {
            Some(ReadingState::Failed | ReadingState::Unfinished) => "bad",
            Some(ReadingState::Done) if is_whole => "good",
            Some(ReadingState::Done) => "warn",
            Some(ReadingState::Running) | None => "",
        },
        progress: reading.map(|reading| progress(&reading, t)),
    }))
}

/// Today and the days before that can be read.
fn days(now: Timestamp, t: &ReadingTexts) -> Vec<Choice> {
    let today = CaracasDate::of(now);
    let choice = |back: i32| {
        let day = today.plus_days(-back).to_string();
        let text = if back == 0 { format!("{} ({day})", t.today) } else { day.clone() };
        Choice::new(day, text)
    };
    (0..=DAYS_BACK).map(choice).collect()
}

fn progress(reading: &Reading, t: &ReadingTexts) -> String {
    let text = match reading.state {
        ReadingState::Running => t.running,
        ReadingState::Done if reading.unread > 0 => t.partly,
        ReadingState::Done => t.done,
        ReadingState::Failed => t.failed,
        ReadingState::Unfinished => t.unfinished,
    };
    let at = reading.ended_at.map(instant).unwrap_or_default();
    text.replace("{day}", &reading.day.to_string())
        .replace("{rows}", &reading.rows.to_string())
        .replace("{unread}", &reading.unread.to_string())
        .replace("{at}", &at)
}

async fn read(
    State(state): State<AppState>,
    uri: Uri,
    Posted { signed, form }: Posted<ReadStatement>,
) -> Result<Response, NotTaken> {
    let link: Option<LinkId> = form.field("link").parse().ok();
    let bank = form.field("user_bank_id").parse().map_err(|_| Refusal::UserBankNotFound);
    let wanted = bank.and_then(|bank| {
        test_mode::check_account(&signed.test_mode, bank)?;
        Ok((bank, day(&form)?))
    });
    let begun = match wanted {
        Ok((bank, day)) => app::statement::read(&state.app, &signed.act, bank, day)
            .await
            .map(|reading| (bank, reading.day)),
        Err(refusal) => Err(refusal.into()),
    };
    let (bank, day) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            let again = FormState::again(&form, error, signed.language())?;
            return Ok(movements::show_again(&state, &signed, &uri, again).await?);
        }
    };
    let to = match link {
        Some(link) => format!("{}/accept?{DAY_READ}={day}", links::path_of(link)),
        None => format!(
            "{}?user_bank_id={bank}&from={day}&to={day}&{DAY_READ}={day}",
            movements::PATH_MOVEMENTS
        ),
    };
    Ok(see(&to))
}

fn day(form: &FormBody) -> Result<Option<CaracasDate>, Refusal> {
    let typed = form.field("day");
    if typed.is_empty() {
        return Ok(None);
    }
    let problem = ("elija un día de la lista", "choose a day from the list");
    CaracasDate::parse(&typed).map(Some).map_err(|_| Refusal::invalid("day", problem))
}
