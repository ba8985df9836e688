//! A receipt as a PDF of A4. The same receipt under the same logo is the same bytes: nothing in it is of the moment or the
//! machine that writes it.

use std::sync::LazyLock;

use domain::logo::Logo;
use domain::time::Timestamp;
use krilla::color::rgb::Color;
use krilla::configure::{Accessibility, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::Point;
use krilla::metadata::{DateTime, Metadata};
use krilla::outline::{Outline, OutlineNode};
use krilla::tagging::Tag;
use krilla::{Document, SerializeSettings};

use super::face::Face;
use super::logo::PdfLogo;
use super::paper::{Faces, LEFT, Lines, Paper, RIGHT, Style, WIDTH};
use super::reading::{FIRST, SECOND, heading};
use super::sheet::Sheet;
use super::texts::ReceiptTexts;
use crate::page::{Fact, Mark};
use crate::qr::Code;

/// Open Sans, whose licence lies beside.
static FACES: LazyLock<Option<Faces>> = LazyLock::new(|| {
    let regular = Face::read(include_bytes!("../../assets/fonts/OpenSans-Regular.ttf"))?;
    let bold = Face::read(include_bytes!("../../assets/fonts/OpenSans-Bold.ttf"))?;
    Some(Faces { regular, bold })
});

/// Program that is named as the one that wrote it.
const PROGRAM: &str = "Cotejo";

/// Left edge of the values of facts, and their width.
const VALUES: f32 = 206.0;
const VALUES_WIDTH: f32 = RIGHT - VALUES;

/// Side of the QR code, and the left edge of the text beside it.
const CODE: f32 = 132.0;
const BESIDE: f32 = LEFT + CODE + 12.0;

/// Space between the edge of a mark and its text.
const INSET: f32 = 14.0;

/// Height of a line between facts, and the space on both sides of it.
const RULE: f32 = 0.75;
const GAP: f32 = 4.0;

/// Writes a receipt, with the bytes of the merchant's logo above it.
///
/// # Errors
/// Why there is no PDF.
pub(super) fn write(
    sheet: &Sheet,
    t: &'static ReceiptTexts,
    logo: Option<(Logo, Vec<u8>)>,
) -> Result<Vec<u8>, String> {
    let logo = logo.and_then(|(logo, bytes)| PdfLogo::read(&logo, bytes));
    match logo.map(|logo| write_below(Some(logo), sheet, t)) {
        Some(Ok(pdf)) => Ok(pdf),
        // A picture that cannot be drawn after all is left away.
        Some(Err(_)) | None => write_below(None, sheet, t),
    }
}

fn write_below(
    logo: Option<PdfLogo>,
    sheet: &Sheet,
    t: &'static ReceiptTexts,
) -> Result<Vec<u8>, String> {
    let faces = FACES.as_ref().ok_or("the font of receipts cannot be read")?;
    let mut paper = Paper::new(faces, (running(sheet), Style::bold(9.5, quiet())));
    if let Some(logo) = logo {
        paper.begin(Tag::Figure(Some(t.logo.to_owned())));
        paper.draw_logo(logo);
        paper.skip(8.0);
    }
    head(&mut paper, sheet);
    for mark in &sheet.marks {
        write_mark(&mut paper, mark);
    }
    paper.skip(8.0);
    paper.begin(Tag::P);
    let amount = paper.lines(&sheet.amount, Style::bold(28.0, text()), WIDTH);
    paper.write(amount);
    paper.skip(10.0);
    for fact in &sheet.facts {
        write_fact(&mut paper, fact);
    }
    paper.skip(12.0);
    for (note, style) in
        sheet.notes.iter().zip([Style::bold(10.5, text()), Style::regular(10.0, quiet())])
    {
        let note = paper.lines(note, style, WIDTH);
        paper.begin(Tag::P);
        paper.write(note);
    }
    paper.skip(16.0);
    write_self(&mut paper, sheet, t);
    let mut document = Document::new_with(accessible()?);
    document.set_metadata(metadata(sheet, t));
    document.set_outline(outline(sheet));
    paper.finish(&mut document);
    document.finish().map_err(|error| error.to_string())
}

/// Settings of PDF/UA-1, by which readers of screens find their way: krilla writes nothing that lacks what it asks for.
fn accessible() -> Result<SerializeSettings, String> {
    let builder = ConfigurationBuilder::new().with_accessibility_validator(Accessibility::UA1);
    let configuration = builder.finish().map_err(|error| format!("{error:?}"))?;
    Ok(SerializeSettings { configuration, ..SerializeSettings::default() })
}

/// A table of contents, of which there is one entry.
fn outline(sheet: &Sheet) -> Outline {
    let top = XyzDestination::new(0, Point::from_xy(0.0, 0.0));
    let mut outline = Outline::new();
    outline.push_child(OutlineNode::new(sheet.title.clone(), top));
    outline
}

/// The line above every further page, which may be shown without the first.
fn running(sheet: &Sheet) -> String {
    let marks = sheet.marks.iter().map(|mark| mark.title);
    std::iter::once(sheet.title.as_str()).chain(marks).collect::<Vec<_>>().join(" · ")
}

fn head(paper: &mut Paper<'_>, sheet: &Sheet) {
    let merchant = paper.lines(&sheet.merchant, Style::bold(18.0, text()), WIDTH);
    paper.begin(Tag::P);
    paper.write(merchant);
    if let Some(rif) = &sheet.tax_number {
        let rif = paper.lines(rif, Style::regular(10.5, quiet()), WIDTH);
        paper.begin(Tag::P);
        paper.write(rif);
    }
    paper.skip(10.0);
    let title = paper.lines(&sheet.title, Style::bold(13.0, text()), WIDTH);
    paper.begin(heading(FIRST, &sheet.title));
    paper.write(title);
    paper.skip(6.0);
}

/// A mark that nobody overlooks, also where only a part of the page is copied.
fn write_mark(paper: &mut Paper<'_>, mark: &Mark) {
    let (ink, ground) = match mark.kind {
        "bad" => (Color::new(163, 22, 33), Color::new(253, 236, 236)),
        _ => (Color::new(122, 74, 0), Color::new(255, 243, 214)),
    };
    let width = WIDTH - 2.0 * INSET;
    let title = paper.lines(mark.title, Style::bold(34.0, ink), width);
    let style = Style::regular(10.5, text());
    let lines: Vec<_> = mark.lines.iter().map(|line| paper.lines(line, style, width)).collect();
    let height = title.height() + lines.iter().map(Lines::height).sum::<f32>() + INSET;
    paper.keep(height);
    paper.fill(LEFT, WIDTH, height, ground);
    paper.fill(LEFT, 5.0, height, ink);
    let mut below = INSET / 2.0;
    paper.begin(heading(SECOND, mark.title));
    for lines in std::iter::once(title).chain(lines) {
        let height = lines.height();
        paper.put(LEFT + INSET, below, lines);
        // Each line below the title is a paragraph.
        paper.begin(Tag::P);
        below += height;
    }
    paper.skip(height + 10.0);
}

/// A fact below a thin line: its name at the left, and its value beside.
fn write_fact(paper: &mut Paper<'_>, fact: &Fact) {
    let name = paper.lines(fact.name, Style::regular(10.0, quiet()), VALUES - LEFT - INSET);
    let value = paper.lines(&fact.shown, Style::regular(10.5, text()), VALUES_WIDTH);
    paper.keep(name.height().max(value.height()) + 2.0 * GAP);
    paper.fill(LEFT, WIDTH, RULE, Color::new(201, 206, 214));
    paper.skip(GAP);
    paper.write_named(name, (VALUES, value));
    paper.skip(GAP);
}

/// The code and the address by which anybody sees what the receipt is worth today.
fn write_self(paper: &mut Paper<'_>, sheet: &Sheet, t: &'static ReceiptTexts) {
    let width = RIGHT - BESIDE;
    let title = paper.lines(t.self_title, Style::bold(10.5, text()), width);
    let note = paper.lines(t.self_text, Style::regular(10.0, quiet()), width);
    let url = paper.lines(&sheet.url, Style::regular(9.5, text()), width);
    paper.keep(CODE);
    let below_title = 14.0 + title.height() + 4.0;
    let below_note = below_title + note.height() + 4.0;
    paper.begin(heading(SECOND, t.self_title));
    paper.put(BESIDE, 14.0, title);
    paper.begin(Tag::P);
    paper.put(BESIDE, below_title, note);
    if let Some(code) = Code::of(&sheet.url) {
        paper.begin(Tag::Figure(Some(t.qr.to_owned())));
        paper.draw(LEFT - 12.0, CODE, code);
    }
    paper.begin(Tag::Link);
    paper.lead((LEFT, WIDTH, CODE), &sheet.url, t.address);
    paper.put(BESIDE, below_note, url);
    paper.skip(CODE);
}

fn metadata(sheet: &Sheet, t: &'static ReceiptTexts) -> Metadata {
    let metadata = Metadata::new()
        .title(sheet.name())
        .language(t.lang.to_owned())
        .creator(PROGRAM.to_owned())
        .producer(PROGRAM.to_owned())
        .document_id(sheet.url.clone());
    match date(sheet.issued_at) {
        Some(date) => metadata.creation_date(date),
        None => metadata,
    }
}

fn date(instant: Timestamp) -> Option<DateTime> {
    let text = instant.to_string();
    let mut parts = text.split(|c: char| !c.is_ascii_digit());
    let year = parts.next()?.parse().ok()?;
    let mut part = || parts.next()?.parse::<u8>().ok();
    let date = DateTime::new(year).month(part()?).day(part()?);
    Some(date.hour(part()?).minute(part()?).second(part()?).utc_offset_hour(0))
}

fn text() -> Color {
    Color::new(22, 25, 29)
}

fn quiet() -> Color {
    Color::new(82, 90, 101)
}

#[cfg(test)]
mod tests {
    use app::receipts::Receipt;
    use domain::language::Language;

    use super::super::sheet::tests::{URL, receipt, voided};
    use super::*;

    fn pdf(receipt: &Receipt, language: Language) -> Vec<u8> {
        let sheet = Sheet::of(receipt, URL.to_owned(), language);
        write(&sheet, ReceiptTexts::of(language), None).unwrap()
    }

    fn has(pdf: &[u8], text: &str) -> bool {
        pdf.windows(text.len()).any(|window| window == text.as_bytes())
    }

    fn has_pages(pdf: &[u8], pages: usize) -> bool {
        has(pdf, &format!("<xmpTPg:NPages>{pages}<"))
    }

    #[test]
    fn the_same_receipt_is_the_same_bytes() {
        let receipt = receipt();
        let spanish = pdf(&receipt, Language::Es);
        assert!(spanish.starts_with(b"%PDF-1.7"));
        assert_eq!(spanish, pdf(&receipt, Language::Es));
        assert_ne!(spanish, pdf(&receipt, Language::En));
        assert_ne!(spanish, pdf(&voided(receipt, "Pago duplicado"), Language::Es));
    }

    #[test]
    fn title_language_and_date_are_those_of_the_receipt() {
        let spanish = pdf(&receipt(), Language::Es);
        for said in [
            "Comprobante de pago N.º 000123 · Tienda Ejemplo, C.A.</rdf:li>",
            "<dc:language><rdf:Bag><rdf:li>es<",
            "<xmp:CreateDate>2026-11-20T12:05:01+00:00<",
        ] {
            assert!(has(&spanish, said), "{said}");
        }
        assert!(has(&pdf(&receipt(), Language::En), "<dc:language><rdf:Bag><rdf:li>en<"));
    }

    #[test]
    fn it_says_of_itself_that_it_can_be_read_aloud() {
        let spanish = pdf(&receipt(), Language::Es);
        for said in ["<pdfuaid:part>1<", "/DisplayDocTitle", "/StructTreeRoot"] {
            assert!(has(&spanish, said), "{said}");
        }
    }

    #[test]
    fn whatever_is_typed_can_be_written() {
        let typed = (0..0x3000).chain(0xf000..0x1_0000).filter_map(char::from_u32);
        let receipt =
            Receipt { concept: Some(typed.collect()), merchant: " ".to_owned(), ..receipt() };
        assert!(pdf(&receipt, Language::Es).len() > 10_000);
    }

    #[test]
    fn a_receipt_is_one_page_and_whatever_is_long_has_others() {
        assert!(has_pages(&pdf(&receipt(), Language::Es), 1));
        let long = Receipt {
            concept: Some("palabra ".repeat(600)),
            merchant: "M".repeat(100),
            ..receipt()
        };
        assert!(has_pages(&pdf(&voided(long, &"ñ".repeat(200)), Language::Es), 3));
    }

    #[test]
    fn lines_are_no_wider_than_they_may_be_and_lose_nothing() {
        let face = &FACES.as_ref().unwrap().regular;
        let text = format!("Pedido de {} y más", "x".repeat(200));
        let lines = face.lines(&text, 10.0, 100.0);
        let joined = lines.concat();
        assert_eq!(joined.replace(' ', ""), text.replace(' ', ""));
        assert!(lines.len() > 10 && lines.iter().all(|line| line.len() < 40), "{lines:?}");
        assert_eq!(face.lines("caf\u{e9} \u{1f600}\n日本 №", 10.0, 500.0), ["café ? ?? №"]);
        assert_eq!(face.lines(" \n", 10.0, 100.0), [""; 0]);
    }
}
