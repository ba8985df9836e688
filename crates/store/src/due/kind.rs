//! The kinds of work.

/// A kind of work that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A webhook that is to be delivered.
    Delivery,
    /// A payment link whose time is over, of which its receiver may have to be notified.
    LinkExpiry,
    /// An owner whose month turns, where its endpoint is notified of that.
    MonthTurn,
    /// The daily work on an owner's deliveries: its days are sealed, its old contents deleted.
    DeliveryDay,
    /// Having deliveries begin again that have failed.
    Redelivery,
    /// A mail that is to be sent.
    Mail,
    /// A mail about notices that is to be sent.
    NoticeMail,
    /// A subscription whose next cycle is to be opened, or which has to be looked at otherwise.
    Subscription,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Delivery,
        Self::LinkExpiry,
        Self::MonthTurn,
        Self::DeliveryDay,
        Self::Redelivery,
        Self::Mail,
        Self::NoticeMail,
        Self::Subscription,
    ];

    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Delivery => 2,
            Self::LinkExpiry => 3,
            Self::MonthTurn => 4,
            Self::DeliveryDay => 5,
            Self::Redelivery => 6,
            Self::Mail => 7,
            Self::NoticeMail => 8,
            Self::Subscription => 9,
        }
    }
}
