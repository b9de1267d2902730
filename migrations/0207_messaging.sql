-- baseline

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
-- foreign key: an insert has locked the chat, and checking that again would cost every message a look-up.
--
-- Words for search are cut in TypeScript (src/messaging/search/) and stored as a tsvector without positions. Each
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
  -- Whether the person wants marketing messages, by number: [{"number_id", "at", "is_stopped"}], the last report of each. A person
  -- who wants them again keeps an entry, so that an older report that arrives late is known to be older. In the row of the
  -- contact, which is read anyway when a message is sent.
  marketing_wishes jsonb not null default '[]',
  -- The name in the address book of the WhatsApp Business app. It is shown as `name` until the customer reports another one.
  synced_name text,
  -- A name that the team gave stays when the customer reports another one.
  is_name_given boolean not null default false,

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
  constraint contact_identities_kind_known check (kind in ('phone', 'user_id', 'username', 'group_id'))
);
create index contact_identities_contact_idx on contact_identities (org_id, contact_id);

-- Whether a person agreed to broadcasts.
create table contact_consents (
  org_id text collate "C" not null,
  contact_id text collate "C" not null,
  -- True for an opt-in, false for an opt-out that the shop recorded.
  is_given boolean not null,
  source text not null,
  at timestamptz not null,

  constraint contact_consents_pkey primary key (org_id, contact_id)
);

-- Notes of the team about a customer. They are shown in the chats of the customer and never sent.
create table contact_notes (
  org_id text collate "C" not null,
  id text collate "C" not null,
  contact_id text collate "C" not null,
  body text not null,
  author jsonb not null,
  created_at timestamptz not null,

  constraint contact_notes_pkey primary key (org_id, id)
);
create index contact_notes_contact_idx on contact_notes (org_id, contact_id, id desc);

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
-- other chat does not write them. Keys that end with an id are never equal, so the search for equal ones is off.
create index chats_activity_idx on chats (org_id, last_activity_at desc, id desc)
  with (deduplicate_items = off) where merged_into is null;
create index chats_number_idx on chats (org_id, number_id, last_activity_at desc, id desc)
  with (deduplicate_items = off) where merged_into is null;
create index chats_unread_idx on chats (org_id, last_activity_at desc, id desc) where unread_count > 0 and merged_into is null;
create index chats_closed_idx on chats (org_id, last_activity_at desc, id desc)
  where status = 'closed' and merged_into is null;
create index chats_assignee_idx on chats (org_id, assignee, last_activity_at desc, id desc)
  where assignee is not null and merged_into is null;
create index chats_merged_idx on chats (org_id, merged_into) where merged_into is not null;

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
  client_reference text,
  order_id text collate "C",
  sender_type text not null,
  sender_id text collate "C",
  send_at timestamptz,
  metadata jsonb not null default '{}',
  -- Its place in the thread: when it was made or received, or when it is to leave.
  happened_at timestamptz not null,
  created_at timestamptz not null,

  -- What came in but is not understood, and what else the network told about it.
  raw jsonb,
  words tsvector,

  constraint messages_pkey primary key (org_id, id),
  constraint messages_direction_known check (direction in ('inbound', 'outbound'))
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

-- A thread, newest first.
create index messages_thread_idx on messages (org_id, chat_id, happened_at, id) with (deduplicate_items = off);

-- New words wait in a list until it is full; the insert that fills it moves them into the index. With 4 MB that held up a batch of
-- messages for 270 ms; with 1 MB for 90 ms, at a tenth more WAL. Without a list, inserts took twice the time and WAL.
create index messages_words_idx on messages using gin (words) with (gin_pending_list_limit = 1024);

-- The status of a message changes several times; what it says does not. So the changing part is a row of its own: it is small, keeps
-- room for its next versions on the same page, and changes no index when a message is delivered or read. The row of the message
-- is written once.
--
-- A message that waits to be sent has no state yet: it is queued, or scheduled when it has a time, since it was created.
create table message_states (
  org_id text collate "C" not null,
  message_id text collate "C" not null,
  number_id text collate "C" not null,
  provider_id text collate "C",
  status text collate "C" not null,
  error jsonb,
  -- [{"status", "at"}], oldest first.
  status_history jsonb not null,
  -- The chat in which an inbound message counts as unread; null once it is read.
  unread_chat_id text collate "C",

  -- Sending. The lease whose run last ended with the certainty that nothing was accepted; any other gap between it and
  -- the current lease means that a call may have been made. And since when the outcome of a call is unknown.
  settled_lease integer not null default 0,
  unknown_since timestamptz,
  -- Sent again after an unknown outcome, which happens once at most.
  is_resent boolean not null default false,
  -- What the network reported with a status beyond the status itself, by status: {"sent": {"pricing", "conversation"}, "failed": {"errors"}}.
  reports jsonb,

  constraint message_states_status_known check
    (status in ('scheduled', 'queued', 'sent', 'delivered', 'read', 'failed', 'received')),
  constraint message_states_pkey primary key (org_id, message_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create unique index message_states_provider_id_key on message_states (org_id, number_id, provider_id)
  with (deduplicate_items = off) where provider_id is not null;

-- For counting again and for marking as read: empty most of the time.
create index message_states_unread_idx on message_states (org_id, unread_chat_id, message_id) where unread_chat_id is not null;

-- Statuses of messages that are not known yet: the network can be faster than our own record of its answer. Swept when old.
create table message_statuses_parked (
  org_id text collate "C" not null,
  number_id text collate "C" not null,
  provider_id text collate "C" not null,
  status text not null,
  report jsonb not null,
  parked_at timestamptz not null,

  constraint message_statuses_parked_pkey primary key (org_id, number_id, provider_id, status)
);
create index message_statuses_parked_at_idx on message_statuses_parked (parked_at);

-- Texts that people send often, by a short name that they type after a slash.
create table saved_replies (
  org_id text collate "C" not null,
  id text collate "C" not null,
  shortcut text collate "C" not null,
  body text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,

  constraint saved_replies_pkey primary key (org_id, id),
  constraint saved_replies_shortcut_key unique (org_id, shortcut)
);

-- The closed period in which a chat got its automatic answer, so that it gets one per period.
create table auto_replies (
  org_id text collate "C" not null,
  chat_id text collate "C" not null,
  period text not null,

  constraint auto_replies_pkey primary key (org_id, chat_id)
);
