//! The master key's file: made only together with a new store, and refused where others can read
//! it or own it.
//!
//! A line of 64 hexadecimal digits is a key; lines that begin with `#` are for people. The first
//! key seals; those after it still open what they sealed, which is how a key is changed.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, bail};
use app::admin::Operator;
use app::admin::installation::{self, Installation};
use app::vault::{KeyId, MasterKey, Vault};
use domain::ids::IdSource;
use store::Store;
use zeroize::Zeroizing;

use crate::data_folder::{replace_private, write_private};

/// Permission bits of the file for users other than its owner. None of them may be set.
const OTHERS: u32 = 0o077;

/// The user that may do everything anyway.
const ROOT: u32 = 0;

/// The longest file that is read; a ring of keys with remarks is far shorter.
const FILE_LEN_MAX: u64 = 16 * 1024;

/// The vault of the operator's store, by the master key at `path`. A new store is founded here,
/// and its key made unless the operator has laid one there.
///
/// # Errors
/// Where the key is missing, unfit or another store's; the sentence says what to do.
pub(crate) async fn open_vault(operator: &Operator<'_>, path: &Path) -> anyhow::Result<Vault> {
    let known = installation::find(operator.store).await?;
    let kept = read(path)?;
    let (vault, made) = match (kept, &known) {
        (Some(vault), _) => (vault, false),
        (None, None) => (make(path, operator.ids)?, true),
        (None, Some(_)) => bail!(
            "the master key {} is missing, and this database was set up with one. Put that file \
             back, or say where it is by --master-key-file; without it the secrets in the \
             database cannot be read, so a new one is not made",
            path.display(),
        ),
    };
    let installation = match known {
        Some(installation) => installation,
        None => installation::found(operator, &vault).await?,
    };
    if let Err(error) = check(&installation, &vault, path) {
        if made {
            // Another node founded the store in the meantime; this key has sealed nothing.
            drop(std::fs::remove_file(path));
        }
        return Err(error);
    }
    Ok(vault)
}

/// Holds that the master key at `path` is the one of the store, which was set up before.
///
/// # Errors
/// Where it is missing, unfit or another store's; the sentence says what to do.
pub(crate) async fn check_vault(store: &Store, path: &Path) -> anyhow::Result<()> {
    let Some(installation) = installation::find(store).await? else { return Ok(()) };
    let vault = read(path)?;
    let vault = vault.with_context(|| format!("there is no master key {}", path.display()))?;
    check(&installation, &vault, path)
}

/// Holds that the master key at `path` opens the secrets of a copy of that store.
///
/// # Errors
/// Where it is missing, unfit or another store's; the sentence says what to do.
pub(crate) fn check_copy(installation: &Installation, path: &Path) -> anyhow::Result<()> {
    let missing = || {
        format!(
            "there is no master key {}: a copy never has it, and without it the secrets in the copy cannot be read. Put \
             that file there, or say where it is by --master-key-file",
            path.display(),
        )
    };
    check(installation, &read(path)?.with_context(missing)?, path)
}

fn check(installation: &Installation, vault: &Vault, path: &Path) -> anyhow::Result<()> {
    installation.check(vault).map_err(|error| {
        anyhow::anyhow!(
            "the master key {} is not the one that this database ({}) was set up with: {error}. \
             Put the right file there, or say where it is by --master-key-file",
            path.display(),
            installation.id,
        )
    })
}

/// Puts a new key above those in the file at `path`: from the next reading on it seals, and they still open. At any
/// time the file is the former one or the new one, whole.
///
/// # Errors
/// Where the file is unfit, cannot be written, or belongs to another user than this process's.
pub(crate) fn add_key(path: &Path, ids: &dyn IdSource) -> anyhow::Result<KeyId> {
    let shown = path.display();
    let problem = || format!("the master key {shown}");
    // Behind a link, the file is replaced and not the link.
    let path = path.canonicalize().with_context(problem)?;
    let text = read_text(&path)?.with_context(problem)?;
    keys(&text, &path)?;
    let owner = path.metadata().with_context(problem)?.uid();
    if own_user().is_some_and(|own| own != owner) {
        bail!("the master key {shown} belongs to uid {owner}: run this command as that user");
    }
    let key = MasterKey::generate(ids);
    let first = text.lines().position(|line| !is_remark(line.trim())).unwrap_or_default();
    let mut lines: Vec<&str> = text.lines().collect();
    let new = key.to_text();
    lines.insert(first, new.expose());
    let text = Zeroizing::new(lines.join("\n") + "\n");
    if text.len() as u64 > FILE_LEN_MAX {
        bail!(
            "the master key {shown} would grow over {FILE_LEN_MAX} bytes: remove former keys that nothing needs"
        );
    }
    replace_private(&path, &text)
        .with_context(|| format!("the master key {shown} cannot be written"))?;
    Ok(key.id())
}

/// The keys in the file, if there is one.
fn read(path: &Path) -> anyhow::Result<Option<Vault>> {
    let Some(text) = read_text(path)? else { return Ok(None) };
    let keys = keys(&text, path)?;
    let (current, former) = keys.split_first().context("a master key file has a key")?;
    Ok(Some(Vault::new(current, former)))
}

/// The keys of the file's text, the one that seals first; at least one.
fn keys(text: &str, path: &Path) -> anyhow::Result<Vec<MasterKey>> {
    let shown = path.display();
    let lines = text.lines().map(str::trim).filter(|line| !is_remark(line));
    let keys: Vec<MasterKey> = lines
        .map(MasterKey::parse)
        .collect::<Result<_, _>>()
        .with_context(|| format!("{shown} is not a master key"))?;
    if keys.is_empty() {
        bail!("{shown} holds no master key");
    }
    Ok(keys)
}

fn is_remark(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}

/// The text of the file, if there is one and nobody else can read it.
fn read_text(path: &Path) -> anyhow::Result<Option<Zeroizing<String>>> {
    let shown = path.display();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("the master key {shown}")),
    };
    let metadata = file.metadata()?;
    let mode = metadata.permissions().mode();
    if let Some(own) = own_user() {
        is_ours(metadata.uid(), own, path)?;
    }
    if mode & OTHERS != 0 {
        bail!(
            "the master key {shown} is open to other users of this machine (mode {:o}); \
             close it by: chmod 600 {shown}",
            mode & 0o777,
        );
    }
    let mut text = Zeroizing::new(String::new());
    file.take(FILE_LEN_MAX)
        .read_to_string(&mut text)
        .with_context(|| format!("the master key {shown} cannot be read"))?;
    Ok(Some(text))
}

/// Checks that nobody else could have put the file there, or can change or open it: its owner may, whatever its mode.
fn is_ours(owner: u32, own: u32, path: &Path) -> anyhow::Result<()> {
    let shown = path.display();
    if owner != own && owner != ROOT {
        bail!(
            "the master key {shown} belongs to another user of this machine (uid {owner}); give it to the one that \
             runs the service by: chown {own} {shown}"
        );
    }
    Ok(())
}

/// The user whose rights this process has, where the system reports it (Linux).
fn own_user() -> Option<u32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let users = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    users.split_whitespace().nth(1)?.parse().ok()
}

fn make(path: &Path, ids: &dyn IdSource) -> anyhow::Result<Vault> {
    let key = MasterKey::generate(ids);
    let text = Zeroizing::new(format!(
        "# Cotejo's master key: it opens the secrets in the database. Keep a copy apart from the\n\
         # backups; anyone who has both has everything.\n{}\n",
        key.to_text().expose(),
    ));
    write_private(path, &text)
        .with_context(|| format!("the master key {} cannot be written", path.display()))?;
    Ok(Vault::new(&key, &[]))
}

#[cfg(test)]
mod tests;
