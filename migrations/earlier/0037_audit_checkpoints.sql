-- Cutting off the end of the audit log and moving its head back left a shorter chain in which every hash is right. A checkpoint is a
-- signed statement of how long the log of an organization was and how it ended; the key is derived from the installation's secret,
-- so that write access to the database is not enough to sign a shorter one. Each organization has the newest only: it covers all
-- entries before it.

create table audit_checkpoints (
  org_id text collate "C" not null constraint audit_checkpoints_pkey primary key,
  -- Of the last entry that it covers.
  sequence bigint not null,
  hash text collate "C" not null,
  at timestamptz not null,
  signature text collate "C" not null
);
