import type { Egress } from '../../../platform/outbound-http/egress.ts'
import type {
  CallOutcome,
  ChannelConnector,
  ChannelNumber,
  ChannelPerson,
  ChannelTemplate,
  MediaFile,
  OutboundMessage,
  ReadReceipt,
  SendOutcome,
  TemplatesOutcome,
  UploadOutcome,
} from '../../channel-connector.ts'
import { notReached, refusedHere } from './graph-failures.ts'
import { digitsOf, idOf, type JsonObject, listOf, objectOf, objectsOf, textOf } from './json-reading.ts'
import { createMediaDownload } from './media-download.ts'
import { outboundBody } from './outbound-body.ts'
import { createGraphClient, type GraphCall, type GraphClient, type GraphOutcome } from './whatsapp-cloud.client.ts'
import { whatsAppCloudFields } from './whatsapp-cloud.fields.ts'
import { readBatch, readHook } from './whatsapp-cloud.notice.ts'

/**
 * WhatsApp by Meta's Cloud API. Nothing above this folder knows a word of Graph. Sending is the one call that is not
 * harmless to repeat; of every other, an answer that got lost is an ordinary failure.
 */
export type WhatsAppCloudOptions = {
  userAgent: string
  egress: Pick<Egress, 'fetch'>
  /** Shorter in tests. */
  connectTimeoutMs?: number
  timeoutMs?: number
  transferTimeoutMs?: number
}

/** A file of a hundred megabytes at a modest pace. */
const TRANSFER_TIMEOUT_MS = 150_000
/** More than an account may have. */
const TEMPLATE_PAGES_MAX = 100
const TEMPLATES_PER_PAGE = 100

export function createWhatsAppCloud(options: WhatsAppCloudOptions): ChannelConnector {
  const client = createGraphClient(options)
  const transferTimeoutMs = options.transferTimeoutMs ?? TRANSFER_TIMEOUT_MS
  const fetchMedia = createMediaDownload(client, { timeoutMs: transferTimeoutMs })
  return {
    kind: 'whatsapp-cloud',
    traits: { hasReplyWindow: true, messagesPerSecondMax: 80, pairGapMs: 6_000, isNumberIdGlobal: true },
    fields: whatsAppCloudFields,
    send: (number, message, signal) => send(client, number, message, signal),
    markRead: (number, read, signal) => callHarmlessly(client, number, markReadCall(number, read), signal),
    uploadMedia: (number, file, signal) => upload(client, number, { file, timeoutMs: transferTimeoutMs, signal }),
    downloadMedia: fetchMedia,
    listTemplates: (number, signal) => listTemplates(client, number, signal),
    probe: (number, signal) =>
      callHarmlessly(client, number, { method: 'GET', path: number.phoneNumberId, query: { fields: 'id' } }, signal),
    readHook,
    readBatch,
  }
}

async function send(
  client: GraphClient,
  number: ChannelNumber,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const json = outboundBody(message)
  if (json === null)
    return {
      kind: 'refused',
      failure: refusedHere('type_unsupported', `A message of type ${message.content.type} cannot be sent.`),
    }
  const outcome = await client.call(number, { method: 'POST', path: `${number.phoneNumberId}/messages`, json }, signal)
  if (outcome.kind === 'refused') return outcome
  if (outcome.kind === 'lost') return { kind: 'unknown', detail: outcome.detail }
  const providerId = idOf(objectOf(listOf(outcome.body.messages)[0])?.id)
  if (providerId === null) return { kind: 'unknown', detail: 'the answer names no message id' }
  return { kind: 'accepted', providerId, recipient: recipientOf(outcome.body, message.to) }
}

/** The network's own spelling of the recipient, which may differ from ours (Brazil's ninth digit, Mexico's 1). */
function recipientOf(body: JsonObject, asked: ChannelPerson): ChannelPerson {
  const contact = objectOf(listOf(body.contacts)[0])
  const phone = digitsOf(contact?.wa_id)
  const userId = idOf(contact?.user_id)
  return phone === null && userId === null ? asked : { phone: phone ?? asked.phone, userId: userId ?? asked.userId }
}

const markReadCall = (number: ChannelNumber, { providerId, isTyping }: ReadReceipt): GraphCall => ({
  method: 'POST',
  path: `${number.phoneNumberId}/messages`,
  json: {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: providerId,
    ...(isTyping && { typing_indicator: { type: 'text' } }),
  },
})

async function callHarmlessly(
  client: GraphClient,
  number: ChannelNumber,
  call: GraphCall,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const outcome = lostAsRefused(await client.call(number, call, signal))
  return outcome.kind === 'refused' ? outcome : { kind: 'done' }
}

/** Of a call that may be made again. */
const lostAsRefused = (outcome: GraphOutcome): Exclude<GraphOutcome, { kind: 'lost' }> =>
  outcome.kind === 'lost' ? { kind: 'refused', failure: notReached(`No answer came: ${outcome.detail}`) } : outcome

async function upload(
  client: GraphClient,
  number: ChannelNumber,
  { file, timeoutMs, signal }: { file: MediaFile; timeoutMs: number; signal: AbortSignal },
): Promise<UploadOutcome> {
  const form = new FormData()
  form.set('messaging_product', 'whatsapp')
  form.set('type', file.mimeType)
  form.set('file', new File([file.bytes as Uint8Array<ArrayBuffer>], file.filename ?? 'file', { type: file.mimeType }))
  const call = { method: 'POST', path: `${number.phoneNumberId}/media`, form, timeoutMs } as const
  const outcome = lostAsRefused(await client.call(number, call, signal))
  if (outcome.kind === 'refused') return outcome
  const providerMediaId = idOf(outcome.body.id)
  if (providerMediaId !== null) return { kind: 'done', providerMediaId }
  return { kind: 'refused', failure: notReached('The answer to an upload names no id.') }
}

/** Page by page with its cursor; the ready-made address of the next page is not followed, because it could lead anywhere. */
async function listTemplates(
  client: GraphClient,
  number: ChannelNumber,
  signal: AbortSignal,
): Promise<TemplatesOutcome> {
  const account = textOf(number.settings.waba_id)
  if (account === null)
    return { kind: 'refused', failure: refusedHere('waba_id_missing', 'The number has no waba_id; set it first.') }
  const templates: ChannelTemplate[] = []
  let after: string | null = null
  for (let page = 0; page < TEMPLATE_PAGES_MAX; page++) {
    const query: Record<string, string> = {
      fields: 'name,language,status,category,components',
      limit: String(TEMPLATES_PER_PAGE),
      ...(after !== null && { after }),
    }
    const call = { method: 'GET', path: `${account}/message_templates`, query } as const
    const outcome = lostAsRefused(await client.call(number, call, signal))
    if (outcome.kind === 'refused') return outcome
    templates.push(...listOf(outcome.body.data).flatMap(readTemplate))
    after = nextCursor(outcome.body)
    if (after === null) break
  }
  return { kind: 'done', templates }
}

const nextCursor = (body: JsonObject): string | null => {
  const paging = objectOf(body.paging)
  return paging?.next === undefined ? null : idOf(objectOf(paging.cursors)?.after)
}

function readTemplate(value: unknown): ChannelTemplate[] {
  const template = objectOf(value)
  const [name, language] = [textOf(template?.name), textOf(template?.language)]
  if (template === null || name === null || language === null) return []
  return [
    {
      name,
      language,
      status: textOf(template.status) ?? 'UNKNOWN',
      category: textOf(template.category) ?? 'UNKNOWN',
      components: objectsOf(template.components),
    },
  ]
}
