-- baseline

-- Webhook endpoints, their secrets, what is owed to them and every attempt to deliver it.
--
-- A delivery is one event owed to one endpoint. The id of a delivery is computed from the ids of both (see
-- src/webhooks/deliveries/delivery-entry.ts), so the primary key alone guarantees one delivery per event and endpoint, a delivery is
-- found without an index on (event, endpoint), and all deliveries of an event lie side by side. It begins with the
-- event's own time, so a delivery lives in the partition of the day its event happened.
--
-- Unfinished work is not here but in the outbox, under the delivery's id; a delivery row is written when it is owed and
-- after each attempt, never in between. What rests while an endpoint is paused or disabled has a row (`held`) and no
-- outbox entry, so the hot table does not grow with abandoned endpoints.
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
  -- What is being done with the backlog, step by step (see src/webhooks/deliveries/backlog.ts).
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
  -- Other delays between attempts for some events: {"order.*": [5, 30, 120]}. Null for none.
  retry_delays_by_event jsonb,
  -- A change of `ordering` is applied to waiting deliveries step by step, because there may be hundreds of thousands. This is the
  -- delivery after which it goes on: empty for the beginning, null when there is nothing to do. Not a value of `settling`,
  -- because an endpoint may be paused and resumed meanwhile.
  reordered_until text collate "C",
  -- How requests to an endpoint look: `standard`, or `whatsapp_cloud`. The latter may be limited to one business number, and has the
  -- token that its handshake carries, sealed.
  format text not null default 'standard',
  number_id text collate "C",
  sealed_verify_token text,
  -- As what it was registered by the routes of Meta's Cloud API, such as `app 1234`: registering it again changes this endpoint.
  subscription text collate "C",
  -- The numbers of a business account whose callback this is, where it has several and the organization has others too.
  -- Null for every other endpoint.
  number_ids text[] collate "C",
  -- Limits the endpoint to events whose payload has certain values: dotted paths with the values they may have.
  payload_filter jsonb,

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
create unique index webhook_endpoints_subscription on webhook_endpoints (org_id, subscription)
  where subscription is not null and deleted_at is null;

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
  sequence bigint,
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
  constraint webhook_deliveries_status_known check (status in ('pending', 'succeeded', 'failed', 'held', 'cancelled', 'skipped'))
) partition by range (id);

-- For endpoints that are paused and resumed: without it, held deliveries would be searched among all unfinished ones. Nothing is
-- held while deliveries flow, so the index costs nothing then.
create index webhook_deliveries_held_idx on webhook_deliveries (org_id, endpoint_id, id) where status = 'held';

-- The indexes of the log end with what it is filtered by, so that deliveries of other types and states are skipped within the
-- index instead of being fetched. Tests are few and have their own.
create index webhook_deliveries_log_idx on webhook_deliveries (org_id, endpoint_id, id, type);
create index webhook_deliveries_unfinished_idx on webhook_deliveries (org_id, endpoint_id, id, status, type)
  where status <> 'succeeded';
create index webhook_deliveries_tests_idx on webhook_deliveries (org_id, id) where is_test;

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

-- Recoveries: jobs that send again, or for the first time, what an endpoint did not get over a stretch of time.
--
-- The row is the whole state of a recovery: how far it has come is written in the transaction that hands deliveries to
-- the outbox, so a process may die at any step and none is done twice or left out (see src/webhooks/recovery/).
create table webhook_recoveries (
  org_id text collate "C" not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  mode text not null,
  -- By the time of the event: from the first, to before the second.
  since timestamptz not null,
  until timestamptz not null,
  -- Event names or wildcards; null for all.
  types text[],
  -- Of deliveries; null for all that the mode covers.
  statuses text[],

  status text not null default 'counting',
  -- Why it does not move at the moment, or why it ended early.
  reason text,
  -- The last id that was looked at, of an event or a delivery as the mode has it. Counting goes the same way first.
  position text collate "C" not null default '',
  total bigint not null default 0,
  done bigint not null default 0,
  -- By type of event: {"order.paid": {"total": 12, "done": 3}}.
  counts jsonb not null default '{}',
  created_at timestamptz not null,
  finished_at timestamptz,
  -- Whether events from before the endpoint was created are sent, too.
  include_before_creation boolean not null default false,

  constraint webhook_recoveries_pkey primary key (org_id, id),
  constraint webhook_recoveries_endpoint_fkey foreign key (org_id, endpoint_id)
    references webhook_endpoints (org_id, id) on delete cascade,
  constraint webhook_recoveries_mode_known check (mode in ('failed', 'missing', 'held', 'all')),
  constraint webhook_recoveries_status_known check (status in ('counting', 'running', 'completed', 'cancelled')),
  constraint webhook_recoveries_window_whole check (since < until),
  constraint webhook_recoveries_finish_known check ((status in ('completed', 'cancelled')) = (finished_at is not null))
) with (fillfactor = 70);
create index webhook_recoveries_endpoint_idx on webhook_recoveries (org_id, endpoint_id, id);

-- One at a time for an endpoint: two would race for the same deliveries and share one cap.
create unique index webhook_recoveries_running_key on webhook_recoveries (org_id, endpoint_id)
  where finished_at is null;

-- Certifications: graded trials of the receiver behind an endpoint. The probes are never recorded as events or deliveries;
-- the report is all that stays of them.
create table webhook_certifications (
  org_id text collate "C" not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  status text not null default 'pending',
  grade text,
  -- json, not jsonb: kept as written and read as a whole, and it holds excerpts of what the receiver answered.
  report json,
  -- Why there is no report.
  failure text,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,

  constraint webhook_certifications_pkey primary key (org_id, id),
  constraint webhook_certifications_endpoint_fkey foreign key (org_id, endpoint_id)
    references webhook_endpoints (org_id, id) on delete cascade,
  constraint webhook_certifications_status_known check (status in ('pending', 'running', 'completed', 'failed')),
  constraint webhook_certifications_grade_known check (grade in ('A', 'B', 'C', 'D', 'F')),
  constraint webhook_certifications_report_whole check ((status = 'completed') = (report is not null) and (report is null) = (grade is null)),
  constraint webhook_certifications_end_known check ((status in ('completed', 'failed')) = (completed_at is not null))
);
create index webhook_certifications_endpoint_idx on webhook_certifications (org_id, endpoint_id, id);

-- One at a time for an endpoint: probes of two would disturb each other, above all their timing.
create unique index webhook_certifications_running_key on webhook_certifications (org_id, endpoint_id)
  where completed_at is null;
