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
    primary key (owner_id, line),
    unique (owner_id, actor_id, month, ordinal),
    unique (verification_id, owner_id)
);

-- An owner's rows in the order of time, which on PostgreSQL the primary key has.
create index verifications_of_owner on verifications (owner_id asc, id asc);
