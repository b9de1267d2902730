-- Payment links: a page that anyone with the link can pay on, without an order before. The order is created when a payer goes on
-- to pay. A link without an amount lets the payer choose one, between amount_min and amount_max.

create table payment_links (
  org_id text collate "C" not null,
  id text collate "C" not null,
  title text not null,
  description text,
  amount bigint,
  amount_min bigint,
  amount_max bigint,
  single_use boolean not null,
  -- Null for all methods that the page can offer.
  methods jsonb,
  expires_at timestamptz,
  active boolean not null,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint payment_links_pkey primary key (org_id, id),
  constraint payment_links_amount_sane check (amount > 0)
);

alter table orders add column payment_link_id text collate "C";

create index orders_payment_link_idx on orders (org_id, payment_link_id, id) where payment_link_id is not null;
