-- baseline

-- AI agents, what they are allowed, what they did lately, and what waits for a person's decision.
create table agents (
  org_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  purpose text,
  -- Who is responsible for it, by the name of that time; null when it was created by a command.
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
  -- Where it differs from the default: operation → { decision, ask_above }.
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

-- Which agents connected by themselves: as which program, and with whose consent. The names are those of that time.
create table agent_connections (
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  person_id text collate "C" not null,
  client_id text collate "C" not null,
  client_name text not null,
  client_host text not null,
  person_name text not null,
  connected_at timestamptz not null,
  ended_at timestamptz,

  constraint agent_connections_pkey primary key (org_id, agent_id)
);

-- The same program of the same person is the same agent, until that is ended.
create unique index agent_connections_living_key on agent_connections (org_id, person_id, client_id) where ended_at is null;

-- Which conversations a session of an agent has read. Two are as good as many.
create table agent_sessions (
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  session text collate "C" not null,
  chat_ids text[] not null,
  seen_at timestamptz not null,

  constraint agent_sessions_pkey primary key (org_id, agent_id, session)
);

-- What an agent did without approval within the last day, for its limits. Removed when the request failed.
create table agent_acts (
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  request_id text collate "C" not null,
  at timestamptz not null,
  is_message boolean not null,
  -- The recipient: a chat where there is one, else what the request named.
  recipient text collate "C",
  amount bigint not null default 0,

  constraint agent_acts_pkey primary key (org_id, agent_id, request_id)
);
create index agent_acts_time_idx on agent_acts (org_id, agent_id, at);

create table approvals (
  org_id text collate "C" not null,
  id text collate "C" not null,
  agent_id text collate "C" not null,
  agent_name text not null,
  operation text collate "C" not null,
  -- The exact request: this is what runs, and nothing else.
  path text not null,
  query text not null,
  body text,
  request_hash text collate "C" not null,
  -- Under which it runs, where the agent sent one: the same request under the same key then gets what it answered.
  idempotency_key text collate "C",
  -- The values of the path by name, to be shown.
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
create index approvals_created_idx on approvals (created_at);
