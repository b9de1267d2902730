-- When and from where each key was last used. Apart from api_keys, which every node of a cluster holds a copy of and which is
-- therefore rarely written. The columns of api_keys stay for processes of an earlier version, and are no longer read.

create table api_key_uses (
  org_id text collate "C" not null,
  key_id text collate "C" not null,
  last_used_at timestamptz not null,
  last_used_from text not null,
  constraint api_key_uses_pkey primary key (org_id, key_id)
);

insert into api_key_uses (org_id, key_id, last_used_at, last_used_from)
select org_id, id, last_used_at, coalesce(last_used_from, '') from api_keys where last_used_at is not null;
