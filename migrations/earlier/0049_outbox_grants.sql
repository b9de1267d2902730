-- breaking: an older program would count slots that are granted as free.
--
-- A process may hold slots of a lane for a while (a grant): what it records for that lane is stored as leased by it and
-- handed to its own workers after the commit, without a claim and without a write to the lane's row.
alter table outbox_lanes
  add column granted integer not null default 0,
  -- Of `rate_per_second`: the part that goes with the slots.
  add column granted_rate double precision not null default 0,
  add constraint outbox_lanes_granted_counted check (granted >= 0);

-- Leased under a grant: counts there and not in the lane's `in_flight`.
alter table outbox_entries add column is_granted boolean not null default false;

create table outbox_grants (
  org_id text collate "C" not null,
  lane_id text collate "C" not null,
  process_id text collate "C" not null,
  slots integer not null,
  rate double precision,
  until timestamptz not null,
  constraint outbox_grants_pkey primary key (lane_id, process_id),
  constraint outbox_grants_slots_positive check (slots > 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, vacuum_truncate = false);

drop index outbox_lanes_ready_idx;
create index outbox_lanes_ready_idx on outbox_lanes (served_at, id)
  where is_ready and state = 'open' and in_flight + granted < slots;

drop index outbox_lanes_busy_idx;
create index outbox_lanes_busy_idx on outbox_lanes (org_id) where in_flight + granted > 0;
