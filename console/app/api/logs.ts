import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { LogDetail, RequestLog } from './generated.ts'

export type { LogDetail, RequestLogSummary as LogSummary } from './generated.ts'
export type LogSide = RequestLog['request']

export const logQuery = (id: string) =>
  queryOptions({
    queryKey: ['request-log', id],
    queryFn: ({ signal }) => call('GET /api/console/request-logs/{id}', { params: { id }, signal }),
  })

/** As one word of a shell, whatever is in it: a path comes from the caller, and may hold anything. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A command that repeats the request. The token is a placeholder, because tokens are not stored, and so is a body that was cut. */
export function curlOf(origin: string, log: LogDetail['log']): string {
  const url = `${origin}${log.base_path}${log.path}${log.query ? `?${log.query}` : ''}`
  // Else curl asks for everything that brackets and braces could mean.
  const asItIs = /[[\]{}]/.test(url) ? '-g ' : ''
  const lines = [`curl ${asItIs}-X ${log.method} ${quoted(url)}`, '-H "Authorization: Bearer $NEXKIT_KEY"']
  if (log.idempotency_key !== null) lines.push(`-H ${quoted(`Idempotency-Key: ${log.idempotency_key}`)}`)
  const { body, is_cut } = log.request
  // Not -d for what a caller sent: it takes a body that begins with @ for the name of a file to read.
  const data = is_cut ? '-d @body.json' : `--data-raw ${quoted(body ?? '')}`
  if (body !== null) lines.push("-H 'Content-Type: application/json'", data)
  return lines.join(' \\\n  ')
}
