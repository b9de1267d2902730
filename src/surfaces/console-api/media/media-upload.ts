import { bareMimeType, type MediaType, mediaTypeOf } from '../../../channels/content/content.ts'
import {
  beginMedia,
  createUploadBudget,
  isContentOf,
  type Media,
  type MediaContext,
  type MediaDraft,
  mimeTypeOfName,
  plainFileName,
  sayMismatch,
  storeDraft,
  type UploadBudget,
  type UploadShare,
} from '../../../channels/media/media.ts'
import { type Id, newId, type OrgId } from '../../../kernel/ids.ts'
import {
  rateLimited,
  requestTimeout,
  scopeMissing,
  sessionRequired,
  unavailable,
} from '../../../platform/http/http.errors.ts'
import { keyPolicy } from '../../../platform/http/pipeline/admission.ts'
import { beginExchange, type Exchange, endExchange } from '../../../platform/http/pipeline/exchange.ts'
import type { Pipeline } from '../../../platform/http/pipeline/handle-request.ts'
import { problemReply } from '../../../platform/http/pipeline/problem-reply.ts'
import { type Reply, replyHeaders, sendReply } from '../../../platform/http/pipeline/reply.ts'
import { within } from '../../../platform/telemetry/spans.ts'
import { fileContentMismatch, fileIncomplete, fileTooLarge, fileTypeNotSendable } from '../console.errors.ts'
import type { PersonCaller, SessionAuthenticator } from '../sign-in/session-caller.ts'
import type { MediaLimitsReader } from './media-limits.ts'

/**
 * `POST /api/console/media?number_id=…&filename=…`: a file for a message, by a person who may send messages. The body
 * is the file, so that a browser can show the progress. It is not one of the console's JSON routes because they read a
 * body as a whole; refusals are problem documents like theirs.
 *
 *   asked ── type and announced size suit the number ──▶ a draft on the disk, piece by piece ── whole ──▶ stored
 *            anything else, a connection that ends, a size that was not announced ──▶ nothing is left
 *
 * It is no act of the audit log: nothing is changed until a message names the file, and that is entered.
 */
export type UploadOptions = Pick<Pipeline, 'clock' | 'log' | 'docsUrl' | 'rateLimiter'> & {
  onExchange: (exchange: Exchange) => void
  authenticate: SessionAuthenticator
  media: MediaContext
  readLimits: MediaLimitsReader
}

export const UPLOAD_PATH = '/api/console/media'

const TIMEOUT_MS = 120_000

export type TakeUpload = (request: Request, address: string) => Promise<Response>

export function createUpload(options: UploadOptions): TakeUpload {
  const budget = createUploadBudget()
  return async (request, address) => {
    const exchange = openExchange(options, request, address)
    const headers = replyHeaders(request)
    const reply = await within(exchange.span, () => take(options, { request, exchange, budget })).then(
      (media): Reply => ({
        status: 201,
        requestId: exchange.requestId,
        body: JSON.stringify(media),
        headers,
        isProblem: false,
        isSecret: false,
      }),
      (error) => problemReply(options, exchange, error, headers),
    )
    const sent = await sendReply(request, reply)
    exchange.status = sent.status
    endExchange(exchange)
    options.onExchange(exchange)
    return sent.response
  }
}

function openExchange({ clock }: UploadOptions, request: Request, address: string): Exchange {
  const { pathname, search } = new URL(request.url)
  const startedAtMs = clock.now()
  const place = { route: null, path: '/media', fullPath: pathname, query: search.slice(1), address }
  return beginExchange(request, { requestId: newId('req', startedAtMs), startedAtMs, ...place })
}

type Upload = { request: Request; exchange: Exchange; budget: UploadBudget }

async function take(options: UploadOptions, upload: Upload) {
  const { request, exchange } = upload
  const { orgId } = await admit(options, request, exchange.address)
  const query = new URLSearchParams(exchange.query)
  const numberId = query.get('number_id') ?? ''
  const filename = plainFileName(query.get('filename'))
  const { mimeType, type, bytesMax } = await suit(options, orgId, { request, numberId, filename })
  const draft = await beginMedia(options.media)
  try {
    await write(upload, draft, { share: upload.budget(orgId), bytesMax })
    if (!isContentOf(mimeType, draft.head()))
      throw fileContentMismatch({ says: sayMismatch(mimeType), params: { mime_type: mimeType } })
    const facts = { mimeType, filename, numberId: numberId as Id<'num'>, draft }
    return view(await storeDraft(options.media, orgId, facts), type)
  } finally {
    // The draft is removed when it could not be stored; a stored file stays.
    await draft.discard()
  }
}

const view = ({ id, mime_type, bytes, filename }: Media, type: MediaType) => ({
  object: 'media',
  id,
  type,
  mime_type,
  bytes: Number(bytes),
  filename,
})

/**
 * The same checks as for the routes of the console: a session, its rate, and the scope that sending a message needs.
 */
async function admit({ authenticate, rateLimiter }: UploadOptions, request: Request, address: string) {
  const authentication = await authenticate(request, address)
  if (!authentication.ok) throw sessionRequired()
  const { caller } = authentication
  spendRate(rateLimiter, caller)
  if (!caller.scopes.includes(SCOPE)) throw scopeMissing({ params: { required: SCOPE, granted: caller.scopes } })
  return caller
}

const SCOPE = 'messages:send'

function spendRate(rateLimiter: UploadOptions['rateLimiter'], { id, rateLimit }: PersonCaller): void {
  if (rateLimit === null) return
  const { allowed, retryAfterSeconds } = rateLimiter.check(id, keyPolicy(rateLimit))
  if (!allowed) throw rateLimited({ headers: { 'Retry-After': String(retryAfterSeconds) } })
}

type Asked = { request: Request; numberId: string; filename: string | null }

/** Before a byte is read: whether some kind of message takes it, and one of this size. */
async function suit({ readLimits }: UploadOptions, orgId: OrgId, { request, numberId, filename }: Asked) {
  const limits = await readLimits(orgId, numberId)
  const mimeType = mimeTypeOf(request.headers.get('content-type'), filename)
  const limit = limits.find(({ mimeTypes }) => mimeType !== null && mimeTypes.includes(mimeType))
  if (mimeType === null || limit === undefined)
    throw fileTypeNotSendable({ params: { allowed: limits.flatMap(({ mimeTypes }) => mimeTypes) } })
  const { type, bytesMax } = limit
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax)
  return { mimeType, type, bytesMax }
}

const tooLarge = (bytesMax: number) => fileTooLarge({ params: { bytes_max: bytesMax } })

/** A browser that does not know a type says nothing, or that it is bytes. */
function mimeTypeOf(contentType: string | null, filename: string | null): string | null {
  const sent = bareMimeType(contentType ?? '')
  return mediaTypeOf(sent) === null ? mimeTypeOfName(filename) : sent
}

/** The next piece is asked for once the last is on the disk: a disk that is slow slows the sender down. */
async function write(
  { request, exchange }: Upload,
  draft: MediaDraft,
  { share, bytesMax }: { share: UploadShare; bytesMax: number },
): Promise<void> {
  if (request.body === null) throw fileIncomplete()
  const reader = request.body.getReader()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void reader.cancel().catch(() => {})
  }, TIMEOUT_MS)
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw fileIncomplete()
      })
      if (done) break
      exchange.requestBytes += value.byteLength
      const isWithinBudget = share.take(value.byteLength)
      if (exchange.requestBytes > bytesMax) throw tooLarge(bytesMax)
      if (!isWithinBudget) throw unavailable({ headers: { 'Retry-After': '1' } })
      await draft.write(value)
    }
  } finally {
    clearTimeout(timer)
    share.release(exchange.requestBytes)
    void reader.cancel().catch(() => {})
  }
  if (isLate) throw requestTimeout({ params: { timeout_ms: TIMEOUT_MS } })
  if (draft.bytes() === 0 || isShort(request, draft.bytes())) throw fileIncomplete()
}

/** A connection that broke may look like an end. */
const isShort = (request: Request, bytes: number) => bytes < Number(request.headers.get('content-length') ?? 0)
