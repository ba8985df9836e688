-- compatible_from: 1

-- The data model, in PostgreSQL's words. What SQLite has otherwise is in the file beside this one.
--
-- Nearly every table is a tenant table: `owner_id` is its first column and stands in its primary key, in every
-- unique key and on both sides of every foreign key, so that an owner's rows can live together on one server
-- of many. Ids are sixteen bytes and begin with the time at which they were made. Instants are microseconds
-- since 1970. A day is a day of Caracas, counted from 1970-01-01; a month is one of Caracas, 202611 for November 2026.
-- Money is whole hundredths, credits are whole. Ids and times come from the program, never from the database.
--
-- The order of a table's keys and indexes means something: as long as PostgreSQL has no statistics, it takes the last
-- of those that seem equal. So what a row is found by comes after what rows are listed by.


-- The installation

-- Finds the owner of what arrives without one: an API key, a session, an address for signing in, a link, a logo. A
-- row only routes; whether the thing may be used is decided by the owner's own row.
create table locators (
    kind bigint not null,
    hash bytea not null,
    owner_id bytea not null,
    subject_id bytea not null,
    primary key (kind, hash)
);

-- Wrong passwords that were sent for one account, wherever from, until a day without another. Whether the account is
-- there, nobody knows who counts.
create table sign_in_failures (
    -- The keyed hash of the address that was typed, or of it and of a network that is known to whoever has it.
    subject bytea not null,
    failures bigint not null check (failures > 0),
    failed_at bigint not null,
    primary key (subject)
);

create index sign_in_failures_age on sign_in_failures (failed_at asc);

-- What the installation itself keeps: its id, the check value of its master key, its signing key.
create table installation (
    name text not null,
    value bytea not null,
    primary key (name)
);

-- What other currencies cost in bolívares, as it was published. A row is never edited: a correction is a row of the
-- same day with a later id.
create table exchange_rates (
    -- USD, EUR, USDT
    currency text not null,
    -- The first day that it is the rate of, in days since 1970-01-01.
    value_date bigint not null,
    id bytea not null,
    -- The last such day, where the source says one.
    until_date bigint check (until_date >= value_date),
    -- Hundred-millionths of a bolívar.
    rate bigint not null check (rate > 0),
    published_at bigint not null,
    source text not null,
    -- Who recorded it: operator, address
    origin text not null,
    primary key (currency, value_date, id)
);

-- What came of asking the address that tells rates, and when it is asked next. One row, made by whoever asks first.
create table rate_address (
    name text not null check (name = 'rates'),
    -- When it is due; while it is asked, when the lease of whoever asks ends.
    due_at bigint not null,
    -- Advanced by everybody who asks: what an earlier one was answered changes nothing. 0: nobody asked yet.
    fence bigint not null,
    -- When its latest good answer came.
    answered_at bigint,
    -- What is wrong since then, and since when; null: nothing.
    problem text,
    failing_since bigint,
    primary key (name)
);

-- Rates that the address told and nobody took, since they are far from the ones before: the latest of each day.
create table doubtful_rates (
    -- USD, EUR, USDT
    currency text not null,
    value_date bigint not null,
    until_date bigint,
    rate bigint not null check (rate > 0),
    published_at bigint not null,
    source text not null,
    -- The rate that it is far from; null where none was known to compare it with.
    former bigint check (former > 0),
    since bigint not null,
    primary key (currency, value_date)
);

-- What owners can agree with the operator. A plan is never changed: another is made, and given to owners.
create table plans (
    id bytea not null,
    name text not null,
    description text not null,
    -- credit, unlimited, counter
    plan_type text not null,
    -- month, six_months, year
    period text not null,
    -- In hundredths.
    price bigint not null check (price >= 0),
    -- Charges in a month of Caracas, and linked bank accounts; null: no limit.
    request_limit bigint check (request_limit >= 0),
    bank_account_limit bigint check (bank_account_limit >= 0),
    -- As it is sold; nothing is granted by itself.
    initial_credits bigint not null check (initial_credits >= 0),
    max_accumulated_credits bigint check (max_accumulated_credits >= 0),
    -- What people are told that it has, a line for each.
    benefits text not null,
    is_salient boolean not null,
    is_hidden boolean not null,
    created_at bigint not null,
    primary key (id)
);


-- Owners, and who may ask

-- An owner's credits. Every charge locks and writes this row, so it has nothing but numbers.
create table owners (
    owner_id bytea not null,
    -- The sum of the owner's credit movements.
    balance bigint not null check (balance >= 0),
    -- The sum of the costs of its open verifications.
    reserved bigint not null check (reserved >= 0 and reserved <= balance),
    -- The number of its credit movements: the line of the newest.
    credit_lines bigint not null,
    -- The highest level below the balance at which its webhook reports a low balance: -1 where no level lies
    -- below, null where no webhook wants it.
    low_balance_at bigint,
    -- Below which balance the owner gets a notice; null: below none.
    notice_below bigint check (notice_below > 0),
    -- What its latest payment has as updated_at: the next has a later one, unless a clock was ahead. It is given under the
    -- lock of this row.
    last_payment_at bigint not null default 0,
    -- The latest month that it was charged in, and how many charges it had then: the sum of the operations of its actors,
    -- by which its plan limits it.
    charged_month bigint not null default 0,
    charges bigint not null default 0 check (charges >= 0),
    primary key (owner_id)
);

-- Who an owner is.
create table owner_profiles (
    owner_id bytea not null,
    email text not null,
    name text not null,
    password_hash text not null,
    is_active boolean not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- The plan of an owner. Without a row nothing is limited, and everything is active.
create table owner_plans (
    owner_id bytea not null,
    -- Not a foreign key: plans are the installation's.
    plan_id bytea not null,
    -- Where it is not, nothing new is charged.
    is_active boolean not null,
    -- Since when the owner has it.
    since bigint not null,
    updated_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- What payers are told of an owner: null where it has not said. Without a row it has said nothing.
create table public_profiles (
    owner_id bytea not null,
    public_name text,
    -- A letter and a number, for receipts.
    document text,
    -- Twelve digits each.
    support_phone text,
    whatsapp text,
    support_email text,
    -- Of https.
    support_url text,
    -- As #rrggbb.
    brand_colour text,
    updated_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- The picture beside an owner's name, drawn anew when it was sent. By itself, so that nobody reads its bytes who reads
-- the profile.
create table logos (
    owner_id bytea not null,
    -- What its address has: the SHA-256 of whose it is and of its bytes.
    hash bytea not null,
    -- png, jpg
    kind text not null,
    width bigint not null check (width > 0),
    height bigint not null check (height > 0),
    bytes bytea not null,
    changed_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- An owner's clients: keys and accounts may belong to one, and it may have a quota.
create table clients (
    owner_id bytea not null,
    id bytea not null,
    name text not null,
    -- The name as people compare it (domain::client_names): two clients that have one alike have documents that differ.
    plain_name text not null,
    email text,
    -- A letter and a number.
    document text,
    is_active boolean not null,
    payments_enabled boolean not null,
    monthly_credit_limit bigint check (monthly_credit_limit >= 0),
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id)
);

create index clients_named on clients (owner_id asc, plain_name asc, id asc);

-- People of an owner who sign in by themselves and may do what their permissions say, and people of its clients, who
-- may do what their client may.
create table employees (
    owner_id bytea not null,
    id bytea not null,
    -- The client whose person it is, unless it is the owner's own.
    client_id bytea,
    -- What it signs in with once it has accepted its invitation.
    email text not null,
    name text not null,
    -- Bits, see domain::rights.
    permissions bigint not null check (permissions >= 0),
    is_active boolean not null,
    -- Argon2id in PHC form, since the invitation was accepted.
    password_hash text,
    -- The SHA-256 of the secret of its invitation, and until when that is good. Gone once it was accepted.
    invitation_hash bytea,
    invitation_expires_at bigint,
    -- The employee who invited it last: the invitation is good while that one may invite it. Null where it was the owner.
    invited_by bytea,
    -- When that was, in which session, and from which address.
    invited_at bigint not null,
    invited_session bytea,
    invited_from text,
    accepted_at bigint,
    -- When it was removed for good. The row stays, since the audit trail names it.
    removed_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id),
    foreign key (owner_id, client_id) references clients (owner_id, id)
);

create index employees_present on employees (owner_id asc, client_id asc, id asc) where removed_at is null;

create unique index employees_email on employees (owner_id asc, email asc) where removed_at is null;

-- Whom the owner or an employee has invited, removed ones among them.
create index employees_invited on employees (owner_id asc, invited_by asc, id asc);

create table sessions (
    owner_id bytea not null,
    id bytea not null,
    -- Whose it is, unless it is the owner's own.
    employee_id bytea,
    created_at bigint not null,
    -- Which of its refresh tokens is the current one, and since when. No token is stored.
    turn bigint not null check (turn >= 0),
    turned_at bigint not null,
    -- When it ends by itself, and when it was ended before that.
    expires_at bigint not null,
    ended_at bigint,
    -- The address that signed in.
    address text,
    -- When it last showed a code of its person's second factor, or, while there is none, the password after the sign-in.
    proved_at bigint,
    -- The SHA-256 of its cookie, where a browser signed in; its requests are let in by nothing else then.
    cookie_hash bytea,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id),
    foreign key (owner_id, employee_id) references employees (owner_id, id)
);

create index sessions_of_employee on sessions (owner_id asc, employee_id asc, id asc) where employee_id is not null;

create index sessions_over on sessions (expires_at asc, owner_id asc);

-- The networks that people have signed in from lately.
create table sign_in_networks (
    owner_id bytea not null,
    -- The owner, or an employee.
    person_id bytea not null,
    -- An IPv4 address, or the first 64 bits of an IPv6 address.
    network text not null,
    seen_at bigint not null,
    primary key (owner_id, person_id, network),
    foreign key (owner_id) references owners (owner_id)
);

create index sign_in_networks_age on sign_in_networks (seen_at asc, owner_id asc);

-- Links by which a person may set another password. All of a person's go when one is used, or the password changes.
create table password_resets (
    owner_id bytea not null,
    -- The owner, or an employee.
    person_id bytea not null,
    -- The SHA-256 of the secret at the end of the link.
    token_hash bytea not null,
    created_at bigint not null,
    expires_at bigint not null,
    primary key (owner_id, person_id, token_hash),
    foreign key (owner_id) references owners (owner_id)
);

create index password_resets_over on password_resets (expires_at asc, owner_id asc);

-- The address that a person wants to sign in with, until it is confirmed. Of a person there is one.
create table email_changes (
    owner_id bytea not null,
    -- The owner, or an employee.
    person_id bytea not null,
    -- The SHA-256 of the secret at the end of the link that the address got.
    token_hash bytea not null,
    email text not null,
    -- The session that it was asked for in, which goes on.
    session_id bytea not null,
    created_at bigint not null,
    expires_at bigint not null,
    primary key (owner_id, person_id),
    foreign key (owner_id) references owners (owner_id)
);

create index email_changes_over on email_changes (expires_at asc, owner_id asc);

-- The outbox of mail. While a mail waits, its row in due says when it is sent, and who has it.
create table mails (
    owner_id bytea not null,
    id bytea not null,
    -- invitation, password_reset, payment_reminder and the like, see domain::mail; of notices their kind.
    kind text not null,
    -- Whether it tells the owner of notices: others go first.
    is_notice boolean not null,
    -- Whose affairs it is about: the owner's id, or that of an employee. Of what payers are reminded of the owner's.
    person_id bytea not null,
    recipient text not null,
    -- es, en
    language text not null,
    -- What it tells, sealed: a one-time secret may be in it. Gone once the mail has its end.
    facts bytea,
    -- 0 waits, 1 sent, 2 given up.
    state bigint not null check (state >= 0 and state <= 2),
    attempts bigint not null check (attempts >= 0),
    created_at bigint not null,
    -- Until when it is worth sending.
    expires_at bigint not null,
    ended_at bigint,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id),
    check ((state = 0) = (facts is not null)),
    check ((state = 0) = (ended_at is null))
);

create index mails_of_day on mails (owner_id asc, created_at asc);

create index mails_waiting on mails (expires_at asc, owner_id asc) where state = 0;

create index mails_age on mails (created_at asc, owner_id asc) where state <> 0;

-- What people show besides their password.
create table second_factors (
    owner_id bytea not null,
    -- Whose it is: the owner's id, or that of an employee.
    person_id bytea not null,
    -- The secret that the person's authenticator has, encrypted.
    secret bytea not null,
    -- When it was begun, and since when sign-ins ask for a code: null until the first one was shown.
    begun_at bigint not null,
    confirmed_at bigint,
    -- The step of half a minute whose code was taken last. None is taken twice, and none of before.
    last_step bigint not null,
    -- By how many of them the authenticator's clock is off: learned from its first code, 0 once it was right.
    clock_skew bigint not null check (abs(clock_skew) <= 10),
    -- How many codes were wrong since the last right one, and when the last was: the next one waits for that.
    wrong_codes bigint not null check (wrong_codes >= 0),
    wrong_at bigint not null,
    primary key (owner_id, person_id),
    foreign key (owner_id) references owners (owner_id)
);

-- The recovery codes of a second factor that were not used.
create table recovery_codes (
    owner_id bytea not null,
    person_id bytea not null,
    -- The SHA-256 of the code, which is stored nowhere.
    hash bytea not null,
    primary key (owner_id, person_id, hash),
    foreign key (owner_id, person_id) references second_factors (owner_id, person_id)
);

-- What a client used in a month.
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
    -- SHA-256 of the key's text, which is stored nowhere.
    hash bytea not null,
    -- Its last four characters, by which people tell keys apart.
    hint text not null,
    -- The SHA-256 of the text before, which opens nothing: whoever still uses that is told to the owner.
    former_hash bytea,
    is_default boolean not null,
    is_active boolean not null,
    revoked_at bigint,
    expires_at bigint,
    client_id bytea,
    -- The ids of the accounts that it may use, one after another; empty: all of its scope.
    user_banks bytea not null,
    -- Bits; see domain::permissions.
    permissions bigint not null,
    monthly_credit_limit bigint check (monthly_credit_limit >= 0),
    -- Who got its present text, by making or rotating it: a key, or a person (the owner, or an employee). Null: the operator.
    issued_by bytea,
    -- When that was, in which session, and from which address.
    issued_at bigint not null,
    issued_session bytea,
    issued_from text,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id),
    foreign key (owner_id, client_id) references clients (owner_id, id)
);

-- What a person or a key has issued, revoked ones among them.
create index api_keys_issued on api_keys (owner_id asc, issued_by asc, id asc) where issued_by is not null;

-- Lists and counts pass over what was revoked, of which there may be much more.
create index api_keys_live on api_keys (owner_id asc, id asc) where revoked_at is null;

-- An owner has one default key.
create unique index api_keys_default on api_keys (owner_id asc) where is_default = true;

-- When a key was last used and from which address, as far as that is written. Apart from the key, which says who may call.
create table key_uses (
    owner_id bytea not null,
    key_id bytea not null,
    last_used_at bigint not null,
    last_used_from text,
    primary key (owner_id, key_id),
    foreign key (owner_id, key_id) references api_keys (owner_id, id)
);

-- What an actor used in a month: a key, or by sessions the owner or an employee, each under its own id.
create table actor_months (
    owner_id bytea not null,
    actor_id bytea not null,
    month bigint not null,
    posted bigint not null check (posted >= 0),
    reserved bigint not null check (reserved >= 0),
    -- Charged operations.
    operations bigint not null,
    -- The number of its activity entries and of its credit movements: the ordinals of the newest.
    requests bigint not null,
    credit_lines bigint not null,
    primary key (owner_id, actor_id, month)
);

-- All that an owner used in a month.
create index actor_months_of_month on actor_months (owner_id asc, month asc, actor_id asc);

-- What was done to an owner's settings, and by whom.
create table audit (
    owner_id bytea not null,
    id bytea not null,
    -- A session, a key, the command line, or a payer's page.
    actor text not null,
    -- The employee whose session it is.
    employee_id bytea,
    action text not null,
    subject text not null,
    -- What the change has changed, as it was and as it is: JSON objects of the same names, without a secret.
    before_change text,
    after_change text,
    address text,
    created_at bigint not null,
    -- How often it came within the hour from then on, where it is a refusal: those are counted. Null where it was done.
    times bigint check (times > 0),
    -- From where those came: a JSON list of the first addresses and sessions and of the latest, with their counts.
    sources text,
    primary key (owner_id, id)
);

-- Refusals of the same kind are found, to count one more.
create index audit_refusals on audit (owner_id asc, action asc, subject asc, id asc) where times is not null;


-- Bank accounts

-- An account at a bank. Movements belong to it, so they stay where the account is linked again.
create table bank_identities (
    owner_id bytea not null,
    id bytea not null,
    provider text not null,
    -- Bank and account number or phone, normalised; for BANK_TEST the linked account's own id.
    account text not null,
    -- Raised by every ingestion, which locks the row: movements of one account are stored one batch at a time.
    revision bigint not null,
    created_at bigint not null,
    -- Up to which putting back of a copy its owner has looked through what may have been claimed meanwhile.
    reviewed_until bigint,
    primary key (owner_id, id),
    unique (owner_id, provider, account),
    foreign key (owner_id) references owners (owner_id)
);

-- An account as its owner linked it.
create table user_banks (
    owner_id bytea not null,
    id bytea not null,
    identity_id bytea not null,
    provider text not null,
    description text not null,
    client_id bytea,
    -- Since when it is that client's, which sees nothing of before; null without a client.
    client_since bigint,
    is_trashed boolean not null,
    is_disabled boolean not null,
    -- Whether a payment between two customers of its bank may be confirmed by payer, amount and day.
    same_bank_by_payer boolean not null default false,
    -- Whether four digits of a reference do with an amount.
    short_references boolean not null default false,
    -- Over all of the above and when it was linked, so that the audit sees whether it is what was chosen (domain::seals).
    seal bytea not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id, identity_id) references bank_identities (owner_id, id),
    foreign key (owner_id, client_id) references clients (owner_id, id)
);

-- How a linked account is reached at its bank. Apart, so that nothing that lists accounts comes near a secret.
-- An account in the trash has no row.
create table bank_access (
    owner_id bytea not null,
    bank_id bytea not null,
    account_number text not null,
    -- The phone that receives mobile payments, twelve digits.
    phone text,
    -- The holder's document, which a payer by phone has to type.
    document text,
    -- The holder's name as the bank shows it to payers.
    holder text,
    -- What else the bank wants to know, such as the key that it gave the owner: names and values, encrypted together.
    credentials bytea not null,
    -- What was sent as metadata when the account was linked, encrypted.
    metadata bytea,
    -- When the bank took the credentials that its owner gave.
    taken_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, bank_id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id)
);

-- The token that a bank has given for a linked account, where it gives any, and who obtains the next one. The row goes
-- whenever the credentials in bank_access change: a token is always one of those that are there.
create table bank_tokens (
    owner_id bytea not null,
    bank_id bytea not null,
    -- Raised by whoever takes the lease: a result under an older one is dropped. A kept token's generation.
    fence bigint not null,
    -- Until when its holder obtains a token; null while nobody does.
    lease_until bigint,
    -- The token, encrypted; null until it was obtained.
    token bytea,
    -- Until when it is used, somewhat before the bank ends it; null where the bank does not say when that is.
    usable_until bigint,
    primary key (owner_id, bank_id),
    foreign key (owner_id, bank_id) references bank_access (owner_id, bank_id)
);

-- Linked accounts whose bank sends notifications. An account in the trash has no row.
create table bank_push (
    owner_id bytea not null,
    bank_id bytea not null,
    -- SHA-256 of the secret that the bank shows, which is stored nowhere.
    secret_hash bytea not null,
    updated_at bigint not null,
    primary key (owner_id, bank_id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id)
);


-- Bank movements

create table movements (
    owner_id bytea not null,
    id bytea not null,
    identity_id bytea not null,
    -- The significant digits of the bank's reference, the longest form seen, and how many zeros the bank
    -- shows before them.
    reference text not null,
    reference_zeros bigint not null default 0,
    -- The last six of those digits, or all where there are fewer, the last one first: a shorter ending that a
    -- payer types is a range of the index.
    tail text not null,
    -- The bank's own stable id of the movement, where it has one.
    bank_key text,
    -- What came in is positive, what went out negative.
    amount bigint not null,
    -- The bank's day, and the instant where the bank says the time.
    paid_on bigint not null,
    paid_at bigint,
    payer_bank text,
    payer_phone text,
    payer_document text,
    payer_account text,
    -- How the bank says that: 0 in a known form, 1 the same between two of its own customers, 2 in a form not known, 3 the
    -- phone alone in a known form, 4 the document alone.
    payer_form bigint not null default 0,
    -- What the bank writes beside it.
    description text not null default '',
    -- Whether a question named it or a notice of the bank brought it; otherwise a day was read that has it.
    is_named boolean not null default true,
    -- The movement that it may be, of which the bank said something else: no question finds it until a person accepts it.
    contested_with bytea,
    -- Where the bank lists it under a reference that no receipt has: the receipt's, as a notification told it, and the one
    -- that was typed when it was confirmed by its payer or its owner, which may begin with zeros. Each with its last six
    -- digits, the last one first.
    receipt text,
    receipt_tail text,
    typed text,
    typed_tail text,
    -- Over all of the above, so that the audit sees whether they are what was written (domain::seals).
    seal bytea not null,
    created_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id, identity_id) references bank_identities (owner_id, id),
    foreign key (owner_id, contested_with) references movements (owner_id, id)
);

-- What may be the same money as a movement.
create index movements_contested on movements (owner_id asc, contested_with asc, id asc)
    where contested_with is not null;

-- The list of an account, by the bank's days.
create index movements_day on movements (owner_id asc, identity_id asc, paid_on asc, id asc);

-- The same of those that keys see too.
create index movements_named_day on movements (owner_id asc, identity_id asc, paid_on asc, id asc)
    where is_named = true;

-- Those that nobody asked about, by when they came: they are kept for a while.
create index movements_unnamed on movements (created_at asc, owner_id asc, id asc)
    where is_named = false;

-- What candidates for a payer's reference are found by.
create index movements_tail on movements (owner_id asc, identity_id asc, tail asc, reference asc);

create index movements_receipt on movements (owner_id asc, identity_id asc, receipt_tail asc)
    where receipt_tail is not null;

create index movements_typed on movements (owner_id asc, identity_id asc, typed_tail asc)
    where typed_tail is not null;

create unique index movements_bank_key on movements (owner_id asc, identity_id asc, bank_key asc)
    where bank_key is not null;

-- Payments that a bank reported by itself, each once.
create table bank_notifications (
    owner_id bytea not null,
    id bytea not null,
    identity_id bytea not null,
    bank_id bytea not null,
    -- Null where it cannot be known which movement of the bank's statement it is.
    movement_id bytea,
    -- CONFIRMED: the bank says that the money is there.
    status text not null,
    -- The significant digits as the bank sent them.
    reference text not null,
    amount bigint not null,
    paid_on bigint not null,
    -- Where the bank says the time.
    paid_at bigint,
    payer_bank text,
    payer_phone text,
    payer_document text,
    -- Whether the bank has told of it again with another payer, so that it is not certain who paid.
    is_contested boolean not null default false,
    -- The last six digits of the reference, the last one first, where the bank's statement has another reference.
    receipt_tail text,
    -- The same for people, and the notification as it came.
    message text not null,
    raw text not null,
    -- Over all of this but the movement, so that the audit sees whether it is what was written (domain::seals).
    seal bytea not null,
    created_at bigint not null,
    primary key (owner_id, id),
    -- A notification that comes again adds nothing. Of another bank of the payer it is another payment.
    unique (owner_id, identity_id, reference, paid_on, amount, payer_bank),
    foreign key (owner_id, identity_id) references bank_identities (owner_id, id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id),
    foreign key (owner_id, movement_id) references movements (owner_id, id)
);

create index bank_notifications_of_bank on bank_notifications (owner_id asc, bank_id asc, id asc);

-- What a payment between two customers of the bank is known by.
create index bank_notifications_receipt on bank_notifications (owner_id asc, identity_id asc, receipt_tail asc)
    where receipt_tail is not null;

create index bank_notifications_same_bank on bank_notifications (owner_id asc, identity_id asc, paid_on asc, amount asc)
    where receipt_tail is not null;

create index bank_notifications_of_movement on bank_notifications (owner_id asc, movement_id asc);


-- Verifications, and what they cost

create table verifications (
    owner_id bytea not null,
    id bytea not null,
    -- Who called: a key, an employee, or the owner's id for a session; and the client that the caller is bound to.
    actor_id bytea not null,
    caller_client_id bytea,
    bank_id bytea not null,
    identity_id bytea not null,
    -- The payment link that a payer was checked for.
    link_id bytea,
    -- The client whose quota is charged, and the month, both fixed when the cost is reserved.
    client_id bytea,
    month bigint not null,
    cost bigint not null check (cost >= 0),
    -- Calls with the same fingerprint ask the same. What was asked, as JSON.
    fingerprint bytea not null,
    query text not null,
    -- The reference, where it is a call's and so short that what was said besides cannot be enough.
    short_reference text,
    -- 0 open, 1 confirmed, 2 not found, 3 refused, 4 unknown, 5 expired.
    state bigint not null,
    -- Bank calls begun.
    calls bigint not null,
    -- Until when the node that works on it holds it; null once it has ended.
    lease_until bigint,
    -- When its reservation lapses: a quarter of an hour after the latest bank call began.
    deadline bigint not null,
    -- The call that was answered, or is being answered, that the payment is new.
    reported_by bytea,
    -- Over that, once it is confirmed, so that the audit sees whether it is what was written (domain::seals).
    first_report_seal bytea,
    -- The refusal that it ended with, and what belongs to the reason.
    error_code text,
    bank_amount bigint,
    digits_needed bigint,
    -- The payment from the same bank that it named by payer: 1 unclaimed, 2 confirmed for another reference.
    same_bank bigint,
    -- Where the payment may have been claimed after the copy from which the store was put back: when that was made, and when
    -- it was put back.
    review_since bigint,
    review_until bigint,
    -- The payment that it found.
    payment_id bytea,
    -- Whether the bank answered where it found one: a person may have accepted it, or what was known have been enough.
    is_answered boolean not null default true,
    asked_at bigint not null,
    ended_at bigint,
    primary key (owner_id, id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id)
);

-- One open verification for a fingerprint: a second call joins the first.
create unique index verifications_open on verifications (owner_id asc, fingerprint asc) where state = 0;

-- The short references that a caller has asked for on an account of late.
create index verifications_short on verifications (owner_id asc, actor_id asc, bank_id asc, asked_at asc)
    where short_reference is not null;

create index verifications_of_link on verifications (owner_id asc, link_id asc, id asc) where link_id is not null;

-- The checks of an account's links that count against its limit of attempts: those that are open, and those that
-- ended with an answer and without a payment. A check whose bank was not reached, or refused the account's own
-- key, does not count.
create index verifications_in_vain on verifications (owner_id asc, bank_id asc, id asc)
    where link_id is not null and state in (0, 2, 3)
    and (error_code is null or error_code <> 'USER_BANCK_BAD_PASSWORD');

-- Those whose bank could not be heard, or not in time: by them people are told of a bank that does not answer.
create index verifications_unheard on verifications (owner_id asc, bank_id asc, id asc) where state in (4, 5);

-- The latest confirmed verification of each fingerprint, which answers the same call for a day from its end. No foreign
-- key: each verification that is taken back while it is open would have the rows that refer to it looked for.
create table recent_calls (
    owner_id bytea not null,
    fingerprint bytea not null,
    verification_id bytea not null,
    -- When the verification ended.
    ended_at bigint not null,
    primary key (owner_id, fingerprint)
);

create index recent_calls_age on recent_calls (ended_at asc, owner_id asc);

-- A movement that was accepted.
create table payments (
    owner_id bytea not null,
    id bytea not null,
    movement_id bytea not null,
    verification_id bytea not null,
    bank_id bytea not null,
    actor_id bytea not null,
    -- The client that the key was bound to.
    client_id bytea,
    credit_cost bigint not null,
    -- Whether the movement was told by who paid, not by a reference, and is known by what was typed.
    is_by_payer boolean not null default false,
    -- What the first caller asked: movement type, source name and facts, as JSON.
    params text not null,
    -- Over which movement it claims, so that the audit sees whether it is what was written (domain::seals).
    seal bytea not null,
    -- The line of the ledger that charges it, by which payments are listed: no clock spoils it.
    line bigint not null,
    created_at bigint not null,
    -- When it was claimed, or right behind the payment before it, if that is within what clocks are apart.
    updated_at bigint not null,
    primary key (owner_id, id),
    -- A movement is never accepted twice.
    unique (owner_id, movement_id),
    -- A verification accepts one movement at most.
    unique (owner_id, verification_id),
    foreign key (owner_id, movement_id) references movements (owner_id, id),
    foreign key (owner_id, verification_id) references verifications (owner_id, id)
);

-- The list of payments, and what a client's callers see of it.
create unique index payments_listed on payments (owner_id asc, line asc);

create index payments_of_client on payments (owner_id asc, client_id asc, line asc) where client_id is not null;

-- Where in the list an instant lies.
create index payments_by_time on payments (owner_id asc, updated_at asc);

-- Payments added up, those of an account, a client, a key and a day of Caracas in one row for each currency. What each
-- counts as is decided by domain::statistics.
create table payment_sums (
    owner_id bytea not null,
    -- The day on which they were claimed.
    day bigint not null,
    -- VEF, USD, EUR, USDT
    currency text not null,
    bank_id bytea not null,
    -- The client whose quota was charged, or the owner's id where there was none.
    client_id bytea not null,
    -- Who is charged: a key, an employee, or the owner's id for a session; and the client that the caller was bound to, or
    -- the owner's id where it was bound to none.
    actor_id bytea not null,
    caller_client_id bytea not null,
    payments bigint not null check (payments > 0),
    -- What was priced, in hundredths of the currency, and what the bank credited, in those of bolívares.
    amount bigint not null,
    received bigint not null,
    primary key (owner_id, day, currency, bank_id, client_id, actor_id, caller_client_id),
    foreign key (owner_id) references owners (owner_id)
);

-- The ledger: a line for every change of an owner's balance.
create table credit_movements (
    owner_id bytea not null,
    -- Its number within the owner, from 1, without gaps.
    line bigint not null,
    amount bigint not null,
    balance_after bigint not null check (balance_after >= 0),
    -- purchase, adjustment, debit, refund
    movement_type text not null,
    -- admin, verification, payment_link, subscription
    origin text not null,
    description text not null,
    verification_id bytea,
    client_id bytea,
    actor_id bytea,
    month bigint not null,
    -- Its number within the actor's month, from 1, without gaps; null where nobody was charged.
    ordinal bigint,
    -- The ordinal of the attempt that was charged, in the activity of the actor's month.
    request bigint,
    created_at bigint not null,
    primary key (owner_id, line),
    -- The list of an actor's month.
    unique (owner_id, actor_id, month, ordinal),
    -- A verification is charged once.
    unique (owner_id, verification_id),
    foreign key (owner_id) references owners (owner_id)
);

-- The statement of a month.
create index credit_movements_of_month on credit_movements (owner_id asc, month asc, line asc);

-- Every attempt of a key, charged or not.
create table activity (
    owner_id bytea not null,
    actor_id bytea not null,
    month bigint not null,
    -- Its number within the actor's month, from 1, without gaps.
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
    primary key (owner_id, actor_id, month, ordinal)
);

-- Answers to calls that came with an Idempotency-Key.
create table idempotent_answers (
    owner_id bytea not null,
    -- The key or session that called.
    caller_id bytea not null,
    operation text not null,
    -- SHA-256 of the Idempotency-Key, and of the body that it came with.
    key_hash bytea not null,
    body_hash bytea not null,
    -- What the first call made: a verification or a key.
    subject_id bytea not null,
    -- The answer, encrypted; null while there is none, and for ever where it holds a secret.
    answer bytea,
    -- The report of a new payment that the answer contains, until the answer is replayed.
    first_report_id bytea,
    created_at bigint not null,
    primary key (owner_id, caller_id, operation, key_hash)
);

create index idempotent_answers_age on idempotent_answers (created_at asc, owner_id asc);


-- Payment links

-- What recurs: a payer who owes the same amount again and again. What a subscription is at an instant follows from its
-- terms, these facts and its cycles (domain::subscriptions).
create table subscriptions (
    owner_id bytea not null,
    id bytea not null,
    bank_id bytea not null,
    -- Who made it and is charged for its cycles' links: a key, an employee, or the owner's id for a session; and the
    -- client of that caller.
    actor_id bytea not null,
    client_id bytea,
    -- As its maker said; the links of its cycles have the product's name where it said none.
    name text,
    description text,
    product_name text not null,
    product_code text,
    -- Who pays.
    customer_name text not null,
    customer_phone text not null,
    customer_code text,
    -- Where reminders are mailed to, and whether whoever gets them wants no more.
    customer_email text,
    reminder_mail_off boolean not null,
    -- Of the cycles that open from now on.
    amount bigint not null check (amount > 0),
    -- VEF, USD, EUR, USDT
    currency text not null,
    webhook_url text,
    livemode boolean not null,
    -- How far its clock was set ahead of the real one, in microseconds; that of real money never is.
    clock_ahead bigint not null check (clock_ahead >= 0),
    -- day, week, month, year; and how many of them a period has.
    period_unit text not null,
    period_count bigint not null check (period_count > 0),
    -- The first day of the first period, in days since 1970-01-01, and the day of the month that periods begin on.
    begins_on bigint not null,
    anchor_day bigint not null,
    -- Whether a cycle is due when its period begins, and not when it ends.
    pay_first boolean not null,
    -- How many cycles are asked for; null: until somebody cancels.
    cycles bigint check (cycles > 0),
    lead_days bigint not null,
    grace_days bigint not null,
    has_trial boolean not null,
    -- On which days payers are reminded, counted from the due day, as in "-3 0 1 3 7".
    reminders text not null,
    -- The consequence of a cycle that nobody paid in time: it goes on, is paused or ends.
    unpaid_policy text not null check (unpaid_policy in ('stay', 'pause', 'end')),
    -- 0 canceled, 1 expired, 2 completed; null while it lives.
    ended_as bigint,
    -- Cycles that were opened or skipped, that were skipped, and that were paid.
    begun bigint not null,
    skipped bigint not null,
    paid bigint not null,
    -- The newest cycle that was paid or waived.
    newest_settled bigint,
    -- The first cycle that is not owed any more, and whether that is, or it has ended, since one was not paid in time.
    canceled_from bigint,
    ends_unpaid boolean not null default false,
    -- The first cycle that a pause skips, with when its period begins.
    paused_from bigint,
    paused_at bigint,
    -- The day on which that pause ends by itself, in days since 1970-01-01, and whether a calendar begins anew then.
    resumes_on bigint,
    resumes_anew boolean not null,
    -- From which cycles on, and from which days, its calendar was counted anew, as in "3:20820 9:21004".
    restarts text not null,
    -- Whether its first cycle was paid or waived, or need not be paid first.
    is_active boolean not null,
    -- Whether its payer canceled it, which the owner does not take back.
    canceled_by_payer boolean not null default false,
    -- The id by which anybody sees its payer's page, and until when.
    page_id bytea not null,
    page_until bigint not null,
    -- What people know it by, in lower case, for searching.
    search text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    check (clock_ahead = 0 or not livemode),
    check (resumes_on is null or paused_from is not null),
    check (resumes_on is not null or not resumes_anew),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id)
);

create unique index subscriptions_page on subscriptions (owner_id asc, page_id asc);
-- Addresses to which no reminders are mailed any more.
create index subscriptions_without_mail on subscriptions (owner_id asc, customer_email asc) where reminder_mail_off;

create index subscriptions_newest_of_client on subscriptions (owner_id asc, bank_id asc, client_id asc, created_at asc, id asc)
    where client_id is not null;
create index subscriptions_newest_of_account on subscriptions (owner_id asc, bank_id asc, created_at asc, id asc);
create index subscriptions_newest on subscriptions (owner_id asc, created_at asc, id asc);

-- Those that live, which are added up.
create index subscriptions_living on subscriptions (owner_id asc, livemode asc, bank_id asc, client_id asc, id asc)
    where ended_as is null;

-- What state a link shows at an instant follows from its end, whether it is stopped, when it expires, and whether
-- a payer is being checked.
create table payment_links (
    owner_id bytea not null,
    id bytea not null,
    bank_id bytea not null,
    -- Who made it and is charged: a key, an employee, or the owner's id for a session; and the client of that caller.
    actor_id bytea not null,
    client_id bytea,
    name text not null,
    description text not null,
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
    -- The cycle that it is for, of those that a subscription asks for by links.
    subscription_id bytea,
    cycle bigint,
    -- 0 pending, 1 paid, 2 failed, 3 canceled.
    state bigint not null,
    is_stopped boolean not null,
    -- Why it failed, for people.
    status_detail text,
    -- Not a foreign key: the link gets its end before the payment is written.
    payment_id bytea,
    -- As the caller asked, in minutes; without the first it never expires.
    expiration_minutes bigint,
    rate_minutes bigint not null,
    -- In another currency: the latest rate that was held for its payer and its present price, or the one that it was
    -- paid by. Not a foreign key, since each of the two tables refers to the other.
    rate_lock_id bytea,
    expires_at bigint,
    -- When its expiry was announced: from then on no payer begins, whatever a node's clock says.
    expired_at bigint,
    -- When it was canceled; its owner may accept money for it after that.
    canceled_at bigint,
    -- Name, description and id in lower case, for searching.
    search text not null,
    -- Over what it was made with, why and when it failed, and when it was canceled, so that the audit sees whether it is
    -- what was written (domain::seals).
    seal bytea not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id),
    foreign key (owner_id, subscription_id) references subscriptions (owner_id, id),
    check ((subscription_id is null) = (cycle is null))
);

-- Those that a limited key sees, and those that a client's caller does. SQLite takes the earlier of two indexes that seem
-- as good to it, so that these stand before the one of all links.
create index payment_links_newest_of_client on payment_links (owner_id asc, bank_id asc, client_id asc, created_at asc, id asc)
    where client_id is not null;
create index payment_links_newest_of_account on payment_links (owner_id asc, bank_id asc, created_at asc, id asc);
create index payment_links_newest on payment_links (owner_id asc, created_at asc, id asc);

-- What clients have open on an account.
create index payment_links_of_clients on payment_links (owner_id asc, bank_id asc, id asc)
    where client_id is not null and state = 0;

-- What can be paid of a subscription.
create index payment_links_of_subscription on payment_links (owner_id asc, subscription_id asc, id asc)
    where subscription_id is not null and state = 0;

-- What is asked for in other currencies.
create index payment_links_foreign on payment_links (owner_id asc, currency asc, expires_at asc)
    where state = 0 and currency <> 'VEF';

-- The cycles of subscriptions that were opened. One that was skipped has no row.
create table subscription_cycles (
    owner_id bytea not null,
    subscription_id bytea not null,
    -- Counted from zero.
    number bigint not null,
    -- 0 open, 1 paid, 2 lapsed (it can still be paid, by a new link), 3 canceled, 4 waived.
    state bigint not null,
    -- The latest link of the cycle, or the one that paid it.
    link_id bytea not null,
    -- The latest day of its reminders that is done: sent, or over when the subscription was made; null before any.
    reminded bigint,
    opened_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id, subscription_id, number),
    foreign key (owner_id, subscription_id) references subscriptions (owner_id, id),
    foreign key (owner_id, link_id) references payment_links (owner_id, id)
);

create index subscription_cycles_unpaid on subscription_cycles (owner_id asc, subscription_id asc, state asc, number asc)
    where state <> 1;

-- What an owner has chosen for its links; without a choice there is no row.
create table payment_link_settings (
    owner_id bytea not null,
    -- After how many final answers without a payment a link fails; null: never.
    max_attempts bigint check (max_attempts > 0),
    -- Whether ends without a payment are sent to the webhook too.
    announce_expiry boolean not null,
    -- Which rate serves a day of its links in other currencies: by_value_date, by_publication
    rate_rule text not null,
    updated_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- What other currencies cost for an owner's own links, as it said so. A row is never edited: a correction is a row of the
-- same day with a later id.
create table owner_rates (
    owner_id bytea not null,
    -- USD, EUR, USDT
    currency text not null,
    -- The first day that it is the rate of, in days since 1970-01-01.
    value_date bigint not null,
    id bytea not null,
    -- The last such day, where the owner says one.
    until_date bigint check (until_date >= value_date),
    -- Hundred-millionths of a bolívar; null: from that day on, what everybody pays.
    rate bigint check (rate > 0),
    published_at bigint not null,
    source text not null,
    primary key (owner_id, currency, value_date, id),
    foreign key (owner_id) references owners (owner_id)
);

create index owner_rates_listed on owner_rates (owner_id asc, id asc);

-- The latest number of an owner's receipts: of money that exists, and of the test bank's.
create table receipt_numbers (
    owner_id bytea not null,
    livemode boolean not null,
    last bigint not null check (last > 0),
    -- How many numbers were left out where the store was put back from a copy, which does not know the latest ones.
    skipped bigint not null default 0 check (skipped >= 0),
    primary key (owner_id, livemode)
);

-- What payers keep: one for each payment of a link, and for each that a person verified, be it after a key.
create table receipts (
    owner_id bytea not null,
    -- Who knows it may see the page.
    id bytea not null,
    payment_id bytea not null,
    -- Those of money that exists, and those of the test bank's, are each numbered without gaps.
    livemode boolean not null,
    number bigint not null check (number > 0),
    -- The merchant as it was then.
    merchant text not null,
    document text,
    -- The movement as the bank showed it then: it may show it fuller since.
    reference text not null,
    paid_at bigint not null,
    payer_bank text,
    payer_phone text,
    payer_document text,
    issued_at bigint not null,
    -- The person who verified what a key had claimed, where none was made with the payment: an employee's id, or the
    -- owner's.
    issued_by bytea,
    -- When it became void, and why.
    voided_at bigint,
    void_reason text,
    -- Over all of it, so that the audit sees whether it is what was written (domain::seals).
    seal bytea not null,
    primary key (owner_id, id),
    unique (owner_id, payment_id),
    unique (owner_id, livemode, number),
    foreign key (owner_id, payment_id) references payments (owner_id, id)
);

-- Rates that were held for payers of links in other currencies, one after the other: the first from when the link asks for
-- a price. A row ends early where the link asks for something else or ends earlier, and is never edited otherwise.
create table rate_locks (
    owner_id bytea not null,
    link_id bytea not null,
    id bytea not null,
    -- What the link asked for.
    amount bigint not null check (amount > 0),
    -- USD, EUR, USDT
    currency text not null,
    -- Hundred-millionths of a bolívar.
    rate bigint not null check (rate > 0),
    -- The first day that it is the rate of, in days since 1970-01-01.
    value_date bigint not null,
    source text not null,
    -- What is owed by it, in hundredths of a bolívar.
    owed bigint not null check (owed > 0),
    locked_at bigint not null,
    ends_at bigint not null check (ends_at >= locked_at),
    -- Over all of it, so that the audit sees whether it is what was written (domain::seals).
    seal bytea not null,
    primary key (owner_id, id),
    foreign key (owner_id, link_id) references payment_links (owner_id, id)
);

create index rate_locks_of_links on rate_locks (owner_id asc, link_id asc, id asc);

-- Questions that balance, a limit or the plan refused before any bank was asked: they left no verification. Those of a
-- payment link count as its attempts.
create table refused_attempts (
    owner_id bytea not null,
    -- The id that the verification would have had.
    id bytea not null,
    -- Who called: a key, an employee, or the owner's id for a session; and the client that the caller is bound to.
    actor_id bytea not null,
    caller_client_id bytea,
    -- The client whose quota it would have counted against.
    client_id bytea,
    bank_id bytea not null,
    link_id bytea,
    -- What was asked, as JSON.
    query text not null,
    -- Which rule refused.
    error_code text not null,
    refused_at bigint not null,
    primary key (owner_id, id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id),
    foreign key (owner_id, link_id) references payment_links (owner_id, id)
);

create index refused_attempts_of_link on refused_attempts (owner_id asc, link_id asc, id asc) where link_id is not null;

create index refused_attempts_age on refused_attempts (refused_at asc, owner_id asc);


-- Webhooks

-- What an owner's webhooks are signed with, encrypted; made when it is first needed. While a rotation overlaps:
-- the secret before it, and until when that is valid.
create table webhook_secrets (
    owner_id bytea not null,
    secret bytea not null,
    previous bytea,
    previous_until bigint,
    created_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

create index webhook_secrets_over on webhook_secrets (previous_until asc, owner_id asc)
    where previous_until is not null;

-- What webhooks of a client's links are signed with besides, for the client's receivers, encrypted; the owner makes it.
-- While a rotation overlaps: the secret before it, and until when that is valid.
create table client_webhook_secrets (
    owner_id bytea not null,
    client_id bytea not null,
    secret bytea not null,
    previous bytea,
    previous_until bigint,
    -- When the present secret was made.
    created_at bigint not null,
    primary key (owner_id, client_id),
    foreign key (owner_id, client_id) references clients (owner_id, id)
);

create index client_webhook_secrets_over on client_webhook_secrets (previous_until asc, owner_id asc)
    where previous_until is not null;

-- Where an owner's credit events go; without a choice there is no row.
create table webhook_endpoints (
    owner_id bytea not null,
    url text not null,
    -- The levels of the balance that are reported, eight bytes each, the highest first.
    levels bytea not null,
    -- The latest month whose beginning needs no event any more.
    month bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- An event on its way to a receiver. When it is attempted next, and which node holds it, is in `due`.
create table webhook_deliveries (
    owner_id bytea not null,
    -- The event's id.
    id bytea not null,
    -- The word of domain::webhooks::EventKind.
    event text not null,
    -- What the event is about: a payment link.
    subject_id bytea not null,
    -- The client whose callers made that link, or whose receiver is tried out: its secret signs, too.
    client_id bytea,
    -- The address, its SHA-256, and its host and port, by which receivers are counted.
    url text not null,
    url_digest bytea,
    receiver text not null,
    -- The bytes that are signed and sent, the same each time, and their SHA-256.
    body bytea not null,
    digest bytea,
    -- The end of the chain of its evidence: the digest of its latest attempt, or of the event where there is none.
    chain bytea,
    -- 0 pending, 1 delivered, 2 exhausted, 3 cancelled.
    state bigint not null,
    attempts bigint not null check (attempts >= 0),
    -- How far the schedule has come since it began, or began anew: not every attempt is a step.
    step bigint not null default 0,
    -- Why the latest attempt failed.
    trouble text,
    -- The round in which it came into its owner's feed of events; 0 before that.
    feed_round bigint not null default 0,
    created_at bigint not null,
    ended_at bigint,
    -- When its contents and those of its attempts were deleted; the digests stay.
    pruned_at bigint,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id)
);

-- Its first attempt changes a delivery, mostly within milliseconds: with room in its page no index is written again.
alter table webhook_deliveries set (fillfactor = 70);

create index webhook_deliveries_of on webhook_deliveries (owner_id asc, subject_id asc, id asc);

create index webhook_deliveries_feed on webhook_deliveries (owner_id asc, feed_round asc, id asc);

create table webhook_attempts (
    owner_id bytea not null,
    delivery_id bytea not null,
    -- From 1.
    number bigint not null,
    began_at bigint not null,
    -- The day in which it ended, if it has a digest.
    day bigint,
    -- Microseconds: the whole, and its parts (domain::webhooks::Phases).
    duration bigint not null,
    phases bytea,
    -- The head of the request with its signature, the address that was dialled, and whether the connection was
    -- open already.
    sent text,
    sent_digest bytea,
    address text,
    is_reused boolean,
    -- What was answered: the status, the beginning of the head and of the body.
    status bigint,
    answer_head bytea,
    answer bytea not null,
    answer_digest bytea,
    trouble text,
    -- Over everything of the attempt.
    digest bytea,
    primary key (owner_id, delivery_id, number),
    foreign key (owner_id, delivery_id) references webhook_deliveries (owner_id, id)
);

create index webhook_attempts_day on webhook_attempts (owner_id asc, day asc, delivery_id asc, number asc);

-- The evidence of the days that are over, each with the root over its attempts, chained to the day before it.
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

-- The roots over each 1,024 attempts of such a day, in the order of its tree, and the last attempt of each block: to
-- prove one attempt, the attempts of one block are read, and of the other blocks the roots.
create table webhook_day_blocks (
    owner_id bytea not null,
    day bigint not null,
    block bigint not null,
    root bytea not null,
    last_delivery_id bytea not null,
    last_number bigint not null,
    primary key (owner_id, day, block),
    foreign key (owner_id) references owners (owner_id)
);

-- Up to which delivery an owner's old contents are deleted.
create table webhook_retention (
    owner_id bytea not null,
    pruned_to bytea not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- How many rounds an owner's feed of events has. Rounds are made one at a time, under this row.
create table webhook_feeds (
    owner_id bytea not null,
    rounds bigint not null check (rounds > 0),
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- Jobs that start exhausted deliveries anew, in slices.
create table webhook_redeliveries (
    owner_id bytea not null,
    id bytea not null,
    -- 0 running, 1 done.
    state bigint not null,
    -- The events are of these instants, the last one excluded.
    since bigint not null,
    until bigint not null,
    -- Empty: every receiver.
    receiver text not null,
    -- The delivery that was looked at last.
    place bytea not null,
    looked bigint not null,
    redelivered bigint not null,
    -- How many deliveries there are to look at, and the one that was counted last; null once all are counted.
    counted bigint,
    counted_to bytea,
    created_at bigint not null,
    ended_at bigint,
    primary key (owner_id, id),
    foreign key (owner_id) references owners (owner_id)
);

-- An owner has one that runs.
create unique index webhook_redeliveries_running on webhook_redeliveries (owner_id asc) where state = 0;

-- How many receivers an owner has tried out in its latest minute, on whichever node.
create table webhook_trials (
    owner_id bytea not null,
    -- Minutes since 1970.
    minute bigint not null,
    taken bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);


-- Background work

-- Work that some node must do, at an instant. A node that takes it moves the instant on, which is its lease.
create table due (
    owner_id bytea not null,
    kind bigint not null,
    subject_id bytea not null,
    due_at bigint not null,
    -- Raised at each taking; a result under an older fence changes nothing.
    fence bigint not null,
    tries bigint not null,
    primary key (owner_id, kind, subject_id)
);

create index due_at on due (kind asc, due_at asc, owner_id asc, subject_id asc);

-- What went wrong for an owner, for its dashboard. Deleted some time after it last happened.
create table notices (
    owner_id bytea not null,
    id bytea not null,
    -- webhook_failing, webhook_exhausted, link_refused_for_credits, link_money_unclaimed, payment_contested,
    -- same_bank_payment, low_balance, credits_exhausted, sign_in_attempts, bank_refuses_credentials, mail_given_up,
    -- rate_missing, amount_unpayable, payment_outside_rate, link_refused_by_plan, rate_in_doubt,
    -- statement_row_unread, short_references
    kind text not null,
    -- Where kind and slot are the same it is the same notice, which then counts: a host and an hour, a link, a
    -- movement.
    slot text not null,
    -- A host, a balance, a currency and a day, or the id of a link, a movement, an account or a person. Never an address, which may contain
    -- a key.
    subject text not null,
    link_id bytea,
    -- Why a webhook was not delivered, the latest time.
    trouble text,
    -- Whether it is about money that exists: not where it is about a link or an account of the test bank alone.
    livemode boolean not null,
    times bigint not null check (times > 0),
    created_at bigint not null,
    updated_at bigint not null,
    -- The owner's next number when it happened last, by which notices are listed: no clock spoils it.
    place bigint not null check (place > 0),
    -- When it is looked at whether a mail is to tell of it; null where none is to, or one does.
    mail_due_at bigint,
    -- How many of the times need no mail any more.
    mailed_times bigint not null check (mailed_times >= 0 and mailed_times <= times),
    -- The mail that is to tell of it and was not sent yet.
    mail_id bytea,
    -- When a mail that tells of it was sent last.
    mailed_at bigint,
    -- When the owner said that it is settled; null again where it happens once more.
    dismissed_at bigint,
    primary key (owner_id, id),
    unique (owner_id, kind, slot),
    foreign key (owner_id) references owners (owner_id)
);

create index notices_newest on notices (owner_id asc, place asc, id asc);

create index notices_of_owner_by_age on notices (owner_id asc, updated_at asc);

create index notices_age on notices (updated_at asc, owner_id asc);

create index notices_to_mail on notices (mail_due_at asc, owner_id asc) where mail_due_at is not null;

create index notices_of_owner_to_mail on notices (owner_id asc, mail_due_at asc) where mail_due_at is not null;

create index notices_of_mail on notices (owner_id asc, mail_id asc, id asc) where mail_id is not null;

-- What an owner has chosen of its notices; without a row, what the service has chosen.
create table notice_settings (
    owner_id bytea not null,
    -- es, en
    language text not null,
    updated_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);

-- Of which kinds an owner has chosen whether they go by mail, and how often; of others the service has.
create table notice_rules (
    owner_id bytea not null,
    kind text not null,
    is_mailed boolean not null,
    -- The least minutes between two mails.
    every_minutes bigint not null check (every_minutes > 0),
    updated_at bigint not null,
    primary key (owner_id, kind),
    foreign key (owner_id) references owners (owner_id)
);
