-- baseline

-- Erasing a customer is a job of several steps. Its row is the report, and holds how far it is, so that it resumes after a crash.
create table contact_erasures (
  org_id text collate "C" not null,
  id text collate "C" not null,
  contact_id text collate "C" not null,
  status text not null,
  -- What the steps look for: ids, phones and names. Null once all of it is erased.
  person jsonb,
  step text,
  counts jsonb not null default '{}',
  created_at timestamptz not null,
  completed_at timestamptz,

  constraint contact_erasures_pkey primary key (org_id, id),
  constraint contact_erasures_status_known check (status in ('running', 'completed'))
);
create index contact_erasures_contact_id_idx on contact_erasures (org_id, contact_id);
