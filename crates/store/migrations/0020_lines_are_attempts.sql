-- compatible_from: 19

-- The line of a charge is its key's activity entry too, so that an attempt which is charged writes no other.
-- The ordinal of the attempt; null where no key was charged.
alter table credit_movements add column request bigint;

-- All that is asked for, or SQLite goes through the key's month for every line.
create index activity_of_verification
    on activity (owner_id asc, verification_id asc, key_id asc, month asc, ordinal asc) where status = 'confirmed';
update credit_movements set request = (
    select min(a.ordinal) from activity a
    where a.owner_id = credit_movements.owner_id and a.verification_id = credit_movements.verification_id
    and a.key_id = credit_movements.key_id and a.month = credit_movements.month and a.status = 'confirmed'
) where key_id is not null;
drop index activity_of_verification;

delete from activity where status = 'confirmed' and exists (
    select 1 from credit_movements l
    where l.owner_id = activity.owner_id and l.verification_id = activity.verification_id
    and l.key_id = activity.key_id and l.month = activity.month and l.request = activity.ordinal
);
