-- How an order reaches its customer, and until when it is to be paid.
--
-- delivery is one value that is read and written with its order: its state (src/orders/settlement/orders.states.ts), address, courier
-- and tracking. due_at is the date of an invoice, unlike the expiry of one payment. overdue_at is when it had passed unpaid;
-- a later due date clears it.

alter table orders add column delivery jsonb;
alter table orders add column due_at timestamptz;
alter table orders add column overdue_at timestamptz;
