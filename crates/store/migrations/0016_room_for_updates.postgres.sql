-- compatible_from: 3

-- A delivery is changed by its first attempt, mostly within milliseconds. Where its page has room for the
-- changed row, no index has to be told of that.
alter table webhook_deliveries set (fillfactor = 70);
