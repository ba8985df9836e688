-- compatible_from: 22

-- How many movements the bank has shown of an account's day, and which of them came last: from it each leads to the
-- one before it. They are listed so, and one in twenty-five has an entry to begin from.
create table movement_days (
    owner_id bytea not null,
    identity_id bytea not null,
    -- The bank's date in Caracas, as days since 1970-01-01.
    paid_on bigint not null,
    movements bigint not null,
    newest bytea not null,
    primary key (owner_id, identity_id, paid_on),
    foreign key (owner_id, identity_id) references bank_identities (owner_id, id)
);

-- Which of its day's it is, from 1, and the one before it.
alter table movements add column number bigint not null default 0;
alter table movements add column previous bytea;
update movements set number = placed.number, previous = placed.previous
from (
    select owner_id, id,
        row_number() over (partition by owner_id, identity_id, paid_on order by id) as number,
        lag(id) over (partition by owner_id, identity_id, paid_on order by id) as previous
    from movements
) as placed
where movements.owner_id = placed.owner_id and movements.id = placed.id;

insert into movement_days
    select m.owner_id, m.identity_id, m.paid_on, m.number, m.id
    from movements m join (
        select owner_id, identity_id, paid_on, max(number) as number from movements
        group by owner_id, identity_id, paid_on
    ) as newest on newest.owner_id = m.owner_id and newest.identity_id = m.identity_id
        and newest.paid_on = m.paid_on and newest.number = m.number;

create unique index movements_steps on movements (owner_id asc, identity_id asc, paid_on asc, number asc)
    where number % 25 = 0;
drop index movements_day;
