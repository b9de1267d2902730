-- breaking: an older program would record money for a checkout without making it an order, so that nobody would see it.
--
-- What the payer of a payment link has opened and not paid yet: an order that only the payer sees.
alter table orders add column is_checkout boolean not null default false;

-- Lists leave out the payments of checkouts by it.
create index orders_checkouts_idx on orders (org_id, id) where is_checkout;
