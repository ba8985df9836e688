-- compatible_from: 19

-- Who claimed a movement is found by the movement, which whoever asks the same is led to. An entry by its
-- fingerprint is for those verifications alone that are not surely found so: that found another's payment, that
-- were asked for few digits, or whose movement has another reference since. It lay in another place for each.
alter table verifications add column by_fingerprint boolean not null default false;

-- Of what was confirmed until now nobody has noted that a reference has changed. A call is known again for a day.
update verifications set by_fingerprint = true where state = 1
    and ended_at > (select max(asked_at) from verifications) - 86400000000;

create index verifications_by_fingerprint on verifications (owner_id asc, fingerprint asc, id asc) where by_fingerprint;
drop index verifications_fingerprint;
