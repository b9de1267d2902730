-- What an endpoint holds lies among everything else it did not get: what failed, what waits, what was skipped. Finding it in
-- there read all of that, for every look at the endpoint and for every step of its resumption. Only endpoints that rest hold
-- anything, so this index costs nothing while deliveries flow.

create index webhook_deliveries_held_idx on webhook_deliveries (org_id, endpoint_id, id) where status = 'held';
