-- compatible_from: 1

-- A schema for the tests of the engines: owners with numbers, and a row of each kind of value.

create table owners (
    owner_id bytea not null,
    balance bigint not null,
    primary key (owner_id)
);

create table counters (
    owner_id bytea not null,
    id bytea not null,
    total bigint not null,
    primary key (owner_id, id),
    check (total >= 0)
);

-- Who may call: the table of authentication.
create table sessions (
    owner_id bytea not null,
    id bytea not null,
    turn bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id)
);

create table kinds (
    owner_id bytea not null,
    id bytea not null,
    label text not null,
    short bytea not null,
    long bytea not null,
    absent bytea,
    lowest bigint not null,
    is_so boolean not null,
    is_not boolean not null,
    primary key (owner_id, id)
);

-- What a job may lock without its owner's row, in this order.
create table leases (
    owner_id bytea not null,
    fence bigint not null,
    primary key (owner_id)
);

create table notes (
    owner_id bytea not null,
    times bigint not null,
    primary key (owner_id)
);
