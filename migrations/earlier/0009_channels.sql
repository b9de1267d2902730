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

  constraint channel_numbers_pkey primary key (org_id, id),
  constraint channel_numbers_phone_number_id_key unique (org_id, phone_number_id),
  constraint channel_numbers_state_known check (state in ('connected', 'paused', 'disconnected')),
  constraint channel_numbers_credentials_kept check ((state = 'disconnected') = (sealed_credentials is null)),
  constraint channel_numbers_phone_number_id_form check (phone_number_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  constraint channel_numbers_name_bounded check (length(name) between 1 and 200)
);

create unique index channel_numbers_default_key on channel_numbers (org_id) where is_default;

-- Whose a number is, for calls that bring no key: a hook names the number, nothing else. A small look-up table that every
-- node needs whole. `address` is the network's id where one id means one number for everybody, so that no two
-- organizations connect the same; null where ids are made up.
create table channel_number_routes (
  number_id text collate "C" not null constraint channel_number_routes_pkey primary key,
  org_id text collate "C" not null,
  connector text collate "C" not null,
  address text collate "C",
  constraint channel_number_routes_address_key unique (connector, address)
);

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
