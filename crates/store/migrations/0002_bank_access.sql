-- compatible_from: 1

-- What a linked account is reached with at its bank. It is a table of its own so that nothing that
-- lists accounts comes near a secret. An account in the trash has no row here.
create table bank_access (
    owner_id bytea not null,
    bank_id bytea not null,
    account_number text not null,
    -- The phone that receives mobile payments, twelve digits.
    phone text,
    -- The holder's document, which whoever pays by phone has to type.
    document text,
    -- The key, password or token that the bank gave its owner, encrypted.
    secret bytea not null,
    updated_at bigint not null,
    primary key (owner_id, bank_id),
    foreign key (owner_id, bank_id) references user_banks (owner_id, id)
);
