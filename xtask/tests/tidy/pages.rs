//! A component of the dashboard is written once, and the development page shows each.

use crate::{files_below, none, read};

const DASHBOARD: &str = "crates/pages/templates/dashboard";

/// The components that are macros.
const COMPONENTS: &str = "crates/pages/templates/dashboard/components.html";

/// The page that shows them.
const SHOWN: &str = "crates/pages/templates/dashboard/components_shown.html";

/// Parts of components, as a page written by hand would have them.
const PARTS: &[&str] = &[
    "type=\"checkbox\"",
    "type=\"radio\"",
    "type=\"password\"",
    "<input id=",
    "<select",
    "<textarea",
    "<label",
    "<progress",
    "<table",
    "<figure",
    "class=\"empty\"",
    "class=\"pager\"",
];

/// Files that may have these parts: the file of the macros, and a component that is included whole.
const WRITTEN_IN: &[&str] = &[COMPONENTS, "crates/pages/templates/dashboard/pager.html"];

/// The pages, without what components are written in.
fn pages() -> Vec<String> {
    let mut pages = files_below(DASHBOARD);
    pages.retain(|file| !WRITTEN_IN.contains(&file.as_str()));
    pages
}

#[test]
fn pages_take_their_components_from_one_file() {
    let mut written = Vec::new();
    for file in pages() {
        for (number, line) in (1..).zip(read(&file).lines()) {
            let found = PARTS.iter().filter(|part| line.contains(**part));
            written.extend(found.map(|part| format!("{file}:{number}: {part}")));
        }
    }
    none("this is a macro of components.html", &written);
}

#[test]
fn the_development_page_shows_every_component() {
    let components = read(COMPONENTS);
    let macros = components.split("{% macro ").skip(1);
    let macros: Vec<&str> = macros.filter_map(|rest| rest.split('(').next()).collect();
    assert!(macros.contains(&"table") && macros.contains(&"text"), "{macros:?}");
    let others: String =
        pages().iter().filter(|file| *file != SHOWN).map(|file| read(file)).collect();
    let (shown, is_called) = (read(SHOWN), |text: &str, name: &str, by: &str| {
        text.contains(&format!("call {by}{name}("))
    });
    let mut missing = Vec::new();
    for name in macros {
        // What only other components call is seen in them.
        let is_internal = !is_called(&others, name, "c::") && is_called(&components, name, "");
        if !is_internal && !is_called(&shown, name, "c::") {
            missing.push(name.to_owned());
        }
        if !is_internal && !is_called(&others, name, "c::") {
            missing.push(format!("{name}, which no page has"));
        }
    }
    for file in WRITTEN_IN.iter().filter(|file| **file != COMPONENTS) {
        let include = file.strip_prefix("crates/pages/templates/").expect("a template");
        if !shown.contains(&format!("{{% include \"{include}\" %}}")) {
            missing.push(include.to_owned());
        }
    }
    none("components_shown.html lacks", &missing);
}
