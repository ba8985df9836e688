//! What stands around every page of the dashboard: the menu, who has signed in, the token of its forms.

use app::App;
use domain::access::{
    Caller, ListBankAccounts, ListLinks, ListSubscriptions, Me, Operation, ShowProfile,
};
use domain::time::Timestamp;
use http::Uri;
use web::{Failure, Signed};

use super::assets::ASSETS;
use super::integrations::{self, Pages, first_open};
use super::payments;
use super::texts::FrameTexts;

/// The frame of a page.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) t: &'static FrameTexts,
    pub(crate) css: &'static str,
    pub(crate) js: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) title: String,
    /// The places that the person signed in may see.
    pub(crate) menu: Vec<Place>,
    /// Whom it works for, and who it is.
    pub(crate) company: String,
    pub(crate) who: String,
    pub(crate) form_token: String,
    /// Whether what it shows is the test bank's alone, and whether there is something that only test mode shows.
    pub(crate) is_test_mode: bool,
    pub(crate) offers_test_mode: bool,
    /// The address of this page, to come back to; nothing where it is the answer to a form and is not shown again.
    pub(crate) here: Option<String>,
}

/// A place of the menu.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) href: &'static str,
    pub(crate) text: &'static str,
    pub(crate) is_here: bool,
}

/// Name of a place, in the language of the texts.
type Name = fn(&FrameTexts) -> &'static str;

/// Path that a place leads to; nowhere where none of its pages is open.
type First = fn(&Caller, Timestamp) -> Option<&'static str>;

/// The menu: which path a place is known by, what it is called, and which of its pages is the first that `Caller` may
/// open.
const MENU: [(&str, Name, First); 6] = [
    ("/app", |t| t.home, |caller, now| first_open(HOME, caller, now)),
    ("/app/payments", |t| t.payments, payments::first),
    ("/app/links", |t| t.links, |caller, now| first_open(LINKS, caller, now)),
    (
        "/app/subscriptions",
        |t| t.subscriptions,
        |caller, now| first_open(SUBSCRIPTIONS, caller, now),
    ),
    ("/app/accounts", |t| t.accounts, |caller, now| first_open(ACCOUNTS, caller, now)),
    ("/app/keys", |t| t.integrations, integrations::first),
];

const HOME: Pages = &[("/app", Me::ENTRY)];
const LINKS: Pages = &[("/app/links", ListLinks::ENTRY), ("/app/profile", ShowProfile::ENTRY)];
const SUBSCRIPTIONS: Pages = &[("/app/subscriptions", ListSubscriptions::ENTRY)];
const ACCOUNTS: Pages = &[("/app/accounts", ListBankAccounts::ENTRY)];

/// Places that lie behind a place of the menu.
const BEHIND: [(&str, &str); 6] = [
    ("/app/activity", "/app/keys"),
    ("/app/webhooks", "/app/keys"),
    ("/app/notices", "/app/keys"),
    ("/app/receipts", "/app/payments"),
    ("/app/profile", "/app/links"),
    ("/app/rates", "/app/links"),
];

impl Frame {
    /// The frame of the page of that title for the person signed in.
    pub(crate) async fn of<O: Operation>(
        app: &App,
        signed: &Signed<O>,
        uri: &Uri,
        title: impl Into<String>,
    ) -> Result<Self, Failure> {
        let user = app::me::show(app, &signed.also::<Me>()?).await?;
        let t = FrameTexts::of(signed.language());
        let who = if user.name == user.company { String::new() } else { user.name };
        let here = uri.path_and_query().map_or(super::PREFIX, |path| path.as_str());
        Ok(Self {
            t,
            css: &ASSETS.css,
            js: &ASSETS.js,
            icon: &ASSETS.icon,
            title: title.into(),
            menu: menu(signed.caller(), signed.act.now, t, uri.path()),
            company: user.company,
            who,
            form_token: signed.form_token.expose().to_owned(),
            is_test_mode: signed.test_mode.is_on(),
            offers_test_mode: signed.test_mode.is_offered(),
            here: (!signed.is_form).then(|| here.to_owned()),
        })
    }
}

fn menu(caller: &Caller, now: Timestamp, t: &FrameTexts, path: &str) -> Vec<Place> {
    let path =
        BEHIND.iter().find(|(behind, _)| path.starts_with(behind)).map_or(path, |(_, of)| of);
    let is_here = |place: &str| match place {
        "/app" => path == place,
        _ => path.starts_with(place),
    };
    let place = |(place, text, first): &(&'static str, Name, First)| {
        let href = first(caller, now)?;
        Some(Place { href, text: text(t), is_here: is_here(place) })
    };
    MENU.iter().filter_map(place).collect()
}
