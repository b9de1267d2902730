-- What a simulated business account has besides messages and people: its templates, profiles, blocked people and QR codes.

create table simulator_objects (
  org_id text collate "C" not null,
  -- The number it belongs to; empty for what the whole account has.
  number_id text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  value jsonb not null,
  created_at timestamptz not null,
  constraint simulator_objects_pkey primary key (org_id, number_id, kind, id)
);
