import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Spans: the timed parts of a trace, as the code that has something to report begins and ends them. Who records and exports them is
 * handed in by `traceWith` (otlp.ts); until then there is no tracer, every function here returns at once, and nothing is stored.
 *
 * Parents are passed on in two ways: by the asynchronous context within a process, and as a W3C `traceparent` everywhere else (the
 * header of a request, a column of an event or an outbox entry).
 *
 * An attribute never holds a token, a phone number, a body, or a path or address with any of these: ids, names of operations and
 * jobs, counts and host names of receivers only.
 */
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

export type SpanAttributes = Record<string, string | number | boolean>

export type SpanStart = {
  kind: SpanKind
  /** A `traceparent` when the parent may be of another process. Null begins a trace. */
  parent: Span | string | null
  attributes?: SpanAttributes
}

export type Span = {
  readonly traceparent: string
  readonly isEnded: boolean
  describe(attributes: SpanAttributes): void
  /** Refers to a span of another trace, or to one that is not an ancestor. */
  link(traceparent: string): void
  /** Marks it as failed, with a code of ours. */
  fail(reason: string): void
  end(): void
}

export type StartSpan = (name: string, start: SpanStart) => Span

/** The traces of a batch, by the ids of what it is about; under EVERY when all of it is of one trace. */
export type SharedTraces = ReadonlyMap<string, string>
export const EVERY = ''

type Context = { span: Span | null; traces: SharedTraces | null }

let startSpan: StartSpan | null = null
const current = new AsyncLocalStorage<Context>()

/** Null turns tracing off. */
export function traceWith(start: StartSpan | null): void {
  startSpan = start
}

export const isTracing = (): boolean => startSpan !== null

export const beginSpan = (name: string, start: SpanStart): Span | null =>
  startSpan === null ? null : startSpan(name, start)

/** A timer or a batch that a request began outlives it, and must not be counted to it: an ended span is not active. */
export function activeSpan(): Span | null {
  const span = startSpan === null ? null : (current.getStore()?.span ?? null)
  return span === null || span.isEnded ? null : span
}

/** Null also leaves the span that is active: work for several requests is none of theirs. */
export const within = <Result>(span: Span | null, work: () => Result): Result =>
  startSpan === null ? work() : current.run({ span, traces: null }, work)

/** For work that several runs share: each change is counted to the run that is about the same id. */
export const withTraces = <Result>(traces: () => SharedTraces, work: () => Result): Result =>
  startSpan === null ? work() : current.run({ span: activeSpan(), traces: traces() }, work)

/** The trace of the work that is under way; of a batch, that of the run about this id. Null while tracing is off. */
export function traceOfWork(id: string): string | null {
  if (startSpan === null) return null
  const traces = current.getStore()?.traces
  return traces?.get(id) ?? traces?.get(EVERY) ?? activeSpan()?.traceparent ?? null
}

/** Runs the work as a child of the active span, and ends the child with it. Without an active span there is no child. */
export function inSpan<Result>(
  name: string,
  start: Omit<SpanStart, 'parent'>,
  work: (span: Span | null) => Promise<Result>,
): Promise<Result> {
  const parent = activeSpan()
  return parent === null ? work(null) : runIn(beginSpan(name, { ...start, parent }), work)
}

/** Runs the work in the span, and ends it. What is thrown fails it, by the name of the error alone: its text may quote anything. */
export async function runIn<Result>(span: Span | null, work: (span: Span | null) => Promise<Result>): Promise<Result> {
  if (span === null) return work(null)
  try {
    return await within(span, () => work(span))
  } catch (error) {
    span.fail(error instanceof Error ? error.name : 'unknown')
    throw error
  } finally {
    span.end()
  }
}
