-- baseline

-- Business numbers, the files that travel through them, and the journal of what their networks reported.
--
-- A number that was removed stays as `disconnected`, without its credentials: chats still show which number they came
-- through, and connecting the same number again finds them.
--
-- The journal keeps every inbound batch exactly as it arrived, before anything is made of it: the network does not repeat
-- what was answered with 200, so until it is applied this is the only copy. Networks redeliver for seven days; the journal
-- is kept longer than that.
create table channel_numbers (
  org_id text collate "C" not null constraint channel_numbers_org_id_fkey references organizations (id),
  id text collate "C" not null,
  connector text collate "C" not null,
  -- The network's own id of the number, or one we made up for it. Not the phone number.
  phone_number_id text collate "C" not null,
  display_phone text not null,
  name text not null,
  -- Null is the connector's own.
  base_url text,
  -- JSON, sealed. Null once it is disconnected.
  sealed_credentials text,
  settings jsonb not null default '{}',
  -- Whether messages that name no number leave from here. Otherwise the oldest connected one is taken.
  is_default boolean not null default false,

  state text not null default 'connected',
  state_reason text,
  state_changed_at timestamptz not null,

  -- Health, written with a delay of a second or so: when the network was last heard of, and what last went wrong.
  last_event_at timestamptz,
  last_error_code text,
  last_error text,
  last_error_at timestamptz,

  -- Rises with every change that matters to sending and receiving; caches compare it.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The last report of each kind about the number: {"account_update": {"event", "detail", "is_trouble", "at"}}.
  reports jsonb not null default '{}',

  constraint channel_numbers_pkey primary key (org_id, id),
  constraint channel_numbers_phone_number_id_key unique (org_id, phone_number_id),
  constraint channel_numbers_state_known check (state in ('connected', 'paused', 'disconnected')),
  constraint channel_numbers_credentials_kept check ((state = 'disconnected') = (sealed_credentials is null)),
  constraint channel_numbers_phone_number_id_form check (phone_number_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  constraint channel_numbers_name_bounded check (length(name) between 1 and 200)
);
create unique index channel_numbers_default_key on channel_numbers (org_id) where is_default;

-- Whose a number is, for calls without a key: a hook names the number, nothing else. A small look-up table that every node
-- needs whole. `address` is the id of the network where it identifies one number worldwide, so that no two organizations
-- connect the same; null where ids are made up.
create table channel_number_routes (
  number_id text collate "C" not null constraint channel_number_routes_pkey primary key,
  org_id text collate "C" not null,
  connector text collate "C" not null,
  address text collate "C",

  constraint channel_number_routes_address_key unique (connector, address)
);

-- The id tells when it was received.
create table channel_journal (
  org_id text collate "C" not null,
  id text collate "C" not null,
  number_id text collate "C" not null,
  -- As received, byte for byte.
  body bytea not null,
  applied_at timestamptz,
  -- What could not be applied, when something could not.
  problem text,

  constraint channel_journal_pkey primary key (org_id, id)
) partition by range (id);

-- What one number's network said, newest first.
create index channel_journal_number_idx on channel_journal (org_id, number_id, id);

-- Reports of the network about numbers, accounts and templates that were recorded as events: one that is posted again is
-- recorded once.
create table channel_reports (
  org_id text collate "C" not null,
  number_id text collate "C" not null,
  hash text collate "C" not null,
  reported_at timestamptz not null,

  constraint channel_reports_pkey primary key (org_id, number_id, hash)
);
create index channel_reports_age_idx on channel_reports (reported_at);

create table media (
  org_id text collate "C" not null constraint media_org_id_fkey references organizations (id),
  id text collate "C" not null,
  -- The number it came in through, or is meant to leave from. Null where it belongs to none.
  number_id text collate "C",
  source text not null,
  state text not null,
  mime_type text not null,
  filename text,
  bytes bigint,
  -- Hexadecimal, of the bytes we hold.
  sha256 text,
  -- Where the storage keeps it. Null until it is stored.
  storage_key text,
  -- Inbound: the provider's id of the file, which it keeps for some days.
  provider_media_id text,
  problem text,
  created_at timestamptz not null,
  stored_at timestamptz,

  constraint media_pkey primary key (org_id, id),
  constraint media_source_known check (source in ('upload', 'inbound', 'system')),
  constraint media_state_known check (state in ('pending', 'stored', 'failed')),
  constraint media_stored_whole check
    ((state = 'stored') = (storage_key is not null and bytes is not null and sha256 is not null)),
  constraint media_problem_given check ((state = 'failed') = (problem is not null))
);

-- The provider's ids of files we uploaded to it, per number, for as long as it keeps them.
create table media_uploads (
  org_id text collate "C" not null,
  media_id text collate "C" not null,
  number_id text collate "C" not null,
  provider_media_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,

  constraint media_uploads_pkey primary key (org_id, media_id, number_id),
  constraint media_uploads_media_fkey foreign key (org_id, media_id) references media (org_id, id) on delete cascade
);

-- The simulated phone network: what the outside world would keep about a simulator number. Only the simulator reads and
-- writes the tables from here on; chats and messages know nothing of them, just as they know nothing of Meta's.

-- What was sent to simulated people, one row per message: how often the network was asked to take it, and how often it did. A
-- customer would see a message that was taken twice as a double, so it is counted.
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

-- What a simulated business account has besides messages and people: its templates, profiles, blocked people and QR codes.
create table simulator_objects (
  org_id text collate "C" not null,
  -- The number it belongs to; empty for what the whole account has.
  number_id text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  value jsonb not null,
  created_at timestamptz not null,

  constraint simulator_objects_pkey primary key (org_id, number_id, kind, id)
);
