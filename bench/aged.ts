import { partitionedTables } from '../src/boot/schema.ts'
import { type IdPrefix, newId } from '../src/kernel/ids.ts'
import { ensurePartitions, type PartitionedTable } from '../src/platform/database/daily-partitions.ts'
import type { Database } from '../src/platform/database/database.ts'

/**
 * A database as it is after three months with many customers: every table that is partitioned by day has all days that it
 * keeps, with some rows in each, and there are 10,000 further organizations, each with counters, a key and an endpoint. None of
 * them has anything to do.
 */
const ORGANIZATIONS = 10_000
const ROWS_PER_DAY = 20
const DAY_MS = 24 * 3600 * 1000
/** As the setting has it unless it is changed. */
const REQUEST_LOG_DAYS = 30

export async function ageDatabase(database: Database, template: { orgId: string; endpointId: string }): Promise<void> {
  await addOrganizations(database, template)
  for (const table of partitionedTables({ requestLogRetentionDays: REQUEST_LOG_DAYS })) await addDays(database, table)
  await database.script('analyze')
}

const nthOf = (prefix: string) => `'${prefix}_' || lpad(nth::text, 26, '0')`

/** Rows are copies of one that the server wrote, so that they are whole whatever columns there are. */
const copyOf = (table: string, where: string, changed: Record<string, string>) => `
  insert into ${table}
  select copied.*
  from (select to_jsonb(${table}) as row from ${table} where ${where} limit 1) template
  cross join generate_series(1, ${ORGANIZATIONS}) nth
  cross join lateral jsonb_populate_record(null::${table}, template.row || jsonb_build_object(${Object.entries(changed)
    .map(([column, value]) => `'${column}', ${value}`)
    .join(', ')})) copied`

async function addOrganizations(database: Database, { orgId, endpointId }: { orgId: string; endpointId: string }) {
  const [org_id, endpoint_id] = [nthOf('org'), nthOf('wep')]
  const sequences = { last_sequence: '0', fanned_until: '0' }
  const ofTemplate = `org_id = '${orgId}'`
  await database.script(
    [
      copyOf('organizations', `id = '${orgId}'`, { id: org_id, slug: `'aged-' || nth` }),
      copyOf('api_keys', ofTemplate, { org_id, id: nthOf('key'), token_hash: `sha256(nth::text::bytea)` }),
      copyOf('event_counters', ofTemplate, { org_id, ...sequences }),
      copyOf('event_followers', ofTemplate, { org_id, ...sequences }),
      copyOf('webhook_endpoints', `id = '${endpointId}'`, { org_id, id: endpoint_id }),
      copyOf('webhook_secrets', `endpoint_id = '${endpointId}'`, { org_id, endpoint_id, id: nthOf('whs') }),
      copyOf('outbox_lanes', `id = '${endpointId}'`, { org_id, id: endpoint_id }),
    ].join(';'),
  )
}

/** Rows of events without a number, because numbers would have to be handed to the followers. */
const ROWS: Record<string, (ids: string, orgIds: string) => string> = {
  events: (ids, orgIds) => `
    insert into events (org_id, id, type, subject, is_test, body, created_at)
    select org_id, id, 'order.created', 'ord_aged', true, '{}', now() from unnest(${ids}, ${orgIds}) as given (id, org_id)`,
  webhook_deliveries: (ids, orgIds) => `
    insert into webhook_deliveries (org_id, id, endpoint_id, event_id, type, subject, sequence, is_test, is_thin, status,
      created_at)
    select org_id, id, 'wep_aged', 'evt_aged', 'order.created', 'ord_aged', 1, false, false, 'succeeded', now()
    from unnest(${ids}, ${orgIds}) as given (id, org_id)`,
  channel_journal: (ids, orgIds) => `
    insert into channel_journal (org_id, id, number_id, body, applied_at)
    select org_id, id, 'num_aged', '{}', now() from unnest(${ids}, ${orgIds}) as given (id, org_id)`,
  webhook_attempts: (ids, orgIds) => `
    insert into webhook_attempts (org_id, id, delivery_id, endpoint_id, event_id, number, trigger, outcome, url,
      request_headers, request_bytes, body_sha256, started_at, total_ms, throttled_ms, is_response_base64,
      is_response_truncated, worker_id, lease_number)
    select org_id, id, 'dlv_aged', 'wep_aged', 'evt_aged', 1, 'auto', 'succeeded', 'http://aged.example', '{}', 2, '', now(), 1,
      0, false, false, 'prc_aged', 1
    from unnest(${ids}, ${orgIds}) as given (id, org_id)`,
  request_logs: (ids, orgIds) => `
    insert into request_logs (org_id, id, call_count, error_count, kinds, calls)
    select org_id, id, 1, 0, '[]', '[]' from unnest(${ids}, ${orgIds}) as given (id, org_id)`,
}

async function addDays(database: Database, table: PartitionedTable): Promise<void> {
  const nowMs = Date.now()
  for (let day = table.retentionDays; day >= 0; day--) {
    await ensurePartitions(database, table, nowMs - day * DAY_MS)
    const insert = ROWS[table.table]
    if (insert !== undefined && table.idPrefix !== undefined)
      await database.script(insert(...idsOf(table.idPrefix, nowMs - day * DAY_MS, day)))
  }
}

const idsOf = (prefix: IdPrefix, atMs: number, day: number): [string, string] => {
  const ids = Array.from({ length: ROWS_PER_DAY }, () => `'${newId(prefix, atMs)}'`)
  const orgIds = ids.map((_, nth) => `'org_${String(day * ROWS_PER_DAY + nth + 1).padStart(26, '0')}'`)
  return [`array[${ids}]`, `array[${orgIds}]`]
}
