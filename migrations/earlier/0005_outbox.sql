-- The outbox: unfinished outbound work (webhook deliveries, channel sends, payment calls, sweeps, recovery jobs) and the
-- lanes it travels in. What an entry and a lane can be, and what moves them, is told at the top of
-- src/platform/outbox/outbox.ts.
--
-- These are not tenant tables. They are never distributed, because a claim needs `for update skip locked`; so they have no
-- foreign key to tenant tables, and org_id is a plain column that only the tenant cap reads.
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

  -- The queue of lanes: ready ones by served_at, sleeping ones by wakes_at. `turn` counts served entries modulo 16.
  is_ready boolean not null default false,
  wakes_at timestamptz,
  served_at timestamptz not null default '-infinity',
  turn smallint not null default 0,
  created_at timestamptz not null default now(),

  constraint outbox_lanes_pkey primary key (id),
  constraint outbox_lanes_state_known check (state in ('open', 'paused', 'closed')),
  constraint outbox_lanes_breaker_known check (breaker in ('closed', 'open', 'half_open')),
  constraint outbox_lanes_ordering_known check (ordering in ('none', 'by_key')),
  constraint outbox_lanes_caps_positive check (concurrency_max >= 1 and bulk_concurrency_max >= 1 and slots >= 1),
  constraint outbox_lanes_in_flight_counted check (in_flight >= 0 and bulk_in_flight >= 0),
  constraint outbox_lanes_rate_positive check (rate_per_second > 0),
  -- The gap is kept by letting one entry of a key go at a time, which only an ordered lane does.
  constraint outbox_lanes_gap_ordered check (key_gap_ms = 0 or (key_gap_ms > 0 and ordering = 'by_key'))
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.1,
  vacuum_truncate = false
);

-- Lanes that can be served now, least recently served first. A full, paused or sleeping lane is not in this index, so a
-- claim never walks past tens of thousands of idle lanes or a thousand hanging ones.
create index outbox_lanes_ready_idx on outbox_lanes (served_at, id)
  where is_ready and state = 'open' and in_flight < slots;

create index outbox_lanes_sleeping_idx on outbox_lanes (wakes_at)
  where not is_ready and state = 'open' and wakes_at is not null;

-- What a tenant has in flight, summed over at most as many rows as its cap.
create index outbox_lanes_busy_idx on outbox_lanes (org_id) where in_flight > 0;

create index outbox_lanes_unwell_idx on outbox_lanes (id) where breaker <> 'closed';

create table outbox_entries (
  id text collate "C" not null,
  lane_id text collate "C" not null,
  org_id text collate "C" not null,
  job text not null,
  -- 0 fresh, 1 retry, 2 bulk
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

  constraint outbox_entries_pkey primary key (id),
  constraint outbox_entries_class_known check (class between 0 and 2),
  constraint outbox_entries_state_known check (state in ('waiting', 'behind', 'leased', 'held')),
  constraint outbox_entries_lease_whole check ((state = 'leased') = (lease_until is not null)),
  constraint outbox_entries_on_release_known check (on_release in ('cancel', 'hold')),
  -- Anything larger belongs in a table of the capability, with its id in here.
  constraint outbox_entries_payload_small check (pg_column_size(payload) <= 8192)
) with (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.1,
  vacuum_truncate = false
);

-- The claim: of a lane, of a class, the earliest due. Also walked lane by lane to find work nobody was told about.
create index outbox_entries_waiting_idx on outbox_entries (lane_id, class, due_at, id) where state = 'waiting';

-- Who is first of a key.
create index outbox_entries_keyed_idx on outbox_entries (lane_id, order_key, position, id) where order_key is not null;

-- In flight: a few thousand rows at most. The reaper reads all of it, so lease_until needs no index of its own and a
-- renewal can be a heap-only update.
create index outbox_entries_leased_idx on outbox_entries (lane_id, order_key) where state = 'leased';

-- Few, and only needed when a lane is listed, counted or emptied.
create index outbox_entries_held_idx on outbox_entries (lane_id, id) where state = 'held';

-- When a key of a lane may be served again, for lanes with a minimum gap per key. Swept when past.
create table outbox_key_gaps (
  lane_id text collate "C" not null,
  order_key text collate "C" not null,
  free_at timestamptz not null,
  constraint outbox_key_gaps_pkey primary key (lane_id, order_key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, vacuum_truncate = false);
