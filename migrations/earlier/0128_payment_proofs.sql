-- Pictures and documents by which customers show that they paid by hand. A file in a chat may be one while a manual payment of
-- the organization is open, which the index says without looking at other payments.
alter table payments add column proofs jsonb not null default '[]';
create index payments_manual_open_idx on payments (org_id, order_id) where is_manual and status in ('created', 'pending');
