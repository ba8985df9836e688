//! What the process itself takes, under the names that every program of Prometheus' has. Linux says it in `/proc`; elsewhere
//! there is nothing of it.

use std::fs::{read_dir, read_to_string};

use super::{Families, Kind, Sample, number};

/// How many clock ticks `/proc` counts in a second, on every Linux.
const TICKS: f64 = 100.0;

/// The places of fields in `/proc/self/stat`, counted from the one behind the program's name.
const USER_TIME: usize = 11;
const SYSTEM_TIME: usize = 12;
const START: usize = 19;

/// Use of the machine by the process. What the system does not say is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Process {
    cpu_seconds: Option<f64>,
    started_at: Option<f64>,
    resident_bytes: Option<u64>,
    open_files: Option<u64>,
    files_max: Option<u64>,
}

impl Process {
    /// Looks at this process. Reads small files, and so blocks.
    pub(crate) fn look() -> Self {
        let stat = read_to_string("/proc/self/stat").ok();
        let ticks = |place| stat.as_deref().and_then(|stat| field(stat, place));
        let booted_at = read_to_string("/proc/stat").ok().and_then(|text| {
            text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse::<f64>().ok()
        });
        let open_files = read_dir("/proc/self/fd").map(|files| files.count() as u64);
        Self {
            cpu_seconds: ticks(USER_TIME)
                .zip(ticks(SYSTEM_TIME))
                .map(|(user, system)| (user + system) / TICKS),
            started_at: booted_at.zip(ticks(START)).map(|(boot, start)| boot + start / TICKS),
            resident_bytes: read_to_string("/proc/self/status")
                .ok()
                .and_then(|text| resident(&text)),
            open_files: open_files.ok(),
            files_max: files_max(),
        }
    }

    /// Adds what is known.
    pub(crate) fn add_to(self, families: &mut Families) {
        let count = |value: Option<u64>| value.map(number).map(Sample::of);
        families.add(
            Kind::Counter,
            ("process_cpu_seconds_total", "Processor time that the process has used."),
            self.cpu_seconds.map(Sample::of),
        );
        families.add(
            Kind::Gauge,
            ("process_start_time_seconds", "When the process started."),
            self.started_at.map(Sample::of),
        );
        families.add(
            Kind::Gauge,
            ("process_resident_memory_bytes", "Memory that the process has."),
            count(self.resident_bytes),
        );
        families.add(
            Kind::Gauge,
            ("process_open_fds", "Files and connections that the process has open."),
            count(self.open_files),
        );
        families.add(
            Kind::Gauge,
            ("process_max_fds", "How many it may have open."),
            count(self.files_max),
        );
    }
}

/// How many files this process may have open, where the system says so (Linux).
pub(crate) fn files_max() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    let soft = line.split_whitespace().next()?;
    if soft == "unlimited" { Some(u64::MAX) } else { soft.parse().ok() }
}

/// A number of `/proc/self/stat`. The program's name before them may have spaces and brackets of its own.
fn field(stat: &str, place: usize) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(place)?.parse().ok()
}

fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_a_name_with_brackets() {
        let stat = "7 (a) (b) S 1 7 7 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 3 0 1200 5000 20";
        assert_eq!(field(stat, USER_TIME), Some(250.0));
        assert_eq!(field(stat, SYSTEM_TIME), Some(50.0));
        assert_eq!(field(stat, START), Some(1200.0));
    }

    #[test]
    fn memory_is_in_bytes() {
        assert_eq!(resident("Name:\ta\nVmRSS:\t    20 kB\n"), Some(20_480));
        assert_eq!(resident("Name:\ta\n"), None);
    }
}
