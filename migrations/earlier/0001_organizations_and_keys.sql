-- Organizations (tenants), their API keys, and the processes that serve them.
--
-- Ids are made by us and compared as bytes, hence collate "C" on every id column: they sort by creation time.
-- organizations, api_keys and account_revisions are the small look-up tables that every node needs whole; when tenant
-- tables are one day spread over shards, these are replicated. That is why api_keys may have a unique index that
-- does not begin with org_id.

create table organizations (
  id text collate "C" not null constraint organizations_pkey primary key,
  slug text not null constraint organizations_slug_key unique,
  name text not null,
  default_country text not null default 'ID',
  currency text not null default 'IDR',
  timezone text not null default 'Asia/Jakarta',
  settings jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint organizations_slug_check check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  constraint organizations_name_check check (length(name) between 1 and 200)
);

create table api_keys (
  org_id text collate "C" not null constraint api_keys_org_id_fkey references organizations (id),
  id text collate "C" not null,
  name text not null,
  key_prefix text not null,
  -- SHA-256 of the whole token. The token itself is shown once and kept nowhere.
  token_hash bytea not null,
  scopes text[] not null,
  allowed_ips text[] not null default '{}',
  -- Requests per second; null is the installation's default, and is_rate_limited = false is no limit at all.
  rate_limit integer,
  is_rate_limited boolean not null default true,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- The successor made by a rotation; the old key lives on until expires_at.
  rotated_to text collate "C",
  last_used_at timestamptz,
  last_used_from text,
  constraint api_keys_pkey primary key (org_id, id),
  constraint api_keys_token_hash_key unique (token_hash),
  constraint api_keys_name_check check (length(name) between 1 and 200),
  constraint api_keys_rate_limit_check check (rate_limit > 0)
);

-- One row. Every change to an organization or a key adds one to it in the same transaction; a process whose copy of
-- the number is current knows that its cached keys are, too, even when notifications were lost.
create table account_revisions (
  is_only_row boolean not null default true constraint account_revisions_pkey primary key,
  revision bigint not null,
  constraint account_revisions_one_row_check check (is_only_row)
);
insert into account_revisions (revision) values (1);

-- Who is serving right now: rate limits are shared out among the live ones.
create table processes (
  id text collate "C" not null constraint processes_pkey primary key,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);
