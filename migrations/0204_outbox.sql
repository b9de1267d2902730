-- baseline

-- The outbox: unfinished outbound work (webhook deliveries, channel sends, payment calls, sweeps, recovery jobs) and the
-- lanes it travels in. The states of entries and lanes, and what changes them, are described at the top of
-- src/platform/outbox/outbox.ts.
--
-- Work is claimed per organization (docs/decisions/0019-work-is-claimed-per-organization.md), so that in a cluster the entries and
-- lanes of an organization are on its shard.
--
-- An entry lives for seconds and is written three times (insert, lease, delete), so both tables are tuned for churn:
-- free space on every page, vacuum after one per cent of change instead of twenty, and no truncation of the file, which
-- would need an exclusive lock just to grow again a moment later.
create table outbox_lanes (
  id text collate "C" not null,
  org_id text collate "C" not null,
  kind text not null,
  state text not null default 'open',
  state_reason text,

  -- Caps. `concurrency` is the adaptive limit below concurrency_max; `slots` is what the claim enforces: the adaptive
  -- limit, or one probe at a time while the breaker is not closed.
  concurrency_max integer not null,
  bulk_concurrency_max integer not null,
  is_adaptive boolean not null,
  concurrency integer not null,
  slots integer not null,
  in_flight integer not null default 0,
  bulk_in_flight integer not null default 0,

  -- Order and pace. A null rate is unlimited; null tokens are a full bucket.
  ordering text not null,
  key_gap_ms integer not null default 0,
  rate_per_second double precision,
  rate_tokens double precision,
  rate_at timestamptz,
  throttled_at timestamptz,

  -- Health. The json is written and read by lane-health.ts alone.
  has_breaker boolean not null,
  breaker text not null default 'closed',
  health jsonb not null default '{}',
  blocked_until timestamptz,
  blocked_reason text,
  served_at timestamptz not null default '-infinity',
  turn smallint not null default 0,
  created_at timestamptz not null default now(),
  -- Bulkheads: work that hangs must not take the slots of work that does not.
  --
  -- `pool` is the kind of work a lane does. Each pool has slots of its own per organization and per process, so that
  -- webhooks that hang delay no message and no payment. `destination` is the receiver a lane calls, where several
  -- organizations may call the same one: the host of a webhook's URL, the provider of a payment account. `answered_at` is when
  -- the other side last answered well: of an organization's slots, lanes that do not answer keep at most half.
  pool text not null default 'messages',
  destination text,
  answered_at timestamptz,
  -- A process may hold slots of a lane for a while (a grant): what it records for that lane is stored as leased by it and
  -- handed to its own workers after the commit, without a claim and without a write to the lane's row.
  granted integer not null default 0,
  -- Of `rate_per_second`: the part that goes with the slots.
  granted_rate double precision not null default 0,

  constraint outbox_lanes_state_known check (state in ('open', 'paused', 'closed')),
  constraint outbox_lanes_breaker_known check (breaker in ('closed', 'open', 'half_open')),
  constraint outbox_lanes_ordering_known check (ordering in ('none', 'by_key')),
  constraint outbox_lanes_caps_positive check (concurrency_max >= 1 and bulk_concurrency_max >= 1 and slots >= 1),
  constraint outbox_lanes_in_flight_counted check (in_flight >= 0 and bulk_in_flight >= 0),
  constraint outbox_lanes_rate_positive check (rate_per_second > 0),
  -- The gap is kept by letting one entry of a key go at a time, which only an ordered lane does.
  constraint outbox_lanes_gap_ordered check (key_gap_ms = 0 or (key_gap_ms > 0 and ordering = 'by_key')),
  constraint outbox_lanes_pool_known check (pool in ('webhooks', 'messages', 'payments')),
  constraint outbox_lanes_granted_counted check (granted >= 0),
  constraint outbox_lanes_pkey primary key (org_id, id)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.1,
  vacuum_truncate = false
);
create index outbox_lanes_busy_idx on outbox_lanes (org_id) where in_flight + granted > 0;
create index outbox_lanes_unwell_idx on outbox_lanes (org_id, id) where breaker <> 'closed';

create table outbox_entries (
  id text collate "C" not null,
  lane_id text collate "C" not null,
  org_id text collate "C" not null,
  job text not null,
  -- 0 fresh, 1 retry, 2 bulk.
  class smallint not null default 0,
  state text not null default 'waiting',
  order_key text collate "C",
  position bigint not null default 0,
  due_at timestamptz not null default now(),
  enqueued_at timestamptz not null default now(),
  attempt integer not null default 0,
  -- With the id, the fence: it rises with every claim, and an acknowledgement must bring the current one.
  lease_number integer not null default 0,
  lease_until timestamptz,
  leased_by text,
  on_release text,
  reason text,
  payload jsonb not null default '{}',
  -- Leased under a grant: counts there and not in the lane's `in_flight`.
  is_granted boolean not null default false,
  -- The trace that an entry belongs to (W3C `traceparent`), so that the run of it, in another process and minutes later, continues the
  -- trace of the request. Null unless traces are exported.
  traceparent text,

  constraint outbox_entries_class_known check (class between 0 and 2),
  constraint outbox_entries_state_known check (state in ('waiting', 'behind', 'leased', 'held')),
  constraint outbox_entries_lease_whole check ((state = 'leased') = (lease_until is not null)),
  constraint outbox_entries_on_release_known check (on_release in ('cancel', 'hold')),
  -- Anything larger belongs in a table of the capability, with its id in here.
  constraint outbox_entries_payload_small check (pg_column_size(payload) <= 8192),
  constraint outbox_entries_pkey primary key (org_id, id)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.1,
  vacuum_truncate = false
);
-- These keys end with an id, so no two are equal: the search for equal ones before a page splits would find nothing.
create index outbox_entries_waiting_idx on outbox_entries (org_id, lane_id, class, due_at, id)
  with (deduplicate_items = off) where state = 'waiting';
create index outbox_entries_keyed_idx on outbox_entries (org_id, lane_id, order_key, position, id)
  with (deduplicate_items = off) where order_key is not null;
create index outbox_entries_leased_idx on outbox_entries (org_id, lane_id, order_key) where state = 'leased';
create index outbox_entries_held_idx on outbox_entries (org_id, lane_id, id) where state = 'held';

-- Work for a far moment, kept out of the table that every claim and every vacuum goes through: an order that is not paid
-- has a watch for the day its payment expires, and a shop with many such orders has many of them. An entry that waits for
-- longer than some minutes is put aside here, and comes back in time.
create table outbox_later (
  org_id text collate "C" not null,
  id text collate "C" not null,
  lane_id text collate "C" not null,
  job text not null,
  class smallint not null,
  order_key text collate "C",
  position bigint not null,
  due_at timestamptz not null,
  enqueued_at timestamptz not null,
  attempt integer not null,
  lease_number integer not null,
  reason text,
  payload jsonb not null,
  traceparent text,

  constraint outbox_later_pkey primary key (org_id, id)
);
create index outbox_later_lane_idx on outbox_later (org_id, lane_id, due_at);

-- Of all organizations: what comes back next. Not unique, so that every shard can have its own.
create index outbox_later_due_idx on outbox_later (due_at);

-- When a key of a lane may be served again, for lanes with a minimum gap per key. Swept when past.
create table outbox_key_gaps (
  lane_id text collate "C" not null,
  order_key text collate "C" not null,
  free_at timestamptz not null,
  org_id text collate "C" not null,

  constraint outbox_key_gaps_pkey primary key (org_id, lane_id, order_key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, vacuum_truncate = false);

-- Slots of a lane that a process holds for a while: see `granted` above.
create table outbox_grants (
  org_id text collate "C" not null,
  lane_id text collate "C" not null,
  process_id text collate "C" not null,
  slots integer not null,
  rate double precision,
  until timestamptz not null,

  constraint outbox_grants_slots_positive check (slots > 0),
  constraint outbox_grants_pkey primary key (org_id, lane_id, process_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, vacuum_truncate = false);
