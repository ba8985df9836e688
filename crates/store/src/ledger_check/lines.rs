//! An owner's lines, as the audit comes by them.

/// Names `reached`: the owner's lines that can be shown, which are those without a verification and all that the links
/// of its keys' months lead to. What nothing leads to is missing. A walk counts the ordinals down, so that it ends
/// whatever is written in a line. Its step asks for one value instead of joining: without statistics, as after a restore,
/// PostgreSQL would join by going through all of the owner's lines, at each step again.
macro_rules! lines {
    () => {
        "with recursive walk as (select l.key_id, l.month, l.ordinal, l.verification_id \
         from key_months k join credit_movements l \
         on l.owner_id = $1 and l.verification_id = k.newest_line \
         and l.key_id = k.key_id and l.month = k.month where k.owner_id = $1 \
         union all select walk.key_id, walk.month, walk.ordinal - 1, \
         (select l.previous from credit_movements l \
         where l.owner_id = $1 and l.verification_id = walk.verification_id \
         and l.key_id = walk.key_id and l.month = walk.month and l.ordinal = walk.ordinal) \
         from walk where walk.verification_id is not null and walk.ordinal > 0), \
         reached as (select line, amount, balance_after, movement_type, verification_id, client_id, \
         key_id, month, ordinal, request, previous from credit_movements \
         where owner_id = $1 and verification_id is null \
         union all select l.line, l.amount, l.balance_after, l.movement_type, l.verification_id, l.client_id, \
         l.key_id, l.month, l.ordinal, l.request, l.previous from walk cross join credit_movements l \
         where l.owner_id = $1 and l.verification_id = walk.verification_id \
         and l.key_id = walk.key_id and l.month = walk.month and l.ordinal = walk.ordinal) "
    };
}

pub(super) use lines;
