//! What the configuration says of banks: where they are. A request never does.

use banks::bdv::Environment;
use egress::BaseUrl;

use super::ConfigError;
use super::layers::Layers;

/// The banks that accounts can be linked at, besides the sandbox.
#[derive(Clone, Debug, Default)]
pub struct Banks {
    /// Banco de Venezuela; `None`: closed.
    pub bdv: Option<Bdv>,
}

/// Where Banco de Venezuela is.
#[derive(Clone, Debug)]
pub struct Bdv {
    /// The address that its paths are put behind.
    pub url: BaseUrl,
    /// Which of its two systems answers there.
    pub environment: Environment,
}

pub(super) fn read(layers: &Layers) -> Result<Banks, ConfigError> {
    let environment = layers.read_with("bdv.environment", environment)?;
    let url =
        layers.read("bdv.url", |text| BaseUrl::parse(text).map_err(|error| error.to_string()))?;
    Ok(Banks { bdv: url.map(|url| Bdv { url, environment }) })
}

fn environment(text: &str) -> Result<Environment, String> {
    match text {
        "production" => Ok(Environment::Production),
        "quality" => Ok(Environment::Quality),
        _ => Err("must be production or quality".to_owned()),
    }
}
