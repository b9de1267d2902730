-- breaking
-- How far a message got changes several times; what it says does not. Each change wrote the whole row again, with an entry in
-- all its indexes, the one for the search included. The changing part now has a row of its own, which is small, keeps room for
-- its next versions on the same page and changes no index when a message is delivered or read. The row of the message is written
-- once.
--
-- A message that waits to be sent has no state yet: it is queued, or scheduled when it has a time, since it was created.
--
-- Copying took 15 s for 200,000 messages on two busy cores, during which messages wait.

create table message_states (
  org_id text collate "C" not null,
  message_id text collate "C" not null,
  number_id text collate "C" not null,
  provider_id text collate "C",
  status text collate "C" not null,
  error jsonb,
  -- [{"status", "at"}], oldest first.
  status_history jsonb not null,
  -- The chat in which an inbound message counts as unread; null once it is read.
  unread_chat_id text collate "C",

  -- Sending. The lease whose run last ended with the certainty that nothing was accepted; any other gap between it and
  -- the current lease means that a call may have been made. And since when the outcome of a call is unknown.
  settled_lease integer not null default 0,
  unknown_since timestamptz,
  -- Sent again after an unknown outcome, which happens once at most.
  is_resent boolean not null default false,

  constraint message_states_status_known check
    (status in ('scheduled', 'queued', 'sent', 'delivered', 'read', 'failed', 'received'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

insert into message_states (org_id, message_id, number_id, provider_id, status, error, status_history, unread_chat_id,
  settled_lease, unknown_since, is_resent)
select org_id, id, number_id, provider_id, status, error, status_history, case when is_unread then chat_id end,
  settled_lease, unknown_since, is_resent
from messages
where direction = 'inbound' or provider_id is not null or settled_lease <> 0 or unknown_since is not null or is_resent
  or status not in ('queued', 'scheduled') or jsonb_array_length(status_history) <> 1;

alter table message_states add constraint message_states_pkey primary key (org_id, message_id);
create unique index message_states_provider_id_key on message_states (org_id, number_id, provider_id)
  with (deduplicate_items = off) where provider_id is not null;
-- For counting again and for marking as read: empty most of the time.
create index message_states_unread_idx on message_states (org_id, unread_chat_id, message_id) where unread_chat_id is not null;

alter table messages
  drop column provider_id,
  drop column status,
  drop column error,
  drop column status_history,
  drop column is_unread,
  drop column settled_lease,
  drop column unknown_since,
  drop column is_resent;

-- New words wait in a list until it is full, and whoever fills it puts them into the index. With 4 MB that held up a batch of
-- messages for 270 ms; with 1 MB for 90 ms, at a tenth more WAL. Without a list, inserts took twice the time and WAL.
alter index messages_words_idx set (gin_pending_list_limit = 1024);
