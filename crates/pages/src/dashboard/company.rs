//! The company that asks for money, by the name that payers know.

use domain::access::{Operation, ShowProfile};
use web::{AppState, Failure, Signed};

/// Finds the name by which payers know the one who asks: the public name, where the person who looks may know it. Never an
/// e-mail address, by which an owner is named who has no other name.
pub(super) async fn known_as<O: Operation>(
    state: &AppState,
    signed: &Signed<O>,
    company: &str,
) -> Result<String, Failure> {
    if let Ok(act) = signed.also::<ShowProfile>()
        && let Some(name) = app::profile::show(&state.app, &act).await?.public_name
    {
        return Ok(name.as_str().to_owned());
    }
    Ok(if company.contains('@') { String::new() } else { company.to_owned() })
}
