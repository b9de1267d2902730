import type { Egress } from '../../../platform/outbound-http/egress.ts'
import type {
  CallOutcome,
  ChannelConnector,
  ChannelDefinition,
  ChannelDescription,
  ChannelNumber,
  ChannelPerson,
  ChannelTemplate,
  ManagementCall,
  ManagementReply,
  MediaFile,
  OutboundMessage,
  ReadReceipt,
  SendOutcome,
  TemplatesOutcome,
  UploadOutcome,
} from '../../channel-connector.ts'
import type { MediaReference, MessageContent } from '../../content/content.ts'
import { notReached, refusedHere } from './graph-failures.ts'
import { compact, digitsOf, idOf, type JsonObject, listOf, objectOf, objectsOf, textOf } from './json-reading.ts'
import { createMediaDownload } from './media-download.ts'
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

const DESCRIPTION: ChannelDescription = {
  name: 'whatsapp-cloud',
  displayName: 'WhatsApp Cloud API',
  isSimulated: false,
  traits: { hasReplyWindow: true, messagesPerSecondMax: 80, pairGapMs: 6_000, isNumberIdGlobal: true },
  fields: whatsAppCloudFields,
}

export const whatsAppCloud: ChannelDefinition = { ...DESCRIPTION, create: createWhatsAppCloud }

/** Its hooks, which the simulator posts as well. */
export { readBatch, readHook }

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
    ...DESCRIPTION,
    send: (number, message, signal) => send(client, number, message, signal),
    markRead: (number, read, signal) => callHarmlessly(client, number, markReadCall(number, read), signal),
    uploadMedia: (number, file, signal) => upload(client, number, { file, timeoutMs: transferTimeoutMs, signal }),
    downloadMedia: fetchMedia,
    listTemplates: (number, signal) => listTemplates(client, number, signal),
    manage: (number, call, signal) => manage(client, number, call, signal),
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

/** Forwarded as it is, with the number's own token. Ids of real numbers and accounts are Graph's own. */
async function manage(
  client: GraphClient,
  number: ChannelNumber,
  { method, objectId, edge, item, query, body, file }: ManagementCall,
  signal: AbortSignal,
): Promise<ManagementReply> {
  const path = [objectId, edge, item].filter((part) => part !== null).join('/')
  const json = method === 'GET' || Object.keys(body).length === 0 ? {} : { json: body }
  const content = file === undefined ? json : { file }
  return (await client.forward(number, { method, path, query, ...content }, signal)) ?? UNREACHABLE
}

const UNREACHABLE: ManagementReply = {
  status: 503,
  body: {
    error: {
      message: '(#2) Service temporarily unavailable. The Graph API did not answer; try again later.',
      type: 'OAuthException',
      code: 2,
      is_transient: true,
    },
  },
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

/**
 * A message as Graph wants it. Our content takes over WhatsApp's own shapes where it has some, so most of this is putting
 * things under their names.
 */
export type GraphBody = Record<string, unknown>

/** Null for content that only ever comes in. */
function outboundBody(message: OutboundMessage): GraphBody | null {
  const content = contentBody(message)
  if (content === null) return null
  const isReaction = message.content.type === 'reaction'
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...addressOf(message),
    ...(message.replyToProviderId !== null && !isReaction && { context: { message_id: message.replyToProviderId } }),
    type: message.content.type,
    [message.content.type]: content,
    ...(message.identityKeyHash !== undefined && { recipient_identity_key_hash: message.identityKeyHash }),
    biz_opaque_callback_data: message.id,
  }
}

/** With the plus: without it the network takes the number for a national one and puts the sender's country before it. */
const addressOf = ({ to }: OutboundMessage) => (to.phone === null ? { recipient: to.userId } : { to: `+${to.phone}` })

function contentBody(message: OutboundMessage): unknown {
  const { content } = message
  switch (content.type) {
    case 'text':
      return compact({ body: content.body, preview_url: content.preview_url })
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return mediaBody(content, message.providerMediaId)
    case 'location': {
      const { latitude, longitude, name, address } = content.location
      return compact({ latitude, longitude, name, address })
    }
    case 'contacts':
      return content.contacts
    case 'interactive':
      return content.body === undefined || content.interactive.body !== undefined
        ? content.interactive
        : { ...content.interactive, body: { text: content.body } }
    case 'template':
      return content.template
    case 'reaction':
      return { message_id: message.reactsToProviderId, emoji: content.reaction.emoji }
    default:
      return null
  }
}

type MediaContent = Extract<MessageContent, { media: MediaReference }>

function mediaBody({ type, body, media }: MediaContent, providerMediaId: string | null): GraphBody {
  const hasCaption = type === 'image' || type === 'video' || type === 'document'
  return compact({
    ...(providerMediaId === null ? { link: media.link } : { id: providerMediaId }),
    caption: hasCaption ? body : undefined,
    filename: type === 'document' ? media.filename : undefined,
    voice: type === 'audio' ? media.voice : undefined,
  })
}
