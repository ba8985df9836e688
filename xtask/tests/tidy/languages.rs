//! Each page of the guide is there in Spanish and in English, as two files, and neither says everything twice.

use crate::{files_below, none, read};

/// The pages of the guide: the Spanish one, and the English one.
const PAIRS: [(&str, &str); 23] = [
    ("integrar.md", "integrate.md"),
    ("verificar.md", "verify.md"),
    ("operar.md", "operate.md"),
    ("entrar.md", "sign-in.md"),
    ("llaves-y-clientes.md", "keys-and-clients.md"),
    ("equipo.md", "team.md"),
    ("avisos.md", "notices.md"),
    ("ventas-y-creditos.md", "sales-and-credits.md"),
    ("mudarse.md", "moving.md"),
    ("al-menos-una-vez.md", "at-least-once.md"),
    ("avisos-de-creditos.md", "credits-events.md"),
    ("banco-de-venezuela.md", "banco-de-venezuela.en.md"),
    ("bancos-simulados.md", "simulated-banks.md"),
    ("enlaces-de-pago.md", "payment-links.md"),
    ("suscripciones.md", "subscriptions.md"),
    ("comprobantes.md", "receipts.md"),
    ("panel.md", "dashboard.md"),
    ("primer-pago.md", "first-payment.md"),
    ("restaurar.md", "restore.md"),
    ("prueba-de-entrega.md", "proof-of-delivery.md"),
    ("registro-de-entregas.md", "delivery-log.md"),
    ("varios-servidores.md", "several-servers.md"),
    ("webhooks.md", "webhooks.en.md"),
];

/// The mark between a sentence and itself in the other language.
const TWICE: &str = " · *";

#[test]
fn every_page_of_the_guide_is_there_in_both_languages() {
    let mut listed: Vec<&str> =
        PAIRS.iter().flat_map(|(spanish, english)| [*spanish, *english]).collect();
    listed.sort_unstable();
    let pages: Vec<String> =
        files_below("docs/guide").into_iter().filter(|file| file.ends_with(".md")).collect();
    let pages: Vec<&str> =
        pages.iter().filter_map(|page| page.strip_prefix("docs/guide/")).collect();
    assert_eq!(pages, listed, "each page of the guide is one of a pair");
    let twice = pages.into_iter().filter(|page| guide(page).contains(TWICE));
    let twice: Vec<String> = twice.map(str::to_owned).collect();
    none("guides in both languages at once", &twice);
}

fn guide(page: &str) -> String {
    read(&format!("docs/guide/{page}"))
}

/// A reader of a guide in Spanish is not sent to one in English that exists in Spanish, and the other way
/// round; the two pages name each other at their top.
#[test]
fn readers_of_a_guide_stay_in_their_language() {
    let mut violations = Vec::new();
    for (spanish, english) in PAIRS {
        for (page, word, other) in
            [(spanish, "In English", english), (english, "En español", spanish)]
        {
            let text = guide(page);
            let title = format!("\n\n[{word}]({other}). ");
            let Some((_, rest)) = text.split_once(&title) else {
                violations.push(format!("{page} does not begin with a link to {other}"));
                continue;
            };
            let others = PAIRS.map(|(es, en)| if page == spanish { en } else { es });
            for other in others.into_iter().filter(|other| rest.contains(&format!("]({other}"))) {
                violations.push(format!("{page} sends its readers to {other}"));
            }
        }
    }
    none("guides in two languages", &violations);
}
