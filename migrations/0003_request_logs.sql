-- What each API call looked like, kept for a while (src/request-logs/).
--
-- Partitioned by day over the id, whose beginning is the time: a look-up by id or by time touches one day, and old days
-- are dropped whole. The partitions are made by the server, at start and every hour.
--
-- A row is written for every request, so it must be cheap: no foreign keys, no checks, and few indexes. Measured per row,
-- PostgreSQL 18, batches of 2,000: 4.6 µs with the primary key alone, and 4 to 5 µs more for each further index over all
-- rows. Errors are few and looked for most, hence the one partial index; other filters read in the order of the primary
-- key until the page is full or their time is up. There is no column for the time, which the id tells to the
-- millisecond: reading one in would cost another 0.8 µs.
--
-- Calls that belong to no known organization (no key, an unknown key, no such route) stand under org_id 'org_none', and
-- no organization can see them.

create table request_logs (
  org_id text collate "C" not null,
  id text collate "C" not null,
  -- A key, an agent or a person. Also set when the credential was refused but is known: see auth_result.
  caller_type text,
  caller_id text collate "C",
  -- 'ok', 'none' when nothing was asked for, else why the credential was refused.
  auth_result text not null,
  method text not null,
  -- The operation id; null when no route matched.
  route text,
  -- The path as called is base_path followed by path. Masked like everything a caller can put a secret into.
  base_path text not null,
  path text not null,
  query text,
  status smallint not null,
  error_code text,
  error_detail text,
  duration_us integer not null,
  address text not null,
  user_agent text,
  client_request_id text,
  request_bytes integer not null,
  response_bytes integer not null,
  idempotency_key text,
  is_replayed boolean not null,
  -- Bodies of writes and of errors: masked first, then cut to 8 KiB.
  request_body text,
  is_request_body_cut boolean not null,
  response_body text,
  is_response_body_cut boolean not null,
  constraint request_logs_pkey primary key (org_id, id)
) partition by range (id);

create index request_logs_errors_idx on request_logs (org_id, id) where status >= 400;
