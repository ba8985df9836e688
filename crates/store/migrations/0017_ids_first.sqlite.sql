-- The keys of what every verification writes begin with the id, which grows with time: so the new entries
-- of all owners share the last pages of an index. SQLite can only make such a table anew.
create table verifications_by_id (
    owner_id blob not null,
    id blob not null,
    -- The key that asked, or the owner's id for a session of its own.
    key_id blob not null,
    bank_id blob not null,
    identity_id blob not null,
    -- The client that the key is bound to.
    caller_client_id blob,
    -- Whose quota the charge counts against, fixed at the reservation.
    client_id blob,
    -- The month of Caracas in which it was reserved.
    month integer not null,
    cost integer not null check (cost >= 0),
    fingerprint blob not null,
    -- What was asked, as JSON.
    query text not null,
    -- asking 0, confirmed 1, not_found 2, refused 3, unknown 4, expired 5
    state integer not null,
    -- Bank calls begun.
    calls integer not null,
    -- The news that a call has been told, or is being told, that the payment is new.
    announced_by blob,
    -- The refusal that it ended with, and the bank's amount where that is the reason.
    error_code text,
    bank_amount integer,
    digits_needed integer,
    payment_id blob,
    asked_at integer not null,
    -- When its reservation lapses: fifteen minutes after the latest bank call began.
    deadline integer not null,
    ended_at integer,
    link_id blob,
    primary key (id, owner_id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id)
) strict;
insert into verifications_by_id select * from verifications order by rowid;
drop table verifications;
alter table verifications_by_id rename to verifications;
create unique index verifications_open on verifications (owner_id asc, fingerprint asc) where state = 0;
create index verifications_fingerprint on verifications (owner_id asc, fingerprint asc, id asc);
create index verifications_of_link on verifications (owner_id asc, link_id asc, id asc) where link_id is not null;
create index verifications_in_vain on verifications (owner_id asc, bank_id asc, id asc) where link_id is not null and state in (0, 2, 3) and (error_code is null or error_code <> 'USER_BANCK_BAD_PASSWORD');

create table movements_by_id (
    owner_id blob not null,
    id blob not null,
    identity_id blob not null,
    -- The bank's whole reference, its digits without leading zeros; the longest form seen.
    reference text not null,
    -- Its last six digits, or all where it has fewer: what candidates are found by.
    tail text not null,
    -- The bank's own stable id of the movement, where it has one.
    bank_key text,
    -- Hundredths; what came in is positive, what went out negative.
    amount integer not null,
    -- The bank's date in Caracas, as days since 1970-01-01, and its instant where it tells the time.
    paid_on integer not null,
    paid_at integer,
    payer_bank text,
    payer_phone text,
    payer_document text,
    payer_account text,
    created_at integer not null,
    primary key (id, owner_id),
    foreign key (owner_id, identity_id) references bank_identities (owner_id, id)
) strict;
insert into movements_by_id select * from movements order by rowid;
drop table movements;
alter table movements_by_id rename to movements;
-- Few banks give a movement an id of its own, and only those that have one need an entry about it.
create unique index movements_bank_key on movements (owner_id asc, identity_id asc, bank_key asc) where bank_key is not null;
create index movements_tail on movements (owner_id asc, identity_id asc, tail asc, reference asc);
create index movements_day on movements (owner_id asc, identity_id asc, paid_on asc, id asc);

create table payments_by_id (
    owner_id blob not null,
    id blob not null,
    movement_id blob not null,
    verification_id blob not null,
    bank_id blob not null,
    key_id blob not null,
    -- The client that the key was bound to.
    client_id blob,
    credit_cost integer not null,
    -- What the first claimant asked with: movement type, source name and facts, as JSON.
    params text not null,
    created_at integer not null,
    updated_at integer not null,
    primary key (id, owner_id),
    -- The rule that a movement is never accepted twice. It begins with the owner, by whom the audit goes.
    unique (owner_id, movement_id),
    -- A verification claims one payment at most. Where one is discarded, the database looks for payments
    -- that refer to it, which without an index is all of its owner's.
    unique (verification_id, owner_id),
    foreign key (owner_id, movement_id) references movements (owner_id, id),
    foreign key (owner_id, verification_id) references verifications (owner_id, id)
) strict;
insert into payments_by_id select * from payments order by rowid;
drop table payments;
alter table payments_by_id rename to payments;

create table credit_movements_by_id (
    owner_id blob not null,
    -- Dense within the owner.
    line integer not null,
    amount integer not null,
    balance_after integer not null check (balance_after >= 0),
    -- purchase, adjustment, debit, refund
    movement_type text not null,
    -- admin, verification
    origin text not null,
    description text not null,
    verification_id blob,
    client_id blob,
    key_id blob,
    month integer not null,
    -- Dense within the key's month; null where no key was charged.
    ordinal integer,
    created_at integer not null,
    primary key (owner_id, line),
    unique (verification_id, owner_id),
    foreign key (owner_id) references owners (owner_id)
) strict;
insert into credit_movements_by_id select * from credit_movements order by rowid;
drop table credit_movements;
alter table credit_movements_by_id rename to credit_movements;
create unique index credit_movements_of_key on credit_movements (owner_id asc, key_id asc, month asc, ordinal asc);
