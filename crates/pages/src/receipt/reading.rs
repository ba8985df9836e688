//! The order in which a PDF is read aloud: headings, paragraphs, and facts in the rows of a table.

use std::mem;
use std::num::NonZeroU16;

use krilla::tagging::{Node, Tag, TagGroup, TagKind, TagTree};

/// Level of the title.
pub(super) const FIRST: NonZeroU16 = NonZeroU16::MIN;
/// Level of the headings below it.
pub(super) const SECOND: NonZeroU16 = NonZeroU16::MIN.saturating_add(1);

/// A heading of that level.
pub(super) fn heading(level: NonZeroU16, title: &str) -> TagKind {
    Tag::Hn(level, Some(title.to_owned())).into()
}

/// Makes a tree of what was written, part by part. A name begins a row, to which its value belongs; parts without
/// anything are left out.
pub(super) fn tree(parts: Vec<TagGroup>) -> TagTree {
    let (mut tree, mut table) = (TagTree::new(), TagGroup::new(Tag::Table));
    for part in parts.into_iter().filter(|part| !part.children.is_empty()) {
        match part.tag {
            TagKind::TH(_) => table.push(TagGroup::with_children(Tag::TR, vec![part.into()])),
            TagKind::TD(_) => match table.children.last_mut() {
                Some(Node::Group(row)) => row.push(part),
                _ => tree.push(part),
            },
            _ => {
                end(&mut tree, &mut table);
                let is_link = matches!(part.tag, TagKind::Link(_));
                tree.push(match is_link {
                    true => TagGroup::with_children(Tag::P, vec![part.into()]),
                    false => part,
                });
            }
        }
    }
    end(&mut tree, &mut table);
    tree
}

/// Ends a table, where one was begun.
fn end(tree: &mut TagTree, table: &mut TagGroup) {
    if !table.children.is_empty() {
        tree.push(mem::replace(table, TagGroup::new(Tag::Table)));
    }
}
