-- compatible_from: 3

-- What owners are told of what went wrong in their affairs. Forgotten a while after it last happened.
create table notices (
    owner_id bytea not null,
    id bytea not null,
    -- webhook_failing, webhook_exhausted, link_refused_for_credits, link_money_unclaimed
    kind text not null,
    -- What makes it the same notice again, which then counts: a host and an hour, a link, a movement.
    slot text not null,
    -- A host, or the id of a link or a movement. Never an address, which may hold a key.
    subject text not null,
    link_id bytea,
    -- Why a webhook was not delivered, the latest time.
    trouble text,
    times bigint not null check (times > 0),
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    unique (owner_id, kind, slot),
    foreign key (owner_id) references owners (owner_id)
);

create index notices_newest on notices (owner_id asc, updated_at asc, id asc);

create index notices_age on notices (updated_at asc, owner_id asc);

-- Checks of a link that limits or balance refused: they left no verification, and count as attempts.
create table link_refusals (
    owner_id bytea not null,
    link_id bytea not null,
    -- The id that the verification would have had.
    id bytea not null,
    refused_at bigint not null,
    primary key (owner_id, link_id, id),
    foreign key (owner_id, link_id) references payment_links (owner_id, id)
);

create index link_refusals_age on link_refusals (refused_at asc, owner_id asc);
