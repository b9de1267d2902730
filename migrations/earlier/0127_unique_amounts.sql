-- A manual bank transfer may carry a small unique amount, so that the line of the bank statement identifies its order. The
-- attempt asks for the amount with it; what was received of it becomes a line of the order's total.
alter table payments add column unique_amount bigint not null default 0;
alter table payments add constraint payments_unique_amount_sane check (unique_amount between 0 and amount);
create index payments_unique_amount_idx on payments (org_id, account_id, amount)
  where unique_amount > 0 and status in ('created', 'pending');

alter table orders add column unique_amount bigint not null default 0;
alter table orders drop constraint orders_total_adds_up;
alter table orders add constraint orders_total_adds_up
  check (total is null or total = subtotal - discount + shipping + tax + unique_amount);
