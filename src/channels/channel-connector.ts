import type { z } from 'zod'
import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database } from '../platform/database/database.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import type { Job } from '../platform/outbox/job.ts'
import type { MediaReference, MediaType, MessageContent } from './content/message-content.ts'

/**
 * The contract of a channel: how messages leave, and how what the network reports comes in. A connector translates and
 * calls; it writes no table of ours and knows nothing of chats. Every implementation passes channel-connector.suite.ts.
 *
 *   out   send ──▶ accepted | refused | unknown          (from an outbox job, outside any transaction)
 *   in    hook ──▶ readHook: challenge | refused | genuine ──▶ journal, 200 ──▶ readBatch ──▶ reports, one by one
 *
 * An unknown outcome is the hard one. The network has no idempotency key, so what may have been accepted is not sent again
 * alone: our message id travels with every message and comes back in every status of it (`clientToken`), and messaging
 * waits for that before it decides.
 */
export type ChannelConnector = ChannelDescription & {
  send(number: ChannelNumber, message: OutboundMessage, signal: AbortSignal): Promise<SendOutcome>
  markRead(number: ChannelNumber, read: ReadReceipt, signal: AbortSignal): Promise<CallOutcome>
  uploadMedia(number: ChannelNumber, file: MediaFile, signal: AbortSignal): Promise<UploadOutcome>
  downloadMedia(number: ChannelNumber, providerMediaId: string, signal: AbortSignal): Promise<DownloadOutcome>
  /** Those that every number has, known before any are asked for. */
  templates?: readonly ChannelTemplate[]
  listTemplates(number: ChannelNumber, signal: AbortSignal): Promise<TemplatesOutcome>
  /**
   * A call of the network's own management API, about a number or its business account, answered as the network answers it.
   * Without it the network has none.
   */
  manage?(number: ChannelNumber, call: ManagementCall, signal: AbortSignal): Promise<ManagementReply>
  /** Asks for something harmless, to tell an operator whether the credentials work. */
  probe(number: ChannelNumber, signal: AbortSignal): Promise<CallOutcome>
  /** Pure. The raw bytes, because signatures cover them. */
  readHook(number: ChannelNumber, hook: RawHook): HookVerdict
  /** Pure, and never throws: what cannot be read becomes a separate kind of report beside those that can. */
  readBatch(body: Uint8Array): ChannelReport[]
  /** Work of a network that runs in this process. */
  jobs?: readonly Job[]
  /** Waits for what is under way. */
  stop?(): Promise<void>
}

/** A channel that numbers can be connected to, before it is created: connectors/connectors.ts lists all of them. */
export type ChannelDefinition = ChannelDescription & { create(parts: ChannelParts): ChannelConnector }

export type ChannelDescription = {
  /** In paths, commands and stored numbers. */
  name: string
  displayName: string
  /** Whether its network is played by this server: nothing leaves it. */
  isSimulated: boolean
  traits: ChannelTraits
  /** Of a number whose setting `reply_window` is false, where more than the window differs. */
  lenientTraits?: ChannelTraits
  /** The settings that a number of this channel needs beyond those of every number. */
  fields: readonly ChannelField[]
}

export type ChannelParts = {
  database: Database
  /** The outbox's own: due times are compared with it. */
  clock: Clock
  userAgent: string
  egress: Pick<Egress, 'fetch'>
  /** Channels, once they are put together. */
  sender: () => HookSender
  /** Wakes the outbox for organizations with new work, after the commit. */
  wake: (orgIds: readonly OrgId[]) => void
}

/**
 * Where a simulated network posts its hooks: to the channels, as real networks do. The signature is checked and the bytes are
 * journaled before they are processed.
 */
export type HookSender = {
  numbers: {
    open(orgId: OrgId, id: string): Promise<{ number: ChannelNumber; connector: { name: string } } | null>
  }
  receiveHook(name: string, numberId: string, hook: RawHook): Promise<{ status: number; detail: string | null }>
}

export type ChannelTraits = {
  /** Whether free-form messages need a message from the customer within the last 24 hours. */
  hasReplyWindow: boolean
  /** What one number may send, and the least time between two messages to one person after a burst. */
  messagesPerSecondMax: number
  pairGapMs: number
  /** Whether a phone_number_id names one number in the whole world, so that no two organizations may connect it. */
  isNumberIdGlobal: boolean
}

/** One thing an operator tells about a number. It draws the form, checks what is given, and says what is masked. */
export type ChannelField = {
  /** Its name among the credentials or settings; with hyphens, the option of the command. */
  name: string
  label: string
  help: string
  /** Secrets are sealed and never shown again; everything else is a setting. */
  isSecret: boolean
  isRequired: boolean
  schema: z.ZodType
  /** Made up when none is given, and then shown once. */
  generate?: () => string
}

/** A business number with its credentials opened. Never logged and never stored in this form. */
export type ChannelNumber = {
  orgId: OrgId
  id: string
  phoneNumberId: string
  displayPhone: string
  baseUrl: string | null
  credentials: Readonly<Record<string, string>>
  settings: Readonly<Record<string, unknown>>
}

/** One person as the network knows them. At least one of phone and userId is set. */
export type ChannelPerson = {
  /** Digits of the full international number, without plus, as the network reports it. */
  phone: string | null
  /** The business-scoped user id. */
  userId: string | null
}

export type OutboundMessage = {
  /** Our message id: travels along and comes back in every status. */
  id: string
  to: ChannelPerson
  content: MessageContent
  /** Where content.media.id is given: the provider's id of that file, uploaded before. */
  providerMediaId: string | null
  replyToProviderId: string | null
  /** The provider's id of the message that a reaction is about. */
  reactsToProviderId: string | null
  /** Refused by the network (`identity_changed`) when the customer's identity key is another by now. Not every one has keys. */
  identityKeyHash?: string
}

export type ReadReceipt = { providerId: string; isTyping: boolean }

/**
 * Who can do something about a failure decides the fate of the message:
 *   account    credentials, billing, registration: the number's queue stops until an operator has acted; nothing is lost
 *   retry      throttled or unavailable, and surely not accepted: again later, of this number or of this recipient only
 *   permanent  this message will never be accepted
 *   window     free-form text outside the 24-hour window: a template would be accepted
 */
export type ChannelFailure = {
  class: 'account' | 'retry' | 'permanent' | 'window'
  scope: 'number' | 'recipient'
  /** Ours, stable: throttled, unavailable, credentials_refused, recipient_unreachable, reply_window_closed, … */
  code: string
  providerCode: string | null
  detail: string
  retryAfterMs: number | null
  /** What the network itself calls this answer: its support asks for it. */
  traceId?: string
}

export type SendOutcome =
  | { kind: 'accepted'; providerId: string; recipient: ChannelPerson }
  | { kind: 'refused'; failure: ChannelFailure }
  /** The request may have been accepted: time-out or a lost connection after it was written. */
  | { kind: 'unknown'; detail: string }

export type CallOutcome = { kind: 'done' } | { kind: 'refused'; failure: ChannelFailure }

export type MediaFile = { type: MediaType; mimeType: string; filename: string | null; bytes: Uint8Array }
export type UploadOutcome = { kind: 'done'; providerMediaId: string } | { kind: 'refused'; failure: ChannelFailure }
export type DownloadOutcome =
  | { kind: 'done'; mimeType: string; bytes: Uint8Array }
  | { kind: 'refused'; failure: ChannelFailure }

export type ChannelTemplate = {
  name: string
  language: string
  status: string
  category: string
  components: Record<string, unknown>[]
}
export type TemplatesOutcome =
  | { kind: 'done'; templates: ChannelTemplate[] }
  | { kind: 'refused'; failure: ChannelFailure }

export type ManagementCall = {
  method: 'GET' | 'POST' | 'DELETE'
  /** What `objectId` names: the number, its business account, one template of it, the app of the caller, or an upload. */
  about: 'number' | 'account' | 'template' | 'app' | 'upload'
  objectId: string
  /** Below the object, such as `message_templates`; null for the object itself. */
  edge: string | null
  /** One member of the edge. */
  item: string | null
  query: Readonly<Record<string, string>>
  body: Readonly<Record<string, unknown>>
  /** The bytes of an upload, from this position on. */
  file?: { bytes: Uint8Array; offset: string }
}

/** In the network's own form, refusals included. */
export type ManagementReply = { status: number; body: Record<string, unknown> }

export type RawHook = {
  method: string
  query: URLSearchParams
  headers: Headers
  body: Uint8Array
}

export type HookVerdict =
  /** To be journaled and answered 200. */
  | { kind: 'genuine' }
  /** A handshake, answered at once. */
  | { kind: 'challenge'; body: string }
  | { kind: 'refused'; status: 400 | 401 | 403 | 405; detail: string }

type ReportBase = {
  /** The number the network says it is about; null where it says nothing. */
  phoneNumberId: string | null
  /** The part of the batch this was read from, as received. */
  raw: unknown
}

/** Null where the network sent no valid time: then the time of arrival counts. */
export type ReportedTime = Date | null

export type ChannelReport =
  | (ReportBase & InboundMessageReport)
  | (ReportBase & StatusReport)
  | (ReportBase & IdentityReport)
  | (ReportBase & {
      kind: 'edited'
      providerId: string
      originalProviderId: string
      content: MessageContent
      at: ReportedTime
    })
  | (ReportBase & { kind: 'revoked'; providerId: string; originalProviderId: string; at: ReportedTime })
  | (ReportBase & PreferenceReport)
  | (ReportBase & ContactReport)
  /** A customer called the number. */
  | (ReportBase & { kind: 'call'; from: ReportedPerson; at: ReportedTime })
  /** Of the account or the app as a whole: for the operator. */
  | (ReportBase & { kind: 'account_problem'; failure: ChannelFailure })
  | (ReportBase & NetworkReport)
  | (ReportBase & { kind: 'unreadable'; problem: string })

export type ReportedPerson = ChannelPerson & {
  parentUserId: string | null
  username: string | null
  name: string | null
}

export type InboundMessageReport = {
  kind: 'message'
  providerId: string
  /** The other side of the chat, also of an echo; in a group, the member who wrote. */
  from: ReportedPerson
  /** Whether the business wrote it, in the WhatsApp Business app. */
  isEcho?: boolean
  /** Of the chat history that the network hands over once: how far a message of the business had come. */
  past?: { status: ReportedStatus }
  /** The group it was written in. */
  groupId?: string | null
  at: ReportedTime
  content: MessageContent
  /** The provider's file id behind content.media, to be downloaded soon. */
  providerMediaId: string | null
  replyToProviderId: string | null
  reactsToProviderId: string | null
  isForwarded: boolean
  /** Many times before. */
  isFrequentlyForwarded?: boolean
  /** The advertisement or post the customer came from, as received: message-origin.ts reads what is shown of it. */
  referral: unknown
  /** The product of a catalogue that the customer asks about, as received. */
  referredProduct?: unknown
  /** What the message quotes, as received: kept where the quoted message is not known here. */
  context?: Record<string, unknown> | null
}

export type ReportedStatus = 'sent' | 'delivered' | 'read' | 'played' | 'failed'

export type StatusReport = {
  kind: 'status'
  providerId: string
  /** Our message id, where the network echoed it. */
  clientToken: string | null
  status: ReportedStatus
  at: ReportedTime
  recipient: ReportedPerson
  failure: ChannelFailure | null
  /** What else was reported with it, as received: `pricing`, `conversation`, `errors`. Null when nothing was. */
  facts: Record<string, unknown> | null
}

/** A customer stops marketing messages from the number, or resumes them. */
export type PreferenceReport = { kind: 'preference'; person: ReportedPerson; isStopped: boolean; at: ReportedTime }

/**
 * Whatever else the network reports, beside the reports that were read from it: `raw` is its change, with `field` and `value`.
 */
export type NetworkReport = {
  kind: 'other'
  /** Of the webhook, such as `account_update`. */
  field: string
  /** The phone of the number that is meant, where the network gives no id. */
  displayPhone: string | null
  at: ReportedTime
  /** Where it is in the batch. Null when `raw` is only a part of that. */
  place: { entry: number; change: number } | null
  news: NetworkNews | null
}

/** What a report says about a number, its account or a template. */
export type NetworkNews = {
  topic: 'number' | 'template'
  /** The network's own word, such as `FLAGGED`. */
  event: string | null
  detail: string
  /** Whether it restricts what the business can send. */
  isTrouble: boolean
  /** Ours, stable: for the health of the number. Null when that is not concerned. */
  code: string | null
  /** The code of earlier trouble that is over with this report. */
  resolves: string | null
  template: ReportedTemplate | null
}

export type ReportedTemplate = {
  id: string | null
  name: string | null
  language: string | null
  status: string | null
  category: string | null
  quality: string | null
}

/**
 * The name of a person in the address book of the business, or the subject of a group. Null when it was removed from there.
 */
export type ContactReport = { kind: 'contact'; person: ReportedPerson; groupId: string | null; name: string | null }

/** The network says that one person now has another number or id. */
export type IdentityReport = {
  kind: 'identity'
  providerId: string | null
  before: ChannelPerson
  after: ReportedPerson
  at: ReportedTime
}

export type { MediaReference }
