//! The person signed in: its password, its second factor, its sessions.

mod password;
mod second_factor;
mod show;

use super::route::PageRoute;

const PATH: &str = "/app/me";

pub(super) fn routes() -> Vec<PageRoute> {
    [show::routes(), password::routes(), second_factor::routes()].into_iter().flatten().collect()
}
