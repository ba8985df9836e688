-- compatible_from: 3

-- The round in which it came into its owner's feed of events; 0 as long as it is not in it. Whoever
-- asks for the feed brings in what has been committed since: nobody who writes an event does.
alter table webhook_deliveries add column feed_round bigint not null default 0;

-- The feed from any place of it on, and before it what is not in it yet.
create index webhook_deliveries_feed on webhook_deliveries
    (owner_id asc, feed_round asc, id asc);

-- How many rounds an owner's feed has. Rounds are made one at a time, under this row.
create table webhook_feeds (
    owner_id bytea not null,
    rounds bigint not null check (rounds > 0),
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);
