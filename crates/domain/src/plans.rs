//! Plans: what an owner has agreed with the operator. A plan grants nothing by itself; it limits.

use crate::ids::PlanId;
use crate::text::Text;

/// How a plan is sold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanType {
    /// By credits that are bought.
    Credit,
    /// Without a limit of charges; the balance counts all the same.
    Unlimited,
    /// By a number of charges in a month.
    Counter,
}

impl PlanType {
    /// Every type.
    pub const ALL: [Self; 3] = [Self::Credit, Self::Unlimited, Self::Counter];

    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Credit => "credit",
            Self::Unlimited => "unlimited",
            Self::Counter => "counter",
        }
    }

    /// The type of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// For how long a plan is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// A month.
    Month,
    /// Half a year.
    SixMonths,
    /// A year.
    Year,
}

impl Period {
    /// Every period.
    pub const ALL: [Self; 3] = [Self::Month, Self::SixMonths, Self::Year];

    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Month => "month",
            Self::SixMonths => "six_months",
            Self::Year => "year",
        }
    }

    /// The period of that word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.as_str() == word)
    }
}

/// Something that a plan has, as people read it.
pub type Benefit = Text<1, 200>;

/// How many benefits are shown of a plan.
pub const BENEFITS_MAX: usize = 20;

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its id.
    pub id: PlanId,
    /// What it is called.
    pub name: Text<1, 120>,
    /// What it is, for people.
    pub description: Text<0, 500>,
    /// How it is sold.
    pub kind: PlanType,
    /// For how long it is paid.
    pub period: Period,
    /// What it costs, in hundredths.
    pub price: i64,
    /// How many charges a month of Caracas may have; nothing: any number.
    pub request_limit: Option<i64>,
    /// How many bank accounts may be linked; nothing: as many as anybody may.
    pub bank_account_limit: Option<i64>,
    /// The credits that it is sold with. The operator grants them.
    pub initial_credits: i64,
    /// How many credits may be kept, as it is sold; nothing: any number.
    pub max_accumulated_credits: Option<i64>,
    /// What it has, as people read it.
    pub benefits: Vec<Benefit>,
    /// Whether it is shown before others.
    pub is_salient: bool,
    /// Whether it is offered to nobody.
    pub is_hidden: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for kind in PlanType::ALL {
            assert_eq!(PlanType::parse(kind.as_str()), Some(kind));
        }
        for period in Period::ALL {
            assert_eq!(Period::parse(period.as_str()), Some(period));
        }
        assert_eq!((PlanType::parse("free"), Period::parse("week")), (None, None));
    }
}
