//! How much, how many and how long: what a node sends at once, what waits, and what it waits for.

use std::time::Duration;

use egress::DEADLINE;
use store::due::SCAN_MAX;

/// How long a node has a delivery before another may take it: more than an attempt may take, with
/// room for the writes around it.
pub const LEASE: Duration = Duration::from_secs(30);

// An attempt must be over before anybody else may begin the next.
const _: () = assert!(LEASE.as_secs() >= 2 * DEADLINE.as_secs());

/// How often a node looks without a request to: for what another node has written, and what is due
/// again. A little less than a second, so that it is not at one with others who look every second.
pub const POLL_INTERVAL: Duration = Duration::from_millis(900);

/// How long results of attempts gather before they are recorded: the receiver is free by then, and the more
/// shares a commit, the less each costs.
pub const GATHERING: Duration = Duration::from_millis(2);

/// How many attempts go on at once in this process.
pub const UNDER_WAY_MAX: usize = 256;

/// How many of them are of one owner, however many receivers it names.
pub const OF_ONE_OWNER_MAX: usize = 64;

/// An attempt that takes longer makes its receiver a slow one.
pub const QUICK_MAX: Duration = Duration::from_secs(1);

/// After how many quick attempts in a row a slow receiver is a quick one again: one that is quick now
/// and then, to be given more slots, remains what it is.
pub const QUICK_AGAIN: u8 = 8;

/// How many of them go to receivers that are not known to be quick: the rest is for those that are.
pub const NOT_QUICK_MAX: usize = 192;

/// How many of those are of one owner.
pub const NOT_QUICK_OF_ONE_OWNER_MAX: usize = 48;

/// How many of those go to receivers that are known to be slow, so that others are soon known.
pub const SLOW_MAX: usize = 128;

/// How many of those are of one owner.
pub const SLOW_OF_ONE_OWNER_MAX: usize = 32;

/// How many of them go to one receiver, which has as few connections from here at most.
pub const TO_ONE_RECEIVER_MAX: usize = 16;

/// How many of those are of one owner.
pub const OF_ONE_OWNER_TO_ONE_RECEIVER_MAX: usize = 8;

/// How many deliveries wait here for a slot. What has no room is in the database alone.
pub(crate) const WAITING_MAX: usize = 8_192;

/// How many of them are of one owner.
pub(crate) const WAITING_OF_ONE_OWNER_MAX: usize = 2_048;

/// How many of those go to one receiver.
pub(crate) const WAITING_IN_A_LINE_MAX: usize = 1_024;

/// How many events wait to be handed over by the transactions that wrote them.
pub(crate) const HANDED_MAX: usize = 1_024;

/// How many receivers are known by how quickly they answer.
pub(crate) const RECEIVERS_MAX: usize = 4_096;

/// How long recording the result of an attempt may take before the lease ends: other nodes' clocks may be ahead of
/// this one's by some of it.
pub(crate) const RECORD_TIME: Duration = Duration::from_secs(5);

/// How long what could not be kept waits before that is tried again.
pub const RECORD_RETRY_DELAY: Duration = Duration::from_millis(500);

/// How many deliveries share a write.
pub(crate) const BATCH_MAX: usize = 32;

/// How long nobody looks after a look that found more than a page: otherwise all bells together would
/// have a long row read again and again.
pub(crate) const BACKLOG_PAUSE: Duration = Duration::from_millis(100);

/// How many deliveries a page has, but for the last.
pub(crate) const PAGE_LEN: usize = SCAN_MAX as usize;
