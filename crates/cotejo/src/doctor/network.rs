//! A look over the network: the service itself as others see it, and the banks.

use std::sync::Arc;
use std::time::Duration;

use egress::{BaseUrl, Probe, Wait};

use super::Finding;
use crate::config::{Config, Shown};
use crate::system::Runtime;

/// How long an address may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// The path that a service answers wherever it runs.
const LIVE: &str = "/health/live";

/// Its answer there.
const ALIVE: &str = "{\"status\":\"alive\"}";

/// Looks at the addresses of the configuration.
pub(crate) async fn look(config: &Config, shown: &[Shown]) -> Vec<Finding> {
    let clock = Runtime::default().clock;
    let wait: Wait = Arc::new(move |time: Duration| clock.sleep(time));
    let mut findings = vec![itself(&config.settings.base_url, &wait).await];
    for open in &config.banks {
        let key = format!("banks.{}.url", open.bank.name);
        let url = shown.iter().find(|one| one.key == key).and_then(|one| one.value.as_deref());
        if let Some(url) = url {
            findings.push(bank(open.bank.name, url, &wait).await);
        }
    }
    findings
}

/// Asks the service by the address that payers have, through whatever is in front of it.
async fn itself(url: &str, wait: &Wait) -> Finding {
    const CHECK: &str = "seen_outside";
    let advice = "start the service, and look at name, certificate and proxy; from inside some networks the address is \
                  not reached though it is from outside";
    let probe = match probe(url, wait) {
        Ok(probe) => probe,
        Err(problem) => return Finding::warning(CHECK, format!("{url}: {problem}"), advice),
    };
    match probe.get(LIVE, DEADLINE).await {
        Ok(reply) if reply.status == 200 && reply.body == ALIVE.as_bytes() => {
            Finding::good(CHECK, format!("{url} leads to a service like this one"))
        }
        Ok(reply) => {
            let finding = format!("{url} answers {}, and not as this service does", reply.status);
            Finding::fault(CHECK, finding, "have the proxy pass everything on as it is")
        }
        Err(error) => Finding::warning(CHECK, format!("{url}: {error}"), advice),
    }
}

async fn bank(name: &str, url: &str, wait: &Wait) -> Finding {
    const CHECK: &str = "bank_reached";
    let advice = "look at the address, the firewall and whom this machine trusts; some banks let in known addresses alone";
    let connected = match probe(url, wait) {
        Ok(probe) => probe.connect(DEADLINE).await.map_err(|error| error.to_string()),
        Err(problem) => Err(problem),
    };
    match connected {
        Ok(()) => Finding::good(CHECK, format!("{name} takes connections")),
        Err(problem) => Finding::fault(CHECK, format!("{name}: {problem}"), advice),
    }
}

fn probe(url: &str, wait: &Wait) -> Result<Probe, String> {
    let base = BaseUrl::parse(url).map_err(|error| error.to_string())?;
    Probe::new(base, Wait::clone(wait)).map_err(|error| error.to_string())
}
