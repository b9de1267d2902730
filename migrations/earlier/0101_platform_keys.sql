-- Keys of platforms: programs that create organizations and act for them, so that a shop can be set up without a person.
--
-- A platform key belongs to no organization. It acts for the organizations that it created, or for all. Its id stays when
-- its token is rotated, because organizations refer to it; the token before works on until old_expires_at.

create table platform_keys (
  id text collate "C" not null constraint platform_keys_pkey primary key,
  name text not null,
  key_prefix text not null,
  -- SHA-256 of the token.
  token_hash bytea not null constraint platform_keys_token_hash_key unique,
  old_token_hash bytea constraint platform_keys_old_token_hash_key unique,
  old_expires_at timestamptz,
  scopes text[] not null,
  is_for_all boolean not null,
  -- Requests per second and organization; null is the installation's default.
  rate_limit integer,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint platform_keys_name_check check (length(name) between 1 and 200),
  constraint platform_keys_rate_limit_check check (rate_limit > 0)
);

alter table organizations add column platform_key_id text collate "C";
create index organizations_platform_key_id_idx on organizations (platform_key_id, id) where platform_key_id is not null;
