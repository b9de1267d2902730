-- breaking: an older program would go on writing to the table that is dropped here.
--
-- Attempts of a burst were stored as batch rows: one text for up to 24 attempts, what they share once and everything else
-- column by column. Plain rows written by COPY reach nine tenths of the rate, so the format is not worth its code
-- (docs/decisions/0018-attempts-are-plain-rows.md). What is stored in it becomes plain rows.
--
-- Day by day. A day of attempts that retention has dropped takes no rows any more: its batch rows go with it. jsonb has
-- no \u0000, so an answer that held it gets the replacement character.
do $$
declare
  day regclass;
begin
  for day in select inhrelid::regclass from pg_inherits where inhparent = 'webhook_attempt_sheets'::regclass loop
    begin
      execute format($carry$
        with sheets as materialized (
          select org_id, replace(attempts, '\u0000', '\ufffd')::jsonb as sheet from %s
        ),
        positions as (
          select org_id, sheet, generate_series(0, greatest(1, jsonb_array_length(coalesce(
            sheet -> 'each' -> 'id', sheet -> 'each' -> 'delivery_id', '[0]'))) - 1) as position
          from sheets
        ),
        plain as (
          select org_id, coalesce((
              select jsonb_object_agg(key, value) from (
                select key, value from jsonb_each(sheet -> 'headers' -> 'same')
                union all
                select key, value -> position from jsonb_each(sheet -> 'headers' -> 'each')
              ) header where jsonb_typeof(value) = 'string'), '{}') as headers, (
            select jsonb_object_agg(key, value) from (
              select key, value from jsonb_each(sheet -> 'same')
              union all
              select key, value -> position from jsonb_each(sheet -> 'each')
            ) field) as attempt
          from positions
        )
        insert into webhook_attempts (org_id, delivery_id, id, endpoint_id, event_id, number, trigger, outcome, url, ip,
          http_version, request_headers, request_bytes, body_sha256, started_at, dns_ms, connect_ms, tls_ms, ttfb_ms,
          total_ms, throttled_ms, response_status, response_headers, response_body, is_response_base64,
          is_response_truncated, error_class, error_detail, retry_after_ms, next_attempt_at, worker_id, lease_number)
        select org_id, attempt ->> 'delivery_id', attempt ->> 'id', attempt ->> 'endpoint_id', attempt ->> 'event_id',
          (attempt ->> 'number')::int, attempt ->> 'trigger', attempt ->> 'outcome', attempt ->> 'url', attempt ->> 'ip',
          attempt ->> 'http_version', headers::json, (attempt ->> 'request_bytes')::int, attempt ->> 'body_sha256',
          to_timestamp((attempt ->> 'started_at')::numeric / 1000), (attempt ->> 'dns_ms')::real,
          (attempt ->> 'connect_ms')::real, (attempt ->> 'tls_ms')::real, (attempt ->> 'ttfb_ms')::real,
          (attempt ->> 'total_ms')::real, (attempt ->> 'throttled_ms')::int, (attempt ->> 'response_status')::int,
          nullif(attempt -> 'response_headers', 'null')::json, attempt ->> 'response_body',
          (attempt ->> 'is_response_base64')::boolean, (attempt ->> 'is_response_truncated')::boolean,
          attempt ->> 'error_class', attempt ->> 'error_detail', (attempt ->> 'retry_after_ms')::int,
          to_timestamp((attempt ->> 'next_attempt_at')::numeric / 1000), attempt ->> 'worker_id',
          (attempt ->> 'lease_number')::int
        from plain
        on conflict do nothing
      $carry$, day);
    exception when check_violation then
      raise notice 'attempts of % are past their retention', day;
    end;
  end loop;
end $$;

drop table webhook_attempt_sheets;
alter table webhook_deliveries drop column sheet_id;
