-- baseline

-- What the platform keeps for all capabilities: the check of the secret key, live processes, stored answers of idempotent requests,
-- the request log and summaries of past hours.

-- A value derived from the secret key. A start with another key is refused, because it could not open what the first one
-- encrypted. Neither the key nor what it encrypts can be derived from the value.
create table secret_key_check (
  is_only boolean not null default true constraint secret_key_check_pkey primary key constraint secret_key_check_one check (is_only),
  value text collate "C" not null,
  since timestamptz not null default now()
);

-- The processes that serve at this moment: rate limits are divided among the live ones.
create table processes (
  id text collate "C" not null constraint processes_pkey primary key,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  -- Commands print addresses that are pasted at Meta and at payment providers, and links for people. They run in a shell that may
  -- know neither the port nor the domain of the server, so each server writes here how it is reached.
  public_url text,
  -- A process that runs outbox work holds an advisory lock on its listening connection. PostgreSQL drops the lock with the
  -- connection, so its absence shows within seconds that the process is gone, without a comparison of clocks.
  -- A process without `has_lock` is judged by `seen_at` alone. `lost_at` is when the lock was first found missing; the next sign
  -- of life clears it.
  has_lock boolean not null default false,
  lost_at timestamptz,
  -- Where a serving process listens, so that commands on the same machine find it, with any port. Written once the port is open.
  address text
);

-- The stored answer of every POST with an Idempotency-Key, written in the transaction of its effect: a row is here if and only if
-- the effect is. There is no "running" state to clean up after a crash.
--
-- A key is unique for a day, which no constraint over partitions can express: requests exclude each other by an advisory lock on
-- the key, or by a row lock that every request of the operation takes, and look for a stored answer under it.
create table idempotency_keys (
  org_id text collate "C" not null,
  operation text collate "C" not null,
  key text collate "C" not null,
  -- SHA-256 of operation, path parameters, query and canonical body.
  fingerprint text collate "C" not null,
  status smallint not null,
  body text not null,
  location text,
  request_id text collate "C" not null,
  created_at timestamptz not null,

  constraint idempotency_keys_pkey primary key (org_id, operation, key, created_at)
) partition by range (created_at);

-- Summaries of hours that are over, so that charts of a month need not read the month again
-- (src/platform/database/hourly-summaries.ts). Rows are written when a chart is read, never by the hot paths, and can be deleted
-- at any time.
create table hourly_summaries (
  org_id text collate "C" not null,
  kind text collate "C" not null,
  hour timestamptz not null,
  summary jsonb not null,
  -- An hour that may still change is read again after a while.
  read_at timestamptz not null,

  constraint hourly_summaries_pkey primary key (org_id, kind, hour)
);

-- The request log (src/request-logs/). A row is a batch: up to 500 calls of one organization that began in the same 1,024 ms, in
-- no order. What calls have in common (caller, route, outcome, program) is stored once. Per call, PostgreSQL 18, all of one kind:
--
--   a row per call         4.6 µs   297 bytes on disk
--   batches of 500 calls   0.4 µs    49 bytes
--   batches of 10 calls    0.7 µs    92 bytes
--   batches of one call    4.7 µs   466 bytes
--
-- The price is that PostgreSQL cannot filter calls by their fields: it skips batches in which a value does not occur, and the
-- server filters the others.
--
-- Partitioned by day over the id, whose beginning is the time: a look-up by id or by time touches one day, and old days
-- are dropped whole. The partitions are created by the server, at its start and every hour.
--
-- Calls that belong to no known organization (no key, an unknown key, no such route) have org_id 'org_none', and no organization
-- can see them.
--
-- To read it by hand:
-- select call_id, kinds::json -> (calls::json -> 'figures' ->> (3 * number - 3)::int)::int as kind, calls::json -> 'own' -> call_id
-- from request_logs, json_array_elements_text(calls::json -> 'ids') with ordinality as each_call (call_id, number)
-- where org_id = '…' order by 1 desc limit 20;
create table request_logs (
  org_id text collate "C" not null,
  -- Of the newest call in the batch.
  id text collate "C" not null,
  call_count integer not null,
  -- Calls that were answered with 400 or above.
  error_count integer not null,
  -- A JSON array of objects: what calls of this batch have in common.
  kinds text not null,
  -- JSON: {"ids": […], "figures": […], "own": {…}}. Three figures per call, in the order of the ids: its kind (an index into
  -- kinds), its duration in microseconds, the bytes of the answer. Under its id in own is what it shares with no other.
  calls text not null,
  -- A JSON object from the id of a call to its bodies: of writes and of errors, masked first, then cut to 8 KiB.
  bodies text,

  constraint request_logs_pkey primary key (org_id, id)
) partition by range (id);

-- Compressed, batches of 500 calls take 28 bytes per call instead of 49, and 1.2 µs instead of 0.4.
alter table request_logs alter column calls set storage external;
create index request_logs_errors_idx on request_logs (org_id, id) where error_count > 0;
