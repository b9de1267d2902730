-- The people who sign in to the console: who they are, how they prove it, which organizations they belong to, and who was
-- invited. The library that handles passwords, sessions and second factors (better-auth) reads and writes these tables
-- under our names; src/accounts/people/dashboard-auth.ts tells it which column is which.
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

-- How a person proves who they are: a password (hashed with scrypt), one day an outside provider.
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
  inviter_id text collate "C" not null constraint invitations_inviter_id_fkey references people (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index invitations_org_id_idx on invitations (org_id);
create index invitations_email_idx on invitations (email);

-- How often an address tried to sign in lately.
create table sign_in_limits (
  id text collate "C" not null constraint sign_in_limits_pkey primary key,
  key text not null constraint sign_in_limits_key_key unique,
  count integer not null,
  last_request bigint not null
);

-- Asked for by the library's notion of an organization; unused by us.
alter table organizations add column logo text, add column metadata text;
alter table organizations alter column created_at set default now(), alter column updated_at set default now();
