-- A process that runs outbox work holds an advisory lock on its listening connection. PostgreSQL drops the lock with the
-- connection, so its absence shows within seconds that the process is gone, without a comparison of clocks.
--
-- `has_lock` is false for processes of earlier versions, which hold none; these are still judged by `seen_at` alone.
-- `lost_at` is when the lock was first found missing. The next sign of life clears it.

alter table processes
  add column has_lock boolean not null default false,
  add column lost_at timestamptz;
