-- What customers were told in the chat about their orders: each thing once. A row is written in the transaction that queues
-- the message, so a notice is neither lost nor told twice. Without a message it was passed over for good: notices were
-- switched off, or there was no number to send it from.

create table order_notices (
  org_id text collate "C" not null,
  order_id text collate "C" not null,
  kind text not null,
  -- Which attempt, refund or sum it was about; empty for what is told once per order.
  subject text collate "C" not null,
  message_id text collate "C",
  told_at timestamptz not null,

  constraint order_notices_pkey primary key (org_id, order_id, kind, subject)
);
