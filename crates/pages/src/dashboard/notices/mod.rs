//! Integrations: how the owner is notified of what went wrong.

mod list;
mod settings;

use super::route::PageRoute;

pub(super) use self::list::{href, named};

pub(super) const PATH: &str = "/app/notices";

pub(super) fn routes() -> Vec<PageRoute> {
    let groups = [list::routes(), settings::routes()];
    groups.into_iter().flatten().collect()
}
