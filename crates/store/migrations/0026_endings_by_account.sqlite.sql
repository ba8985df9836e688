-- compatible_from: 25

-- An account is of one owner, so that its id is enough to begin with. The entries of this index lie by chance, one in
-- each page that a charge writes, and shorter ones make a smaller tree.
drop index movements_tail;
create index movements_tail on movements (identity_id asc, tail asc, reference asc);
