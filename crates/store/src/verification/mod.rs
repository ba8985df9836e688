//! A verification from its reservation to its payment.

pub mod admission;
pub mod payment_pages;
pub mod payments;
pub mod recent_calls;
pub mod short_references;
pub mod verification_leases;
pub mod verification_pages;
pub mod verifications;
