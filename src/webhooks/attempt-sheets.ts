import type { OrgId } from '../kernel/ids.ts'
import type { AttemptRow } from './attempts.sql.ts'

/**
 * Many attempts as one text: what all of them share stands once, the rest column by column in their order. Headers of
 * requests are columns of their own, for most of them are the same on every attempt.
 */
type Columns = { same: Record<string, unknown>; each: Record<string, unknown[]> }
type Sheet = Columns & { headers: Columns }

const PLAIN = [
  'delivery_id',
  'id',
  'endpoint_id',
  'event_id',
  'number',
  'trigger',
  'outcome',
  'url',
  'ip',
  'http_version',
  'request_bytes',
  'body_sha256',
  'dns_ms',
  'connect_ms',
  'tls_ms',
  'ttfb_ms',
  'total_ms',
  'throttled_ms',
  'response_status',
  'response_headers',
  'response_body',
  'is_response_base64',
  'is_response_truncated',
  'error_class',
  'error_detail',
  'retry_after_ms',
  'worker_id',
  'lease_number',
] as const satisfies (keyof AttemptRow)[]
const TIMES = ['started_at', 'next_attempt_at'] as const satisfies (keyof AttemptRow)[]

export function writeSheet(attempts: readonly AttemptRow[]): string {
  const columns: Columns = { same: {}, each: {} }
  for (const name of PLAIN) {
    addColumn(
      columns,
      name,
      attempts.map((attempt) => attempt[name]),
    )
  }
  for (const name of TIMES) {
    addColumn(
      columns,
      name,
      attempts.map((attempt) => attempt[name]?.getTime() ?? null),
    )
  }
  const sheet: Sheet = { ...columns, headers: headerColumns(attempts) }
  return JSON.stringify(sheet)
}

function addColumn({ same, each }: Columns, name: string, values: unknown[]): void {
  const [first] = values
  if (values.every((value) => value === first)) same[name] = first
  else each[name] = values
}

/** A header that only some of them have is null on the others. */
function headerColumns(attempts: readonly AttemptRow[]): Columns {
  const names = new Set<string>()
  for (const { request_headers } of attempts) for (const name in request_headers) names.add(name)
  const columns: Columns = { same: {}, each: {} }
  for (const name of names) {
    addColumn(
      columns,
      name,
      attempts.map(({ request_headers }) => request_headers[name] ?? null),
    )
  }
  return columns
}

export function readSheet(orgId: OrgId, text: string): AttemptRow[] {
  const { headers, ...columns } = JSON.parse(text) as Sheet
  const count = (columns.each.id ?? columns.each.delivery_id)?.length ?? 1
  return Array.from({ length: count }, (_, position) => {
    const row = readColumns(columns, position)
    for (const name of TIMES) if (row[name] !== null) row[name] = new Date(row[name] as number)
    const known = Object.entries(readColumns(headers, position)).filter(([, value]) => value !== null)
    return { ...row, org_id: orgId, request_headers: Object.fromEntries(known) } as AttemptRow
  })
}

function readColumns({ same, each }: Columns, position: number): Record<string, unknown> {
  const row: Record<string, unknown> = { ...same }
  for (const name in each) row[name] = each[name]?.[position]
  return row
}
