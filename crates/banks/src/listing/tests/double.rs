//! The bank in memory, its time, and ways to ask.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::Poll;

use domain::bank_text::BankText;
use domain::money::Bolivars;
use domain::reference::TypedReference;
use domain::time::Timestamp;

use super::super::*;

pub(super) const IDENTITY: IdentityId = IdentityId::from_bytes([1; 16]);
pub(super) const INTERVAL: Duration = Duration::from_secs(2);
pub(super) const PAGE_ROWS: usize = 3;

/// A time that stands still until a test moves it.
#[derive(Clone, Default)]
pub(super) struct Time(Arc<AtomicI64>);

impl Time {
    pub(super) fn pass(&self, by: Duration) {
        self.0.fetch_add(i64::try_from(by.as_micros()).unwrap(), Ordering::SeqCst);
    }

    pub(super) fn set_back(&self, by: Duration) {
        self.0.fetch_sub(i64::try_from(by.as_micros()).unwrap(), Ordering::SeqCst);
    }

    fn clock(&self) -> Clock {
        let (now, wait) = (self.clone(), self.clone());
        Clock {
            now: Arc::new(move || now.now()),
            wait: Arc::new(move |duration| {
                let (time, until) = (wait.clone(), wait.now().plus(duration));
                Box::pin(poll_fn(
                    move |_| {
                        if time.now() >= until { Poll::Ready(()) } else { Poll::Pending }
                    },
                ))
            }),
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst))
    }
}

/// A row as the bank keeps it: its mark is its place.
#[derive(Clone, Debug)]
pub(super) enum Row {
    Credit(Sighting),
    Unreadable(BankReference),
    Nameless,
    Debit,
}

#[derive(Default)]
pub(super) struct State {
    rows: Vec<Row>,
    /// What a page says instead.
    failing: Option<Failure>,
    /// Whether pages wait to be let through.
    is_held: bool,
    /// How many pages are let through, where not all are.
    pub(super) passing: Option<usize>,
    /// Behind which row each page began that was asked for.
    pub(super) asked: Vec<Option<String>>,
    pub(super) is_latest_first: bool,
    /// How many rows a page has, where that is not [`PAGE_ROWS`].
    pub(super) cut: Option<usize>,
    /// How many rows it says that the day has, where that is not what it has.
    pub(super) total: Option<usize>,
    /// Says whether it does not say how many rows the day has.
    pub(super) hides_total: bool,
}

impl State {
    /// Lets a page through, or has it wait.
    fn pass(&mut self) -> Poll<()> {
        if self.is_held || self.passing == Some(0) {
            return Poll::Pending;
        }
        self.passing = self.passing.map(|pages| pages - 1);
        Poll::Ready(())
    }
}

/// The bank.
#[derive(Clone)]
pub(super) struct Double {
    pub(super) state: Arc<Mutex<State>>,
    pub(super) secret: SecretText,
}

impl Double {
    pub(super) fn showing(rows: impl IntoIterator<Item = Row>) -> Self {
        let state = State { rows: rows.into_iter().collect(), ..State::default() };
        Self { state: Arc::new(Mutex::new(state)), secret: SecretText::from("made-up") }
    }

    pub(super) fn books(&self, row: Row) {
        self.state.lock().unwrap().rows.push(row);
    }

    /// Books a row that stands before all others, as one that was posted late is shown at its hour.
    pub(super) fn books_first(&self, row: Row) {
        self.state.lock().unwrap().rows.insert(0, row);
    }

    /// Shows this row instead of the one at that place.
    pub(super) fn corrects(&self, place: usize, row: Row) {
        self.state.lock().unwrap().rows[place] = row;
    }

    /// Behind which row each page began that was asked for.
    pub(super) fn marks(&self) -> Vec<Option<String>> {
        self.state.lock().unwrap().asked.clone()
    }

    pub(super) fn hold(&self, is_held: bool) {
        self.state.lock().unwrap().is_held = is_held;
    }

    pub(super) fn fail(&self, failing: Option<Failure>) {
        self.state.lock().unwrap().failing = failing;
    }

    pub(super) fn asked(&self) -> usize {
        self.state.lock().unwrap().asked.len()
    }
}

impl Extract for Double {
    /// The page is what the bank had when it was asked, however late it arrives.
    async fn page(&self, _: CaracasDate, after: Option<&str>) -> Result<Page, Unread> {
        let answer = {
            let mut state = self.state.lock().unwrap();
            state.asked.push(after.map(ToOwned::to_owned));
            let begin = after.map_or(0, |mark| mark.parse::<usize>().unwrap() + 1);
            state.failing.map_or(Ok(()), Err).map(|()| page_of(&state, begin))
        };
        poll_fn(|_| self.state.lock().unwrap().pass()).await;
        answer.map_err(Unread::Failed)
    }

    fn secret(&self) -> &SecretText {
        &self.secret
    }
}

fn page_of(state: &State, begin: usize) -> Page {
    let order = |place: usize| {
        if state.is_latest_first { state.rows.len() - 1 - place } else { place }
    };
    let places = begin..state.rows.len().min(begin + state.cut.unwrap_or(PAGE_ROWS));
    let mut page = Page {
        last: places.clone().last().map(|place| place.to_string()),
        count: places.len(),
        total: state.total.or(Some(state.rows.len())).filter(|_| !state.hides_total),
        contents: places
            .clone()
            .map(|place| content(format!("{:?}", state.rows[order(place)])))
            .collect(),
        is_full: places.len() == PAGE_ROWS,
        is_latest_first: state.is_latest_first,
        ..Page::default()
    };
    for place in places {
        match &state.rows[order(place)] {
            Row::Credit(sighting) => page.rows.push(sighting.clone()),
            Row::Unreadable(reference) => page.unreadable.references.push(reference.clone()),
            Row::Nameless => page.unreadable.has_nameless = true,
            Row::Debit => {}
        }
    }
    page
}

pub(in super::super) fn day() -> CaracasDate {
    CaracasDate::parse("2026-11-20").unwrap()
}

pub(super) fn reference(text: &str) -> BankReference {
    BankReference::parse(text).unwrap()
}

pub(super) fn credit(text: &str) -> Row {
    Row::Credit(Sighting {
        reference: reference(text),
        bank_key: None,
        amount: Bolivars::from_hundredths(500),
        paid_on: day(),
        paid_at: Some(day().start()),
        payer: PayerFacts::default(),
        description: BankText::default(),
    })
}

/// A page of so many credits.
pub(in super::super) fn credit_page(count: usize) -> Page {
    let rows = (0..count).map(|number| credit(&format!("9123{number:03}")));
    let rows = rows.map(|row| if let Row::Credit(row) = row { row } else { unreachable!() });
    Page { rows: rows.collect(), count, ..Page::default() }
}

pub(super) fn query(text: &str) -> Query {
    Query::new(TypedReference::parse(text).unwrap())
}

pub(super) fn ask<'a>(bank: &Double, query: &'a Query) -> Ask<'a, Double> {
    let extract = Arc::new(bank.clone());
    Ask { identity: IDENTITY, extract, query, may_mean: None, is_strangers: false }
}

pub(super) type Question<'a> = Pin<Box<dyn Future<Output = Answer> + 'a>>;

/// A question about the one day, looked at once.
pub(super) fn asking<'a>(
    listing: &'a Listing,
    bank: &Double,
    query: &'a Query,
) -> (Question<'a>, Option<Answer>) {
    let ask = ask(bank, query);
    let mut question: Question<'a> =
        Box::pin(async move { listing.ask(&ask, std::iter::once(day())).await });
    let answer = look(&mut question);
    (question, answer)
}

pub(super) fn look(question: &mut Question<'_>) -> Option<Answer> {
    question.as_mut().now_or_never()
}

/// The references shown, for an answer that is there at once.
pub(super) fn shown(answer: Option<Answer>) -> Vec<String> {
    match answer {
        Some(Answer::Shown { sightings, .. }) => {
            sightings.iter().map(|one| one.reference.digits().to_owned()).collect()
        }
        other => panic!("nothing was shown: {other:?}"),
    }
}

pub(super) fn set_up(rows: impl IntoIterator<Item = Row>) -> (Time, Listing, Double) {
    let time = Time::default();
    let listing = Listing::new(time.clock(), INTERVAL);
    (time, listing, Double::showing(rows))
}
