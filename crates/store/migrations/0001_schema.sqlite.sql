-- What SQLite has otherwise. A `create table` here names the keys that its table has instead of the primary and
-- unique keys of the other file; every other statement is run after those of the other file.

-- Keys of what every verification writes begin with an id, which grows with time: the new entries of all owners
-- then share the last pages of an index, where keys that begin with the owner would write a page for each.

create table movements (
    primary key (id, owner_id)
);

create table verifications (
    primary key (id, owner_id)
);

create table payments (
    primary key (id, owner_id),
    unique (movement_id, owner_id),
    unique (verification_id, owner_id)
);

create table credit_movements (
    unique (verification_id, owner_id)
);

-- A line about a verification is unique by that; only the others need an entry by their number.
create unique index credit_movements_line on credit_movements (owner_id asc, line asc) where verification_id is null;

-- An account is of one owner, so that its id is enough to begin with.
drop index movements_tail;
create index movements_tail on movements (identity_id asc, tail asc, reference asc);
