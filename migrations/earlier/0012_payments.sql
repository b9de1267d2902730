-- Payments: the accounts that money comes in through, and below them the life of each payment.
--
-- A payment account is one organization's account with one provider, or the organization itself where it takes money
-- without a provider (cash, its own bank account, its own static QRIS). What an account may be and what moves it is told
-- in src/payments/payment-accounts.ts. Like keys, accounts are few and looked up by id alone when a provider calls, so
-- this is one of the small tables that every node needs whole.

create table payment_accounts (
  org_id text collate "C" not null constraint payment_accounts_org_id_fkey references organizations (id),
  id text collate "C" not null,
  provider text not null,
  name text not null,

  state text not null default 'active',
  state_changed_at timestamptz not null,

  -- Null is the provider's own address.
  base_url text,
  -- JSON, sealed: keys and tokens of the provider. Null where it needs none.
  sealed_credentials text,
  -- Nothing secret: names, the default bank, the merchant's static QRIS.
  settings jsonb not null default '{}',
  -- Which methods it serves; null is all that the provider can do with these settings.
  methods text[],
  -- Which methods it is the first choice for. At most one account of an organization has a method here.
  default_methods text[] not null default '{}',

  -- Health, for people: not part of the version.
  last_notice_at timestamptz,
  last_error_at timestamptz,
  last_error text,

  -- Rises with every change that matters to charging; caches compare it.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint payment_accounts_pkey primary key (org_id, id),
  constraint payment_accounts_id_key unique (id),
  constraint payment_accounts_provider_known check (provider in ('simulator', 'midtrans', 'xendit', 'manual')),
  constraint payment_accounts_state_known check (state in ('active', 'paused', 'disabled')),
  constraint payment_accounts_name_bounded check (length(name) between 1 and 200),
  constraint payment_accounts_base_url_bounded check (length(base_url) <= 500),
  constraint payment_accounts_last_error_bounded check (length(last_error) <= 1000)
);

-- One attempt to have an order paid. Its states, and why late or repeated reports cannot take a payment back, are told in
-- src/payments/payments.states.ts. amount_paid, amount_refunded and amount_reversed are the sums of its ledger lines and
-- are written in the transaction that writes the line.
create table payments (
  org_id text collate "C" not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  account_id text collate "C" not null,
  provider text not null,
  method text not null,
  bank text,
  status text not null,
  -- Null is an open amount: the payer says how much.
  amount bigint,
  amount_paid bigint not null default 0,
  amount_refunded bigint not null default 0,
  amount_reversed bigint not null default 0,
  -- What the account could do when the attempt was made: staff say when it is paid; the provider can give money back.
  is_manual boolean not null,
  is_refundable boolean not null,
  provider_id text collate "C",
  -- What the payer needs: QR string, account number, …
  details jsonb,
  error jsonb,
  expires_at timestamptz,
  paid_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint payments_pkey primary key (org_id, id),
  constraint payments_status_known
    check (status in ('created', 'pending', 'paid', 'failed', 'expired', 'cancelled', 'reversed')),
  constraint payments_amount_positive check (amount > 0),
  constraint payments_sums_sane check (
    amount_paid >= 0 and amount_refunded >= 0 and amount_reversed >= 0
    and amount_refunded + amount_reversed <= amount_paid)
);

create index payments_order_idx on payments (org_id, order_id, id);
-- Of an order's attempts at most one can be paid as planned. Also the look-up of that one.
create unique index payments_live_key on payments (org_id, order_id) where status in ('created', 'pending');
-- For reports that name only the provider's own id.
create unique index payments_provider_id_key on payments (org_id, account_id, provider_id) where provider_id is not null;

-- The books: every rupiah that came in (positive) or went back (negative), append-only. The key makes each fact count once:
-- a capture's id, a refund's id. reported_amount is what the report said; amount is what it added to the sum, which
-- differs where two reports tell of the same money in two ways (src/payments/payment-books.ts).
create table payment_ledger (
  org_id text collate "C" not null,
  payment_id text collate "C" not null,
  kind text not null,
  key text collate "C" not null,
  order_id text collate "C" not null,
  amount bigint not null,
  reported_amount bigint not null,
  -- Who says so: a notice, a question, staff.
  source text not null,
  actor_type text not null,
  actor_id text,
  note text,
  facts jsonb not null default '{}',
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,

  constraint payment_ledger_pkey primary key (org_id, payment_id, kind, key),
  constraint payment_ledger_kind_known check (kind in ('capture', 'refund', 'reversal')),
  constraint payment_ledger_amount_signed check (case when kind = 'capture' then amount >= 0 else amount <= 0 end)
);

create index payment_ledger_order_idx on payment_ledger (org_id, order_id, recorded_at);

create table refunds (
  org_id text collate "C" not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  payment_id text collate "C" not null,
  status text not null,
  amount bigint not null,
  reason text,
  note text,
  -- Paid back by staff by other means: there is nothing to ask the provider for.
  is_manual boolean not null,
  provider_refund_id text collate "C",
  error jsonb,
  actor_type text not null,
  actor_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  succeeded_at timestamptz,

  constraint refunds_pkey primary key (org_id, id),
  constraint refunds_status_known check (status in ('requested', 'pending', 'succeeded', 'failed')),
  constraint refunds_amount_positive check (amount > 0)
);

create index refunds_order_idx on refunds (org_id, order_id, id);
create unique index refunds_provider_id_key on refunds (org_id, payment_id, provider_refund_id)
  where provider_refund_id is not null;

-- What providers told us, as they told it, before anything was made of it. One row per fact; the same fact told again only
-- raises times_received. Whether it may be believed by itself is is_state_proven: if not, the provider is asked.
create table payment_notices (
  org_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,
  provider text not null,
  payment_id text collate "C",
  dedup_key text collate "C" not null,
  is_state_proven boolean not null,
  status text not null,
  outcome text,
  report jsonb,
  body bytea not null,
  times_received integer not null default 1,
  received_at timestamptz not null,
  applied_at timestamptz,

  constraint payment_notices_pkey primary key (org_id, id),
  constraint payment_notices_dedup_key unique (org_id, account_id, dedup_key),
  constraint payment_notices_status_known check (status in ('waiting', 'applied', 'irrelevant', 'failed'))
);

create index payment_notices_payment_idx on payment_notices (org_id, payment_id, id) where payment_id is not null;
