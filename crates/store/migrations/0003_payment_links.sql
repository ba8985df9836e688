-- compatible_from: 3

-- What is asked of payers. What a link is at an instant follows from its end, whether it is stopped,
-- when its time is over, and whether a check of it is under way.
create table payment_links (
    owner_id bytea not null,
    id bytea not null,
    bank_id bytea not null,
    -- The text of that id, by which a listing is kept to some accounts.
    bank text not null,
    -- The key that made it and is charged, or the owner's id for a session; and that key's client.
    key_id bytea not null,
    client_id bytea,
    name text not null,
    description text not null,
    -- Hundredths of the currency.
    amount bigint not null check (amount > 0),
    -- VEF, USD, EUR, USDT
    currency text not null,
    webhook_url text,
    redirect_url text,
    -- What the caller keeps with it, as JSON.
    metadata text not null,
    -- api, dashboard, subscription
    origin text not null,
    livemode boolean not null,
    -- pending 0, paid 1, failed 2, canceled 3
    state bigint not null,
    is_stopped boolean not null,
    -- Why it failed, for people.
    status_detail text,
    payment_id bytea,
    -- As they were asked for, in minutes; without the first it is good for ever.
    expiration_minutes bigint,
    rate_minutes bigint not null,
    expires_at bigint,
    -- Name, description and id in lower case, for searching.
    search text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    -- Its payment is no foreign key: the link is given its end before the payment is written.
    foreign key (owner_id, bank_id) references user_banks (owner_id, id)
);

create index payment_links_newest on payment_links (owner_id asc, created_at asc, id asc);

-- The link that a verification is a payer's check of. A program that does not know of links would
-- settle such a check without its link, so that none may work on this schema.
alter table verifications add column link_id bytea;

create index verifications_of_link on verifications (owner_id asc, link_id asc, id asc) where link_id is not null;
