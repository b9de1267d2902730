-- baseline

-- Broadcasts: one template to many people who agreed to such messages.
create table broadcasts (
  org_id text collate "C" not null,
  id text collate "C" not null,
  name text not null,
  number_id text collate "C" not null,
  template jsonb not null,
  -- Null for a list of recipients.
  label text,
  status text not null,
  paused_reason text,
  per_minute integer not null,
  daily_max integer,
  unit_price bigint,
  send_at timestamptz,
  created_by jsonb not null,
  created_at timestamptz not null,
  started_at timestamptz,
  -- When a person started or resumed it last: trouble that was reported before does not pause it again.
  resumed_at timestamptz,
  ended_at timestamptz,

  constraint broadcasts_pkey primary key (org_id, id),
  constraint broadcasts_status_known check (status in ('draft', 'running', 'paused', 'completed', 'cancelled'))
);

create table broadcast_recipients (
  org_id text collate "C" not null,
  broadcast_id text collate "C" not null,
  -- The contact, or the phone of a person without one. A person is in a broadcast once.
  person text collate "C" not null,
  position integer not null,
  number_id text collate "C" not null,
  contact_id text collate "C",
  chat_id text collate "C",
  phone text,
  variables jsonb,
  opt_in_source text,
  opt_in_at timestamptz,
  status text not null,
  reason text,
  message_id text collate "C",
  sent_at timestamptz,

  constraint broadcast_recipients_pkey primary key (org_id, broadcast_id, person),
  constraint broadcast_recipients_status_known check (status in ('pending', 'sent', 'skipped', 'cancelled'))
);
create unique index broadcast_recipients_position_idx on broadcast_recipients (org_id, broadcast_id, position);
create index broadcast_recipients_pending_idx on broadcast_recipients (org_id, broadcast_id, position) where status = 'pending';
create index broadcast_recipients_sent_idx on broadcast_recipients (org_id, number_id, sent_at) where status = 'sent';
