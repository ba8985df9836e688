-- compatible_from: 21

-- Who an owner is, apart from its credits: those are written by every charge, so their rows lie close together.
create table owner_profiles (
    owner_id bytea not null,
    email text not null,
    name text not null,
    password_hash text not null,
    is_active boolean not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (owner_id),
    foreign key (owner_id) references owners (owner_id)
);
insert into owner_profiles
    select owner_id, email, name, password_hash, is_active, created_at, updated_at from owners;

alter table owners
    drop column email,
    drop column name,
    drop column password_hash,
    drop column is_active,
    drop column created_at,
    drop column updated_at;
