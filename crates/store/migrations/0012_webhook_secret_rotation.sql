-- compatible_from: 3

-- While an overlap runs: the secret of before, encrypted, and until when it is good. Both or neither.
alter table webhook_secrets add column previous bytea;

alter table webhook_secrets add column previous_until bigint;

create index webhook_secrets_over on webhook_secrets (previous_until asc, owner_id asc) where previous_until is not null;
