//! The payer's page as the template takes it, and what pages have in common.

use askama::Template;
use axum::response::Response;
use domain::logo::Logo;
use http::StatusCode;

use crate::assets::ASSETS;
use crate::said::Said;
use crate::texts::Texts;

/// Everything that the template shows. What is absent is left out.
#[derive(Template)]
#[template(path = "pay.html")]
pub(crate) struct PayPage {
    pub(crate) t: &'static Texts,
    pub(crate) css: &'static str,
    pub(crate) js: &'static str,
    pub(crate) icon: &'static str,
    /// The stylesheet of the merchant's colour.
    pub(crate) brand: Option<String>,
    pub(crate) title: String,
    /// What messengers show of the address.
    pub(crate) preview: Option<Preview>,
    pub(crate) heading: String,
    pub(crate) merchant: Option<String>,
    /// The merchant's logo, above its name.
    pub(crate) logo: Option<ShownLogo>,
    pub(crate) amount: Option<String>,
    /// How the amount comes about that a link in another currency asks for.
    pub(crate) rate: Vec<String>,
    /// The button that has a rate held.
    pub(crate) offer: Option<Offer>,
    pub(crate) until: Option<String>,
    pub(crate) is_test: bool,
    pub(crate) notice: Option<Notice>,
    /// The payment that paid the link, as its receipt has it.
    pub(crate) paid: Option<Paid>,
    pub(crate) form: Option<Form>,
    /// After how many seconds the page is loaded again where scripts do not run.
    pub(crate) refresh: Option<u32>,
    /// Where scripts learn that something has changed.
    pub(crate) events: Option<String>,
    pub(crate) magic: Option<&'static [(&'static str, &'static str)]>,
    /// How to reach the merchant.
    pub(crate) contacts: Vec<Link>,
    /// What a payer can do about a link that is none.
    pub(crate) steps: Vec<&'static str>,
    pub(crate) footer: &'static str,
    /// Where the page is loaded again, where that is not the address that it came from.
    pub(crate) here: Option<String>,
    /// Whether something else than the link's own page is shown, so that what was typed is still wanted.
    pub(crate) is_failure: bool,
}

/// Words that messengers show of an address before somebody opens it, also where it is forwarded: nothing personal.
pub(crate) struct Preview {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) url: String,
    /// Address of a picture.
    pub(crate) image: Option<String>,
}

/// A payment in short, and where its receipt is.
pub(crate) struct Paid {
    pub(crate) title: &'static str,
    pub(crate) marks: Vec<Mark>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) receipt: Link,
}

/// Words that keep a receipt from being taken for one of money.
pub(crate) struct Mark {
    /// The class of the stylesheet: bad or warn.
    pub(crate) kind: &'static str,
    pub(crate) title: &'static str,
    pub(crate) lines: Vec<String>,
}

/// A logo as a page shows it.
pub(crate) struct ShownLogo {
    pub(crate) src: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// Text of the page about the payment.
#[derive(Clone)]
pub(crate) struct Notice {
    /// The class of the stylesheet: good, bad, busy or warn.
    pub(crate) kind: &'static str,
    pub(crate) title: &'static str,
    pub(crate) text: String,
    pub(crate) more: Option<String>,
    /// What the merchant says, after `more`.
    pub(crate) detail: Option<String>,
    pub(crate) link: Option<Link>,
}

/// Link by which the payer can go on.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) href: String,
    pub(crate) text: String,
    pub(crate) is_outside: bool,
}

/// Amounts that are to be paid, and the form for the reference.
pub(crate) struct Form {
    pub(crate) action: String,
    pub(crate) is_folded: bool,
    /// Whether the payer has paid already, so that nothing may call for paying again.
    pub(crate) has_paid: bool,
    /// None where nobody is to pay now, but may have paid.
    pub(crate) ways: Vec<Way>,
    /// What the payer saw the link ask for: one amount, or several to choose from.
    pub(crate) seen: Vec<Seen>,
    pub(crate) reference: Input,
    pub(crate) phone: Option<Input>,
    pub(crate) document: Option<Input>,
    pub(crate) payer: Payer,
}

/// An amount that the payer may have paid.
pub(crate) struct Seen {
    pub(crate) hundredths: i64,
    /// What it is chosen by.
    pub(crate) text: String,
    pub(crate) is_chosen: bool,
}

/// A button that has a rate held, or another link made.
pub(crate) struct Offer {
    /// A title, and what the button does.
    pub(crate) said: Option<(&'static str, String)>,
    pub(crate) button: &'static str,
    pub(crate) action: String,
}

/// How the form asks who paid.
#[derive(Clone, Copy, Default)]
pub(crate) struct Payer {
    /// Phone and document are asked for together, and one of them will do.
    pub(crate) is_either: bool,
    /// Neither was typed.
    pub(crate) is_missing: bool,
}

/// A way to pay, with all that the payer's bank asks for.
pub(crate) struct Way {
    /// Its name, where it has one.
    pub(crate) title: Option<&'static str>,
    /// Whether another way is the usual one, so that this one is unfolded by a payer who wants it.
    pub(crate) is_folded: bool,
    pub(crate) facts: Vec<Fact>,
    /// What a button puts into the clipboard in one press.
    pub(crate) all: Option<String>,
}

/// One of the merchant's details, or of a payment's.
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    pub(crate) shown: String,
    /// What a button puts into the clipboard.
    pub(crate) copy: Option<String>,
}

/// A field of the form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    pub(crate) value: String,
    pub(crate) is_wrong: bool,
    /// A text for what is wrong, in place of the usual one.
    pub(crate) problem: Option<String>,
    pub(crate) is_required: bool,
}

impl ShownLogo {
    pub(crate) fn of(logo: &Logo) -> Self {
        let size = logo.shown();
        Self { src: logo.path(), width: size.width, height: size.height }
    }
}

impl Notice {
    pub(crate) fn new(kind: &'static str, said: Said) -> Self {
        Self {
            kind,
            title: said.title,
            text: said.text.to_owned(),
            more: None,
            detail: None,
            link: None,
        }
    }

    /// With a way to go on, on this service.
    pub(crate) fn leading_to(self, href: &str, text: &str) -> Self {
        let link = Link { href: href.to_owned(), text: text.to_owned(), is_outside: false };
        Self { link: Some(link), ..self }
    }
}

impl PayPage {
    /// Tells whether the payer can do no better than report to the merchant what the page says, though there is a form.
    fn is_contact_first(&self) -> bool {
        self.notice.as_ref().is_some_and(|notice| notice.kind == "bad")
    }

    /// A page that says this and nothing else.
    pub(crate) fn bare(t: &'static Texts, notice: Notice) -> Self {
        Self {
            t,
            css: &ASSETS.css,
            js: &ASSETS.js,
            icon: &ASSETS.icon,
            brand: None,
            title: notice.title.to_owned(),
            preview: None,
            heading: t.link.to_owned(),
            merchant: None,
            logo: None,
            amount: None,
            rate: Vec::new(),
            offer: None,
            until: None,
            is_test: false,
            notice: Some(notice),
            paid: None,
            form: None,
            refresh: None,
            events: None,
            magic: None,
            contacts: Vec::new(),
            steps: Vec::new(),
            footer: t.safety,
            here: None,
            is_failure: true,
        }
    }

    /// The page as an answer.
    pub(crate) fn answer(&self, status: StatusCode) -> Response {
        of_template(self, status)
    }
}

/// A page that a template writes.
pub(crate) fn of_template(page: &impl Template, status: StatusCode) -> Response {
    match page.render() {
        Ok(html) => web::page(status, html),
        // Writing into a string does not fail; if it does, the request layer says so.
        Err(_) => Response::builder()
            .status(StatusCode::INTERNAL_SERVER_ERROR)
            .body(axum::body::Body::empty())
            .unwrap_or_default(),
    }
}
