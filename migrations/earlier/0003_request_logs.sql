-- What each API call looked like, kept for a while (src/request-logs/).
--
-- A row is a sheet: up to 500 calls of one organization that began in the same slot of 1,024 ms, in no order. What calls
-- have in common (caller, route, outcome, program) stands on it once. Per call, PostgreSQL 18, all calls of one kind:
--
--   a row per call        4.6 µs   297 bytes on disk
--   sheets of 500 calls   0.4 µs    49 bytes
--   sheets of 10 calls    0.7 µs    92 bytes
--   sheets of one call    4.7 µs   466 bytes
--
-- So calls that come in numbers become cheap, and one that comes alone takes half as much room again as it did. The other
-- price is that PostgreSQL cannot filter calls by their fields; it skips the sheets on which a value does not occur, and
-- the server looks at the others.
--
-- Partitioned by day over the id, whose beginning is the time: a look-up by id or by time touches one day, and old days
-- are dropped whole. The partitions are made by the server, at start and every hour.
--
-- Calls that belong to no known organization (no key, an unknown key, no such route) stand under org_id 'org_none', and
-- no organization can see them.
--
-- For a look by hand:
--   select call_id, kinds::json -> (calls::json -> 'figures' ->> (3 * number - 3)::int)::int as kind, calls::json -> 'own' -> call_id
--   from request_logs, json_array_elements_text(calls::json -> 'ids') with ordinality as each_call (call_id, number)
--   where org_id = '…' order by 1 desc limit 20;

create table request_logs (
  org_id text collate "C" not null,
  -- Of the newest call on the sheet.
  id text collate "C" not null,
  call_count integer not null,
  -- Calls that were answered with 400 or above.
  error_count integer not null,
  -- A JSON array of objects: what calls on this sheet have in common.
  kinds text not null,
  -- JSON: {"ids": […], "figures": […], "own": {…}}. Three figures per call, in the order of the ids: its kind (an index into
  -- kinds), its duration in microseconds, the bytes of the answer. Under its id in own stands what it shares with no other.
  calls text not null,
  -- A JSON object from the id of a call to its bodies: of writes and of errors, masked first, then cut to 8 KiB.
  bodies text,
  constraint request_logs_pkey primary key (org_id, id)
) partition by range (id);

-- Packed, sheets of 500 calls take 28 bytes per call instead of 49, and 1.2 µs instead of 0.4.
alter table request_logs alter column calls set storage external;

create index request_logs_errors_idx on request_logs (org_id, id) where error_count > 0;
