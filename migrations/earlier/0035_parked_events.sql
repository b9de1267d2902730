-- A follower that fails on an event again and again held up everything after it in its organization, for ever and with
-- nothing but warnings in the log. Such an event is now set aside here and the follower goes on; the log, a metric and the
-- doctor report it.
create table parked_events (
  org_id text collate "C" not null,
  follower text collate "C" not null,
  sequence bigint not null,
  event_id text collate "C" not null,
  error text not null,
  parked_at timestamptz not null default now(),
  constraint parked_events_pkey primary key (org_id, follower, sequence)
);
