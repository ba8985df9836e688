//! The audit of one owner's verifications: their instants, what belongs to their state, and what they refer to; and of
//! the accounts that they are about.

use domain::ids::{BankId, OwnerId, VerificationId};
use domain::refusal::Code;
use domain::time::Timestamp;
use domain::verification::{CALLS_MAX, RESERVATION};

use crate::difference::{Difference, Rule, hold, id};
use crate::fault::Fault;
use crate::sql::Sql;
use crate::statements;
use crate::tx::Tx;
use crate::value::Value;

statements! {
    STATES = Sql::new(
        "select f.col, f.id from (select v.id, case \
         when v.state not in (0, 1, 2, 3, 4, 5) then 'state' \
         when (v.state = 0) <> (v.ended_at is null) then 'ended_at' \
         when (v.state = 0) <> (v.lease_until is not null) then 'lease_until' \
         when v.state <> 1 and v.payment_id is not null then 'payment_id' \
         when (v.state in (0, 1)) <> (v.error_code is null) then 'error_code' \
         when (v.error_code is not null and v.error_code = $3) <> (v.bank_amount is not null) \
         then 'bank_amount' \
         when (v.error_code is not null and v.error_code = $4) <> (v.digits_needed is not null) \
         then 'digits_needed' \
         when (v.error_code is not null and v.error_code = $6) <> (v.review_since is not null) \
         then 'review_since' \
         when (v.review_since is null) <> (v.review_until is null) then 'review_until' \
         when v.same_bank is not null and (v.state <> 2 or v.same_bank not in (1, 2)) \
         then 'same_bank' \
         when v.reported_by is not null and (p.id is null or p.verification_id <> v.id) \
         then 'reported_by' \
         when v.calls not between 1 and $5 then 'calls' end as col \
         from verifications v left join payments p on p.owner_id = $1 and p.id = v.payment_id \
         where v.owner_id = $1) as f where f.col is not null order by f.id asc limit $2",
    );

    // With one bank call the reservation lapses a quarter of an hour after the verification was asked for. Of one that
    // has ended it decides nothing more.
    INSTANTS = Sql::new(
        "select f.col, f.id from (select v.id, case \
         when v.calls = 1 and v.deadline - $3 <> v.asked_at then 'deadline' \
         when v.state = 0 and v.deadline > $4 then 'deadline' \
         when v.state = 0 and v.lease_until > v.deadline then 'lease_until' end as col \
         from verifications v where v.owner_id = $1) as f \
         where f.col is not null order by f.id asc limit $2",
    );

    REFERENCES = Sql::new(
        "select f.col, f.id from (select v.id, case \
         when b.id is null then 'bank_id' \
         when b.identity_id <> v.identity_id then 'identity_id' \
         when k.id is null and e.id is null and v.actor_id <> v.owner_id then 'actor_id' \
         when v.client_id is not null and c.id is null then 'client_id' \
         when v.link_id is not null and (l.id is null or l.bank_id <> v.bank_id) then 'link_id' \
         when l.id is not null and l.actor_id <> v.actor_id then 'actor_id' \
         when l.id is not null and l.client_id is distinct from v.caller_client_id \
         then 'caller_client_id' end as col from verifications v \
         left join user_banks b on b.owner_id = $1 and b.id = v.bank_id \
         left join api_keys k on k.owner_id = $1 and k.id = v.actor_id \
         left join employees e on e.owner_id = $1 and e.id = v.actor_id \
         left join clients c on c.owner_id = $1 and c.id = v.client_id \
         left join payment_links l on l.owner_id = $1 and l.id = v.link_id \
         where v.owner_id = $1) as f where f.col is not null order by f.id asc limit $2",
    );

    ACCOUNTS = Sql::new(
        "select f.col, f.id from (select b.id, case when i.id is null then 'identity_id' \
         when i.provider <> b.provider then 'provider' \
         when x.account_number <> i.account then 'identity_id' end as col from user_banks b \
         left join bank_identities i on i.owner_id = $1 and i.id = b.identity_id \
         left join bank_access x on x.owner_id = $1 and x.bank_id = b.id \
         where b.owner_id = $1) as f where f.col is not null order by f.id asc limit $2",
    );
}

const ACCOUNTS_RULE: Rule = Rule {
    table: "user_banks",
    sql: &ACCOUNTS,
    row: id::<BankId>,
    says: "not the account that it is linked to",
};

const STATES_RULE: Rule = Rule {
    table: "verifications",
    sql: &STATES,
    row: id::<VerificationId>,
    says: "not what its state asks for",
};

const INSTANTS_RULE: Rule = Rule {
    table: "verifications",
    sql: &INSTANTS,
    row: id::<VerificationId>,
    says: "not what follows from when it was asked and ended",
};

const REFERENCES_RULE: Rule = Rule {
    table: "verifications",
    sql: &REFERENCES,
    row: id::<VerificationId>,
    says: "not that of what it refers to",
};

/// Names what is wrong with the owner's verifications.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    now: Timestamp,
    found: &mut Vec<Difference>,
) -> Result<(), Fault> {
    let other_amount = Code::PaymentAmountNotValid.as_str();
    let ambiguous = Code::PaymentReferenceAmbiguous.as_str();
    let needs_review = Code::PaymentNeedsReview.as_str();
    let states = [other_amount.into(), ambiguous.into(), CALLS_MAX.into(), needs_review.into()];
    let from = Timestamp::from_micros(0);
    let longest =
        [from.plus(RESERVATION).as_micros().into(), now.latest_believed(RESERVATION).into()];
    let rules: [(&Rule, &[Value]); 4] = [
        (&STATES_RULE, &states),
        (&INSTANTS_RULE, &longest),
        (&REFERENCES_RULE, &[]),
        (&ACCOUNTS_RULE, &[]),
    ];
    hold(tx, owner, &rules, found)
}
