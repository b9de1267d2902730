-- Who did what: append-only, and chained so that a row that was changed, removed or put in between shows.
--
-- Every entry carries a keyed hash over its own content and the hash of the one before it (src/accounts/audit.ts); the key
-- is derived from the installation's secret, so whoever can write to this table alone cannot forge the chain. The head says
-- how long the chain is and how it ends, so that cutting off its end shows, too. Its row is locked by whoever appends, so
-- entries of one organization are numbered without a gap.

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
  previous_hash text collate "C" not null,
  hash text collate "C" not null,
  constraint audit_entries_pkey primary key (org_id, sequence),
  constraint audit_entries_actor_type_known check (actor_type in ('user', 'key', 'agent', 'command'))
);

create index audit_entries_actor_idx on audit_entries (org_id, actor_id, sequence);
create index audit_entries_act_idx on audit_entries (org_id, act, sequence);
create index audit_entries_subject_idx on audit_entries (org_id, subject, sequence) where subject is not null;

create table audit_heads (
  org_id text collate "C" not null constraint audit_heads_pkey primary key,
  last_sequence bigint not null,
  last_hash text collate "C" not null
) with (fillfactor = 50);
