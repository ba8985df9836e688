-- compatible_from: 3

-- By which the checks of an account's links are counted that no payment came of. Verifications of
-- the API are not in it, and a check leaves it when it is confirmed.
create index verifications_in_vain on verifications (owner_id asc, bank_id asc, id asc) where link_id is not null and state <> 1;
