-- compatible_from: 3

-- A delivery is written once and changed once, mostly within milliseconds. Where its page has room for the
-- changed row, no index has to be told of it.
alter table webhook_deliveries set (fillfactor = 70);
