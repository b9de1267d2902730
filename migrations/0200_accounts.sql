-- baseline

-- Organizations (tenants), their API keys, and the audit log.
--
-- Ids are made by us and compared as bytes, hence collate "C" on every id column: they sort by creation time.
-- organizations, api_keys, platform_keys and account_revisions are small look-up tables. In a cluster every node has a copy of
-- them, which is why api_keys may have a unique index that does not begin with org_id.
create table organizations (
  id text collate "C" not null constraint organizations_pkey primary key,
  slug text not null constraint organizations_slug_key unique,
  name text not null,
  default_country text not null default 'ID',
  currency text not null default 'IDR',
  timezone text not null default 'Asia/Jakarta',
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The sign-in library expects them; unused by us.
  logo text,
  metadata text,
  -- The sandbox of an organization: an organization with its own data, for tests, with the people of the live one. An organization
  -- has at most one.
  sandbox_of text collate "C",
  platform_key_id text collate "C",
  -- A platform or an operator suspends an organization: its keys and agents are refused until it is resumed. What arrives for it
  -- is still recorded, so that no payment and no message is lost.
  suspended_at timestamptz,
  suspended_reason text,

  constraint organizations_slug_check check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  constraint organizations_name_check check (length(name) between 1 and 200),
  constraint organizations_sandbox_of_key unique (sandbox_of),
  constraint organizations_sandbox_of_fkey foreign key (sandbox_of) references organizations (id),
  constraint organizations_sandbox_of_check check (sandbox_of <> id)
);
create index organizations_platform_key_id_idx on organizations (platform_key_id, id) where platform_key_id is not null;

-- One row for each organization, from its creation on. In a cluster the row lies on the shard of the organization: an insert that selects
-- from it runs there as a whole, without copies on other nodes and without two-phase commit (src/platform/database/organization-filter.ts).
-- One PostgreSQL does not read it.
create table organization_homes (
  org_id text collate "C" not null,

  constraint organization_homes_pkey primary key (org_id)
);

-- One logo per organization. The settings of the organization hold its hash, so that pages need not look here.
create table organization_logos (
  org_id text collate "C" not null,
  content_type text not null,
  hash text not null,
  bytes bytea not null,
  created_at timestamptz not null,

  constraint organization_logos_pkey primary key (org_id)
);

-- One row. Every change to an organization or a key adds one to it in the same transaction; a process whose copy of
-- the number is current knows that its cached keys are current, too, even when notifications were lost.
create table account_revisions (
  is_only_row boolean not null default true constraint account_revisions_pkey primary key,
  revision bigint not null,

  constraint account_revisions_one_row_check check (is_only_row)
);
insert into account_revisions (revision) values (1);

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
  -- An agent calls with its own key. What the key may do within its scopes is decided by the agent (src/agents/gate/).
  agent_id text collate "C",

  constraint api_keys_pkey primary key (org_id, id),
  constraint api_keys_token_hash_key unique (token_hash),
  constraint api_keys_name_check check (length(name) between 1 and 200),
  constraint api_keys_rate_limit_check check (rate_limit > 0)
);
create index api_keys_agent_idx on api_keys (org_id, agent_id) where agent_id is not null;

-- When and from where each key was last used. Apart from api_keys, which every node of a cluster holds a copy of and which is
-- therefore rarely written. The columns of api_keys stay for processes of an earlier version, and are no longer read.
create table api_key_uses (
  org_id text collate "C" not null,
  key_id text collate "C" not null,
  last_used_at timestamptz not null,
  last_used_from text not null,

  constraint api_key_uses_pkey primary key (org_id, key_id)
);

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

-- Filters that a person saved under a name, for each page of the console.
create table saved_views (
  org_id text collate "C" not null,
  person_id text collate "C" not null,
  page text collate "C" not null,
  views jsonb not null,
  updated_at timestamptz not null,

  constraint saved_views_pkey primary key (org_id, person_id, page)
);

-- The audit log, append-only. Every entry carries a keyed hash over its own content (mac). A background task, the linker, adds
-- the hashes that chain each entry to the one before, so that a row that was changed, removed or inserted shows. The key is
-- derived from the installation's secret: write access to these tables is not enough to forge an entry.
--
-- The head of an organization says how many entries there are, how far they are chained, and with which hash, so that removing
-- the last ones shows, too. Entries are numbered without gaps, because their number comes from the head in the same transaction.
create table audit_heads (
  org_id text collate "C" not null constraint audit_heads_pkey primary key,
  last_sequence bigint not null,
  linked_hash text collate "C" not null,
  -- The last entry that is in the chain; linked_hash is its hash.
  linked_sequence bigint not null default 0,
  -- Stays true while entries are added, so that the row of a busy organization leaves its indexes alone.
  has_unlinked boolean not null default false
) with (fillfactor = 50);
create index audit_heads_unlinked_idx on audit_heads (org_id) where has_unlinked;

create table audit_entries (
  org_id text collate "C" not null,
  sequence bigint not null,
  at timestamptz not null,
  actor_type text not null,
  actor_id text not null,
  -- As they were called then.
  actor_name text,
  -- The operation id.
  act text collate "C" not null,
  -- The id of what it was done to.
  subject text collate "C",
  request_id text collate "C",
  address text,
  previous_hash text collate "C",
  hash text collate "C",
  -- Null for entries of earlier versions: their hash covers them.
  mac text collate "C",

  constraint audit_entries_pkey primary key (org_id, sequence),
  constraint audit_entries_actor_type_known check (actor_type in ('user', 'key', 'agent', 'command'))
) with (fillfactor = 50);

-- The log is read by time, and each filter has an index that continues with the time. The index of actors ends with the act, so
-- that the acts of one kind are found within it.
create index audit_entries_at_idx on audit_entries (org_id, at, sequence);
create index audit_entries_actor_at_idx on audit_entries (org_id, actor_id, at, sequence, act);
create index audit_entries_act_at_idx on audit_entries (org_id, act, at, sequence);
create index audit_entries_subject_at_idx on audit_entries (org_id, subject, at, sequence) where subject is not null;

-- Without its last entries and with an older head, the log would be a shorter chain in which every hash is right. A checkpoint is
-- a signed statement of how long the log was and how it ended. The key is derived from the installation's secret, so that write
-- access to the database is not enough to sign a shorter one. Each organization has only the newest: it covers all entries before.
create table audit_checkpoints (
  org_id text collate "C" not null constraint audit_checkpoints_pkey primary key,
  -- Of the last entry that it covers.
  sequence bigint not null,
  hash text collate "C" not null,
  at timestamptz not null,
  signature text collate "C" not null
);
