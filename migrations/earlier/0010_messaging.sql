-- Contacts with their identities, chats, messages, and statuses that came before the message they are about.
--
-- A contact is a person; an identity is one thing the network knows them by (a phone, a user id that only this business
-- sees, a username), and belongs to one contact of an organization. A chat is one contact on one business number. When the
-- network says that two contacts are one person, one of them goes on and the other points to it (merged_into), so that an
-- old id still leads to the person; the same for their chats.
--
-- Messages are not partitioned. Nothing is dropped by age, so there is nothing to gain from it, and (number, provider id)
-- has to be unique over all time: networks deliver a message again for a week, and a partitioned table could promise that
-- only within a partition. One thread lies together in messages_thread_idx however large the table is. They have no
-- foreign key: whoever inserts one has locked its chat, and checking that again would cost every message a look-up.
--
-- Words for search are cut in TypeScript (src/messaging/search-words.ts) and stored as a tsvector without positions. Each
-- word carries the organization in front, because a GIN index over text cannot begin with org_id without an extension
-- that not every PostgreSQL has: this way an organization's words are still its own part of the index.

create table contacts (
  org_id text collate "C" not null constraint contacts_org_id_fkey references organizations (id),
  id text collate "C" not null,
  name text,
  -- What is shown: digits without plus, the form the network reported last. Null when no phone is known.
  phone text collate "C",
  -- All that contact_identities holds of it, as the API shows it: [{"type", "value"}], oldest first.
  identities jsonb not null default '[]',
  words tsvector not null,
  merged_into text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint contacts_pkey primary key (org_id, id)
);

create index contacts_words_idx on contacts using gin (words) where merged_into is null;

create table contact_identities (
  org_id text collate "C" not null,
  kind text collate "C" not null,
  -- A phone as digits; a username without @ and in lower case.
  value text collate "C" not null,
  contact_id text collate "C" not null,
  created_at timestamptz not null,
  constraint contact_identities_pkey primary key (org_id, kind, value),
  constraint contact_identities_contact_fkey foreign key (org_id, contact_id) references contacts (org_id, id),
  constraint contact_identities_kind_known check (kind in ('phone', 'user_id', 'username'))
);

create index contact_identities_contact_idx on contact_identities (org_id, contact_id);

create table chats (
  org_id text collate "C" not null,
  id text collate "C" not null,
  number_id text collate "C" not null,
  contact_id text collate "C" not null,
  status text not null default 'open',
  labels text[] not null default '{}',
  assignee text,
  unread_count integer not null default 0,
  -- The newest message. What it says and how far it got is read from its own row, which changes several times after it
  -- was sent; the chat is not written for that.
  last_message_id text collate "C",
  last_activity_at timestamptz not null,
  -- When the customer last wrote, as the network says: the reply window closes a day later.
  last_inbound_at timestamptz,
  open_order jsonb,
  merged_into text collate "C",
  created_at timestamptz not null,
  constraint chats_pkey primary key (org_id, id),
  -- By contact first: a chat is looked for by the person, and most have one.
  constraint chats_contact_number_key unique (org_id, contact_id, number_id),
  constraint chats_contact_fkey foreign key (org_id, contact_id) references contacts (org_id, id),
  constraint chats_number_fkey foreign key (org_id, number_id) references channel_numbers (org_id, id),
  constraint chats_status_known check (status in ('open', 'closed')),
  constraint chats_unread_counted check (unread_count >= 0)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- The list, newest activity first, and its filters. Those that hold for few chats are partial, so that a message in any
-- other chat does not write them.
create index chats_activity_idx on chats (org_id, last_activity_at desc, id desc) where merged_into is null;
create index chats_number_idx on chats (org_id, number_id, last_activity_at desc, id desc) where merged_into is null;
create index chats_unread_idx on chats (org_id, last_activity_at desc, id desc) where unread_count > 0 and merged_into is null;
create index chats_closed_idx on chats (org_id, last_activity_at desc, id desc)
  where status = 'closed' and merged_into is null;
create index chats_assignee_idx on chats (org_id, assignee, last_activity_at desc, id desc)
  where assignee is not null and merged_into is null;

-- Which chats carry a label. A table and not an index over chats.labels, which every message would write.
create table chat_labels (
  org_id text collate "C" not null,
  label text not null,
  chat_id text collate "C" not null,
  constraint chat_labels_pkey primary key (org_id, label, chat_id),
  constraint chat_labels_chat_fkey foreign key (org_id, chat_id) references chats (org_id, id)
);

create table messages (
  org_id text collate "C" not null,
  id text collate "C" not null,
  chat_id text collate "C" not null,
  number_id text collate "C" not null,
  direction text not null,
  type text not null,
  -- The text, the caption, or the words that stand for an interactive message.
  body text,
  -- The members of the content beside type and body, as in src/channels/message-content.ts.
  content jsonb not null default '{}',
  -- Ours; null where the message replied to is not known here.
  reply_to text collate "C",
  provider_id text collate "C",
  client_reference text,
  order_id text collate "C",
  sender_type text not null,
  sender_id text collate "C",
  status text not null,
  error jsonb,
  -- [{"status", "at"}], oldest first.
  status_history jsonb not null,
  send_at timestamptz,
  metadata jsonb not null default '{}',
  -- An inbound message that nobody has marked as read.
  is_unread boolean not null default false,
  -- Its place in the thread: when it was made or received, or when it is to leave.
  happened_at timestamptz not null,
  created_at timestamptz not null,

  -- Sending. The lease whose run last ended with the certainty that nothing was accepted; any other gap between it and
  -- the current lease means that a call may have been made. And since when the outcome of a call is unknown.
  settled_lease integer not null default 0,
  unknown_since timestamptz,
  -- Sent again after an unknown outcome, which happens once at most.
  is_resent boolean not null default false,

  -- What came in but is not understood, and what else the network told about it.
  raw jsonb,
  words tsvector,

  constraint messages_pkey primary key (org_id, id),
  constraint messages_provider_id_key unique (org_id, number_id, provider_id),
  constraint messages_direction_known check (direction in ('inbound', 'outbound')),
  constraint messages_status_known check
    (status in ('scheduled', 'queued', 'sent', 'delivered', 'read', 'failed', 'received'))
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

-- A thread, newest first.
create index messages_thread_idx on messages (org_id, chat_id, happened_at, id);

-- For counting again and for marking as read: empty most of the time.
create index messages_unread_idx on messages (org_id, chat_id, id) where is_unread;

create index messages_words_idx on messages using gin (words);

-- Statuses of messages nobody here knows yet: the network can be faster than our own note of its answer. Swept when old.
create table message_statuses_parked (
  org_id text collate "C" not null,
  number_id text collate "C" not null,
  provider_id text collate "C" not null,
  status text not null,
  report jsonb not null,
  parked_at timestamptz not null,
  constraint message_statuses_parked_pkey primary key (org_id, number_id, provider_id, status)
);

create index message_statuses_parked_at_idx on message_statuses_parked (org_id, parked_at);
