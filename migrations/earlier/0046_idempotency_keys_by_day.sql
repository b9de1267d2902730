-- Stored answers are partitioned by day. Each is kept for a day, so as many rows were deleted as inserted, one organization
-- after another in every process, and the dead ones lay in the table until a vacuum came by. A day is now dropped whole.
--
-- A key is unique for a day, which no constraint over partitions can say: requests exclude each other by an advisory lock on
-- the key, or by a row lock that every request of the operation takes, and look for a stored answer under it.

alter table idempotency_keys rename to idempotency_keys_before;
alter table idempotency_keys_before rename constraint idempotency_keys_pkey to idempotency_keys_before_pkey;
drop index idempotency_keys_created_at_idx;

create table idempotency_keys (
  like idempotency_keys_before,
  constraint idempotency_keys_pkey primary key (org_id, operation, key, created_at)
) partition by range (created_at);

-- The days around now; others follow with those of events.
do $$
declare
  today timestamp := date_trunc('day', now() at time zone 'UTC');
  day timestamp;
begin
  for day in select generate_series(today - interval '2 days', today + interval '1 day', interval '1 day') loop
    execute format('create table idempotency_keys_%s (like idempotency_keys including all)', to_char(day, 'YYYYMMDD'));
    execute format('alter table idempotency_keys attach partition idempotency_keys_%s for values from (%L) to (%L)',
      to_char(day, 'YYYYMMDD'), day at time zone 'UTC', (day + interval '1 day') at time zone 'UTC');
  end loop;
end $$;

insert into idempotency_keys (org_id, operation, key, fingerprint, status, body, location, request_id, created_at)
select org_id, operation, key, fingerprint, status, body, location, request_id, least(created_at, now())
from idempotency_keys_before where created_at > now() - interval '25 hours';

drop table idempotency_keys_before;
