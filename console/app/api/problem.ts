import type * as Sdk from '../../../sdk/src/generated/types.ts'

/** What the server refuses with: RFC 9457, as every part of it answers. */
export type { FieldProblem, Problem as ProblemDocument } from '../../../sdk/src/generated/types.ts'

export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  readonly params: Record<string, unknown>
  readonly fields: Sdk.FieldProblem[]

  constructor(document: Partial<Sdk.Problem> & { status: number; detail: string; code: string }) {
    super(document.detail)
    this.status = document.status
    this.code = document.code
    this.requestId = document.request_id ?? null
    this.params = document.params ?? {}
    this.fields = document.errors ?? []
  }

  /** The same, in other words. */
  saying(detail: string, errors: Sdk.FieldProblem[]): Problem {
    const { status, code, params, requestId } = this
    return new Problem({ status, code, detail, params, errors, ...(requestId !== null && { request_id: requestId }) })
  }

  /** What is wrong with one field of a form, by its JSON Pointer (`#/name`). */
  at(field: string): string | undefined {
    const pointer = `#/${field.replaceAll('.', '/')}`
    return this.fields.find((problem) => problem.pointer === pointer)?.detail
  }
}

/** The server could not be asked at all. */
export const offline = () =>
  new Problem({ status: 0, code: 'offline', detail: 'The server did not answer. This page tries again by itself.' })

/** A refusal is final; what did not get through is tried again, for as long as the page is open. */
export const isWorthTrying = (count: number, error: unknown) =>
  error instanceof Problem && (error.status === 0 || error.status === 503) && count < 20

const SOON_TRIES = 3

/** For what is about to be there: asked for right after the act that makes it, it may not be found yet. */
export const isSoonThere = (count: number, error: unknown) =>
  isWorthTrying(count, error) || (error instanceof Problem && error.status === 404 && count < SOON_TRIES)
