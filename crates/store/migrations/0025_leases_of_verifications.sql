-- compatible_from: 25

-- Until when whoever carries an open verification has it; null once it has its end. It was a row of `due`, which
-- each verification made and took away again.
alter table verifications add column lease_until bigint;
update verifications set lease_until = coalesce((select d.due_at from due d where d.owner_id = verifications.owner_id
    and d.kind = 1 and d.subject_id = verifications.id), deadline) where state = 0;
delete from due where kind = 1;
