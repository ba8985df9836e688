//! The clock, the data folder, its disk, and how old the last copy is.

use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use domain::time::Timestamp;

use super::Finding;
use crate::config::Config;
use crate::data_folder::{DataFolder, NewFile};
use crate::system::Runtime;

/// The beginning of 2026: this program is not older.
const EARLIEST: Timestamp = Timestamp::from_micros(1_767_225_600_000_000);

/// The file that systemd leaves once the clock was set by the network.
const SYNCHRONIZED: &str = "/run/systemd/timesync/synchronized";

/// How often it is tried how long a commit takes.
const TRIES: usize = 21;

/// How long a commit may take on a disk that is fit for the work.
const SYNC_MAX: Duration = Duration::from_millis(20);

/// How much room a disk should have.
const ROOM_MIN: u64 = 1 << 30;

/// How old the last copy may be.
const COPY_AGE_MAX: Duration = Duration::from_secs(26 * 60 * 60);

/// Looks at what is on this machine.
pub(crate) fn look(config: &Config) -> Vec<Finding> {
    let data = DataFolder::at(&config.data);
    let mut findings = vec![clock()];
    let shown = data.path().display();
    if !data.path().is_dir() {
        findings.push(Finding::warning(
            "data",
            format!("there is no data folder {shown}"),
            "cotejo serve makes it; if it should be there, name it by --data",
        ));
        return findings;
    }
    findings.push(rights(data.path()));
    findings.extend(disk(data.path()));
    findings.push(last_copy(&data));
    findings
}

fn clock() -> Finding {
    let now = Runtime::default().clock.now();
    if now < EARLIEST {
        let finding = format!("it is {now} by this machine's clock, which cannot be");
        return Finding::fault("clock", finding, "set the clock, and keep it right by NTP");
    }
    if Path::new(SYNCHRONIZED).exists() {
        return Finding::good("clock", format!("it is {now}, kept by the network"));
    }
    // Others than systemd keep clocks, and leave no trace that could be read.
    Finding::good("clock", format!("it is {now}; who keeps it right cannot be seen"))
}

fn rights(folder: &Path) -> Finding {
    const CHECK: &str = "data";
    let shown = folder.display();
    match folder.metadata() {
        Err(error) => {
            let advice = "run this as the user that runs the service";
            Finding::fault(CHECK, format!("{shown} cannot be looked at: {error}"), advice)
        }
        Ok(found) if found.permissions().mode() & 0o077 != 0 => Finding::fault(
            CHECK,
            format!("other users of this machine may enter {shown}"),
            format!("chmod 700 {shown}"),
        ),
        Ok(found) => Finding::good(CHECK, format!("{shown} is for uid {} alone", found.uid())),
    }
}

fn disk(folder: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(free) = store::free_space(folder) {
        let finding = format!("{} MiB are free", free >> 20);
        findings.push(if free < ROOM_MIN {
            Finding::fault("disk", finding, "make room, or move the data folder to a larger disk")
        } else {
            Finding::good("disk", finding)
        });
    }
    findings.push(match sync_time(folder) {
        Err(error) => Finding::fault(
            "disk_speed",
            format!("no file can be written in {}: {error}", folder.display()),
            "run this as the user that runs the service, on a disk that can be written to",
        ),
        Ok(time) if time > SYNC_MAX => Finding::warning(
            "disk_speed",
            format!("a commit takes {} ms to reach the disk", time.as_millis()),
            "use a local SSD; each verification waits for two commits",
        ),
        Ok(time) => {
            let finding = format!("a commit takes {} \u{b5}s to reach the disk", time.as_micros());
            Finding::good("disk_speed", finding)
        }
    });
    findings
}

/// How long a page usually takes to reach the disk. Nothing is left of the file.
fn sync_time(folder: &Path) -> std::io::Result<Duration> {
    let clock = Runtime::default().clock;
    let (_gone_at_the_end, mut file) = NewFile::make(&folder.join("doctor-probe"), true)?;
    let mut times = Vec::with_capacity(TRIES);
    for _ in 0..TRIES {
        let before = clock.uptime();
        file.write_all(&[0; 4096])?;
        file.sync_data()?;
        times.push(clock.uptime().saturating_sub(before));
    }
    times.sort_unstable();
    Ok(times.get(TRIES / 2).copied().unwrap_or_default())
}

fn last_copy(data: &DataFolder) -> Finding {
    const CHECK: &str = "last_copy";
    let advice =
        "run cotejo backup each night, and keep the copy and the master key on other machines";
    let text = std::fs::read_to_string(data.last_copy());
    let Some(at) = text.ok().and_then(|text| Timestamp::parse(text.trim()).ok()) else {
        let finding = "cotejo backup has made no copy with this data folder";
        return Finding::warning(CHECK, finding, advice);
    };
    let age = Runtime::default().clock.now().since(at);
    let finding = format!("the last copy was made at {at}, {} hours ago", age.as_secs() / 3600);
    if age > COPY_AGE_MAX {
        Finding::warning(CHECK, finding, advice)
    } else {
        Finding::good(CHECK, finding)
    }
}
