-- What an endpoint was registered as in Meta's way, such as `app 1234`: registering it again changes the endpoint that is there.
alter table webhook_endpoints add column subscription text collate "C";
create unique index webhook_endpoints_subscription on webhook_endpoints (org_id, subscription)
  where subscription is not null and deleted_at is null;
