//! What a page offers: its links, and its forms with what they carry.

/// A form of a page.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) action: String,
    /// What it sends where nothing is typed: its hidden fields.
    pub(super) carried: Vec<(String, String)>,
    pub(super) is_post: bool,
    /// The fields that people type into where all can see it, and what the page calls each.
    pub(super) typed: Vec<(String, String)>,
    /// The others: what is chosen, carried, or a secret.
    pub(super) others: Vec<String>,
}

/// The kinds of fields whose content people type, and see.
const TYPED: [&str; 8] =
    ["text", "number", "date", "search", "email", "tel", "url", "datetime-local"];

/// Every address of ours that the page leads to: by a link, or by a part that scripts ask for.
pub(super) fn links(page: &str) -> Vec<String> {
    let ways = ["href", "hx-get", "data-live"];
    let found = tags(page).flat_map(|tag| ways.into_iter().filter_map(move |way| value(tag, way)));
    found.filter(|address| is_ours(address)).collect()
}

/// Every form of the page that is sent to us.
pub(super) fn forms(page: &str) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    for tag in tags(page) {
        if tag.starts_with("form ") {
            forms.push(Form {
                action: value(tag, "action").unwrap_or_default(),
                carried: Vec::new(),
                is_post: value(tag, "method").as_deref() == Some("post"),
                typed: Vec::new(),
                others: Vec::new(),
            });
        } else if let Some(action) = value(tag, "formaction") {
            let around = forms.last().expect("a form around the button").clone();
            forms.push(Form { action, ..around });
        } else if tag.starts_with("input ") && value(tag, "type").as_deref() == Some("hidden") {
            let field = (value(tag, "name").unwrap(), value(tag, "value").unwrap_or_default());
            forms.last_mut().expect("a form around the field").carried.push(field);
        }
        if let (Some((name, is_typed)), Some(form)) = (field(tag), forms.last_mut()) {
            if is_typed {
                let label = label(page, &name);
                form.typed.push((name, label));
            } else {
                form.others.push(name);
            }
        }
    }
    forms.into_iter().filter(|form| is_ours(&form.action)).collect()
}

/// The name of a field, and whether its content is typed.
fn field(tag: &str) -> Option<(String, bool)> {
    let name = value(tag, "name")?;
    match tag.split(' ').next()? {
        "textarea" => Some((name, true)),
        "select" => Some((name, false)),
        "input" => {
            let kind = value(tag, "type");
            Some((name, TYPED.contains(&kind.as_deref().unwrap_or("text"))))
        }
        _ => None,
    }
}

/// Returns the text in the label of the field.
fn label(page: &str, name: &str) -> String {
    let label = page.split_once(&format!("<label for=\"{name}\">"));
    label.and_then(|(_, rest)| rest.split('<').next()).map(plain).unwrap_or_default()
}

fn is_ours(address: &str) -> bool {
    address == "/app" || ["/app/", "/app?", "/app#"].iter().any(|start| address.starts_with(start))
}

/// Lists the text between the brackets of each tag. No value has a bracket: pages escape them.
pub(super) fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<').skip(1).filter_map(|rest| rest.split('>').next())
}

/// The value of a tag's attribute of that name.
pub(super) fn value(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next().map(plain)
}

pub(super) fn plain(text: &str) -> String {
    text.replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#38;", "&")
}

/// The name of what the page is about.
pub(super) fn heading(page: &str) -> String {
    let name = page.split_once("<h1><bdi>").and_then(|(_, rest)| rest.split_once("</bdi>"));
    name.map(|(name, _)| plain(name)).unwrap_or_default()
}
