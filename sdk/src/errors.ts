import type { Approval, FieldProblem, Problem } from './generated/types.ts'
import { retryAfterSeconds } from './reply.ts'

/** A published code; new ones may appear, then fall back on `status`. */
export type ErrorCode = Problem['code']

export type ErrorFields = {
  message: string
  /** Of the answer; null when there was none. */
  status?: number | null
  problem?: Partial<Problem> | null
  requestId?: string | null
  retryAfterSeconds?: number | null
  cause?: unknown
}

/** Every failed call throws one of these. Decide by `code`, or by the class. */
export class NexkitError extends Error {
  /** Of the answer; null when none came. */
  readonly status: number | null
  /** Null when the answer was none of Nexkit's, for example a page of a proxy. */
  readonly code: ErrorCode | null
  /** What is wrong this time and what to do next, for people. */
  readonly detail: string
  /** The fields that need attention. */
  readonly errors: FieldProblem[]
  /** Every value in `detail`, as data. */
  readonly params: Record<string, unknown>
  readonly requestId: string | null
  readonly retryAfterSeconds: number | null
  /** A URI for the error code; the same on every installation. */
  readonly type: string | null
  /** The page about the code, on the server that answered. */
  readonly docUrl: string | null
  /** Of a POST, chosen by the caller or by the SDK: with it the same call can be made again later without being done twice. */
  idempotencyKey: string | null = null

  constructor(fields: ErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause })
    const { problem } = fields
    this.name = new.target.name
    this.status = fields.status ?? null
    this.code = problem?.code ?? null
    this.detail = problem?.detail ?? fields.message
    this.errors = problem?.errors ?? []
    this.params = problem?.params ?? {}
    this.requestId = problem?.request_id ?? fields.requestId ?? null
    this.retryAfterSeconds = fields.retryAfterSeconds ?? null
    this.type = problem?.type ?? null
    this.docUrl = problem?.doc_url ?? null
  }
}

/** 400, 413, 414, 415, 422: the request has to change. `errors` names the fields. */
export class ValidationError extends NexkitError {}

/** 401: the token is missing, incomplete, unknown, expired or revoked. */
export class AuthenticationError extends NexkitError {}

/** 403: the key lacks the scope, or the agent may not. */
export class PermissionError extends NexkitError {}

/** 404: no such thing in this organization. */
export class NotFoundError extends NexkitError {}

/** 409, and 412 for `ifMatch`: the request is right and the present state refuses it. */
export class ConflictError extends NexkitError {}

/** 429: `retryAfterSeconds` says when there is more. */
export class RateLimitError extends NexkitError {}

/** 5xx: the server, or something in front of it, could not do it. */
export class ServerError extends NexkitError {}

/** No answer: the server was not reached, or the connection broke. What was asked may have been done. */
export class ConnectionError extends NexkitError {}

/** No whole answer within `timeoutMs`. What was asked may have been done. */
export class TimeoutError extends ConnectionError {}

/** An agent asked for something that a person has to approve first. Nothing has been done yet. Keys never get it. */
export class ApprovalNeededError extends NexkitError {
  readonly approval: Approval

  constructor(approval: Approval, fields: Omit<ErrorFields, 'message'>) {
    super({ ...fields, message: `A person has to approve this first: ${approval.id}, until ${approval.expires_at}.` })
    this.approval = approval
  }
}

const CLASSES: Record<number, typeof NexkitError> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  413: ValidationError,
  414: ValidationError,
  415: ValidationError,
  422: ValidationError,
  429: RateLimitError,
}

/** What an answer that is no success comes to. Its text may be anything: not all of them are ours. */
export function errorOfResponse({ status, headers }: Response, text: string): NexkitError {
  const problem = readProblem(headers, text)
  const ErrorClass = CLASSES[status] ?? (status >= 500 ? ServerError : NexkitError)
  const requestId = headers.get('x-request-id')
  return new ErrorClass({
    status,
    problem,
    requestId,
    retryAfterSeconds: retryAfterSeconds(headers),
    message: problem ? messageOf(problem, status) : strangeAnswer(status, headers, text),
  })
}

function readProblem(headers: Headers, text: string): Problem | null {
  if (!/json/.test(headers.get('content-type') ?? '')) return null
  try {
    const value: unknown = JSON.parse(text)
    const { code, detail } = Object(value)
    return typeof code === 'string' && typeof detail === 'string' ? (value as Problem) : null
  } catch {
    return null
  }
}

/** One line that is enough to mend the request by: the sentence, each field, and what to look the call up by. */
function messageOf({ detail, errors = [], code, request_id }: Problem, status: number): string {
  const fields = errors.map((field) => `${field.pointer ?? field.parameter ?? field.header}: ${field.detail}`)
  return [detail, ...fields, `(${status} ${code}, ${request_id})`].join(' ')
}

const EXCERPT_CHARACTERS = 200

/** A proxy's page, or a server that is no Nexkit: its own words help to find out. */
function strangeAnswer(status: number, headers: Headers, text: string): string {
  const location = headers.get('location')
  if (status === 0 || (status >= 300 && status < 400 && location))
    return `The server sends calls elsewhere${location ? `, to ${location}` : ''}: give that address as baseUrl.`
  const excerpt = text
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, EXCERPT_CHARACTERS)
  return `The answer ${status} does not come from Nexkit${excerpt ? `: ${excerpt}` : '.'}`
}
