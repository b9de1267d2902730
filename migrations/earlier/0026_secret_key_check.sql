-- What a database was sealed with, so that a start with another secret key is refused instead of making a second set of
-- secrets beside the first. Derived from the key by a purpose of its own: neither the key nor what it seals can be told from it.

create table secret_key_check (
  is_only boolean not null default true constraint secret_key_check_pkey primary key constraint secret_key_check_one check (is_only),
  value text collate "C" not null,
  since timestamptz not null default now()
);
