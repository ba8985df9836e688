//! A form of a page as a browser would send it: each field with what stands in it, and what else could.

use std::collections::BTreeMap;

use super::page::value;

/// Texts that some field or other takes. Which takes what is found out by trying.
const TYPED: [&str; 23] = [
    "7",
    "8",
    "9",
    "Otro nombre",
    "Tercer nombre",
    "2026-12-30",
    "2026-12-31",
    "2027-01-05",
    "04141234567",
    "04121234568",
    "04161234569",
    "ana@example.com",
    "eva@example.com",
    "luz@example.com",
    "https://tienda.example/otra",
    "https://tienda.example/tercera",
    "https://tienda.example/cuarta",
    "#0b5cad",
    "#7a1f1f",
    "#1a6f3c",
    "50 5",
    "60 6",
    "70 7",
];

/// A field, by what stands in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) values: Vec<String>,
    /// The choices that it offers; nothing where it is typed.
    pub(super) offered: Vec<String>,
    /// Says whether several of it may be chosen.
    is_many: bool,
    /// Says whether it is a box without which the form is not sent.
    is_consent: bool,
}

impl Field {
    /// Answers whether it is a choice that nobody has made.
    pub(super) fn is_unanswered(&self) -> bool {
        !self.is_many && !self.offered.is_empty() && self.values.is_empty()
    }

    /// Everything else that could stand in it.
    pub(super) fn others(&self) -> Vec<Vec<String>> {
        if self.is_consent {
            return Vec::new();
        }
        if self.offered.is_empty() {
            let typed = TYPED.iter().map(|text| vec![(*text).to_owned()]);
            return typed.filter(|typed| *typed != self.values).collect();
        }
        let other = |one: &String| match (self.is_many, self.values.contains(one)) {
            (true, true) => self.values.iter().filter(|value| *value != one).cloned().collect(),
            (true, false) => self.values.iter().chain([one]).cloned().collect(),
            (false, _) => vec![one.clone()],
        };
        let others: Vec<Vec<String>> = self.offered.iter().map(other).collect();
        others.into_iter().filter(|other| *other != self.values).collect()
    }
}

/// A form, filled in.
#[derive(Clone, Debug, Default)]
pub(super) struct Filled {
    pub(super) action: String,
    pub(super) hidden: Vec<(String, String)>,
    pub(super) fields: BTreeMap<String, Field>,
    /// The name and value of its first button, which *Enter* presses, where that is more than that it was pressed.
    pub(super) button: Option<(String, String)>,
}

impl Filled {
    /// Answers whether it carries along what its fields showed.
    pub(super) fn is_changing(&self) -> bool {
        !self.changing().is_empty()
    }

    /// Answers whether it makes something, and carries what it must not be taken twice by.
    pub(super) fn makes(&self) -> bool {
        self.hidden.iter().any(|(name, _)| name == "once")
    }

    /// The names of the fields that carry along what they showed.
    pub(super) fn changing(&self) -> Vec<String> {
        let is_changing = |name: &&String| {
            let was = format!("was-{name}");
            self.hidden.iter().any(|(hidden, _)| *hidden == was)
        };
        self.fields.keys().filter(is_changing).cloned().collect()
    }

    /// The content of a field; nothing where there is no such field.
    pub(super) fn shows(&self, name: &str) -> Vec<String> {
        self.fields.get(name).map(|field| field.values.clone()).unwrap_or_default()
    }

    /// The form with something else in some fields.
    pub(super) fn with(&self, edits: &[(String, Vec<String>)]) -> Self {
        let mut filled = self.clone();
        for (name, values) in edits {
            if let Some(field) = filled.fields.get_mut(name) {
                field.values.clone_from(values);
            }
        }
        filled
    }

    /// The pairs that a browser sends.
    pub(super) fn pairs(&self) -> Vec<(String, String)> {
        let fields = self.fields.iter().flat_map(|(name, field)| {
            field.values.iter().map(move |value| (name.clone(), value.clone()))
        });
        self.hidden.iter().cloned().chain(fields).chain(self.button.clone()).collect()
    }
}

/// Every form of the page that is posted, as it stands there.
pub(super) fn filled(page: &str) -> Vec<Filled> {
    let forms = page.split("<form ").skip(1);
    let forms = forms.map(|form| form.split("</form>").next().unwrap_or_default());
    forms.filter(|form| form.contains("method=\"post\"")).map(one).collect()
}

fn one(form: &str) -> Filled {
    let head = format!(" {}", form.split('>').next().unwrap_or_default());
    let mut filled =
        Filled { action: value(&head, "action").unwrap_or_default(), ..Filled::default() };
    let mut is_pressed = false;
    let mut select = String::new();
    let mut area: Option<String> = None;
    for part in form.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        let Some(kind) = tag.split(' ').next() else { continue };
        let name = value(tag, "name").unwrap_or_default();
        match kind {
            "input" => input(&mut filled, tag, name),
            "button" if !is_pressed && value(tag, "type").as_deref() != Some("button") => {
                is_pressed = true;
                let button = (name, value(tag, "value").unwrap_or_default());
                filled.button = Some(button).filter(|(name, _)| !name.is_empty());
            }
            "select" => select = name,
            "option" => {
                let field = filled.fields.entry(select.clone()).or_default();
                let option = value(tag, "value").unwrap_or_default();
                // A browser sends the first one where none is selected.
                if tag.ends_with(" selected") || field.offered.is_empty() {
                    field.values = vec![option.clone()];
                }
                field.offered.push(option);
            }
            "textarea" => area = Some(super::page::plain(text)),
            _ => {}
        }
        if let Some(text) = area.take() {
            let field = Field { values: vec![text], ..Field::default() };
            filled.fields.insert(value(tag, "name").unwrap_or_default(), field);
        }
    }
    filled
}

fn input(filled: &mut Filled, tag: &str, name: String) {
    let text = value(tag, "value").unwrap_or_default();
    let kind = value(tag, "type").unwrap_or_else(|| "text".to_owned());
    let is_checked = tag.contains(" checked");
    match &*kind {
        "hidden" => filled.hidden.push((name, text)),
        "file" | "submit" => {}
        "checkbox" | "radio" => {
            let field = filled.fields.entry(name).or_default();
            field.is_many = kind == "checkbox";
            field.is_consent = field.is_many && tag.contains(" required");
            if is_checked || field.is_consent {
                field.values.push(text.clone());
            }
            field.offered.push(text);
        }
        _ => {
            filled.fields.insert(name, Field { values: vec![text], ..Field::default() });
        }
    }
}

#[test]
fn a_form_is_read_as_a_browser_would_send_it() {
    let page = "<form method=\"post\" action=\"/app/x\"><input type=\"hidden\" name=\"was-a\" value=\"1\">\
        <input id=\"a\" name=\"a\" value=\"1\"><select id=\"b\" name=\"b\"><option value=\"x\">X</option>\
        <option value=\"y\" selected>Y</option></select><textarea id=\"c\" name=\"c\">two &#38; three</textarea>\
        <input type=\"checkbox\" name=\"d\" value=\"p\" checked><input type=\"checkbox\" name=\"d\" value=\"q\">\
        <input type=\"checkbox\" name=\"sure\" value=\"yes\" required>\
        <button name=\"e\" value=\"on\">E</button><button name=\"f\" value=\"on\">F</button></form>";
    let form = filled(page).remove(0);
    let pairs: Vec<String> =
        form.pairs().iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(pairs, ["was-a=1", "a=1", "b=y", "c=two & three", "d=p", "sure=yes", "e=on"]);
    let unnamed = page.replace("<button name=\"e\" value=\"on\">", "<button>");
    assert_eq!(filled(&unnamed).remove(0).button, None, "the second one is not pressed");
    assert_eq!(form.changing(), ["a"]);
    assert_eq!(form.fields["d"].others(), [vec![], vec!["p".to_owned(), "q".to_owned()]]);
}
