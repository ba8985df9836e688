//! What stands around every page of the dashboard: the menu, who has signed in, the token of its forms.

use app::App;
use domain::access::{
    Caller, Entry, ListBankAccounts, ListLinks, ListMyKeys, ListPayments, Me, Operation,
};
use domain::time::Timestamp;
use http::Uri;
use web::{Failure, Signed};

use super::assets::ASSETS;
use super::texts::FrameTexts;

/// The frame of a page.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) t: &'static FrameTexts,
    pub(crate) css: &'static str,
    pub(crate) js: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) title: String,
    /// The places that whoever has signed in may see.
    pub(crate) menu: Vec<Place>,
    /// Whom it works for, and who it is.
    pub(crate) company: String,
    pub(crate) who: String,
    pub(crate) form_token: String,
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

/// What a place is called.
type Name = fn(&FrameTexts) -> &'static str;

/// The menu: where, what it is called, and which operation its first page stands for.
const MENU: [(&str, Name, Entry); 5] = [
    ("/app", |t| t.home, Me::ENTRY),
    ("/app/payments", |t| t.payments, ListPayments::ENTRY),
    ("/app/links", |t| t.links, ListLinks::ENTRY),
    ("/app/accounts", |t| t.accounts, ListBankAccounts::ENTRY),
    ("/app/keys", |t| t.integrations, ListMyKeys::ENTRY),
];

/// Places that lie behind a place of the menu.
const BEHIND: [(&str, &str); 5] = [
    ("/app/activity", "/app/keys"),
    ("/app/webhooks", "/app/keys"),
    ("/app/notices", "/app/keys"),
    ("/app/profile", "/app/links"),
    ("/app/rates", "/app/links"),
];

impl Frame {
    /// The frame of the page of that title for whoever has signed in.
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
            here: (!signed.is_form).then(|| here.to_owned()),
        })
    }
}

fn menu(caller: &Caller, now: Timestamp, t: &FrameTexts, path: &str) -> Vec<Place> {
    let path =
        BEHIND.iter().find(|(behind, _)| path.starts_with(behind)).map_or(path, |(_, of)| of);
    let is_here = |href: &str| match href {
        "/app" => path == href,
        _ => path.starts_with(href),
    };
    let open = MENU.iter().filter(|(.., entry)| entry.check(caller, now).is_ok());
    open.map(|(href, text, _)| Place { href, text: text(t), is_here: is_here(href) }).collect()
}
