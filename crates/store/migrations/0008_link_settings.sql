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

-- When it failed for having been tried as often as its owner lets payers try; null where the owner
-- rejected it.
alter table payment_links add column exhausted_at bigint;

-- Links are looked at when their time is over, those included that were made before this. Whoever
-- attends to what is due without knowing of this kind never looks for it.
insert into due (owner_id, kind, subject_id, due_at, fence, tries) select owner_id, 3, id, expires_at, 1, 1 from payment_links where state = 0 and webhook_url is not null and expires_at is not null;
