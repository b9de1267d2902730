-- The trace that an entry belongs to (W3C `traceparent`), so that the run of it, in another process and minutes later, continues the
-- trace of the request. Null unless traces are exported.

alter table outbox_entries add column traceparent text;
alter table outbox_later add column traceparent text;
