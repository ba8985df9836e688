-- compatible_from: 3

-- How many deliveries a job has to look at, as far as they are counted; null where nobody counts.
alter table webhook_redeliveries add column counted bigint;

-- The id of the delivery that was counted last; null where all are.
alter table webhook_redeliveries add column counted_to bytea;
