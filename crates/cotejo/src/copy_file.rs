//! A copy of a store in one file: every row of every table, in a form that is the same of both engines, and a manifest that
//! says what it is a copy of. The master key is not in it.
//!
//! The file is a line, and then records: what they are, how long, and what they say. A table is followed by blocks of its
//! rows. Behind the last row stands the manifest, which has the digest of all before it, and at the end the digest of all.

mod manifest;
mod reading;
mod records;
mod writing;

pub(crate) use self::manifest::About;
pub(crate) use self::reading::{Checked, CopySource, check};
pub(crate) use self::writing::CopyWriter;
