//! What the API and pages share: who calls and from where, bounded JSON bodies, errors as their
//! callers see them, and one line of the log for each request.
//!
//! [`request_layer::RequestLayer`] goes around every route. Handlers take an [`Admitted`] and answer
//! [`answer::json`] or a [`Failure`].

mod access_log;
mod admitted;
pub mod answer;
pub mod body;
pub mod client_address;
pub mod cookies;
mod cors;
mod credentials;
pub mod delivered;
mod failure;
pub mod fields;
pub mod fixed;
mod form;
mod form_fields;
pub mod idempotency;
mod media_types;
mod observer;
pub mod origin;
mod page;
mod picture;
mod posted_file;
pub mod query;
pub mod rate_limit;
pub mod request_id;
pub mod request_layer;
mod request_state;
mod sent_fields;
mod sign_ins;
mod signed;
mod state;
mod streams;
mod taken;
mod taken_fields;

pub use crate::admitted::{Admitted, Uncounted};
pub use crate::body::{AnyBody, JsonBody};
pub use crate::delivered::Delivered;
pub use crate::failure::Failure;
pub use crate::fields::{Field, Fields};
pub use crate::form::{Again, AskedProof, FormBody, ONCE_LEN, once};
pub use crate::form_fields::{
    FORM_TOKEN, OF_PROOF, ONCE, SHOWN, SIGNED_IN_ANEW, STEP_UP_HELD, is_secret,
};
pub use crate::idempotency::IdempotencyKey;
pub use crate::observer::{AccessLine, Observer};
pub use crate::page::{Glance, SentForm, page};
pub use crate::picture::PictureBody;
pub use crate::posted_file::PostedFile;
pub use crate::sign_ins::SignIn;
pub use crate::signed::{NotTaken, Posted, Signed};
pub use crate::state::{AppState, Settings};
pub use crate::streams::OpenStream;
pub use crate::taken::{SetElsewhere, Taken};
pub use crate::taken_fields::TakenFields;
