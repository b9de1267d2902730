-- The simulated phone network: what the world outside would keep about a simulator number. Only the simulator reads and
-- writes these tables; chats and messages know nothing of them, just as they know nothing of Meta's.

-- The people who wrote. Their messages are counted, because the ids of what they write are made from that count.
create table simulator_people (
  org_id text collate "C" not null,
  number_id text collate "C" not null,
  -- The digits of their phone, or their user id when they are known by nothing else.
  id text collate "C" not null,
  -- Null for a person who hides it.
  phone text collate "C",
  user_id text collate "C" not null,
  username text,
  name text not null,
  messages_written integer not null,
  last_wrote_at timestamptz not null,
  constraint simulator_people_pkey primary key (org_id, number_id, id)
);

-- What was sent to them, one row per message: how often the network was asked to take it, and how often it did. Taken
-- twice is what a customer would see as a double, so it is counted and never hidden.
create table simulator_messages (
  org_id text collate "C" not null,
  number_id text collate "C" not null,
  -- The phone or user id it was addressed to.
  recipient text collate "C" not null,
  message_id text collate "C" not null,
  -- Only what can be answered with a button or a row; null for everything else.
  content jsonb,
  refusals integer not null default 0,
  copies integer not null default 0,
  seen_at timestamptz not null,
  -- When the customer was made to read it.
  read_at timestamptz,
  constraint simulator_messages_pkey primary key (org_id, number_id, recipient, message_id)
);

-- For forgetting what is old. Rows arrive in the order of time, so a summary per range of pages is enough.
create index simulator_messages_seen_idx on simulator_messages using brin (org_id, seen_at);

-- Files the network holds: sent by customers, or uploaded to be sent.
create table simulator_files (
  org_id text collate "C" not null,
  number_id text collate "C" not null,
  id text collate "C" not null,
  mime_type text not null,
  filename text,
  bytes bytea not null,
  created_at timestamptz not null,
  constraint simulator_files_pkey primary key (org_id, number_id, id)
);

-- Pictures and sound are compressed already.
alter table simulator_files alter column bytes set storage external;
