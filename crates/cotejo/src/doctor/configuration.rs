//! A look at the configuration by itself.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use axum::http::Uri;
use egress::Reach;

use super::Finding;
use crate::config::{Config, Shown, Source};
use crate::metrics::files_max;

/// Permission bits of a file for users other than its owner.
const OTHERS: u32 = 0o077;

/// How many files are open besides connections of clients: of the store, of webhooks, of banks.
const FILES_BESIDE: u64 = 512;

/// Looks at the configuration.
pub(crate) fn look(config: &Config, shown: &[Shown]) -> Vec<Finding> {
    let mut findings = vec![Finding::good("configuration", "every key is understood")];
    let host = host(&config.settings.base_url);
    let is_public = !is_this_machine(&host);
    findings.push(base_url(config, shown, is_public));
    findings.extend(proxies(config));
    findings.extend(secrets(shown));
    if config.settings.allow_test_bank && is_public {
        let advice = "set verification.allow_test_bank = false where money is real";
        findings.push(Finding::warning("test_bank", "the test bank is open to the public", advice));
    } else {
        let state = if config.settings.allow_test_bank { "open" } else { "closed" };
        findings.push(Finding::good("test_bank", format!("the test bank is {state}")));
    }
    if config.webhooks.reach == Reach::Anywhere && is_public {
        findings.push(Finding::fault(
            "webhooks",
            "webhooks may go to this machine and to private networks",
            "set webhooks.allow_private = false",
        ));
    }
    if !config.banks.iter().any(|open| open.bank.capabilities.livemode) {
        let advice = "set the address of a bank, such as banks.bdv.url";
        findings.push(Finding::warning("banks", "no bank with real money is open", advice));
    }
    findings.push(open_files(config));
    findings.push(mail(config));
    findings
}

fn base_url(config: &Config, shown: &[Shown], is_public: bool) -> Finding {
    const CHECK: &str = "base_url";
    let url = &config.settings.base_url;
    let is_set = shown.iter().any(|one| one.key == "base_url" && one.value.is_some());
    let path = url.parse::<Uri>().map(|uri| uri.path().trim_matches('/').to_owned());
    if !is_set && config.listen.ip().is_unspecified() {
        let finding = format!("payment links begin with {url}, which leads nowhere");
        return Finding::fault(CHECK, finding, "set base_url to where payers reach the service");
    }
    if !is_public {
        let finding = format!("payment links begin with {url}, which only this machine reaches");
        return Finding::warning(CHECK, finding, "set base_url to where payers reach the service");
    }
    if !url.starts_with("https://") {
        let finding = format!("{url} is not encrypted: passwords and keys can be read on the way");
        return Finding::fault(
            CHECK,
            finding,
            "put a proxy with TLS in front, and set an https address",
        );
    }
    if path.is_ok_and(|path| !path.is_empty()) {
        let finding = format!("{url} has a path, and pages are served at the root of a host");
        return Finding::warning(CHECK, finding, "give the service a host of its own");
    }
    Finding::good(CHECK, format!("payment links begin with {url}"))
}

fn proxies(config: &Config) -> Option<Finding> {
    let is_behind_proxy = config.settings.base_url.starts_with("https://");
    (is_behind_proxy && config.http.trusted_proxies.is_empty()).then(|| {
        Finding::warning(
            "proxy",
            "base_url is https, so a proxy is in front, and none is trusted: all clients share its address and its limits",
            "name the proxy in http.trusted_proxies",
        )
    })
}

fn secrets(shown: &[Shown]) -> Vec<Finding> {
    let given = shown.iter().filter(|one| one.is_secret && one.value.is_some());
    given.filter_map(secret).collect()
}

/// Finds a secret where others may read it.
fn secret(one: &Shown) -> Option<Finding> {
    let key = &one.key;
    match (&one.source, one.file()) {
        (_, Some(file)) if is_open(file) => Some(Finding::fault(
            "secrets",
            format!("{key} is in {}, which other users of this machine may read", file.display()),
            format!("chmod 600 {}, or have the secret in a file of its own", file.display()),
        )),
        (Source::SecretFile(file), _) if is_open(file) => Some(Finding::fault(
            "secrets",
            format!("{key} is in {}, which other users of this machine may read", file.display()),
            format!("chmod 600 {}", file.display()),
        )),
        (Source::Flag, _) => Some(Finding::warning(
            "secrets",
            format!("{key} is on the command line, which other users of this machine see"),
            "give it by a variable or a file",
        )),
        _ => None,
    }
}

fn is_open(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.permissions().mode() & OTHERS != 0)
}

fn open_files(config: &Config) -> Finding {
    const CHECK: &str = "open_files";
    let connections = config.http.connections_max.saturating_add(config.http.connections_reserved);
    let needed = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(FILES_BESIDE);
    match files_max() {
        None => Finding::good(CHECK, "this system does not say how many files may be open"),
        Some(max) if max < needed => Finding::warning(
            CHECK,
            format!(
                "a process that starts here may have {max} files open, and {needed} may be wanted"
            ),
            "raise it by LimitNOFILE in the unit or by ulimit -n, or lower http.connections_max",
        ),
        Some(max) => Finding::good(CHECK, format!("a process that starts here may have {max}")),
    }
}

fn mail(config: &Config) -> Finding {
    match &config.mail {
        None => Finding::warning(
            "mail",
            "no mail is sent: nobody is notified, and a lost password is the operator's to reset",
            "set mail.server and mail.from",
        ),
        Some(mail) => Finding::good(
            "mail",
            format!("mail goes by {}:{}; cotejo mail test --to sends one", mail.server, mail.port),
        ),
    }
}

/// The host of an address, without brackets; empty where it has none.
fn host(url: &str) -> String {
    let uri = url.parse::<Uri>().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}

fn is_this_machine(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}
