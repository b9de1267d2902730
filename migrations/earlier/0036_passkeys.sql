-- A passkey is a second way to sign in, beside the password: a key pair that a phone, a computer or a security key holds and
-- unlocks with a finger, a face or a PIN. Here are the public halves. The library (better-auth's passkey plugin) reads and writes
-- them under our names; src/accounts/people/passkey-library.ts says which column is which. Nothing existing changes.

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
