-- Recoveries: jobs that send again, or for the first time, what an endpoint did not get over a stretch of time.
--
-- The row is the whole state of a recovery: how far it has come is written in the transaction that hands deliveries to
-- the outbox, so a process may die at any step and none is done twice or left out (see src/webhooks/recoveries.ts).

create table webhook_recoveries (
  org_id text collate "C" not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  mode text not null,
  -- By the time of the event: from the first, to before the second.
  since timestamptz not null,
  until timestamptz not null,
  -- Event names or wildcards; null for all.
  types text[],
  -- Of deliveries; null for all that the mode covers.
  statuses text[],

  status text not null default 'counting',
  -- Why it does not move at the moment, or why it ended early.
  reason text,
  -- The last id that was looked at, of an event or a delivery as the mode has it. Counting goes the same way first.
  position text collate "C" not null default '',
  total bigint not null default 0,
  done bigint not null default 0,
  -- By type of event: {"order.paid": {"total": 12, "done": 3}}.
  counts jsonb not null default '{}',
  created_at timestamptz not null,
  finished_at timestamptz,

  constraint webhook_recoveries_pkey primary key (org_id, id),
  constraint webhook_recoveries_endpoint_fkey foreign key (org_id, endpoint_id)
    references webhook_endpoints (org_id, id) on delete cascade,
  constraint webhook_recoveries_mode_known check (mode in ('failed', 'missing', 'held', 'all')),
  constraint webhook_recoveries_status_known check (status in ('counting', 'running', 'completed', 'cancelled')),
  constraint webhook_recoveries_window_whole check (since < until),
  constraint webhook_recoveries_finish_known check ((status in ('completed', 'cancelled')) = (finished_at is not null))
) with (fillfactor = 70);

create index webhook_recoveries_endpoint_idx on webhook_recoveries (org_id, endpoint_id, id);

-- One at a time for an endpoint: two would race for the same deliveries and share one cap.
create unique index webhook_recoveries_running_key on webhook_recoveries (org_id, endpoint_id)
  where finished_at is null;
