//! Every kind of work of the queue.

use crate::credits_events::MonthTurn;
use crate::delivery_days::DeliveryDay;
use crate::links::LinkExpiry;
use crate::mails::PersonalMail;
use crate::notice_mails::NoticeMail;
use crate::queue::AnyWork;
use crate::subscriptions::SubscriptionStep;
use crate::webhooks::Redelivery;

/// Every kind of work, each of which has a loop in the binary.
pub const WORKS: [AnyWork; 7] = [
    AnyWork::of::<LinkExpiry>(),
    AnyWork::of::<MonthTurn>(),
    AnyWork::of::<DeliveryDay>(),
    AnyWork::of::<Redelivery>(),
    AnyWork::of::<PersonalMail>(),
    AnyWork::of::<NoticeMail>(),
    AnyWork::of::<SubscriptionStep>(),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use store::due::Kind;

    use super::*;

    #[test]
    fn each_kind_of_work_is_listed_once_and_looks_at_an_interval_of_its_own() {
        for kind in Kind::ALL {
            let listed = WORKS.iter().filter(|work| work.kind == kind).count();
            // Deliveries have a scheduler of their own.
            assert_eq!(listed, usize::from(kind != Kind::Delivery), "{kind:?}");
        }
        let polls: BTreeSet<_> = WORKS.iter().map(|work| work.poll).collect();
        assert_eq!(polls.len(), WORKS.len());
    }
}
