//! Who begins and when, looks, and attempts that end in the middle.

mod attempts;
mod clocks;
mod poller;
mod slots;
mod world;
