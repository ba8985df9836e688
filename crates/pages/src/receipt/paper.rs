//! Sheets of A4 that are written from top to bottom; what has no room on one begins the next.

use krilla::Document;
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb::Color;
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::page::Page;
use krilla::paint::Fill;
use krilla::surface::Surface;

use super::face::Face;
use crate::qr::Code;

/// Edges of a page in points.
pub(super) const LEFT: f32 = 56.0;
pub(super) const RIGHT: f32 = 539.0;
pub(super) const WIDTH: f32 = RIGHT - LEFT;
const TOP: f32 = 60.0;
const BOTTOM: f32 = 786.0;

/// Space between the first line of a page and what goes on below it.
const RUNNING_GAP: f32 = 8.0;

/// Height of a line for each point of its text.
const LEADING: f32 = 1.4;

/// Part of a line above its base line.
const ASCENT: f32 = 1.05;

/// Looks of a text.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) is_bold: bool,
    pub(super) size: f32,
    pub(super) colour: Color,
}

/// A text that is broken into lines.
pub(super) struct Lines {
    lines: Vec<String>,
    style: Style,
}

/// The faces of the font: regular and bold.
pub(super) struct Faces {
    pub(super) regular: Face,
    pub(super) bold: Face,
}

/// Something at its place on a page.
enum Item {
    Line { x: f32, base: f32, text: String, style: Style },
    Block { rect: Rect, colour: Color },
    Code { x: f32, y: f32, side: f32, code: Code },
    Link { rect: Rect, url: String, name: &'static str },
}

/// The pages so far, and how far the last of them is written.
pub(super) struct Paper<'a> {
    faces: &'a Faces,
    /// First line of every page but the first.
    running: (String, Style),
    pages: Vec<Vec<Item>>,
    y: f32,
}

impl Style {
    pub(super) const fn regular(size: f32, colour: Color) -> Self {
        Self { is_bold: false, size, colour }
    }

    pub(super) const fn bold(size: f32, colour: Color) -> Self {
        Self { is_bold: true, size, colour }
    }
}

impl Lines {
    pub(super) fn height(&self) -> f32 {
        self.lines.iter().map(|_| self.style.size * LEADING).sum()
    }
}

impl<'a> Paper<'a> {
    pub(super) fn new(faces: &'a Faces, running: (String, Style)) -> Self {
        Self { faces, running, pages: vec![Vec::new()], y: TOP }
    }

    /// Breaks a text into lines of that width.
    pub(super) fn lines(&self, text: &str, style: Style, width: f32) -> Lines {
        let lines = face(self.faces, style).lines(text, style.size, width);
        Lines { lines, style }
    }

    /// Begins another page where what comes next has no room on this one, and would have on that.
    pub(super) fn keep(&mut self, height: f32) {
        let has_room = self.y + height <= BOTTOM;
        if !has_room && self.y > TOP && height <= BOTTOM - TOP {
            self.pages.push(Vec::new());
            self.y = TOP;
            let (text, style) = &self.running;
            let running = self.lines(text, *style, WIDTH);
            let above = running.height() + RUNNING_GAP;
            self.put(LEFT, -above, running);
        }
    }

    /// Leaves that much blank.
    pub(super) fn skip(&mut self, height: f32) {
        self.y += height;
    }

    /// Writes lines from the left edge on.
    pub(super) fn write(&mut self, lines: Lines) {
        self.flow(LEFT, lines);
    }

    /// Writes a value with its name at its left, on one page where it has room on any.
    pub(super) fn write_named(&mut self, name: Lines, (x, value): (f32, Lines)) {
        let pages = self.pages.len();
        let end = self.y + name.height();
        self.put(LEFT, 0.0, name);
        self.flow(x, value);
        // Only a value that is longer than a page ends on another one than its name.
        if pages == self.pages.len() {
            self.y = self.y.max(end);
        }
    }

    /// Writes line by line, and goes on where the next page begins.
    fn flow(&mut self, x: f32, lines: Lines) {
        let Lines { lines, style } = lines;
        for line in lines {
            let line = Lines { lines: vec![line], style };
            let height = line.height();
            self.keep(height);
            self.put(x, 0.0, line);
            self.y += height;
        }
    }

    /// Puts lines beside what is written next, that far below.
    pub(super) fn put(&mut self, x: f32, below: f32, lines: Lines) {
        let Lines { lines, style } = lines;
        let mut base = style.size.mul_add(ASCENT, self.y + below);
        for text in lines {
            self.add(Some(Item::Line { x, base, text, style }));
            base += style.size * LEADING;
        }
    }

    /// Fills a rectangle that begins so far from the left edge.
    pub(super) fn fill(&mut self, x: f32, width: f32, height: f32, colour: Color) {
        let rect = Rect::from_xywh(x, self.y, width, height);
        self.add(rect.map(|rect| Item::Block { rect, colour }));
    }

    /// Draws a QR code with that side.
    pub(super) fn draw(&mut self, x: f32, side: f32, code: Code) {
        let y = self.y;
        self.add(Some(Item::Code { x, y, side, code }));
    }

    /// Leads from a rectangle to an address.
    pub(super) fn lead(
        &mut self,
        (x, width, height): (f32, f32, f32),
        url: &str,
        name: &'static str,
    ) {
        let rect = Rect::from_xywh(x, self.y, width, height);
        self.add(rect.map(|rect| Item::Link { rect, url: url.to_owned(), name }));
    }

    /// Draws the pages.
    pub(super) fn finish(self, document: &mut Document) {
        for items in self.pages {
            let mut page = document.start_page();
            let mut surface = page.surface();
            let links: Vec<Item> = items
                .into_iter()
                .filter_map(|item| drawn(item, self.faces, &mut surface))
                .collect();
            surface.finish();
            for link in links {
                annotate(link, &mut page);
            }
            page.finish();
        }
    }

    fn add(&mut self, item: Option<Item>) {
        if let Some(page) = self.pages.last_mut() {
            page.extend(item);
        }
    }
}

fn face(faces: &Faces, style: Style) -> &Face {
    if style.is_bold { &faces.bold } else { &faces.regular }
}

/// Draws an item, and returns it where it is none that is drawn.
fn drawn(item: Item, faces: &Faces, surface: &mut Surface<'_>) -> Option<Item> {
    match item {
        Item::Line { x, base, text, style } => {
            let face = face(faces, style);
            surface.set_fill(Some(fill(style.colour)));
            let (start, glyphs) = (Point::from_xy(x, base), face.glyphs(&text));
            surface.draw_glyphs(start, &glyphs, face.font.clone(), &text, style.size, false);
        }
        Item::Block { rect, colour } => blocks(surface, [rect], colour),
        Item::Code { x, y, side, code } => {
            let module = side / number(code.size);
            let rects = code.runs.iter().filter_map(|run| {
                let (left, top) = (x + number(run.x) * module, y + number(run.y) * module);
                Rect::from_xywh(left, top, number(run.len) * module, module)
            });
            blocks(surface, rects, Color::black());
        }
        link @ Item::Link { .. } => return Some(link),
    }
    None
}

fn annotate(item: Item, page: &mut Page<'_>) {
    if let Item::Link { rect, url, name } = item {
        let target = Target::Action(Action::Link(LinkAction::new(url)));
        let link = LinkAnnotation::new(rect, target);
        page.add_annotation(Annotation::new_link(link, Some(name.to_owned())));
    }
}

fn blocks(surface: &mut Surface<'_>, rects: impl IntoIterator<Item = Rect>, colour: Color) {
    let mut path = PathBuilder::new();
    for rect in rects {
        path.push_rect(rect);
    }
    if let Some(path) = path.finish() {
        surface.set_fill(Some(fill(colour)));
        surface.draw_path(&path);
    }
}

fn fill(colour: Color) -> Fill {
    Fill { paint: colour.into(), ..Fill::default() }
}

/// A number of modules, of which a code has fewer than two hundred.
fn number(modules: usize) -> f32 {
    u16::try_from(modules).map_or(0.0, f32::from)
}
