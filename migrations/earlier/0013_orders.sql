-- Orders and the counter their human numbers come from.
--
-- Numbers have no gaps because the counter row is taken in the transaction that writes the order: undone together,
-- committed together. Whoever creates an order holds that row, so whether a reference is free can be asked without a race.
--
-- amount_paid and amount_returned are sums over the payments of the order, and payment_status is a function of them and
-- the total (src/orders/payment-status.ts); all three are written whenever a payment moves, in the same transaction.

create table order_counters (
  org_id text collate "C" not null constraint order_counters_pkey primary key,
  last_number bigint not null
) with (fillfactor = 50);

create table orders (
  org_id text collate "C" not null,
  id text collate "C" not null,
  number bigint not null,
  status text not null,
  -- Null only for drafts: nobody has said yet how it is to be paid.
  billing_type text,

  customer_name text,
  -- E.164.
  customer_phone text collate "C",
  contact_id text collate "C",
  chat_id text collate "C",

  -- Lines are never changed and never read without their order.
  items jsonb not null default '[]',
  subtotal bigint,
  discount bigint not null default 0,
  shipping bigint not null default 0,
  tax bigint not null default 0,
  -- Null is an open amount.
  total bigint,

  payment_status text not null,
  amount_paid bigint not null default 0,
  amount_returned bigint not null default 0,
  -- The newest attempt.
  payment_id text collate "C",

  -- Why a person should look at it; empty when nobody needs to.
  review_reasons text[] not null default '{}',
  review_since timestamptz,

  notify boolean not null default true,
  reference text collate "C",
  note text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint orders_pkey primary key (org_id, id),
  constraint orders_number_key unique (org_id, number),
  constraint orders_status_known
    check (status in ('draft', 'pending_payment', 'confirmed', 'processing', 'completed', 'cancelled', 'expired')),
  constraint orders_payment_status_known check (payment_status in
    ('unpaid', 'pending', 'partially_paid', 'paid', 'overpaid', 'partially_refunded', 'refunded')),
  constraint orders_billing_type_given check (billing_type is not null or status in ('draft', 'cancelled')),
  constraint orders_total_adds_up check (total is null or total = subtotal - discount + shipping + tax),
  constraint orders_sums_sane check (amount_returned between 0 and amount_paid)
) with (fillfactor = 85);

create unique index orders_reference_key on orders (org_id, reference) where reference is not null;
-- Filters by either status: a page is gathered from one short index range per pair of states.
create index orders_status_idx on orders (org_id, status, payment_status, id);
create index orders_phone_idx on orders (org_id, customer_phone, id) where customer_phone is not null;
create index orders_name_idx on orders (org_id, (lower(customer_name) collate "C"))
  where customer_name is not null;
create index orders_updated_idx on orders (org_id, updated_at);
create index orders_chat_idx on orders (org_id, chat_id, id) where chat_id is not null;
create index orders_review_idx on orders (org_id, id) where review_since is not null;
