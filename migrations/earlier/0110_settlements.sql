-- What providers settle: the fee of each payment and the day on which the money reached the balance of the shop, as their reports
-- say. The amounts of payments stay in the ledger; a row here adds the fee to one of them.
create table payment_settlements (
  org_id text collate "C" not null,
  payment_id text collate "C" not null,
  -- The gross amount in the report, which should equal the ledger.
  amount bigint not null,
  -- With tax.
  fee bigint not null,
  settled_on date,
  -- How the report calls the settlement or payout.
  reference text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint payment_settlements_pkey primary key (org_id, payment_id),
  constraint payment_settlements_fee_sane check (fee >= 0)
);
