import { ApprovalDesk } from './approval-desk.ts'
import { EventFeed } from './event-feed.ts'
import { BASE_PATH, Resources } from './generated/resources.ts'
import type { Reply } from './reply.ts'
import { type CallOptions, Transport, type TransportOptions } from './transport.ts'

export type NexkitOptions = Omit<TransportOptions, 'url'> & {
  /** Where the server is: `https://nexkit.example`. The path of the API is added unless it is there. */
  baseUrl: string
}

/**
 * A client of one Nexkit server, as one key or agent: `new Nexkit({ token, baseUrl })`. It keeps no connection and no
 * state, so one is enough for a whole program, and none has to be closed.
 */
export class Nexkit extends Resources {
  override readonly approvals: ApprovalDesk
  override readonly events: EventFeed
  readonly #transport: Transport

  constructor({ baseUrl, token, ...options }: NexkitOptions) {
    const transport = new Transport({ ...options, token: readToken(token), url: apiUrl(baseUrl) })
    super(transport)
    this.approvals = new ApprovalDesk(transport)
    this.events = new EventFeed(transport)
    this.#transport = transport
  }

  /** A file by its address in an answer: `download_url` of a media file, `pdf_url` of a receipt, `image_url` of a QR code. */
  download(url: string, options: CallOptions = {}): Reply<Blob> {
    return this.#transport.download(url, options)
  }
}

/** Never in a message, not even a wrong one: a `fetch` would repeat it when it cannot be sent. */
function readToken(token: string): string {
  const text = typeof token === 'string' ? token.trim() : ''
  if (!/^[!-~]+$/.test(text)) throw new TypeError('token must be the whole token of an API key, as in nxk_live_…')
  return text
}

function apiUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new TypeError('baseUrl must be the address of the server, as in https://nexkit.example')
  const url = new URL(baseUrl)
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path.endsWith('/public/v1') ? path : `${path}${BASE_PATH}`}`
}

export type { WaitOptions } from './approval-desk.ts'
export {
  ApprovalNeededError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  NexkitError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
} from './errors.ts'
export { type FeedEvent, type FollowOptions, isKnown, isThin } from './event-feed.ts'
export type { FileInput } from './files.ts'
export type * from './generated/types.ts'
export type { List, Page } from './list.ts'
export type { Answered, RateLimit, Reply, ResponseInfo } from './reply.ts'
export type { CallOptions, ChangeOptions, Fetch, PostOptions } from './transport.ts'
export {
  verifyWebhook,
  verifyWebhookRequest,
  type WebhookFailure,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookSecret,
  WebhookVerificationError,
} from './webhooks.ts'
