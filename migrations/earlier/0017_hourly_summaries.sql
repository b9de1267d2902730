-- What was found out about an hour that is over, so that charts of a month need not read a month again
-- (src/platform/database/hourly-summaries.ts). Rows are made when somebody looks, never by the hot paths, and can be thrown
-- away at any time.

create table hourly_summaries (
  org_id text collate "C" not null,
  kind text collate "C" not null,
  hour timestamptz not null,
  summary jsonb not null,
  -- An hour that may still change is read again after a while.
  read_at timestamptz not null,
  constraint hourly_summaries_pkey primary key (org_id, kind, hour)
);
