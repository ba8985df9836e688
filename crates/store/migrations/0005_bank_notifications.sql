-- compatible_from: 3

-- Linked accounts whose bank tells of payments by itself, and the secret that it shows then. An
-- account in the trash has no row here.
create table bank_push (
    owner_id bytea not null,
    bank_id bytea not null,
    -- SHA-256 of the secret's text, which is nowhere.
    secret_hash bytea not null,
    updated_at bigint not null,
    primary key (owner_id, bank_id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id)
);

-- What banks have told of payments by themselves, each payment once.
create table bank_notifications (
    owner_id bytea not null,
    -- Ordered by the instant at which it came: a span of time is a range of ids.
    id bytea not null,
    identity_id bytea not null,
    bank_id bytea not null,
    -- Null where it cannot be known which movement the bank's extract will show for it.
    movement_id bytea,
    -- CONFIRMED: the bank says that the money is there.
    status text not null,
    -- The significant digits that the bank told, and hundredths.
    reference text not null,
    amount bigint not null,
    -- The bank's date in Caracas, as days since 1970-01-01.
    paid_on bigint not null,
    payer_bank text,
    payer_phone text,
    -- The same for people, and the notice as it came.
    message text not null,
    raw text not null,
    created_at bigint not null,
    primary key (owner_id, id),
    -- The rule that a notice which comes again adds nothing.
    unique (owner_id, identity_id, reference, paid_on, amount),
    foreign key (owner_id, identity_id) references bank_identities (owner_id, id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id),
    foreign key (owner_id, movement_id) references movements (owner_id, id)
);

-- Pages of an account's notices.
create index bank_notifications_of_bank on bank_notifications (owner_id asc, bank_id asc, id asc);

create index bank_notifications_of_movement on bank_notifications (owner_id asc, movement_id asc);

-- Pages of an account's movements, by the bank's days.
create index movements_day on movements (owner_id asc, identity_id asc, paid_on asc, id asc);
