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
  constraint webhook_certifications_report_whole
    check ((status = 'completed') = (report is not null) and (report is null) = (grade is null)),
  constraint webhook_certifications_end_known check ((status in ('completed', 'failed')) = (completed_at is not null))
);

create index webhook_certifications_endpoint_idx on webhook_certifications (org_id, endpoint_id, id);

-- One at a time for an endpoint: probes of two would disturb each other, above all their timing.
create unique index webhook_certifications_running_key on webhook_certifications (org_id, endpoint_id)
  where completed_at is null;
