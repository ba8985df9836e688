//! Room on the disk for a write-ahead log that something keeps from starting over.

use std::path::Path;

use nix::sys::statvfs::statvfs;

/// Tells whether a log that cannot start over comes near to the end of the disk: where it has left less than it has
/// taken. At the same rate, that lasts for as long again.
pub(crate) fn is_short(log: u64, free: Option<u64>) -> bool {
    free.is_some_and(|free| free < log)
}

/// Returns how many bytes a user who is not root may still write to the file system of that file, where it says so.
pub(crate) fn free(file: &Path) -> Option<u64> {
    let found = statvfs(file).ok()?;
    Some(product(found.blocks_available(), found.fragment_size()))
}

/// Multiplies numbers that have another size on another system.
fn product(blocks: impl Into<u64>, bytes: impl Into<u64>) -> u64 {
    blocks.into().saturating_mul(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_has_taken_more_than_it_has_left_is_near_the_end_of_the_disk() {
        assert!(is_short(200, Some(199)) && !is_short(200, Some(200)));
        assert!(!is_short(u64::MAX, None), "a file system that does not say");
    }

    #[test]
    fn the_room_is_that_of_the_file_system() {
        let free = free(&std::env::temp_dir()).unwrap();
        assert!(free > 0 && free < u64::MAX);
        assert_eq!(super::free(Path::new("/nowhere")), None);
    }
}
