-- What a chat shows as its open order is looked for at every move of every order of that customer: among the few that are
-- open, not among all that there ever were. And a chat stands for those that it took in, which are found by it.

create index orders_open_idx on orders (org_id, chat_id, id)
  where chat_id is not null and status in ('draft', 'pending_payment');
drop index orders_chat_idx;

create index chats_merged_idx on chats (org_id, merged_into) where merged_into is not null;
