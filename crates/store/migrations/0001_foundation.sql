-- compatible_from: 1

-- Locators: what arrives without an owner. They only route; the owner's own row decides.
create table locators (
    kind bigint not null,
    hash bytea not null,
    owner_id bytea not null,
    subject_id bytea not null,
    primary key (kind, hash)
);

-- What the installation itself keeps: its id, the check value of its master key, its signing key.
create table installation (
    name text not null,
    value bytea not null,
    primary key (name)
);

create table owners (
    owner_id bytea not null,
    email text not null,
    name text not null,
    password_hash text not null,
    is_active boolean not null,
    -- The sum of the owner's credit movements.
    balance bigint not null check (balance >= 0),
    -- The sum of the costs of its open verifications; never above the balance.
    reserved bigint not null check (reserved >= 0 and reserved <= balance),
    -- How many credit movements it has: the ordinal of the newest.
    credit_lines bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id)
);

create table sessions (
    owner_id bytea not null,
    id bytea not null,
    created_at bigint not null,
    -- Which of its refresh tokens is the present one, and since when. None of them is kept.
    turn bigint not null check (turn >= 0),
    turned_at bigint not null,
    -- From when on it is over, whether by itself or because somebody ended it.
    expires_at bigint not null,
    ended_at bigint,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id)
);

create index sessions_over on sessions (expires_at asc, owner_id asc);

create table clients (
    owner_id bytea not null,
    id bytea not null,
    name text not null,
    is_active boolean not null,
    payments_enabled boolean not null,
    monthly_credit_limit bigint check (monthly_credit_limit >= 0),
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id)
);

create table client_months (
    owner_id bytea not null,
    client_id bytea not null,
    month bigint not null,
    posted bigint not null check (posted >= 0),
    reserved bigint not null check (reserved >= 0),
    -- Charged operations.
    operations bigint not null,
    primary key (owner_id, client_id, month),
    foreign key (owner_id, client_id) references clients (owner_id, id)
);

create table api_keys (
    owner_id bytea not null,
    id bytea not null,
    name text not null,
    -- SHA-256 of the key's text, which is nowhere.
    hash bytea not null,
    -- The last four characters, for people to tell keys apart.
    hint text not null,
    is_default boolean not null,
    is_active boolean not null,
    revoked_at bigint,
    expires_at bigint,
    client_id bytea,
    -- The ids of the selected accounts, sixteen bytes each, one after another; empty: all of the scope.
    user_banks bytea not null,
    -- Bits; see domain::permissions.
    permissions bigint not null,
    monthly_credit_limit bigint check (monthly_credit_limit >= 0),
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id),
    foreign key (owner_id, client_id) references clients (owner_id, id)
);

-- What a key used in a month of Caracas. The work of the owner's own sessions counts under the owner's id.
create table key_months (
    owner_id bytea not null,
    key_id bytea not null,
    month bigint not null,
    posted bigint not null check (posted >= 0),
    reserved bigint not null check (reserved >= 0),
    -- Charged operations.
    operations bigint not null,
    -- How many activity entries, and how many credit movements: the ordinals of the newest.
    requests bigint not null,
    credit_lines bigint not null,
    primary key (owner_id, key_id, month)
);

create table bank_identities (
    owner_id bytea not null,
    id bytea not null,
    provider text not null,
    -- Bank and account number or phone, normalised; for BANK_TEST the linked account's own id.
    account text not null,
    -- Advanced by whoever holds the row, so that ingestion of one account happens one at a time.
    revision bigint not null,
    created_at bigint not null,
    primary key (owner_id, id),
    unique (owner_id, provider, account),
    foreign key (owner_id) references owners (owner_id)
);

create table user_banks (
    owner_id bytea not null,
    id bytea not null,
    identity_id bytea not null,
    provider text not null,
    description text not null,
    client_id bytea,
    is_trashed boolean not null,
    is_disabled boolean not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id, identity_id) references bank_identities (owner_id, id),
    foreign key (owner_id, client_id) references clients (owner_id, id)
);

create table movements (
    owner_id bytea not null,
    id bytea not null,
    identity_id bytea not null,
    -- The bank's whole reference, its digits without leading zeros; the longest form seen.
    reference text not null,
    -- Its last six digits, or all where it has fewer: what candidates are found by.
    tail text not null,
    -- The bank's own stable id of the movement, where it has one.
    bank_key text,
    -- Hundredths; what came in is positive, what went out negative.
    amount bigint not null,
    -- The bank's date in Caracas, as days since 1970-01-01, and its instant where it tells the time.
    paid_on bigint not null,
    paid_at bigint,
    payer_bank text,
    payer_phone text,
    payer_document text,
    payer_account text,
    created_at bigint not null,
    primary key (owner_id, id),
    unique (owner_id, identity_id, bank_key),
    foreign key (owner_id, identity_id) references bank_identities (owner_id, id)
);

create index movements_tail on movements (owner_id asc, identity_id asc, tail asc, reference asc);

create table verifications (
    owner_id bytea not null,
    id bytea not null,
    -- The key that asked, or the owner's id for a session of its own.
    key_id bytea not null,
    bank_id bytea not null,
    identity_id bytea not null,
    -- The client that the key is bound to.
    caller_client_id bytea,
    -- Whose quota the charge counts against, fixed at the reservation.
    client_id bytea,
    -- The month of Caracas in which it was reserved.
    month bigint not null,
    cost bigint not null check (cost >= 0),
    fingerprint bytea not null,
    -- What was asked, as JSON.
    query text not null,
    -- asking 0, confirmed 1, not_found 2, refused 3, unknown 4, expired 5
    state bigint not null,
    -- Bank calls begun.
    calls bigint not null,
    -- The news that a call has been told, or is being told, that the payment is new.
    announced_by bytea,
    -- The refusal that it ended with, and the bank's amount where that is the reason.
    error_code text,
    bank_amount bigint,
    digits_needed bigint,
    payment_id bytea,
    asked_at bigint not null,
    -- When its reservation lapses: fifteen minutes after the latest bank call began.
    deadline bigint not null,
    ended_at bigint,
    primary key (owner_id, id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id)
);

-- One open verification for a fingerprint: whoever comes second joins the first.
create unique index verifications_open on verifications (owner_id asc, fingerprint asc) where state = 0;

create index verifications_fingerprint on verifications (owner_id asc, fingerprint asc, id asc);

create table payments (
    owner_id bytea not null,
    id bytea not null,
    movement_id bytea not null,
    verification_id bytea not null,
    bank_id bytea not null,
    key_id bytea not null,
    -- The client that the key was bound to.
    client_id bytea,
    credit_cost bigint not null,
    -- What the first claimant asked with: movement type, source name and facts, as JSON.
    params text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    -- The rule that a movement is never accepted twice.
    unique (owner_id, movement_id),
    foreign key (owner_id, movement_id) references movements (owner_id, id),
    foreign key (owner_id, verification_id) references verifications (owner_id, id)
);

-- The ledger: one line for every change of an owner's balance.
create table credit_movements (
    owner_id bytea not null,
    -- Dense within the owner.
    line bigint not null,
    amount bigint not null,
    balance_after bigint not null check (balance_after >= 0),
    -- purchase, adjustment, debit, refund
    movement_type text not null,
    -- admin, verification
    origin text not null,
    description text not null,
    verification_id bytea,
    client_id bytea,
    key_id bytea,
    month bigint not null,
    -- Dense within the key's month; null where no key was charged.
    ordinal bigint,
    created_at bigint not null,
    primary key (owner_id, line),
    unique (owner_id, verification_id),
    foreign key (owner_id) references owners (owner_id)
);

create unique index credit_movements_of_key on credit_movements (owner_id asc, key_id asc, month asc, ordinal asc);

create table activity (
    owner_id bytea not null,
    key_id bytea not null,
    month bigint not null,
    -- Dense within the key's month.
    ordinal bigint not null,
    created_at bigint not null,
    request_type text not null,
    provider text not null,
    bank_id bytea not null,
    -- The verification's state as a word, or "refused" where none was made.
    status text not null,
    error_code text,
    latency_us bigint not null,
    verification_id bytea,
    primary key (owner_id, key_id, month, ordinal)
);

create table idempotent_answers (
    owner_id bytea not null,
    -- The key or session that called.
    caller_id bytea not null,
    operation text not null,
    -- SHA-256 of the Idempotency-Key, and of the body it came with.
    key_hash bytea not null,
    body_hash bytea not null,
    -- What the first call made: a verification or a key.
    subject_id bytea not null,
    -- The answer, encrypted; null while there is none, and for ever where it holds a secret.
    answer bytea,
    -- The news in the answer, until it is replayed: who loses the answer gives the news back.
    news_id bytea,
    created_at bigint not null,
    primary key (owner_id, caller_id, operation, key_hash)
);

create table audit (
    owner_id bytea not null,
    id bytea not null,
    -- Who did it: a session, a key, or the command line.
    actor text not null,
    action text not null,
    subject text not null,
    address text,
    created_at bigint not null,
    primary key (owner_id, id)
);

-- Work that some node must do: who waits for what, and which node has it until when.
create table due (
    kind bigint not null,
    owner_id bytea not null,
    subject_id bytea not null,
    due_at bigint not null,
    -- Advanced by every taker; a result under an older fence changes nothing.
    fence bigint not null,
    tries bigint not null,
    primary key (owner_id, kind, subject_id)
);

create index due_at on due (kind asc, due_at asc, owner_id asc, subject_id asc);

create index idempotent_answers_age on idempotent_answers (created_at asc, owner_id asc);
