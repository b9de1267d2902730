-- Webhook endpoints, their secrets, what is owed to them and every attempt to deliver it.
--
-- A delivery is one event owed to one endpoint. The id of a delivery is computed from the ids of both (see
-- src/webhooks/delivery-id.ts), so the primary key alone guarantees one delivery per event and endpoint, a delivery is
-- found without an index on (event, endpoint), and all deliveries of an event lie side by side. It begins with the
-- event's own time, so a delivery lives in the partition of the day its event happened.
--
-- Unfinished work is not here but in the outbox, under the delivery's id; a delivery row is written when it is owed and
-- after each attempt, never in between. What rests while an endpoint is paused or disabled has a row (`held`) and no
-- outbox entry, so the hot table does not grow with endpoints nobody comes back to.

create table webhook_endpoints (
  org_id text collate "C" not null constraint webhook_endpoints_org_id_fkey references organizations (id),
  id text collate "C" not null,
  url text not null,
  description text,
  -- Exact names, `order.*`, or `*`.
  events text[] not null,

  state text not null default 'enabled',
  state_changed_at timestamptz not null,
  disabled_reason text,
  -- While true, what is owed is recorded as held and nothing is enqueued.
  is_holding boolean not null default false,
  -- What is being done with the backlog, step by step (see src/webhooks/backlog.ts).
  settling text,
  -- Resumed "from now" here: what has this sequence or a lower one is not sent.
  skipped_until bigint,

  payload text not null,
  ordering text not null,
  max_per_second double precision,
  timeout_ms integer not null,
  -- Null is the standard schedule.
  retry_delays_seconds integer[],
  signing text not null,
  -- JSON, sealed: custom headers carry credentials of the receiver, TLS material a private key.
  sealed_headers text,
  sealed_tls text,

  -- Events with a higher sequence are owed.
  subscribed_after bigint not null,
  -- The event that was sent to try the URL, when the endpoint was made or its URL changed.
  ping_event_id text collate "C",
  -- Since when its breaker has been open, and the hours of failure its owner was last warned at.
  degraded_at timestamptz,
  warned_hours integer not null default 0,

  -- Rises with every change that matters to sending; caches compare it.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The row stays, so that deliveries of a deleted endpoint can still be read.
  deleted_at timestamptz,

  constraint webhook_endpoints_pkey primary key (org_id, id),
  constraint webhook_endpoints_state_known check (state in ('enabled', 'paused', 'disabled')),
  constraint webhook_endpoints_reason_given check ((state = 'disabled') = (disabled_reason is not null)),
  constraint webhook_endpoints_settling_known check (settling in ('release', 'skip', 'cancel')),
  constraint webhook_endpoints_payload_known check (payload in ('full', 'thin')),
  constraint webhook_endpoints_ordering_known check (ordering in ('none', 'by_key', 'strict')),
  constraint webhook_endpoints_signing_known check (signing in ('v1', 'v1a', 'both')),
  constraint webhook_endpoints_rate_positive check (max_per_second > 0),
  constraint webhook_endpoints_timeout_bounded check (timeout_ms between 5000 and 30000),
  constraint webhook_endpoints_url_bounded check (length(url) <= 2048)
);

-- Newest version first is the order of signing. A version that was replaced lives on until expires_at.
create table webhook_secrets (
  org_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  version integer not null,
  sealed_secret text not null,
  -- The last four characters, to tell one secret from another.
  secret_hint text not null,
  -- Only for endpoints that want asymmetric signatures.
  sealed_private_key text,
  public_key text,
  created_at timestamptz not null,
  expires_at timestamptz,
  constraint webhook_secrets_pkey primary key (org_id, endpoint_id, version),
  constraint webhook_secrets_endpoint_fkey foreign key (org_id, endpoint_id)
    references webhook_endpoints (org_id, id) on delete cascade,
  constraint webhook_secrets_pair_whole check ((sealed_private_key is null) = (public_key is null))
);

create table webhook_deliveries (
  org_id text collate "C" not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  type text collate "C" not null,
  subject text collate "C" not null,
  sequence bigint not null,
  is_test boolean not null,
  -- Fixed when it becomes owed: the bytes of all its attempts are the same, whatever the endpoint is changed to.
  is_thin boolean not null,
  status text collate "C" not null,
  reason text,
  attempts integer not null default 0,
  last_response_status integer,
  last_error_class text,
  created_at timestamptz not null,
  first_attempt_at timestamptz,
  next_attempt_at timestamptz,
  completed_at timestamptz,
  constraint webhook_deliveries_pkey primary key (org_id, id),
  constraint webhook_deliveries_status_known
    check (status in ('pending', 'succeeded', 'failed', 'held', 'cancelled', 'skipped'))
) partition by range (id);

-- The log of one endpoint, newest first.
create index webhook_deliveries_endpoint_idx on webhook_deliveries (org_id, endpoint_id, id);

-- What an endpoint did not get: failed ones to recover, held ones to let go, pending ones to cancel. Few among many, and
-- looked for by every one of those.
create index webhook_deliveries_undelivered_idx on webhook_deliveries (org_id, endpoint_id, id)
  where status <> 'succeeded';

create table webhook_attempts (
  org_id text collate "C" not null,
  delivery_id text collate "C" not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  number integer not null,
  trigger text not null,
  outcome text not null,
  url text not null,
  ip text,
  http_version text,
  -- json, not jsonb: kept as written, never searched, and jsonb refuses some characters a hostile receiver may send.
  request_headers json not null,
  request_bytes integer not null,
  body_sha256 text not null,
  started_at timestamptz not null,
  dns_ms real,
  connect_ms real,
  tls_ms real,
  ttfb_ms real,
  total_ms real not null,
  throttled_ms integer not null,
  response_status integer,
  response_headers json,
  response_body text,
  is_response_base64 boolean not null,
  is_response_truncated boolean not null,
  error_class text,
  error_detail text,
  retry_after_ms integer,
  next_attempt_at timestamptz,
  worker_id text not null,
  lease_number integer not null,
  -- Attempts are only ever read by delivery, so one index serves as key and for reading.
  constraint webhook_attempts_pkey primary key (org_id, delivery_id, id),
  constraint webhook_attempts_trigger_known check (trigger in ('auto', 'manual', 'recover', 'test', 'probe')),
  constraint webhook_attempts_outcome_known check (outcome in ('succeeded', 'failed'))
) partition by range (id);
