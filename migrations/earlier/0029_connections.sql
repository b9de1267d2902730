-- Programs that speak MCP connect by themselves (OAuth 2.1): a person types the address of this server, signs in and agrees, and
-- the program is an agent from then on. Here is what that needs to remember: which programs there are, what was agreed, and the
-- tokens, which are kept as hashes only.
--
-- The library that knows the protocol (better-auth) reads and writes the tables that begin with oauth_ under our names;
-- src/accounts/oauth/oauth-library.ts tells it which column is which. They are look-up tables that every node needs whole: a
-- token arrives without an organization. Lists are JSON in text columns, because that is how the library writes them.

create table oauth_clients (
  id text collate "C" not null constraint oauth_clients_pkey primary key,
  -- Made by us for a program that registered itself, else the address of the document that describes it.
  client_id text collate "C" not null constraint oauth_clients_client_id_key unique,
  -- What it says of itself.
  name text not null,
  redirect_uris text not null,
  scopes text not null,
  grant_types text not null,
  token_endpoint_auth_method text not null,
  is_from_document boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index oauth_clients_created_idx on oauth_clients (created_at);

-- What tokens can be good for: this server's /mcp.
create table oauth_resources (
  id text collate "C" not null constraint oauth_resources_pkey primary key,
  identifier text collate "C" not null constraint oauth_resources_identifier_key unique,
  name text,
  access_token_ttl integer,
  refresh_token_ttl integer,
  signing_algorithm text,
  signing_key_id text,
  allowed_scopes text,
  custom_claims jsonb,
  is_dpop_required boolean,
  is_disabled boolean,
  policy_version integer,
  metadata jsonb,
  created_at timestamptz,
  updated_at timestamptz
);

create table oauth_consents (
  id text collate "C" not null constraint oauth_consents_pkey primary key,
  client_id text collate "C" not null constraint oauth_consents_client_id_fkey references oauth_clients (client_id) on delete cascade,
  person_id text collate "C" constraint oauth_consents_person_id_fkey references people (id) on delete cascade,
  -- Which agent of which organization, as org_…/agt_….
  reference text collate "C",
  resources text,
  requested_claims text,
  scopes text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index oauth_consents_client_idx on oauth_consents (client_id, person_id);
create index oauth_consents_person_idx on oauth_consents (person_id);
create index oauth_consents_reference_idx on oauth_consents (reference);

create table oauth_refresh_tokens (
  id text collate "C" not null constraint oauth_refresh_tokens_pkey primary key,
  -- SHA-256.
  token text collate "C" not null constraint oauth_refresh_tokens_token_key unique,
  client_id text collate "C" not null constraint oauth_refresh_tokens_client_id_fkey references oauth_clients (client_id) on delete cascade,
  -- In which it was agreed to. A connection outlives it.
  session_id text collate "C" constraint oauth_refresh_tokens_session_id_fkey references sessions (id) on delete set null,
  person_id text collate "C" not null constraint oauth_refresh_tokens_person_id_fkey references people (id) on delete cascade,
  reference text collate "C",
  authorization_code_id text collate "C",
  resources text,
  requested_claims text,
  scopes text not null,
  confirmation jsonb,
  auth_time timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  rotated_at timestamptz,
  -- Sealed by the library: what was answered, for a program that lost the answer and asks again at once.
  replay_answer text,
  replay_expires_at timestamptz
);
create index oauth_refresh_tokens_client_idx on oauth_refresh_tokens (client_id, person_id);
create index oauth_refresh_tokens_session_idx on oauth_refresh_tokens (session_id);
create index oauth_refresh_tokens_person_idx on oauth_refresh_tokens (person_id);
create index oauth_refresh_tokens_reference_idx on oauth_refresh_tokens (reference);
create index oauth_refresh_tokens_code_idx on oauth_refresh_tokens (authorization_code_id);
create index oauth_refresh_tokens_expires_idx on oauth_refresh_tokens (expires_at);

create table oauth_access_tokens (
  id text collate "C" not null constraint oauth_access_tokens_pkey primary key,
  -- SHA-256.
  token text collate "C" not null constraint oauth_access_tokens_token_key unique,
  client_id text collate "C" not null constraint oauth_access_tokens_client_id_fkey references oauth_clients (client_id) on delete cascade,
  session_id text collate "C" constraint oauth_access_tokens_session_id_fkey references sessions (id) on delete set null,
  person_id text collate "C" constraint oauth_access_tokens_person_id_fkey references people (id) on delete cascade,
  refresh_id text collate "C" constraint oauth_access_tokens_refresh_id_fkey references oauth_refresh_tokens (id) on delete cascade,
  reference text collate "C",
  authorization_code_id text collate "C",
  resources text,
  requested_claims text,
  scopes text not null,
  confirmation jsonb,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index oauth_access_tokens_client_idx on oauth_access_tokens (client_id);
create index oauth_access_tokens_session_idx on oauth_access_tokens (session_id);
create index oauth_access_tokens_person_idx on oauth_access_tokens (person_id);
create index oauth_access_tokens_refresh_idx on oauth_access_tokens (refresh_id);
create index oauth_access_tokens_reference_idx on oauth_access_tokens (reference);
create index oauth_access_tokens_code_idx on oauth_access_tokens (authorization_code_id);
create index oauth_access_tokens_expires_idx on oauth_access_tokens (expires_at);

-- Which agents connected by themselves: as which program, and by whose word. The names are those of then, for whoever looks at
-- it later.
create table agent_connections (
  org_id text collate "C" not null,
  agent_id text collate "C" not null,
  person_id text collate "C" not null,
  client_id text collate "C" not null,
  client_name text not null,
  client_host text not null,
  person_name text not null,
  connected_at timestamptz not null,
  ended_at timestamptz,
  constraint agent_connections_pkey primary key (org_id, agent_id)
);
-- The same program of the same person is the same agent, until that is ended.
create unique index agent_connections_living_key on agent_connections (org_id, person_id, client_id) where ended_at is null;
