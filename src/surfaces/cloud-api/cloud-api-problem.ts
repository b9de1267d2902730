import type { ProblemError } from '../../kernel/errors.ts'
import { asProblem } from '../../platform/http/pipeline/problem-reply.ts'

/**
 * What the dialect answers when something is wrong: Meta's envelope with Meta's codes, because that is what clients
 * branch on. Always with a numeric code, a type and a trace id: clients exist that fail without any one of them.
 */
export class CloudApiProblem extends Error {
  override readonly name = 'CloudApiProblem'
  readonly answer: CloudApiAnswer

  constructor(answer: CloudApiAnswer) {
    super(answer.details ?? answer.title)
    this.answer = answer
  }
}

export type CloudApiAnswer = {
  status: number
  code: number
  subcode?: number
  type?: 'OAuthException' | 'GraphMethodException'
  title: string
  /** Plain errors of the graph carry neither the code in front nor details. */
  isPlain?: boolean
  details?: string
  headers?: Record<string, string>
  /** Our own code of the same thing, for the request log. */
  errorCode: string
}

export const renderProblem = (answer: CloudApiAnswer, traceId: string): string => {
  const { code, subcode, title, details, type = 'OAuthException' } = answer
  return JSON.stringify({
    error: {
      message: answer.isPlain ? title : `(#${code}) ${title}`,
      type,
      code,
      ...(subcode !== undefined && { error_subcode: subcode }),
      ...(details !== undefined && { error_data: { messaging_product: 'whatsapp', details } }),
      fbtrace_id: traceId,
    },
  })
}

const VALIDATION = 'validation_failed'

/** 100: the request itself, before it is about a message. */
export const requestInvalid = (title: string) =>
  new CloudApiProblem({ status: 400, code: 100, title, errorCode: 'request_invalid' })

export const parameterMissing = (details: string) =>
  new CloudApiProblem({
    status: 400,
    code: 131008,
    title: 'Required parameter is missing',
    details,
    errorCode: VALIDATION,
  })

export const valueInvalid = (details: string) =>
  new CloudApiProblem({
    status: 400,
    code: 131009,
    title: 'Parameter value is not valid',
    details,
    errorCode: VALIDATION,
  })

export const typeUnsupported = (details: string) =>
  new CloudApiProblem({ status: 400, code: 131051, title: 'Unsupported message type', details, errorCode: VALIDATION })

export const objectUnknown = (method: string, objectId: string) =>
  new CloudApiProblem({
    status: 400,
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    title: `Unsupported ${method.toLowerCase()} request. Object with ID '${objectId}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
    isPlain: true,
    errorCode: 'object_unknown',
  })

export const pathUnknown = (path: string) =>
  new CloudApiProblem({
    status: 400,
    code: 2500,
    title: `Unknown path components: ${path.slice(0, 200)}`,
    isPlain: true,
    errorCode: 'route_not_found',
  })

type Translation = Pick<CloudApiAnswer, 'code' | 'title'> & Partial<CloudApiAnswer>

/** Our problems in Meta's words. The status is ours unless another is given; the sentence becomes the details. */
const TRANSLATIONS: Record<string, Translation> = {
  unauthenticated: {
    code: 190,
    title: 'Invalid OAuth access token - Cannot parse access token. Send a valid API key as a bearer token.',
    isPlain: true,
  },
  scope_missing: { code: 10, title: 'Application does not have permission for this action' },
  organization_suspended: { code: 131031, title: 'Business Account locked' },
  rate_limited: { code: 130429, title: 'Rate limit hit' },
  reply_window_closed: { status: 400, code: 131047, title: 'Re-engagement message' },
  recipient_opted_out: { status: 400, code: 131050, title: 'User has stopped marketing messages from your business' },
  template_not_found: { status: 400, code: 132001, title: 'Template name does not exist in the translation' },
  template_not_approved: { status: 400, code: 132001, title: 'Template name does not exist in the translation' },
  template_parameters_wrong: {
    status: 400,
    code: 132000,
    title: 'Number of parameters does not match the expected number of params',
  },
  number_not_connected: { status: 400, code: 133010, title: 'Phone number not registered' },
  number_disconnected: { status: 400, code: 133010, title: 'Phone number not registered' },
  number_missing: { status: 400, code: 133010, title: 'Phone number not registered' },
  media_not_ready: { status: 400, code: 131052, title: 'Media download error' },
  media_unavailable: { status: 400, code: 131052, title: 'Media download error' },
  body_too_large: { code: 100, title: 'The request is too large' },
  request_timeout: { code: 131016, title: 'Service unavailable' },
  idempotency_key_invalid: { code: 100, title: 'Invalid parameter' },
  idempotency_key_reused: { status: 400, code: 100, title: 'Invalid parameter' },
  idempotency_key_in_use: { code: 2, title: 'Service temporarily unavailable' },
  internal_error: { code: 131000, title: 'Something went wrong' },
  unavailable: { code: 131016, title: 'Service unavailable' },
}

const OTHER: Translation = { status: 400, code: 131009, title: 'Parameter value is not valid' }

/** Whatever was thrown, as an answer of the dialect. */
export function answerOf(thrown: unknown): CloudApiAnswer {
  if (thrown instanceof CloudApiProblem) return thrown.answer
  const problem = asProblem(thrown)
  const translation = finerOf(problem) ?? TRANSLATIONS[problem.code] ?? OTHER
  const { isPlain = false } = translation
  return {
    status: problem.status,
    ...translation,
    ...(!isPlain && { details: detailsOf(problem) }),
    headers: problem.options.headers ?? {},
    errorCode: problem.code,
  }
}

const PARAMETER_FORMAT: Translation = {
  status: 400,
  code: 132012,
  title: 'Parameter format does not match format in the created template',
}
const SENDER_ITSELF: Translation = {
  status: 400,
  code: 131021,
  title: 'Recipient cannot be sender',
}
const COUNTED = ['required', 'too_many', 'too_few']

/**
 * Cases in which Meta has several codes for one of ours: paused templates, parameters of the wrong kind, a field that
 * it names.
 */
function finerOf({ code, options }: ProblemError): Translation | null {
  const { params, errors: [first] = [] } = options
  if (code === 'template_parameters_wrong' && first !== undefined && !COUNTED.includes(first.code))
    return PARAMETER_FORMAT
  if (first?.code === 'recipient_is_sender') return SENDER_ITSELF
  if (code !== 'template_not_approved') return null
  if (params?.status === 'PAUSED') return { status: 400, code: 132015, title: 'Template is paused' }
  return params?.status === 'DISABLED' ? { status: 400, code: 132016, title: 'Template is disabled' } : null
}

/** The first field problem says more than the sentence over all of them. */
function detailsOf({ message, options }: ProblemError): string {
  const [first] = options.errors ?? []
  if (first === undefined) return message
  const place = first.pointer?.slice(2).replaceAll('/', '.') ?? first.parameter ?? first.header ?? ''
  return place === '' ? first.detail : `${place}: ${first.detail}`
}
