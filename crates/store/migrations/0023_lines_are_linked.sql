-- compatible_from: 23

-- Each charge had an entry by owner, key, month and ordinal, and so a page for nearly each owner. Now a line says which
-- one came before it in its key's month, the key's month which one is the newest, and every 25th has an entry.

-- The verification of the line before it in its key's month; null at the first, and where no key was charged.
alter table credit_movements add column previous bytea;
-- The verification of the newest line; null where there is none.
alter table key_months add column newest_line bytea;
-- What that was before the latest charge: read by nothing but the statement that writes it, for the line of that charge.
alter table key_months add column line_before bytea;

update credit_movements set previous = (
    select l.verification_id from credit_movements l
    where l.owner_id = credit_movements.owner_id and l.key_id = credit_movements.key_id
    and l.month = credit_movements.month and l.ordinal < credit_movements.ordinal
    order by l.ordinal desc limit 1
) where ordinal > 1;

update key_months set newest_line = (
    select l.verification_id from credit_movements l
    where l.owner_id = key_months.owner_id and l.key_id = key_months.key_id and l.month = key_months.month
    order by l.ordinal desc limit 1
) where credit_lines > 0;

drop index credit_movements_of_key;
create unique index credit_movements_steps
    on credit_movements (owner_id asc, key_id asc, month asc, ordinal asc) where ordinal % 25 = 0;
