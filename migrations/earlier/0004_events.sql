-- What happened, append-only, written in the transaction that made it so; and who has read how far.
--
-- Sequence numbers are gap-free per organization because they come from a counter row that is taken in the same
-- transaction as the event: undone together, committed together. The row is locked from that statement to the commit,
-- so events of one organization become visible in the order of their numbers, and a reader that remembers the last
-- number it saw can never miss one (docs/decisions/0008-event-sequence.md).

create table event_counters (
  org_id text collate "C" not null constraint event_counters_pkey primary key,
  last_sequence bigint not null
) with (fillfactor = 50);

create table events (
  org_id text collate "C" not null,
  id text collate "C" not null,
  sequence bigint not null,
  type text collate "C" not null,
  -- The resource the event is about: deliveries that keep order keep it per subject.
  subject text collate "C" not null,
  is_test boolean not null default false,
  request_id text collate "C",
  -- The exact bytes that are signed, sent and served. Never parsed and written again.
  body text not null,
  created_at timestamptz not null,
  constraint events_pkey primary key (org_id, id)
) partition by range (id);

create index events_sequence_idx on events (org_id, sequence);
create index events_type_idx on events (org_id, type, sequence);
create index events_subject_idx on events (org_id, subject, sequence);
create index events_request_id_idx on events (org_id, request_id) where request_id is not null;

-- How far each follower (webhook fan-out, orders that follow payments, …) has come in each organization.
create table event_followers (
  org_id text collate "C" not null,
  follower text collate "C" not null,
  last_sequence bigint not null,
  constraint event_followers_pkey primary key (org_id, follower)
) with (fillfactor = 50);
