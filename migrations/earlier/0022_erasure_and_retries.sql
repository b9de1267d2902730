-- When what an event said was erased on somebody's wish (src/webhooks/event-erasure.ts). The row stays, so that sequences
-- have no gaps and deliveries keep their event; its body then holds the envelope alone. Null for nearly all, and without an
-- index: recording events and dealing them out cost what they did.

alter table events add column erased_at timestamptz;

-- An endpoint may want other waits between attempts for some events: {"order.*": [5, 30, 120]}. Null for none.

alter table webhook_endpoints add column retry_delays_by_event jsonb;
