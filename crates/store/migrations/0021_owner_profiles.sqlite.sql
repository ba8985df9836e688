-- compatible_from: 21

-- Who an owner is, apart from its credits: those are written by every charge, so their rows lie close together.
-- The table of credits is made anew, since one that lost columns would keep its pages.
create table owner_profiles (
    owner_id blob not null,
    email text not null,
    name text not null,
    password_hash text not null,
    is_active integer not null,
    created_at integer not null,
    updated_at integer not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
) strict;
insert into owner_profiles
    select owner_id, email, name, password_hash, is_active, created_at, updated_at from owners order by rowid;

create table owners_of_credits (
    owner_id blob not null,
    -- The sum of the owner's credit movements.
    balance integer not null check (balance >= 0),
    -- The sum of the costs of its open verifications; never above the balance.
    reserved integer not null check (reserved >= 0 and reserved <= balance),
    -- How many credit movements it has: the ordinal of the newest.
    credit_lines integer not null,
    -- The highest level to be told that lies below the balance; -1 where none does, null where nobody is told.
    low_balance_at integer,
    primary key (owner_id)
) strict;
insert into owners_of_credits
    select owner_id, balance, reserved, credit_lines, low_balance_at from owners order by rowid;
drop table owners;
alter table owners_of_credits rename to owners;
