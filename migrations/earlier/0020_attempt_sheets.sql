-- What came of a bundle of deliveries that all arrived, on one sheet (src/webhooks/attempt-sheets.ts).
--
-- Attempts of one bundle have nearly everything in common: address, worker, headers, the shape of the answer. As rows of
-- webhook_attempts they cost more than the deliveries themselves, most of it for values that repeat. On a sheet what they
-- share stands once and the rest column by column. A delivery that arrived this way names its sheet; whatever is tried
-- later, by hand or in a recovery, is a row of webhook_attempts as ever.

create table webhook_attempt_sheets (
  org_id text collate "C" not null,
  -- That of the first attempt on it, so a sheet lies on the day of its attempts and goes with them.
  id text collate "C" not null,
  -- JSON: {"same": {…}, "each": {…}, "headers": {"same": {…}, "each": {…}}}. Times are milliseconds since 1970.
  attempts text not null,
  constraint webhook_attempt_sheets_pkey primary key (org_id, id)
) partition by range (id);

-- Packing would cost as much as writing the rows it replaces.
alter table webhook_attempt_sheets alter column attempts set storage external;

alter table webhook_deliveries add column sheet_id text collate "C";
