-- The log of an endpoint could be filtered by type only by fetching every delivery: with a million of them, half a second for a
-- type that is rare, and more for one that there is none of. The indexes of the log now end in what is filtered by, so that
-- deliveries of other types and in other states are passed over within the index instead of being fetched. No index is added
-- for it, as every delivery would write it: these take the place of two others.
--
-- Tests are few, and have an index of their own, which nothing else writes.
--
-- Deliveries wait while the indexes are built: on two busy processors 11 s for a million of them.

create index webhook_deliveries_log_idx on webhook_deliveries (org_id, endpoint_id, id, type);
create index webhook_deliveries_unfinished_idx on webhook_deliveries (org_id, endpoint_id, id, status, type)
  where status <> 'succeeded';
create index webhook_deliveries_tests_idx on webhook_deliveries (org_id, id) where is_test;

drop index webhook_deliveries_endpoint_idx;
drop index webhook_deliveries_undelivered_idx;
