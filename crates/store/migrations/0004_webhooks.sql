-- compatible_from: 3

-- What an owner's webhooks are signed with, encrypted. Made when it is first needed.
create table webhook_secrets (
    owner_id bytea not null,
    secret bytea not null,
    created_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- What an owner's systems are told: an event on its way to a receiver. When it is attempted next,
-- and which node has it until when, is in `due`.
create table webhook_deliveries (
    owner_id bytea not null,
    -- The event's id.
    id bytea not null,
    -- What it is about: a payment link.
    subject_id bytea not null,
    url text not null,
    -- The host in the address, with its port: whoever counts by receiver counts by this.
    receiver text not null,
    -- The bytes that are signed and sent, the same each time.
    body bytea not null,
    created_at bigint not null,
    -- 0 pending, 1 delivered, 2 exhausted, 3 cancelled.
    state bigint not null,
    attempts bigint not null check (attempts >= 0),
    -- What the latest attempt came to, unless it succeeded.
    trouble text,
    ended_at bigint,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id)
);

create table webhook_attempts (
    owner_id bytea not null,
    delivery_id bytea not null,
    -- From 1.
    number bigint not null,
    began_at bigint not null,
    -- Microseconds.
    duration bigint not null,
    -- What was answered, where anything was, and the beginning of it.
    status bigint,
    answer bytea not null,
    trouble text,
    primary key (owner_id, delivery_id, number),
    foreign key (owner_id, delivery_id) references webhook_deliveries (owner_id, id)
);
