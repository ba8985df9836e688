-- compatible_from: 3

-- Two entries of every charge lay in as many places as there are owners. That a movement is claimed once
-- is now kept by the movement, whose id grows with time. SQLite can only make such a table anew.
create table payments_by_movement (
    owner_id blob not null,
    id blob not null,
    movement_id blob not null,
    verification_id blob not null,
    bank_id blob not null,
    key_id blob not null,
    -- The client that the key was bound to.
    client_id blob,
    credit_cost integer not null,
    -- What the first claimant asked with: movement type, source name and facts, as JSON.
    params text not null,
    created_at integer not null,
    updated_at integer not null,
    primary key (id, owner_id),
    -- The rule that a movement is never accepted twice.
    unique (movement_id, owner_id),
    -- A verification claims one payment at most. Where one is discarded, the database looks for payments
    -- that refer to it, which without an index is all of its owner's.
    unique (verification_id, owner_id),
    foreign key (owner_id, movement_id) references movements (owner_id, id),
    foreign key (owner_id, verification_id) references verifications (owner_id, id)
) strict;
insert into payments_by_movement select * from payments order by rowid;
drop table payments;
alter table payments_by_movement rename to payments;

-- A line about a verification is one of a kind by that. The others are by their number, which for all of
-- them is checked by the audit.
create table credit_movements_without_key (
    owner_id blob not null,
    -- Dense within the owner.
    line integer not null,
    amount integer not null,
    balance_after integer not null check (balance_after >= 0),
    -- purchase, adjustment, debit, refund
    movement_type text not null,
    -- admin, verification
    origin text not null,
    description text not null,
    verification_id blob,
    client_id blob,
    key_id blob,
    month integer not null,
    -- Dense within the key's month; null where no key was charged.
    ordinal integer,
    created_at integer not null,
    unique (verification_id, owner_id),
    foreign key (owner_id) references owners (owner_id)
) strict;
insert into credit_movements_without_key select * from credit_movements order by rowid;
drop table credit_movements;
alter table credit_movements_without_key rename to credit_movements;
create unique index credit_movements_of_key on credit_movements (owner_id asc, key_id asc, month asc, ordinal asc);
create unique index credit_movements_line on credit_movements (owner_id asc, line asc) where verification_id is null;
