-- The closed period in which a chat got its automatic answer, so that it gets one per period.
create table auto_replies (
  org_id text collate "C" not null,
  chat_id text collate "C" not null,
  period text not null,
  constraint auto_replies_pkey primary key (org_id, chat_id)
);
