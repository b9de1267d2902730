-- Filters that a person saved under a name, for each page of the console.
create table saved_views (
  org_id text collate "C" not null,
  person_id text collate "C" not null,
  page text collate "C" not null,
  views jsonb not null,
  updated_at timestamptz not null,
  constraint saved_views_pkey primary key (org_id, person_id, page)
);
