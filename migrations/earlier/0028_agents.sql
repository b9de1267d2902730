-- breaking: an older program would take the token of an agent for a plain key and do all that its scopes allow.
--
-- AI agents, what they are allowed, what they did lately, and what waits for a person's decision.
--
-- An agent calls with a key of its own, which is found, counted and revoked like any other; what the key may do beyond its
-- scopes is decided by the agent (src/agents/agent-gate.ts).

alter table api_keys add column agent_id text collate "C";
create index api_keys_agent_idx on api_keys (org_id, agent_id) where agent_id is not null;

create table agents (
  org_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  purpose text,
  -- Who answers for it, as they were called then; null when it was made by a command.
  owner_id text collate "C",
  owner_name text,
  owner_email text,
  scopes text[] not null,
  -- Empty lists and null are no limit.
  reach_numbers text[] not null default '{}',
  reach_labels text[] not null default '{}',
  reach_days integer,
  hides_phones boolean not null default false,
  messages_per_minute integer,
  recipients_per_day integer,
  order_amount bigint,
  order_amount_per_day bigint,
  -- What was decided otherwise than by default: operation → { decision, ask_above }.
  rules jsonb not null default '{}',
  is_anchored boolean not null default true,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  paused_at timestamptz,
  ended_at timestamptz,
  constraint agents_pkey primary key (org_id, id),
  constraint agents_name_check check (length(name) between 1 and 200),
  constraint agents_reach_days_check check (reach_days > 0),
  constraint agents_limits_check check (messages_per_minute > 0 and recipients_per_day > 0 and order_amount > 0 and order_amount_per_day > 0)
);

-- What an agent did freely within the last day, for its limits. Taken back when nothing came of it.
create table agent_acts (
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  request_id text collate "C" not null,
  at timestamptz not null,
  is_message boolean not null,
  -- Whom it was to: a chat where there is one, else what the request named.
  recipient text collate "C",
  amount bigint not null default 0,
  constraint agent_acts_pkey primary key (org_id, agent_id, request_id)
);
create index agent_acts_time_idx on agent_acts (org_id, agent_id, at);

-- Which conversations a session of an agent has read. Two are as good as many.
create table agent_sessions (
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  session text collate "C" not null,
  chat_ids text[] not null,
  seen_at timestamptz not null,
  constraint agent_sessions_pkey primary key (org_id, agent_id, session)
);

create table approvals (
  org_id text collate "C" not null,
  id text collate "C" not null,
  agent_id text collate "C" not null,
  agent_name text not null,
  operation text collate "C" not null,
  -- The request to the letter: this is what runs, and nothing else.
  path text not null,
  query text not null,
  body text,
  request_hash text collate "C" not null,
  -- Under which it runs, where the agent sent one: the same request under the same key then gets what it answered.
  idempotency_key text collate "C",
  -- The values of the path by name, for whoever looks at it.
  params jsonb not null,
  amount bigint,
  chat_id text collate "C",
  order_id text collate "C",
  reason text not null,
  status text collate "C" not null,
  request_id text collate "C" not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by_type text,
  decided_by_id text collate "C",
  decided_by_name text,
  note text,
  result_status integer,
  result_body text,
  constraint approvals_pkey primary key (org_id, id),
  constraint approvals_status_known check (status in ('pending', 'approved', 'refused', 'expired', 'done', 'failed'))
);
create unique index approvals_pending_key on approvals (org_id, agent_id, request_hash) where status = 'pending';
create index approvals_status_idx on approvals (org_id, status, id);
create index approvals_agent_idx on approvals (org_id, agent_id, id);
