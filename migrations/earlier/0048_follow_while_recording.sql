-- breaking: an older program would record events without following them and without a word about it.
--
-- Fan-out moves into the statement that records an event. The counter of an organization says how far its events are
-- followed, and which version of its subscriptions a writer has to know to follow them on the way. Organizations with
-- events that were recorded without being followed are listed in a table of their own: a column of the counters could
-- not be indexed without making every update of a counter touch its indexes.
alter table event_counters
  add column followed_until bigint not null default 0,
  add column subscriptions_version bigint not null default 0;

update event_counters counter set followed_until = follower.last_sequence
from event_followers follower
where follower.org_id = counter.org_id and follower.follower = 'webhooks.fan-out';

insert into event_counters (org_id, last_sequence) select distinct org_id, 0 from webhook_endpoints on conflict do nothing;
update event_counters set subscriptions_version = 1
where org_id in (select org_id from webhook_endpoints);

create table event_backlog (
  org_id text collate "C" not null constraint event_backlog_pkey primary key,
  -- Events before this moment are followed: their days need not be read.
  since timestamptz not null
) with (fillfactor = 50);

insert into event_backlog (org_id, since)
select org_id, '-infinity' from event_counters where followed_until < last_sequence;

drop table event_followers;
