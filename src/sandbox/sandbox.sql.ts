import type { OrgId } from '../kernel/ids.ts'
import type { Queries, Tx } from '../platform/database/database.ts'
import type { MovedTimes } from './sandbox-tables.ts'

/** Statements on whole tables. Their names come from the declarations of tables, and from nowhere else. */
const statement = (...strings: string[]): TemplateStringsArray =>
  Object.assign(strings, { raw: strings }) as unknown as TemplateStringsArray

/** Deleting many rows may take longer than any other statement is allowed to. */
export const allowLongStatements = (tx: Tx) => tx.run`select set_config('statement_timeout', '300s', true)`

export const deleteRowsOf = (tx: Tx, orgId: OrgId, table: string) =>
  tx.run(statement(`delete from ${table} where org_id = `, ''), orgId)

type Advance = { seconds: number; now: Date }

export async function moveTimes(
  tx: Tx,
  orgId: OrgId,
  { table, times, ...advance }: Advance & { table: string; times: MovedTimes },
): Promise<void> {
  for (const column of times.anchors ?? []) await moveAnchor(tx, orgId, { table, column, ...advance })
  for (const column of times.deadlines ?? []) await moveDeadline(tx, orgId, { table, column, ...advance })
}

type Column = Advance & { table: string; column: string }

/** As `shiftTime`, which has its reason, in statements whose names are text. */
const earlier = (column: string) => [
  `((${column} at time zone 'UTC') - `,
  `::float8 * interval '1 second') at time zone 'UTC'`,
]

const moveAnchor = (tx: Tx, orgId: OrgId, { table, column, seconds }: Column) => {
  const [before, after] = earlier(column)
  return tx.run(
    statement(`update ${table} set ${column} = ${before}`, `${after} where org_id = `, ` and ${column} is not null`),
    seconds,
    orgId,
  )
}

const moveDeadline = (tx: Tx, orgId: OrgId, { table, column, seconds, now }: Column) => {
  const [before, after] = earlier(column)
  return tx.run(
    statement(`update ${table} set ${column} = ${before}`, `${after} where org_id = `, ` and ${column} > `, ''),
    seconds,
    orgId,
    now,
  )
}

/** The end of the open order, which its chat repeats. */
export async function moveOpenOrders(tx: Tx, orgId: OrgId, { seconds }: Advance): Promise<void> {
  const chats = await tx.many<{ id: string; expires_at: string }>`
    select id, open_order ->> 'expires_at' as expires_at from chats
    where org_id = ${orgId} and open_order ->> 'expires_at' is not null order by id for update`
  const moved = chats.map(({ expires_at }) => JSON.stringify(new Date(Date.parse(expires_at) - seconds * 1000)))
  await tx.run`
    update chats set open_order = jsonb_set(open_order, '{expires_at}', moved.expires_at::jsonb)
    from unnest(${chats.map(({ id }) => id)}::text[], ${moved}::text[]) as moved (id, expires_at)
    where chats.org_id = ${orgId} and chats.id = moved.id`
}

/** No event is left to be followed. */
export const levelCounter = (tx: Tx, orgId: OrgId) => tx.run`
  update event_counters set followed_until = last_sequence where org_id = ${orgId}`

/** Waits for reports of the network that are being applied. It holds no other lock yet, so none of them waits for this one. */
export const lockReports = (tx: Tx, orgId: OrgId) =>
  tx.run`select from channel_journal where org_id = ${orgId} for update`

/**
 * Locks what every change locks, in the same order: orders, people, chats, and the counter of events at last. From here on no change
 * commits: those before are seen by the statements that follow, and those after start from nothing.
 */
export async function lockData(tx: Tx, orgId: OrgId): Promise<void> {
  await tx.run`select from orders where org_id = ${orgId} order by id for update`
  await tx.run`select from contacts where org_id = ${orgId} order by id for update`
  await tx.run`select from chats where org_id = ${orgId} order by id for update`
  await tx.run`select from event_counters where org_id = ${orgId} for update`
}

export const listStoredFiles = async (queries: Queries, orgId: OrgId): Promise<string[]> =>
  (
    await queries.many<{ storage_key: string }>`
      select storage_key from media where org_id = ${orgId} and storage_key is not null`
  ).map(({ storage_key }) => storage_key)
