-- baseline

-- Events, append-only, written in the transaction of what they report.
--
-- Sequence numbers are gap-free per organization because they come from a counter row that is taken in the same
-- transaction as the event: undone together, committed together. The row is locked from that statement to the commit,
-- so events of one organization become visible in the order of their numbers, and a reader that remembers the last
-- number it saw can never miss one (docs/decisions/0008-event-sequence.md).
create table events (
  org_id text collate "C" not null,
  id text collate "C" not null,
  sequence bigint,
  type text collate "C" not null,
  -- The resource the event is about: deliveries that keep order keep it per subject.
  subject text collate "C" not null,
  is_test boolean not null default false,
  request_id text collate "C",
  -- The exact bytes that are signed, sent and served. Never parsed and written again.
  body text not null,
  created_at timestamptz not null,
  -- The trace of the API request that caused the event (W3C Trace Context), so that webhooks pass it on to their receivers. Not part
  -- of the body, which is signed and served as it is.
  traceparent text collate "C",
  -- When the payload was erased (src/webhooks/erasure/). The row stays, so that sequences have no gaps and deliveries keep their
  -- event; its body then holds the envelope alone.
  erased_at timestamptz,

  constraint events_pkey primary key (org_id, id)
) partition by range (id);
create index events_sequence_idx on events (org_id, sequence);
create index events_type_idx on events (org_id, type, sequence);
create index events_subject_idx on events (org_id, subject, sequence);
create index events_tests_idx on events (org_id, id) where is_test;

create table event_counters (
  org_id text collate "C" not null constraint event_counters_pkey primary key,
  last_sequence bigint not null,
  -- Fan-out happens in the statement that records an event. The counter says how far the events of the organization are fanned
  -- out, and which version of its subscriptions a writer has to know to do it on the way.
  followed_until bigint not null default 0,
  subscriptions_version bigint not null default 0
) with (fillfactor = 50);

-- Organizations with events that were recorded without fan-out. A table and not a column of the counters: an index over such a
-- column would be written with every event.
create table event_backlog (
  org_id text collate "C" not null constraint event_backlog_pkey primary key,
  -- Events before this moment are fanned out: their days need not be read.
  since timestamptz not null
) with (fillfactor = 50);

-- Events on which a follower failed again and again. They are set aside here so that the follower goes on with the next ones; the
-- log, a metric and the doctor report them.
create table parked_events (
  org_id text collate "C" not null,
  follower text collate "C" not null,
  sequence bigint not null,
  event_id text collate "C" not null,
  error text not null,
  parked_at timestamptz not null default now(),

  constraint parked_events_pkey primary key (org_id, follower, sequence)
);
