import { randomBytes } from 'node:crypto'
import type { Id } from '../../kernel/ids.ts'
import { dropOldest } from '../../kernel/recent-map.ts'
import { traceOfWork } from './spans.ts'

/**
 * Traces, by the W3C specification Trace Context: a request that is part of one says so in `traceparent`, and so does every
 * request that follows from it.
 *
 * Kept here by request id for as long as the request is likely to be worked on. Every effect of a request
 * carries its id already, so the code that records it finds the trace without passing it through every function.
 */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?$/
const TRACEPARENT_CHARACTERS_MAX = 512

/** Returns the form of version 00, or null for an invalid header. Additions of later versions are left out. */
export function parseTraceparent(header: string | null): string | null {
  if (header === null || header.length > TRACEPARENT_CHARACTERS_MAX) return null
  const [, version, ids, more] = TRACEPARENT.exec(header) ?? []
  return ids === undefined || (version === '00' && more !== undefined) ? null : `00-${ids}`
}

/** More than are ever under way at once; the oldest are removed. */
const TRACES_MAX = 10_000
const traces = new Map<Id<'req'>, string>()

export function rememberTrace(requestId: Id<'req'>, header: string | null): void {
  const traceparent = header === null ? null : parseTraceparent(header)
  if (traceparent === null) return
  traces.set(requestId, traceparent)
  if (traces.size > TRACES_MAX) dropOldest(traces)
}

export const traceOf = (requestId: Id<'req'> | null | undefined): string | null =>
  (requestId && traces.get(requestId)) ?? null

/** The trace of a change: that of the request that causes it, or of the job that runs. */
export const traceOfChange = (requestId: Id<'req'> | null | undefined, subject: string): string | null =>
  traceOf(requestId) ?? traceOfWork(subject)

const BEFORE_TRACE = '00-'.length
const BEFORE_SPAN = BEFORE_TRACE + 32 + '-'.length
const SPAN_CHARACTERS = 16

export const traceIdOf = (traceparent: string): string => traceparent.slice(BEFORE_TRACE, BEFORE_SPAN - 1)

/** The same trace with a new span. */
export const spanOf = (traceparent: string): string =>
  traceparent.slice(0, BEFORE_SPAN) +
  randomBytes(SPAN_CHARACTERS / 2).toString('hex') +
  traceparent.slice(BEFORE_SPAN + SPAN_CHARACTERS)
