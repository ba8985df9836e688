-- compatible_from: 3

-- Where an owner's systems hear of its credits; whoever has chosen nothing has no row.
create table webhook_endpoints (
    owner_id bytea not null,
    url text not null,
    -- The levels of the balance that are told, eight bytes each, the highest first.
    levels bytea not null,
    -- The latest month of Caracas whose beginning needs no telling any more.
    month bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- The highest of those levels that lies below the balance: falling to it is told. -1 where none does,
-- null where nobody is to be told. It stands here because every charge writes and reads this row.
alter table owners add column low_balance_at bigint;
