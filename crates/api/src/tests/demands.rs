//! Every operation that changes something says whether it asks for a proof, or why it does not.

use domain::access::ProofDemand;
use http::Method;

use crate::endpoints;

/// Lists that are asked for by a body, as they were described.
const READ_BY_POST: [&str; 2] = ["ListLinks", "ListSubscriptions"];

#[test]
fn what_writes_declares_whether_it_asks_and_what_reads_asks_for_its_secrets_alone() {
    let is_reading = |demand| matches!(demand, ProofDemand::Reads | ProofDemand::Reveals);
    let is_open = |demand| matches!(demand, ProofDemand::Unasked(domain::access::Reason::Open));
    let mut wrong = Vec::new();
    for endpoint in endpoints() {
        let reads = endpoint.method == Method::GET || READ_BY_POST.contains(&endpoint.name);
        if reads != is_reading(endpoint.demand) && !is_open(endpoint.demand) {
            wrong.push(format!("{}: {:?}", endpoint.name, endpoint.demand));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
