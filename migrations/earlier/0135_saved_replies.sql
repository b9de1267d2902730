-- Texts that people send often, by a short name that they type after a slash.
create table saved_replies (
  org_id text collate "C" not null,
  id text collate "C" not null,
  shortcut text collate "C" not null,
  body text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint saved_replies_pkey primary key (org_id, id),
  constraint saved_replies_shortcut_key unique (org_id, shortcut)
);
