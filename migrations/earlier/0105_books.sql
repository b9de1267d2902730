-- Reports sum the ledger by the day on which money was received or returned.
create index payment_ledger_occurred_idx on payment_ledger (org_id, occurred_at);

-- Few payments end like this, and lists of them must not be searched among all.
create index payments_unusual_idx on payments (org_id, status, id)
  where status in ('failed', 'expired', 'cancelled', 'reversed');
