-- compatible_from: 3

-- What an owner has chosen for its payment links; whoever has chosen nothing has no row.
create table payment_link_settings (
    owner_id bytea not null,
    -- After how many answers that time cannot change a link fails; null is never.
    max_attempts bigint check (max_attempts > 0),
    -- Whether ends without a payment are told too.
    announce_expiry boolean not null,
    updated_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- When it was told that the link's time is over: from then on no payer begins, whatever a clock says.
alter table payment_links add column expired_at bigint;
