-- What the network reports about numbers, accounts and templates.

-- Reports that were recorded as events: one that is posted again is recorded once.
create table channel_reports (
  org_id text collate "C" not null,
  number_id text collate "C" not null,
  hash text collate "C" not null,
  reported_at timestamptz not null,
  constraint channel_reports_pkey primary key (org_id, number_id, hash)
);

create index channel_reports_age_idx on channel_reports (reported_at);

-- The last report of each kind about the number: {"account_update": {"event", "detail", "is_trouble", "at"}}.
alter table channel_numbers add column reports jsonb not null default '{}';

-- Endpoints in Meta's format that take all events of the format take these too.
update webhook_endpoints
set events = events || '{number.reported,number.restricted,number.updated,template.updated}'
where format = 'whatsapp_cloud' and not events && '{number.reported,number.restricted,number.updated,template.updated}'
  and events @> '{message.received,message.edited,message.deleted,message.sent,message.delivered,message.read,message.played,message.failed}';
