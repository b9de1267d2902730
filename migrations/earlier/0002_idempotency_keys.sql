-- The stored answer of every POST that carried an Idempotency-Key, written in the transaction of its effect:
-- a row is here if and only if the effect is. There is no "running" state to clean up after a crash.

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
  constraint idempotency_keys_pkey primary key (org_id, operation, key)
);

-- For the sweep, which forgets each organization's answers after a day.
create index idempotency_keys_created_at_idx on idempotency_keys (org_id, created_at);
