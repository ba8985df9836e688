//! What pages say in a title and a sentence below it.

/// A title and what it means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
}

pub(crate) const fn said(title: &'static str, text: &'static str) -> Said {
    Said { title, text }
}
