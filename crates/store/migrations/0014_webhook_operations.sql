-- compatible_from: 3

-- How many deliveries a job has to look at, as far as they are counted; null where nobody counts.
alter table webhook_redeliveries add column counted bigint;

-- The id of the delivery that was counted last; null where all are.
alter table webhook_redeliveries add column counted_to bytea;

-- How many receivers an owner has tried out in its latest minute: whichever node it asked.
create table webhook_trials (
    owner_id bytea not null,
    -- Minutes since 1970.
    minute bigint not null,
    taken bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- The roots over 1,024 attempts of a sealed day each, in the order of its tree, and which is the last of
-- them: whoever proves one attempt reads those of one block, and of the others the roots.
create table webhook_day_blocks (
    owner_id bytea not null,
    day bigint not null,
    block bigint not null,
    root bytea not null,
    last_delivery_id bytea not null,
    last_number bigint not null,
    primary key (owner_id, day, block),
    foreign key (owner_id) references owners (owner_id)
);
