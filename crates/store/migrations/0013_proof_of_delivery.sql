-- compatible_from: 3

-- SHA-256 of the address, as `digest` is of the body: what stays when contents are deleted.
alter table webhook_deliveries add column url_digest bytea;

-- The end of the delivery's chain: the digest of its latest attempt, or of the event where there is
-- none (`domain::webhooks::evidence`). Null for what was written before there were chains.
alter table webhook_deliveries add column chain bytea;

-- When its contents and those of its attempts were deleted.
alter table webhook_deliveries add column pruned_at bigint;

-- Digests of the request's head and of the answer, and over everything of the attempt.
alter table webhook_attempts add column sent_digest bytea;

alter table webhook_attempts add column heard_digest bytea;

alter table webhook_attempts add column digest bytea;

-- The day of Caracas in which it ended, where it has a digest.
alter table webhook_attempts add column day bigint;

create index webhook_attempts_day on webhook_attempts
    (owner_id asc, day asc, delivery_id asc, number asc);

-- Days that are over, each with the root over its attempts, behind the one before it.
create table webhook_days (
    owner_id bytea not null,
    day bigint not null,
    attempts bigint not null check (attempts > 0),
    root bytea not null,
    digest bytea not null,
    sealed_at bigint not null,
    primary key (owner_id, day),
    foreign key (owner_id) references owners (owner_id)
);

-- Up to which delivery an owner's old contents are deleted, so that they are not looked for again.
create table webhook_retention (
    owner_id bytea not null,
    pruned_to bytea not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- The daily work of owners that are there already; new ones bring theirs.
insert into due (owner_id, kind, subject_id, due_at, fence, tries)
select owner_id, 5, owner_id, 0, 1, 1 from owners;
