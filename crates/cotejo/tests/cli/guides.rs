//! The guides that are walks, from their first command to their last.

mod numbers;
mod walk;

use std::fs;

use self::walk::{Block, Walk, blocks, root};

/// The same walk in each language.
const TO_INTEGRATE: [&str; 2] = ["integrar.md", "integrate.md"];

fn guide(name: &str) -> String {
    fs::read_to_string(root().join("docs/guide").join(name)).unwrap()
}

/// What lies on a line behind that name, in the letter of a first start.
fn secret<'a>(letter: &'a str, name: &str) -> &'a str {
    letter.lines().find_map(|line| line.split_once(name)).unwrap().1.trim()
}

#[test]
fn the_first_payment_goes_as_the_guide_says() {
    Walk::begin().through(&guide("first-payment.md"));
}

/// A service that has just started, with what its owner was told.
fn served() -> Walk {
    let mut walk = Walk::begin();
    walk.start("cotejo serve --allow-private-webhooks &");
    let letter = walk.run("cat data/first-secrets.txt");
    let (email, password) = (secret(&letter, "e-mail:"), secret(&letter, "password:"));
    walk.run(&format!("COTEJO=http://127.0.0.1:8080 EMAIL={email} PASSWORD={password}"));
    walk
}

#[test]
fn a_shop_is_integrated_as_the_guide_says() {
    served().through(&guide(TO_INTEGRATE[0]));
}

#[test]
fn the_delivery_log_is_read_as_the_guide_says() {
    served().through(&guide("delivery-log.md"));
}

#[test]
fn a_receiver_is_checked_as_the_guide_says() {
    let mut walk = served();
    let log = guide("delivery-log.md");
    walk.through(log.split_once("## Buscar").expect("where its receiver is at work").0);
    let webhooks = guide("webhooks.md");
    let section = webhooks.split_once("## Comprobar su receptor").expect("its section").1;
    walk.through(section.split_once("\n## ").expect("the next one").0);
}

#[test]
fn both_languages_show_the_same() {
    /// What the two have in common: the examples, the number of headings, and what tables name.
    fn shown(name: &str) -> (Vec<Block>, usize, Vec<String>) {
        let guide = guide(name);
        let headings = guide.lines().filter(|line| line.starts_with('#')).count();
        let rows = guide.lines().filter(|line| line.starts_with("| "));
        let statuses =
            rows.clone().filter_map(|row| row.split(' ').nth(1)).filter(|cell| is_status(cell));
        let words = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
        let named = statuses.chain(words).map(str::to_owned).collect();
        (blocks(&guide), headings, named)
    }
    fn is_status(cell: &str) -> bool {
        cell.parse::<u16>().is_ok()
    }
    let [spanish, english] = TO_INTEGRATE.map(shown);
    for (one, other) in spanish.0.iter().zip(&english.0) {
        assert_eq!(one, other);
    }
    assert_eq!(spanish, english);
    assert!(spanish.0.len() > 15 && spanish.2.len() > 50, "{spanish:?}");
}
