-- baseline

-- The people who sign in to the console: who they are, how they prove it, which organizations they belong to, and who was
-- invited. The library that handles passwords, sessions and second factors (better-auth) reads and writes these tables
-- under our names; src/accounts/people/dashboard-auth.ts says which column is which.
--
-- They are small look-up tables that every node needs whole, like api_keys: a session arrives without an organization.
create table people (
  id text collate "C" not null constraint people_pkey primary key,
  name text not null,
  email text not null constraint people_email_key unique,
  is_email_verified boolean not null default false,
  image text,
  is_two_factor_on boolean default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),

  constraint people_email_lower check (email = lower(email))
);

-- How a person proves who they are: a password (hashed with scrypt), or an account at a provider of single sign-on.
create table person_credentials (
  id text collate "C" not null constraint person_credentials_pkey primary key,
  person_id text collate "C" not null constraint person_credentials_person_id_fkey references people (id) on delete cascade,
  account_id text not null,
  provider_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index person_credentials_person_id_idx on person_credentials (person_id);

-- Tokens of password resets and of sign-ins that wait for their second factor.
create table person_verifications (
  id text collate "C" not null constraint person_verifications_pkey primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index person_verifications_identifier_idx on person_verifications (identifier);

create table second_factors (
  id text collate "C" not null constraint second_factors_pkey primary key,
  person_id text collate "C" not null constraint second_factors_person_id_fkey references people (id) on delete cascade,
  -- Both encrypted by the library with the installation's secret.
  secret text not null,
  backup_codes text not null,
  is_verified boolean default true,
  failed_count integer default 0,
  locked_until timestamptz
);
create index second_factors_person_id_idx on second_factors (person_id);

-- A passkey is a second way to sign in, beside the password: a key pair that a phone, a computer or a security key holds and
-- unlocks with a finger, a face or a PIN. Here are the public halves. The library (better-auth's passkey plugin) reads and writes
-- them under our names; src/accounts/people/auth-plugins.ts says which column is which.
create table passkeys (
  id text collate "C" not null constraint passkeys_pkey primary key,
  person_id text collate "C" not null constraint passkeys_person_id_fkey references people (id) on delete cascade,
  -- As its owner calls it.
  name text not null,
  credential_id text collate "C" not null constraint passkeys_credential_id_key unique,
  public_key text not null,
  counter bigint not null,
  device_type text not null,
  is_backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_person_id_idx on passkeys (person_id);

create table sessions (
  id text collate "C" not null constraint sessions_pkey primary key,
  -- Looked up on every call of the console. The cookie carries it signed.
  token text collate "C" not null constraint sessions_token_key unique,
  person_id text collate "C" not null constraint sessions_person_id_fkey references people (id) on delete cascade,
  active_org_id text collate "C",
  ip_address text,
  user_agent text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sessions_person_id_idx on sessions (person_id);

-- How often an address tried to sign in lately.
create table sign_in_limits (
  id text collate "C" not null constraint sign_in_limits_pkey primary key,
  key text not null constraint sign_in_limits_key_key unique,
  count integer not null,
  last_request bigint not null
);

create table memberships (
  id text collate "C" not null constraint memberships_pkey primary key,
  org_id text collate "C" not null constraint memberships_org_id_fkey references organizations (id) on delete cascade,
  person_id text collate "C" not null constraint memberships_person_id_fkey references people (id) on delete cascade,
  role text not null,
  created_at timestamptz not null default now(),

  constraint memberships_person_key unique (org_id, person_id),
  constraint memberships_role_known check (role in ('owner', 'admin', 'developer', 'agent', 'viewer'))
);
create index memberships_person_id_idx on memberships (person_id);

create table invitations (
  id text collate "C" not null constraint invitations_pkey primary key,
  org_id text collate "C" not null constraint invitations_org_id_fkey references organizations (id) on delete cascade,
  email text not null,
  role text,
  status text not null,
  inviter_id text collate "C" constraint invitations_inviter_id_fkey references people (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index invitations_org_id_idx on invitations (org_id);
create index invitations_email_idx on invitations (email);

-- Programs that speak MCP connect by themselves (OAuth 2.1): a person types the address of this server, signs in and agrees, and
-- the program is an agent from then on. Here is what that needs to remember: which programs there are, what was agreed, and the
-- tokens, which are kept as hashes only.
--
-- The library that knows the protocol (better-auth) reads and writes the tables that begin with oauth_ under our names;
-- src/accounts/people/auth-plugins.ts says which column is which. They are look-up tables that every node needs whole: a
-- token arrives without an organization. Lists are JSON in text columns, because that is how the library writes them.
create table oauth_clients (
  id text collate "C" not null constraint oauth_clients_pkey primary key,
  -- Made by us for a program that registered itself, else the address of the document that describes it.
  client_id text collate "C" not null constraint oauth_clients_client_id_key unique,
  -- As it names itself.
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

-- What tokens are valid for: /mcp of this server.
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
