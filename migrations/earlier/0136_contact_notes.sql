-- What a team writes down about a customer. It stands in the chats of the customer and is never sent.
create table contact_notes (
  org_id text collate "C" not null,
  id text collate "C" not null,
  contact_id text collate "C" not null,
  body text not null,
  author jsonb not null,
  created_at timestamptz not null,
  constraint contact_notes_pkey primary key (org_id, id)
);
create index contact_notes_contact_idx on contact_notes (org_id, contact_id, id desc);

-- A name that the team gave stays when the customer reports another one.
alter table contacts add column is_name_given boolean not null default false;
