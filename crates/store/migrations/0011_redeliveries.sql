-- compatible_from: 3

-- What was told of one payment link: owners ask for it by the link. Ids begin with the instant, so that
-- every other list is a piece of the primary key.
create index webhook_deliveries_of on webhook_deliveries (owner_id asc, subject_id asc, id asc);

-- Having every delivery that was given up since an instant begin again, in slices: how far it has come.
create table webhook_redeliveries (
    owner_id bytea not null,
    id bytea not null,
    -- 0 running, 1 done.
    state bigint not null,
    -- The events that it is about are of these instants, the last one excluded.
    since bigint not null,
    until bigint not null,
    -- Empty: of every receiver.
    receiver text not null,
    -- The id of the delivery that was looked at last.
    place bytea not null,
    looked bigint not null,
    redelivered bigint not null,
    created_at bigint not null,
    ended_at bigint,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id)
);

-- An owner has one that runs.
create unique index webhook_redeliveries_running on webhook_redeliveries (owner_id asc) where state = 0;
