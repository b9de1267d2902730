import type postgres from 'postgres'
import type { Connection } from './connections.ts'

/** `copy … from stdin`: rows as lines of text, the cheapest way to write many. */

/**
 * The driver settles the query as soon as the server is ready for data. It reports an error after the last line (a unique
 * violation, a missing partition, a lost connection) only through the query's `reject`, so this code replaces that function;
 * otherwise such a copy never ends. `finish` fires when the server confirms that it has all lines. `close` fires after the
 * driver has sent its last message, which would break a copy that starts earlier. After a failure the driver always has a
 * message left to send, so the connection must not be used again.
 */
export async function copyLines(connection: Connection, text: string, lines: string | Uint8Array): Promise<void> {
  const query = connection.sql.unsafe(text) as postgres.PendingQuery<postgres.Row[]> & {
    reject(error: unknown): void
  }
  const stream = await query.writable()
  await new Promise<void>((resolve, reject) => {
    query.reject = reject
    stream.once('error', reject)
    stream.once('finish', () => stream.once('close', resolve))
    stream.end(lines)
  })
}

const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** Escapes a value for such a line. Ids, numbers and times need no escaping. */
export const copyText = (text: string | null): string => {
  if (text === null) return '\\N'
  return SPECIAL.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character) : text
}

export const copyValue = (value: number | boolean | Date | null): string => {
  if (value === null) return '\\N'
  return value instanceof Date ? timeText(value.getTime()) : String(value)
}

const TIMES_KEPT_MAX = 1_000
const timeTexts = new Map<number, string>()

/** Rows that are written together share most of their milliseconds, and writing one out costs as much as ten look-ups. */
function timeText(ms: number): string {
  const known = timeTexts.get(ms)
  if (known !== undefined) return known
  if (timeTexts.size >= TIMES_KEPT_MAX) timeTexts.clear()
  const text = new Date(ms).toISOString()
  timeTexts.set(ms, text)
  return text
}
