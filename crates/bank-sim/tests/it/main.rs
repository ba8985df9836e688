//! The simulated banks as their callers meet them: over HTTP on this machine.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod admin;
mod faults;
mod get_movement;
mod movements;
mod pushes;
mod reach;
mod world;
