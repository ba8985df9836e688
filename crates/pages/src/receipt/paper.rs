//! Sheets of A4 that are written from top to bottom; what has no room on one begins the next. Each text and each picture is
//! of a part, by which it is read aloud.

use krilla::Document;
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb::Color;
use krilla::geom::{PathBuilder, Point, Rect, Transform};
use krilla::page::Page;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, SpanTag, TableHeaderScope, Tag, TagGroup, TagKind,
};

use super::face::Face;
use super::logo::PdfLogo;
use super::reading::tree;
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
    Logo { x: f32, y: f32, logo: PdfLogo },
    Link(Link),
}

/// A rectangle that leads to an address.
struct Link {
    rect: Rect,
    url: String,
    name: &'static str,
}

/// An item, and the number of its part; none of what is not read aloud.
struct Placed {
    item: Item,
    part: Option<usize>,
}

/// The pages so far, and how far the last of them is written.
pub(super) struct Paper<'a> {
    faces: &'a Faces,
    /// First line of every page but the first.
    running: (String, Style),
    pages: Vec<Vec<Placed>>,
    y: f32,
    /// Parts, in the order in which they are read aloud.
    parts: Vec<TagGroup>,
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
        Self { faces, running, pages: vec![Vec::new()], y: TOP, parts: Vec::new() }
    }

    /// Begins a part, of which texts and pictures are from there on.
    pub(super) fn begin(&mut self, part: impl Into<TagKind>) {
        self.parts.push(TagGroup::new(part));
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
            self.place_lines(LEFT, -above, running, None);
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
        self.begin(Tag::TH(TableHeaderScope::Row));
        self.put(LEFT, 0.0, name);
        self.begin(Tag::TD);
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
        self.place_lines(x, below, lines, self.part());
    }

    fn place_lines(&mut self, x: f32, below: f32, lines: Lines, part: Option<usize>) {
        let Lines { lines, style } = lines;
        let mut base = style.size.mul_add(ASCENT, self.y + below);
        for text in lines {
            self.place(Item::Line { x, base, text, style }, part);
            base += style.size * LEADING;
        }
    }

    /// Fills a rectangle that begins so far from the left edge.
    pub(super) fn fill(&mut self, x: f32, width: f32, height: f32, colour: Color) {
        if let Some(rect) = Rect::from_xywh(x, self.y, width, height) {
            self.place(Item::Block { rect, colour }, None);
        }
    }

    /// Draws a QR code with that side.
    pub(super) fn draw(&mut self, x: f32, side: f32, code: Code) {
        let y = self.y;
        self.place(Item::Code { x, y, side, code }, self.part());
    }

    /// Draws a logo from the left edge on.
    pub(super) fn draw_logo(&mut self, logo: PdfLogo) {
        let height = logo.size.height();
        self.keep(height);
        let y = self.y;
        self.place(Item::Logo { x: LEFT, y, logo }, self.part());
        self.y += height;
    }

    /// Leads from a rectangle to an address.
    pub(super) fn lead(
        &mut self,
        (x, width, height): (f32, f32, f32),
        url: &str,
        name: &'static str,
    ) {
        if let Some(rect) = Rect::from_xywh(x, self.y, width, height) {
            self.place(Item::Link(Link { rect, url: url.to_owned(), name }), self.part());
        }
    }

    /// Draws the pages, and says in which order they are read aloud.
    pub(super) fn finish(self, document: &mut Document) {
        let Self { faces, pages, mut parts, .. } = self;
        for items in pages {
            let mut page = document.start_page();
            let mut surface = page.surface();
            let mut links = Vec::new();
            for Placed { item, part } in items {
                let part = part.filter(|part| *part < parts.len());
                match item {
                    Item::Link(link) => links.push((link, part)),
                    item => {
                        let leaf = surface.start_tagged(tag(&item, part.is_some()));
                        draw(item, faces, &mut surface);
                        surface.end_tagged();
                        if let Some(part) = part.and_then(|part| parts.get_mut(part)) {
                            part.push(leaf);
                        }
                    }
                }
            }
            surface.finish();
            for (link, part) in links {
                annotate(link, part.and_then(|part| parts.get_mut(part)), &mut page);
            }
            page.finish();
        }
        document.set_tag_tree(tree(parts));
    }

    /// The number of the part that was begun last.
    fn part(&self) -> Option<usize> {
        self.parts.len().checked_sub(1)
    }

    fn place(&mut self, item: Item, part: Option<usize>) {
        if let Some(page) = self.pages.last_mut() {
            page.push(Placed { item, part });
        }
    }
}

/// Returns the tag of an item; what is not read aloud is a heading of the page, or adorns it.
fn tag(item: &Item, is_read: bool) -> ContentTag<'static> {
    let artifact = |kind| ContentTag::Artifact(Artifact::with_kind(kind));
    match (item, is_read) {
        (Item::Line { .. }, true) => ContentTag::Span(SpanTag::empty()),
        (_, true) => ContentTag::Other,
        (Item::Line { .. }, false) => artifact(ArtifactType::Header),
        (_, false) => artifact(ArtifactType::Layout),
    }
}

fn face(faces: &Faces, style: Style) -> &Face {
    if style.is_bold { &faces.bold } else { &faces.regular }
}

fn draw(item: Item, faces: &Faces, surface: &mut Surface<'_>) {
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
        Item::Logo { x, y, logo } => {
            surface.push_transform(&Transform::from_translate(x, y));
            surface.draw_image(logo.image, logo.size);
            surface.pop();
        }
        // It is no ink, and laid over the page.
        Item::Link(_) => {}
    }
}

fn annotate(link: Link, part: Option<&mut TagGroup>, page: &mut Page<'_>) {
    let Link { rect, url, name } = link;
    let target = Target::Action(Action::Link(LinkAction::new(url)));
    let link = Annotation::new_link(LinkAnnotation::new(rect, target), Some(name.to_owned()));
    match part {
        // Before the text that it leads from.
        Some(part) => part.children.insert(0, page.add_tagged_annotation(link).into()),
        None => page.add_annotation(link),
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
