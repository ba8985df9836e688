-- compatible_from: 3

-- A verification claims one payment at most. Where one is discarded, the database looks for payments that
-- refer to it, which without an index is all of its owner's.
create unique index payments_of_verification on payments (owner_id asc, verification_id asc);

-- Few banks give a movement an id of its own, and only those that have one need an entry about it. The
-- former is dropped last, since nobody can even read the table from then on until the commit.
create unique index movements_bank_key on movements (owner_id asc, identity_id asc, bank_key asc) where bank_key is not null;
alter table movements drop constraint movements_owner_id_identity_id_bank_key_key;
