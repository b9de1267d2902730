import type { Readable } from 'node:stream'
import type postgres from 'postgres'
import type { Connection } from './connections.ts'

/** `copy … from stdin` and `copy … to stdout`: rows as lines of text, the cheapest way to write or read many. */

/**
 * The driver settles the query as soon as the server is ready for data. It reports an error after the last line (a unique
 * violation, a missing partition, a lost connection) only through the query's `reject`, so this code replaces that function;
 * otherwise such a copy never ends. `finish` fires when the server confirms that it has all lines. `close` fires after the
 * driver has sent its last message, which would break a copy that starts earlier. After a failure the driver always has a
 * message left to send, so the connection must not be used again.
 */
export async function copyLines(connection: Connection, text: string, lines: string | Uint8Array): Promise<void> {
  const query = copyQuery(connection, text)
  const stream = await query.writable()
  await new Promise<void>((resolve, reject) => {
    query.reject = reject
    stream.once('error', reject)
    stream.once('finish', () => stream.once('close', resolve))
    stream.end(lines)
  })
}

type CopyQuery = postgres.PendingQuery<postgres.Row[]> & {
  resolve(stream: Readable): void
  reject(error: unknown): void
}

const copyQuery = (connection: Connection, text: string) => connection.sql.unsafe(text) as CopyQuery

/**
 * Whole lines, as many as have arrived; PostgreSQL waits for a slow reader. The connection must not be used again unless all lines were read.
 *
 * The driver pauses the socket while lines wait to be read, and resumes it when more are asked for. Behind the last line nothing is asked
 * for, so this code does; otherwise the next statement may never be answered. An error in the middle reaches only `reject`, as above, or the
 * stream, perhaps before it was handed out; and `resolve` is called a second time at the end.
 */
export async function* readCopy(connection: Connection, text: string): AsyncGenerator<Uint8Array> {
  const query = copyQuery(connection, text)
  const [resolve, reject] = [query.resolve.bind(query), query.reject.bind(query)]
  let opened: Readable | null = null
  let failure: unknown = null
  const fail = (error: unknown) => {
    failure ??= error
  }
  query.resolve = (stream) => {
    if (opened === null) stream.on('error', fail)
    opened ??= stream
    resolve(stream)
  }
  query.reject = (error) => {
    fail(error)
    if (opened === null) reject(error)
    else opened.destroy()
  }
  const stream = await query.readable()
  try {
    for await (const lines of stream) if (failure === null) yield lines
  } catch (error) {
    fail(error)
  }
  if (failure !== null) throw failure
  stream._read(0)
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
