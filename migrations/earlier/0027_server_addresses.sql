-- A command prints addresses that are pasted at Meta and at payment providers, and links for people. It runs in a shell that may
-- know neither the port nor the domain of the server, so each server says beside its sign of life where it is reached. Null
-- for a server of an older version.

alter table processes add column public_url text;
