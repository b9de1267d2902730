-- The orders of a chat were looked for among all orders: 0019 left an index of those that are open, and no other. One index over
-- chat and state answers both who asks for all of them and who asks for the open ones, so that a new order still writes
-- one entry. An order that is paid or ended writes one that it did not.
--
-- Orders wait while it is built: on two busy processors 7 s for 300,000 of them.

create index orders_chat_idx on orders (org_id, chat_id, status, id) where chat_id is not null;
drop index orders_open_idx;
