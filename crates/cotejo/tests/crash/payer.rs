//! A payer with a browser that runs no script: types what the receipt says into a link's page, and
//! reads what the page says.

use std::io;
use std::net::SocketAddr;
use std::thread::sleep;
use std::time::Duration;

use crate::bank::PAYER_PHONE;
use crate::http::{Connection, Page};
use crate::patience::now;

/// State of the payment, as the page states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Nothing yet.
    Nothing,
    /// The bank is being asked.
    Checking,
    /// The bank is slow.
    StillChecking,
    /// The link is paid.
    Paid,
    /// There is no such payment so far.
    NotFound,
    /// The bank gave no usable answer.
    Unheard,
    /// Something else, by its title.
    Else(String),
}

impl Said {
    fn of(page: &Page) -> Self {
        let state = page.text.split("id=\"state\">").nth(1).unwrap_or_default();
        let title = state.split("<h2>").nth(1).and_then(|rest| rest.split("</h2>").next());
        match title.and_then(|title| title.rsplit('>').next()) {
            None => Self::Nothing,
            Some("Estamos consultando al banco") => Self::Checking,
            Some("El banco tarda en responder") => Self::StillChecking,
            Some("Pago confirmado") => Self::Paid,
            Some("Todavía no encontramos su pago") => Self::NotFound,
            Some("El banco no responde por ahora") => Self::Unheard,
            Some(title) => Self::Else(title.to_owned()),
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Checking | Self::StillChecking)
    }
}

/// How far apart two looks at a page are.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How long a payer looks who expects an end: longer than a bank is asked at the most that answers.
const CHECK_TIMEOUT: Duration = Duration::from_secs(40);

/// The page of a link.
pub(crate) fn page_of(link: &str) -> String {
    format!("/pay/{link}")
}

/// Sends the form as a browser does. Every link of these tests asks for [`crate::shop::AMOUNT`].
pub(crate) fn send(line: &mut Connection, link: &str, reference: &str) -> io::Result<Page> {
    let reference = reference.replace(' ', "+");
    let fields = format!("reference={reference}&phone={PAYER_PHONE}&seen=15075");
    line.browse(&page_of(link), Some(&fields))
}

/// Opens a page and reads it.
pub(crate) fn look(line: &mut Connection, place: &str) -> io::Result<Said> {
    line.browse(place, None).map(|page| Said::of(&page))
}

/// A payer whom nothing disturbs.
pub(crate) struct Payer(pub(crate) SocketAddr);

impl Payer {
    /// Types a reference, and answers where the page shows it.
    #[track_caller]
    pub(crate) fn types(&self, link: &str, reference: &str) -> String {
        let page = send(&mut self.line(), link, reference).unwrap();
        assert!([200, 303].contains(&page.status), "{}", page.text);
        page.location.unwrap()
    }

    /// Reads what the page says.
    pub(crate) fn sees(&self, place: &str) -> Said {
        look(&mut self.line(), place).unwrap()
    }

    /// Looks again and again until the bank is not being asked any more.
    #[track_caller]
    pub(crate) fn waits(&self, place: &str) -> Said {
        let begun = now();
        loop {
            let said = self.sees(place);
            if !said.is_busy() {
                return said;
            }
            assert!(begun.elapsed() < CHECK_TIMEOUT, "{place}: {said:?}");
            sleep(LOOK_EVERY);
        }
    }

    /// Types a reference and waits for its result.
    #[track_caller]
    pub(crate) fn pays(&self, link: &str, reference: &str) -> Said {
        self.waits(&self.types(link, reference))
    }

    fn line(&self) -> Connection {
        Connection::to(self.0).unwrap()
    }
}
