//! A browser without scripts: it keeps cookies, and sends the forms of the page that it has open.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use crate::{Owner, Principal, Response};

/// Somebody with a browser.
#[derive(Debug)]
pub struct Browser {
    nobody: Principal,
    kept: Mutex<Kept>,
}

/// State that the browser keeps between requests.
#[derive(Clone, Debug, Default)]
struct Kept {
    cookies: BTreeMap<String, String>,
    form_token: String,
    once: String,
    /// The values that fields of the page showed, by the address of their form.
    shown: BTreeMap<String, Vec<(String, String)>>,
    /// What its person signed in with, which it types where a page asks for it again.
    password: Option<String>,
}

/// The field by which a page asks for the password before something delicate.
const STEP_UP: &str = "step_up_password";

impl Browser {
    pub(crate) fn new(nobody: Principal) -> Self {
        Self { nobody, kept: Mutex::default() }
    }

    /// Signs in, and lands on the first page. Where a form waits for the password again, later, it is typed.
    ///
    /// # Panics
    /// Where the service refuses.
    pub async fn sign_in(&self, email: &str, password: &str) {
        let answer = self.send("/app/sign-in", &[("email", email), ("password", password)]).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some("/app")), "{answer:?}");
        assert_eq!(self.get("/app").await.status, 200);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.password = Some(password.to_owned());
    }

    /// The password that its person types, where that answer asks for it.
    fn asked_for(&self, answer: &Response) -> Option<String> {
        let is_asked = answer.status == 403
            && String::from_utf8_lossy(&answer.body).contains(&format!("name=\"{STEP_UP}\""));
        self.kept().password.filter(|_| is_asked)
    }

    /// Signs in as that owner.
    pub async fn sign_in_as(&self, owner: &Owner) {
        self.sign_in(&owner.email, &owner.password).await;
    }

    /// Opens a page.
    pub async fn get(&self, path: &str) -> Response {
        let call = self.nobody.request("GET", path).header("cookie", &self.cookies());
        let answer = call.send().await;
        self.keep(&answer);
        answer
    }

    /// Opens a page that is there, and answers what it says.
    ///
    /// # Panics
    /// Where it is not there.
    pub async fn open(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.text()
    }

    /// Sends a form of the page that is open: what is typed, and what the page hides in it.
    pub async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        let kept = self.kept();
        let hidden = [("form_token", &*kept.form_token), ("once", &*kept.once)];
        let hidden = hidden.into_iter().filter(|(name, value)| {
            !value.is_empty() && fields.iter().all(|(typed, _)| typed != name)
        });
        let shown = kept.shown.get(path).map(Vec::as_slice).unwrap_or_default().iter();
        let shown = shown.map(|(name, value)| (&**name, &**value));
        let shown = shown.filter(|(name, _)| fields.iter().all(|(typed, _)| typed != name));
        let mut all: Vec<(&str, &str)> =
            hidden.chain(shown).chain(fields.iter().copied()).collect();
        let headers = [("sec-fetch-site", "same-origin")];
        let answer = self.send_only(path, &all, &headers).await;
        let Some(password) = self.asked_for(&answer) else { return answer };
        all.push((STEP_UP, &password));
        self.send_only(path, &all, &headers).await
    }

    /// Sends a form that has these fields alone, with these headers.
    pub async fn send_only(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Response {
        let mut call = self.nobody.request("POST", path).header("cookie", &self.cookies());
        for (name, value) in headers {
            call = call.header(name, value);
        }
        let call = call.header("content-type", "application/x-www-form-urlencoded");
        let answer = call.body(encoded(fields)).send().await;
        self.keep(&answer);
        answer
    }

    /// Sends a form with a file, as browsers do: what the page hides in it, what is typed, and a file of that field.
    pub async fn send_file(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        file: (&str, &[u8]),
    ) -> Response {
        let answer = self.send_file_only(path, fields, file).await;
        let Some(password) = self.asked_for(&answer) else { return answer };
        let proved: Vec<(&str, &str)> =
            fields.iter().copied().chain([(STEP_UP, &*password)]).collect();
        self.send_file_only(path, &proved, file).await
    }

    /// The same, though a page asks for the password.
    async fn send_file_only(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        (name, file): (&str, &[u8]),
    ) -> Response {
        const BOUNDARY: &str = "----a-boundary-of-this-test";
        let kept = self.kept();
        let shown = kept.shown.get(path).map(Vec::as_slice).unwrap_or_default().iter();
        let shown = shown.map(|(name, value)| (&**name, &**value));
        let hidden = [("form_token", &*kept.form_token)].into_iter().chain(shown);
        let hidden = hidden.filter(|(name, _)| fields.iter().all(|(typed, _)| typed != name));
        let mut body = Vec::new();
        for (name, value) in hidden.chain(fields.iter().copied()) {
            let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"");
            body.extend(format!("{head}\r\n\r\n{value}\r\n").into_bytes());
        }
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"");
        let kind = "Content-Type: application/octet-stream";
        body.extend(format!("{head}; filename=\"logo\"\r\n{kind}\r\n\r\n").into_bytes());
        body.extend_from_slice(file);
        body.extend(format!("\r\n--{BOUNDARY}--\r\n").into_bytes());
        let call = self.nobody.request("POST", path).header("cookie", &self.cookies());
        let call = call.header("sec-fetch-site", "same-origin");
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let answer = call.header("content-type", &kind).body(body).send().await;
        self.keep(&answer);
        answer
    }

    /// The token of the forms of the page that is open.
    #[must_use]
    pub fn form_token(&self) -> String {
        self.kept().form_token
    }

    /// The cookies, as a request sends them.
    #[must_use]
    pub fn cookies(&self) -> String {
        let kept = self.kept();
        let pairs: Vec<String> =
            kept.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join("; ")
    }

    /// Puts a cookie into the browser, as a person who steals or makes one up does.
    pub fn set_cookie(&self, name: &str, value: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.cookies.insert(name.to_owned(), value.to_owned());
    }

    fn kept(&self) -> Kept {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, answer: &Response) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        for line in answer.headers.get_all("set-cookie") {
            let line = line.to_str().expect("a cookie of text");
            let pair = line.split(';').next().and_then(|pair| pair.split_once('='));
            let (name, value) = pair.expect("a cookie with a name");
            if line.contains("Max-Age=0") {
                kept.cookies.remove(name);
            } else {
                kept.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        let text = String::from_utf8_lossy(&answer.body);
        if let Some(token) = hidden(&text, "form_token") {
            kept.form_token = token;
        }
        kept.once = hidden(&text, "once").unwrap_or_default();
        kept.shown = shown(&text);
    }
}

/// The value of the first hidden field of that name.
fn hidden(page: &str, name: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\""))?;
    let (value, _) = rest.split_once('"')?;
    Some(value.to_owned())
}

/// Reads what the fields of each form of the page showed, which is sent along, by the form's address.
fn shown(page: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut forms: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for form in page.split("<form ").skip(1) {
        let form = form.split("</form>").next().unwrap_or_default();
        let Some(action) = value(form, "action") else { continue };
        let action = action.split('#').next().unwrap_or_default().to_owned();
        let fields = form.split("<input type=\"hidden\" ").skip(1).filter_map(|field| {
            let name = value(field, "name")?;
            let is_shown = name.starts_with("was-") || name == "newest";
            is_shown.then_some((name, value(field, "value")?))
        });
        forms.entry(action).or_default().extend(fields);
    }
    forms
}

/// The value of the first attribute of that name in the tag with which the text begins.
fn value(text: &str, name: &str) -> Option<String> {
    let tag = text.split('>').next()?;
    let (_, rest) = tag.split_once(&format!("{name}=\""))?;
    let value = rest.split('"').next()?;
    Some(
        value
            .replace("&#34;", "\"")
            .replace("&#39;", "'")
            .replace("&#60;", "<")
            .replace("&#62;", ">")
            .replace("&#38;", "&"),
    )
}

/// A form as browsers send it.
fn encoded(fields: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        for (part, end) in [(name, '='), (value, '&')] {
            for byte in part.bytes() {
                if byte.is_ascii_alphanumeric() {
                    text.push(char::from(byte));
                } else {
                    write!(text, "%{byte:02X}").expect("a string takes all");
                }
            }
            text.push(end);
        }
    }
    text.pop();
    text
}
