import type { MessageContent } from '../../channels/content/content.ts'
import type { Id } from '../../kernel/ids.ts'
import { messageIdOf, wireIdOf } from '../../messaging/messages/messages.ts'
import { idempotencyKeyInvalid } from '../../platform/http/http.errors.ts'
import type { Caller } from '../../platform/http/pipeline/caller.ts'
import {
  type IdempotencyClaim,
  readIdempotencyKey,
  requestFingerprint,
  runOwnOnce,
} from '../../platform/http/pipeline/idempotency.ts'
import type { CloudApiCall, CloudApiContext, CloudApiNumber, CloudApiReply } from './cloud-api-context.ts'
import { valueInvalid } from './cloud-api-problem.ts'
import { placeOf } from './content-translation.ts'
import { requireNumber } from './management-calls.ts'
import { readJson } from './request-body.ts'
import { type MessagesRequest, readMessagesRequest } from './send-request.ts'

/** `POST …/{phone-number-id}/messages`: sending, and marking as read. */
export async function postMessages(context: CloudApiContext, call: CloudApiCall): Promise<CloudApiReply> {
  const number = await requireNumber(context, call)
  const body = await readJson(context, call)
  const request = readMessagesRequest(body)
  if (request.kind === 'read') return markRead(context, call, number, request)
  const id = await sendOnce(context, call, { number, request, claim: readClaim(call, body) })
  return { status: 200, body: renderSent(request, id) }
}

type SendRequest = Extract<MessagesRequest, { kind: 'send' }>
type Sending = { number: CloudApiNumber; request: SendRequest; claim: IdempotencyClaim | null }

async function sendOnce(context: CloudApiContext, call: CloudApiCall, sending: Sending): Promise<Id<'msg'>> {
  const { claim } = sending
  if (claim === null) return send(context, call, sending)
  const run = async () => ({
    status: 201,
    body: JSON.stringify({ id: await send(context, call, sending) }),
    location: null,
  })
  const outcome = await runOwnOnce(context.database, call.caller.orgId, claim, run)
  const reply = 'fresh' in outcome ? outcome.fresh : outcome.replayed
  if ('replayed' in outcome) {
    call.exchange.isReplayed = true
    call.headers.push('Idempotent-Replayed', 'true', 'Original-Request-Id', outcome.replayed.requestId)
  }
  return JSON.parse(reply.body).id
}

/** An extension of Meta's API for our own clients: a request that is repeated with the same key sends nothing again. */
function readClaim(call: CloudApiCall, body: unknown): IdempotencyClaim | null {
  const header = readIdempotencyKey(call.request.headers.get('idempotency-key'))
  if (!header.ok)
    throw idempotencyKeyInvalid({
      errors: [{ header: 'Idempotency-Key', code: 'wrong_format', detail: header.detail }],
    })
  call.exchange.idempotencyKey = header.key
  if (header.key === null) return null
  const operation = 'sendCloudApiMessage'
  const pathParameters = { phone_number_id: call.objectId }
  const fingerprint = requestFingerprint({ operation, pathParameters, body })
  return { operation, key: header.key, fingerprint, requestId: call.exchange.requestId }
}

async function send(context: CloudApiContext, call: CloudApiCall, sending: Sending): Promise<Id<'msg'>> {
  const { number, request, claim } = sending
  const { to, content, clientReference, identityKeyHash } = request
  const named = (wireId: string, place: string) => resolve(context, call.caller, number, { wireId, place })
  // A quote of a message that is not known here is left out, as the graph does.
  const replyTo = request.replyTo === null ? null : await find(context, call.caller, number, request.replyTo)
  if (content.type === 'reaction')
    content.reaction.message_id = await named(content.reaction.message_id as string, 'reaction.message_id')
  await describeFiles(context, call.caller, content)
  const { requestId } = call.exchange
  const message = { numberId: number.id, to, content, replyTo, clientReference, identityKeyHash, claim, requestId }
  return (await context.messaging.sendMessage(call.caller, message)).id
}

/**
 * Files that were uploaded are looked at before the message is accepted: their types and sizes have to suit the places
 * where they stand. What is known of the file of a picture message goes along with it.
 */
async function describeFiles({ media }: CloudApiContext, { orgId }: Caller, content: MessageContent): Promise<void> {
  const { files, refusals } = await media.check(orgId, content)
  const [refusal] = refusals
  if (refusal?.kind === 'unknown')
    throw valueInvalid(
      `${placeOf(content.type, refusal.file.path)}.id: There is no file with this id. Upload it first, or give a link.`,
    )
  if (refusal !== undefined)
    throw valueInvalid(`${placeOf(content.type, refusal.problem.path)}.id: ${refusal.problem.detail}`)
  const file = 'media' in content && content.media.id !== undefined ? files.get(content.media.id) : undefined
  if (!('media' in content) || file === undefined) return
  const { mime_type, sha256, bytes } = file
  content.media = {
    ...content.media,
    mime_type,
    ...(sha256 !== null && { sha256 }),
    ...(bytes !== null && { bytes: Number(bytes) }),
  }
}

function renderSent({ input, to, content }: SendRequest, messageId: Id<'msg'>): string {
  const isTemplate = content.type === 'template'
  return JSON.stringify({
    messaging_product: 'whatsapp',
    contacts: ['phone' in to ? { input, wa_id: to.phone } : { input, user_id: to.userId }],
    messages: [{ id: wireIdOf(messageId), ...(isTemplate && { message_status: 'accepted' }) }],
  })
}

async function resolve(
  context: CloudApiContext,
  caller: Caller,
  number: CloudApiNumber,
  { wireId, place }: { wireId: string; place: string },
): Promise<Id<'msg'>> {
  const found = await find(context, caller, number, wireId)
  if (found === null) throw valueInvalid(`${place}: There is no message with this id on this number.`)
  return found
}

/** A message that the caller names by the id we gave it, or by the one that the network did. */
async function find(
  { messaging }: CloudApiContext,
  { orgId }: Caller,
  number: CloudApiNumber,
  wireId: string,
): Promise<Id<'msg'> | null> {
  const id = messageIdOf(wireId)
  return (await messaging.findMessage(orgId, number.id, id === null ? { providerId: wireId } : { id }))?.id ?? null
}

async function markRead(
  context: CloudApiContext,
  { caller, exchange }: CloudApiCall,
  number: CloudApiNumber,
  { messageId: wireId, isTyping }: Extract<MessagesRequest, { kind: 'read' }>,
): Promise<CloudApiReply> {
  const messageId = await resolve(context, caller, number, { wireId, place: 'message_id' })
  await context.messaging.markRead(caller, { messageId, isTyping, requestId: exchange.requestId })
  return { status: 200, body: JSON.stringify({ success: true }) }
}
