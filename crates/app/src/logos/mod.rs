//! Owners' logos: a picture that somebody sends is drawn anew, kept, and shown to anybody who has its address.

pub mod drawing;
mod redraw;
mod remove;
mod set;
mod view;

pub use self::remove::remove;
pub use self::set::set;
pub use self::view::view;
