-- breaking
-- Carts become draft orders by a job that is enqueued with the message, no longer by a follower that reads every event of
-- every organization. Carts that the follower has not reached are enqueued here, and its positions are removed.
-- Older processes would create the same drafts a second time, so they refuse to start on this schema.

insert into outbox_lanes
  (id, org_id, kind, concurrency_max, bulk_concurrency_max, is_adaptive, concurrency, slots, ordering, has_breaker)
select org_id || ':carts', org_id, 'carts', 8, 2, false, 8, 8, 'by_key', false
from event_counters;

insert into outbox_entries (id, lane_id, org_id, job, payload)
select 'job' || substr(event.subject, 4), event.org_id || ':carts', event.org_id, 'orders.draft_from_cart',
  jsonb_build_object('message', event.subject)
from event_counters counter
left join event_followers follower on follower.org_id = counter.org_id and follower.follower = 'orders.carts'
join events event on event.org_id = counter.org_id and event.sequence > coalesce(follower.last_sequence, 0)
where event.type = 'message.received' and not event.is_test and event.body like '%"type":"order"%';

delete from event_followers where follower = 'orders.carts';
