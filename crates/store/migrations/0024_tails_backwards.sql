-- compatible_from: 24

-- What candidates are found by has its last digit first, so that a shorter ending is a range of the index. Such a
-- range has digits at both of its ends, which every collation orders alike.
drop index movements_tail;
update movements set tail = substr(tail, 6, 1) || substr(tail, 5, 1) || substr(tail, 4, 1)
    || substr(tail, 3, 1) || substr(tail, 2, 1) || substr(tail, 1, 1);
create index movements_tail on movements (owner_id asc, identity_id asc, tail asc, reference asc);
