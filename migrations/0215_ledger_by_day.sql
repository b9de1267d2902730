-- breaking: an older program would write lines without the method.
--
-- The report of sales joined every ledger line with its payment to learn the method: 3 s for two months of a shop with a million
-- orders. A line now carries the method, and the index all that the report reads.
drop index payment_ledger_occurred_idx;

alter table payment_ledger add column method text collate "C";

update payment_ledger set method = payments.method
from payments where payments.org_id = payment_ledger.org_id and payments.id = payment_ledger.payment_id;

alter table payment_ledger alter column method set not null;

create index payment_ledger_occurred_idx on payment_ledger (org_id, occurred_at) include (kind, method, amount);
