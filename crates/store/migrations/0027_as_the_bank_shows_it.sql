-- compatible_from: 25

-- References are compared by their significant digits, which `reference` has. How many zeros the bank
-- shows before them, and what it writes beside a movement, is kept for people and their programs.
alter table movements add column reference_zeros bigint not null default 0;
alter table movements add column description text not null default '';
