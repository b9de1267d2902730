-- Work for a far moment, kept out of the table that every claim and every vacuum goes through: an order that is not paid
-- has a watch for the day its payment expires, and a shop with many such orders has many of them. An entry that waits for
-- longer than some minutes is put aside here, and comes back in time.
create table outbox_later (
  org_id text collate "C" not null,
  id text collate "C" not null,
  lane_id text collate "C" not null,
  job text not null,
  class smallint not null,
  order_key text collate "C",
  position bigint not null,
  due_at timestamptz not null,
  enqueued_at timestamptz not null,
  attempt integer not null,
  lease_number integer not null,
  reason text,
  payload jsonb not null,
  constraint outbox_later_pkey primary key (org_id, id)
);

create index outbox_later_lane_idx on outbox_later (org_id, lane_id, due_at);

-- Of all organizations: what comes back next. Not unique, so that every shard can have its own.
create index outbox_later_due_idx on outbox_later (due_at);
