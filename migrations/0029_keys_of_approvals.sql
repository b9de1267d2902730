-- What waits for a person runs under the Idempotency-Key that the agent sent with it, so that the same request under the same key
-- gets what it answered afterwards, instead of being asked about and done a second time. Null where it came without one.

alter table approvals add column idempotency_key text collate "C";
