-- compatible_from: 3

-- By which the checks of an account's links are counted that are open, or ended by telling something
-- and without a payment. Verifications of the API are not in it, and a check leaves it when it is
-- confirmed, or when its bank could not be heard or did not take the account's key.
create index verifications_in_vain on verifications (owner_id asc, bank_id asc, id asc) where link_id is not null and state in (0, 2, 3) and (error_code is null or error_code <> 'USER_BANCK_BAD_PASSWORD');
