-- compatible_from: 3

-- What is told of: the word of `domain::webhooks::EventKind`. Of what was written before it was kept,
-- no more is known than that it was about a payment link.
alter table webhook_deliveries add column event text not null default 'payment_link';

-- SHA-256 of the body. Null for what was written before it was kept.
alter table webhook_deliveries add column digest bytea;

-- How far the schedule has come since it began, or began anew: not every attempt is a step.
alter table webhook_deliveries add column step bigint not null default 0;

update webhook_deliveries set step = attempts where state = 0;

-- The head of the request as it was sent, signature included, and where it went: the address that
-- was dialled, and whether the connection was there already.
alter table webhook_attempts add column sent text;

alter table webhook_attempts add column address text;

alter table webhook_attempts add column is_reused boolean;

-- How long each part of it took: `domain::webhooks::Phases`.
alter table webhook_attempts add column phases bytea;

-- The head of the answer, or the beginning of it.
alter table webhook_attempts add column heard bytea;
