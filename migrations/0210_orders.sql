-- baseline

-- Orders and the counter their human numbers come from.
--
-- Numbers have no gaps because the counter row is taken in the transaction that writes the order: undone together,
-- committed together. That row is locked while an order is created, so whether a reference is free can be read without a race.
--
-- amount_paid and amount_returned are sums over the payments of the order, and payment_status is a function of them and
-- the total (src/orders/settlement/); all three are written whenever a payment changes, in the same transaction.
create table order_counters (
  org_id text collate "C" not null constraint order_counters_pkey primary key,
  last_number bigint not null
) with (fillfactor = 50);

create table orders (
  org_id text collate "C" not null,
  id text collate "C" not null,
  number bigint not null,
  status text not null,
  -- Null only for drafts: how they are to be paid is not decided yet.
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

  -- Why a person should review it; empty when there is no need.
  review_reasons text[] not null default '{}',
  review_since timestamptz,

  notify boolean not null default true,
  reference text collate "C",
  note text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When `order.paid` was recorded, which happens once: it is the sign to send the goods.
  paid_told_at timestamptz,
  -- The settlement of an order is decided once and stored with it (src/orders/settlement/), so that the API, events, the chat and
  -- the pay page cannot contradict each other. accepted_at is when a person accepted less than the total.
  amount_remaining bigint,
  accepted_at timestamptz,
  -- An order that lets the payer choose the method (billing_type `choice`) has no attempt until the payer has chosen, so it holds
  -- its deadline and, if the shop restricts the choice, the methods to choose from. Both are null for every other order.
  choice_methods jsonb,
  choice_expires_at timestamptz,
  -- How an order reaches its customer, and until when it is to be paid.
  --
  -- delivery is one value that is read and written with its order: its state (src/orders/settlement/orders.states.ts), address, courier
  -- and tracking. due_at is the date of an invoice, unlike the expiry of one payment. overdue_at is when it had passed unpaid;
  -- a later due date clears it.
  delivery jsonb,
  due_at timestamptz,
  overdue_at timestamptz,
  -- The part of an order's total that is tax contained in its prices. It is not added to the total.
  tax_included bigint not null default 0,
  payment_link_id text collate "C",
  unique_amount bigint not null default 0,

  constraint orders_pkey primary key (org_id, id),
  constraint orders_number_key unique (org_id, number),
  constraint orders_status_known check (status in ('draft', 'pending_payment', 'confirmed', 'processing', 'completed', 'cancelled', 'expired')),
  constraint orders_billing_type_given check (billing_type is not null or status in ('draft', 'cancelled')),
  constraint orders_sums_sane check (amount_returned between 0 and amount_paid),
  constraint orders_payment_status_known check (payment_status in
    ('unpaid', 'pending', 'partially_paid', 'paid', 'overpaid', 'partially_refunded', 'refunded', 'reversed')),
  constraint orders_remaining_sane check (amount_remaining >= 0 and (amount_remaining is null) = (total is null)),
  constraint orders_total_adds_up check (total is null or total = subtotal - discount + shipping + tax + unique_amount)
) with (fillfactor = 85);
create unique index orders_reference_key on orders (org_id, reference) where reference is not null;

-- Filters by either status: a page is gathered from one short index range per pair of states.
create index orders_status_idx on orders (org_id, status, payment_status, id);
create index orders_phone_idx on orders (org_id, customer_phone, id) where customer_phone is not null;
create index orders_name_idx on orders (org_id, (lower(customer_name) collate "C"))
  where customer_name is not null;
create index orders_updated_idx on orders (org_id, updated_at);
create index orders_review_idx on orders (org_id, id) where review_since is not null;

-- For all orders of a chat and for its open ones: one index, so that a new order writes one entry.
create index orders_chat_idx on orders (org_id, chat_id, status, id) where chat_id is not null;
create index orders_payment_link_idx on orders (org_id, payment_link_id, id) where payment_link_id is not null;

-- What customers were notified of in the chat about their orders: each thing once. A row is written in the transaction that queues
-- the message, so a notice is neither lost nor repeated. A row without a message was skipped for good: notices were
-- switched off, or there was no number to send it from.
create table order_notices (
  org_id text collate "C" not null,
  order_id text collate "C" not null,
  kind text not null,
  -- Which attempt, refund or sum it was about; empty for what is sent once per order.
  subject text collate "C" not null,
  message_id text collate "C",
  told_at timestamptz not null,

  constraint order_notices_pkey primary key (org_id, order_id, kind, subject)
);

-- Receipts and invoices of orders.
--
-- A document gets its number when it is first asked for. The counter is locked until the commit that uses the number, so numbers
-- have no gaps within an organization and a kind. What a document says is read from the order each time.
create table order_document_counters (
  org_id text collate "C" not null,
  kind text not null,
  last_number bigint not null,

  constraint order_document_counters_pkey primary key (org_id, kind)
);

create table order_documents (
  org_id text collate "C" not null,
  id text collate "C" not null,
  kind text not null,
  number bigint not null,
  order_id text collate "C" not null,
  issued_at timestamptz not null,

  constraint order_documents_pkey primary key (org_id, id),
  constraint order_documents_number_key unique (org_id, kind, number),
  constraint order_documents_order_key unique (org_id, order_id, kind),
  constraint order_documents_kind_known check (kind in ('receipt', 'invoice'))
);

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

-- Lines of bank statements: money that arrived on the shop's own account. A person or a key confirms which order a line pays.
create table statement_lines (
  org_id text collate "C" not null,
  id text collate "C" not null,
  day date not null,
  amount bigint not null,
  description text not null,
  status text not null,
  -- Of day, amount, description and the count of equal lines in the file, so that a file that is imported again adds nothing.
  fingerprint text collate "C" not null,
  order_id text collate "C",
  payment_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint statement_lines_pkey primary key (org_id, id),
  constraint statement_lines_fingerprint_key unique (org_id, fingerprint),
  constraint statement_lines_amount_positive check (amount > 0),
  constraint statement_lines_status_known check (status in ('open', 'confirmed', 'ignored'))
);
create index statement_lines_open_idx on statement_lines (org_id, id) where status = 'open';
create index statement_lines_order_idx on statement_lines (org_id, order_id) where order_id is not null;
